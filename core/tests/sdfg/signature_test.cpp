#include "assay/sdfg.hpp"

#include "examples.hpp"
#include "failure.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace assay;
using test::example;
using test::failure_of;
using testing::ElementsAre;

std::vector<std::string> names(std::vector<sdfg::argument> const& arguments) {
  std::vector<std::string> result;
  for (auto const& a : arguments) result.push_back(a.name);
  return result;
}

TEST(Signature, EqualsTheArgumentListThatDaceComputedForEveryExample) {
  std::size_t arguments = 0;
  for (auto const* name : test::examples) {
    std::ifstream in(example(name).parent_path() / "case.json");
    auto const expected =
        nlohmann::json::parse(in).at("argument_order").get<std::vector<std::string>>();
    auto const signature = sdfg::signature_of(sdfg::read(example(name)));
    EXPECT_EQ(names(signature.arguments), expected) << name;
    arguments += expected.size();
  }
  EXPECT_GT(arguments, 80u);
}

TEST(Signature, PassesToInitTheFreeSymbolsButNoScalarContainers) {
  auto const signature = sdfg::signature_of(sdfg::read(example("axpy")));
  EXPECT_THAT(names(signature.arguments), ElementsAre("x", "y", "N", "a"));
  EXPECT_THAT(names(signature.init), ElementsAre("N"));
  EXPECT_FALSE(signature.arguments[0].is_symbol);
  EXPECT_EQ(signature.arguments[0].type.kind, sdfg::descriptor_kind::array);
  EXPECT_EQ(signature.arguments[0].type.type, dtype::float64);
  EXPECT_TRUE(signature.arguments[2].is_symbol);
  EXPECT_EQ(signature.arguments[2].type.kind, sdfg::descriptor_kind::scalar);
  EXPECT_FALSE(signature.arguments[3].is_symbol);
  EXPECT_EQ(signature.arguments[3].type.kind, sdfg::descriptor_kind::scalar);
}

TEST(Signature, CountsSymbolsOfInitAndExitCodeInCpp) {
  auto g = sdfg::read(example("axpy"));
  g.symbols.emplace("handle", dtype::int64);
  g.symbols.emplace("unused", dtype::int32);
  g.init_code["cuda"] = "// unused\nprint(\"unused\", handle);";
  auto const signature = sdfg::signature_of(g);
  EXPECT_THAT(names(signature.init), ElementsAre("N", "handle"));
  EXPECT_EQ(signature.init[1].type.type, dtype::int64);
  EXPECT_THAT(names(signature.arguments), ElementsAre("x", "y", "N", "a", "handle"));
}

TEST(Signature, RefusesASymbolThatIsNotDeclared) {
  auto g = sdfg::read(example("axpy"));
  g.symbols.erase("N");
  EXPECT_EQ(failure_of([&] { (void)sdfg::signature_of(g); }),
            "invalid: symbol 'N' is used but not declared");
}

} // namespace
