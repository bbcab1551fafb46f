#pragma once
/// \file The parts of a random program under construction, and the builder whose members put them
/// together: states in build_states.cpp, maps in build_maps.cpp, copies and host code in
/// build_copies.cpp, control flow in build_control_flow.cpp.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/generate.hpp"

namespace assay::fuzz {

using assay::sdfg::descriptor_kind;
using assay::sdfg::memlet;
using assay::sdfg::range;
using assay::sdfg::subset;

inline expression num(std::int64_t v) { return expression::integer(v); }
inline expression sym(std::string const& name) { return expression::name(name); }
inline expression less(expression const& a, expression const& b) {
  return expression::binary("<", a, b);
}
inline expression equal(expression const& a, expression const& b) {
  return expression::binary("==", a, b);
}
inline expression modulo(expression const& a, std::int64_t b) {
  return expression::binary("%", a, num(b));
}
inline range point(expression const& e) { return {e, e, num(1)}; }
inline range from_to(expression const& first, expression const& last, std::int64_t step = 1) {
  return {first, last, num(step)};
}

/// The sizes that arrays have: by symbol, two-dimensional, constant, or perhaps empty.
enum class shape_kind : std::uint8_t { n, m, nm, five, z };

enum class place_kind : std::uint8_t { device, host, scalar };

struct container {
  std::string name;
  shape_kind shape = shape_kind::n;
  place_kind where = place_kind::device;
  bool transient = false;
  bool defined = false; ///< on every path to here, in this call
  bool writable = true;
  bool used = false, written = false;
  std::size_t outer = 0; ///< of a connector: the container of the outer SDFG
  subset outer_subset{};
};

/// What is visible inside one SDFG.
struct context {
  sdfg::graph* graph = nullptr;
  std::string n, m, z;
  std::vector<container> containers;
  std::vector<std::string> rows;   ///< symbols with values in [0, n)
  std::vector<std::string> smalls; ///< symbols with values in [0, 3]
  bool is_root = false;
  int nesting = 0;
  int loops = 0;     ///< open in this SDFG: their counters have different names
  int all_loops = 0; ///< open in the outer ones too
};

/// What is defined at one point of the program, to go back to.
struct definedness {
  std::vector<bool> containers;
  std::vector<std::string> rows, smalls;
};

/// One state under construction.
struct open_state {
  sdfg::state state;
  std::map<std::size_t, std::size_t> latest;    ///< container to its newest access node
  std::map<std::size_t, std::set<int>> made_by; ///< access node to the operations before it
  int operations = 0;

  [[nodiscard]] bool has_readers(std::size_t node) const {
    return std::ranges::any_of(state.edges, [&](auto const& e) { return e.source == node; });
  }
};

/// A region under construction: a chain of blocks.
struct open_region {
  sdfg::region* region;
  std::vector<std::pair<std::string, expression>> assignments; ///< for the next edge
  open_state state;
};

/// Access nodes for one operation.
struct ends {
  std::vector<std::size_t> sources; ///< access nodes
  std::size_t target = 0;
};

/// The iteration space of a map and what it writes in each iteration.
struct iteration {
  std::vector<std::string> parameters;
  subset ranges;
  subset written_inside, written_outside;
  std::int64_t read_shift = 0;
  bool one_dimensional = true;
  shape_kind over = shape_kind::n; ///< one-dimensional: whose size the range follows
  expression row;                  ///< where a one-dimensional map works on a row
};

struct read_access {
  subset inside, outside;
  bool is_pointer = false;
};

enum class body_kind : std::uint8_t { tasklet, nested_sdfg };

/// From one spec to one program.
class program_builder {
public:
  explicit program_builder(program_spec const& spec) : spec_(spec) {}

  generated_program run();

private:
  static std::string suffix(shape_kind shape);
  std::string fresh_place();

  // ---- descriptors ----

  static expression_list shape_of(context const& c, container const& x);
  sdfg::descriptor descriptor_of(context const& c, container const& x);
  /// Only what is used becomes part of the SDFG.
  void declare(context const& c);

  // ---- choices ----

