// Every input of the corpus, among them those that once failed, goes through the entries and is what its folder says.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "fuzz/entries.hpp"

namespace assay::fuzzing {
namespace {

namespace fs = std::filesystem;

struct outcome {
  int inputs = 0, accepted = 0;
};

outcome run_all(std::string const& folder, bool (*entry)(std::string_view)) {
  outcome seen;
  for (auto const& file : fs::directory_iterator(fs::path(ASSAY_FUZZ_CORPUS) / folder)) {
    SCOPED_TRACE(file.path().filename().string());
    std::ifstream in(file.path(), std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NO_THROW(seen.accepted += entry(bytes) ? 1 : 0);
    ++seen.inputs;
  }
  return seen;
}

TEST(FuzzCorpus, OfTheReaderHasProgramsAndNoFailure) {
  auto const seen = run_all("reader", read_sdfg);
  EXPECT_GT(seen.accepted, 5);
  EXPECT_GT(seen.inputs, seen.accepted);
}

TEST(FuzzCorpus, OfTheExpressionsHasTextsOfEachGrammarAndNoFailure) {
  auto const seen = run_all("expression", parse_text);
  EXPECT_GT(seen.accepted, 20);
  EXPECT_GT(seen.inputs, seen.accepted);
}

TEST(FuzzEntries, TellProgramsAndTextsFromOtherBytes) {
  EXPECT_FALSE(read_sdfg(""));
  EXPECT_FALSE(read_sdfg("{}"));
  EXPECT_TRUE(parse_text(std::string("\0$N + 1", 7)));
  EXPECT_FALSE(parse_text(std::string("\0N +", 4)));
  EXPECT_TRUE(parse_text("\3a = b[1] * 2"));
}

} // namespace
} // namespace assay::fuzzing
