#include "order/checker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "kernel/shared_memory.hpp"
#include "kernel/watchdog.hpp"
#include "mockgpu/abi.h"
#include "mockgpu/assert.h"
#include "order/checker_guard.hpp"
#include "order/contexts.hpp"
#include "order/padding.hpp"
#include "order/process_memory.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

side_access side_of(access_kind kind) noexcept {
  switch (kind) {
  case access_kind::read:
  case access_kind::copy_read:
    return side_access::read;
  case access_kind::write:
  case access_kind::write_undefined:
    return side_access::write;
  case access_kind::atomic:
  case access_kind::atomic_store:
  case access_kind::compare_swap:
  case access_kind::atomic_load:
    break;
  }
  return side_access::atomic;
}

history_kind history_of(side_access access) noexcept {
  return access == side_access::read    ? history_kind::read
         : access == side_access::write ? history_kind::write
                                        : history_kind::atomic;
}

side_access side_of(history_kind kind) noexcept {
  return kind == history_kind::read    ? side_access::read
         : kind == history_kind::write ? side_access::write
                                       : side_access::atomic;
}

bool conflict(side_access now, history_kind before) noexcept {
  if (before == history_kind::definition) return false;
  if (now == side_access::read) return before != history_kind::read;
  if (now == side_access::atomic)
    return before != history_kind::atomic && before != history_kind::swap;
  return true;
}

/// The bytes of a cell that an operation which is ordered before has defined.
unsigned defined_before(cell_state const& state, order_point const& now) noexcept {
  unsigned defined = 0;
  for (history_entry const& e : state.entries)
    if (e.kind != history_kind::read && (e.mask & state.defined & ~defined) != 0 &&
        happens_before(e.chain, e.issue, now))
      defined |= e.mask & state.defined;
  return defined;
}

/// The whole units in parts that are sorted and disjoint (padding.hpp).
std::vector<host_ranges::undefined_range>
whole_unit_parts(std::vector<host_ranges::undefined_range> parts, std::uintptr_t unit_bytes) {
  for (std::size_t first = 0, past = 0; first < parts.size(); first = past) {
    past = first + 1; // several copies may have brought one run of bytes
    while (past < parts.size() && parts[past].begin == parts[past - 1].end) ++past;
    std::uintptr_t const begin = (parts[first].begin + unit_bytes - 1) / unit_bytes * unit_bytes;
    std::uintptr_t const end = parts[past - 1].end / unit_bytes * unit_bytes;
    for (std::size_t i = first; i < past; ++i) {
      parts[i].begin = std::max(parts[i].begin, begin);
      parts[i].end = std::min(parts[i].end, end);
    }
  }
  std::erase_if(parts, [](auto const& part) { return part.begin >= part.end; });
  return parts;
}

constexpr std::uint64_t annotated_bit = std::uint64_t{1} << 43;

} // namespace

checker::checker(memory& all, issue_log& log, options const& settings)
    : memory_(all), log_(log), options_(settings) {
  operation_context_.operation = true;
  operation_context_.epoch_bits = std::uint64_t{1} << 44;
  host_.where.issue = 1;
  if (options_.checked == checking_depth::threads)
    races_ = std::make_unique<thread_races>(memory_, operation_context_);
}

access_context& checker::context() {
  return current_context != nullptr ? *current_context : make_host_context();
}

checker::actor& checker::actor_of(access_context const& context) noexcept {
  if (context.host_function != nullptr) return *static_cast<actor*>(context.host_function);
  return context.operation ? operation_ : host_;
}

access_context& checker::begin_host_function(order_point where) {
  std::lock_guard const lock(checker_guard());
  access_context& by = context();
  auto* const one = new actor;
  one->where = std::move(where);
  by.host_function = one;
  forget_transitions(by);
  return by;
}

clock_ref checker::end_host_function(access_context& by) {
  std::lock_guard const lock(checker_guard());
  std::unique_ptr<actor> const one(static_cast<actor*>(std::exchange(by.host_function, nullptr)));
  forget_transitions(by);
  layout_ = {};
  if (!one->pending.empty()) flush(*one);
  return one->where.base;
}

order_point checker::own_place() {
  std::lock_guard const lock(checker_guard());
  return actor_of(context()).where;
}

void checker::learn(clock_ref const& order) {
  std::lock_guard const lock(checker_guard());
  access_context& by = context();
  MOCKGPU_ASSERT((by.host_function != nullptr) && "the host learns by the engine");
  order_point& where = actor_of(by).where;
  where.base = join(where.base, order);
  forget_transitions(by);
}

void checker::begin_operation(order_point where) {
  MOCKGPU_ASSERT((interrupted_ == nullptr) && "one operation runs at a time");
  interrupted_ = &context();
  operation_.where = std::move(where);
  operation_.host_code = operation_context_.host_code = false;
  layout_ = {};
  current_context = &operation_context_;
  choose_checks(operation_context_, quick_checks::states);
}

