// `assay size`: what workspaces need, against sums made by hand from the arrays of the programs.
#include <algorithm>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

using testing::HasSubstr;

nlohmann::json sizes(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "size");
  arguments.insert(arguments.end(), {"--format", "json"});
  tool_result const result = run_tool(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return nlohmann::json::parse(result.output);
}

// Four arrays of N doubles, of which three at most are live at once; the last is not rounded up.
TEST(Size, CountsTheBytesOfEveryLayout) {
  auto const seen = sizes({program_of("multistream"), "--set", "N=100"}).at("sizes").at(0);
  EXPECT_EQ(seen.at("storage"), "GPU_Global");
  EXPECT_EQ(seen.at("bytes").at("packed"), 4 * 800);
  EXPECT_EQ(seen.at("bytes").at("aligned"), 3 * 1024 + 800);
  EXPECT_EQ(seen.at("bytes").at("reuse"), 2 * 1024 + 800);
  EXPECT_EQ(seen.at("live_bytes"), 3 * 800);
}

/// Of one storage of a program: how much smaller `reuse` is than `aligned`, in percent.
std::int64_t percent_saved(nlohmann::json const& row) {
  auto const& bytes = row.at("bytes");
  auto const aligned = bytes.at("aligned").get<std::int64_t>();
  return (aligned - bytes.at("reuse").get<std::int64_t>()) * 100 / aligned;
}

TEST(Size, ReuseNeedsAFifthLessThanAlignedWhereARealProgramHasStages) {
  auto const seen =
      sizes({program_of("smagorinsky"), program_of("rk3_advection"), program_of("multistream"),
             "--set", "N=64", "--set", "M=64", "--set", "K=65"})
          .at("sizes");
  ASSERT_EQ(seen.size(), 3u);
  for (auto const& row : seen) {
    EXPECT_GE(percent_saved(row), 20) << row;
    EXPECT_GE(row.at("bytes").at("reuse"), row.at("live_bytes")) << row;
    EXPECT_LE(row.at("bytes").at("reuse"), row.at("live_bytes").get<std::int64_t>() + 3 * 256)
        << row;
  }
}

// Twin: all three arrays meet in the kernel of the second flux, whatever the order.
TEST(Size, ReuseNeedsAsMuchAsAlignedWhereAllArraysMeet) {
  auto const seen =
      sizes({program_of("hdiff"), "--set", "N=64", "--set", "M=64", "--set", "K=65"}).at("sizes");
  EXPECT_EQ(percent_saved(seen.at(0)), 0);
  EXPECT_EQ(seen.at(0).at("bytes").at("packed"), seen.at(0).at("live_bytes"));
}

TEST(Size, FindsTheSlabThatServesEveryProgramAndSize) {
  auto const seen = sizes({program_of("multistream"), program_of("hdiff"), "--set", "N=64", "--set",
                           "M=20", "--set", "K=65,90,80"});
  ASSERT_EQ(seen.at("sizes").size(), 1u + 3u);
  for (char const* layout : {"packed", "aligned", "reuse"}) {
    std::uint64_t largest = 0;
    for (auto const& row : seen.at("sizes"))
      largest = std::max(largest, row.at("bytes").at(layout).get<std::uint64_t>());
    EXPECT_EQ(seen.at("slab").at("GPU_Global").at(layout), largest) << layout;
    EXPECT_GT(largest, std::uint64_t{8} * 90 * 20 * 64) << "one array alone";
  }
}

TEST(Size, PrintsAFormulaWhereSymbolsHaveNoValue) {
  tool_result const result = run_tool({"size", program_of("multistream")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("GPU_Global packed: 32 * Max(0, N)\n"));
}

TEST(Size, RefusesASymbolThatIsNoNumber) {
  tool_result const result = run_tool({"size", program_of("hdiff"), "--set", "N=x"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "assay: error: --set N=x: wanted is NAME=INTEGER[,INTEGER...]\n");
}

} // namespace
} // namespace assay::e2e
