#include "fuzz/space.hpp"

#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay::fuzz {
namespace {

TEST(CoveringPairs, HaveEveryPairInFewRows) {
  for (std::uint64_t const seed : {1, 2, 3}) {
    std::vector<choice> const rows = covering_pairs(seed);
    coverage seen;
    for (choice const& row : rows) {
      EXPECT_EQ(normalised(row), row);
      seen.add(row);
    }
    EXPECT_EQ(seen.pairs(), coverage::whole().pairs());
    EXPECT_LT(seen.triples(), coverage::whole().triples()); // triples are left to chance
    EXPECT_LE(rows.size(), 80u) << "7 streams times 5 faults is the least";
    EXPECT_EQ(covering_pairs(seed), rows);
  }
}

TEST(CoveringPairs, OneRowLessLeavesAPairOut) {
  std::vector<choice> rows = covering_pairs(1);
  rows.pop_back();
  coverage seen;
  for (choice const& row : rows) seen.add(row);
  EXPECT_LT(seen.pairs(), coverage::whole().pairs());
}

TEST(Choice, LayoutsAndWorkspacesCountInModeExternalOnly) {
  choice c;
  set(c, axis::layout, "packed");
  set(c, axis::workspace, "shifted");
  EXPECT_EQ(to_text(normalised(c)), "scoped aligned exact default async eager cuda-13 1 none");
  set(c, axis::mode, "external");
  EXPECT_EQ(to_text(normalised(c)), "external packed shifted default async eager cuda-13 1 none");
}

TEST(Choice, ListsTheValuesOfAnAxisWhereOneIsUnknown) {
  choice c;
  try {
    set(c, axis::call, "later");
    FAIL();
  } catch (error const& e) {
    EXPECT_STREQ(e.what(), "unknown call 'later' (one of async, sync)");
  }
}

TEST(RandomSource, GivesEachObjectNumbersOfItsOwn) {
  EXPECT_EQ(random_source(1, "draw", 7).next(), random_source(1, "draw", 7).next());
  EXPECT_NE(random_source(1, "draw", 7).next(), random_source(1, "draw", 8).next());
  EXPECT_NE(random_source(1, "draw", 7).next(), random_source(2, "draw", 7).next());
  EXPECT_NE(random_source(1, "draw", 7).next(), random_source(1, "content", 7).next());
}

} // namespace
} // namespace assay::fuzz
