#include "assay/execute.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "assay/error.hpp"
#include "assay/mix.hpp"
#include "plan/execute_footprints.hpp"
#include "plan/execute_values.hpp"

namespace assay::plan {
namespace {

enum class flow : std::uint8_t { next, break_loop, continue_loop, return_program };

constexpr std::size_t host_alignment_bytes = 64;

void* host_allocate(std::size_t size_bytes) {
  return ::operator new (size_bytes, std::align_val_t{host_alignment_bytes});
}
struct host_release {
  void operator()(void* p) const { ::operator delete (p, std::align_val_t{host_alignment_bytes}); }
};
using host_block = std::unique_ptr<void, host_release>;

std::int64_t integer_of(scalar_value const& v) {
  if (auto const* i = std::get_if<std::int64_t>(&v)) return *i;
  return host_value::of(std::get<double>(v)).as_integer();
}
host_value value_of(scalar_value const& v) {
  if (auto const* i = std::get_if<std::int64_t>(&v)) return host_value::of(*i);
  return host_value::of(std::get<double>(v));
}

std::size_t clamped(expression const& size, symbol_values const& symbols) {
  return static_cast<std::size_t>(std::max<std::int64_t>(0, evaluate_integer(size, symbols)));
}

} // namespace

struct execution::implementation final : value_source {
  /// Memory of one buffer in the current call.
  struct memory {
    void* base = nullptr;  ///< what allocation gave; released as it is
    char* first = nullptr; ///< element 0 of the pointer that the plan names
    bool live_in_call = false;
    alignas(8) unsigned char slot[16] = {}; ///< of a by-value scalar
  };
  struct workspace_memory {
    void* base = nullptr;
    std::size_t size_bytes = 0;
  };

  program const& plan;
  gpu_runtime& runtime;
  observer& watcher;
  execution_counts counts;

  bool initialised = false;
  symbol_values init_symbols;
  stream_handle external_stream;
  std::vector<stream_handle> own_streams;
  std::vector<event_handle> events;
  std::vector<memory> memories;
  /// Host memory that the plan has released. It is kept until nothing is in flight: a copy that the
  /// plan failed to wait for is for the checker to report, not for the heap to suffer.
  std::vector<host_block> retired;
  std::map<std::string, workspace_memory> workspaces;

  symbol_values symbols;
  std::map<std::string, double> reals; ///< symbols of floating type
  std::map<std::string, buffer_id> by_name;
  std::map<std::string, dtype> symbol_types;

  implementation(program const& p, gpu_runtime& r, observer& o)
      : plan(p), runtime(r), watcher(o), memories(p.buffers.size()) {
    for (std::size_t k = 0; k < plan.buffers.size(); ++k)
      by_name.emplace(plan.buffers[k].name, static_cast<buffer_id>(k));
    for (auto const& s : plan.symbols) symbol_types.emplace(s.name, s.type);
  }

  // ---- names ------------------------------------------------------------------------------------

  [[nodiscard]] buffer const& info(buffer_id id) const { return plan.buffers[index(id)]; }
  [[nodiscard]] char* first(buffer_id id) {
    auto& m = memories[index(id)];
    return info(id).by_value ? reinterpret_cast<char*>(m.slot) : m.first;
  }
  [[nodiscard]] stream_handle stream(stream_id id) const {
    return own_streams.empty() ? external_stream : own_streams.at(index(id));
  }
  [[nodiscard]] event_handle event(event_id id) const { return events.at(index(id)); }

