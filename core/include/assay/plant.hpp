#pragma once
/// \file Faults to plant: the checker must find each of them, and does not know of any.
#include <span>
#include <string>
#include <string_view>

#include "assay/plan.hpp"

namespace assay {

enum class plant : std::uint8_t {
  none,
  drop_sync,             ///< the first wait of the host for a stream is left out
  drop_event_wait,       ///< the first wait of a stream for an event is left out
  null_stream,           ///< the first launch goes to the default stream
  short_workspace,       ///< after validation the workspace is replaced by one that is too short
  misaligned_offset,     ///< after validation the workspace is replaced by one with a shifted base
  early_free,            ///< memory is released before its last use instead of after
  host_read_before_wait, ///< the host's wait comes after the read that needs it
  missing_atomic,        ///< the first atomic update of a kernel is a plain read and write
  drop_barrier,          ///< the first barrier of a kernel's block is left out
  overlapping_arrays,    ///< two arrays of a workspace that are live together start on one byte
};
/// Names on the command line: "drop-sync", "drop-event-wait", ...
[[nodiscard]] std::string_view name(plant) noexcept;
/// \throws error{invalid_input} that lists the names.
[[nodiscard]] plant parse_plant(std::string_view);
[[nodiscard]] std::span<std::string_view const> plant_names() noexcept;

/// True for a fault of the run (the buffer changes), false for a fault of the text.
[[nodiscard]] bool is_run_plant(plant) noexcept;

/// Edits the plan. False, and the plan unchanged, if the fault finds no place in it; always false
/// for plant::none and for plants of the run.
[[nodiscard]] bool apply(plant, plan::program&);

/// Whether a plant of the run finds a place: a device workspace that the program uses.
[[nodiscard]] bool applies_to_run(plant, plan::program const&) noexcept;

} // namespace assay
