/// \file The life of a program against a model: any sequence of initialise, install, call, failure
/// and finish gives exactly the errors that the model names, never runs on memory that is absent,
/// stale or refused, and leaves nothing behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include <rapidcheck.h>

#include "assay/compiled_program.hpp"
#include "assay/error.hpp"

namespace assay::properties {
namespace {

/// What is wrong with the memory that a caller gives for one storage.
enum class flaw : std::uint8_t {
  none,
  larger,
  absent,
  freed,
  other_kind,
  other_device,
  unaligned,
  short_by_one
};
constexpr int flaw_count = 8;

enum class action : std::uint8_t {
  initialise,
  install,
  call,
  call_on_another_stream,
  finish,
  fail_call,
  fail_init,
  fail_exit,
  fail_runtime, ///< of the next calls of the runtime, the one with number n + 2
  load_again
};
constexpr int action_count = 10;

struct command {
  action what = action::call;
  std::int64_t n = 0;
  flaw device = flaw::none, host = flaw::none;
};

std::ostream& operator<<(std::ostream& out, command const& c) {
  return out << "{" << static_cast<int>(c.what) << ", n " << c.n << ", flaws "
             << static_cast<int>(c.device) << " " << static_cast<int>(c.host) << "}";
}

constexpr std::size_t half = 65536;

/// Memory whose kind and device are what the test says; nothing is ever run on it.
class described_runtime final : public gpu_runtime {
public:
  std::map<void const*, pointer_info> kinds;
  int fails_in = 0; ///< calls up to the one that fails; 0: none does
  std::string_view name() const override { return "described"; }
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) override {}
  void* allocate_async(std::size_t, stream_handle) override { return nullptr; }
  void release_async(void*, stream_handle) override {}
  void copy_async(void*, void const*, std::size_t, copy_direction, stream_handle) override {}
  void copy_2d_async(void*, std::size_t, void const*, std::size_t, std::size_t, std::size_t,
                     copy_direction, stream_handle) override {}
  void fill_async(void*, int, std::size_t, stream_handle) override {}
  stream_handle create_stream(stream_kind) override { return {}; }
  void destroy_stream(stream_handle) override {}
  void synchronise(stream_handle) override {}
  void synchronise_device() override {}
  event_handle create_event() override { return {}; }
  void destroy_event(event_handle) override {}
  void record(event_handle, stream_handle) override {}
  void wait(stream_handle, event_handle) override {}
  void launch_copy(void*, void const*, std::size_t, stream_handle) override {}
  void launch_mix(std::uint64_t, std::span<byte_box const>, std::span<byte_box const>,
                  std::span<byte_box const>, stream_handle, std::string_view) override {}
  pointer_info inspect(void const* p) override {
    count_call();
    auto const found = kinds.find(p);
    return found == kinds.end() ? pointer_info{"unknown", 0} : found->second;
  }
  int current_device() override {
    count_call();
    return 0;
  }

private:
  void count_call() {
    if (fails_in != 0 && --fails_in == 0) throw error(errc::environment, "the runtime failed");
  }
};

/// What the caller has given for one storage.
struct given {
  flaw flawed = flaw::absent;
  std::size_t size_bytes = 0;
};

class life {
public:
  /// `fixed`: the program has memory whose size init settles, beside its workspaces.
  explicit life(bool fixed) : fixed_(fixed) {
    set_hook("life_fail_call", -1);
    set_hook("life_fail_init", 0);
    set_hook("life_fail_exit", 0);
    load();
  }
  ~life() { program_.reset(); }

  /// Does it to the program and to the model. \returns the difference, or nothing.
  std::optional<std::string> run(command const& c) {
    std::string const expected = model(c);
    std::string const actual = text_of([&] { act(c); });
    if (actual != expected) return "got '" + actual + "', the model says '" + expected + "'";
    if (program_->state() != state_) return "the program is in another state than the model";
    if (hook("life_live_states") != (state_ == program_state::loaded ? 0 : 1))
      return "states of the program leak";
    if (hook("life_violations") != 0) return "the program ran on absent or stale memory";
    if (hook("life_calls") != calls_)
      return "the program did not run when it had to, or ran otherwise";
    return std::nullopt;
  }
  std::optional<std::string> end() {
    program_.reset();
    return hook("life_live_states") == 0 ? std::nullopt
                                         : std::optional<std::string>("a state is left");
  }

private:
  bool fixed_;
  described_runtime gpu_;
  alignas(256) static inline std::array<char, 2 * half> memory_;
  std::optional<compiled_program> program_;

  // ---- the model
  program_state state_ = program_state::loaded;
  std::int64_t n_ = 0;
  given device_, host_;
  bool call_fails_ = false, init_fails_ = false, exit_fails_ = false;
  int runtime_fails_in_ = 0;
  int calls_ = hook("life_calls");

  static std::size_t need(std::int64_t n, int each) {
    return static_cast<std::size_t>(std::max<std::int64_t>(n, 0) * each);
  }

  bool runtime_fails() { return runtime_fails_in_ != 0 && --runtime_fails_in_ == 0; }

