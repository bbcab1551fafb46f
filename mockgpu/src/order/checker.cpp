#include "order/checker.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {

std::string word(access_kind kind) {
  switch (kind) {
  case access_kind::read: return "read";
  case access_kind::write: return "write";
  case access_kind::atomic: return "atomic";
  case access_kind::allocate: return "alloc";
  case access_kind::release: return "free";
  }
  return "";
}

byte_mask first_bytes(std::size_t count) {
  return static_cast<byte_mask>(count >= granule_bytes ? 0xff : (1U << count) - 1);
}

/// Calls f(granule address, mask) for each granule of a range.
template <typename Function> void for_each_granule(std::uintptr_t address, std::size_t size_bytes, Function f) {
  std::uintptr_t const end = address + size_bytes;
  for (std::uintptr_t cell = address / granule_bytes * granule_bytes; cell < end; cell += granule_bytes) {
    unsigned const from = cell < address ? static_cast<unsigned>(address - cell) : 0;
    unsigned const to = static_cast<unsigned>(std::min<std::uintptr_t>(granule_bytes, end - cell));
    f(cell, static_cast<byte_mask>(first_bytes(to) & ~first_bytes(from)));
  }
}

std::uint64_t low_byte(byte_mask mask) { return static_cast<std::uint64_t>(std::countr_zero(mask)); }
std::uint64_t end_byte(byte_mask mask) { return static_cast<std::uint64_t>(std::bit_width(mask)); }

std::string default_name(allocation const& a) { return "allocation " + std::to_string(a.number); }

} // namespace

// ---- memory ------------------------------------------------------------------------------------------------

void checker::allocated(allocation const& a, position const& where) {
  history fresh;
  fresh.entries.push_back({where.chain, access_kind::allocate, 0xff, where.sequence, a.issue, nullptr});
  fresh.addressable = 0xff;
  history_id const full = histories.intern(fresh);
  std::size_t const whole = a.size_bytes / granule_bytes;
  history_id* const cells = shadow_of(a.begin);
  std::fill(cells, cells + whole, full);
  if (std::size_t const rest = a.size_bytes % granule_bytes; rest != 0) {
    fresh.addressable = first_bytes(rest);
    cells[whole] = histories.intern(fresh);
  }
}

void checker::free_called(allocation& a, position const& where, std::uint64_t issue) {
  a.free_called = true;
  a.free_issue = issue;
  a.freed_at = where;
  history_id last = 0, changed = 0;
  for_each_granule(a.begin, a.size_bytes, [&](std::uintptr_t cell, byte_mask) {
    history_id& id = *shadow_of(cell);
    if (id != last) {
      last = id;
      history h = histories[id];
      h.free_issued = true;
      changed = histories.intern(std::move(h));
    }
    id = changed;
  });
}

void checker::freed(allocation& a, accessor& by, bool orders_block) {
  if (!orders_block) access(by, a.begin, a.size_bytes, access_kind::release, nullptr, false);
  a.freed = true;
  give_back_pages(a.begin, a.size_bytes);
}

void checker::mark_undefined(std::uintptr_t address, std::size_t size_bytes) {
  for_each_granule(address, size_bytes, [&](std::uintptr_t cell, byte_mask mask) {
    history_id& id = *shadow_of(cell);
    if (id == 0) return;
    history h = histories[id];
    h.defined = static_cast<byte_mask>(h.defined & ~mask);
    id = histories.intern(std::move(h));
  });
}

void checker::set_addressable(std::uintptr_t address, std::size_t size_bytes, bool addressable) {
  for_each_granule(address, size_bytes, [&](std::uintptr_t cell, byte_mask mask) {
    history_id& id = *shadow_of(cell);
    if (id == 0) return;
    history h = histories[id];
    h.addressable = static_cast<byte_mask>(addressable ? h.addressable | mask : h.addressable & ~mask);
    id = histories.intern(std::move(h));
  });
}

std::vector<std::pair<std::size_t, std::size_t>> checker::undefined_in(std::uintptr_t address,
                                                                       std::size_t size_bytes) const {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for_each_granule(address, size_bytes, [&](std::uintptr_t cell, byte_mask mask) {
    history_id const id = *shadow_of(cell);
    if (id == 0) return; // not live: reported elsewhere
    auto const missing = static_cast<byte_mask>(mask & ~histories[id].defined);
    for (unsigned k = 0; missing != 0 && k < granule_bytes; ++k) {
      if ((missing >> k & 1) == 0) continue;
      std::size_t const offset = cell + k - address;
      if (!result.empty() && result.back().second == offset)
        ++result.back().second;
      else
        result.emplace_back(offset, offset + 1);
    }
  });
  return result;
}

