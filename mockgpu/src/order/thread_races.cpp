#include "order/thread_races.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "kernel/shared_memory.hpp"
#include "mockgpu/abi.h"
#include "order/contexts.hpp"
#include "order/padding.hpp"
#include "report/source_lookup.hpp"

namespace mockgpu {

thread_races* active_thread_races = nullptr;

namespace {

constexpr std::size_t word_bytes = 4, record_bytes = 8;
constexpr unsigned whole_word = 0xF;
// A word that many threads use in many ways keeps so many accesses, the newest ones.
constexpr std::size_t most_entries = 64;

bool conflict(thread_access now, thread_access before, bool same_block) noexcept {
  if (now == thread_access::read) return before != thread_access::read;
  if (is_atomic(now) && is_atomic(before))
    return !same_block &&
           (now == thread_access::block_atomic || before == thread_access::block_atomic);
  return true;
}

/// Whoever races with the weaker one, and comes after both, races with the stronger one too.
bool at_least_as_strong(thread_access strong, thread_access weak) noexcept {
  return strong == thread_access::write || strong == weak ||
         (strong == thread_access::block_atomic && weak == thread_access::atomic);
}

cell_kind single(thread_access access) noexcept {
  return access == thread_access::read     ? cell_kind::read
         : access == thread_access::write  ? cell_kind::write
         : access == thread_access::atomic ? cell_kind::atomic
                                           : cell_kind::scoped;
}
cell_kind in_block(thread_access access) noexcept {
  return access == thread_access::read     ? cell_kind::read_block
         : access == thread_access::atomic ? cell_kind::atomic_block
                                           : cell_kind::scoped_block;
}
cell_kind in_grid(thread_access access) noexcept {
  return access == thread_access::read ? cell_kind::read_grid : cell_kind::atomic_grid;
}

bool one_line(void const* first, void const* second) {
  source_location const a = locate(first), b = locate(second);
  return a.line != 0 && a.line == b.line && a.file == b.file;
}

thread_access access_of(cell_kind kind) noexcept {
  switch (kind) {
  case cell_kind::read:
  case cell_kind::read_block:
  case cell_kind::read_grid:
    return thread_access::read;
  case cell_kind::write:
    return thread_access::write;
  case cell_kind::scoped:
  case cell_kind::scoped_block:
    return thread_access::block_atomic;
  default:
    return thread_access::atomic;
  }
}

} // namespace

thread_races::thread_races(memory& all, operation_context& context)
    : memory_(all), context_(context) {
  known_sites = {};
  active_thread_races = this;
  thread_order::now().checked_by = this;
}

thread_races::~thread_races() {
  hide_ranges();
  active_thread_races = nullptr;
  thread_order::now().checked_by = nullptr;
}

void thread_races::grid_begins() {
  lists_.clear();
  shared_.clear();
  suspended_.clear();
  suspended_blocks_.clear();
  guesses_.clear();
  restarted_ = false;
  hide_ranges();
  choose_checks(context_, settled_by_hooks_);
}

void thread_races::grid_ends() {
  settle();
  report(guesses_.take_all());
  hide_ranges();
  choose_checks(context_, quick_checks::states);
  lists_.clear();
  suspended_.clear();
}

void thread_races::hide_ranges() noexcept {
  for (record_range& one : grid_view.shared) one = {};
  grid_view.variable = {};
}

/// The hooks go on by themselves with what the block has used once, as far as its bounds are known.
void thread_races::show_shared(shared_range& used, std::uintptr_t address) {
  used.newest = mockgpu_indices.slot;
  std::uintptr_t begin = used.begin;
  std::size_t size_bytes = used.size_bytes;
  if (near_shared_memory(address)) {
    shared_target const inside = find_shared_target(address);
    begin = address - std::uintptr_t(inside.offset);
    size_bytes = inside.size_bytes;
  }
  if (begin % record_bytes != 0 || used.begin % record_bytes != 0) return;
  for (record_range const& one : grid_view.shared)
    if (one.begin == begin) return;
  grid_view.shared[next_shown_++ % std::size(grid_view.shared)] = {
      begin, size_bytes / record_bytes * record_bytes,
      used.records.data() + (begin - used.begin) / record_bytes};
}

void thread_races::block_begins() {
  if (!guesses_.empty()) report(guesses_.take_all_except(suspended_blocks_));
  hide_ranges();
  grid_view.shared_past_end = make_cell(thread_order::now().slots.block_begin(), cell_kind::none);
}

void thread_races::block_suspended(thread_order::block_token token) {
  suspended_blocks_.insert(thread_order::now().slots.block());
  hide_ranges();
  saved_cells saved{grid_view.shared_past_end, {}, {}};
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    shared_range const& one = shared_[i];
    if (make_cell(one.newest, cell_kind::list) < grid_view.shared_past_end) continue;
    saved.memory.emplace_back(i, one);
    for (std::size_t at = 0; at < one.records.size(); ++at)
      for (std::size_t half = 0; half < 2; ++half) {
        thread_cell const cell = one.records[at].cells[half];
        if (kind_of(cell) != cell_kind::list || cell < grid_view.shared_past_end) continue;
        std::uintptr_t const address =
            one.begin / record_bytes * record_bytes + at * record_bytes + half * word_bytes;
        if (auto const found = lists_.find(address); found != lists_.end())
          saved.lists.insert(*found);
      }
  }
  if (suspended_.size() <= token) suspended_.resize(token + std::size_t{1});
  suspended_[token] = std::move(saved);
}

