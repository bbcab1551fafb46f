#include "replay_token.hpp"

#include <gmock/gmock.h>

#include "program/error_text.hpp"

namespace assay::tool {
namespace {

using testing::ElementsAre;

TEST(ReplayToken, CarriesAnyTextWithoutAnythingThatAShellKnows) {
  replay_token token{"run", {}};
  token.add("schedule", "random:3");
  token.add("dialect", "");
  token.add("argument", "a,b=c % $x 'y' \"z\"\n\xc3\xa9");
  std::string const text = to_text(token);
  EXPECT_EQ(text.find_first_of(" $'\"\n\\*?[]{}()<>|&;!#~`"), std::string::npos) << text;
  EXPECT_EQ(text.substr(0, 22), "run,schedule=random:3,");
  replay_token const read = parse_replay_token(text);
  EXPECT_EQ(read.command, "run");
  EXPECT_EQ(read.members, token.members);
  EXPECT_EQ(read.get("dialect", "cuda-13"), "cuda-13");
}

TEST(ReplayToken, KeepsMembersOfOneNameInOrder) {
  EXPECT_THAT(parse_replay_token("run,argument=b,argument=,argument=a").all("argument"),
              ElementsAre("b", "", "a"));
}

TEST(ReplayToken, QuotesThePartThatIsWrong) {
  EXPECT_EQ(error_text([] { static_cast<void>(parse_replay_token("run,schedule")); }),
            "2: 'schedule' in a replay token is not of the form NAME=VALUE");
  EXPECT_EQ(error_text([] { static_cast<void>(parse_replay_token("run,a=%4")); }),
            "2: '%4' in a replay token has no two digits behind its %");
  EXPECT_EQ(error_text([] { static_cast<void>(parse_replay_token("walk,a=b")); }),
            "2: 'walk,a=b' is no replay token: it begins with none of 'run,', 'check,' and "
            "'fuzz,'");
}

} // namespace
} // namespace assay::tool