  template <typename Predicate>
  static std::optional<std::size_t> pick(context const& c, std::uint8_t number,
                                         Predicate const& fits) {
    std::vector<std::size_t> candidates;
    for (std::size_t k = 0; k < c.containers.size(); ++k)
      if (fits(c.containers[k])) candidates.push_back(k);
    if (candidates.empty()) return std::nullopt;
    return candidates[number % candidates.size()];
  }
  static std::optional<std::size_t> device_array(context const& c, std::uint8_t number,
                                                 bool defined);
  static expression row_of(context const& c, std::uint8_t number);
  static definedness remembered(context const& c);
  static void restore(context& c, definedness const& d);

  // ---- states ----

  void append(open_region& r, sdfg::block block);
  void close_state(open_region& r);
  std::size_t add_node(open_state& s, std::string label, decltype(sdfg::node::content) content);
  std::size_t add_access(context& c, open_state& s, std::size_t id);
  void add_edge(open_state& s, std::size_t source, std::string source_connector, std::size_t target,
                std::string target_connector, memlet m);
  static memlet part(std::string data, subset where);
  /// Starts a new state where the operation would conflict without a path.
  ends connect(context& c, open_region& r, std::vector<std::size_t> const& sources,
               std::size_t target);

  // ---- maps ----

  static expression size_of(context const& c, shape_kind shape);
  static expression last_of(context const& c, shape_kind shape);
  static subset whole(context const& c, container const& x);
  /// Writes all of the target where `full`; else the variant may leave parts as they are.
  iteration iterate(context const& c, container const& target, op_spec const& op, bool full) const;
  read_access reading(context const& c, iteration const& it, container const& source) const;
  void add_map(context& c, open_region& r, std::size_t target, iteration const& it,
               std::vector<std::size_t> const& sources, std::vector<read_access> const& reads,
               body_kind body, bool sums, sdfg::schedule schedule);
  static sdfg::tasklet make_tasklet(std::vector<read_access> const& reads, std::string const& out,
                                    std::string extra = "1");
  /// Scalars in and out, one symbol with another name inside.
  sdfg::nested_sdfg make_kernel_sdfg(iteration const& it, std::vector<read_access> const& reads);
  /// A target that the open state has not touched, so that operations stay side by side in it.
  static std::optional<std::size_t> untouched_array(context const& c, open_state const& s,
                                                    std::uint8_t number);
  /// A source; for large numbers one that an operation of the open state has produced.
  static std::optional<std::size_t> source_array(context const& c, open_state const& s,
                                                 std::uint8_t number);
  /// A second source: mostly one whose operation is independent of the first one's.
  static std::optional<std::size_t> joined_array(context const& c, open_state const& s,
                                                 std::size_t first, std::uint8_t number);
  void map_op(context& c, open_region& r, op_spec const& op);
  void stencil_op(context& c, open_region& r, op_spec const& op);
  void reduce_op(context& c, open_region& r, op_spec const& op);

  // ---- copies ----

  void copy_op(context& c, open_region& r, op_spec const& op, place_kind from, place_kind to);
  /// One element between a device array that surely has one and a host scalar.
  void element_copy(context& c, open_region& r, op_spec const& op, bool to_host);

  // ---- host code ----

  void host_code_op(context& c, open_region& r, op_spec const& op);
  void host_map_op(context& c, open_region& r, op_spec const& op);
  void operation(context& c, open_region& r, op_spec const& op);

  // ---- control flow ----

  /// A defined host scalar; reads one back from the device where there is none.
  std::size_t defined_scalar(context& c, open_region& r, std::uint8_t number);
  expression condition(context& c, open_region& r, block_spec const& b);
  void assignment_block(context& c, open_region& r, block_spec const& b);
  static statement assign_to(std::string const& name, expression value);
  void loop_block(context& c, open_region& r, block_spec const& b);
  void conditional(context& c, open_region& r, block_spec const& b);
  void leave_block(context& c, open_region& r, block_spec const& b);
  void nested_block(context& c, open_region& r, block_spec const& b);
  void sequence(context& c, open_region& r, std::vector<block_spec> const& blocks);
  /// A region has at least one block, and pending assignments get their edge.
  void finish(open_region& r);
  void region(context& c, std::vector<block_spec> const& blocks, sdfg::region& target);

  program_spec const& spec_;
  generated_program result_;
  int next_place_ = 0, next_graph_ = 1;
  std::set<std::string> zero_filled_; ///< of the root
  /// Host scalars that hold what the device produced.
  std::set<std::pair<sdfg::graph const*, std::string>> device_scalars_;
};

} // namespace assay::fuzz