void checker::end_operation() {
  current_context = interrupted_;
  interrupted_ = nullptr;
  layout_ = {};
  allowed_bytes_ = 0;
  reaches_ = nullptr;
  choose_checks(operation_context_, quick_checks::none);
  // Statistics live with the threads; places of the program may be unloaded now.
  forget_transitions(operation_context_);
  current_context->accesses += operation_context_.accesses;
  current_context->bytes += operation_context_.bytes;
  operation_context_.accesses = operation_context_.bytes = 0;
  if (!operation_.pending.empty()) flush(operation_);
  if (races_ && !races_->empty()) flush_threads();
  if (states_.live_count() >= collect_at_) collect_states();
}

void checker::allow(void const* begin, std::size_t size_bytes) {
  allowed_begin_ = reinterpret_cast<std::uintptr_t>(begin);
  allowed_bytes_ = size_bytes;
}

void checker::move_host(order_point now) {
  MOCKGPU_ASSERT((interrupted_ == nullptr) && "the host does not move while an operation runs");
  if (!host_.pending.empty()) flush(host_);
  bool const learnt = host_.where.base != now.base;
  host_.where = std::move(now);
  if (learnt) host_ranges_.drop_ordered(host_.where);
  forget_transitions(context());
}

void checker::access(void const* begin, std::size_t size_bytes, access_kind kind,
                     void const* return_address) {
  access(context(), reinterpret_cast<std::uintptr_t>(begin), size_bytes, kind, 1, return_address);
}

void checker::access(access_context& by, std::uintptr_t address, std::size_t size_bytes,
                     access_kind kind, unsigned aligned_to, void const* pc) {
  if (size_bytes == 0) return;
  if (by.operation && !by.host_code) {
    if (kernel_has_to_end) end_endless_kernel();
    address = memory_.variables.seen_by_kernel(address);
  }
  ++by.accesses;
  by.bytes += size_bytes;
  if (touches_ != nullptr) touches_->touch(address, size_bytes, side_of(kind) != side_access::read);
  bool const in_variable =
      address - shadow.variables_begin < shadow.variables_span && near_variable(address);
  if (address - shadow.begin >= shadow.span && !in_variable) {
    if (!thread_order::in_shared_memory(address) || by.host_code) {
      foreign_address(address, size_bytes, kind, pc);
    } else if (!inside_shared_memory(address, size_bytes) && near_shared_memory(address)) {
      past_shared_memory(address, size_bytes, kind, pc);
      return;
    } else if (!races_ && near_shared_memory(address)) {
      // The hooks pass over the rest of it: no other operation sees it.
      shared_target const inside = find_shared_target(address);
      std::uintptr_t const begin = address - std::uintptr_t(inside.offset);
      if (begin % 8 == 0)
        grid_view.shared[begin / 8 % std::size(grid_view.shared)] = {
            begin, inside.size_bytes / 8 * 8, nullptr};
    }
  } else {
    access_shadow(by, address, size_bytes, kind, aligned_to, pc);
  }
  if (by.operation && grid_view.active) note_thread(address, size_bytes, kind, pc);
}

bool checker::near_variable(std::uintptr_t address) {
  // The rest between two libraries' variables is other memory.
  if (memory_.find(address) != nullptr) return true;
  allocation const* const near = memory_.nearest(address);
  return near != nullptr && near->variable &&
         address - (near->begin - variable_margin_bytes) <
             near->size_bytes + 2 * variable_margin_bytes;
}

void checker::access_shadow(access_context& by, std::uintptr_t address, std::size_t size_bytes,
                            access_kind kind, unsigned aligned_to, void const* pc) {
  bool remember_it = true;
  if (address % aligned_to != 0 && by.operation && !by.host_code) {
    if (allocation* const block = memory_.find(address); block != nullptr) {
      remember_it = false;
      auto const offset = std::int64_t(address - block->begin);
      add({kind::misaligned, rule::natural_alignment, block->index, 0, side_of(kind), {}},
          {offset, offset + std::int64_t(size_bytes)}, pc);
    }
  }
  if (allocation const* const variable = constant_written(by, address, kind, pc)) {
    auto const offset = std::int64_t(address - variable->begin);
    add({kind::kernel_fault, rule::constant_memory, variable->index, 0, side_of(kind), {}},
        {offset, offset + std::int64_t(size_bytes)}, pc);
    remember_it = false;
  }
  std::uintptr_t const end = address + size_bytes;
  for (std::uintptr_t cell = address & ~std::uintptr_t{7}; cell < end; cell += 8) {
    unsigned mask = 0xFF;
    if (cell < address) mask &= 0xFFu << (address - cell);
    if (cell + 8 > end) mask &= 0xFFu >> (cell + 8 - end);
    access_cell(by, cell, mask & 0xFF, kind, address, size_bytes, remember_it, pc);
  }
}