// ---- accesses ----------------------------------------------------------------------------------------------

void checker::access(accessor& by, std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                     void const* code, bool use_value) {
  for_each_granule(address, size_bytes, [&](std::uintptr_t cell, byte_mask mask) {
    granule(by, cell, mask, kind, code, use_value);
  });
}

void checker::granule(accessor& by, std::uintptr_t address, byte_mask mask, access_kind kind, void const* code,
                      bool use_value) {
  history_id* const cell = shadow_of(address);
  history_id const before = *cell;
  // Reads without use of the value never leave "clean" transitions of real reads behind: bit 16 tells them apart.
  std::uint32_t const access = (use_value ? 0U : 0x10000U) | (static_cast<std::uint32_t>(kind) + 1) << 8 | mask;
  auto& known = by.slot(before, access, code);
  if (before != 0 && known.before == before && known.access == access && known.code == code && known.clean) {
    *cell = known.after;
    return;
  }
  if (before == 0) {
    no_live_memory(by, address, mask, kind, code);
    return;
  }
  history const& h = histories[before];
  bool const clean = judge(by, h, address, mask, kind, code, use_value);
  history next = with_access(h, {by.where.chain, kind, mask, by.where.sequence, by.issue, code});
  if (kind == access_kind::write || kind == access_kind::atomic)
    next.defined = static_cast<byte_mask>(next.defined | mask);
  history_id const after = histories.intern(std::move(next));
  known = {before, access, code, after, clean};
  *cell = after;
}

bool checker::judge(accessor& by, history const& h, std::uintptr_t address, byte_mask mask, access_kind kind,
                    void const* code, bool use_value) {
  bool clean = true;
  allocation* const about = h.free_issued || (mask & ~h.addressable) != 0 ? allocations.holding(address) : nullptr;
  if (auto const outside = static_cast<byte_mask>(mask & ~h.addressable);
      outside != 0 && kind != access_kind::release) {
    allocation const* const near = about != nullptr ? about : allocations.nearest(address);
    std::uint64_t const at = address - near->begin;
    std::string const message = near->sub_arrays.empty() || at + low_byte(outside) >= near->size_bytes
                                    ? "access past the end of the memory"
                                    : "access to bytes of the slab that belong to none of its sub-arrays";
    report("out-of-bounds", "bounds", message, {}, describe(by, kind, code), near, at + low_byte(outside),
           at + end_byte(outside));
    clean = false;
  }
  if (h.free_issued && about != nullptr && about->free_called && kind != access_kind::release &&
      by.where.is_after(about->freed_at.host, about->freed_at.host_sequence)) {
    std::uint64_t const at = address - about->begin;
    report("use-after-free-issue", "free-async-issue-order",
           "work that was launched after the stream-ordered free had been called touches the memory",
           describe_call(about->free_issue, "free"), describe(by, kind, code), about, at + low_byte(mask),
           at + end_byte(mask));
    clean = false;
  }
  for (auto const& e : h.entries) {
    auto const shared = static_cast<byte_mask>(e.bytes & mask & h.addressable);
    if (shared == 0 || e.chain == by.where.chain || !conflicts(e.kind, kind)) continue;
    if (by.where.is_after(e.chain, e.sequence)) continue;
    unordered(by, e, allocations.holding(address), address, shared, kind, code);
    clean = false;
  }
  bool const reads = kind == access_kind::read || kind == access_kind::atomic;
  if (auto const missing = static_cast<byte_mask>(mask & h.addressable & ~h.defined);
      reads && use_value && missing != 0) {
    allocation const* const read_from = allocations.holding(address);
    std::uint64_t const at = address - (read_from != nullptr ? read_from->begin : address);
    report("undefined-read", "undefined-content", "read of bytes that nothing has written", {},
           describe(by, kind, code), read_from, at + low_byte(missing), at + end_byte(missing));
    clean = false;
  }
  return clean;
}

void checker::unordered(accessor& by, history_entry const& e, allocation const* about, std::uintptr_t address,
                        byte_mask mask, access_kind kind, void const* code) {
  auto earlier = describe(e);
  auto later = describe(by, kind, code);
  bool const host_side = by.is_host || is_host_chain(e.chain);
  std::string name = host_side ? "host-race" : "stream-race", rule = "happens-before";
  std::string message = "two accesses to the same bytes, one of them a write, have no order";
  if (e.kind == access_kind::allocate) {
    name = "use-before-alloc";
    rule = "malloc-async-order";
    message = "the memory is touched without an order after its stream-ordered allocation";
  } else if (kind == access_kind::release) {
    name = "use-after-free";
    rule = "free-async-order";
    message = "the stream-ordered free has no order after an access to the memory";
  }
  // Reports name the two sides as the program issued them, whatever ran first.
  missing_edge edge;
  if (by.is_host) {
    edge = {missing_edge::kind::host_wait, e.issue, calls.last()};
  } else {
    if (earlier.issue > later.issue) std::swap(earlier, later);
    edge = {missing_edge::kind::stream_wait, earlier.issue, later.issue};
  }
  std::uint64_t const at = address - (about != nullptr ? about->begin : address);
  report(std::move(name), std::move(rule), std::move(message), std::move(earlier), std::move(later), about,
         at + low_byte(mask), at + end_byte(mask), edge);
}

