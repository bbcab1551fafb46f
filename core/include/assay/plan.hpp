#pragma once
/// \file The program in GPU terms: structured host control flow over allocate, release, launch, copy, fill,
/// record, wait, synchronise and host computation. Emitting prints it; executing interprets it.
///
/// All names in a plan are resolved: every buffer, symbol, parameter and local has one C++ identifier that is
/// unique in the program, and every expression refers to those identifiers. A plan is plain data.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "assay/dtype.hpp"
#include "assay/expression.hpp"
#include "assay/sdfg.hpp"
#include "assay/settings.hpp"

namespace assay::plan {

enum class buffer_id : std::uint32_t {};
enum class kernel_id : std::uint32_t {};
enum class stream_id : std::uint32_t {}; ///< index into the streams of the context
enum class event_id : std::uint32_t {};  ///< index into the events of the context
[[nodiscard]] constexpr std::size_t index(buffer_id id) noexcept { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index(kernel_id id) noexcept { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index(stream_id id) noexcept { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index(event_id id) noexcept { return static_cast<std::size_t>(id); }

enum class memory_space : std::uint8_t { device, host, pinned };
/// Who gives the memory, and when.
enum class provision : std::uint8_t {
  argument,     ///< pointer (or by-value scalar) of the caller
  call,         ///< allocate and release steps in the body
  call_pool,    ///< the same, stream-ordered
  persistent,   ///< field of the state, allocated by init
  external,     ///< field of the state, set by the workspace function
  state_value,  ///< host scalar stored in the state struct itself
};

/// Memory that host code names. Counts are in elements, offsets in elements.
struct buffer {
  std::string name;      ///< C++ identifier: a pointer `T*`, or a reference `T&` where `by_value`
  std::string container; ///< name in its SDFG
  int sdfg_id = 0;
  dtype type = dtype::float64;
  memory_space space = memory_space::device;
  plan::provision provision = provision::argument;
  bool by_value = false; ///< host scalar: `name` is an lvalue of T, not a pointer
  bool read_only = false; ///< an argument that nothing writes
  bool zero_fill = false; ///< zeroed once per call, before its first use, in every memory mode
  expression element_count = expression::integer(1); ///< over init symbols where persistent or external
  expression start_offset;
  std::int64_t alignment_bytes = 0;
  std::string storage; ///< DaCe's storage name, "GPU_Global" or "CPU_Heap": names the workspace
  std::string place;
};

/// A symbol that the body assigns (interstate assignment, loop variable).
struct symbol_variable {
  std::string name;
  dtype type = dtype::int64;
};

/// A strided box of elements: offset + sum of i_k * stride_k, 0 <= i_k < count_k.
struct extent {
  expression count, stride;
};
struct box {
  expression offset;
  std::vector<extent> extents; ///< empty: one element
};
/// What a step may touch of a buffer.
struct footprint {
  buffer_id buffer{};
  plan::box box;
  bool reads = false, writes = false;
  bool accumulates = false; ///< conflict resolution: an atomic read-modify-write
};

// ---- what one thread of a kernel, or the host, computes ------------------------------------------------

struct compute_statement;
using compute_block = std::vector<compute_statement>;

/// An element or the start of a range: variable[offset], or the variable itself where it is a scalar lvalue.
struct location {
  std::string variable;
  bool is_value = false; ///< `variable` is an lvalue of T: offset is ignored
  expression offset;
};
/// T name; or T name[element_count]; (an integer constant, or memory of one thread from the heap)
struct declare_local {
  std::string name;
  dtype type{};
  std::optional<expression> element_count;
  bool zero_fill = false;
  bool shared = false; ///< one for all threads of the block
};
/// T const name = value;
struct let_symbol {
  std::string name;
  dtype type{};
  expression value;
};
/// T (const)* const name = base + offset (the address of the location).
struct let_pointer {
  std::string name;
  dtype type{};
  bool is_const = false;
  location base;
};
/// T& name = location (T const& where is_const).
struct let_reference {
  std::string name;
  dtype type{};
  bool is_const = false;
  location base;
};
enum class reduction : std::uint8_t {
  none, sum, product, min, max, logical_and, logical_or, bitwise_and, bitwise_or, bitwise_xor, custom
};
/// How a value is combined with what is stored.
struct resolution {
  reduction kind = reduction::none;
  bool atomic = false;
  std::string left, right; ///< custom: the lambda's parameters
  expression combine;      ///< custom: its body
};
struct connector {
  std::string name;  ///< local name inside the tasklet
  dtype type{};
  bool is_pointer = false; ///< more than one element, or a dynamic range: the tasklet indexes it
  plan::location location;
  std::vector<expression> strides; ///< is_pointer: of the dimensions that the tasklet may index; in Python code an
                                   ///< index list shorter than the rank skips dimensions of one element
  std::vector<bool> unit;          ///< is_pointer: dimension has exactly one element
  plan::resolution resolution;     ///< outputs
  bool by_one_thread = false;      ///< output: all threads of a block have the value, one stores it
};
/// `{ inputs loaded; code; outputs stored }`. Python statements have all symbols renamed already.
struct tasklet {
  std::string label;
  std::vector<connector> inputs, outputs;
  sdfg::language language = sdfg::language::python;
  std::vector<statement> python;
  std::string cpp;
};
struct copy_dimension {
  expression count, source_stride, target_stride;
};
/// Element by element, by this thread, or by all threads of the block together.
struct compute_copy {
  dtype type{};
  location source, target;
  std::vector<copy_dimension> dimensions; ///< empty: one element
  plan::resolution resolution;
  bool by_block = false;
};
/// for (long long parameter = begin; parameter <= end; parameter += step)
struct for_range {
  std::string parameter;
  sdfg::range range;
  bool unroll = false;
  compute_block body;
};
/// The iterations of one dimension of a map over the threads of a block, dealt out along one axis: right for any
/// size of the block.
struct thread_range {
  std::size_t axis = 0; ///< 0, 1, 2: x, y, z
  std::string parameter;
  sdfg::range range;
  compute_block body;
};
/// What one thread does for its whole block.
struct one_thread {
  compute_block body;
};
/// All threads of the block have come here before one goes on, and see what the others wrote.
struct barrier {};
struct compute_loop {
  std::vector<statement> init, update; ///< assign declared symbols (assign_symbols declares them before)
  std::optional<expression> condition;
  bool inverted = false, update_before_condition = true;
  compute_block body;
};
struct compute_branch {
  std::vector<std::pair<std::optional<expression>, compute_block>> branches; ///< absent condition: else
};
/// T name; without value: a symbol variable inside a kernel.
struct declare_symbol {
  std::string name;
  dtype type{};
};
/// All right sides are evaluated before the first assignment.
struct assign_symbols {
  std::vector<std::pair<std::string, expression>> assignments;
};
struct compute_scope {
  compute_block body;
};
struct compute_jump {
  sdfg::jump kind{};
};

struct compute_statement {
  std::variant<declare_local, let_symbol, let_pointer, let_reference, tasklet, compute_copy, for_range,
               thread_range, one_thread, barrier, compute_loop, compute_branch, declare_symbol, assign_symbols,
               compute_scope, compute_jump>
      content;
};

// ---- kernels ------------------------------------------------------------------------------------------

/// One parameter of a __global__ function, in order.
struct kernel_argument {
  std::string name; ///< also the name of the buffer or symbol that is passed
  dtype type{};
  bool is_pointer = false;
  bool is_const = false; ///< pointer to const
  std::optional<buffer_id> buffer; ///< absent: a symbol
};
struct map_dimension {
  std::string parameter;
  sdfg::range range;
};
struct kernel {
  std::string name; ///< unique in the program
  std::vector<kernel_argument> arguments;
  std::vector<map_dimension> dimensions; ///< in the map's order: the last one is x
  std::array<std::int64_t, 3> block{32, 1, 1};
  bool by_block = false; ///< an iteration is a block's, and its threads share it by maps of their own
  compute_block body; ///< of one thread, after its parameters are set
  std::string place;
};

// ---- host steps ---------------------------------------------------------------------------------------

struct step;
using step_list = std::vector<step>;

struct allocate {
  buffer_id buffer{};
  stream_id stream{};
};
struct release {
  buffer_id buffer{};
  stream_id stream{};
  bool keeps_pointer = false; ///< a planted fault: later steps use the released memory
};
/// Zero fill of the whole buffer, ordered on the stream.
struct fill_zero {
  buffer_id buffer{};
  stream_id stream{};
};
struct launch {
  kernel_id kernel{};
  stream_id stream{};
  std::vector<footprint> footprints;
  bool null_stream = false; ///< a planted fault: emitted on the vendor's default stream instead
};
/// Between two buffers of which at least one is on the device. Inner dimension last.
struct copy {
  buffer_id source{}, target{};
  expression source_offset, target_offset;
  std::vector<copy_dimension> dimensions;
  stream_id stream{};
  std::vector<footprint> footprints;
};
struct record {
  event_id event{};
  stream_id stream{};
};
struct stream_wait {
  stream_id stream{};
  event_id event{};
};
enum class wait_reason : std::uint8_t { host_read, host_write, host_release, timer, call_end };
/// The host waits for the stream.
struct synchronise {
  stream_id stream{};
  wait_reason reason = wait_reason::call_end;
};
/// Host tasklets, host maps, host copies.
struct host_compute {
  std::string label;
  compute_block body;
  std::vector<footprint> footprints;
};
/// Nanoseconds of a monotonic clock into a host int64 scalar.
struct timer_start {
  buffer_id start{};
};
/// Seconds since `start` into element 0 of a host float64 buffer.
struct timer_stop {
  buffer_id start{}, duration{};
};
/// Interstate assignments: all right sides first. `footprints`: containers that the right sides read.
struct assign {
  std::vector<std::pair<std::string, expression>> assignments;
  std::vector<footprint> footprints;
};
struct branch {
  struct arm {
    std::optional<expression> condition; ///< absent: else
    step_list body;
  };
  std::vector<footprint> footprints; ///< of all conditions
  std::vector<arm> arms;
};
/// `prepare` runs before each evaluation of the condition (waits for what it reads).
struct loop {
  std::vector<statement> init, update;
  step_list prepare;
  std::optional<expression> condition;
  std::vector<footprint> footprints; ///< of the condition
  std::vector<footprint> init_footprints, update_footprints;
  bool inverted = false, update_before_condition = true;
  step_list body;
};
struct jump {
  sdfg::jump kind{};
};

struct step {
  std::variant<allocate, release, fill_zero, launch, copy, record, stream_wait, synchronise, host_compute,
               timer_start, timer_stop, assign, branch, loop, jump>
      content;
  std::string place; ///< JSON pointer of the element it comes from, or empty
};

// ---- workspace and program ----------------------------------------------------------------------------

struct workspace_entry {
  buffer_id buffer{};
  expression offset_bytes; ///< evaluated in 64 bits
  expression size_bytes;   ///< never negative: clamped at 0
  std::size_t slot = 0; ///< arrays of one slot take turns on the same bytes (layout reuse)
};
struct workspace {
  std::string storage; ///< "GPU_Global", "CPU_Heap"
  std::size_t alignment_bytes = 256; ///< of the base; 1 for layout packed
  std::vector<workspace_entry> entries;
  expression size_bytes;
};

struct program {
  std::string name;
  assay::settings settings;
  sdfg::signature signature; ///< with the stream symbol where the target has a stream
  std::vector<buffer> buffers;
  std::vector<symbol_variable> symbols;
  std::vector<kernel> kernels;
  int stream_count = 1, event_count = 0;
  step_list body;
  std::vector<workspace> workspaces;
  std::map<std::string, std::string> global_code, init_code, exit_code; ///< what the file carries, ours excluded
  std::vector<std::pair<std::string, sdfg::constant>> constants;
};

/// Lowers a verified SDFG. \throws error{unsupported} naming the construct and its place.
[[nodiscard]] program lower(sdfg::graph const&, settings const&);

/// What one slot of a workspace takes for given symbols: arrays that take turns are one.
struct placed_slot {
  std::string name; ///< of the container, or of all that take turns: "t|u"
  std::size_t offset_bytes = 0, size_bytes = 0;
  std::size_t element_bytes = 1; ///< of the smallest element
};
/// The slots of a workspace in the order of their first arrays; those without bytes are left out.
[[nodiscard]] std::vector<placed_slot> placed_slots(program const&, workspace const&, symbol_values const&);

/// For people and tests: one line per step, indented.
[[nodiscard]] std::string to_text(program const&);

} // namespace assay::plan
