#include "assay/sdfg.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace assay;
using test::failure_of;

constexpr std::array examples{"axpy",    "condscalar", "copiesd2d", "copiesh2d",   "gt_nabla",
                              "gt_scan", "hdiff",      "jacobi2d",  "multistream", "whileconv"};

std::filesystem::path example(std::string_view name) {
  return std::filesystem::path(ASSAY_EXAMPLES) / name / "program.sdfg";
}

TEST(Reader, ReadsEveryExample) {
  for (auto const* name : examples) {
    auto const g = sdfg::read(example(name));
    EXPECT_TRUE(g.name.ends_with(name)) << g.name;
    EXPECT_FALSE(g.root.blocks.empty());
    EXPECT_FALSE(g.arrays.empty());
  }
}

} // namespace