void thread_races::block_resumed(thread_order::block_token token) {
  if (!guesses_.empty()) report(guesses_.take_all_except(suspended_blocks_));
  suspended_blocks_.erase(thread_order::now().slots.block());
  saved_cells saved = std::exchange(suspended_[token], {});
  hide_ranges();
  grid_view.shared_past_end = saved.block_begin;
  for (auto& [i, memory] : saved.memory) shared_[i] = std::move(memory);
  for (auto& [address, list] : saved.lists) lists_[address] = std::move(list);
}

void thread_races::order_changes() {
  if (!unsettled_.empty()) settle();
}

void thread_races::block_meets() {
  if (!guesses_.empty()) report(guesses_.take_block(thread_order::now().slots.block()));
}

void thread_races::grid_meets() { report(guesses_.take_all()); }

void thread_races::slots_restart() {
  guesses_.clear();
  memory_.clear_thread_cells();
  lists_.clear();
  for (shared_range& one : shared_)
    std::fill(one.records.begin(), one.records.end(), shadow_record());
  for (saved_cells& one : suspended_) one = {};
  restarted_ = true;
}

void thread_races::shared_memory(std::uintptr_t begin, std::size_t size_bytes) {
  hide_ranges(); // records may move
  std::size_t const count = (begin % record_bytes + size_bytes + record_bytes - 1) / record_bytes;
  for (shared_range& one : shared_)
    if (one.begin == begin) {
      one.size_bytes = size_bytes;
      one.records.resize(count);
      return;
    }
  shared_.push_back({begin, size_bytes, 0, std::vector<shadow_record>(count)});
}

record_range thread_races::records_at(std::uintptr_t address, std::size_t& size_bytes,
                                      shared_range*& shared) {
  for (shared_range& one : shared_)
    if (address - one.begin < one.size_bytes) {
      shared = &one;
      size_bytes = std::min<std::size_t>(size_bytes, one.begin + one.size_bytes - address);
      show_shared(one, address);
      return {one.begin / record_bytes * record_bytes, one.size_bytes, one.records.data()};
    }
  // What lies outside of blocks is another finding's.
  allocation const* const block = memory_.find(address);
  if (block == nullptr || block->retired) return {};
  size_bytes = std::min<std::size_t>(size_bytes, block->begin + block->size_bytes - address);
  record_range const all = memory::records(*block);
  if (block->own_records != nullptr) grid_view.variable = all;
  return all;
}

