#pragma once
/// \file Single faults applied to a plan: what a generator of code could get wrong.
#include <cstdint>
#include <string_view>
#include <vector>

#include "assay/plan.hpp"

namespace assay::fuzz {

enum class mutation_kind : std::uint8_t {
  drop_wait,       ///< a wait of the host or of a stream is left out
  move_wait,       ///< it comes one step later
  redirect_wait,   ///< it waits for another stream, or for another event
  swap_stream,     ///< a launch, copy or fill goes to another stream
  null_stream,     ///< a launch goes to the default stream
  shift_workspace, ///< an array lies 8 bytes further in the workspace
  share_workspace, ///< an array lies where another one does
  free_early,      ///< memory is released before its last use
  free_twice,      ///< memory is released again at the end
  skip_free,       ///< memory is not released
  widen_subset,    ///< a kernel touches one element more of a dimension
  skip_fill,       ///< an array is not zeroed
  plain_update     ///< an atomic update is a read and a write
};
inline constexpr int mutation_kind_count = 13;
[[nodiscard]] std::string_view name(mutation_kind) noexcept;

/// Every place of the program where the kind fits, each applied alone.
[[nodiscard]] std::vector<plan::program> mutants(plan::program const&, mutation_kind);

} // namespace assay::fuzz
