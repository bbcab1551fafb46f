#include "assay/sdfg.hpp"

#include "examples.hpp"
#include "failure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::failure_of;

using test::example;
using test::examples;

TEST(Reader, ReadsEveryExample) {
  for (auto const* name : examples) {
    auto const g = sdfg::read(example(name));
    EXPECT_TRUE(g.name.ends_with(name)) << g.name;
    EXPECT_FALSE(g.root.blocks.empty());
    EXPECT_FALSE(g.arrays.empty());
  }
}

} // namespace
