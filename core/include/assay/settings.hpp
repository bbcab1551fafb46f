#pragma once
/// \file What the user may choose about a program: each choice is one enum with one spelling.
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

/// Where the memory of a program's transient arrays comes from.
enum class memory_mode : std::uint8_t {
  scoped,     ///< allocated and freed in every call
  pool,       ///< the same, from the stream-ordered pool
  persistent, ///< allocated by init, freed by exit
  external,   ///< one workspace per storage, given by the caller
};
enum class target : std::uint8_t { cuda, hip, cpu };
enum class workspace_layout : std::uint8_t {
  packed,  ///< DaCe's: one after the other, no alignment
  aligned, ///< every array on 256 bytes
  reuse,   ///< aligned, and arrays that are never live together share bytes
};
enum class call_kind : std::uint8_t { async, sync };

/// Lower-case names; parsing takes either case and throws error{invalid_input} that lists the right ones.
[[nodiscard]] std::string_view name(memory_mode) noexcept;
[[nodiscard]] std::string_view name(target) noexcept;
[[nodiscard]] std::string_view name(workspace_layout) noexcept;
[[nodiscard]] std::string_view name(call_kind) noexcept;
[[nodiscard]] memory_mode parse_memory_mode(std::string_view);
[[nodiscard]] target parse_target(std::string_view);
[[nodiscard]] workspace_layout parse_workspace_layout(std::string_view);
[[nodiscard]] call_kind parse_call_kind(std::string_view);

/// Everything that decides the generated text. Two equal values give byte-identical text.
struct settings {
  memory_mode mode = memory_mode::scoped;
  assay::target target = assay::target::cuda;
  workspace_layout layout = workspace_layout::aligned;
  call_kind call = call_kind::async;
  /// 0: all work on the caller's stream (symbol gt_external_gpu_stream, 0 is the default stream).
  /// N > 0: N streams of the program's own; the symbol is absent and every call ends by waiting for them.
  /// as_needed: as many as the program has independent parts, at most this number.
  int own_streams = 0;
  static constexpr int as_needed = 64;
};

/// Name of the run-time symbol that carries the caller's stream handle (int64).
inline constexpr std::string_view external_stream_symbol = "gt_external_gpu_stream";

} // namespace assay