/// The constant variable that a kernel is about to change, or null. Copies have no place of access.
allocation const* checker::constant_written(access_context const& by, std::uintptr_t address,
                                            access_kind kind, void const* pc) {
  bool const may_be =
      address - shadow.variables_begin < shadow.variables_span || !memory_.variables.empty();
  if (!may_be || pc == nullptr || !by.operation || by.host_code ||
      side_of(kind) == side_access::read)
    return nullptr;
  allocation const* const block = memory_.find(address);
  return block != nullptr && block->constant ? block : nullptr;
}

void checker::note_thread(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                          void const* pc) {
  side_access const side = side_of(kind);
  thread_touch what{address, size_bytes, thread_access::read, pc};
  what.uses_content = side != side_access::write && kind != access_kind::atomic_store;
  if (side == side_access::write)
    what.access = thread_access::write;
  else if (side == side_access::atomic)
    what.access = std::exchange(operation_context_.block_scope, false) ? thread_access::block_atomic
                                                                       : thread_access::atomic;
  what.writes = kind != access_kind::atomic_load;
  what.order = thread_order::order_of(operation_context_.order);
  if (kind == access_kind::compare_swap && size_bytes <= sizeof(std::uint64_t)) {
    what.expected = operation_context_.expected;
    what.failure_order = thread_order::order_of(operation_context_.failure_order);
  }
  races_->access(what);
}

void checker::access_cell(access_context& by, std::uintptr_t cell_address, unsigned mask,
                          access_kind kind, std::uintptr_t address, std::size_t size_bytes,
                          bool remember_it, void const* pc) {
  std::uint32_t* const at = memory_.cell_at(cell_address + unsigned(std::countr_zero(mask)));
  if (at == nullptr) { // behind a variable
    bad_address(cell_address + unsigned(std::countr_zero(mask)), std::size_t(std::popcount(mask)),
                kind, pc);
    return;
  }
  std::uint32_t& cell = *at;
  state_id state = cell;
  if (state == 0) {
    allocation* const block = memory_.find(cell_address);
    if (block == nullptr || block->retired) {
      bad_address(cell_address + unsigned(std::countr_zero(mask)), std::size_t(std::popcount(mask)),
                  kind, pc);
      return;
    }
    state = fresh_state(*block, cell_address);
    std::size_t const index = (cell_address - block->begin) / 8;
    block->touched_begin = std::min(block->touched_begin, index);
    block->touched_end = std::max(block->touched_end, index + 1);
  }
  std::uint64_t const key = memo_key(by, state, mask, kind);
  memo_entry& plain = by.memo[memo_slot(key)];
  if (plain.key == key) {
    note_quick(by, state, mask, kind, plain.next);
    cell = plain.next;
    return;
  }
  allocation& block = memory_.at(states_[state].allocation);
  if (reaches_ && by.operation) check_reach(block, kind, pc);
  std::uint64_t marked = key;
  if (!block.layouts.empty()) {
    if (block.layout_at(actor_of(by).where.issue) != nullptr) {
      if (!inside_sub_array(block, address, size_bytes, mask, cell_address, kind, pc))
        remember_it = false;
      marked |= annotated_bit;
    }
    memo_entry const& known = by.memo[memo_slot(marked)];
    if (known.key == marked) {
      cell = known.next;
      return;
    }
  }
  bool clean = true;
  state_id const next =
      next_state(state, cell_address, mask, kind, definition_unit_bytes(address, size_bytes), pc,
                 clean, remember_it);
  if (next != 0) cell = next;
  if (!clean || !remember_it || touches_ != nullptr) return;
  by.memo[memo_slot(marked)] = {marked, next};
  if (marked == key) note_quick(by, state, mask, kind, next);
}

state_id checker::fresh_state(allocation& block, std::uintptr_t cell_address) {
  std::size_t const offset = cell_address - block.begin;
  bool const tail = offset + 8 > block.size_bytes;
  state_id& made = tail ? block.fresh_tail : block.fresh_whole;
  if (made == 0) {
    cell_state fresh;
    fresh.allocation = block.index;
    fresh.addressable = std::uint8_t(tail ? 0xFFu >> (offset + 8 - block.size_bytes) : 0xFFu);
    if (block.variable) { // initialised when the program was loaded
      fresh.defined = fresh.addressable;
      remember(fresh, {0, host_chain, history_kind::definition, fresh.addressable});
    }
    made = states_.intern(fresh);
  }
  return made;
}