thread_cell thread_races::fresh_end(word const& at) const noexcept {
  return at.shared != nullptr ? grid_view.shared_past_end : grid_view.past_end;
}

access_site_index thread_races::site_of(void const* return_address) {
  site_memo::entry& last = known_sites.at(return_address);
  if (last.return_address == return_address && last.site != 0) return last.site;
  access_site_index& known = sites_[return_address];
  if (known == 0 && return_address != nullptr && site_addresses_.size() <= UINT16_MAX) {
    known = access_site_index(site_addresses_.size());
    site_addresses_.push_back(return_address);
  }
  last = {return_address, known};
  return known;
}

thread_races::word thread_races::word_at(record_range const& range, std::uintptr_t address,
                                         shared_range const* shared) noexcept {
  shadow_record& record = range.records[(address - range.begin) / record_bytes];
  std::size_t const half = address / word_bytes % 2;
  return {address, record.cells[half], record.sites[half], shared};
}

void thread_races::access(thread_touch const& what) {
  std::uintptr_t const address = what.address;
  std::size_t size_bytes = what.size_bytes;
  thread_access const access = what.access;
  if (!unsettled_.empty()) settle();
  shared_range* shared = nullptr;
  record_range const range = records_at(address, size_bytes, shared);
  if (range.records == nullptr) return;
  access_site_index const site = site_of(what.return_address);
  bool const fails =
      what.expected && std::memcmp(content_at(address), &*what.expected, size_bytes) != 0;
  if (is_atomic(access))
    thread_order::atomic(address,
                         access == thread_access::block_atomic ? thread_order::fence_scope::block
                                                               : thread_order::fence_scope::device,
                         fails ? what.failure_order : what.order, what.writes && !fails);

  auto const for_each_word = [&](auto const& visit) {
    std::uintptr_t const end = address + size_bytes;
    for (std::uintptr_t at = address / word_bytes * word_bytes; at < end; at += word_bytes) {
      unsigned mask = whole_word;
      if (at < address) mask &= whole_word << (address - at);
      if (at + word_bytes > end) mask &= whole_word >> (at + word_bytes - end);
      visit(word_at(range, at, shared), mask & whole_word);
    }
  };
  // All words first: a word that is read counts as defined from then on.
  if (shared != nullptr && what.uses_content && !restarted_) {
    unit_bytes_ = access == thread_access::read ? definition_unit_bytes(address, size_bytes) : 1;
    for_each_word([&](word const& at, unsigned mask) { check_defined(at, mask, range, site); });
  }
  for_each_word([&](word const& at, unsigned mask) {
    auto verdict = guessed_reads::verdict::unknown;
    if (what.expected) {
      auto const first = std::int64_t(address - at.address) * 8; // place of the lowest bit
      auto const demanded = first < 0 ? *what.expected >> -first : *what.expected << first;
      std::uint32_t content = 0;
      std::memcpy(&content, content_at(at.address), sizeof content);
      verdict = judge_guess(at, mask, {std::uint32_t(demanded), content, fails});
      if (verdict == guessed_reads::verdict::guess) forget_own_reads(at, mask);
    }
    if (access != thread_access::read && !guesses_.empty() &&
        verdict != guessed_reads::verdict::again)
      report(guesses_.take(running_reader(at.address), mask));
    touch(at, mask, access, site);
  });
}

void thread_races::copies(std::uintptr_t begin, std::size_t size_bytes, bool write,
                          void const* return_address, bool completes) {
  completes_copy_ = completes;
  access({begin, size_bytes, write ? thread_access::write : thread_access::read, return_address,
          /*uses_content=*/false});
  completes_copy_ = false;
}

bool thread_races::read_plainly(std::uintptr_t address, std::size_t size_bytes) {
  address = memory_.variables.seen_by_kernel(address);
  shared_range* shared = nullptr;
  record_range const range = records_at(address, size_bytes, shared);
  if (range.records == nullptr) return false;
  std::uintptr_t const end = address + size_bytes;
  for (std::uintptr_t at = address / word_bytes * word_bytes; at < end; at += word_bytes) {
    word const one = word_at(range, at, shared);
    if (one.cell < fresh_end(one)) continue;
    cell_kind const kind = kind_of(one.cell);
    if (kind == cell_kind::read || kind == cell_kind::read_block || kind == cell_kind::read_grid ||
        kind == cell_kind::list)
      return true;
  }
  return false;
}