  /// The first rule of the checklist that is broken, or the runtime's failure while it is read.
  std::string refusal(std::string const& storage, std::size_t needed, given const& g) {
    std::string const start = "2 workspace for " + storage + ": ";
    std::string const failure = "4 the runtime failed";
    if (needed == 0) return {};
    bool const device = storage == "GPU_Global";
    if (g.flawed == flaw::absent)
      return start + "none is set, " + std::to_string(needed) + " bytes needed";
    if (runtime_fails()) return failure; // what kind of memory?
    bool const right_kind = g.flawed != flaw::freed && g.flawed != flaw::other_kind;
    if (right_kind && device && runtime_fails()) return failure; // which device?
    if (right_kind && device && g.flawed == flaw::other_device && runtime_fails())
      return failure; // which device, for the message?
    switch (g.flawed) {
    case flaw::freed:
      return start + "unknown memory given, " + (device ? "device" : "host") + " memory needed";
    case flaw::other_kind:
      return start + (device ? "host memory given, device" : "device memory given, host") +
             " memory needed";
    case flaw::other_device:
      if (device) return start + "memory of device 1 given, device 0 needed";
      break;
    case flaw::unaligned:
      return start + "base is not aligned to 256 bytes";
    default:
      break;
    }
    if (g.size_bytes < needed)
      return start + std::to_string(g.size_bytes) + " bytes given, " + std::to_string(needed) +
             " needed";
    return {};
  }
  std::string refusal(std::int64_t n, given const& device, given const& host) {
    auto const first = refusal("GPU_Global", need(n, 8), device);
    return first.empty() ? refusal("CPU_Heap", need(n, 4), host) : first;
  }
  static given gift(flaw f, std::size_t needed) {
    if (f == flaw::absent) return {};
    return {f, f == flaw::larger         ? needed + 100
               : f == flaw::short_by_one ? std::max<std::size_t>(needed, 1) - 1
                                         : needed};
  }

  std::string model(command const& c) {
    bool const exists = state_ != program_state::loaded;
    switch (c.what) {
    case action::initialise:
      if (exists) return "2 program 'life' is initialised already";
      if (std::exchange(init_fails_, false)) return "4 initialising program 'life' failed";
      state_ = program_state::initialised;
      n_ = c.n;
      return "ok";
    case action::install: {
      if (!exists) return "2 program 'life' is not initialised";
      auto const device = gift(c.device, need(n_, 8)), host = gift(c.host, need(n_, 4));
      if (auto const broken = refusal(n_, device, host); !broken.empty()) return broken;
      device_ = device;
      host_ = host;
      state_ = program_state::ready;
      return "ok";
    }
    case action::call_on_another_stream:
      if (!exists) return "2 program 'life' is not initialised";
      return "2 the stream of program 'life' cannot change after initialise";
    case action::call:
      if (!exists) return "2 program 'life' is not initialised";
      if (c.n != n_ && state_ == program_state::ready)
        if (auto const broken = refusal(c.n, device_, host_); !broken.empty()) return broken;
      if (fixed_ && c.n != n_) { // it ends, and starts anew
        auto const before = std::exchange(state_, program_state::loaded);
        if (std::exchange(exit_fails_, false))
          return "4 finishing program 'life' failed with GPU status 1";
        if (std::exchange(init_fails_, false)) return "4 initialising program 'life' failed";
        state_ = before;
      }
      n_ = c.n;
      if (state_ != program_state::ready) {
        if (need(n_, 8) != 0)
          return "2 workspace for GPU_Global: not installed, " + std::to_string(need(n_, 8)) +
                 " bytes needed";
      }
      ++calls_;
      if (std::exchange(call_fails_, false)) {
        state_ = program_state::initialised;
        return "4 program 'life' failed with GPU status 700";
      }
      return "ok";
    case action::finish:
      if (!exists) return "ok";
      state_ = program_state::loaded;
      return std::exchange(exit_fails_, false)
                 ? "4 finishing program 'life' failed with GPU status 1"
                 : "ok";
    case action::fail_call:
      call_fails_ = true;
      return "ok";
    case action::fail_init:
      init_fails_ = true;
      return "ok";
    case action::fail_exit:
      exit_fails_ = true;
      return "ok";
    case action::fail_runtime:
      runtime_fails_in_ = static_cast<int>(c.n) + 2;
      return "ok";
    case action::load_again: // a failure of exit has nobody to tell
      if (exists) exit_fails_ = false;
      state_ = program_state::loaded;
      return "ok";
    }
    return {};
  }

  // ---- the program

