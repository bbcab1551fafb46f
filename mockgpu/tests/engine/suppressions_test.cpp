// Suppressions: what an entry matches, and what a file may not hold.
#include "mockgpu/suppressions.hpp"

#include <gmock/gmock.h>

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

finding race() {
  finding one;
  one.kind = "stream-race";
  one.first = {"kernel", "produce", "stream 1", 4, "write", {"/src/lib/a.cu", 10, "produce"}};
  one.second = {"copy", "cudaMemcpyAsync", "stream 2", 6, "read", {"main.cu", 20, "main"}};
  one.memory.name = "velocity";
  one.memory.sub_array = "u_tmp";
  return one;
}

bool suppressed(std::string const& patterns, finding const& one = race()) {
  suppressions list("kind: stream-race\nreason: known\n" + patterns, "s");
  return list.match(one) != nullptr;
}

TEST(Suppressions, MatchEitherSide) {
  EXPECT_TRUE(suppressed(""));
  EXPECT_TRUE(suppressed("kernel: produce"));
  EXPECT_TRUE(suppressed("kernel: cuda*"));
  EXPECT_TRUE(suppressed("place: lib/*.cu"));
  EXPECT_TRUE(suppressed("place: a.cu:10"));
  EXPECT_TRUE(suppressed("place: main.cu:2?"));
  EXPECT_TRUE(suppressed("memory: velo*\nkernel: prod?ce\nplace: *"));
  EXPECT_TRUE(suppressed("memory: u_tmp"));
}

TEST(Suppressions, LeaveWhatOnePatternDoesNotMatch) { // twin: MatchEitherSide
  EXPECT_FALSE(suppressed("kernel: consume"));
  EXPECT_FALSE(suppressed("kernel: prod"));
  EXPECT_FALSE(suppressed("place: b/*.cu"));
  EXPECT_FALSE(suppressed("place: cu"));
  EXPECT_FALSE(suppressed("place: a.cu:1"));
  EXPECT_FALSE(suppressed("memory: velocity\nkernel: consume"));
  finding other = race();
  other.kind = "host-race";
  EXPECT_FALSE(suppressed("", other));
  other = race();
  other.first.location = other.second.location = {};
  EXPECT_FALSE(suppressed("place: *", other)) << "an unknown place matches nothing";
}

TEST(Suppressions, TakeTheFirstEntryAndTellWhichWereNotUsed) {
  suppressions list("# the library\n"
                    "kind: *\nkernel: produce\nreason: ours\n"
                    "\n"
                    "\n"
                    "kind: stream-race\nreason: second\n"
                    "  \n"
                    "kind : leak\r\nreason : at exit # not a comment\r\n",
                    "known.txt");
  ASSERT_EQ(list.entries().size(), 3u);
  EXPECT_EQ(list.entries()[2].reason, "at exit # not a comment");
  finding const one = race();
  ASSERT_NE(list.match(one), nullptr);
  EXPECT_EQ(list.match(one)->reason, "ours");
  EXPECT_EQ(list.entries()[0].used, 2u);
  EXPECT_THAT(list.unused(), ElementsAre("known.txt:7: the suppression of stream-race was not used",
                                         "known.txt:10: the suppression of leak was not used"));
}

TEST(Suppressions, OfAnEmptyFileMatchNothing) {
  suppressions list("\n# nothing\n", "s");
  EXPECT_EQ(list.match(race()), nullptr);
  EXPECT_THAT(list.unused(), IsEmpty());
}

std::string message(std::string const& text) {
  try {
    suppressions const list(text, "s");
  } catch (std::invalid_argument const& problem) {
    return problem.what();
  }
  return {};
}

TEST(Suppressions, NameTheLineThatBreaksARule) {
  EXPECT_EQ(message("kind: leak\n"), "s:1: the entry gives no reason");
  EXPECT_EQ(message("\nreason: x\n\nkind: leak\nreason: y"), "s:2: the entry names no kind");
  EXPECT_EQ(message("kind: leek\nreason: x"), "s:1: 'leek' is no kind of finding");
  EXPECT_EQ(message("kind: leak\nreason:\n"), "s:2: 'reason' has no value");
  EXPECT_EQ(message("kind: leak\nkind: leak\n"), "s:2: the entry has a second 'kind'");
  EXPECT_EQ(message("kind: *\nreason: all of it\n"),
            "s:1: an entry for every kind needs a kernel, a place or a memory");
  EXPECT_EQ(message("kind: leak\nfile: x\n"),
            "s:2: 'file: x' is not of the form NAME: VALUE with NAME of kind, kernel, place, "
            "memory, reason");
  EXPECT_THROW(static_cast<void>(suppressions::read("/no/such/file")), std::invalid_argument);
}

} // namespace
} // namespace mockgpu::tests
