#include "assay/plant.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "assay/error.hpp"
#include "plan/liveness.hpp"

namespace assay {
namespace {

using plan::step;
using plan::step_list;

constexpr std::array<std::string_view, 11> names{"none",
                                                 "drop-sync",
                                                 "drop-event-wait",
                                                 "null-stream",
                                                 "short-workspace",
                                                 "misaligned-offset",
                                                 "early-free",
                                                 "host-read-before-wait",
                                                 "missing-atomic",
                                                 "drop-barrier",
                                                 "overlapping-arrays"};

/// Calls `edit` on every step list, outermost first, until it answers that it has found its place.
bool edit_first(step_list& steps, std::function<bool(step_list&)> const& edit) {
  if (edit(steps)) return true;
  for (step& each : steps) {
    if (auto* branch = std::get_if<plan::branch>(&each.content)) {
      for (auto& arm : branch->arms)
        if (edit_first(arm.body, edit)) return true;
    } else if (auto* loop = std::get_if<plan::loop>(&each.content)) {
      if (edit_first(loop->prepare, edit) || edit_first(loop->body, edit)) return true;
    }
  }
  return false;
}

/// Erases the first run of steps of one kind that `wanted` accepts.
template <typename Step>
bool erase_first(plan::program& program, std::function<bool(Step const&)> const& wanted) {
  return edit_first(program.body, [&](step_list& steps) {
    auto const is_wanted = [&](step const& each) {
      auto const* content = std::get_if<Step>(&each.content);
      return content != nullptr && wanted(*content);
    };
    auto const first = std::ranges::find_if(steps, is_wanted);
    if (first == steps.end()) return false;
    steps.erase(first, std::find_if_not(first, steps.end(), is_wanted));
    return true;
  });
}

bool touches(std::vector<plan::footprint> const& footprints, plan::buffer_id buffer) {
  return std::ranges::any_of(footprints,
                             [&](plan::footprint const& f) { return f.buffer == buffer; });
}

/// Device work of this step, or of steps inside it, on the buffer.
bool uses_on_device(step const& each, plan::buffer_id buffer) {
  auto const in_list = [&](step_list const& steps) {
    return std::ranges::any_of(steps, [&](step const& s) { return uses_on_device(s, buffer); });
  };
  if (auto const* launch = std::get_if<plan::launch>(&each.content))
    return touches(launch->footprints, buffer);
  if (auto const* copy = std::get_if<plan::copy>(&each.content))
    return touches(copy->footprints, buffer);
  if (auto const* loop = std::get_if<plan::loop>(&each.content)) return in_list(loop->body);
  if (auto const* branch = std::get_if<plan::branch>(&each.content))
    return std::ranges::any_of(branch->arms, [&](auto const& arm) { return in_list(arm.body); });
  return false;
}

bool early_free(step_list& steps, plan::program const& program) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    auto* release = std::get_if<plan::release>(&steps[at].content);
    if (release == nullptr ||
        program.buffers[index(release->buffer)].space != plan::memory_space::device)
      continue;
    for (std::size_t use = at; use-- > 0;)
      if (uses_on_device(steps[use], release->buffer)) {
        release->keeps_pointer = true;
        auto const place = steps.begin() + static_cast<std::ptrdiff_t>(at);
        std::rotate(steps.begin() + static_cast<std::ptrdiff_t>(use), place, place + 1);
        return true;
      }
  }
  return false;
}

bool is_host_read(step const& each) {
  return std::holds_alternative<plan::host_compute>(each.content) ||
         std::holds_alternative<plan::assign>(each.content) ||
         std::holds_alternative<plan::branch>(each.content);
}

/// Moves a wait for a host read behind the step that reads. A loop's condition reads directly after
/// `prepare`, where a later place does not exist: there the wait moves to the start of the body.
bool read_before_wait(step_list& steps) {
  for (std::size_t at = 0; at < steps.size(); ++at) {
    auto const* wait = std::get_if<plan::synchronise>(&steps[at].content);
    if (wait == nullptr || wait->reason != plan::wait_reason::host_read) continue;
    for (std::size_t reader = at + 1; reader < steps.size(); ++reader) {
      if (!is_host_read(steps[reader])) continue;
      std::rotate(steps.begin() + static_cast<std::ptrdiff_t>(at),
                  steps.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                  steps.begin() + static_cast<std::ptrdiff_t>(reader) + 1);
      return true;
    }
  }
  for (step& each : steps)
    if (auto* loop = std::get_if<plan::loop>(&each.content)) {
      auto const wait = std::ranges::find_if(loop->prepare, [](step const& inner) {
        auto const* content = std::get_if<plan::synchronise>(&inner.content);
        return content != nullptr && content->reason == plan::wait_reason::host_read;
      });
      if (wait == loop->prepare.end()) continue;
      loop->body.insert(loop->body.begin(), *wait);
      loop->prepare.erase(wait);
      return true;
    }
  return false;
}