  [[nodiscard]] host_value read_element(buffer_id id, std::int64_t offset) const {
    auto const& b = info(id);
    if (b.space == memory_space::device)
      throw error(errc::invalid_input, "host control flow reads device memory of '" + b.name + "'",
                  b.place);
    auto const& m = memories[index(id)];
    char const* base = b.by_value ? reinterpret_cast<char const*>(m.slot) : m.first;
    std::size_t const size = size_bytes(b.type);
    char const* element = base + offset * static_cast<std::ptrdiff_t>(size);
    watcher.host_access(element, size, false);
    ++const_cast<execution_counts&>(counts).host_reads;
    return load(element, b.type);
  }
  [[nodiscard]] host_value named(std::string const& name) const override {
    if (auto const found = symbols.find(name); found != symbols.end())
      return host_value::of(found->second);
    if (auto const found = reals.find(name); found != reals.end())
      return host_value::of(found->second);
    if (auto const found = by_name.find(name); found != by_name.end())
      return read_element(found->second, 0);
    throw error(errc::invalid_input, "host control flow reads '" + name + "', which has no value");
  }
  [[nodiscard]] host_value element(std::string const& variable,
                                   std::int64_t offset) const override {
    auto const found = by_name.find(variable);
    if (found == by_name.end())
      throw error(errc::invalid_input,
                  "host control flow indexes '" + variable + "', which is no buffer");
    return read_element(found->second, offset);
  }
  void set_symbol(std::string const& name, host_value value) {
    auto const type = symbol_types.find(name);
    if (type == symbol_types.end() || type->second == dtype::int64) {
      symbols[name] = value.as_integer();
    } else if (is_floating(type->second)) {
      reals[name] = value.as_real();
    } else { // the variable's own width decides what is kept
      alignas(8) unsigned char narrow[16] = {};
      store(narrow, type->second, value);
      symbols[name] = load(narrow, type->second).integer;
    }
  }

  // ---- memory -----------------------------------------------------------------------------------

  [[nodiscard]] std::size_t buffer_size_bytes(buffer const& b, symbol_values const& values) const {
    return clamped(b.element_count, values) * size_bytes(b.type);
  }
  void place(buffer_id id, void* base, std::size_t size) {
    auto const& b = info(id);
    auto& m = memories[index(id)];
    m.base = base;
    m.first = static_cast<char*>(base);
    if (base == nullptr) return;
    m.first +=
        evaluate_integer(b.start_offset, symbols) * static_cast<std::ptrdiff_t>(size_bytes(b.type));
    watcher.name_memory(base, size, b.name);
  }
  void make(buffer_id id, stream_id on) {
    auto const& b = info(id);
    auto& m = memories[index(id)];
    if (b.by_value) {
      watcher.mark_undefined(m.slot, size_bytes(b.type));
      return;
    }
    std::size_t const size = buffer_size_bytes(b, symbols);
    void* base = nullptr;
    if (size > 0) {
      if (b.space == memory_space::device)
        base = b.provision == provision::call_pool ? runtime.allocate_async(size, stream(on))
                                                   : runtime.allocate(size);
      else
        base = host_allocate(size);
    }
    m.live_in_call = b.provision == provision::call || b.provision == provision::call_pool;
    place(id, base, size);
    if (base != nullptr && b.space != memory_space::device) watcher.mark_undefined(base, size);
  }
  /// `keeps_pointer`: a planted fault, later steps use the memory all the same.
  void unmake(buffer_id id, stream_id on, bool keeps_pointer = false) {
    auto const& b = info(id);
    auto& m = memories[index(id)];
    m.live_in_call = false;
    if (b.by_value || m.base == nullptr) return;
    void* const base = m.base;
    if (!keeps_pointer || b.space != memory_space::device) m.base = m.first = nullptr;
    if (b.space != memory_space::device) {
      // Returning the bytes is an access to all of them: work in flight may not touch them any
      // more.
      watcher.host_access(base, buffer_size_bytes(b, symbols), true);
      retired.emplace_back(base);
    } else if (b.provision == provision::call_pool) {
      runtime.release_async(base, stream(on));
    } else {
      runtime.release(base);
    }
  }
  /// After a failure: nothing of the call stays allocated. What it has queued may still be running
  /// on any stream, since the waits behind it were not reached.
  void release_what_the_call_made() noexcept {
    try {
      if (plan.settings.target != target::cpu) runtime.synchronise_device();
    } catch (error const&) { // the first failure is the one that the caller sees
    }
    for (std::size_t k = 0; k < memories.size(); ++k) {
      if (!memories[k].live_in_call) continue;
      try {
        unmake(static_cast<buffer_id>(k), stream_id{});
      } catch (error const&) { // the first failure is the one that the caller sees
        memories[k].live_in_call = false;
      }
    }
  }

  // ---- life -------------------------------------------------------------------------------------

