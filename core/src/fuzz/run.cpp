#include "fuzz/run.hpp"

#include <algorithm>
#include <utility>

#include "assay/error.hpp"
#include "assay/mix.hpp"

namespace assay::fuzz {
namespace {

class caller {
public:
  caller(plan::program const& p, symbol_values const& symbols,
         std::map<std::string, words>& content, run_spec const& how, gpu_runtime& runtime,
         observer& watcher, std::function<std::uint64_t()> const& calls_so_far)
      : plan_(p), symbols_(symbols), content_(content), how_(how), runtime_(runtime),
        watcher_(watcher), calls_so_far_(calls_so_far), on_gpu_(p.settings.target != target::cpu) {}

  outcome run(std::size_t withheld_bytes) {
    outcome& result = result_;
    std::map<std::string, words> const initial =
        how_.may_fail ? content_ : std::map<std::string, words>{};
    set_up();
    {
      plan::execution program(plan_, runtime_, watcher_);
      attempt([&] { use(program, withheld_bytes); }, result.failure);
      if (result.failure) {
        // Work of the failed call may be in flight on any stream; a lost device refuses to wait.
        if (on_gpu_) attempt([&] { runtime_.synchronise_device(); }, result.again);
        if (!result.again) {
          give_again(initial);
          attempt([&] { use(program, withheld_bytes); }, result.again);
        }
      }
      std::optional<std::string> at_exit;
      attempt([&] { of_program([&] { program.exit(); }); }, at_exit);
      if (!result.failure) result.failure = at_exit;
    }
    clean_up();
    result.memory = std::move(content_);
    return std::move(result_);
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
  plan::call_arguments arguments_;
  std::vector<device_argument> device_;
  std::vector<std::string> host_;
  stream_handle stream_, harness_;
  std::vector<void*> slabs_;
  std::vector<std::vector<char>> host_slabs_;
  void* pool_memory_ = nullptr;
  std::function<std::uint64_t()> const& calls_so_far_;
  bool on_gpu_;
  outcome result_;
  bool is_initialised_ = false;

  /// Keeps a failure of the runtime where one is expected.
  void attempt(std::function<void()> const& step, std::optional<std::string>& failure) const {
    try {
      step();
    } catch (error const& e) {
      if (!how_.may_fail) throw;
      if (!failure) failure = e.what();
    }
  }

  /// Notes which calls of the runtime are the program's own.
  void of_program(std::function<void()> const& step) {
    struct noting {
      caller& of;
      std::uint64_t const before = of.calls();
      ~noting() {
        if (of.calls() != before) of.result_.program_calls.emplace_back(before + 1, of.calls());
      }
    } const note{*this};
    step();
  }
  [[nodiscard]] std::uint64_t calls() const { return calls_so_far_ ? calls_so_far_() : 0; }

  void use(plan::execution& program, std::size_t withheld_bytes) {
    if (!is_initialised_) {
      symbol_values init = symbols_;
      init[std::string(external_stream_symbol)] =
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream_.value));
      of_program([&] { program.init(init); });
      is_initialised_ = true;
      give_workspaces(program, withheld_bytes, result_);
    }
    produce();
    try {
      for (int k = 0; k < how_.calls; ++k) {
        if (k > 0) wait_for_host_arguments();
        of_program([&] { program.call(arguments_); });
      }
    } catch (error const& e) {
      if (e.code() != errc::invalid_input) throw;
      result_.refused = e.what();
    }
    result_.counts = program.counts();
    consume(result_.refused.has_value());
  }

  /// The arguments as they were before a use that failed: host arrays are the program's own.
  void give_again(std::map<std::string, words> const& initial) {
    for (auto const& name : host_) {
      std::ranges::copy(initial.at(name), content_.at(name).begin());
      watcher_.host_access(content_.at(name).data(), size_of(name), true);
    }
    for (auto const& d : device_) {
      if (d.size_bytes == 0) continue;
      std::ranges::copy(initial.at(d.name), content_.at(d.name).begin());
      watcher_.host_access(content_.at(d.name).data(), d.size_bytes, true);
      runtime_.copy_async(d.staging, content_.at(d.name).data(), d.size_bytes,
                          copy_direction::host_to_device, harness_);
    }
  }