/// Edits the first statement of a thread that `edit` accepts, outermost first.
bool edit_first(plan::compute_block& block,
                std::function<bool(plan::compute_block&, std::size_t)> const& edit) {
  for (std::size_t at = 0; at < block.size(); ++at) {
    if (edit(block, at)) return true;
    auto& content = block[at].content;
    bool const found = std::visit(
        [&](auto& x) {
          if constexpr (requires { x.branches; })
            return std::ranges::any_of(x.branches,
                                       [&](auto& arm) { return edit_first(arm.second, edit); });
          else if constexpr (requires { x.body; })
            return edit_first(x.body, edit);
          else
            return false;
        },
        content);
    if (found) return true;
  }
  return false;
}

/// Makes the first atomic update of a kernel's thread a plain one.
bool make_plain(plan::compute_block& block) {
  auto const plain = [](plan::resolution& x) { return std::exchange(x.atomic, false); };
  return edit_first(block, [&](plan::compute_block& statements, std::size_t at) {
    auto& content = statements[at].content;
    if (auto* tasklet = std::get_if<plan::tasklet>(&content))
      return std::ranges::any_of(tasklet->outputs,
                                 [&](plan::connector& output) { return plain(output.resolution); });
    auto* copy = std::get_if<plan::compute_copy>(&content);
    return copy != nullptr && plain(copy->resolution);
  });
}

bool drop_barrier(plan::compute_block& block) {
  return edit_first(block, [](plan::compute_block& statements, std::size_t at) {
    if (!std::holds_alternative<plan::barrier>(statements[at].content)) return false;
    statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  });
}

/// The later array of the first two of the device that are live together moves onto the earlier
/// one.
bool overlap_arrays(plan::program& program) {
  plan::lifetimes const lives(program);
  for (auto& workspace : program.workspaces) {
    if (workspace.storage != "GPU_Global") continue;
    for (auto& later : workspace.entries)
      for (auto const& earlier : workspace.entries) {
        if (&earlier == &later) break;
        if (earlier.slot == later.slot || !lives.live_together(earlier.buffer, later.buffer))
          continue;
        later.offset_bytes = earlier.offset_bytes;
        return true;
      }
  }
  return false;
}

} // namespace

std::string_view name(plant value) noexcept { return names[static_cast<std::size_t>(value)]; }

std::span<std::string_view const> plant_names() noexcept { return std::span(names).subspan(1); }

plant parse_plant(std::string_view text) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<plant>(i);
    if (i != 0) known += (known.empty() ? "" : ", ") + std::string(names[i]);
  }
  throw error(errc::invalid_input,
              "unknown plant '" + std::string(text) + "' (one of " + known + ")");
}

bool is_run_plant(plant value) noexcept {
  return value == plant::short_workspace || value == plant::misaligned_offset;
}

bool apply(plant value, plan::program& program) {
  if (program.settings.target == target::cpu) return false;
  switch (value) {
  case plant::none:
  case plant::short_workspace:
  case plant::misaligned_offset:
    return false;
  case plant::drop_sync:
    return erase_first<plan::synchronise>(program, [](plan::synchronise const& wait) {
      return wait.reason != plan::wait_reason::timer;
    });
  case plant::drop_event_wait:
    return erase_first<plan::stream_wait>(program, [](plan::stream_wait const&) { return true; });
  case plant::null_stream:
    return edit_first(program.body, [](step_list& steps) {
      for (step& each : steps)
        if (auto* launch = std::get_if<plan::launch>(&each.content))
          return launch->null_stream = true;
      return false;
    });
  case plant::early_free:
    return edit_first(program.body, [&](step_list& steps) { return early_free(steps, program); });
  case plant::missing_atomic:
    return std::ranges::any_of(program.kernels,
                               [](plan::kernel& kernel) { return make_plain(kernel.body); });
  case plant::drop_barrier:
    return std::ranges::any_of(program.kernels,
                               [](plan::kernel& kernel) { return drop_barrier(kernel.body); });
  case plant::overlapping_arrays:
    return overlap_arrays(program);
  case plant::host_read_before_wait:
    return edit_first(program.body, read_before_wait);
  }
  return false;
}

bool applies_to_run(plant value, plan::program const& program) noexcept {
  return is_run_plant(value) &&
         std::ranges::any_of(program.workspaces, [](plan::workspace const& workspace) {
           return workspace.storage == "GPU_Global" && !workspace.entries.empty();
         });
}

} // namespace assay
