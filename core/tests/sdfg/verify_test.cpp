#include "assay/sdfg.hpp"

#include "examples.hpp"
#include "failure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::example;
using test::failure_of;

TEST(Verifier, AcceptsEveryExample) {
  for (auto const* name : test::examples)
    EXPECT_EQ(failure_of([&] { sdfg::verify(sdfg::read(example(name))); }), "no error") << name;
}

} // namespace
