#include "fuzz/run.hpp"

#include <algorithm>

#include "assay/error.hpp"
#include "assay/mix.hpp"

namespace assay::fuzz {
namespace {

class caller {
public:
  caller(plan::program const& p, symbol_values const& symbols,
         std::map<std::string, words>& content, run_spec const& how, gpu_runtime& runtime,
         observer& watcher)
      : plan_(p), symbols_(symbols), content_(content), how_(how), runtime_(runtime),
        watcher_(watcher), on_gpu_(p.settings.target != target::cpu) {}

  outcome run(std::size_t withheld_bytes) {
    outcome result;
    set_up();
    {
      plan::execution program(plan_, runtime_, watcher_);
      symbol_values init = symbols_;
      init[std::string(external_stream_symbol)] =
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream_.value));
      program.init(init);
      give_workspaces(program, withheld_bytes, result);
      produce();
      try {
        for (int k = 0; k < how_.calls; ++k) {
          if (k > 0) wait_for_host_arguments();
          program.call(arguments_);
        }
      } catch (error const& e) {
        if (e.code() != errc::invalid_input) throw;
        result.refused = e.what();
      }
      result.counts = program.counts();
      consume(result.refused.has_value());
      program.exit();
    }
    clean_up();
    result.memory = std::move(content_);
    return result;
  }

private:
  struct device_argument {
    std::string name;
    void* memory = nullptr;
    void* staging = nullptr; ///< input of the producer, output of the consumer
    std::size_t size_bytes = 0;
  };

  plan::program const& plan_;
  symbol_values const& symbols_;
  std::map<std::string, words>& content_;
  run_spec const& how_;
  gpu_runtime& runtime_;
  observer& watcher_;
  bool on_gpu_;
  plan::call_arguments arguments_;
  std::vector<device_argument> device_;
  std::vector<std::string> host_;
  stream_handle stream_, harness_;
  std::vector<void*> slabs_;
  std::vector<std::vector<char>> host_slabs_;
  void* pool_memory_ = nullptr;

  [[nodiscard]] bool returns_finished() const {
    return plan_.settings.call == call_kind::sync || plan_.settings.own_streams > 0;
  }

  void set_up() {
    if (on_gpu_) {
      harness_ = runtime_.create_stream(stream_kind::non_blocking);
      watcher_.name_stream(harness_, "harness");
      if (how_.stream != caller_stream::null_stream) {
        stream_ = runtime_.create_stream(how_.stream == caller_stream::blocking
                                             ? stream_kind::blocking
                                             : stream_kind::non_blocking);
        watcher_.name_stream(stream_, "caller");
      }
    }
    for (auto const& [name, value] : symbols_) arguments_.scalars[name] = value;
    for (auto const& a : plan_.signature.arguments) {
      if (a.is_symbol) continue;
      auto& words_of = content_.at(a.name);
      if (a.type.kind == sdfg::descriptor_kind::scalar) {
        arguments_.scalars[a.name] = static_cast<std::int64_t>(words_of.front());
      } else if (on_gpu_ && a.type.storage == sdfg::storage::gpu_global) {
        arguments_.arrays[a.name] = make_device_argument(a.name, words_of);
      } else {
        arguments_.arrays[a.name] = words_of.data();
        watcher_.host_access(words_of.data(), words_of.size() * 8, true);
        watcher_.name_memory(words_of.data(), words_of.size() * 8, a.name);
        host_.push_back(a.name);
      }
    }
  }

  void* make_device_argument(std::string const& name, words& from) {
    device_argument d{name, nullptr, nullptr, from.size() * 8};
    if (d.size_bytes > 0) {
      d.memory = runtime_.allocate(d.size_bytes);
      d.staging = runtime_.allocate(d.size_bytes);
      watcher_.name_memory(d.memory, d.size_bytes, name);
      watcher_.host_access(from.data(), d.size_bytes, true);
      runtime_.copy_async(d.staging, from.data(), d.size_bytes, copy_direction::host_to_device,
                          harness_);
    }
    device_.push_back(d);
    return d.memory;
  }

