// One small program for each construct of the format, with results made by numpy: right in every
// memory mode, and seen to be wrong where it is.
#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;

std::string folder_of(std::string const& construct) { return "../tests/constructs/" + construct; }

struct Constructs : testing::TestWithParam<char const*> {};

TEST_P(Constructs, GiveTheExpectedResultsInFourModesOnBothVendors) {
  report const seen =
      check_example(folder_of(GetParam()), {"--target", "cuda,hip", "--mode", "all", "--stream",
                                            "external", "--call", "async", "--schedule", "lazy"});
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  EXPECT_EQ(seen.applied().size(), 8u);
  for (auto const& run : seen.applied()) {
    EXPECT_EQ(run.at("outputs"), "equal") << name_of(run);
    EXPECT_EQ(run.at("findings").size(), 0u) << name_of(run) << run.at("findings");
    EXPECT_GT(run.at("accesses").get<int>(), 50) << name_of(run);
  }
}
INSTANTIATE_TEST_SUITE_P(All, Constructs,
                         testing::Values("block_sums", "dynamic_ranges", "function_results",
                                         "long_maps", "loop_after_copies", "matrix_products",
                                         "number_types", "pairs_and_constants", "product_nodes",
                                         "python_tasklets", "reductions", "references",
                                         "reference_writes", "returns", "shared_tiles",
                                         "sized_arrays", "strided_copies", "state_jumps",
                                         "state_machine", "tensor_products", "thread_blocks",
                                         "values_through_maps", "views"),
                         [](auto const& which) { return std::string(which.param); });

TEST(ReferenceWrites, OrderTheKernelsOfOtherStreamsThatReadTheArray) {
  report const seen = check_example(folder_of("reference_writes"),
                                    {"--mode", "scoped", "--target", "cuda", "--stream",
                                     "own:2,own:3", "--call", "async", "--schedule", "eager,lazy"});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages << seen.json.dump(1);
  EXPECT_EQ(seen.applied().size(), 4u);
}

/// One cell with every access of every thread compared.
std::vector<std::string> threads_of_a_block(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--mode", "scoped", "--target", "cuda", "--stream", "default", "--call",
                           "async", "--schedule", "eager", "--depth", "threads"});
  return more;
}

struct ThreadBlocks : testing::TestWithParam<char const*> {};

TEST_P(ThreadBlocks, AreSilentWithTheirBarriersAndRaceWithoutTheFirst) {
  report const sound = check_example(folder_of(GetParam()), threads_of_a_block());
  EXPECT_EQ(sound.exit_code, 0) << sound.messages << sound.json.dump(1);
  ASSERT_EQ(sound.applied().size(), 1u);
  EXPECT_GT(sound.applied().front().at("accesses").get<int>(), 50);
  report const faulty =
      check_example(folder_of(GetParam()), threads_of_a_block({"--plant", "drop-barrier"}));
  EXPECT_EQ(faulty.exit_code, 1) << faulty.messages;
  ASSERT_EQ(faulty.applied().size(), 1u);
  EXPECT_TRUE(has_kind(faulty.applied().front(), "thread-race")) << faulty.json.dump(1);
}
INSTANTIATE_TEST_SUITE_P(All, ThreadBlocks, testing::Values("block_sums", "shared_tiles"),
                         [](auto const& which) { return std::string(which.param); });

TEST(Construct, WithAnotherResultThanExpectedIsReported) {
  scratch const copy;
  fs::copy(ASSAY_EXAMPLES "/../tests/constructs/views", copy.path, fs::copy_options::recursive);
  fs::copy_file(copy.path / "in" / "B.npy", copy.path / "expect" / "B.npy",
                fs::copy_options::overwrite_existing);
  tool_result const result =
      run_tool({"check", (copy.path / "program.sdfg").string(), "--case",
                (copy.path / "case.json").string(), "--mode", "pool", "--target", "cuda",
                "--schedule", "lazy", "--call", "async", "--stream", "external", "--quiet"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, testing::HasSubstr("wrong result: B[0, 0]: "));
}

} // namespace
} // namespace assay::e2e