state_id checker::next_state(state_id from, std::uintptr_t cell_address, unsigned mask,
                             access_kind kind, unsigned unit_bytes, void const* pc, bool& clean,
                             bool& remember_it) {
  cell_state state = states_[from];
  allocation& block = memory_.at(state.allocation);
  side_access const side = side_of(kind);
  history_kind const history =
      kind == access_kind::compare_swap ? history_kind::swap : history_of(side);
  actor& by = actor_of(context());
  order_point const& now = by.where;

  if (unsigned const outside = mask & ~unsigned(state.addressable); outside != 0) {
    clean = false;
    bad_address(cell_address + unsigned(std::countr_zero(outside)),
                std::size_t(std::popcount(outside)), kind, pc);
    mask &= state.addressable;
    if (mask == 0) return 0;
  }
  bool const is_copy = kind == access_kind::copy_read || kind == access_kind::write_undefined;
  if (by.host_code && block.space == memory_space::device && !is_copy) {
    clean = false;
    add_mask({kind::host_touches_device, rule::memory_kind, block.index, 0, side, {}}, block,
             cell_address, mask, pc);
    return 0;
  }
  if (block.free_issue != 0 && now.issue > block.free_issue) {
    clean = false;
    access_after_free(block, cell_address, mask, side, pc);
    return 0;
  }

  // An operation that has touched these bytes so before was judged then. Bytes that it compares and
  // swaps stand for its plain reads of them (rule D10): what those have found decides nothing.
  unsigned const swapped =
      side == side_access::read ? bytes_of(state, now.chain, now.issue, history_kind::swap) : 0;
  bool const known = (mask & ~(bytes_of(state, now.chain, now.issue, history) | swapped)) == 0;
  if (history == history_kind::swap && drop_guesses(state, block, cell_address, mask))
    remember_it = false;
  if (!known) {
    note_site(block, now, history, pc);
    if (block.freed && block.rule != free_rule::orders_block) {
      clean = false;
      access_after_free(block, cell_address, mask, side, pc);
    }
    if (block.chain != host_chain && !happens_before(block.chain, block.issue, now)) {
      clean = false;
      add_mask({kind::use_before_alloc,
                rule::stream_ordered_alloc,
                block.index,
                0,
                side,
                {block.chain, block.issue, side_access::alloc}},
               block, cell_address, mask, pc);
    }
    for (history_entry const& e : state.entries) {
      unsigned const shared = e.mask & mask & ~swapped;
      if (shared == 0 || !conflict(side, e.kind) || happens_before(e.chain, e.issue, now)) continue;
      clean = false;
      bool const host = e.chain == host_chain || now.chain == host_chain;
      char const* broken = rule::stream_order;
      if (host)
        broken = rule::host_order;
      else if (log_.exempt_from_legacy_barrier(log_.stream_of(e.issue), log_.stream_of(now.issue)))
        broken = rule::nonblocking_exempt;
      add_mask({host ? kind::host_race : kind::stream_race,
                broken,
                block.index,
                0,
                side,
                {e.chain, e.issue, side_of(e.kind)}},
               block, cell_address, shared, pc);
    }
  }
  bool const uses = kind == access_kind::read || kind == access_kind::atomic ||
                    kind == access_kind::compare_swap || kind == access_kind::atomic_load;
  if (uses && (!known || (mask & ~unsigned(state.defined)) != 0)) {
    // A byte counts as defined only by a definition that is ordered before: which of two unordered
    // operations ran first must not decide what is reported.
    if (unsigned undefined = mask & ~defined_before(state, now); undefined != 0) {
      if (kind == access_kind::read)
        undefined = beyond_padding(undefined, cell_address, unit_bytes, now);
      // How wide the access was is not in the memo's key.
      remember_it = false;
      if (undefined != 0) {
        clean = false;
        add_mask({kind::undefined_read, rule::defined_content, block.index, 0, side, {}}, block,
                 cell_address, undefined, pc);
      }
    }
  }
  auto const bytes = std::uint8_t(mask);
  if (auto const rest = std::uint8_t(bytes & ~swapped); rest != 0)
    remember(state, {now.issue, now.chain, history, rest});
  if (kind == access_kind::write_undefined) {
    state.defined &= std::uint8_t(~bytes);
    forget(state, history_kind::definition, bytes);
  } else if (side != side_access::read) {
    if (auto const first = std::uint8_t(bytes & ~state.defined); first != 0) {
      forget(state, history_kind::definition, first);
      remember(state, {now.issue, now.chain, history_kind::definition, first});
      state.defined |= first;
    }
  }
  return states_.intern(state);
}

bool checker::drop_guesses(cell_state& state, allocation const& block, std::uintptr_t cell_address,
                           unsigned mask) {
  actor& by = actor_of(context());
  mask &= bytes_of(state, by.where.chain, by.where.issue, history_kind::read);
  if (mask == 0) return false;
  for (history_entry& one : state.entries)
    if (one.chain == by.where.chain && one.issue == by.where.issue &&
        one.kind == history_kind::read)
      one.mask &= std::uint8_t(~mask);
  std::erase_if(state.entries, [](history_entry const& one) { return one.mask == 0; });
  auto const base = std::int64_t(cell_address - block.begin);
  bool dropped = false;
  for (auto at = by.pending.begin(); at != by.pending.end();) {
    auto& [key, found] = *at;
    // What conflicts with plain writes too: the exchange conflicts with them itself.
    bool const concerned =
        key.allocation == block.index && key.access == side_access::read &&
        (key.other.access == side_access::atomic || key.other.access == side_access::write);
    for (unsigned rest = concerned ? mask : 0; rest != 0;) {
      int const begin = std::countr_zero(rest), length = std::countr_one(rest >> begin);
      remove_bytes(found, {base + begin, base + begin + length});
      rest &= ~(((1u << length) - 1) << begin);
      dropped = true;
    }
    at = found.ranges.empty() ? by.pending.erase(at) : std::next(at);
  }
  return dropped;
}

