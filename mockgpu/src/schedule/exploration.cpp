#include "schedule/exploration.hpp"

#include <algorithm>
#include <stdexcept>

namespace mockgpu {
namespace {

bool is_step(trace_point const& point) { return point.what == choice::next_operation; }

bool bit(std::vector<std::uint64_t> const& bits, std::size_t at) {
  return at / 64 < bits.size() && (bits[at / 64] >> (at % 64) & 1) != 0;
}
void set_bit(std::vector<std::uint64_t>& bits, std::size_t at) {
  if (bits.size() <= at / 64) bits.resize(at / 64 + 1);
  bits[at / 64] |= std::uint64_t{1} << (at % 64);
}
void add_bits(std::vector<std::uint64_t>& to, std::vector<std::uint64_t> const& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
}

} // namespace

std::optional<run_plan> exploration::next() {
  if (!begun_) {
    begun_ = true;
    return run_plan{};
  }
  for (; !path_.empty(); path_.pop_back()) {
    node& last = path_.back();
    if (is_step(last.point))
      last.sleepers.push_back({last.point.step.chain, last.point.step.touched});
    last.done[last.point.taken] = true;
    std::optional<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < last.point.alternatives && !chosen; ++i) {
      if (last.done[i] || !last.wanted[i]) continue;
      if (is_step(last.point) &&
          std::any_of(last.sleepers.begin(), last.sleepers.end(),
                      [&](sleeper const& one) { return one.chain == last.point.candidates[i]; }))
        continue;
      chosen = i;
    }
    if (!chosen) continue;
    last.point.taken = *chosen;
    changed_ = path_.size() - 1;
    run_plan plan;
    for (node const& one : path_) plan.taken.push_back(one.point.taken);
    std::size_t step = changed_; // a choice belongs to the step in which it was made
    while (!is_step(path_[step].point)) --step;
    plan.sleepers = path_[step].sleepers;
    if (step != changed_) changed_ = step;
    return plan;
  }
  return std::nullopt;
}

void exploration::compare(trace_point const& found, std::size_t at) const {
  trace_point const& known = path_[at].point;
  bool const same_step =
      at >= changed_ || !is_step(known) ||
      (found.step.name == known.step.name && found.step.issue == known.step.issue);
  if (found.what == known.what && found.alternatives == known.alternatives &&
      found.candidates == known.candidates && found.taken == known.taken && same_step)
    return;
  throw std::runtime_error("nondeterministic program: point " + std::to_string(at + 1) +
                           " of a run differs from the run that it repeats");
}

std::vector<sleeper> exploration::sleepers_after(std::size_t at) const {
  return still_asleep(path_[at].sleepers, path_[at].point.step);
}

void exploration::absorb(run_trace run) {
  std::size_t const planned = path_.size();
  if (run.cut)
    while (run.points.size() < planned) {
      // What the step that did not end would have touched is not known.
      trace_point unfinished = path_[run.points.size()].point;
      if (is_step(unfinished)) {
        unfinished.step = {};
        unfinished.step.chain = unfinished.candidates[unfinished.taken];
        unfinished.step.touched.write({0, UINT64_MAX});
      }
      run.points.push_back(std::move(unfinished));
    }
  if (run.points.size() < planned && !run.redundant)
    throw std::runtime_error("nondeterministic program: a run ended at point " +
                             std::to_string(run.points.size()) +
                             ", the run that it repeats went on");
  std::vector<sleeper> asleep;
  for (std::size_t at = 0; at < run.points.size(); ++at) {
    trace_point& found = run.points[at];
    if (at < planned) {
      compare(found, at);
      path_[at].point.step = std::move(found.step);
    } else {
      node made;
      made.point = std::move(found);
      made.wanted.assign(made.point.alternatives, !is_step(made.point)); // all of a plain choice
      made.done.assign(made.point.alternatives, false);
      made.wanted[made.point.taken] = true;
      if (is_step(made.point)) made.sleepers = asleep;
      path_.push_back(std::move(made));
    }
    node const& now = path_[at];
    if (is_step(now.point)) {
      asleep = sleepers_after(at);
      if (at >= changed_) {
        order(at);
        find_races(at);
      }
    }
  }
  ++(run.redundant ? redundant_ : orders_);
}

void exploration::order(std::size_t at) {
  node& now = path_[at];
  transition const& step = now.point.step;
  now.before.clear();
  for (std::size_t i = at; i-- > 0;) {
    node const& earlier = path_[i];
    if (!is_step(earlier.point) || bit(now.before, i)) continue;
    transition const& other = earlier.point.step;
    if (other.chain != step.chain && !ordered(other, step) &&
        !other.touched.conflicts(step.touched))
      continue;
    add_bits(now.before, earlier.before);
    set_bit(now.before, i);
  }
}

/// Two steps race where they conflict, nothing between them puts one before the other, and the
/// program does not order them: the second could be made first.
void exploration::find_races(std::size_t at) {
  transition const& step = path_[at].point.step;
  for (std::size_t i = 0; i < at; ++i) {
    if (!is_step(path_[i].point)) continue;
    transition const& other = path_[i].point.step;
    if (other.chain == step.chain || !bit(path_[at].before, i) || ordered(other, step) ||
        !other.touched.conflicts(step.touched))
      continue;
    bool direct = true;
    for (std::size_t k = i + 1; k < at && direct; ++k)
      direct = !(is_step(path_[k].point) && bit(path_[at].before, k) && bit(path_[k].before, i));
    if (direct) want_reversal(i, at);
  }
}

/// What could begin, before `first`, a run of everything that does not come after `first` and then
/// `second`: one of these has to be tried there.
void exploration::want_reversal(std::size_t first, std::size_t second) {
  std::vector<chain_index> initials;
  std::vector<std::size_t> through;
  for (std::size_t k = first + 1; k <= second; ++k) {
    if (!is_step(path_[k].point) || bit(path_[k].before, first)) {
      if (k != second) continue;
    }
    bool const initial = std::none_of(through.begin(), through.end(), [&](std::size_t earlier) {
      return bit(path_[k].before, earlier);
    });
    if (initial) initials.push_back(path_[k].point.step.chain);
    through.push_back(k);
  }
  node& from = path_[first];
  std::optional<std::uint32_t> possible;
  for (std::uint32_t i = 0; i < from.point.alternatives; ++i) {
    if (std::find(initials.begin(), initials.end(), from.point.candidates[i]) == initials.end())
      continue;
    if (from.wanted[i]) return;
    if (!possible) possible = i;
  }
  if (possible)
    from.wanted[*possible] = true;
  else // nothing of it could begin there: whatever could is tried
    from.wanted.assign(from.point.alternatives, true);
}

} // namespace mockgpu
