#include "schedule/scheduler.hpp"

#include <algorithm>

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {

bool is_ready(operation const& o) {
  return std::ranges::all_of(o.after, [](operation_ptr const& before) { return before->done; });
}

// A device that is slow to start: a program that polls sees this many times "not ready" first.
constexpr int queries_before_progress = 3;

} // namespace

std::uint64_t scheduler::random() { // splitmix64
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool scheduler::may(bool when_eager, bool when_lazy) {
  switch (kind_) {
  case schedule_kind::eager: return when_eager;
  case schedule_kind::lazy: return when_lazy;
  case schedule_kind::random: return random() % 2 == 0;
  }
  return when_eager;
}

std::vector<stream*> scheduler::ready(int device) const {
  std::vector<stream*> result;
  for (auto* s : streams_)
    if ((device < 0 || s->device == device) && !s->pending.empty() && is_ready(*s->pending.front()))
      result.push_back(s);
  return result;
}

void scheduler::run_head(stream& s) {
  operation_ptr const o = s.pending.front();
  s.pending.pop_front();
  if (o->run) o->run();
  o->done = true;
  o->run = nullptr;
  o->after.clear();
}

void scheduler::after_call() {
  if (kind_ == schedule_kind::lazy) return;
  if (kind_ == schedule_kind::eager) {
    drain(-1);
    return;
  }
  for (auto candidates = ready(-1); !candidates.empty() && random() % 2 == 0; candidates = ready(-1))
    run_head(*candidates[random() % candidates.size()]);
}

void scheduler::run_until_done(operation& target) {
  if (kind_ == schedule_kind::random) {
    while (!target.done) {
      auto const candidates = ready(-1);
      MOCKGPU_ASSERT(!candidates.empty());
      run_head(*candidates[random() % candidates.size()]);
    }
    return;
  }
  // Only what the target needs: its stream up to it, and what those operations wait for.
  std::vector<operation*> wanted{&target};
  while (!wanted.empty()) {
    operation* const o = wanted.back();
    if (o->done) {
      wanted.pop_back();
      continue;
    }
    operation* const head = o->queue->pending.front().get();
    auto const missing = std::ranges::find_if(head->after, [](operation_ptr const& b) { return !b->done; });
    if (missing != head->after.end())
      wanted.push_back(missing->get());
    else
      run_head(*o->queue);
  }
}

void scheduler::drain(int device) {
  for (auto candidates = ready(device); !candidates.empty(); candidates = ready(device))
    run_head(*candidates[kind_ == schedule_kind::random ? random() % candidates.size() : 0]);
  // What is left waits for another device's work.
  for (auto* s : streams_)
    while ((device < 0 || s->device == device) && !s->pending.empty()) run_until_done(*s->pending.back());
}

void scheduler::unsuccessful_query(operation& target) {
  if (++queries_ < queries_before_progress) return;
  queries_ = 0;
  run_until_done(target);
}

} // namespace mockgpu