unsigned checker::beyond_padding(unsigned undefined, std::uintptr_t cell_address,
                                 unsigned unit_bytes, order_point const& now) {
  if (unit_bytes <= 8) return whole_units(undefined, unit_bytes);
  if (undefined != 0xFF) return 0;
  std::uint32_t const* const other = memory_.cell_at(cell_address ^ 8);
  bool const defined = other != nullptr && *other != 0 && defined_before(states_[*other], now) != 0;
  return defined ? 0 : undefined;
}

void checker::access_after_free(allocation const& block, std::uintptr_t cell_address, unsigned mask,
                                side_access side, void const* pc) {
  order_point const& now = actor_of(context()).where;
  other_side const free{block.free_chain, block.free_issue, side_access::free};
  // A block that was given back while an earlier operation was still to run: nothing orders the
  // two.
  bool const ordered =
      now.issue < block.free_issue || happens_before(block.free_chain, block.free_issue, now);
  violation_key key{kind::use_after_free, rule::stream_ordered_free, block.index, 0, side, free};
  if (block.rule == free_rule::orders_block)
    key.rule = rule::free_orders_block;
  else if (!ordered)
    key.kind = kind::use_after_free_issue, key.rule = rule::stream_ordered_free_issue;
  add_mask(key, block, cell_address, mask, pc);
}

void checker::bad_address(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                          void const* pc) {
  if (allocation const* const block = memory_.find(address); block != nullptr && block->retired) {
    std::uintptr_t const cell = address & ~std::uintptr_t{7};
    unsigned const mask = (0xFFu >> (8 - size_bytes)) << (address - cell) & 0xFF;
    access_after_free(*block, cell, mask, side_of(kind), pc);
    return;
  }
  actor& by = actor_of(context());
  allocation const* const near = memory_.nearest(address);
  if (by.host_code && (near == nullptr || near->space == memory_space::device) &&
      kind != access_kind::copy_read && kind != access_kind::write_undefined) {
    std::int64_t const offset = near == nullptr ? 0 : std::int64_t(address - near->begin);
    add({kind::host_touches_device,
         rule::memory_kind,
         near == nullptr ? 0 : near->index,
         0,
         side_of(kind),
         {}},
        {offset, offset + std::int64_t(size_bytes)}, pc);
    return;
  }
  auto const offset =
      std::int64_t(near == nullptr ? address - shadow.begin : address - near->begin);
  add({kind::out_of_bounds, rule::bounds, near == nullptr ? 0 : near->index, 0, side_of(kind), {}},
      {offset, offset + std::int64_t(size_bytes)}, pc);
}

bool checker::inside_sub_array(allocation& block, std::uintptr_t address, std::size_t size_bytes,
                               unsigned mask, std::uintptr_t cell_address, access_kind kind,
                               void const* pc) {
  std::size_t const begin = address - block.begin, end = begin + size_bytes;
  if (layout_.allocation == block.index && layout_.part != nullptr &&
      layout_.part->begin <= begin && end <= layout_.part->end)
    return true;
  issue_number const issue = actor_of(context()).where.issue;
  slab_layout const* const layout = block.layout_at(issue);
  for (sub_array const& part : layout->parts) {
    if (part.begin > begin) break;
    if (end <= part.end) {
      layout_ = {block.index, layout, &part};
      return true;
    }
  }
  // Ranges (copies, fills) may run over several sub-arrays that leave no gap between them; a single
  // element may not. For a range only its bytes in this cell are judged.
  unsigned outside = mask;
  if (size_bytes > 16) {
    for (sub_array const& part : layout->parts)
      for (unsigned byte = 0; byte < 8; ++byte) {
        std::size_t const at = cell_address - block.begin + byte;
        if (part.begin <= at && at < part.end) outside &= ~(1u << byte);
      }
    if (outside == 0) return true;
  }
  add_mask({kind::out_of_bounds, rule::sub_array_bounds, block.index, 0, side_of(kind), {}}, block,
           cell_address, outside, pc);
  return false;
}

