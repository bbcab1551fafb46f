// What references may stand for, and what is refused of them.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "assay/plan.hpp"

namespace assay::plan {
namespace {

using json = nlohmann::json;

json program_file() {
  std::ifstream in(ASSAY_EXAMPLES "/../tests/constructs/references/program.sdfg");
  return json::parse(in);
}

/// A state at the top, or right inside a loop.
json& state(json& program, std::string const& label) {
  for (json& block : program.at("nodes")) {
    if (block.at("label") == label) return block;
    if (block.at("type") == "LoopRegion")
      for (json& inner : block.at("nodes"))
        if (inner.at("label") == label) return inner;
  }
  throw std::runtime_error("no state " + label);
}

/// An access node of a container, connected to nothing.
json access(std::string const& container) {
  return {{"type", "AccessNode"}, {"label", container}, {"attributes", {{"data", container}}}};
}

/// The plan as text, or why there is none.
std::string lowered(json const& program) {
  settings chosen;
  chosen.target = target::cuda;
  try {
    return to_text(lower(sdfg::read_text(program.dump()), chosen));
  } catch (error const& failure) {
    return failure.what();
  }
}

TEST(References, StandForWhatTheirSetEdgesSay) {
  std::string const text = lowered(program_file());
  for (char const* part : {"either_choice = 0", "either_choice = 1", "either_choice == 0",
                           "either_choice == 1", "column_start = k"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(References, ThatNothingSetsAreRefused) {
  json program = program_file();
  for (json& edge : state(program, "choose").at("edges")) edge.at("dst_connector") = nullptr;
  EXPECT_EQ(lowered(program), "reference 'column' that nothing sets");
}

TEST(References, ToElementsOfAnotherTypeAreRefused) {
  json program = program_file();
  program.at("attributes").at("_arrays").at("column").at("attributes").at("dtype") = "float32";
  EXPECT_EQ(lowered(program), "reference 'column' to 'A' as another type");
}

TEST(References, ThatOneStateSetsTwiceAreRefused) {
  json program = program_file();
  json& left = state(program, "left");
  json again = left.at("edges").at(0);
  again.at("dst") = std::to_string(left.at("nodes").size());
  left.at("nodes").push_back(access("either"));
  left.at("edges").push_back(again);
  EXPECT_EQ(lowered(program), "reference 'either' that one state sets twice");
}

TEST(References, UsedInNoOrderWithTheirSetEdgeAreRefused) {
  json program = program_file();
  state(program, "left").at("nodes").push_back(access("either"));
  EXPECT_EQ(lowered(program), "reference 'either' used in no order with where its state sets it");
}

TEST(References, ThatAMapSetsAreRefusedOutsideOfIt) {
  json program = program_file();
  state(program, "after").at("nodes").push_back(access("row"));
  EXPECT_EQ(lowered(program), "reference 'row' that a map sets and code outside of it uses");
}

TEST(References, OfSeveralContainersAreRefusedInControlFlow) {
  json program = program_file();
  for (json& edge : program.at("edges"))
    if (auto& assignments = edge.at("attributes").at("data").at("attributes")["assignments"];
        assignments.is_object() && assignments.contains("k"))
      assignments.at("k") = "either[0]";
  EXPECT_EQ(lowered(program), "control flow that reads the reference 'either', which stands for "
                              "several containers");
}

/// The program with `more` references that are set and used like `either`.
json with_references(int more) {
  json program = program_file();
  json& arrays = program.at("attributes").at("_arrays");
  for (int i = 0; i < more; ++i) {
    std::string const name = "either_" + std::to_string(i);
    arrays[name] = arrays.at("either");
    for (char const* const side : {"left", "right"}) {
      json& setting = state(program, side);
      json again = setting.at("edges").at(0);
      again.at("dst") = std::to_string(setting.at("nodes").size());
      setting.at("nodes").push_back(access(name));
      setting.at("edges").push_back(again);
    }
    state(program, "use").at("nodes").push_back(access(name));
  }
  return program;
}

TEST(References, OfOneStateHaveNoMoreThan64Combinations) {
  EXPECT_NE(lowered(with_references(5)).find("either_4_choice == 1"), std::string::npos);
  EXPECT_EQ(lowered(with_references(6)),
            "references in one state that stand for more than 64 combinations of containers");
}

TEST(References, OfSeveralContainersAreRefusedBesideNestedTransients) {
  json program = program_file();
  json node;
  for (json const& one : state(program, "rows").at("nodes"))
    if (one.at("type") == "NestedSDFG") node = one;
  json& attributes = node.at("attributes");
  attributes.at("in_connectors") = attributes.at("out_connectors") = json::object();
  for (json& array : attributes.at("sdfg").at("attributes").at("_arrays"))
    array.at("attributes")["transient"] = true;
  node["scope_entry"] = nullptr;
  json alone = program; // twin: where nothing is chosen
  state(alone, "after").at("nodes").push_back(node);
  EXPECT_EQ(lowered(alone).find("in a state whose nested SDFG"), std::string::npos);
  state(program, "use").at("nodes").push_back(node);
  EXPECT_EQ(lowered(program), "reference 'either', which stands for several containers, in a state "
                              "whose nested SDFG has transients");
}

} // namespace
} // namespace assay::plan
