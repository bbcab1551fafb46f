#include "assay/sdfg.hpp"

#include "examples.hpp"
#include "failure.hpp"
#include "small_program.hpp"

#include <gtest/gtest.h>

namespace {

using namespace assay;
using test::at;
using test::example;
using test::failure_of;
using test::json;
using test::small_program;

/// What verify says of the small program after one edit.
template <typename Edit> std::string broken(Edit edit) {
  auto program = small_program();
  edit(program);
  auto const text = program.dump();
  auto const graph =
      sdfg::read_text(text); // the rules below are those of verify, not of the reader
  return failure_of([&] { sdfg::verify(graph); });
}

/// The same, for an edit that replaces the value at one pointer.
std::string with(std::string const& pointer, json value) {
  return broken([&](json& program) { at(program, pointer) = std::move(value); });
}

std::string const work = "/nodes/0", call = "/nodes/1/nodes/0/branches/0/1/nodes/0";
std::string const map_entry = work + "/nodes/1", tasklet = work + "/nodes/2",
                  inner = call + "/nodes/0";

TEST(Verifier, AcceptsEveryExample) {
  for (auto const* name : test::examples)
    EXPECT_EQ(failure_of([&] { sdfg::verify(sdfg::read(example(name))); }), "no error") << name;
}

TEST(Verifier, AcceptsTheSmallProgram) {
  EXPECT_EQ(broken([](json&) {}), "no error");
}

TEST(Verifier, DemandsIdentifiers) {
  EXPECT_EQ(with("/attributes/name", "a b"), "invalid: SDFG name 'a b' is no C++ identifier");
  EXPECT_EQ(with("/attributes/name", "x\"); system(\"true"),
            "invalid: SDFG name 'x\"); system(\"true' is no C++ identifier");
  EXPECT_EQ(with("/attributes/name", "new"), "invalid: SDFG name 'new' is no C++ identifier");
  EXPECT_EQ(with("/attributes/name", ""), "invalid: SDFG name '' is no C++ identifier");
  EXPECT_EQ(with("/attributes/name", "9a"), "invalid: SDFG name '9a' is no C++ identifier");
  EXPECT_EQ(with("/attributes/name", "\xC3\xA9"),
            "invalid: SDFG name '\xC3\xA9' is no C++ identifier");
  EXPECT_EQ(with("/attributes/symbols/a-b", "int32"),
            "invalid: symbol name 'a-b' is no C++ identifier");
  EXPECT_EQ(with("/attributes/_arrays/X;", small_program()["attributes"]["_arrays"]["A"]),
            "invalid: container name 'X;' is no C++ identifier at /attributes/_arrays/X;");
  EXPECT_EQ(with(map_entry + "/attributes/params/0", "i\n"),
            "invalid: map parameter 'i\\n' is no C++ identifier at /nodes/0/nodes/1");
  EXPECT_EQ(with("/nodes/1/attributes/loop_variable", "n+"),
            "invalid: loop variable 'n+' is no C++ identifier at /nodes/1");
  EXPECT_EQ(with("/edges/1/attributes/data/attributes/assignments", {{"1r", "2"}}),
            "invalid: assigned symbol '1r' is no C++ identifier at /edges/1");
  EXPECT_EQ(with(inner + "/attributes/symbol_mapping/a.b", "1"),
            "invalid: mapped symbol 'a.b' is no C++ identifier at " + inner);
  EXPECT_EQ(with(tasklet + "/attributes/in_connectors/x y", nullptr),
            "invalid: connector 'x y' is no C++ identifier at /nodes/0/nodes/2");
}

TEST(Verifier, DemandsDefinedSymbols) {
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/shape/0", "$Q"),
            "invalid: container 'A' uses the undefined symbol 'Q' at /attributes/_arrays/A");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/total_size", "$Q"),
            "invalid: container 'A' uses the undefined symbol 'Q' at /attributes/_arrays/A");
  EXPECT_EQ(with(map_entry + "/attributes/range/ranges/0/end", "$i"),
            "invalid: map 'm' uses the undefined symbol 'i' at /nodes/0/nodes/1");
  EXPECT_EQ(with(tasklet + "/attributes/code/string_data", "y = x * j"),
            "invalid: tasklet 't' uses the undefined name 'j' at /nodes/0/nodes/2");
  EXPECT_EQ(with(tasklet + "/attributes/code/string_data", "j = x\ny = j * i"), "no error");
  EXPECT_EQ(with(tasklet + "/attributes/code/string_data", "if threadIdx.x == 0:\n  y = x"),
            "unsupported: tasklet 't' asks for the kernel's 'threadIdx' itself at /nodes/0/nodes/2")
      << "what DaCe's reductions within a block do";
  EXPECT_EQ(with(tasklet + "/attributes/code/string_data", "threadIdx = x\ny = threadIdx"),
            "no error");
  EXPECT_EQ(with("/nodes/0/edges/3/attributes/data/attributes/subset/ranges/0/end", "$i"),
            "unsupported: memlet of 'B' on the edge from 'm' to 'B' is bounded by the undefined "
            "symbol 'i' at /nodes/0/edges/3")
      << "DaCe accepts it";
  EXPECT_EQ(with("/nodes/0/edges/1/attributes/data/attributes/subset/ranges/0/start", "$z"),
            "invalid: memlet of 'A' on the edge from 'm' to 't' uses the undefined symbol 'z' at "
            "/nodes/0/edges/1")
      << "what the code itself touches";
  EXPECT_EQ(with("/nodes/2/edges/0/attributes/data/attributes/other_subset/ranges/0/start", "$z"),
            "invalid: memlet of 'B' on the edge from 'B' to 'C' uses the undefined symbol 'z' at "
            "/nodes/2/edges/0");
  EXPECT_EQ(with("/nodes/1/attributes/loop_condition/string_data", "n < Q"),
            "invalid: loop 'loop' uses the undefined symbol 'Q' at /nodes/1");
  EXPECT_EQ(
      with("/nodes/1/nodes/0/branches/0/0/string_data", "Q > 1"),
      "invalid: conditional block 'choose' uses the undefined symbol 'Q' at /nodes/1/nodes/0");
  EXPECT_EQ(with("/edges/0/attributes/data/attributes/assignments/r", "Q"),
            "invalid: value assigned to 'r' uses the undefined symbol 'Q' at /edges/0");
  EXPECT_EQ(with(inner + "/attributes/symbol_mapping/K", "$Q"),
            "invalid: value of 'K' in nested SDFG 'inner' uses the undefined symbol 'Q' at " +
                inner);
  EXPECT_EQ(broken([](json& p) { at(p, "/attributes/symbols").erase("M"); }),
            "invalid: value assigned to 'r' uses the undefined symbol 'M' at /edges/0");
  EXPECT_EQ(with("/edges/0/attributes/data/attributes/assignments", {{"q", "q + 1"}, {"r", "1"}}),
            "invalid: symbol 'q' is used before it has a value");
}

