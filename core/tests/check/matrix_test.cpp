#include <map>
#include <set>

#include <gmock/gmock.h>

#include "assay/check.hpp"
#include "program/error_text.hpp"

namespace assay {
namespace {

TEST(Matrix, DefaultHasAHundredAndNinetyTwoCellsAndSixteenTexts) {
  auto const cells = cells_of({});
  EXPECT_EQ(cells.size(), 192u);
  std::set<std::string> texts;
  for (check_cell const& cell : cells) {
    texts.insert(std::string(name(cell.settings.mode)) + std::string(name(cell.settings.target)) +
                 std::string(name(cell.settings.call)));
    EXPECT_TRUE(cell.dialect.starts_with(name(cell.settings.target)));
    EXPECT_EQ(cell.settings.layout, workspace_layout::aligned);
  }
  EXPECT_EQ(texts.size(), 16u);
}

TEST(Matrix, HalfOfTheExternalStreamsAreBlockingInEveryPairOfSettings) {
  std::map<std::string, std::array<int, 2>> seen;
  for (check_cell const& cell : cells_of({})) {
    if (cell.stream.kind != stream_kind_of_run::external) {
      EXPECT_FALSE(cell.blocking_stream);
      continue;
    }
    std::array<std::string, 4> const parts{
        std::string(name(cell.settings.mode)), std::string(name(cell.settings.target)),
        std::string(name(cell.settings.call)), to_text(cell.schedule)};
    for (std::size_t a = 0; a < parts.size(); ++a)
      for (std::size_t b = a + 1; b < parts.size(); ++b)
        ++seen[parts[a] + " " + parts[b]][cell.blocking_stream ? 1 : 0];
  }
  EXPECT_EQ(seen.size(), 4u * 2 + 4 * 2 + 4 * 6 + 2 * 2 + 2 * 6 + 2 * 6);
  for (auto const& [pair, counts] : seen) EXPECT_EQ(counts[0], counts[1]) << pair;
}

TEST(Matrix, LeavesOutWhatSaysNothingNew) {
  check_matrix matrix;
  matrix.targets = {target::cpu};
  EXPECT_EQ(cells_of(matrix).size(), 8u)
      << "modes x calls: a host program has no stream and one schedule";
  matrix = {};
  matrix.layouts = {workspace_layout::packed, workspace_layout::aligned};
  matrix.workspaces = {workspace_size::exact, workspace_size::larger, workspace_size::shared};
  EXPECT_EQ(cells_of(matrix).size(), 3u * 48 + 6 * 48)
      << "layout and size count in external mode only";
}

TEST(Matrix, PairsADialectWithItsTarget) {
  check_matrix matrix;
  matrix.dialects = {"hip-6", "hip-7"};
  for (check_cell const& cell : cells_of(matrix)) EXPECT_EQ(cell.settings.target, target::hip);
  EXPECT_EQ(cells_of(matrix).size(), 192u);
}

TEST(Matrix, ReadsBackWhatItWritesOfASchedule) {
  for (char const* text : {"eager", "lazy", "random:18446744073709551615", "pct:7", "pct:7:2",
                           "exhaustive", "exhaustive:500", "replay:x01-9-abc"})
    EXPECT_EQ(to_text(parse_schedule(text)), text);
  EXPECT_EQ(error_text([] { static_cast<void>(parse_schedule("random")); }),
            "2: unknown schedule 'random'");
}

TEST(Matrix, ReadsSchedulesAndStreams) {
  auto const seeds = parse_schedules("random:3");
  ASSERT_EQ(seeds.size(), 3u);
  EXPECT_EQ(to_text(seeds[2]), "random:3");
  EXPECT_EQ(to_text(parse_run_stream("own:3")), "own:3");
  auto const deep = parse_schedules("pct:2:5");
  ASSERT_EQ(deep.size(), 2u);
  EXPECT_EQ(to_text(deep[1]), "pct:2:5");
  EXPECT_EQ(to_text(parse_schedules("exhaustive:500").front()), "exhaustive:500");
  for (char const* text : {"random:0", "random:4x", "random", "pct", "pct:0", "pct:1:0",
                           "pct:1:2:3", "eager:1", "lazy:", "exhaustive:0", "replay:e1-0-", ""})
    EXPECT_EQ(error_text([&] { static_cast<void>(parse_schedules(text)); }),
              "2: unknown schedule '" + std::string(text) +
                  "' (one of eager, lazy, random:N or pct:N[:DEPTH] with N from 1 to 10000, "
                  "exhaustive[:MOST_ORDERS])");
  EXPECT_EQ(error_text([] { static_cast<void>(parse_run_stream("own")); }),
            "2: unknown stream 'own' (one of default, external, own:N with N from 1 to 64)");
}

} // namespace
} // namespace assay
