// Constructs of the format that no code is generated for: each is named, with its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "assay/plan.hpp"
#include "sdfg/failure.hpp"

namespace assay::plan {
namespace {

using json = nlohmann::ordered_json;

json array(std::string const& storage, std::string const& type = "float64") {
  return {{"type", "Array"},
          {"attributes",
           {{"dtype", type},
            {"shape", json::array({"$N"})},
            {"storage", storage},
            {"transient", false}}}};
}

json access(std::string const& container) {
  return {{"type", "AccessNode"}, {"label", container}, {"attributes", {{"data", container}}}};
}

json edge(int from, int to, json memlet = json::object()) {
  return {{"type", "MultiConnectorEdge"},
          {"src", std::to_string(from)},
          {"dst", std::to_string(to)},
          {"attributes", {{"data", {{"type", "Memlet"}, {"attributes", std::move(memlet)}}}}}};
}

json range(std::string const& first, std::string const& last) {
  return {{"type", "Range"},
          {"ranges",
           json::array({json{{"start", first}, {"end", last}, {"step", "1"}, {"tile", "1"}}})}};
}

json memlet(std::string const& container, std::string const& index = {}) {
  json result = {{"data", container}};
  if (!index.empty()) result["subset"] = range(index, index);
  return result;
}

/// One state; of its arrays A, B and F are on the device and H and I on the host.
json program(json nodes, json edges, std::vector<std::string> const& containers) {
  json result = {
      {"type", "SDFG"},
      {"dace_version", "2.0.0a6"},
      {"cfg_list_id", 0},
      {"attributes",
       {{"name", "refused"},
        {"symbols", {{"N", "int64"}}},
        {"_arrays",
         {{"A", array("GPU_Global")},
          {"B", array("GPU_Global")},
          {"F", array("GPU_Global", "float32")},
          {"H", array("CPU_Heap")},
          {"S", array("GPU_Shared")},
          {"I", array("CPU_Heap")}}}}},
      {"nodes", json::array({json{
                    {"type", "SDFGState"}, {"label", "s"}, {"nodes", nodes}, {"edges", edges}}})},
      {"edges", json::array()}};
  json& arrays = result["attributes"]["_arrays"];
  for (char const* each : {"A", "B", "F", "H", "S", "I"})
    if (std::ranges::find(containers, each) == containers.end()) arrays.erase(each);
  return result;
}

json copy_program(std::string const& from, std::string const& to, std::string const& combine = {}) {
  json m = memlet(from);
  if (!combine.empty()) m["wcr"] = combine;
  json result =
      program(json::array({access(from), access(to)}), json::array({edge(0, 1, m)}), {from, to});
  return result;
}

/// from[i] is copied to to[i] by a tasklet in a map.
json element_map(std::string const& from, std::string const& to, std::string const& schedule) {
  json entry = {{"type", "MapEntry"},
                {"label", "m"},
                {"scope_exit", "3"},
                {"attributes",
                 {{"label", "m"},
                  {"params", json::array({"i"})},
                  {"schedule", schedule},
                  {"range", range("0", "$N - 1")},
                  {"in_connectors", {{"IN_a", nullptr}}},
                  {"out_connectors", {{"OUT_a", nullptr}}}}}};
  json tasklet = {{"type", "Tasklet"},
                  {"label", "t"},
                  {"scope_entry", "1"},
                  {"scope_exit", "3"},
                  {"attributes",
                   {{"label", "t"},
                    {"code", {{"string_data", "y = x"}, {"language", "Python"}}},
                    {"in_connectors", {{"x", nullptr}}},
                    {"out_connectors", {{"y", nullptr}}}}}};
  json exit = {
      {"type", "MapExit"},
      {"label", "m"},
      {"scope_entry", "1"},
      {"scope_exit", "3"},
      {"attributes",
       {{"in_connectors", {{"IN_b", nullptr}}}, {"out_connectors", {{"OUT_b", nullptr}}}}}};
  json into = edge(0, 1, memlet(from)), in = edge(1, 2, memlet(from, "$i"));
  json out = edge(2, 3, memlet(to, "$i")), back = edge(3, 4, memlet(to));
  into["dst_connector"] = "IN_a";
  in["src_connector"] = "OUT_a", in["dst_connector"] = "x";
  out["src_connector"] = "y", out["dst_connector"] = "IN_b";
  back["src_connector"] = "OUT_b";
  json result = program(json::array({access(from), entry, tasklet, exit, access(to)}),
                        json::array({into, in, out, back}), {from, to});
  return result;
}

std::string failure_of(json const& program) {
  settings chosen;
  chosen.target = target::cuda;
  return test::failure_of([&] { (void)lower(sdfg::read_text(program.dump()), chosen); });
}

TEST(Refusals, OfMapsNameTheMap) {
  EXPECT_EQ(failure_of(element_map("A", "B", "GPU_Device")), "no error");
  EXPECT_EQ(failure_of(element_map("H", "I", "CPU_Multicore")), "no error");
  EXPECT_EQ(failure_of(element_map("A", "B", "GPU_ThreadBlock")),
            "unsupported: map over the threads of a block outside a kernel at /nodes/0/nodes/1");
  EXPECT_EQ(failure_of(element_map("A", "I", "GPU_Device")),
            "invalid: kernel 'refused_m' touches the host container 'I' at /nodes/0/nodes/1");
  EXPECT_EQ(failure_of(element_map("A", "I", "Sequential")),
            "invalid: map 'm' runs on the host and touches the device container 'A' at "
            "/nodes/0/nodes/1");
}

TEST(Refusals, OfConsumeScopesAndOtherNodesNameTheNode) {
  json consume = element_map("A", "B", "GPU_Device");
  consume["nodes"][0]["nodes"][1]["type"] = "ConsumeEntry";
  consume["nodes"][0]["nodes"][3]["type"] = "ConsumeExit";
  EXPECT_EQ(failure_of(consume), "unsupported: consume scope 'm' at /nodes/0/nodes/1");
  json node = {{"type", "LibraryNode"},
               {"label", "fft"},
               {"classpath", "dace.libraries.fft.nodes.fft.FFT"},
               {"attributes", {{"name", "fft"}}}};
  EXPECT_EQ(failure_of(program(json::array({node}), json::array(), {})),
            "unsupported: node of type LibraryNode dace.libraries.fft.nodes.fft.FFT at "
            "/nodes/0/nodes/0");
}

TEST(Refusals, OfCopiesNameTheEdge) {
  for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"A", "B"}, {"A", "H"}, {"H", "A"}, {"H", "I"}})
    EXPECT_EQ(failure_of(copy_program(from, to)), "no error") << from << " to " << to;
  EXPECT_EQ(failure_of(copy_program("A", "F")),
            "unsupported: copy from 'A' to 'F' changes the element type at /nodes/0/edges/0");
  std::string const sum = "lambda a, b: a + b";
  EXPECT_EQ(failure_of(copy_program("H", "I", sum)), "no error");
  EXPECT_EQ(failure_of(copy_program("A", "H", sum)),
            "unsupported: copy with conflict resolution to or from the device at "
            "/nodes/0/edges/0");
  EXPECT_EQ(failure_of(copy_program("S", "A")),
            "unsupported: shared memory outside a kernel at /attributes/_arrays/S");
}

} // namespace
} // namespace assay::plan