TEST(Verifier, DemandsSoundContainers) {
  EXPECT_EQ(with("/attributes/_arrays/C/attributes/strides", json::array({"1"})),
            "invalid: container 'C' has 2 dimensions and 1 strides at /attributes/_arrays/C");
  EXPECT_EQ(with("/attributes/_arrays/C/attributes/offset", json::array({"0"})),
            "invalid: container 'C' has 2 dimensions and 1 offsets at /attributes/_arrays/C");
  EXPECT_EQ(with("/attributes/_arrays/C/attributes/offset", json::array({"0", "0", "1"})),
            "invalid: container 'C' has 2 dimensions and 3 offsets at /attributes/_arrays/C");
  EXPECT_EQ(with("/attributes/_arrays/C/attributes/offset", json::array({"0", "0", "0"})),
            "no error")
      << "of dimensions that a transformation dropped";
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/shape/0", "-3"),
            "invalid: container 'A' has the negative extent -3 at /attributes/_arrays/A");
  EXPECT_EQ(with("/attributes/symbols/A", "int32"),
            "invalid: 'A' is a container and a symbol at /attributes/_arrays/A");
  auto const in_register = [](std::string const& lifetime) {
    return broken([&](json& p) {
      at(p, "/attributes/_arrays/B/attributes/storage") = "Register";
      at(p, "/attributes/_arrays/B/attributes/lifetime") = lifetime;
    });
  };
  EXPECT_EQ(in_register("External"), "invalid: container 'B' is in a register and has the lifetime "
                                     "External at /attributes/_arrays/B");
  EXPECT_EQ(in_register("Persistent"), "invalid: container 'B' is in a register and has the "
                                       "lifetime Persistent at /attributes/_arrays/B");
  EXPECT_EQ(in_register("SDFG"), "no error");
}