void checker::foreign_address(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                              void const* pc) {
  actor& by = actor_of(context());
  bool const write = side_of(kind) != side_access::read;
  if (by.host_code) {
    host_memory_access(address, address + size_bytes, write, kind != access_kind::copy_read, pc);
    return;
  }
  if (address - allowed_begin_ < allowed_bytes_) return;
  if (in_grid_sizes(address)) return; // the linker may have put them among the program's variables
  switch (classify(address)) {
  case address_class::kernel_stack:
  case address_class::library_data:
    return;
  case address_class::past_shared_memory:
    past_shared_memory(address, size_bytes, kind, pc);
    return;
  case address_class::host_data:
  case address_class::mapped:
    if (is_registered(address)) {
      registered_access(address, address + size_bytes, write, pc);
      return;
    }
    add({kind::device_touches_host, rule::memory_kind, 0, 0, side_of(kind), {}},
        {std::int64_t(address), std::int64_t(address + size_bytes)}, pc);
    return;
  case address_class::near_null:
    add({kind::workspace_unset, rule::null_pointer, 0, 0, side_of(kind), {}},
        {std::int64_t(address), std::int64_t(address + size_bytes)}, pc);
    break;
  case address_class::unmapped:
    add({kind::out_of_bounds, rule::bounds, 0, 0, side_of(kind), {}},
        {std::int64_t(address), std::int64_t(address + size_bytes)}, pc);
    break;
  }
  // The access itself would crash: say what is known, and end.
  flush();
  end_process(bad_access_exit_code);
}

bool checker::is_registered(std::uintptr_t address) const noexcept {
  auto const after = registered_.upper_bound(address);
  if (after == registered_.begin()) return false;
  auto const& [begin, size_bytes] = *std::prev(after);
  return address - begin < size_bytes;
}

void checker::allow_device_access(std::uintptr_t begin, std::size_t size_bytes) {
  registered_[begin] = size_bytes;
}
void checker::forbid_device_access(std::uintptr_t begin) { registered_.erase(begin); }

/// Registered memory has no shadow: what the kernel touches is in use until the host waits for it.
void checker::registered_access(std::uintptr_t begin, std::uintptr_t end, bool write,
                                void const* pc) {
  host_memory_access(begin, end, write, true, pc);
  host_ranges_.extend({begin, end - begin, 0, 1, write, operation_.where});
}

void checker::host_memory_access(std::uintptr_t begin, std::uintptr_t end, bool write, bool use,
                                 void const* pc) {
  if (begin >= shadow.watch_begin + shadow.watch_span || end <= shadow.watch_begin) return;
  actor& by = actor_of(context());
  side_access const side = write ? side_access::write : side_access::read;
  for (host_ranges::hit const& one : host_ranges_.find(begin, end)) {
    order_point const& other = one.watch->operation;
    if ((!write && !one.watch->write) || happens_before(other.chain, other.issue, by.where))
      continue;
    host_ranges_.mark_raced(one.begin, one.end);
    auto const offset = std::int64_t(one.begin - one.watch->begin);
    char const* const found = by.where.chain == host_chain ? kind::host_race : kind::stream_race;
    add({found,
         rule::pageable_async_copy,
         0,
         one.watch->begin,
         side,
         {other.chain, other.issue, one.watch->write ? side_access::write : side_access::read}},
        {offset, offset + std::int64_t(one.end - one.begin)}, pc);
  }
  if (write) {
    host_ranges_.mark_defined(begin, end);
  } else if (use) {
    for (host_ranges::undefined_range const& part : whole_unit_parts(
             host_ranges_.find_undefined(begin, end), definition_unit_bytes(begin, end - begin))) {
      auto const offset = std::int64_t(part.begin - part.origin);
      add({kind::undefined_read,
           rule::defined_content,
           0,
           part.origin,
           side,
           {part.chain, part.issue, side_access::write}},
          {offset, offset + std::int64_t(part.end - part.begin)}, pc);
      host_ranges_.mark_defined(part.begin, part.end); // said once
    }
  }
}

