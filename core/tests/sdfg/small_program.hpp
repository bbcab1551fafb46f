#pragma once
/// \file A small valid program that holds one of everything, for tests that break one thing of it.
#include <nlohmann/json.hpp>

#include <string>

namespace assay::test {

using json = nlohmann::ordered_json;

/// State "work": A -> map over i -> tasklet "t" -> B; then a loop over n whose body holds a
/// conditional block with a nested SDFG on B; then a copy of B to C.
inline json small_program() {
  return json::parse(R"json({
    "type": "SDFG", "dace_version": "2.0.0a6", "cfg_list_id": 0, "start_block": 0,
    "attributes": {
      "name": "small",
      "_arrays": {
        "A": {"type": "Array", "attributes": {"dtype": "float64", "shape": ["$N"], "strides": ["1"],
              "offset": ["0"], "total_size": "$N"}},
        "B": {"type": "Array", "attributes": {"dtype": "float64", "shape": ["$N"], "strides": ["1"],
              "offset": ["0"], "total_size": "$N", "transient": true}},
        "C": {"type": "Array", "attributes": {"dtype": "float64", "shape": ["2", "$N"], "strides": ["$N", "1"],
              "offset": ["0", "0"], "total_size": "2*$N"}},
        "flag": {"type": "Scalar", "attributes": {}}
      },
      "symbols": {"N": "int64", "M": "int32"}
    },
    "nodes": [
      {"type": "SDFGState", "label": "work", "id": 0,
       "nodes": [
         {"type": "AccessNode", "label": "A", "id": 0, "attributes": {"data": "A"}},
         {"type": "MapEntry", "label": "m", "id": 1, "scope_entry": null, "scope_exit": "3",
          "attributes": {"label": "m", "params": ["i"], "schedule": "GPU_Device", "gpu_block_size": [32, 1, 1],
            "range": {"type": "Range", "ranges": [{"start": "0", "end": "$N - 1", "step": "1", "tile": "1"}]},
            "in_connectors": {"IN_A": null}, "out_connectors": {"OUT_A": null}}},
         {"type": "Tasklet", "label": "t", "id": 2, "scope_entry": "1", "scope_exit": "3",
          "attributes": {"label": "t", "code": {"string_data": "y = x * 2 + N", "language": "Python"},
            "in_connectors": {"x": null}, "out_connectors": {"y": null}}},
         {"type": "MapExit", "label": "m", "id": 3, "scope_entry": "1", "scope_exit": "3",
          "attributes": {"in_connectors": {"IN_B": null}, "out_connectors": {"OUT_B": null}}},
         {"type": "AccessNode", "label": "B", "id": 4, "attributes": {"data": "B"}}
       ],
       "edges": [
         {"type": "MultiConnectorEdge", "src": "0", "dst": "1", "src_connector": null, "dst_connector": "IN_A",
          "attributes": {"data": {"type": "Memlet", "attributes": {"data": "A",
            "subset": {"type": "Range", "ranges": [{"start": "0", "end": "$N - 1", "step": "1", "tile": "1"}]}}}}},
         {"type": "MultiConnectorEdge", "src": "1", "dst": "2", "src_connector": "OUT_A", "dst_connector": "x",
          "attributes": {"data": {"type": "Memlet", "attributes": {"data": "A",
            "subset": {"type": "Range", "ranges": [{"start": "$i", "end": "$i", "step": "1", "tile": "1"}]}}}}},
         {"type": "MultiConnectorEdge", "src": "2", "dst": "3", "src_connector": "y", "dst_connector": "IN_B",
          "attributes": {"data": {"type": "Memlet", "attributes": {"data": "B",
            "subset": {"type": "Range", "ranges": [{"start": "$i", "end": "$i", "step": "1", "tile": "1"}]}}}}},
         {"type": "MultiConnectorEdge", "src": "3", "dst": "4", "src_connector": "OUT_B", "dst_connector": null,
          "attributes": {"data": {"type": "Memlet", "attributes": {"data": "B",
            "subset": {"type": "Range", "ranges": [{"start": "0", "end": "$N - 1", "step": "1", "tile": "1"}]}}}}}
       ], "attributes": {}},
      {"type": "LoopRegion", "label": "loop", "id": 1, "cfg_list_id": 1, "start_block": 0,
       "attributes": {"loop_variable": "n",
         "init_statement": {"string_data": "n = 0", "language": "Python"},
         "loop_condition": {"string_data": "(n < M)", "language": "Python"},
         "update_statement": {"string_data": "n = (n + 1)", "language": "Python"}},
       "nodes": [
         {"type": "ConditionalBlock", "label": "choose", "id": 0, "cfg_list_id": 2, "start_block": null,
          "attributes": {},
          "branches": [
            [{"string_data": "(A[n] > 0)", "language": "Python"},
             {"type": "ControlFlowRegion", "label": "then", "id": null, "cfg_list_id": 3, "start_block": 0,
              "nodes": [
                {"type": "SDFGState", "label": "call", "id": 0,
                 "nodes": [
                   {"type": "NestedSDFG", "label": "inner", "id": 0,
                    "attributes": {"label": "inner",
                      "sdfg": {"type": "SDFG", "cfg_list_id": 4, "start_block": null,
                        "attributes": {"name": "inner",
                          "_arrays": {
                            "q": {"type": "Array", "attributes": {"dtype": "float64", "shape": ["$K"],
                                  "strides": ["1"], "offset": ["0"], "total_size": "$K"}},
                            "w": {"type": "Array", "attributes": {"dtype": "float64", "shape": ["$K"],
                                  "strides": ["1"], "offset": ["0"], "total_size": "$K", "transient": true}}},
                          "symbols": {"K": "int32"}},
                        "nodes": [
                          {"type": "SDFGState", "label": "copy", "id": 0,
                           "nodes": [
                             {"type": "AccessNode", "label": "w", "id": 0, "attributes": {"data": "w"}},
                             {"type": "AccessNode", "label": "q", "id": 1, "attributes": {"data": "q"}}],
                           "edges": [
                             {"type": "MultiConnectorEdge", "src": "0", "dst": "1", "src_connector": null,
                              "dst_connector": null,
                              "attributes": {"data": {"type": "Memlet", "attributes": {"data": "w"}}}}],
                           "attributes": {}}],
                        "edges": []},
                      "symbol_mapping": {"K": "symbol($N, dtype=dace.int64)"},
                      "in_connectors": {}, "out_connectors": {"q": null}}},
                   {"type": "AccessNode", "label": "B", "id": 1, "attributes": {"data": "B"}}],
                 "edges": [
                   {"type": "MultiConnectorEdge", "src": "0", "dst": "1", "src_connector": "q",
                    "dst_connector": null,
                    "attributes": {"data": {"type": "Memlet", "attributes": {"data": "B"}}}}],
                 "attributes": {}},
                {"type": "BreakBlock", "label": "stop", "id": 1}],
              "edges": [{"type": "Edge", "src": "0", "dst": "1", "attributes": {"data": {"type": "InterstateEdge",
                         "attributes": {"condition": {"string_data": "(flag > 3)", "language": "Python"}}}}}],
              "attributes": {}}],
            [null,
             {"type": "ControlFlowRegion", "label": "else", "id": null, "cfg_list_id": 5, "start_block": 0,
              "nodes": [{"type": "SDFGState", "label": "nothing", "id": 0, "nodes": [], "edges": []}],
              "edges": []}]
          ]}],
       "edges": []},
      {"type": "SDFGState", "label": "finish", "id": 2,
       "nodes": [
         {"type": "AccessNode", "label": "B", "id": 0, "attributes": {"data": "B"}},
         {"type": "AccessNode", "label": "C", "id": 1, "attributes": {"data": "C"}}],
       "edges": [
         {"type": "MultiConnectorEdge", "src": "0", "dst": "1", "src_connector": null, "dst_connector": null,
          "attributes": {"data": {"type": "Memlet", "attributes": {"data": "B",
            "subset": {"type": "Range", "ranges": [{"start": "0", "end": "$N - 1", "step": "1", "tile": "1"}]},
            "other_subset": {"type": "Range", "ranges": [
              {"start": "$r", "end": "$r", "step": "1", "tile": "1"},
              {"start": "0", "end": "$N - 1", "step": "1", "tile": "1"}]}}}}}],
       "attributes": {"nosync": true}}
    ],
    "edges": [
      {"type": "Edge", "src": "0", "dst": "1",
       "attributes": {"data": {"type": "InterstateEdge", "attributes": {"assignments": {"r": "(M % 2)"}}}}},
      {"type": "Edge", "src": "1", "dst": "2",
       "attributes": {"data": {"type": "InterstateEdge", "attributes": {}}}}
    ]
  })json");
}

/// The JSON value at a pointer.
inline json& at(json& program, std::string const& pointer) {
  return program[json::json_pointer(pointer)];
}

} // namespace assay::test