TEST(Verifier, RefusesAContainerThatExistsTwice) {
  auto g = sdfg::read(example("axpy"));
  g.arrays.push_back(g.arrays.front());
  EXPECT_EQ(failure_of([&] { sdfg::verify(g); }), "invalid: container '" + g.arrays.front().first +
                                                      "' exists twice at " +
                                                      g.arrays.front().second.place);
}

TEST(Verifier, DemandsSoundControlFlow) {
  EXPECT_EQ(with("/edges/0/attributes/data/attributes/assignments/flag", "1"),
            "invalid: edge between blocks assigns to the container 'flag' at /edges/0");
  EXPECT_EQ(
      with("/nodes/1/nodes/0/branches/0/0/string_data", "C[n] > 0"),
      "invalid: conditional block 'choose' reads container 'C' of 2 dimensions with 1 indices at "
      "/nodes/1/nodes/0");
  EXPECT_EQ(with("/nodes/1/attributes/init_statement/string_data", "A[0] = 1"),
            "unsupported: loop 'loop' may only assign to symbols in its head at /nodes/1");
  EXPECT_EQ(with("/nodes/1/nodes/0/branches/0/0", nullptr),
            "invalid: conditional block 'choose' has a branch after 'else' at /nodes/1/nodes/0");
  EXPECT_EQ(broken([](json& p) {
              p["nodes"].push_back({{"type", "BreakBlock"}, {"label", "b"}});
            }),
            "invalid: 'break' stands outside of every loop at /nodes/3");
  EXPECT_EQ(broken([](json& p) {
              p["nodes"].push_back({{"type", "ContinueBlock"}, {"label", "b"}});
            }),
            "invalid: 'continue' stands outside of every loop at /nodes/3");
  EXPECT_EQ(broken([](json& p) {
              p["nodes"].push_back({{"type", "ReturnBlock"}, {"label", "b"}});
            }),
            "no error");
}

TEST(Verifier, DemandsWellFormedScopes) {
  EXPECT_EQ(with(tasklet + "/scope_entry", "0"),
            "invalid: scope of node 't' begins at a node that is no entry at /nodes/0/nodes/2");
  EXPECT_EQ(with(map_entry + "/scope_exit", nullptr),
            "invalid: map entry 'm' has no exit at /nodes/0/nodes/1");
  EXPECT_EQ(with(map_entry + "/scope_exit", "2"),
            "invalid: map entry 'm' has no exit at /nodes/0/nodes/1");
  EXPECT_EQ(broken([](json& p) {
              auto exit = at(p, "/nodes/0/nodes/3");
              exit["scope_entry"] = nullptr;
              at(p, "/nodes/0/nodes").push_back(std::move(exit));
            }),
            "invalid: map exit 'm' has no entry at /nodes/0/nodes/5");
  EXPECT_EQ(with(map_entry + "/scope_entry", "1"),
            "invalid: scope of node 'm' lies within itself at /nodes/0/nodes/1");
  EXPECT_EQ(with(tasklet + "/scope_entry", nullptr),
            "invalid: edge from 'm' to 't' crosses the border of a scope at /nodes/0/edges/1");
  EXPECT_EQ(broken([](json& p) {
              auto edge = at(p, "/nodes/0/edges/0");
              edge["src"] = "4";
              edge["dst"] = "0";
              edge["dst_connector"] = nullptr;
              at(p, "/nodes/0/edges").push_back(std::move(edge));
            }),
            "invalid: dataflow of state 'work' has a cycle at /nodes/0");
}