guessed_reads::reader thread_races::running_reader(std::uintptr_t address) const {
  return {thread_order::now().slots.block(), thread_order::running_thread(), address};
}

guessed_reads::verdict thread_races::judge_guess(word const& at, unsigned mask,
                                                 guessed_reads::exchange exchange) {
  using verdict = guessed_reads::verdict;
  verdict const known = guesses_.compare_and_swap(running_reader(at.address), mask, exchange);
  if (known != verdict::unknown) return known;
  // No other thread's atomic has come since the thread's reads, so they have found what is there.
  bool const confirmed =
      ((exchange.content ^ exchange.expected) & guessed_reads::bits_of(mask)) == 0;
  return confirmed ? verdict::guess : verdict::unknown;
}

/// A guess is no access that could race: the exchange stands for it.
void thread_races::forget_own_reads(word const& at, unsigned mask) {
  cell_kind const kind = kind_of(at.cell);
  if (at.cell < fresh_end(at) || (kind != cell_kind::read && kind != cell_kind::list)) return;
  auto const& slots = thread_order::now().slots;
  thread_place const self{slots.block(), thread_order::running_thread()};
  entries list = expand(at);
  bool changed = false;
  for (entry& one : list) {
    // What a barrier has closed was used before it.
    if (one.access != thread_access::read || one.many != cell_kind::none ||
        (one.mask & mask) == 0 || one.slot < slots.phase_begin() ||
        slots.place_of(one.slot) != self)
      continue;
    one.mask &= std::uint8_t(~mask);
    changed = true;
  }
  if (!changed) return;
  std::erase_if(list, [](entry const& one) { return one.mask == 0; });
  if (!list.empty()) return store(at, std::move(list));
  if (kind == cell_kind::list) lists_.erase(at.address);
  at.cell = 0;
  at.site = 0;
}

void thread_races::judge(word const& at, entry const& before, entry const& now) {
  bool const reads_now = now.access == thread_access::read;
  entry const& read = reads_now ? now : before;
  entry const& other = reads_now ? before : now;
  auto const& slots = thread_order::now().slots;
  if (read.access != thread_access::read || !is_atomic(other.access) ||
      read.many != cell_kind::none)
    return report(at.address, before, now);
  thread_place const place = slots.place_of(read.slot);
  bool const here = place.block == slots.block();
  if (here ? read.slot < slots.phase_begin() : !suspended_blocks_.contains(place.block))
    return report(at.address, before, now);
  guessed_reads::reader const by{place.block, place.thread, at.address};
  // A loop that waits reads again and again in one line; to read elsewhere is to have used it.
  if (reads_now) {
    access_site_index const last = guesses_.place_of_read(by);
    if (last != 0 && last != now.site &&
        !one_line(site_addresses_[last], site_addresses_[now.site]))
      report(guesses_.take(by, whole_word));
  }
  std::uint32_t found = 0;
  std::memcpy(&found, content_at(at.address), sizeof found);
  guesses_.put_off({by, before, now}, found);
  grid_view.atomics_alone = false;
  report(guesses_.take_excess());
}

void thread_races::report(guessed_reads::conflicts const& all) {
  for (guessed_reads::conflict const& one : all) report(one.by.word, one.before, one.now);
}

void thread_races::touch(word const& at, unsigned mask, thread_access access,
                         access_site_index site) {
  // A copy's read gets a list: among many readers its end would not be seen.
  bool const copies = thread_order::now().copying && access == thread_access::read;
  if (copies || !touch_quickly(at, mask, access, site)) touch_slowly(at, mask, access, site);
}