  void init(symbol_values const& given) {
    if (initialised)
      throw error(errc::invalid_input, "program '" + plan.name + "' is initialised already");
    for (auto const& a : plan.signature.init)
      if (!given.contains(a.name))
        throw error(errc::invalid_input,
                    "symbol '" + a.name + "' of program '" + plan.name + "' is not given to init");
    init_symbols = given;
    symbols = given;
    initialised = true;
    try {
      if (plan.settings.target != target::cpu) {
        int const own = plan.settings.own_streams > 0 ? plan.stream_count : 0;
        for (int k = 0; k < own; ++k) {
          own_streams.push_back(runtime.create_stream(stream_kind::non_blocking));
          watcher.name_stream(own_streams.back(), "own[" + std::to_string(k) + "]");
        }
        if (own_streams.empty())
          external_stream.value = reinterpret_cast<void*>(
              static_cast<std::uintptr_t>(given.at(std::string(external_stream_symbol))));
        for (int k = 0; k < plan.event_count; ++k) events.push_back(runtime.create_event());
      }
      for (std::size_t k = 0; k < plan.buffers.size(); ++k)
        if (plan.buffers[k].provision == provision::persistent)
          make(static_cast<buffer_id>(k), stream_id{});
    } catch (...) {
      try {
        exit();
      } catch (error const&) { // the first failure is the one that the caller sees
      }
      throw;
    }
  }

  void exit() {
    if (!initialised)
      throw error(errc::invalid_input, "program '" + plan.name + "' is not initialised");
    initialised = false;
    std::exception_ptr failure;
    auto const attempt = [&](auto const& step) {
      try {
        step();
      } catch (error const&) { // one failure must not keep the rest alive
        if (!failure) failure = std::current_exception();
      }
    };
    for (std::size_t k = 0; k < plan.buffers.size(); ++k)
      if (plan.buffers[k].provision == provision::persistent)
        attempt([&] { unmake(static_cast<buffer_id>(k), stream_id{}); });
    if (plan.settings.target != target::cpu) attempt([&] { runtime.synchronise_device(); });
    retired.clear();
    for (auto const s : std::exchange(own_streams, {}))
      attempt([&] { runtime.destroy_stream(s); });
    for (auto const e : std::exchange(events, {})) attempt([&] { runtime.destroy_event(e); });
    if (failure) std::rethrow_exception(failure);
  }

  void check_workspaces() {
    for (auto const& w : plan.workspaces) {
      std::size_t const needed = clamped(w.size_bytes, symbols);
      std::string const object = "workspace for " + w.storage + ": ";
      auto const given = workspaces.find(w.storage);
      if (given == workspaces.end()) {
        if (needed == 0) continue;
        throw error(errc::invalid_input, object + "not set");
      }
      auto const [base, size] = given->second;
      if (size < needed)
        throw error(errc::invalid_input, object + std::to_string(size) + " bytes given, " +
                                             std::to_string(needed) + " needed");
      if (needed == 0) continue;
      if (base == nullptr) throw error(errc::invalid_input, object + "base is null");
      if (reinterpret_cast<std::uintptr_t>(base) % w.alignment_bytes != 0)
        throw error(errc::invalid_input, object + "base is not aligned to " +
                                             std::to_string(w.alignment_bytes) + " bytes");
    }
  }
  void install_workspaces() {
    for (auto const& w : plan.workspaces) {
      auto const given = workspaces.find(w.storage);
      char* const base =
          given == workspaces.end() ? nullptr : static_cast<char*>(given->second.base);
      if (base != nullptr) {
        watcher.clear_sub_arrays(base);
        for (auto const& slot : placed_slots(plan, w, symbols))
          watcher.sub_array(base + slot.offset_bytes, slot.size_bytes, slot.element_bytes, slot.name);
      }
      for (auto const& entry : w.entries) {
        auto const& b = info(entry.buffer);
        std::size_t const size = clamped(entry.size_bytes, symbols);
        auto& m = memories[index(entry.buffer)];
        m.base = size == 0 || base == nullptr
                     ? nullptr
                     : base + evaluate_integer(entry.offset_bytes, symbols);
        m.first = static_cast<char*>(m.base);
        if (m.base == nullptr) continue;
        m.first += evaluate_integer(b.start_offset, symbols) *
                   static_cast<std::ptrdiff_t>(size_bytes(b.type));
      }
    }
  }
  void check_persistent_sizes() {
    for (auto const& b : plan.buffers) {
      if (b.provision != provision::persistent) continue;
      std::size_t const made = buffer_size_bytes(b, init_symbols),
                        needed = buffer_size_bytes(b, symbols);
      if (made != needed)
        throw error(errc::invalid_input, "persistent memory of '" + b.name + "' was made with " +
                                             std::to_string(made) + " bytes, this call needs " +
                                             std::to_string(needed));
    }
  }

