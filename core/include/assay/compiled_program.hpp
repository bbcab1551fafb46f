#pragma once
/// \file A built program and its life: load, initialise, install the workspace, call, call again,
/// finish. Source of the ABI: DaCe's exported names (__dace_init_<name>, __program_<name>, ...), so
/// that DaCe's libraries load as ours do.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "assay/dtype.hpp"
#include "assay/sdfg.hpp"
#include "assay/workspace.hpp"
#include "assay/workspace_allocator.hpp"
#include "assay/workspace_guard.hpp"

namespace assay {

/// One argument as the ABI passes it: a pointer, or a scalar of any element type, by value.
class argument_value {
public:
  argument_value() = default;
  [[nodiscard]] static argument_value pointer(void const*) noexcept;
  /// \throws error{invalid_input} if `type` cannot hold the value.
  [[nodiscard]] static argument_value integer(dtype type, std::int64_t value);
  [[nodiscard]] static argument_value real(dtype type, double value);

  [[nodiscard]] void const* data() const noexcept { return bytes_.data(); }
  friend bool operator==(argument_value const&, argument_value const&) = default;

private:
  alignas(16) std::array<std::byte, 16> bytes_{};
};
using argument_values = std::map<std::string, argument_value, std::less<>>;

/// What a library does not say about itself.
struct program_interface {
  std::string name;
  sdfg::signature signature;
  std::size_t workspace_alignment_bytes = 256; ///< 1 for layout packed
  /// Arrays allocated by init: the program is finished and initialised anew when an init symbol
  /// changes.
  bool sizes_fixed_at_init = false;
  /// As DaCe's and GT4Py's own callers do: init and the workspace see the symbols of the first call,
  /// whatever later calls bring.
  bool follows_first_call_only = false;
};

enum class program_state : std::uint8_t {
  loaded,      ///< no state of the program exists
  initialised, ///< workspace not installed (or there is none to install)
  ready,       ///< workspace installed for the symbols of the last call
};

/// Not thread-safe. The runtime must outlive the program. The destructor finishes, ignoring errors.
class compiled_program {
public:
  /// `gpu` may be null for a program of target cpu.
  /// \throws error{environment} if the library does not load or lacks one of the program's
  /// functions.
  compiled_program(std::filesystem::path const& library, program_interface, gpu_runtime* gpu);
  compiled_program(compiled_program const&) = delete;
  compiled_program& operator=(compiled_program const&) = delete;
  ~compiled_program();

  [[nodiscard]] program_state state() const noexcept;

  /// The caller's stream (native handle, 0 the default stream), for init and every call: arguments
  /// need not hold gt_external_gpu_stream then. A library of DaCe's that has no such symbol gets it
  /// through __dace_gpu_set_all_streams after init. Ignored by programs without a GPU. \throws
  /// error{invalid_input} once the program is initialised: the stream is fixed for its life.
  void set_external_gpu_stream(std::int64_t handle);
  /// Who gives workspaces. Asked once for each storage, at the first call that needs it, and again
  /// only when a need outgrows what was given; then install is not needed. An empty callable:
  /// nobody.
  void set_workspace_source(workspace_source);
  /// Keeps this program apart from others that use the same slab. It must outlive the calls.
  void share_workspace(workspace_guard&);

  /// loaded -> initialised. Only init symbols are read. \throws error{invalid_input} in another
  /// state or for a missing argument; error{environment} if the program's init fails (the state
  /// stays loaded).
  void initialise(argument_values const&);
  /// Bytes per storage for the current symbols, in 64 bits. \throws error{invalid_input} before
  /// initialise.
  [[nodiscard]] std::vector<workspace_need> workspace_needs() const;
  /// initialised | ready -> ready. Validates, then installs. Nothing changes if it throws.
  void install(workspace_buffers const&);
  /// Installs with no check at all: for tests of what a checker sees.
  void install_unchecked(workspace_buffers const&);
  /// Calls the program. When an init symbol has another value than before, sizes are asked again,
  /// the workspace is validated and installed again. After a failure the workspace counts as not
  /// installed: one that a workspace source gave is installed again by the next call. The program
  /// has not run where error{invalid_input} is thrown, and the call can be repeated: not
  /// initialised, workspace not installed or refused, missing argument, the caller's stream
  /// changed, a guard that sees an unordered use. \throws error{environment} when the source fails
  /// or the program recorded a failure of the GPU.
  void call(argument_values const&);
  /// -> loaded. \throws error{environment} if the program's exit reports a failure.
  void finish();

private:
  struct implementation;
  std::unique_ptr<implementation> self_;
};

} // namespace assay