bool thread_races::touch_quickly(word const& at, unsigned mask, thread_access access,
                                 access_site_index site) {
  thread_cell const before = at.cell;
  thread_slot const self = mockgpu_indices.slot;
  cell_kind const kind = kind_of(before);
  auto const become = [&] {
    at.cell = make_cell(self, single(access));
    at.site = site;
    return true;
  };
  thread_cell const fresh = fresh_end(at);
  if (kind == cell_kind::list && before >= fresh) return false;
  if (slot_of(before) == self) {
    if (kind == single(access)) return true;
    if (kind == cell_kind::write && access == thread_access::read) return true;
    if (kind == cell_kind::read && access == thread_access::write && mask == whole_word)
      return become();
    return false;
  }
  if (mask != whole_word) return false;
  if (before < fresh) return become();
  bool const same = access_of(kind) == access && access != thread_access::write;
  if (before >= grid_view.block_begin && before < grid_view.phase_begin) {
    // Ordered by a barrier. Device memory keeps what other blocks may race with.
    if (at.shared != nullptr || same || access == thread_access::write) return become();
    return false;
  }
  thread_clock const& order = thread_order::now().clock;
  if (!same || order.interleaved()) return false;
  if (access == thread_access::block_atomic && before < grid_view.block_begin) return false;
  if (kind == in_grid(access)) return true;
  if (before < grid_view.block_begin) {
    if (order.fenced()) return false; // some of the blocks may be ordered, and others not
    at.cell = make_cell(slot_of(before), in_grid(access));
    return true;
  }
  if (kind == in_block(access)) return true;
  if (order.irregular()) return false; // warps tell threads of a block apart
  at.cell = make_cell(slot_of(before), in_block(access));
  return true;
}

thread_races::entries thread_races::expand(word const& at) const {
  if (at.cell < fresh_end(at)) return {};
  cell_kind const kind = kind_of(at.cell);
  if (kind == cell_kind::list) {
    auto const found = lists_.find(at.address);
    return found == lists_.end() ? entries{} : found->second;
  }
  thread_access const access = access_of(kind);
  entry only{slot_of(at.cell), at.site, access, whole_word};
  if (kind != single(access)) only.many = kind;
  return {only};
}

bool thread_races::ordered(entry const& before) const {
  // Whose slots of the past were, is not known any more.
  if (make_cell(before.slot, cell_kind::none) < grid_view.past_end) return true;
  auto const& order = thread_order::now();
  if (completes_copy_ &&
      order.slots.place_of(before.slot) ==
          thread_place{order.slots.block(), first_copier + thread_order::running_thread()})
    return true;
  // Several threads, and this one was the first of them.
  if (before.many != cell_kind::none && before.slot == mockgpu_indices.slot) return false;
  return order.clock.ordered(before.slot, thread_order::running_thread(), is_atomic(before.access));
}

unsigned thread_races::defined_in(word const& at) const {
  if (at.cell < grid_view.shared_past_end) return 0;
  if (kind_of(at.cell) != cell_kind::list) return whole_word;
  unsigned defined = 0;
  for (entry const& one : expand(at)) defined |= one.mask;
  return defined;
}

/// Whether any byte of the access's unit (padding.hpp), which covers this word, is defined.
bool thread_races::unit_has_definition(word const& at, record_range const& range) const {
  std::uintptr_t const first = at.address / unit_bytes_ * unit_bytes_;
  for (std::uintptr_t one = first; one < first + unit_bytes_; one += word_bytes)
    if (one - range.begin < range.span && defined_in(word_at(range, one, at.shared)) != 0)
      return true;
  return false;
}

