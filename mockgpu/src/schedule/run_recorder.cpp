#include "schedule/run_recorder.hpp"

#include <algorithm>

#include "order/access.hpp"

namespace mockgpu {

run_recorder::run_recorder(run_plan plan, std::function<void(trace_point const&)> emit)
    : plan_(std::move(plan)), emit_(std::move(emit)) {
  // Nothing but the host can begin.
  push(choice::next_operation, 1, {host_chain}, 0);
}

void run_recorder::push(choice what, unsigned alternatives, std::vector<chain_index> candidates,
                        unsigned taken) {
  if (points_ + 1 == plan_.taken.size()) sleepers_ = plan_.sleepers;
  ++points_;
  open_.push_back({what, alternatives, std::move(candidates), taken, {}});
}

void run_recorder::end_step(clock_ref const& host_base) {
  if (open_.empty()) return;
  transition& step = open_.front().step;
  if (step.chain == host_chain) {
    step.host_step = host_steps_++;
    if (host_base) step.after = *host_base;
  }
  step.touched.close();
  sleepers_ = still_asleep(sleepers_, step);
  for (trace_point const& one : open_) emit_(one);
  open_.clear();
}

void run_recorder::at_point(std::vector<chain_index> const& candidates,
                            clock_ref const& host_base) {
  if (redundant_) return;
  end_step(host_base);
  candidates_ = candidates;
  if (candidates.size() != 1) return; // `decide` comes next
  if (points_ >= plan_.taken.size()) static_cast<void>(choose());
  if (!redundant_) push(choice::next_operation, 1, candidates, 0);
}

unsigned run_recorder::choose() {
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (std::none_of(sleepers_.begin(), sleepers_.end(),
                     [&](sleeper const& one) { return one.chain == candidates_[i]; }))
      return unsigned(i);
  redundant_ = true;
  return 0;
}

unsigned run_recorder::decide(choice what, unsigned alternatives) {
  if (redundant_) return 0;
  bool const planned = points_ < plan_.taken.size();
  unsigned taken = 0;
  // A plan that does not fit is noticed by whoever reads the points.
  if (planned)
    taken = std::min(plan_.taken[points_], alternatives - 1);
  else if (what == choice::next_operation)
    taken = choose();
  if (redundant_) return 0;
  push(what, alternatives,
       what == choice::next_operation ? candidates_ : std::vector<chain_index>(), taken);
  return taken;
}

void run_recorder::queued(issue_number issue) {
  if (queued_by_.size() <= issue) queued_by_.resize(issue + std::size_t{1});
  queued_by_[issue] = host_steps_;
}

void run_recorder::runs(chain_index chain, issue_number issue, std::uint64_t name,
                        clock_ref const& base) {
  if (open_.empty()) return;
  transition& step = open_.front().step;
  step.chain = chain;
  step.issue = issue;
  step.name = name;
  step.host_step = queued_by_[issue];
  if (base) step.after = *base;
  step.touched.write(status_of(issue));
}

void run_recorder::touch(std::uintptr_t begin, std::size_t size_bytes, bool write) {
  auto const note = [&](touched_range place) { write ? note_write(place) : note_read(place); };
  if (begin - shadow.begin < shadow.span) {
    note({begin - shadow.begin, begin - shadow.begin + size_bytes});
    return;
  }
  for (host_memory const& one : host_memory_) {
    std::uintptr_t const from = std::max(begin, one.begin),
                         to = std::min(begin + size_bytes, one.end);
    if (from < to) note({one.place + (from - one.begin), one.place + (to - one.begin)});
  }
}

void run_recorder::use_host_memory(std::uintptr_t begin, std::size_t size_bytes) {
  // Only what no earlier operation has used is new; ranges stay apart.
  std::uintptr_t const end = begin + size_bytes;
  for (std::uintptr_t at = begin; at < end;) {
    std::uintptr_t next = end;
    bool known = false;
    for (host_memory const& one : host_memory_) {
      if (one.begin <= at && at < one.end) {
        known = true;
        next = std::min(end, one.end);
        break;
      }
      if (at < one.begin) next = std::min(next, one.begin);
    }
    if (!known) {
      host_memory_.push_back({at, next, next_place_});
      next_place_ += next - at + 1;
    }
    at = next;
  }
}

void run_recorder::note_read(touched_range place) {
  if (!open_.empty()) open_.front().step.touched.read(place);
}

void run_recorder::note_write(touched_range place) {
  if (!open_.empty()) open_.front().step.touched.write(place);
}

void run_recorder::close(clock_ref const& host_base) {
  if (!redundant_) end_step(host_base);
}

} // namespace mockgpu
