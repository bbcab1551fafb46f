#pragma once
/// \file The SDFG as a value: what the file says, resolved and typed, nothing lowered.
/// Source: DaCe's SDFG JSON format (2.0.0a6), see core/docs/formats.md.
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "assay/dtype.hpp"
#include "assay/expression.hpp"

namespace assay::sdfg {

enum class storage : std::uint8_t {
  automatic, register_file, cpu_heap, cpu_pinned, cpu_thread_local, gpu_global, gpu_shared
};
enum class lifetime : std::uint8_t { scope, state, sdfg, global, persistent, external };
enum class schedule : std::uint8_t {
  automatic, sequential, cpu_multicore, gpu_device, gpu_thread_block
};
/// DaCe's names ("Default", "GPU_Global", "Persistent", "GPU_Device").
[[nodiscard]] std::string_view name(storage) noexcept;
[[nodiscard]] std::string_view name(lifetime) noexcept;
[[nodiscard]] std::string_view name(schedule) noexcept;

enum class descriptor_kind : std::uint8_t { scalar, array, view, reference };

/// A data container. Shapes, strides, offsets and total size are in elements.
struct descriptor {
  descriptor_kind kind = descriptor_kind::scalar;
  dtype type = dtype::int32;
  expression_list shape, strides, offset;
  expression total_size, start_offset;
  std::int64_t alignment_bytes = 0;
  bool transient = false;
  bool pool = false;
  sdfg::storage storage = sdfg::storage::automatic;
  sdfg::lifetime lifetime = sdfg::lifetime::scope;
  std::string place; ///< JSON pointer in the file
};

/// One dimension; `end` is inclusive.
struct range {
  expression begin, end, step = expression::integer(1);
};
using subset = std::vector<range>;

struct memlet {
  std::optional<std::string> data; ///< absent: an empty memlet, pure order
  std::optional<sdfg::subset> subset, other_subset;
  std::optional<bool> is_data_source; ///< needed only where both ends are one container
  std::string conflict_resolution;    ///< the lambda's text, or empty
  bool conflict_nonatomic = false;
  bool dynamic = false;
};

enum class language : std::uint8_t { python, cpp };
struct code_block {
  std::string text;
  sdfg::language language = sdfg::language::python;
};

struct graph;

struct access_node {
  std::string data;
  bool zero_fill = false; ///< attribute `setzero`
};
struct tasklet {
  code_block code;
  code_block code_global, code_init, code_exit;
  std::vector<std::string> in_connectors, out_connectors;
  std::optional<bool> side_effects;
};
struct map_entry {
  std::vector<std::string> parameters;
  subset ranges;
  sdfg::schedule schedule = sdfg::schedule::automatic;
  std::vector<std::int64_t> block_size; ///< x, y, z threads, or empty
  bool unroll = false;
  std::vector<std::string> in_connectors, out_connectors;
};
struct map_exit {
  std::vector<std::string> in_connectors, out_connectors;
};
struct nested_sdfg {
  std::shared_ptr<graph const> body;
  std::vector<std::pair<std::string, expression>> symbol_mapping; ///< inner name, outer expression
  std::vector<std::string> in_connectors, out_connectors;
};
/// A node class that the reader knows only by name; lowering refuses it.
struct opaque_node {
  std::string type; ///< "LibraryNode dace.libraries.standard.nodes.Reduce"
};

struct node {
  std::string label;
  std::optional<std::size_t> scope_entry; ///< index of the enclosing map entry in the same state
  std::optional<std::size_t> scope_exit;  ///< of an entry (or a member): the matching exit
  std::string place;
  std::variant<access_node, tasklet, map_entry, map_exit, nested_sdfg, opaque_node> content;
};

struct edge {
  std::size_t source = 0, target = 0;                ///< node indices
  std::string source_connector, target_connector;    ///< empty: none
  sdfg::memlet memlet;
  std::string place;
};

/// Dataflow. Nodes keep the file's order and indices.
struct state {
  std::vector<node> nodes;
  std::vector<edge> edges;
  bool nosync = false;
};

struct region;
struct loop_region {
  std::optional<expression> condition;
  std::string variable; ///< may be empty (while)
  std::vector<statement> init, update;
  bool inverted = false;                ///< do-while
  bool update_before_condition = true;  ///< matters only when inverted
  std::shared_ptr<region const> body;
};
struct conditional_branch {
  std::optional<expression> condition; ///< absent: else
  std::shared_ptr<region const> body;
};
struct conditional_block {
  std::vector<conditional_branch> branches;
};
/// ControlFlowRegion, NamedRegion, FunctionCallRegion: a plain sequence of blocks.
struct plain_region {
  std::shared_ptr<region const> body;
};
enum class jump : std::uint8_t { break_loop, continue_loop, return_program };

struct block {
  std::string label;
  std::string place;
  std::variant<state, loop_region, conditional_block, plain_region, jump> content;
};

struct interstate_edge {
  std::size_t source = 0, target = 0; ///< block indices
  std::optional<expression> condition; ///< absent: always
  std::vector<std::pair<std::string, expression>> assignments; ///< evaluated after the condition, together
  std::string place;
};

/// A graph of blocks with one start.
struct region {
  std::vector<block> blocks;
  std::vector<interstate_edge> edges;
  std::size_t start = 0;
};

/// A compile-time constant: a scalar or an array of numbers (as C++ text, one per element).
struct constant {
  descriptor type;
  std::vector<double> values;
};

/// One SDFG: the root, or the body of a nested SDFG node.
struct graph {
  std::string name;
  int id = 0; ///< cfg_list_id: part of the names of persistent and external fields
  std::vector<std::pair<std::string, descriptor>> arrays; ///< in the file's order, which is the slab's order
  std::map<std::string, dtype> symbols;
  std::map<std::string, constant> constants;
  std::map<std::string, std::string> global_code, init_code, exit_code; ///< by location ("frame", "cuda", "")
  region root;
  std::string place;

  [[nodiscard]] descriptor const* find(std::string_view array) const noexcept;
  [[nodiscard]] descriptor* find(std::string_view array) noexcept;
};

/// Reads `.sdfg` (JSON) or `.sdfgz` (gzip of it; tried first whatever the extension).
/// \throws error{invalid_input} naming file, object and rule; error{unsupported} for a known construct that the
/// model cannot hold.
[[nodiscard]] graph read(std::filesystem::path const& file);
/// The same from memory; errors carry no file.
[[nodiscard]] graph read_text(std::string_view json_or_gzip);

/// Checks every rule that later stages rely on: edges end at existing nodes and connectors, memlets name existing
/// containers with the right number of dimensions, symbols are defined where they are used, scopes are
/// well-formed, nested connectors match, names are C++ identifiers.
/// \throws error{invalid_input} for the first broken rule, with its place.
void verify(graph const&);

/// What the ABI passes, in its order: containers by name, then scalars and symbols by name.
struct argument {
  std::string name;
  descriptor type;     ///< of a symbol: a scalar descriptor
  bool is_symbol = false;
};
struct signature {
  std::vector<argument> arguments; ///< of __program_<name>
  std::vector<argument> init;      ///< of __dace_init_<name> and the workspace functions: free symbols by name
};
/// The signature that DaCe gives the program: only symbols that generated code needs.
[[nodiscard]] signature signature_of(graph const&);

} // namespace assay::sdfg
