#include "mutation/mutations.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace assay::fuzz {
namespace {

using plan::step;
using plan::step_list;

/// A place: a list and the number of the step in it. Answers whether it has changed the program.
using edit = std::function<bool(plan::program&, step_list&, std::size_t)>;

bool visit(plan::program& program, step_list& list, std::size_t& skip, edit const& change) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    step_list before = list;
    if (change(program, list, k)) {
      if (skip-- == 0) return true;
      list = std::move(before);
    }
    auto& content = list[k].content;
    if (auto* branch = std::get_if<plan::branch>(&content)) {
      for (auto& arm : branch->arms)
        if (visit(program, arm.body, skip, change)) return true;
    } else if (auto* loop = std::get_if<plan::loop>(&content)) {
      if (visit(program, loop->prepare, skip, change) || visit(program, loop->body, skip, change))
        return true;
    }
  }
  return false;
}

/// The step's content of one type, or nothing.
template <typename Step> Step* at(step_list& list, std::size_t k) {
  return std::get_if<Step>(&list[k].content);
}

bool is_wait(step_list& list, std::size_t k) {
  if (auto const* wait = at<plan::synchronise>(list, k))
    return wait->reason != plan::wait_reason::timer;
  return at<plan::stream_wait>(list, k) != nullptr;
}

plan::stream_id other_stream(plan::program const& p, plan::stream_id s) {
  return static_cast<plan::stream_id>((index(s) + 1) % static_cast<std::size_t>(p.stream_count));
}

void erase(step_list& list, std::size_t k) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
}

bool redirect(plan::program& p, step_list& list, std::size_t k) {
  if (!is_wait(list, k)) return false;
  if (auto* wait = at<plan::stream_wait>(list, k)) {
    if (p.event_count < 2) return false;
    wait->event = static_cast<plan::event_id>((index(wait->event) + 1) %
                                              static_cast<std::size_t>(p.event_count));
    return true;
  }
  if (p.stream_count < 2) return false;
  auto* wait = at<plan::synchronise>(list, k);
  wait->stream = other_stream(p, wait->stream);
  return true;
}

bool swap_stream(plan::program& p, step_list& list, std::size_t k) {
  if (p.stream_count < 2) return false;
  auto const swap = [&](auto* content) {
    if (content == nullptr) return false;
    content->stream = other_stream(p, content->stream);
    return true;
  };
  return swap(at<plan::launch>(list, k)) || swap(at<plan::copy>(list, k)) ||
         swap(at<plan::fill_zero>(list, k));
}

std::vector<plan::footprint> const* footprints(step const& s) {
  if (auto const* launch = std::get_if<plan::launch>(&s.content)) return &launch->footprints;
  if (auto const* copy = std::get_if<plan::copy>(&s.content)) return &copy->footprints;
  return nullptr;
}

bool free_early(plan::program& p, step_list& list, std::size_t k) {
  auto* release = at<plan::release>(list, k);
  if (release == nullptr || p.buffers[index(release->buffer)].space != plan::memory_space::device)
    return false;
  for (std::size_t use = k; use-- > 0;) {
    auto const* touched = footprints(list[use]);
    if (touched == nullptr || std::ranges::none_of(*touched, [&](plan::footprint const& f) {
          return f.buffer == release->buffer;
        }))
      continue;
    release->keeps_pointer = true;
    std::rotate(list.begin() + static_cast<std::ptrdiff_t>(use),
                list.begin() + static_cast<std::ptrdiff_t>(k),
                list.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    return true;
  }
  return false;
}

bool free_twice(plan::program& p, step_list& list, std::size_t k) {
  auto* release = at<plan::release>(list, k);
  if (release == nullptr || p.buffers[index(release->buffer)].space != plan::memory_space::device)
    return false;
  step again = list[k];
  release->keeps_pointer = true;
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(k) + 1, std::move(again));
  return true;
}

/// Mutants by the number of the place, over what is no step.
std::vector<plan::program> by_number(plan::program const& program,
                                     std::function<bool(plan::program&, std::size_t)> const& apply,
                                     std::size_t count) {
  std::vector<plan::program> result;
  for (std::size_t k = 0; k < count; ++k) {
    plan::program copy = program;
    if (apply(copy, k)) result.push_back(std::move(copy));
  }
  return result;
}

