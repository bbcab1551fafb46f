#include "order/host_ranges.hpp"

#include <algorithm>

#include "memory/memory.hpp"
#include "order/access.hpp"

namespace mockgpu {

void host_ranges::watch(host_watch range) {
  if (range.width_bytes == 0 || range.rows == 0) return;
  for (host_watch& one : watches_)
    if (range.stands_for(one)) {
      one = std::move(range);
      return;
    }
  watches_.push_back(std::move(range));
  update_hull();
}

void host_ranges::extend(host_watch row) {
  // A kernel walks a few arrays at a time.
  constexpr std::ptrdiff_t arrays = 8;
  auto const first = watches_.end() - std::min<std::ptrdiff_t>(arrays, std::ssize(watches_));
  for (auto it = first; it != watches_.end(); ++it) {
    if (it->rows != 1 || it->write != row.write || it->operation.issue != row.operation.issue ||
        it->operation.chain != row.operation.chain || row.begin < it->begin ||
        row.begin > it->end())
      continue;
    if (row.end() > it->end()) {
      it->width_bytes = row.end() - it->begin;
      std::uintptr_t const hull_end =
          std::max<std::uintptr_t>(shadow.watch_begin + shadow.watch_span, row.end());
      shadow.watch_span = hull_end - shadow.watch_begin;
    }
    return;
  }
  watch(std::move(row));
}

void host_ranges::drop_ordered(order_point const& now) {
  auto const removed = std::erase_if(watches_, [&](host_watch const& one) {
    return happens_before(one.operation.chain, one.operation.issue, now);
  });
  if (removed != 0) update_hull();
}

std::vector<host_ranges::hit> host_ranges::find(std::uintptr_t begin, std::uintptr_t end) const {
  std::vector<hit> hits;
  for (host_watch const& one : watches_) {
    if (end <= one.begin || one.end() <= begin) continue;
    std::size_t row =
        one.pitch_bytes == 0 || begin <= one.begin ? 0 : (begin - one.begin) / one.pitch_bytes;
    for (; row < one.rows; ++row) {
      std::uintptr_t const row_begin = one.begin + row * one.pitch_bytes;
      std::uintptr_t const from = std::max(begin, row_begin),
                           to = std::min(end, row_begin + one.width_bytes);
      if (row_begin >= end) break;
      if (from < to) hits.push_back({&one, from, to});
    }
  }
  return hits;
}

void host_ranges::mark_raced(std::uintptr_t begin, std::uintptr_t end) {
  std::uintptr_t& known = raced_[begin];
  known = std::max(known, end);
}

bool host_ranges::has_raced(std::uintptr_t begin, std::uintptr_t end) const noexcept {
  return std::any_of(raced_.begin(), raced_.lower_bound(end),
                     [begin](auto const& one) { return one.second > begin; });
}

void host_ranges::mark_undefined(std::uintptr_t begin, std::uintptr_t end, chain_index chain,
                                 issue_number issue) {
  mark_defined(begin, end);
  // Copies arrive row by row and cell by cell: neighbours of one operation are one range.
  auto const after = undefined_.lower_bound(begin);
  if (after != undefined_.begin()) {
    undefined_range& before = std::prev(after)->second;
    if (before.end == begin && before.issue == issue) {
      before.end = end;
      update_hull();
      return;
    }
  }
  undefined_.emplace(begin, undefined_range{begin, end, chain, issue, begin});
  update_hull();
}

void host_ranges::mark_defined(std::uintptr_t begin, std::uintptr_t end) {
  auto it = undefined_.upper_bound(begin);
  if (it != undefined_.begin()) --it;
  bool changed = false;
  while (it != undefined_.end() && it->second.begin < end) {
    undefined_range const old = it->second;
    if (old.end <= begin) {
      ++it;
      continue;
    }
    it = undefined_.erase(it);
    changed = true;
    if (old.begin < begin)
      undefined_.emplace(old.begin,
                         undefined_range{old.begin, begin, old.chain, old.issue, old.origin});
    if (end < old.end)
      it = undefined_.emplace(end, undefined_range{end, old.end, old.chain, old.issue, old.origin})
               .first;
  }
  if (changed) update_hull();
}

std::vector<host_ranges::undefined_range> host_ranges::find_undefined(std::uintptr_t begin,
                                                                      std::uintptr_t end) {
  std::vector<undefined_range> found;
  auto it = undefined_.upper_bound(begin);
  if (it != undefined_.begin()) --it;
  for (; it != undefined_.end() && it->second.begin < end; ++it) {
    undefined_range part = it->second;
    part.begin = std::max(part.begin, begin);
    part.end = std::min(part.end, end);
    if (part.begin < part.end) found.push_back(part);
  }
  std::vector<undefined_range> stale;
  std::erase_if(found, [&](undefined_range const& part) {
    auto const* const bytes = reinterpret_cast<unsigned char const*>(part.begin);
    bool const poisoned = std::all_of(bytes, bytes + (part.end - part.begin),
                                      [](unsigned char byte) { return byte == poison_byte; });
    if (!poisoned) stale.push_back(part);
    return !poisoned;
  });
  for (undefined_range const& part : stale) mark_defined(part.begin, part.end);
  return found;
}

void host_ranges::update_hull() {
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (host_watch const& one : watches_) {
    begin = std::min(begin, one.begin);
    end = std::max(end, one.end());
  }
  if (!undefined_.empty()) {
    begin = std::min(begin, undefined_.begin()->second.begin);
    end = std::max(end, std::prev(undefined_.end())->second.end);
  }
  shadow.watch_begin = begin < end ? begin : 0;
  shadow.watch_span = begin < end ? end - begin : 0;
}

} // namespace mockgpu