void checker::transfer(void* target, void const* source, std::size_t size_bytes,
                       std::span<host_ranges::undefined_range const> undefined) {
  auto const to = reinterpret_cast<std::uintptr_t>(target),
             from = reinterpret_cast<std::uintptr_t>(source);
  bool const to_shadow = memory_.is_ours(to), from_shadow = memory_.is_ours(from);
  if (from_shadow) access(source, size_bytes, access_kind::copy_read, nullptr);
  if (touches_ != nullptr && !from_shadow) touches_->touch(from, size_bytes, false);
  if (touches_ != nullptr && !to_shadow) touches_->touch(to, size_bytes, true);

  // Runs of bytes that are alike.
  order_point const& now = actor_of(context()).where;
  auto const put = [&](std::size_t begin, std::size_t end, bool defined) {
    if (begin == end) return;
    if (to_shadow)
      access(reinterpret_cast<void const*>(to + begin), end - begin,
             defined ? access_kind::write : access_kind::write_undefined, nullptr);
    else if (defined)
      host_ranges_.mark_defined(to + begin, to + end);
    else
      host_ranges_.mark_undefined(to + begin, to + end, now.chain, now.issue);
  };
  if (!from_shadow) {
    std::size_t done = 0;
    for (host_ranges::undefined_range const& part : undefined) {
      if (part.end <= from || part.begin >= from + size_bytes) continue;
      std::size_t const begin = std::max(part.begin, from) - from;
      std::size_t const end = std::min<std::size_t>(part.end - from, size_bytes);
      put(done, begin, true);
      put(begin, end, false);
      done = end;
    }
    put(done, size_bytes, true);
    return;
  }
  // What is read from a block that is gone has been reported; it does not count again where it
  // goes.
  if (allocation const* const block = memory_.find(from);
      block != nullptr && block->free_issue != 0 && now.issue > block->free_issue)
    return put(0, size_bytes, true);
  std::size_t run_begin = 0;
  bool run_defined = true;
  state_id judged = 0; // neighbouring cells are mostly alike
  unsigned defined = 0;
  for (std::size_t at = 0; at < size_bytes;) {
    std::uintptr_t const address = from + at;
    unsigned const byte = unsigned(address & 7);
    std::size_t const here = std::min<std::size_t>(8 - byte, size_bytes - at);
    std::uint32_t const* const cell = memory_.cell_at(address);
    state_id const state = cell == nullptr ? 0 : *cell;
    if (state != judged) {
      judged = state;
      defined = state == 0 ? 0 : defined_before(states_[state], now);
    }
    for (std::size_t i = 0; i < here;) {
      bool const is_defined = (defined >> (byte + i) & 1) != 0;
      std::size_t same = 1; // most cells are all alike
      while (i + same < here && ((defined >> (byte + i + same) & 1) != 0) == is_defined) ++same;
      if (is_defined != run_defined) {
        put(run_begin, at + i, run_defined);
        run_begin = at + i;
        run_defined = is_defined;
      }
      i += same;
    }
    at += here;
  }
  put(run_begin, size_bytes, run_defined);
}

std::vector<host_ranges::undefined_range> checker::undefined_parts(void const* begin,
                                                                   std::size_t size_bytes) {
  auto const address = reinterpret_cast<std::uintptr_t>(begin);
  if (address >= shadow.watch_begin + shadow.watch_span ||
      address + size_bytes <= shadow.watch_begin)
    return {};
  return host_ranges_.find_undefined(address, address + size_bytes);
}

void checker::check_free(allocation& block, order_point const& free) {
  block.freed = true;
  if (touches_ != nullptr) touches_->touch(block.begin, block.size_bytes, true);
  // A free by the host is held up for its uses alone: there is one wait that all of them want.
  if (free.chain != host_chain && block.chain != host_chain &&
      !happens_before(block.chain, block.issue, free))
    add({kind::use_before_alloc,
         rule::stream_ordered_alloc,
         block.index,
         0,
         side_access::free,
         {block.chain, block.issue, side_access::alloc}},
        {0, std::int64_t(block.size_bytes)}, nullptr);
  char const* const kind = kind::use_after_free;
  for (std::size_t i = block.touched_begin; i < block.touched_end; ++i) {
    state_id const state = memory::cell(block, i);
    if (state == 0) continue;
    for (history_entry const& e : states_[state].entries) {
      if (e.kind == history_kind::definition || e.issue > block.free_issue ||
          happens_before(e.chain, e.issue, free))
        continue;
      add_mask({kind,
                rule::stream_ordered_free,
                block.index,
                0,
                side_access::free,
                {e.chain, e.issue, side_of(e.kind)}},
               block, block.begin + i * 8, e.mask, nullptr);
    }
  }
}

void checker::advise_free(allocation& block, order_point const& free) {
  for (std::size_t i = block.touched_begin; i < block.touched_end; ++i) {
    state_id const state = memory::cell(block, i);
    if (state == 0) continue;
    for (history_entry const& e : states_[state].entries)
      if (e.kind != history_kind::definition && !happens_before(e.chain, e.issue, free))
        add_mask({kind::implicit_free_order,
                  rule::free_orders_block,
                  block.index,
                  0,
                  side_access::free,
                  {e.chain, e.issue, side_of(e.kind)}},
                 block, block.begin + i * 8, e.mask, nullptr);
  }
}

void checker::retire(allocation& block) {
  if (block.retired) return;
  memory_.retire(block);
  layout_ = {};
}

