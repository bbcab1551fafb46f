#pragma once
/// \file What a caller may ask of a backend, as GT4Py's make_dace_backend does, and what it means.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/settings.hpp"
#include "assay/workspace_config.hpp"

namespace assay {

/// The two flags of old configurations, which one memory mode replaces: (no, no) scoped, (no, yes)
/// pool, (yes, no) persistent. An absent flag beside a given one is false.
struct legacy_memory_flags {
  std::optional<bool> make_persistent, gpu_memory_pool;
};
/// The mode that the flags mean; absent where no flag is given. \throws error{invalid_input} for
/// both flags set, and for a flag beside `mode`; the message names the new spelling.
[[nodiscard]] std::optional<memory_mode> mode_of(legacy_memory_flags const&,
                                                 std::optional<memory_mode> mode);

/// Options of a backend. Absent means not given, which is not the same as a default value.
struct backend_options {
  assay::target target = assay::target::cpu;
  bool auto_optimize = true;
  /// Of the optimiser, by name: `transient_memory_mode`, the old `make_persistent` and
  /// `gpu_memory_pool` ("true", "false"), and others, which are kept for the optimiser.
  std::map<std::string, std::string> optimization_args;
  /// One slab for each device; needed by the memory mode external, and an error beside another.
  std::optional<workspace_config> workspace;
  std::optional<std::int64_t> external_gpu_stream; ///< native handle; 0 and absent: default stream
  std::optional<bool> sync_sdfg_call;              ///< wait at the end of each call; default no
  std::optional<bool> async_sdfg_call;             ///< the old, inverted spelling: rejected
  bool use_metrics = true;
  /// -1: everything on the caller's stream; N > 0: N streams of the program's own; 0: as many as
  /// the program has independent parts.
  int max_concurrent_streams = -1;
  workspace_layout layout = workspace_layout::aligned;
};

/// What a backend does with every program.
struct backend {
  assay::settings settings;
  std::optional<workspace_config> workspace; ///< present exactly in the mode external
  std::int64_t external_gpu_stream = 0;      ///< 0 for a target without a GPU
  bool use_metrics = true;
  std::map<std::string, std::string> optimization_args; ///< what is left for the optimiser
  std::vector<std::string> warnings; ///< clauses for people; nothing else reports them
};

/// Checks options and completes them. Modes are compared by value, whatever their spelling.
/// \throws error{invalid_input} for the first of: an optimisation argument that the backend decides
/// itself (gpu, constant_symbols, unit_strides_kind), an old flag beside the mode or both old flags
/// set, the mode external without a workspace, a workspace beside another mode, async_sdfg_call, a
/// stream count below -1.
[[nodiscard]] backend make_backend(backend_options const&);

} // namespace assay