TEST(Verifier, DemandsMatchingConnectors) {
  EXPECT_EQ(with(work + "/edges/1/dst_connector", "z"),
            "invalid: edge from 'm' to 't': node 't' has no in-connector 'z' at /nodes/0/edges/1");
  EXPECT_EQ(with(work + "/edges/2/src_connector", "z"),
            "invalid: edge from 't' to 'm': node 't' has no out-connector 'z' at /nodes/0/edges/2");
  EXPECT_EQ(
      with(work + "/edges/0/src_connector", "z"),
      "invalid: edge from 'A' to 'm': access node 'A' has no connector 'z' at /nodes/0/edges/0");
  EXPECT_EQ(with(work + "/edges/1/dst_connector", nullptr),
            "invalid: edge from 'm' to 't': data 'A' enters node 't' without a connector at "
            "/nodes/0/edges/1");
  EXPECT_EQ(with(work + "/edges/2/src_connector", nullptr),
            "invalid: edge from 't' to 'm': data 'B' leaves node 't' without a connector at "
            "/nodes/0/edges/2");
  EXPECT_EQ(with(work + "/edges/1/attributes/data/attributes", json::object()),
            "invalid: edge from 'm' to 't': connector 'x' of node 't' carries no data at "
            "/nodes/0/edges/1");
  EXPECT_EQ(with(tasklet + "/attributes/in_connectors/z", nullptr),
            "invalid: in-connector 'z' of node 't' has 0 edges, not one at /nodes/0/nodes/2");
  EXPECT_EQ(with(tasklet + "/attributes/out_connectors/z", nullptr),
            "invalid: out-connector 'z' of node 't' has no edge at /nodes/0/nodes/2");
  EXPECT_EQ(broken([](json& p) {
              auto edge = at(p, "/nodes/0/edges/1");
              at(p, "/nodes/0/edges").push_back(std::move(edge));
            }),
            "invalid: in-connector 'x' of node 't' has 2 edges, not one at /nodes/0/nodes/2");
  EXPECT_EQ(with(tasklet + "/attributes/in_connectors", json::array({"x", "x"})),
            "invalid: connector 'x' of node 't' exists twice at /nodes/0/nodes/2");
  EXPECT_EQ(broken([](json& p) {
              at(p, map_entry + "/attributes/out_connectors") = {{"OUT_Z", nullptr}};
              at(p, "/nodes/0/edges/1/src_connector") = "OUT_Z";
            }),
            "invalid: out-connector 'OUT_Z' of node 'm' has no in-connector to match at "
            "/nodes/0/nodes/1");
}

TEST(Verifier, RefusesValuesThatGoFromTaskletToTasklet) { // twin: AcceptsTheSmallProgram
  EXPECT_EQ(broken([](json& p) {
              auto& nodes = at(p, work + "/nodes");
              auto& edges = at(p, work + "/edges");
              auto second = nodes[2];
              second["id"] = 5;
              nodes.push_back(std::move(second));
              auto last = edges[2];
              last["src"] = "5";
              edges.push_back(std::move(last));
              edges[2]["dst"] = "5";
              edges[2]["dst_connector"] = "x";
              edges[2]["attributes"]["data"]["attributes"] = json::object();
            }),
            "unsupported: edge from 't' to 't': connector 'y' of node 't' carries no data at "
            "/nodes/0/edges/2");
}

TEST(Verifier, LetsAnExitGatherWhatSeveralEdgesBring) { // twin: DemandsMatchingConnectors
  EXPECT_EQ(broken([](json& p) {
              auto edge = at(p, "/nodes/0/edges/2");
              at(p, "/nodes/0/edges").push_back(std::move(edge));
            }),
            "no error");
}

TEST(Verifier, DemandsSoundMaps) {
  EXPECT_EQ(with(map_entry + "/attributes/params", json::array()),
            "invalid: map 'm' has no parameters at /nodes/0/nodes/1");
  EXPECT_EQ(with(map_entry + "/attributes/params", json::array({"i", "j"})),
            "invalid: map 'm' has 2 parameters and 1 ranges at /nodes/0/nodes/1");
  EXPECT_EQ(broken([](json& p) {
              auto& ranges = at(p, map_entry + "/attributes/range/ranges");
              ranges.push_back(json(ranges[0]));
              at(p, map_entry + "/attributes/params") = json::array({"i", "i"});
            }),
            "invalid: map 'm' has the parameter 'i' twice at /nodes/0/nodes/1");
  EXPECT_EQ(with(map_entry + "/attributes/gpu_block_size", json::array({32, 0, 1})),
            "invalid: map 'm' has a block of 0 threads at /nodes/0/nodes/1");
  EXPECT_EQ(with(map_entry + "/attributes/gpu_block_size", json::array({1, 1, 1, 1})),
            "invalid: map 'm' has a block of 4 dimensions at /nodes/0/nodes/1");
  EXPECT_EQ(with(map_entry + "/attributes/range/ranges/0/step", "0"),
            "invalid: map 'm' has a range with step zero at /nodes/0/nodes/1");
}

