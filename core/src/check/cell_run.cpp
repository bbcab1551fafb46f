#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/build_folder.hpp"
#include "assay/case_file.hpp"
#include "assay/check.hpp"
#include "assay/compiled_program.hpp"
#include "assay/error.hpp"
#include "check/protocol.hpp"
#include "program/interface_of_plan.hpp"

namespace assay {
namespace {

void write_line(int descriptor, cell_message const& message) {
  std::string const line = to_line(message);
  for (std::size_t done = 0; done < line.size();) {
    ssize_t const count = write(descriptor, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return; // the parent is gone: nobody is left to tell
    done += static_cast<std::size_t>(count);
  }
}

/// Bytes of the caller's own pool memory, which the program must leave alone.
constexpr std::size_t guard_size_bytes = 4096;

/// Everything that one array argument needs: the program sees `argument` alone.
struct array_buffers {
  bound_argument const* bound = nullptr;
  std::vector<std::byte>
      host; ///< the argument itself where it is host memory; else what was read back
  void* argument = nullptr; ///< device
  void* staging = nullptr;  ///< device: what the producer writes into `argument`
  void* consumed = nullptr; ///< device: what the consumer read from `argument`
};

class cell_harness {
public:
  cell_harness(cell_instruction const& instruction, check_backend& backend)
      : instruction_(instruction), cell_(instruction.cell), backend_(backend) {}

  cell_result run() {
    describe_program();
    bind(instruction_.set, instruction_.expect_directory);
    if (has_device()) make_streams();
    make_arrays();
    if (cell_.workspace == workspace_size::shared) neighbour_ = load();
    std::unique_ptr<compiled_program> const loaded = load();
    compiled_program& program = *loaded;
    use(program, result_.outputs, result_.failure);
    if (result_.failure.empty() && !instruction_.output_directory.empty())
      write_outputs(instruction_.output_directory);
    for (unsigned number = 2; number <= instruction_.calls && result_.failure.empty(); ++number)
      call_again(program, number);
    if (result_.failure.empty()) finish(program, result_.failure);
    if (instruction_.retry && !result_.failure.empty()) {
      std::string failure;
      if (has_device()) attempt([&] { gpu().synchronise(caller_); }, failure);
      failure.clear();
      reset_host_arrays();
      use(program, result_.again, failure);
      finish(program, failure);
      if (!failure.empty()) result_.again = failure;
    }
    // After a failed call the device may refuse these too: the first failure is the one to report.
    finish(program, result_.failure);
    if (neighbour_) attempt([&] { neighbour_->finish(); }, result_.failure);
    attempt([&] { release(); }, result_.failure);
    return std::move(result_);
  }

private:
  /// What the program is called and takes, and where its external arrays lie.
  void describe_program() {
    if (is_build_folder(instruction_.program)) {
      build_folder folder = read_build_folder(instruction_.program);
      is_of_dace_ = true;
      plan_ = interface_of(folder);
      graph_ = std::move(folder.graph);
      return;
    }
    graph_ = sdfg::read(instruction_.program);
    sdfg::verify(graph_);
    plan_ = plan::lower(graph_, cell_.settings);
    // The arrays are declared where the text puts them.
    if (instruction_.plant == plant::overlapping_arrays)
      static_cast<void>(apply(instruction_.plant, plan_));
  }

  [[nodiscard]] std::unique_ptr<compiled_program> load() {
    auto interface = interface_of(plan_);
    interface.workspace_alignment_bytes = workspace_alignment();
    interface.follows_first_call_only = is_of_dace_;
    auto program = std::make_unique<compiled_program>(instruction_.library, std::move(interface),
                                                      has_device() ? &gpu() : nullptr);
    if (is_of_dace_ && has_device() && !own_streams())
      program->set_external_gpu_stream(reinterpret_cast<std::intptr_t>(caller_.value));
    return program;
  }

  /// The arguments of one call, and what it must give: the case's arrays, or those of a reference.
  void bind(symbol_values const& set, std::filesystem::path const& reference) {
    bound_ = instruction_.case_file.empty()
                 ? make_up_case(graph_, plan_.signature, instruction_.seed, set)
                 : bind_case(read_case(instruction_.case_file), graph_, plan_.signature, set);
    if (!reference.empty()) load_expected(reference);
  }

  /// A further call of the same program with arguments of its own, checked as the first.
  void call_again(compiled_program& program, unsigned number) {
    symbol_values set = instruction_.set;
    for (auto const& [name, value] : instruction_.set_again) set[name] = value;
    std::filesystem::path const folder = "call" + std::to_string(number);
    bool const has_reference = !instruction_.expect_directory.empty();
    arrays_.clear();
    std::erase_if(values_, [](auto const& one) { return one.first != external_stream_symbol; });
    bind(set, has_reference ? instruction_.expect_directory / folder : std::filesystem::path());
    // No reference stands for other symbols than the case's own.
    if (!has_reference && !instruction_.set_again.empty()) bound_.expect.clear();
    make_arrays();
    // As callers of our programs do: other symbols get a new slab. DaCe's are asked once only.
    if (!is_of_dace_) {
      shared_slabs_.clear();
      for (compiled_program* const each : {&program, neighbour_.get()})
        if (each != nullptr)
          each->set_workspace_source([this](auto const& where, std::size_t size_bytes) {
            return slab(where.storage, size_bytes, workspace_alignment());
          });
    }
    std::string outputs = "not compared";
    attempt(
        [&] {
          call(program);
          outputs = compare();
        },
        result_.failure);
    if (outputs != "equal" && result_.outputs == "equal")
      result_.outputs =
          outputs == "not compared" ? outputs : "call " + std::to_string(number) + ": " + outputs;
    if (!instruction_.output_directory.empty() && result_.failure.empty()) {
      std::filesystem::create_directories(instruction_.output_directory / folder);
      write_outputs(instruction_.output_directory / folder);
    }
  }

  /// A slab of its own for each need; a shared one is given again as long as it is large enough.
  workspace_buffer slab(std::string const& storage, std::size_t size_bytes,
                        std::size_t alignment_bytes) {
    auto const made = [&] {
      return storage == "GPU_Global" && has_device() ? device_slab(size_bytes)
                                                     : host_slab(size_bytes, alignment_bytes);
    };
    if (!neighbour_) return made();
    auto const [known, is_new] = shared_slabs_.try_emplace(storage);
    if (is_new || known->second.size_bytes < size_bytes) known->second = made();
    return known->second;
  }

  workspace_buffer device_slab(std::size_t size_bytes) {
    void* const slab = allocate(size_bytes, "workspace");
    annotate(static_cast<std::byte*>(slab), size_bytes);
    return {slab, size_bytes};
  }

  workspace_buffer host_slab(std::size_t size_bytes, std::size_t alignment_bytes) {
    host_slabs_.emplace_back(size_bytes + alignment_bytes);
    void* base = host_slabs_.back().data();
    std::size_t space = host_slabs_.back().size();
    return {std::align(alignment_bytes, size_bytes, base, space), size_bytes};
  }

  /// Keeps the first failure.
  void attempt(std::function<void()> const& step, std::string& failure) const {
    try {
      step();
    } catch (error const& problem) {
      // An injected failure may show as anything; without one, bad input ends the check.
      if (problem.code() != errc::environment && !instruction_.retry) throw;
      if (failure.empty()) failure = problem.what();
    }
  }

  /// One use of the program from the state that it is in, up to the comparison of its results.
  void use(compiled_program& program, std::string& outputs, std::string& failure) {
    outputs = "not compared";
    attempt(
        [&] {
          if (neighbour_) {
            if (neighbour_->state() == program_state::loaded) neighbour_->initialise(values_);
            if (workspace_buffers const buffers = workspaces_of(*neighbour_); !buffers.empty())
              neighbour_->install(buffers);
          }
          if (program.state() == program_state::loaded)
            of_program(result_.in_init, [&] { program.initialise(values_); });
          install_workspace(program);
          call(program);
          outputs = compare();
        },
        failure);
  }

  /// Host memory is the argument itself: the program may have written it.
  void reset_host_arrays() {
    for (array_buffers& array : arrays_)
      if (array.argument == nullptr && !array.host.empty()) {
        std::ranges::copy(array.bound->array->bytes, array.host.begin());
        if (has_device())
          watcher().host_access(array.host.data(), array.host.size(), /*write=*/true);
      }
  }

  void finish(compiled_program& program, std::string& failure) {
    attempt([&] { of_program(result_.in_exit, [&] { program.finish(); }); }, failure);
  }

  /// Notes which calls of the runtime are the program's own, in the sum over its uses.
  void of_program(memory_calls& sum, std::function<void()> const& step) {
    struct noting {
      cell_harness& harness;
      memory_calls& sum;
      check_backend::call_counts const before = harness.backend_.counts();
      ~noting() {
        auto const after = harness.backend_.counts();
        if (after.calls != before.calls)
          harness.result_.program_calls.emplace_back(before.calls + 1, after.calls);
        sum.allocations += after.memory.allocations - before.memory.allocations;
        sum.releases += after.memory.releases - before.memory.releases;
      }
    } const note{*this, sum};
    step();
  }

  [[nodiscard]] bool has_device() const { return cell_.settings.target != target::cpu; }
  gpu_runtime& gpu() { return backend_.gpu(); }
  observer& watcher() { return backend_.watcher(); }
  [[nodiscard]] bool own_streams() const { return cell_.stream.kind == stream_kind_of_run::own; }

  void make_streams() {
    reader_ = gpu().create_stream(stream_kind::non_blocking);
    watcher().name_stream(reader_, "harness");
    if (cell_.stream.kind == stream_kind_of_run::external) {
      caller_ = gpu().create_stream(cell_.blocking_stream ? stream_kind::blocking
                                                          : stream_kind::non_blocking);
      watcher().name_stream(caller_, "caller");
    }
    if (!own_streams())
      values_.emplace(
          external_stream_symbol,
          argument_value::integer(dtype::int64, reinterpret_cast<std::intptr_t>(caller_.value)));
  }

  void* allocate(std::size_t size_bytes, std::string const& name) {
    if (size_bytes == 0) return nullptr;
    void* const pointer = gpu().allocate(size_bytes);
    watcher().name_memory(pointer, size_bytes, name);
    owned_.push_back(pointer);
    return pointer;
  }

  void upload(void* target, std::vector<std::byte> const& source) {
    if (source.empty()) return;
    gpu().copy_async(target, source.data(), source.size(), copy_direction::host_to_device, reader_);
    gpu().synchronise(reader_);
  }

  void make_arrays() {
    for (bound_argument const& argument : bound_.arguments) {
      if (!argument.array) {
        values_.emplace(argument.name, argument.scalar);
        continue;
      }
      array_buffers buffers;
      buffers.bound = &argument;
      buffers.host = argument.array->bytes;
      if (has_device() && argument.array->on_device) {
        buffers.argument = allocate(buffers.host.size(), argument.name);
        buffers.staging = allocate(buffers.host.size(), argument.name + " (harness's input)");
        buffers.consumed = allocate(buffers.host.size(), argument.name + " (harness's output)");
        upload(buffers.staging, buffers.host);
        std::ranges::fill(buffers.host, std::byte{});
        values_.emplace(argument.name, argument_value::pointer(buffers.argument));
        arrays_.push_back(std::move(buffers));
      } else {
        arrays_.push_back(std::move(buffers)); // moving keeps the address of the elements
        std::vector<std::byte>& host = arrays_.back().host;
        if (has_device() && !host.empty()) {
          watcher().name_memory(host.data(), host.size(), argument.name);
          watcher().host_access(host.data(), host.size(), /*write=*/true);
        }
        values_.emplace(argument.name, argument_value::pointer(host.data()));
      }
    }
    if (has_device() && cell_.settings.mode == memory_mode::pool) {
      guard_bytes_.resize(guard_size_bytes);
      for (std::size_t i = 0; i < guard_size_bytes; ++i)
        guard_bytes_[i] = static_cast<std::byte>(i * 37 + i / 256);
      guard_staging_ = allocate(guard_size_bytes, "caller's pattern");
      guard_consumed_ = allocate(guard_size_bytes, "caller's pattern read back");
      upload(guard_staging_, guard_bytes_);
    }
  }

  [[nodiscard]] std::size_t workspace_alignment() const {
    return plan_.workspaces.empty() ? 256 : plan_.workspaces.front().alignment_bytes;
  }

  [[nodiscard]] plan::workspace const* device_layout() const {
    auto const found = std::ranges::find(plan_.workspaces, "GPU_Global", &plan::workspace::storage);
    return found == plan_.workspaces.end() ? nullptr : &*found;
  }

  /// Tells the checker where the arrays lie in a slab of `size_bytes` at `base`.
  void annotate(std::byte* base, std::size_t size_bytes) {
    plan::workspace const& layout = *device_layout();
    for (auto const& slot : plan::placed_slots(plan_, layout, bound_.symbols)) {
      if (slot.offset_bytes >= size_bytes) continue;
      watcher().sub_array(base + slot.offset_bytes,
                          std::min(slot.size_bytes, size_bytes - slot.offset_bytes),
                          is_of_dace_ ? slot.element_bytes : layout.alignment_bytes, slot.name);
    }
  }

  /// DaCe computes sizes in 32 bits, and lets them fall below zero: a slab of that size would hold
  /// less than the arrays take.
  void demand_whole_size(workspace_need const& need) const {
    auto const layout =
        std::ranges::find(plan_.workspaces, need.storage, &plan::workspace::storage);
    if (layout == plan_.workspaces.end()) return;
    auto const whole =
        static_cast<std::size_t>(evaluate_integer(layout->size_bytes, bound_.symbols));
    if (need.size_bytes != whole)
      throw error(
          errc::environment,
          fmt::format("workspace for {}: the program asks for {} bytes, but its arrays take "
                      "{} for these symbols",
                      need.storage, need.size_bytes, whole));
  }

  workspace_buffers workspaces_of(compiled_program const& program) {
    workspace_buffers buffers;
    for (workspace_need const& need : program.workspace_needs()) {
      if (is_of_dace_) demand_whole_size(need);
      if (need.size_bytes == 0) continue;
      std::size_t const size =
          need.size_bytes + (cell_.workspace == workspace_size::larger ? 1000 : 0);
      buffers.emplace(need.storage, slab(need.storage, size, need.alignment_bytes));
    }
    return buffers;
  }

  void install_workspace(compiled_program& program) {
    workspace_buffers const buffers = workspaces_of(program);
    if (buffers.empty()) return;
    of_program(result_.in_call, [&] { program.install(buffers); });
    if (is_run_plant(instruction_.plant)) program.install_unchecked(spoiled(buffers));
  }

  /// What a caller does who changes the buffer after it was validated.
  workspace_buffers spoiled(workspace_buffers buffers) {
    auto const slab = buffers.find("GPU_Global");
    if (slab == buffers.end()) return buffers;
    plan::workspace const& layout = *device_layout();
    if (instruction_.plant == plant::short_workspace) {
      // Half of the last array is missing: programs need not touch every border element.
      std::size_t size = 0;
      for (plan::workspace_entry const& entry : layout.entries) {
        auto const offset =
            static_cast<std::size_t>(evaluate_integer(entry.offset_bytes, bound_.symbols));
        auto const bytes =
            static_cast<std::size_t>(evaluate_integer(entry.size_bytes, bound_.symbols));
        if (bytes != 0) size = std::max(size, offset + bytes / 2);
      }
      void* const shorter = allocate(std::max<std::size_t>(size, 1), "workspace");
      annotate(static_cast<std::byte*>(shorter), size);
      slab->second = {shorter, size};
    } else {
      std::size_t const shift = std::max<std::size_t>(
          1, size_bytes(plan_.buffers[index(layout.entries.front().buffer)].type) / 2);
      auto* const base =
          static_cast<std::byte*>(allocate(slab->second.size_bytes + shift, "workspace"));
      slab->second.base = base + shift;
    }
    return buffers;
  }

  /// The neighbour's use of the slab and of the arguments; nothing but the stream keeps the
  /// program's own use behind it.
  void call_neighbour() {
    if (!neighbour_) return;
    for (array_buffers& array : arrays_)
      if (array.argument != nullptr)
        gpu().launch_copy(array.argument, array.staging, array.host.size(), caller_);
    if (has_device()) {
      if (own_streams()) gpu().synchronise(caller_);
      watcher().open_use(plan_.name + " (neighbour)", caller_, /*check_stream=*/!own_streams());
    }
    try {
      neighbour_->call(values_);
    } catch (...) {
      if (has_device()) watcher().close_use();
      throw;
    }
    if (has_device()) watcher().close_use();
    // Arguments in host memory are its results now.
    bool const has_host_arrays = std::ranges::any_of(arrays_, [](array_buffers const& array) {
      return array.argument == nullptr && !array.host.empty();
    });
    if (has_host_arrays) {
      if (has_device()) gpu().synchronise(caller_);
      reset_host_arrays();
    }
  }

  void call(compiled_program& program) {
    call_neighbour();
    if (!has_device()) {
      program.call(values_);
      return;
    }
    sync_outputs_.reset();
    void* guard = nullptr;
    if (!guard_bytes_.empty()) {
      guard = gpu().allocate_async(guard_size_bytes, caller_);
      watcher().name_memory(guard, guard_size_bytes, "caller's pool memory");
      gpu().launch_copy(guard, guard_staging_, guard_size_bytes, caller_);
    }
    for (array_buffers& array : arrays_)
      if (array.argument != nullptr)
        gpu().launch_copy(array.argument, array.staging, array.host.size(), caller_);
    // The program's own streams know nothing of the caller's.
    if (own_streams()) gpu().synchronise(caller_);

    watcher().open_use(plan_.name, caller_, /*check_stream=*/!own_streams());
    try {
      of_program(result_.in_call, [&] { program.call(values_); });
    } catch (...) {
      watcher().close_use();
      std::string ignored; // the program's failure is the one to report
      if (guard != nullptr) attempt([&] { gpu().release_async(guard, caller_); }, ignored);
      throw;
    }
    watcher().close_use();

    if (cell_.settings.call == call_kind::sync) read_back(&array_buffers::argument);
    // What a program with streams of its own returns is finished for everybody. DaCe's code may use
    // the default stream all the same.
    stream_handle const consumer = own_streams() && !is_of_dace_ ? reader_ : caller_;
    for (array_buffers& array : arrays_)
      if (array.argument != nullptr)
        gpu().launch_copy(array.consumed, array.argument, array.host.size(), consumer);
    if (guard != nullptr) {
      gpu().launch_copy(guard_consumed_, guard, guard_size_bytes, caller_);
      gpu().release_async(guard, caller_);
    }
    if (cell_.settings.call == call_kind::sync) sync_outputs_ = compare_arrays();
    gpu().synchronise(caller_);
    read_back(&array_buffers::consumed);
  }

  /// Reads every output through the harness's stream, which nothing orders with the caller's.
  void read_back(void* array_buffers::*source) {
    for (array_buffers& array : arrays_) {
      if (array.host.empty() || !is_compared(array)) continue;
      if (array.*source != nullptr)
        gpu().copy_async(array.host.data(), array.*source, array.host.size(),
                         copy_direction::device_to_host, reader_);
    }
    gpu().synchronise(reader_);
    for (array_buffers& array : arrays_)
      if (!array.host.empty() && is_compared(array))
        watcher().host_access(array.host.data(), array.host.size(), /*write=*/false);
  }

  [[nodiscard]] bool is_compared(array_buffers const& array) const {
    return !instruction_.output_directory.empty() || bound_.expect.contains(array.bound->name);
  }

  /// The first difference of any array, or nothing.
  [[nodiscard]] std::optional<std::string> compare_arrays() const {
    for (array_buffers const& array : arrays_) {
      auto const expected = bound_.expect.find(array.bound->name);
      if (expected == bound_.expect.end()) continue;
      if (auto difference = first_difference(*array.bound, array.host, expected->second,
                                             bound_.relative_tolerance, bound_.absolute_tolerance))
        return difference;
    }
    return std::nullopt;
  }

  std::string compare() {
    if (bound_.expect.empty()) return "not compared";
    if (sync_outputs_) return "when the call returned: " + *sync_outputs_;
    if (auto const difference = compare_arrays()) return *difference;
    if (!guard_bytes_.empty()) {
      std::vector<std::byte> seen(guard_size_bytes);
      gpu().copy_async(seen.data(), guard_consumed_, guard_size_bytes,
                       copy_direction::device_to_host, reader_);
      gpu().synchronise(reader_);
      watcher().host_access(seen.data(), seen.size(), /*write=*/false);
      if (seen != guard_bytes_) return "the caller's pool memory was changed";
    }
    return "equal";
  }

  void load_expected(std::filesystem::path const& folder) {
    bound_.expect.clear();
    for (bound_argument const& argument : bound_.arguments) {
      std::filesystem::path const file = folder / (argument.name + ".npy");
      if (argument.array && std::filesystem::exists(file))
        bound_.expect.emplace(argument.name, read_npy(file));
    }
  }

  void write_outputs(std::filesystem::path const& folder) const {
    for (array_buffers const& array : arrays_)
      write_npy(folder / (array.bound->name + ".npy"), packed(*array.bound, array.host));
  }

  void release() {
    if (!has_device()) return;
    for (void* const pointer : owned_) gpu().release(pointer);
    if (caller_.value != nullptr) gpu().destroy_stream(caller_);
    gpu().destroy_stream(reader_);
  }

  cell_instruction const& instruction_;
  check_cell const& cell_;
  check_backend& backend_;
  bool is_of_dace_ = false;
  sdfg::graph graph_;
  plan::program plan_;
  bound_case bound_;
  argument_values values_;
  stream_handle caller_, reader_;
  std::vector<array_buffers> arrays_;
  std::vector<void*> owned_;
  std::vector<std::vector<std::byte>> host_slabs_;
  std::unique_ptr<compiled_program> neighbour_; ///< where the workspace is shared
  workspace_buffers shared_slabs_;
  std::vector<std::byte> guard_bytes_;
  void* guard_staging_ = nullptr;
  void* guard_consumed_ = nullptr;
  std::optional<std::string> sync_outputs_;
  cell_result result_;
};

} // namespace

int run_cell(std::string const& text, check_backend& backend, int descriptor) {
  try {
    cell_instruction const instruction = parse_instruction(text);
    backend.start(instruction.cell, instruction.extra_edges,
                  {[=](check_finding const& finding) { write_line(descriptor, finding); },
                   [=](std::uint64_t orders, std::string const& problem) {
                     if (problem.empty())
                       write_line(descriptor, cell_orders{orders});
                     else
                       write_line(descriptor, cell_error{errc::invalid_input, problem, {}, {}});
                   }});
    cell_result result = cell_harness(instruction, backend).run();
    check_backend::totals const totals = backend.finish();
    result.operations = totals.operations;
    result.accesses = totals.accesses;
    result.order = totals.order;
    result.failed_call = totals.failed_call;
    // On the host nothing is checked, and nobody says that it is.
    if (instruction.cell.settings.target != target::cpu) result.unhooked = totals.unhooked;
    write_line(descriptor, result);
    return 0;
  } catch (error const& problem) {
    write_line(descriptor,
               cell_error{problem.code(), problem.what(), problem.place(), problem.file()});
    return static_cast<int>(problem.code());
  }
}

} // namespace assay