  void give_workspaces(plan::execution& program, std::size_t withheld_bytes, outcome& result) {
    for (auto const& w : plan_.workspaces) {
      std::size_t const needed = program.workspace_size_bytes(w.storage, symbols_);
      result.had_workspace |= needed > 0;
      std::size_t const size = needed + (how_.larger_workspace ? 512 : 0);
      if (size == 0) continue;
      void* base = nullptr;
      if (w.storage == "GPU_Global") {
        base = slabs_.emplace_back(runtime_.allocate(size));
      } else {
        constexpr std::size_t alignment = 256;
        auto& slab = host_slabs_.emplace_back(size + alignment);
        auto const address = reinterpret_cast<std::uintptr_t>(slab.data());
        base = slab.data() + (alignment - address % alignment) % alignment;
      }
      watcher_.name_memory(base, size, "workspace " + w.storage);
      program.set_workspace(w.storage, base, size - std::min(size, withheld_bytes));
    }
  }

  void produce() {
    if (!on_gpu_) return;
    runtime_.synchronise(harness_);
    if (plan_.settings.mode == memory_mode::pool) {
      pool_memory_ = runtime_.allocate_async(64, stream_);
      runtime_.fill_async(pool_memory_, 7, 64, stream_);
    }
    for (auto const& d : device_)
      if (d.size_bytes > 0) runtime_.launch_copy(d.memory, d.staging, d.size_bytes, stream_);
    // Streams of the program's own know nothing of the caller's.
    if (plan_.settings.own_streams > 0) runtime_.synchronise(stream_);
  }

  /// A second call hands over the same host arrays: the caller may do that once they are its own
  /// again.
  void wait_for_host_arguments() {
    if (!on_gpu_ || returns_finished() || host_.empty()) return;
    runtime_.synchronise(stream_);
  }

  void consume(bool refused) {
    if (on_gpu_) {
      if (refused) runtime_.synchronise(stream_); // no call has waited for the producer
      auto const on = returns_finished() ? harness_ : stream_;
      for (auto const& d : device_)
        if (d.size_bytes > 0) runtime_.launch_copy(d.staging, d.memory, d.size_bytes, on);
      if (!returns_finished()) runtime_.synchronise(stream_);
      for (auto const& d : device_)
        if (d.size_bytes > 0)
          runtime_.copy_async(content_.at(d.name).data(), d.staging, d.size_bytes,
                              copy_direction::device_to_host, harness_);
      runtime_.synchronise(harness_);
      if (pool_memory_ != nullptr) runtime_.release_async(pool_memory_, stream_);
    }
    for (auto const& d : device_)
      watcher_.host_access(content_.at(d.name).data(), d.size_bytes, false);
    for (auto const& name : host_)
      watcher_.host_access(content_.at(name).data(), content_.at(name).size() * 8, false);
  }

  void clean_up() {
    if (!on_gpu_) return;
    runtime_.synchronise_device();
    for (auto const& d : device_)
      for (void* p : {d.memory, d.staging})
        if (p != nullptr) runtime_.release(p);
    for (void* p : slabs_) runtime_.release(p);
    if (stream_.value != nullptr) runtime_.destroy_stream(stream_);
    runtime_.destroy_stream(harness_);
  }
};

} // namespace

outcome run_plan(plan::program const& p, symbol_values const& symbols,
                 std::map<std::string, words> initial, run_spec const& how, gpu_runtime& runtime,
                 observer& watcher, std::size_t withheld_bytes) {
  return caller(p, symbols, initial, how, runtime, watcher).run(withheld_bytes);
}

std::map<std::string, words> initial_content(sdfg::graph const& graph, symbol_values const& symbols,
                                             std::uint64_t seed) {
  std::map<std::string, words> content;
  for (auto const& [name, d] : graph.arrays) {
    if (d.transient) continue;
    words w(static_cast<std::size_t>(
        std::max<std::int64_t>(0, evaluate_integer(d.total_size, symbols))));
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = mix(mix(seed, mix_seed(name)), k);
    content.emplace(name, std::move(w));
  }
  return content;
}

} // namespace assay::fuzz