  void bind(call_arguments const& given) {
    symbols = init_symbols;
    reals.clear();
    auto const missing = [&](std::string const& name) {
      return error(errc::invalid_input,
                   "argument '" + name + "' of program '" + plan.name + "' is not given");
    };
    for (auto const& a : plan.signature.arguments) {
      if (!a.is_symbol) continue;
      auto const found = given.scalars.find(a.name);
      if (found == given.scalars.end()) {
        if (!init_symbols.contains(a.name)) throw missing(a.name);
      } else if (is_floating(a.type.type)) {
        reals[a.name] = value_of(found->second).as_real();
      } else {
        symbols[a.name] = integer_of(found->second);
      }
    }
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      auto const& b = plan.buffers[k];
      if (b.provision != provision::argument) continue;
      auto& m = memories[k];
      if (b.by_value) {
        auto const found = given.scalars.find(b.container);
        if (found == given.scalars.end()) throw missing(b.container);
        watcher.host_access(m.slot, size_bytes(b.type), true);
        store(m.slot, b.type, value_of(found->second));
      } else {
        auto const found = given.arrays.find(b.container);
        if (found == given.arrays.end()) throw missing(b.container);
        m.base = found->second;
        m.first = static_cast<char*>(found->second);
      }
    }
  }

  void call(call_arguments const& arguments) {
    if (!initialised)
      throw error(errc::invalid_input, "program '" + plan.name + "' is called before init");
    bind(arguments);
    check_workspaces();
    check_persistent_sizes();
    install_workspaces();
    bool const on_gpu = plan.settings.target != target::cpu;
    if (on_gpu) watcher.open_use(plan.name, stream(stream_id{}), own_streams.empty());
    try {
      run(plan.body);
    } catch (...) {
      release_what_the_call_made();
      if (on_gpu) watcher.close_use();
      throw;
    }
    if (on_gpu) watcher.close_use();
    // The parameters of the call end here: their bytes are anybody's.
    for (std::size_t k = 0; k < plan.buffers.size(); ++k)
      if (auto const& b = plan.buffers[k]; b.by_value && b.provision == provision::argument)
        watcher.host_access(memories[k].slot, size_bytes(b.type), true);
  }

  // ---- stand-ins --------------------------------------------------------------------------------

  void require_width(buffer const& b, bool accumulates, std::string const& place) const {
    std::size_t const width = size_bytes(b.type);
    if (accumulates ? width == 8 : width <= 8) return;
    throw error(errc::unsupported,
                std::string(accumulates ? "accumulating stand-in" : "stand-in") + " over '" +
                    b.name + "' of type " + std::string(name(b.type)),
                place);
  }

  void run(launch const& l, std::string const& place) {
    auto const& k = plan.kernels[index(l.kernel)];
    for (auto const& d : k.dimensions)
      if (evaluate_integer(d.range.end, symbols) < evaluate_integer(d.range.begin, symbols)) return;
    std::uint64_t seed = mix_seed(k.place);
    auto const boxes = [&](touch how) {
      std::vector<byte_box> result;
      for (auto const& t : touches(l.footprints, how, plan, symbols)) {
        auto const& b = info(t.buffer);
        if (b.by_value) { // passed when the launch is issued
          seed = mix(seed, load_bits(t.buffer, 0));
          continue;
        }
        require_width(b, how == touch::accumulate, place);
        auto const width = static_cast<std::ptrdiff_t>(size_bytes(b.type));
        for (auto const& box : t.boxes) {
          byte_box bytes{first(t.buffer) + box.offset * width, static_cast<std::size_t>(width), {}};
          for (auto const& e : box.extents)
            bytes.extents.push_back({static_cast<std::size_t>(e.count), e.stride * width});
          result.push_back(std::move(bytes));
        }
      }
      return result;
    };
    ++counts.launches;
    auto const reads = boxes(touch::read), writes = boxes(touch::write),
               sums = boxes(touch::accumulate);
    runtime.launch_mix(seed, reads, writes, sums,
                       l.null_stream ? stream_handle{} : stream(l.stream), k.name);
  }

