// Every kind of finding has a program that shows it: the faulty one has it, the cured one has none.
#include <algorithm>

#include <gmock/gmock.h>

#include "explanations/examples.hpp"
#include "mockgpu/findings.hpp"
#include "run/built_program.hpp"

namespace assay::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> all_kinds() {
  std::vector<std::string> kinds;
  for (std::string_view kind : mockgpu::finding_kinds()) kinds.emplace_back(kind);
  return kinds;
}

class Explain : public testing::TestWithParam<std::string> {};

TEST_P(Explain, ShowsAProgramThatHasTheFindingAndOneThatHasNot) {
  std::string const kind = GetParam();
  std::string const file = std::string(ASSAY_EXPLANATIONS) + "/" + kind + ".cu";
  ASSERT_FALSE(tool::example_of(kind).empty()) << "no program shows this kind";
  std::vector<std::string> options{"--schedule", "eager,lazy", "--devices",
                                   "2",          "--depth",    "threads"};
  if (kind == "superfluous-wait" || kind == "implicit-free-order") options.push_back("--advice");

  built_program const faulty(file);
  report const found = run_built(faulty, options);
  EXPECT_THAT(kinds_of(found), testing::Contains(kind)) << found.messages << found.json;

  built_program const cured(file, "mockgpu-nvcc", {"-DCURED"});
  report const silent = run_built(cured, options);
  EXPECT_THAT(kinds_of(silent), IsEmpty()) << silent.messages << silent.json;
  EXPECT_EQ(silent.exit_code, 0) << silent.messages << silent.json;
}

INSTANTIATE_TEST_SUITE_P(Kinds, Explain, testing::ValuesIn(all_kinds()),
                         [](testing::TestParamInfo<std::string> const& each) {
                           std::string name = each.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ExplainCommand, PrintsMeaningCureAndTheWholeProgram) {
  tool_result const result = run_tool({"explain", "leak"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.output, HasSubstr("Cure: Free it"));
  EXPECT_THAT(result.output, HasSubstr(std::string(tool::example_of("leak"))));
  EXPECT_TRUE(tool::example_of("no-kind").empty());
}

} // namespace
} // namespace assay::e2e