  static void* library() {
    static void* const loaded = dlopen(ASSAY_LIFE_PROGRAM, RTLD_NOW);
    return loaded;
  }
  static int hook(char const* name) {
    return reinterpret_cast<int (*)()>(dlsym(library(), name))();
  }
  static void set_hook(char const* name, int value) {
    reinterpret_cast<void (*)(int)>(dlsym(library(), name))(value);
  }
  void load() {
    auto const symbol = [](std::string name) {
      sdfg::argument made;
      made.name = std::move(name);
      made.type.type = dtype::int64;
      made.is_symbol = true;
      return made;
    };
    std::vector<sdfg::argument> const symbols{symbol("N"), symbol("gt_external_gpu_stream")};
    program_.reset();
    program_.emplace(ASSAY_LIFE_PROGRAM, program_interface{"life", {symbols, symbols}, 256, fixed_},
                     &gpu_);
  }
  static argument_values values(std::int64_t n, std::int64_t stream) {
    return {{"N", argument_value::integer(dtype::int64, n)},
            {"gt_external_gpu_stream", argument_value::integer(dtype::int64, stream)}};
  }
  void give(workspace_buffers& buffers, std::string const& storage, flaw f, std::size_t needed) {
    if (f == flaw::absent) return;
    bool const device = storage == "GPU_Global";
    char* const base = memory_.data() + (device ? 0 : half) + (f == flaw::unaligned ? 8 : 0);
    gpu_.kinds.erase(base);
    if (f != flaw::freed)
      gpu_.kinds[base] = {device == (f != flaw::other_kind) ? "device" : "host",
                          f == flaw::other_device && device ? 1 : 0};
    buffers[storage] = {base, gift(f, needed).size_bytes};
  }
  void act(command const& c) {
    switch (c.what) {
    case action::initialise:
      return program_->initialise(values(c.n, 7));
    case action::install: {
      // The kinds that install sees are restored where it refuses: the memory of before is as it
      // was.
      auto const before = gpu_.kinds;
      workspace_buffers buffers;
      give(buffers, "GPU_Global", c.device, need(n_, 8));
      give(buffers, "CPU_Heap", c.host, need(n_, 4));
      try {
        program_->install(buffers);
      } catch (error const&) {
        gpu_.kinds = before;
        throw;
      }
      return;
    }
    case action::call:
      return program_->call(values(c.n, 7));
    case action::call_on_another_stream:
      return program_->call(values(c.n, 8));
    case action::finish:
      return program_->finish();
    case action::fail_call:
      return set_hook("life_fail_call", 0);
    case action::fail_init:
      return set_hook("life_fail_init", 1);
    case action::fail_exit:
      return set_hook("life_fail_exit", 1);
    case action::fail_runtime:
      gpu_.fails_in = static_cast<int>(c.n) + 2;
      return;
    case action::load_again:
      return load();
    }
  }
  template <typename Action> static std::string text_of(Action const& act) {
    try {
      act();
    } catch (error const& e) {
      std::string text = std::to_string(static_cast<int>(e.code())) + " " + e.what();
      // An address says nothing that a model could know.
      if (auto const at = text.find("base 0x"); at != std::string::npos)
        text.erase(at + 4, text.find(' ', at + 5) - at - 4);
      return text;
    }
    return "ok";
  }
};

TEST(Life, AnySequenceGivesExactlyTheErrorsOfTheModelAndLeavesNothing) {
  int commands = 0, runtime_failures = 0, starts_anew = 0;
  auto const any = rc::gen::map(
      rc::gen::resize(100, rc::gen::arbitrary<std::array<std::uint8_t, 4>>()),
      [](std::array<std::uint8_t, 4> const& a) {
        // Calls and installs make most of a life, and most of what is given is right.
        int const what = a[0] % 20;
        auto const flaw_of = [](std::uint8_t v) {
          return v < 170 ? static_cast<flaw>(v % 2) : static_cast<flaw>(v % flaw_count);
        };
        return command{what < action_count ? static_cast<action>(what)
                       : what < 15         ? action::call
                       : what < 19         ? action::install
                                           : action::initialise,
                       static_cast<std::int64_t>(a[1] % 8) - 1, flaw_of(a[2]), flaw_of(a[3])};
      });
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = "life";
  rc::detail::TestParams parameters;
  parameters.seed = 20261130;
  parameters.maxSuccess = 2000;
  auto const outcome = rc::detail::checkTestable(
      [&] {
        auto const sequence = *rc::gen::resize(60, rc::gen::container<std::vector<command>>(any));
        bool const fixed = *rc::gen::arbitrary<bool>();
        starts_anew += fixed ? 1 : 0;
        life program(fixed);
        for (auto const& c : sequence) {
          ++commands;
          runtime_failures += c.what == action::fail_runtime ? 1 : 0;
          if (auto const difference = program.run(c)) {
            std::ostringstream text;
            text << *difference << (fixed ? "\nsizes fixed at init" : "") << "\nsequence:";
            for (auto const& each : sequence) text << " " << each;
            RC_FAIL(text.str());
          }
        }
        if (auto const left = program.end()) RC_FAIL(*left);
      },
      metadata, parameters);
  if (!outcome.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(outcome, text);
    FAIL() << text.str();
  }
  EXPECT_GE(commands, 30000);
  EXPECT_GE(runtime_failures, 1000);
  EXPECT_GE(starts_anew, 500);
  std::cout << commands << " commands\n";
}

} // namespace
} // namespace assay::properties
