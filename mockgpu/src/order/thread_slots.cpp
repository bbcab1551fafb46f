#include "order/thread_slots.hpp"

#include <algorithm>

namespace mockgpu {

void thread_slots::begin_grid(unsigned threads_per_block, thread_slot first) {
  threads_per_block_ = threads_per_block;
  next_ = block_begin_ = phase_begin_ = first;
  open_ = false;
  groups_.clear();
  runs_.clear();
  shapes_.clear();
}

void thread_slots::close_block() {
  if (!open_) return;
  open_ = false;
  std::uint32_t const stride = next_ - block_begin_;
  if (!runs_.empty()) {
    run& last = runs_.back();
    bool const up = last.block(last.count, /*downwards=*/false) == block_ &&
                    (last.count == 1 || !last.downwards);
    bool const down =
        last.block(last.count, /*downwards=*/true) == block_ && (last.count == 1 || last.downwards);
    if (last.stride == stride && (up || down) &&
        last.first + last.stride * last.count == block_begin_ && shapes_[last.shape] == groups_) {
      last.downwards = down;
      ++last.count;
      return;
    }
  }
  // A few shapes serve all blocks; only the newest ones are looked at, which bounds the search.
  std::uint32_t shape = UINT32_MAX;
  for (std::size_t i = shapes_.size(), tried = 0; i-- > 0 && tried < 8; ++tried)
    if (shapes_[i] == groups_) shape = std::uint32_t(i);
  if (shape == UINT32_MAX) {
    shape = std::uint32_t(shapes_.size());
    shapes_.push_back(groups_);
  }
  runs_.push_back({block_begin_, stride, block_, 1, shape, false});
}

void thread_slots::begin_block(std::uint64_t block) {
  close_block();
  block_ = block;
  block_begin_ = next_;
  open_ = true;
  groups_.clear();
  begin_phase();
}

void thread_slots::begin_phase() {
  phase_begin_ = next_;
  hand_out(0, threads_per_block_);
}

thread_slot thread_slots::hand_out(unsigned first_thread, unsigned count) {
  thread_slot const first = next_;
  groups_.push_back({first - block_begin_, std::uint16_t(first_thread), std::uint16_t(count)});
  next_ += count;
  return first;
}

void thread_slots::forget_past() noexcept {
  open_ = false;
  runs_.clear();
  shapes_.clear();
}

thread_slots::run const* thread_slots::run_of(thread_slot slot) const {
  auto const after =
      std::upper_bound(runs_.begin(), runs_.end(), slot,
                       [](thread_slot wanted, run const& one) { return wanted < one.first; });
  return after == runs_.begin() ? nullptr : &*std::prev(after);
}

unsigned thread_slots::thread_in(std::vector<group> const& groups, std::uint32_t offset) {
  auto const after =
      std::upper_bound(groups.begin(), groups.end(), offset,
                       [](std::uint32_t wanted, group const& one) { return wanted < one.offset; });
  if (after == groups.begin()) return 0;
  group const& one = *std::prev(after);
  return one.first_thread + (offset - one.offset);
}

thread_place thread_slots::place_of(thread_slot slot) const {
  if (slot >= block_begin_) return {block_, thread_in(groups_, slot - block_begin_)};
  run const* const found = run_of(slot);
  if (found == nullptr) return {};
  std::uint32_t const offset = slot - found->first;
  return {found->block(offset / found->stride, found->downwards),
          thread_in(shapes_[found->shape], offset % found->stride)};
}

} // namespace mockgpu