  /// Of an array argument, in bytes: words hold elements of any size, the last one may be longer.
  [[nodiscard]] std::size_t size_of(std::string const& name) const {
    auto const& type =
        std::ranges::find(plan_.signature.arguments, name, &sdfg::argument::name)->type;
    auto const count = std::max<std::int64_t>(0, evaluate_integer(type.total_size, symbols_));
    return std::min(content_.at(name).size() * 8,
                    static_cast<std::size_t>(count) * assay::size_bytes(type.type));
  }

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
        if (is_floating(a.type.type))
          arguments_.scalars[a.name] = static_cast<double>(words_of.front() >> 40);
        else
          arguments_.scalars[a.name] = static_cast<std::int64_t>(words_of.front());
      } else if (on_gpu_ && a.type.storage == sdfg::storage::gpu_global) {
        arguments_.arrays[a.name] = make_device_argument(a.name, words_of);
      } else {
        arguments_.arrays[a.name] = words_of.data();
        watcher_.host_access(words_of.data(), size_of(a.name), true);
        watcher_.name_memory(words_of.data(), size_of(a.name), a.name);
        host_.push_back(a.name);
      }
    }
  }

  void* make_device_argument(std::string const& name, words& from) {
    device_argument d{name, nullptr, nullptr, size_of(name)};
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
      constexpr std::size_t alignment = 256;
      std::size_t const shift = how_.shifted_workspace ? alignment : 0;
      void* base = nullptr;
      if (w.storage == "GPU_Global") {
        base =
            static_cast<std::byte*>(slabs_.emplace_back(runtime_.allocate(size + shift))) + shift;
      } else {
        auto& slab = host_slabs_.emplace_back(size + alignment + shift);
        auto const address = reinterpret_cast<std::uintptr_t>(slab.data());
        base = slab.data() + (alignment - address % alignment) % alignment + shift;
      }
      watcher_.name_memory(base, size, "workspace " + w.storage);
      program.set_workspace(w.storage, base, size - std::min(size, withheld_bytes));
    }
  }

  void produce() {
    if (!on_gpu_) return;
    runtime_.synchronise(harness_);
    if (plan_.settings.mode == memory_mode::pool && pool_memory_ == nullptr) {
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
      if (pool_memory_ != nullptr)
        runtime_.release_async(std::exchange(pool_memory_, nullptr), stream_);
    }
    for (auto const& d : device_)
      watcher_.host_access(content_.at(d.name).data(), d.size_bytes, false);
    for (auto const& name : host_)
      watcher_.host_access(content_.at(name).data(), size_of(name), false);
  }

  void clean_up() {
    if (!on_gpu_) return;
    std::optional<std::string> ignored; // a lost device refuses everything
    attempt([&] { runtime_.synchronise_device(); }, ignored);
    auto const release = [&](void* p) {
      if (p != nullptr) attempt([&] { runtime_.release(p); }, ignored);
    };
    for (auto const& d : device_) {
      release(d.memory);
      release(d.staging);
    }
    for (void* p : slabs_) release(p);
    if (stream_.value != nullptr) attempt([&] { runtime_.destroy_stream(stream_); }, ignored);
    attempt([&] { runtime_.destroy_stream(harness_); }, ignored);
  }
};

} // namespace

outcome run_plan(plan::program const& p, symbol_values const& symbols,
                 std::map<std::string, words> initial, run_spec const& how, gpu_runtime& runtime,
                 observer& watcher, std::size_t withheld_bytes,
                 std::function<std::uint64_t()> const& calls_so_far) {
  return caller(p, symbols, initial, how, runtime, watcher, calls_so_far).run(withheld_bytes);
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