TEST(Verifier, AcceptsADynamicMapInputInItsRange) {
  auto const dynamic = [](std::string const& name) {
    return broken([&](json& p) {
      at(p, map_entry + "/attributes/in_connectors/" + name) = nullptr;
      at(p, map_entry + "/attributes/range/ranges/0/end") = "$count";
      at(p, "/nodes/0/nodes")
          .push_back(json::parse(
              R"({"type": "AccessNode", "label": "flag", "id": 5, "attributes": {"data": "flag"}})"));
      auto edge = at(p, "/nodes/0/edges/0");
      edge["src"] = "5";
      edge["dst_connector"] = name;
      edge["attributes"]["data"]["attributes"] = {{"data", "flag"}};
      at(p, "/nodes/0/edges").push_back(std::move(edge));
    });
  };
  EXPECT_EQ(dynamic("count"), "no error");
  EXPECT_EQ(dynamic("other"),
            "invalid: map 'm' uses the undefined symbol 'count' at /nodes/0/nodes/1");
}

TEST(Verifier, DemandsSoundMemlets) {
  EXPECT_EQ(
      with("/nodes/0/nodes/0/attributes/data", "Z"),
      "invalid: access node names the container 'Z', which does not exist at /nodes/0/nodes/0");
  EXPECT_EQ(
      with("/nodes/0/edges/1/attributes/data/attributes/data", "Z"),
      "invalid: memlet of 'Z' on the edge from 'm' to 't' names a container that does not exist at "
      "/nodes/0/edges/1");
  EXPECT_EQ(
      with("/nodes/0/edges/1/attributes/data/attributes/data", "C"),
      "invalid: memlet of 'C' on the edge from 'm' to 't' has 1 dimensions, the container has 2 at "
      "/nodes/0/edges/1");
  EXPECT_EQ(with("/nodes/2/edges/0/attributes/data/attributes/data", "A"),
            "invalid: memlet of 'A' on the edge from 'B' to 'C' names neither of its ends at "
            "/nodes/2/edges/0");
  EXPECT_EQ(
      broken([](json& p) {
        at(p, "/nodes/2/edges/0/attributes/data/attributes/other_subset/ranges").erase(0);
      }),
      "invalid: memlet of 'B' on the edge from 'B' to 'C' has 1 dimensions for 'C', which has 2 at "
      "/nodes/2/edges/0");
  EXPECT_EQ(with("/nodes/2/edges/0/attributes/data/attributes/subset/ranges/0/step", "0"),
            "invalid: memlet of 'B' on the edge from 'B' to 'C' has a range with step zero at "
            "/nodes/2/edges/0");
}

TEST(Verifier, DemandsThatNestedSdfgsMatchTheirNode) {
  auto const body = inner + "/attributes/sdfg/attributes/_arrays";
  EXPECT_EQ(broken([&](json& p) { at(p, body + "/q/attributes/transient") = true; }),
            "invalid: connector 'q' of nested SDFG 'inner' names a transient at " + inner);
  EXPECT_EQ(
      broken([&](json& p) { at(p, body + "/w/attributes/transient") = false; }),
      "invalid: container 'w' of nested SDFG 'inner' is no transient and has no connector at " +
          body + "/w");
  EXPECT_EQ(broken([&](json& p) {
              at(p, inner + "/attributes/out_connectors") = {{"p", nullptr}};
              at(p, call + "/edges/0/src_connector") = "p";
            }),
            "invalid: connector 'p' of nested SDFG 'inner' names no container inside at " + inner);
  EXPECT_EQ(with(inner + "/attributes/symbol_mapping", json::object()),
            "invalid: nested SDFG 'inner' uses the symbol 'K', which is not mapped at " + inner);
  EXPECT_EQ(broken([&](json& p) { at(p, body + "/w/attributes/shape/0") = "$N"; }),
            "invalid: container 'w' uses the undefined symbol 'N' at " + body +
                "/w"); // only K is mapped
}

TEST(Verifier, NamesTheLineOfATaskletThatIsNoPython) {
  EXPECT_EQ(
      with(tasklet + "/attributes/code/string_data", "y = x\ny = ("),
      "invalid: tasklet 't': line 2: cannot parse 'y = (': expected an operand at column 6 at "
      "/nodes/0/nodes/2");
  EXPECT_EQ(with(tasklet + "/attributes/code/string_data", "return x"),
            "unsupported: tasklet 't': line 1: statement 'return' is not supported here at "
            "/nodes/0/nodes/2");
}

} // namespace