  [[nodiscard]] std::uint64_t load_bits(buffer_id id, std::int64_t offset) {
    std::size_t const width = size_bytes(info(id).type);
    char const* const at = first(id) + offset * static_cast<std::ptrdiff_t>(width);
    watcher.host_access(at, width, false);
    std::uint64_t bits = 0;
    std::memcpy(&bits, at, width); // little-endian, as every GPU
    return bits;
  }
  void store_bits(buffer_id id, std::int64_t offset, std::uint64_t bits) {
    std::size_t const width = size_bytes(info(id).type);
    char* const at = first(id) + offset * static_cast<std::ptrdiff_t>(width);
    watcher.host_access(at, width, true);
    std::memcpy(at, &bits, width);
  }

  void run(host_compute const& h, std::string const& place) {
    ++counts.host_steps;
    if (h.body.size() == 1)
      if (auto const* c = std::get_if<compute_copy>(&h.body.front().content);
          c != nullptr && c->resolution.kind == reduction::none)
        return copy_on_host(*c);
    if (!has_iterations(h.body)) return;
    std::uint64_t hash = mix_seed(place);
    auto const reads = touches(h.footprints, touch::read, plan, symbols);
    for (bool const by_value : {true, false})
      for (auto const& t : reads)
        if (info(t.buffer).by_value == by_value)
          for_each_element(t, false, place, [&](std::int64_t offset, std::uint64_t) {
            hash = mix(hash, load_bits(t.buffer, offset));
          });
    for (auto const& t : touches(h.footprints, touch::write, plan, symbols))
      for_each_element(t, false, place, [&](std::int64_t offset, std::uint64_t i) {
        store_bits(t.buffer, offset, mix(hash, i));
      });
    for (auto const& t : touches(h.footprints, touch::accumulate, plan, symbols))
      for_each_element(t, true, place, [&](std::int64_t offset, std::uint64_t i) {
        store_bits(t.buffer, offset, load_bits(t.buffer, offset) + mix(hash, i));
      });
  }
  template <typename Function>
  void for_each_element(touched const& t, bool accumulates, std::string const& place,
                        Function const& f) {
    auto const& b = info(t.buffer);
    require_width(b, accumulates, place);
    if (b.space == memory_space::device)
      throw error(errc::invalid_input, "host computation touches device memory of '" + b.name + "'",
                  place);
    for (auto const& box : t.boxes) {
      std::uint64_t i = 0;
      for_each_offset(box, [&](std::int64_t offset) { f(offset, i++); });
    }
  }
  /// A map over nothing touches nothing, whatever its footprints say. Ranges that depend on outer
  /// parameters are not known here and count as running.
  [[nodiscard]] bool has_iterations(compute_block const& body) const {
    auto const* range = body.size() == 1 ? std::get_if<for_range>(&body.front().content) : nullptr;
    if (range == nullptr) return true;
    for (auto const* bound : {&range->range.begin, &range->range.end})
      for (auto const& name : free_names(*bound))
        if (!symbols.contains(name)) return true;
    if (evaluate_integer(range->range.end, symbols) < evaluate_integer(range->range.begin, symbols))
      return false;
    return has_iterations(range->body);
  }

  void copy_on_host(compute_copy const& c) {
    known_box source, target;
    for (auto const& d : c.dimensions) {
      std::int64_t const count = evaluate_integer(d.count, symbols);
      if (count <= 0) return;
      source.extents.push_back({count, evaluate_integer(d.source_stride, symbols)});
      target.extents.push_back({count, evaluate_integer(d.target_stride, symbols)});
    }
    auto const start = [&](location const& l, known_box& box) {
      if (!l.is_value) box.offset = evaluate_integer(l.offset, symbols);
      return by_name.at(l.variable);
    };
    auto const from = start(c.source, source), to = start(c.target, target);
    std::vector<std::uint64_t> values;
    for_each_offset(source,
                    [&](std::int64_t offset) { values.push_back(load_bits(from, offset)); });
    auto next = values.begin();
    for_each_offset(target, [&](std::int64_t offset) { store_bits(to, offset, *next++); });
  }

  // ---- copies -----------------------------------------------------------------------------------