void checker::watch(host_watch range) {
  // Two operations on one pageable range are compared when the second is issued: their clocks are
  // fixed.
  std::vector<host_ranges::hit> hits;
  if (range.begin < shadow.watch_begin + shadow.watch_span && shadow.watch_begin < range.end())
    for (std::size_t row = 0; row < range.rows; ++row) {
      std::uintptr_t const begin = range.begin + row * range.pitch_bytes;
      for (host_ranges::hit const& one : host_ranges_.find(begin, begin + range.width_bytes))
        hits.push_back(one);
    }
  actor issued;
  issued.where = range.operation;
  for (host_ranges::hit const& one : hits) {
    order_point const& other = one.watch->operation;
    if ((!range.write && !one.watch->write) ||
        happens_before(other.chain, other.issue, range.operation))
      continue;
    host_ranges_.mark_raced(one.begin, one.end);
    auto const offset = std::int64_t(one.begin - one.watch->begin);
    violation_key const key{
        kind::stream_race,
        rule::pageable_async_copy,
        0,
        one.watch->begin,
        range.write ? side_access::write : side_access::read,
        {other.chain, other.issue, one.watch->write ? side_access::write : side_access::read}};
    add_bytes(issued.pending[key], {offset, offset + std::int64_t(one.end - one.begin)});
  }
  flush(issued);
  range.site = log_.site_index(range.operation.issue);
  host_ranges_.watch(std::move(range));
}

bool checker::is_written(void const* begin, std::size_t size_bytes) const {
  auto const first = reinterpret_cast<std::uintptr_t>(begin);
  auto const hits = host_ranges_.find(first, first + size_bytes);
  return std::any_of(hits.begin(), hits.end(), [](auto const& one) { return one.watch->write; });
}

void checker::source_has_changed(void const* begin, std::size_t size_bytes) {
  auto const first = reinterpret_cast<std::uintptr_t>(begin);
  if (host_ranges_.has_raced(first, first + size_bytes)) return; // said already
  issue_number const issue = operation_.where.issue;
  report({.kind = kind::host_race,
          .rule = rule::pageable_async_copy,
          .message = "'" + log_.site(issue).name + "' reads its source, " +
                     std::to_string(size_bytes) +
                     " bytes of pageable host memory, after its call, and they have changed since: "
                     "the memory has to stay as it is until the host has waited for the copy",
          .second = issue,
          .second_access = "read",
          .once_per_site = true});
}

void checker::mark_undefined(std::uintptr_t address, std::size_t size_bytes) {
  allocation* const block = memory_.find(address);
  if (block == nullptr || block->retired) return;
  size_bytes = std::min(size_bytes, block->begin + block->size_bytes - address);
  if (touches_ != nullptr) touches_->touch(address, size_bytes, true);
  for (std::uintptr_t at = address; at < address + size_bytes;) {
    std::uintptr_t const cell_address = at & ~std::uintptr_t{7};
    std::uintptr_t const end = std::min(cell_address + 8, address + size_bytes);
    std::uint32_t& cell = *memory_.cell_at(at);
    if (cell != 0) {
      cell_state state = states_[cell];
      auto const mask = std::uint8_t((0xFFu >> (8 - (end - at))) << (at - cell_address));
      state.defined &= std::uint8_t(~mask);
      forget(state, history_kind::definition, mask);
      cell = states_.intern(state);
    }
    at = end;
  }
  std::memset(reinterpret_cast<void*>(address), poison_byte, size_bytes);
}

void checker::add_mask(violation_key const& key, allocation const& block,
                       std::uintptr_t cell_address, unsigned mask, void const* pc) {
  auto const base = std::int64_t(cell_address - block.begin);
  while (mask != 0) {
    int const begin = std::countr_zero(mask);
    int const length = std::countr_one(mask >> begin);
    add(key, {base + begin, base + begin + length}, pc);
    mask &= ~(((1u << length) - 1) << begin);
  }
}

void checker::add(violation_key const& key, byte_range bytes, void const* pc) {
  violation& one = actor_of(context()).pending[key];
  if (one.ranges.empty()) one.return_address = pc;
  add_bytes(one, bytes);
}

void checker::note_site(allocation& block, order_point const& now, history_kind kind,
                        void const* pc) {
  // The newest entries are at the end; an operation that is running has just put its own there.
  for (auto it = block.sites.rbegin(); it != block.sites.rend() && it->issue >= now.issue; ++it)
    if (it->issue == now.issue && it->chain == now.chain && it->kind == kind) return;
  if (block.sites.size() == allocation::max_sites) block.sites.erase(block.sites.begin());
  block.sites.push_back({now.chain, kind, now.issue, pc});
}

void checker::collect_states() {
  std::vector<bool> marks = states_.marks();
  for (allocation const& block : memory_.blocks()) {
    if (block.retired) continue;
    if (block.fresh_whole != 0) marks[block.fresh_whole] = true;
    if (block.fresh_tail != 0) marks[block.fresh_tail] = true;
    for (std::size_t i = block.touched_begin; i < block.touched_end; ++i)
      if (state_id const state = memory::cell(block, i); state != 0) marks[state] = true;
  }
  states_.sweep(marks);
  collect_at_ = std::max(collect_at_, states_.live_count() * 2);
  forget_transitions(operation_context_);
  forget_all_transitions();
}

} // namespace mockgpu