void checker::no_live_memory(accessor& by, std::uintptr_t address, byte_mask mask, access_kind kind,
                             void const* code) {
  if (kind == access_kind::release) return;
  if (allocation* const a = allocations.holding(address); a != nullptr) {
    if (!a->freed) return;
    std::uint64_t const at = address - a->begin;
    std::optional<missing_edge> edge;
    // Only work that was issued before the free can be cured by an order.
    if (by.issue < a->free_issue && !by.is_host)
      edge = missing_edge{missing_edge::kind::stream_wait, by.issue, a->free_issue};
    auto first = describe_call(a->free_issue, "free");
    auto second = describe(by, kind, code);
    if (edge) std::swap(first, second);
    report("use-after-free", edge ? "free-async-order" : "lifetime", "the memory is touched after it was freed",
           std::move(first), std::move(second), a, at + low_byte(mask), at + end_byte(mask), edge);
    return;
  }
  allocation const* const near = allocations.nearest(address);
  if (near == nullptr) {
    report("out-of-bounds", "bounds", "access to device memory that was never allocated", {},
           describe(by, kind, code), nullptr, address + low_byte(mask), address + end_byte(mask));
    return;
  }
  // Offsets before the beginning cannot be told as unsigned numbers: the distance is in the message then.
  bool const before = address < near->begin;
  std::uint64_t const at = before ? 0 : address - near->begin;
  std::string const message =
      before ? "access " + std::to_string(near->begin - address) + " bytes before the beginning of the memory"
             : "access past the end of the memory";
  report("out-of-bounds", "bounds", message, {}, describe(by, kind, code), near,
         before ? 0 : at + low_byte(mask), before ? 0 : at + end_byte(mask));
}

// ---- pageable memory ---------------------------------------------------------------------------------------

void checker::update_watch_bounds() {
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
  for (auto const& w : watches_) {
    low = std::min(low, w.begin);
    high = std::max(high, w.end);
  }
  if (!undefined_host.empty()) {
    low = std::min(low, undefined_host.low());
    high = std::max(high, undefined_host.high());
  }
  watch_low_ = low;
  watch_span_ = high > low ? high - low : 0;
}

void checker::watch(watched_range w, position const& where) {
  for (auto const& other : watches_) {
    if (!other.overlaps(w.begin, w.end) || !conflicts(other.kind, w.kind) || other.chain == w.chain ||
        where.is_after(other.chain, other.sequence))
      continue;
    std::uintptr_t const begin = std::max(w.begin, other.begin), end = std::min(w.end, other.end);
    report("stream-race", "happens-before", "two copies touch the same bytes of pageable memory without an order",
           describe_call(other.issue, word(other.kind)), describe_call(w.issue, word(w.kind)), nullptr, begin,
           end, missing_edge{missing_edge::kind::stream_wait, other.issue, w.issue});
  }
  watches_.push_back(w);
  update_watch_bounds();
}

void checker::retire_watches(position const& host) {
  std::erase_if(watches_, [&](watched_range const& w) { return host.is_after(w.chain, w.sequence); });
  update_watch_bounds();
}

void checker::pageable_access(accessor& by, std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                              void const* code) {
  std::uintptr_t const end = address + size_bytes;
  for (auto const& w : watches_) {
    if (!w.overlaps(address, end) || !conflicts(w.kind, kind) || by.where.is_after(w.chain, w.sequence) ||
        w.chain == by.where.chain)
      continue;
    std::uintptr_t const from = std::max(address, w.begin), to = std::min(end, w.end);
    report("host-race", "pageable-copy-asynchronous",
           w.kind == access_kind::write
               ? "host code touches memory that an asynchronous copy may still be writing"
               : "host code overwrites memory that an asynchronous copy may still be reading",
           describe_call(w.issue, word(w.kind)), describe(by, kind, code), nullptr, from - w.begin, to - w.begin,
           missing_edge{missing_edge::kind::host_wait, w.issue, calls.last()});
  }
  if (kind == access_kind::write) {
    undefined_host.remove(address, end);
    update_watch_bounds();
  } else if (auto const* range = undefined_host.find(address, end); range != nullptr) {
    report("undefined-read", "undefined-content",
           "host code reads bytes that were copied from device memory that nothing had written",
           describe_call(range->second.issue, "write"), describe(by, kind, code), nullptr,
           std::max(address, range->first) - range->first, std::min(end, range->second.end) - range->first);
  }
}