std::vector<plan::program> workspace_mutants(plan::program const& program, bool shares) {
  std::vector<plan::program> result;
  for (std::size_t w = 0; w < program.workspaces.size(); ++w) {
    if (program.workspaces[w].storage != "GPU_Global") continue;
    std::vector<plan::program> more = by_number(
        program,
        [&](plan::program& copy, std::size_t k) {
          auto& entries = copy.workspaces[w].entries;
          if (shares && entries.size() < 2) return false;
          entries[k].offset_bytes = shares ? entries[(k + 1) % entries.size()].offset_bytes
                                           : entries[k].offset_bytes + expression::integer(8);
          return true;
        },
        program.workspaces[w].entries.size());
    std::ranges::move(more, std::back_inserter(result));
  }
  return result;
}

/// One footprint of a launch, by number over all of its step.
std::vector<plan::program> footprint_mutants(plan::program const& program,
                                             std::function<bool(plan::footprint&)> const& change) {
  std::vector<plan::program> result;
  constexpr std::size_t most_footprints = 8;
  for (std::size_t which = 0; which < most_footprints; ++which)
    for (std::size_t place = 0;; ++place) {
      plan::program copy = program;
      std::size_t skip = place;
      if (!visit(copy, copy.body, skip, [&](plan::program&, step_list& list, std::size_t k) {
            auto* launch = at<plan::launch>(list, k);
            return launch != nullptr && launch->footprints.size() > which &&
                   change(launch->footprints[which]);
          }))
        break;
      result.push_back(std::move(copy));
    }
  return result;
}

std::vector<plan::program> step_mutants(plan::program const& program, edit const& change) {
  std::vector<plan::program> result;
  for (std::size_t place = 0;; ++place) {
    plan::program copy = program;
    std::size_t skip = place;
    if (!visit(copy, copy.body, skip, change)) return result;
    result.push_back(std::move(copy));
  }
}

} // namespace

std::string_view name(mutation_kind kind) noexcept {
  constexpr std::array<std::string_view, mutation_kind_count> names{
      "drop a wait",    "move a wait",      "redirect a wait", "swap streams", "default stream",
      "shift in slab",  "share in slab",    "free early",      "free twice",   "skip a free",
      "widen a subset", "skip a zero fill", "drop an atomic"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<plan::program> mutants(plan::program const& program, mutation_kind kind) {
  switch (kind) {
  case mutation_kind::drop_wait:
    return step_mutants(program, [](plan::program&, step_list& list, std::size_t k) {
      if (!is_wait(list, k)) return false;
      erase(list, k);
      return true;
    });
  case mutation_kind::move_wait:
    return step_mutants(program, [](plan::program&, step_list& list, std::size_t k) {
      if (!is_wait(list, k) || k + 1 == list.size()) return false;
      std::swap(list[k], list[k + 1]);
      return true;
    });
  case mutation_kind::redirect_wait:
    return step_mutants(program, redirect);
  case mutation_kind::swap_stream:
    return step_mutants(program, swap_stream);
  case mutation_kind::null_stream:
    return step_mutants(program, [](plan::program&, step_list& list, std::size_t k) {
      auto* launch = at<plan::launch>(list, k);
      if (launch != nullptr) launch->null_stream = true;
      return launch != nullptr;
    });
  case mutation_kind::shift_workspace:
    return workspace_mutants(program, false);
  case mutation_kind::share_workspace:
    return workspace_mutants(program, true);
  case mutation_kind::free_early:
    return step_mutants(program, free_early);
  case mutation_kind::free_twice:
    return step_mutants(program, free_twice);
  case mutation_kind::skip_free:
    return step_mutants(program, [](plan::program& p, step_list& list, std::size_t k) {
      auto const* release = at<plan::release>(list, k);
      if (release == nullptr ||
          p.buffers[index(release->buffer)].space != plan::memory_space::device)
        return false;
      erase(list, k);
      return true;
    });
  case mutation_kind::widen_subset:
    return footprint_mutants(program, [](plan::footprint& f) {
      if (f.box.extents.empty()) return false;
      f.box.extents.front().count = f.box.extents.front().count + expression::integer(1);
      return true;
    });
  case mutation_kind::skip_fill:
    return step_mutants(program, [](plan::program&, step_list& list, std::size_t k) {
      if (at<plan::fill_zero>(list, k) == nullptr) return false;
      erase(list, k);
      return true;
    });
  case mutation_kind::plain_update:
    return footprint_mutants(program, [](plan::footprint& f) {
      if (!f.accumulates) return false;
      f.accumulates = false;
      f.reads = f.writes = true;
      return true;
    });
  }
  return {};
}

} // namespace assay::fuzz
