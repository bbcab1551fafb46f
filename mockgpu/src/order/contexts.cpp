#include <bit>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <sys/single_threaded.h>

#include "order/checker.hpp"
#include "order/checker_guard.hpp"
#include "order/contexts.hpp"

constinit thread_local mockgpu::inline_view mockgpu_inline_view = {};

namespace mockgpu {

shadow_view shadow;
site_memo known_sites;
constinit thread_local access_context* current_context = nullptr;
std::atomic<checker*> active_checker = nullptr;

namespace {

std::mutex& registry_guard() {
  static std::mutex& instance = *new std::mutex;
  return instance;
}
// Never destroyed: hooked code may run from destructors of other libraries.
std::vector<access_context*>& registry() {
  static auto& instance = *new std::vector<access_context*>;
  return instance;
}

} // namespace

void choose_checks(access_context& context, quick_checks checks) noexcept {
  bool const records = shadow.stride != 1;
  bool const quick = context.operation && !context.host_code &&
                     (checks == quick_checks::grid || (checks == quick_checks::states && !records));
  context.checks = checks;
  std::uintptr_t const words = quick ? shadow.span / 8 : 0;
  context.arenas = {shadow.begin, words, words * 2, shadow.cells, records};
  if (records) context.arenas.shadow = grid_view.global.records;
  if (!context.operation) return;
  // The operation runs on the calling thread, and no host code does meanwhile.
  mockgpu_inline_view = {};
  mockgpu_inline_view.begin = shadow.begin;
  if (records) {
    mockgpu_inline_view.record_words = words;
    mockgpu_inline_view.record_half_words = words * 2;
    mockgpu_inline_view.records = context.arenas.shadow;
  } else {
    mockgpu_inline_view.words = words;
    mockgpu_inline_view.half_words = words * 2;
    mockgpu_inline_view.cells = shadow.cells;
  }
}

access_context& make_host_context() {
  auto* const context = new access_context;
  std::lock_guard const lock(registry_guard());
  registry().push_back(context);
  // Not zero, so that an empty memo entry matches nothing.
  context->epoch_bits = std::uint64_t{1} << 44;
  return *(current_context = context);
}

namespace {

template <class Function> void for_each_quick(access_context const& context, Function&& function) {
  for (unsigned kind = 0; kind < quick_classes; ++kind)
    for (std::uint64_t rest = context.quick_used[kind]; rest != 0; rest &= rest - 1)
      function(kind, std::size_t(std::countr_zero(rest)));
}

access_totals totals_of(access_context const& context) noexcept {
  access_totals sum{context.accesses, context.bytes};
  auto const add = [&](std::uint64_t count, unsigned size_bytes) {
    sum.accesses += count;
    sum.bytes += count * size_bytes;
  };
  for (std::size_t size = 0; size < settled_counts::sizes; ++size)
    for (std::uint64_t const count : context.settled.of[size]) add(count, 1u << size);
  if (context.operation) {
    for (access_place const* one = static_cast<operation_context const&>(context).used_places;
         one != nullptr; one = one->next_used)
      add(one->count, one->size_bytes);
  }
  return sum;
}

} // namespace

std::uint64_t accesses_of(access_context const& context) noexcept {
  return totals_of(context).accesses;
}

void note_quick(access_context& by, std::uint32_t from, unsigned mask, access_kind kind,
                std::uint32_t to) {
  unsigned const part = mask == 0xFF ? 0 : mask == 0x0F ? 1 : mask == 0xF0 ? 2 : 3;
  if (part == 3 || (kind != access_kind::read && kind != access_kind::write)) return;
  unsigned const table = quick_class(part, kind == access_kind::write);
  std::size_t const at = from % quick_states;
  by.quick[table][at] = {from, to};
  by.quick_used[table] |= std::uint64_t{1} << at;
}

void settle_counts(access_context& context) {
  access_totals const sum = totals_of(context);
  context.accesses = sum.accesses;
  context.bytes = sum.bytes;
  context.settled = {};
  if (!context.operation) return;
  for (access_place* one = static_cast<operation_context&>(context).used_places; one != nullptr;
       one = one->next_used)
    one->count = 0;
}

void forget_transitions(access_context& context) {
  if (context.operation) {
    settle_counts(context);
    access_place*& used = static_cast<operation_context&>(context).used_places;
    while (used != nullptr) *std::exchange(used, used->next_used) = {};
  }
  // Another thread may be about to use an entry: it must find `next` as it was.
  for_each_quick(context, [&](unsigned kind, std::size_t at) {
    context.quick[kind][at].state = quick_entry::unused;
  });
  for (std::uint64_t& used : context.quick_used) used = 0;
  constexpr std::uint64_t step = std::uint64_t{1} << 44;
  context.epoch_bits += step;
  if (context.epoch_bits == 0) {
    for (memo_entry& entry : context.memo) entry = {};
    context.epoch_bits = step;
  }
}

void forget_all_transitions() {
  std::lock_guard const lock(registry_guard());
  for (access_context* context : registry()) forget_transitions(*context);
}

access_totals total_accesses() {
  std::lock_guard const lock(registry_guard());
  access_totals sum;
  for (access_context const* context : registry()) {
    access_totals const one = totals_of(*context);
    sum.accesses += one.accesses;
    sum.bytes += one.bytes;
  }
  return sum;
}

void reset_contexts() {
  forget_all_transitions();
  std::lock_guard const lock(registry_guard());
  for (access_context* context : registry()) {
    context->settled = {};
    context->accesses = context->bytes = 0;
  }
}

void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                  unsigned aligned_to, void const* return_address) noexcept {
  checker* const active = active_checker;
  if (active == nullptr) return;
  access_context& context = current_context != nullptr ? *current_context : make_host_context();
  std::unique_lock lock(checker_guard(), std::defer_lock);
  // It says so before a second thread begins, and here none is made.
  if (!__libc_single_threaded) lock.lock();
  active->access(context, address, size_bytes, kind, aligned_to, return_address);
}

} // namespace mockgpu