  struct copy_extent {
    std::int64_t count, source_stride, target_stride; ///< in elements
  };
  void run(copy const& c) {
    auto const& source = info(c.source);
    auto const& target = info(c.target);
    ASSAY_ASSERT(size_bytes(source.type) == size_bytes(target.type));
    std::vector<copy_extent> extents;
    for (auto const& d : c.dimensions) {
      std::int64_t const count = evaluate_integer(d.count, symbols);
      if (count <= 0) return;
      extents.push_back({count, evaluate_integer(d.source_stride, symbols),
                         evaluate_integer(d.target_stride, symbols)});
    }
    auto const size = static_cast<std::ptrdiff_t>(size_bytes(source.type));
    bool const from_device = source.space == memory_space::device;
    bool const to_device = target.space == memory_space::device;
    ASSAY_ASSERT(from_device || to_device);
    auto const direction = !from_device ? copy_direction::host_to_device
                           : to_device  ? copy_direction::device_to_device
                                        : copy_direction::device_to_host;
    // Innermost: bytes of one row; without a unit-stride dimension a row is one element.
    std::size_t width = static_cast<std::size_t>(size);
    if (!extents.empty() && extents.back().source_stride == 1 &&
        extents.back().target_stride == 1) {
      width *= static_cast<std::size_t>(extents.back().count);
      extents.pop_back();
    }
    copy_rows(first(c.target) + evaluate_integer(c.target_offset, symbols) * size,
              first(c.source) + evaluate_integer(c.source_offset, symbols) * size, width, size,
              extents, direction, stream(c.stream));
  }
  void copy_rows(char* target, char const* source, std::size_t width, std::ptrdiff_t size,
                 std::span<copy_extent const> extents, copy_direction direction, stream_handle on) {
    if (extents.empty()) {
      ++counts.copies;
      return runtime.copy_async(target, source, width, direction, on);
    }
    auto const& e = extents.front();
    auto const row = static_cast<std::int64_t>(width);
    if (extents.size() == 1 && e.source_stride * size >= row && e.target_stride * size >= row) {
      ++counts.copies;
      return runtime.copy_2d_async(target, static_cast<std::size_t>(e.target_stride * size), source,
                                   static_cast<std::size_t>(e.source_stride * size), width,
                                   static_cast<std::size_t>(e.count), direction, on);
    }
    for (std::int64_t i = 0; i < e.count; ++i)
      copy_rows(target + i * e.target_stride * size, source + i * e.source_stride * size, width,
                size, extents.subspan(1), direction, on);
  }

  void run(fill_zero const& f) {
    auto const& b = info(f.buffer);
    std::size_t const size = b.by_value ? size_bytes(b.type) : buffer_size_bytes(b, symbols);
    if (size == 0) return;
    char* const target =
        b.by_value ? first(f.buffer) : static_cast<char*>(memories[index(f.buffer)].base);
    if (b.space == memory_space::device)
      return runtime.fill_async(target, 0, size, stream(f.stream));
    watcher.host_access(target, size, true);
    std::memset(target, 0, size);
  }

  // ---- host control flow ------------------------------------------------------------------------

  void assign_all(std::vector<std::pair<std::string, expression>> const& assignments) {
    std::vector<host_value> values;
    for (auto const& [name, value] : assignments) values.push_back(evaluate(value, *this));
    for (std::size_t k = 0; k < values.size(); ++k) set_symbol(assignments[k].first, values[k]);
  }
  void run(std::vector<statement> const& code, std::string const& place) {
    for (auto const& line : code) {
      if (line.what == statement::kind::pass) continue;
      if (line.what != statement::kind::assign || line.target->kind != expression_kind::name)
        throw error(errc::unsupported, "loop statement that is no assignment to a symbol", place);
      set_symbol(line.target->text,
                 evaluate(line.augmented.empty()
                              ? line.value
                              : expression::binary(line.augmented, line.target, line.value),
                          *this));
    }
  }
  flow run(branch const& b) {
    for (auto const& arm : b.arms)
      if (!arm.condition || evaluate(*arm.condition, *this).truth()) return run(arm.body);
    return flow::next;
  }
  flow run(loop const& l, std::string const& place) {
    run(l.init, place);
    auto const holds = [&] {
      run(l.prepare);
      return !l.condition || evaluate(*l.condition, *this).truth();
    };
    for (std::uint64_t iteration = 0;; ++iteration) {
      if (!l.inverted && !holds()) return flow::next;
      if (iteration == iteration_limit)
        throw error(errc::invalid_input,
                    "loop runs more than " + std::to_string(iteration_limit) + " times", place);
      ++counts.iterations;
      flow const end = run(l.body);
      if (end == flow::break_loop) return flow::next;
      if (end == flow::return_program) return end;
      bool const update_first = !l.inverted || l.update_before_condition;
      if (update_first) run(l.update, place);
      if (!l.inverted) continue;
      if (!holds()) return flow::next;
      if (!update_first) run(l.update, place);
    }
  }