void thread_races::check_defined(word const& at, unsigned mask, record_range const& range,
                                 access_site_index site) {
  unsigned undefined = mask & ~defined_in(at);
  if (undefined == 0) return;
  if (unit_bytes_ <= word_bytes)
    undefined = whole_units(undefined, unit_bytes_);
  else if (undefined != whole_word || unit_has_definition(at, range))
    return;
  if (undefined == 0) return;
  undefined_shared_read& read = undefined_[{at.shared->begin, site}];
  if (read.bytes.ranges.empty()) {
    read.return_address = site_addresses_[site];
    read.place = thread_order::now().slots.place_of(mockgpu_indices.slot);
  }
  while (undefined != 0) {
    int const begin = std::countr_zero(undefined), length = std::countr_one(undefined >> begin);
    auto const offset = std::int64_t(at.address - at.shared->begin) + begin;
    add_bytes(read.bytes, {offset, offset + length});
    undefined &= ~(((1u << length) - 1) << begin);
  }
}

/// Atomics need no fence to learn of atomics.
bool thread_races::reaches(entry const& before) const {
  auto const& order = thread_order::now();
  return order.clock.reaches(before.slot, thread_order::running_thread());
}

void thread_races::touch_slowly(word const& at, unsigned mask, thread_access access,
                                access_site_index site) {
  auto const& slots = thread_order::now().slots;
  entries list = expand(at);
  entry now{mockgpu_indices.slot, site, access, std::uint8_t(mask)};
  bool const brief =
      !completes_copy_ && list.size() <= most_entries / 2 && thread_order::now().clock.irregular();
  for (entry& one : list) {
    auto const shared = std::uint8_t(one.mask & mask);
    if (shared == 0) continue;
    bool const same_block = slots.place_of(one.slot).block == slots.block();
    bool const conflicts = conflict(access, one.access, same_block);
    bool const closed = one.slot >= slot_of(grid_view.block_begin) &&
                        one.slot < slot_of(grid_view.phase_begin); // by a barrier of the block
    // Two that cannot race need no order; to ask for it only keeps long lists short.
    if (brief && !conflicts && !closed) continue;
    bool const before = ordered(one);
    if (!before && conflicts && !(is_atomic(access) && is_atomic(one.access) && reaches(one)))
      judge(at, one, now);
    // Nobody but the block sees its shared memory: what a barrier has closed is of no more use.
    bool const at_block = at.shared != nullptr && before && closed;
    if ((before && at_least_as_strong(access, one.access)) || at_block)
      one.mask &= std::uint8_t(~shared);
  }
  std::erase_if(list, [](entry const& one) { return one.mask == 0; });
  bool known = false;
  for (entry& one : list) {
    if (one.slot != now.slot || one.many != cell_kind::none) continue;
    // A read beside the thread's own write has nothing to add.
    if (one.access == thread_access::write && access == thread_access::read)
      now.mask &= std::uint8_t(~one.mask);
    if (one.access == access) {
      one.mask |= now.mask;
      known = true;
    }
  }
  if (!known && now.mask != 0) list.push_back(now);
  store(at, std::move(list));
}

void thread_races::store(word const& at, entries&& list) {
  auto const compact = [&](thread_slot slot, cell_kind kind, access_site_index site) {
    if (at.cell >= grid_view.past_end && kind_of(at.cell) == cell_kind::list)
      lists_.erase(at.address);
    at.cell = make_cell(slot, kind);
    at.site = site;
  };
  entry const& first = list.front();
  bool const alike = std::all_of(list.begin(), list.end(), [&](entry const& one) {
    return one.access == first.access && one.mask == whole_word;
  });
  bool const copied = std::any_of(list.begin(), list.end(), [&](entry const& one) {
    auto const& all = thread_order::now();
    return one.access == thread_access::read && !all.copies.empty() &&
           all.slots.place_of(one.slot).thread >= first_copier;
  });
  if (list.size() == 1 && alike && !copied) {
    compact(first.slot, first.many == cell_kind::none ? single(first.access) : first.many,
            first.site);
    return;
  }
  // Many readers, or many atomics: which of them there are matters only to warps and fences.
  bool const regular = !thread_order::now().clock.irregular();
  if (alike && !copied && first.access != thread_access::write &&
      (regular || list.size() > most_entries)) {
    auto const& slots = thread_order::now().slots;
    bool several_blocks = false;
    for (entry const& one : list)
      several_blocks = several_blocks || one.many == in_grid(one.access) ||
                       slots.place_of(one.slot).block != slots.place_of(first.slot).block;
    if (!several_blocks || first.access != thread_access::block_atomic) {
      compact(first.slot, several_blocks ? in_grid(first.access) : in_block(first.access),
              first.site);
      return;
    }
  }
  if (list.size() > most_entries) list.erase(list.begin());
  at.cell = make_cell(mockgpu_indices.slot, cell_kind::list);
  at.site = 0;
  lists_[at.address] = std::move(list);
}

