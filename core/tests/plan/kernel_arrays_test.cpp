// Arrays of one thread whose size is no constant.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "assay/error.hpp"
#include "assay/plan.hpp"

namespace assay::plan {
namespace {

std::string program_text() {
  std::ifstream in(ASSAY_EXAMPLES "/../tests/constructs/sized_arrays/program.sdfg");
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The size of the first array of a thread that is no constant, or why there is none.
std::string size_in_kernel(std::string const& text) {
  settings chosen;
  chosen.target = target::cuda;
  try {
    auto const lowered = lower(sdfg::read_text(text), chosen);
    for (auto const& kernel : lowered.kernels)
      for (auto const& statement : kernel.body)
        if (auto const* scope = std::get_if<compute_scope>(&statement.content))
          for (auto const& inner : scope->body)
            if (auto const* local = std::get_if<declare_local>(&inner.content))
              if (local->element_count && (*local->element_count)->kind != expression_kind::integer)
                return to_text(*local->element_count);
    return "none";
  } catch (error const& failure) {
    return failure.what();
  }
}

TEST(KernelArrays, HaveASizeThatTheCallerGives) { EXPECT_EQ(size_in_kernel(program_text()), "M"); }

TEST(KernelArrays, HaveNoSizeThatTheKernelAssignsLater) {
  auto text = program_text();
  auto const begin = text.find("\"row\": {");
  ASSERT_NE(begin, std::string::npos);
  auto const end = text.find("\"storage\"", begin);
  ASSERT_NE(end, std::string::npos);
  std::size_t replaced = 0;
  for (auto at = text.find("$M", begin); at < end; at = text.find("$M", at + 1), ++replaced)
    text.replace(at, 2, "$j");
  ASSERT_GT(replaced, 1u);
  EXPECT_EQ(size_in_kernel(text),
            "container 'row' inside a kernel has a size that is not constant");
}

} // namespace
} // namespace assay::plan