  // ---- steps ------------------------------------------------------------------------------------

  struct visitor {
    implementation& self;
    std::string const& place;
    flow operator()(allocate const& s) const { return self.make(s.buffer, s.stream), flow::next; }
    flow operator()(release const& s) const {
      return self.unmake(s.buffer, s.stream, s.keeps_pointer), flow::next;
    }
    flow operator()(fill_zero const& s) const { return self.run(s), flow::next; }
    flow operator()(launch const& s) const { return self.run(s, place), flow::next; }
    flow operator()(copy const& s) const { return self.run(s), flow::next; }
    flow operator()(record const& s) const {
      return self.runtime.record(self.event(s.event), self.stream(s.stream)), flow::next;
    }
    flow operator()(stream_wait const& s) const {
      ++self.counts.stream_waits;
      return self.runtime.wait(self.stream(s.stream), self.event(s.event)), flow::next;
    }
    flow operator()(synchronise const& s) const {
      ++self.counts.synchronisations;
      return self.runtime.synchronise(self.stream(s.stream)), flow::next;
    }
    flow operator()(host_compute const& s) const { return self.run(s, place), flow::next; }
    flow operator()(timer_start const& s) const {
      self.store_host(s.start, host_value::of(nanoseconds()));
      return flow::next;
    }
    flow operator()(timer_stop const& s) const {
      auto const elapsed = nanoseconds() - self.read_element(s.start, 0).as_integer();
      self.store_host(s.duration, host_value::of(static_cast<double>(elapsed) * 1e-9));
      return flow::next;
    }
    flow operator()(assign const& s) const { return self.assign_all(s.assignments), flow::next; }
    flow operator()(branch const& s) const { return self.run(s); }
    flow operator()(loop const& s) const { return self.run(s, place); }
    flow operator()(jump const& s) const {
      switch (s.kind) {
      case sdfg::jump::break_loop:
        return flow::break_loop;
      case sdfg::jump::continue_loop:
        return flow::continue_loop;
      case sdfg::jump::return_program:
        return flow::return_program;
      }
      return flow::next;
    }
    static std::int64_t nanoseconds() {
      return std::chrono::duration_cast<std::chrono::nanoseconds>(
                 std::chrono::steady_clock::now().time_since_epoch())
          .count();
    }
  };
  void store_host(buffer_id id, host_value const& value) {
    auto const type = info(id).type;
    watcher.host_access(first(id), size_bytes(type), true);
    store(first(id), type, value);
  }
  flow run(step_list const& steps) {
    for (auto const& s : steps)
      if (flow const end = std::visit(visitor{*this, s.place}, s.content); end != flow::next)
        return end;
    return flow::next;
  }
};

execution::execution(program const& p, gpu_runtime& r, observer& o)
    : implementation_(std::make_unique<implementation>(p, r, o)) {}

execution::~execution() {
  if (!implementation_->initialised) return;
  try {
    implementation_->exit();
  } catch (error const&) { // a destructor has nobody to tell
  }
}

void execution::init(symbol_values const& symbols) { implementation_->init(symbols); }

std::size_t execution::workspace_size_bytes(std::string_view storage,
                                            symbol_values const& symbols) const {
  for (auto const& w : implementation_->plan.workspaces)
    if (w.storage == storage) return clamped(w.size_bytes, symbols);
  return 0;
}

void execution::set_workspace(std::string const& storage, void* base, std::size_t size_bytes) {
  implementation_->workspaces[storage] = {base, size_bytes};
}

void execution::call(call_arguments const& arguments) { implementation_->call(arguments); }
void execution::exit() { implementation_->exit(); }
execution_counts const& execution::counts() const noexcept { return implementation_->counts; }

} // namespace assay::plan