// ---- findings ----------------------------------------------------------------------------------------------

memory_ref checker::memory_of(allocation const* a, std::uint64_t byte) const {
  memory_ref result;
  if (a == nullptr) {
    result.space = "pageable host";
    result.name = "host memory";
    return result;
  }
  result.name = a->name.empty() ? default_name(*a) : a->name;
  result.space = a->space == memory_space::pinned ? "pinned host"
                                                  : "device " + std::to_string(a->device) +
                                                        (a->space == memory_space::device_pool ? " pool" : "");
  result.address = a->begin;
  result.size_bytes = a->size_bytes;
  result.generation = a->number;
  result.allocated_by = a->entry_point + ", issue " + std::to_string(a->issue);
  auto after = a->sub_arrays.upper_bound(a->begin + byte);
  if (after != a->sub_arrays.begin())
    if (auto const& part = std::prev(after)->second; a->begin + byte < part.begin + part.size_bytes)
      result.sub_array = part.name;
  return result;
}

void checker::report(std::string kind, std::string rule, std::string message, operation_ref first,
                     operation_ref second, allocation const* about, std::uint64_t byte_begin,
                     std::uint64_t byte_end, std::optional<missing_edge> edge) {
  open_key key{kind, about != nullptr ? about->number : 0, first.issue, second.issue, first.access, second.access};
  auto const [found, is_new] = open_.try_emplace(std::move(key));
  finding& f = found->second;
  if (!is_new) {
    f.byte_begin = std::min(f.byte_begin, byte_begin);
    f.byte_end = std::max(f.byte_end, byte_end);
    return;
  }
  f.kind = std::move(kind);
  f.rule = std::move(rule);
  f.message = std::move(message);
  f.first = std::move(first);
  f.second = std::move(second);
  f.memory = memory_of(about, byte_begin);
  f.byte_begin = byte_begin;
  f.byte_end = byte_end;
  f.edge = edge;
}

void checker::flush() {
  if (open_.empty()) return;
  auto const ready = std::exchange(open_, {});
  for (auto const& [key, collected] : ready) {
    finding f = collected;
    if (f.edge) {
      auto const place = [](operation_ref const& o) {
        return o.name.empty() ? o.what : o.what + " " + o.name;
      };
      f.edge_words = f.edge->how == missing_edge::kind::stream_wait
                         ? "record an event after " + place(f.first) + " on " + f.first.chain + " and let " +
                               f.second.chain + " wait for it before " + place(f.second)
                         : "let the host wait for " + f.first.chain + " (or an event after " + place(f.first) +
                               ") before the access";
    }
    if (!identities_.insert(identity(f)).second) continue;
    findings_.push_back(f);
    if (sink) sink(f);
  }
}

operation_ref checker::describe_call(std::uint64_t call, std::string access) const {
  operation_ref result;
  if (call == 0) return result;
  auto const& record = calls[call];
  result.what = calls.text(record.what);
  result.name = calls.text(record.name);
  if (record.chain != 0) result.chain = chain_name(static_cast<chain_id>(record.chain - 1));
  result.issue = call;
  result.access = std::move(access);
  if (record.file != nullptr)
    result.location = {record.file, record.line, {}};
  else
    result.location = source_line(record.return_address);
  return result;
}

operation_ref checker::describe(accessor const& by, access_kind kind, void const* code) const {
  operation_ref result;
  if (by.is_host) {
    result.what = "host access";
    result.chain = chain_name(by.where.chain);
    result.issue = by.issue;
    result.access = word(kind);
  } else {
    result = describe_call(by.issue, word(kind));
  }
  if (code != nullptr)
    if (auto line = source_line(code); line.line != 0) result.location = std::move(line);
  return result;
}

operation_ref checker::describe(history_entry const& e) const {
  operation_ref result = describe_call(e.issue, word(e.kind));
  if (is_host_chain(e.chain) && e.kind != access_kind::allocate && e.kind != access_kind::release) {
    result = {};
    result.what = "host access";
    result.issue = e.issue;
    result.access = word(e.kind);
  }
  result.chain = chain_name(e.chain);
  if (e.code != nullptr)
    if (auto line = source_line(e.code); line.line != 0) result.location = std::move(line);
  return result;
}

} // namespace mockgpu
