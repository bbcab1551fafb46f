#include "assay/structure_type.hpp"

#include "failure.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::failure_of;

struct pair_of_float {
  int idx;
  float val;
};
struct pair_of_double {
  int idx;
  double val;
};
struct three {
  signed char a;
  short b;
  signed char c;
};

dtype pair_with(dtype value) {
  return structure_type("pair", {{"idx", dtype::int32}, {"val", value}});
}

TEST(StructureType, HasTheSizeThatCppGivesIt) {
  EXPECT_EQ(size_bytes(pair_with(dtype::float32)), sizeof(pair_of_float));
  EXPECT_EQ(size_bytes(pair_with(dtype::float64)), sizeof(pair_of_double));
  EXPECT_EQ(size_bytes(structure_type(
                "three", {{"a", dtype::int8}, {"b", dtype::int16}, {"c", dtype::int8}})),
            sizeof(three));
  EXPECT_EQ(size_bytes(pair_with(dtype::complex128)), 24u);
}

TEST(StructureType, IsOneForEqualFieldsAndAnotherForOthers) {
  EXPECT_EQ(pair_with(dtype::float32), pair_with(dtype::float32));
  EXPECT_NE(pair_with(dtype::float32), pair_with(dtype::float64));
  EXPECT_EQ(name(pair_with(dtype::float32)), name(pair_with(dtype::float64)));
  EXPECT_NE(cpp_name(pair_with(dtype::float32)), cpp_name(pair_with(dtype::float64)));
  EXPECT_TRUE(is_structure(pair_with(dtype::float32)));
  EXPECT_FALSE(is_structure(dtype::complex128));
  EXPECT_TRUE(fields_of(dtype::float64).empty());
  ASSERT_EQ(fields_of(pair_with(dtype::float64)).size(), 2u);
  EXPECT_EQ(fields_of(pair_with(dtype::float64))[1].type, dtype::float64);
}

TEST(StructureType, IsDefinedWhereItIsNamed) {
  auto const text = std::string(cpp_name(pair_with(dtype::float32))) + " x;";
  EXPECT_EQ(structure_definitions(text),
            "struct pair_idx_int32_val_float32 { int idx; float val; };\n");
  EXPECT_EQ(structure_definitions("double x;"), "");
}

TEST(StructureType, RefusesWhatItCannotHold) {
  static_cast<void>(structure_type("a", {{"b", dtype::int32}, {"c", dtype::int8}}));
  EXPECT_EQ(failure_of([] {
              (void)structure_type("a_b_int32", {{"c", dtype::int8}});
            }),
            "unsupported: structures 'a' and 'a_b_int32' whose names and fields read the same");
  EXPECT_EQ(failure_of([] { (void)structure_type("none", {}); }),
            "invalid: structure 'none' has no fields");
  EXPECT_EQ(failure_of([] {
              (void)structure_type("outer", {{"in", pair_with(dtype::float32)}});
            }),
            "unsupported: structure 'outer' holds another structure");
}

} // namespace
