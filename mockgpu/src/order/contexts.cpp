#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "order/checker.hpp"
#include "order/contexts.hpp"

namespace mockgpu {

shadow_view shadow;
thread_local access_context* current_context = nullptr;
checker* active_checker = nullptr;

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
bool several_threads = false;

} // namespace

access_context& make_host_context() {
  auto* const context = new access_context;
  std::lock_guard const lock(registry_guard());
  registry().push_back(context);
  several_threads = registry().size() > 1;
  // Not zero, so that an empty memo entry matches nothing.
  context->epoch_bits = std::uint64_t{1} << 44;
  return *(current_context = context);
}

bool more_than_one_thread() noexcept { return several_threads; }

void forget_transitions(access_context& context) {
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
    sum.accesses += context->accesses;
    sum.bytes += context->bytes;
  }
  return sum;
}

void reset_contexts() {
  forget_all_transitions();
  std::lock_guard const lock(registry_guard());
  for (access_context* context : registry()) context->accesses = context->bytes = 0;
}

void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                  unsigned aligned_to, void const* return_address) noexcept {
  if (active_checker == nullptr) return;
  access_context& context = current_context != nullptr ? *current_context : make_host_context();
  std::unique_lock<std::recursive_mutex> lock(active_checker->guard, std::defer_lock);
  if (several_threads) lock.lock();
  active_checker->access(context, address, size_bytes, kind, aligned_to, return_address);
}

void check_thread_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                         void const* return_address) noexcept {
  active_checker->note_thread(address, size_bytes, kind, return_address);
}

} // namespace mockgpu