void thread_races::report(std::uintptr_t address, entry const& before, entry const& now) {
  place_key key;
  std::uintptr_t base = 0;
  auto const shared_memory =
      std::find_if(shared_.begin(), shared_.end(), [address](shared_range const& one) {
        return address / word_bytes >= one.begin / word_bytes &&
               address < one.begin + one.size_bytes;
      });
  if (shared_memory != shared_.end()) {
    base = key.shared_begin = shared_memory->begin;
  } else {
    allocation const* const block = memory_.find(address);
    if (block == nullptr || block->retired) return; // another finding says so
    base = block->begin;
    key.allocation = block->index;
  }
  std::pair first{before.site, before.access}, second{now.site, now.access};
  if (second < first) std::swap(first, second);
  key.sites[0] = first.first, key.sites[1] = second.first;
  key.accesses[0] = first.second, key.accesses[1] = second.second;

  auto const& slots = thread_order::now().slots;
  thread_place earlier = slots.place_of(before.slot);
  thread_place const later = slots.place_of(now.slot);
  if (before.slot == now.slot) earlier.thread = unknown_thread;
  auto const [found, fresh] = races_.try_emplace(key);
  thread_race& race = found->second;
  // Two blocks are harder to order than two threads of one: they are the better example.
  bool const same_block = earlier.block == later.block;
  if (fresh || (race.same_block && !same_block)) {
    race.first = {site_addresses_[before.site], before.access, earlier};
    race.second = {site_addresses_[now.site], now.access, later};
    race.same_block = same_block;
  }
  unsigned shared = before.mask & now.mask;
  bool const writes = before.access == thread_access::write && now.access == thread_access::write;
  if (writes) {
    unsettled one{key, address, std::uint8_t(shared), {}};
    std::memcpy(one.before, content_at(address), word_bytes);
    unsettled_.push_back(one);
    choose_checks(context_, quick_checks::none);
  } else {
    race.same_value = false;
  }
  while (shared != 0) {
    int const begin = std::countr_zero(shared), length = std::countr_one(shared >> begin);
    auto const offset = std::int64_t(address - base) + begin;
    byte_range const bytes{offset, offset + length};
    add_bytes(race.bytes, bytes);
    // A read that another thread's write may come before is a race, whichever ran first.
    for (entry const* one : {&before, &now})
      if (key.allocation == 0 && one->access == thread_access::read)
        if (auto const read = undefined_.find({base, one->site}); read != undefined_.end())
          remove_bytes(read->second.bytes, bytes);
    shared &= ~(((1u << length) - 1) << begin);
  }
}

void thread_races::settle() {
  for (unsettled const& one : unsettled_) {
    auto const* const after = static_cast<std::uint8_t const*>(content_at(one.word));
    for (unsigned byte = 0; byte < word_bytes; ++byte)
      if ((one.mask >> byte & 1) != 0 && after[byte] != one.before[byte])
        if (auto const race = races_.find(one.key); race != races_.end())
          race->second.same_value = false;
  }
  unsettled_.clear();
  if (context_.checks == quick_checks::none) choose_checks(context_, settled_by_hooks_);
}

thread_races::found_races thread_races::take_races() {
  settle();
  return std::exchange(races_, {});
}
thread_races::found_reads thread_races::take_undefined_reads() {
  std::erase_if(undefined_, [](auto const& one) { return one.second.bytes.ranges.empty(); });
  return std::exchange(undefined_, {});
}

} // namespace mockgpu
