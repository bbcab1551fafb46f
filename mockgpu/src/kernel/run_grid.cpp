// A grid from begin to end, and the calls that its kernels make.
#include "kernel/grid_run.hpp"

#include <cstdio>
#include <cstring>

#include "kernel/stacks.hpp"
#include "kernel/watchdog.hpp"
#include "mockgpu/assert.h"
#include "order/access.hpp"
#include "order/async_copies.hpp"
#include "order/thread_order.hpp"

namespace mockgpu {
namespace {
grid_run* running = nullptr;
long long device_clock = 0;
long long looks_at_clock = 0; // of the running grid, pauses too

/// Lets the clock go on. Who looks at it again and again waits for a time to pass, which may be
/// seconds: the more looks, the longer is each.
long long pass_time(long long ticks) {
  constexpr long long patience = 256;
  ++looks_at_clock;
  return device_clock += ticks * (1 + looks_at_clock / patience);
}

} // namespace

void run_grid(kernel_call const& call, grid_listener& listener) {
  MOCKGPU_ASSERT((running == nullptr) && "one grid runs at a time");
  auto& self = mockgpu_indices;
  for (int axis = 0; axis < 3; ++axis) {
    self.thread[axis] = 0;
    self.block[axis] = 0;
    self.block_dim[axis] = mockgpu_block_dim[axis] = call.block[axis];
    self.grid_dim[axis] = mockgpu_grid_dim[axis] = call.grid[axis];
    if (call.grid[axis] == 0 || call.block[axis] == 0) return;
  }
  self.warp_size = call.warp_size;
  // A launch's arguments may be under way on this thread: its kernel is not the one called here.
  mockgpu_configuration* const pending = std::exchange(mockgpu_pending_launch, nullptr);
  thread_order::begin_grid(call.block[0] * call.block[1] * call.block[2]);
  {
    grid_run grid(call, listener);
    running = &grid;
    looks_at_clock = 0;
    watched_grid const watched(grid, call.limits, reinterpret_cast<void const*>(call.entry));
    grid.run();
  }
  thread_order::end_grid();
  mockgpu_pending_launch = pending;
  running = nullptr;
}

} // namespace mockgpu

// Host code that calls a device function runs no grid: it is alone, and there is nothing to wait
// for.
extern "C" {

void mockgpu_volatile_read(void);

unsigned long long mockgpu_block_barrier(int predicate, char const* file, unsigned line) {
  bool const holds = predicate != 0;
  if (mockgpu::running == nullptr) return 1ull << 32 | (holds ? 1 : 0);
  return mockgpu::running->block_barrier(holds, {file, line});
}

void mockgpu_grid_barrier(char const* file, unsigned line) {
  if (mockgpu::running != nullptr) mockgpu::running->grid_barrier({file, line});
}

unsigned long long mockgpu_warp(mockgpu_warp_operation operation, unsigned long long lanes,
                                unsigned long long value, unsigned source, char const* file,
                                unsigned line) {
  if (mockgpu::running == nullptr)
    return operation == mockgpu_warp_shuffle  ? value
           : operation == mockgpu_warp_ballot ? value != 0
                                              : 1;
  mockgpu::warp_request request;
  request.operation = operation;
  request.lanes = lanes;
  request.value = value;
  request.source = source;
  request.stack_bytes = mockgpu::kernel_stack_depth(__builtin_frame_address(0));
  request.code = __builtin_return_address(0);
  return mockgpu::running->warp_operation(request, {file, line});
}

unsigned long long const* mockgpu_warp_values(void) {
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  static unsigned long long const none[64] = {};
  if (mockgpu::running == nullptr) return none;
  return reinterpret_cast<unsigned long long const*>(mockgpu::running->gathered());
}

void mockgpu_fence(int scope, int order) {
  using mockgpu::thread_order::fence_scope;
  if (mockgpu_on_device() == 0) return; // host code of its own has no place in a grid
  mockgpu::thread_order::fence(scope == 0 ? fence_scope::block : fence_scope::device,
                               mockgpu::thread_order::order_of(order));
}

void mockgpu_copy_async(void const* owner, void* to, void const* from, std::size_t size_bytes,
                        std::size_t zero_bytes, unsigned aligned_to) {
  if (size_bytes + zero_bytes == 0) return;
  if (mockgpu_on_device() != 0) {
    auto const target = reinterpret_cast<std::uintptr_t>(to),
               source = reinterpret_cast<std::uintptr_t>(from);
    void const* const caller = __builtin_return_address(0);
    mockgpu::thread_order::begin_copy(owner, {target, source, size_bytes, zero_bytes, caller});
    // As by memcpy in a kernel: what was copied counts as defined, so that undefined bytes are used
    // here.
    if (size_bytes != 0)
      mockgpu::check_access(source, size_bytes, mockgpu::access_kind::read, aligned_to, caller);
    mockgpu::check_access(target, size_bytes + zero_bytes, mockgpu::access_kind::write, aligned_to,
                          caller);
    mockgpu::thread_order::end_copy();
  }
  if (size_bytes != 0) std::memcpy(to, from, size_bytes);
  if (zero_bytes != 0) std::memset(static_cast<char*>(to) + size_bytes, 0, zero_bytes);
}
void mockgpu_copies_commit(void const* owner) {
  if (mockgpu_on_device() != 0) mockgpu::thread_order::commit_copies(owner);
}
void mockgpu_copies_complete(void const* owner, unsigned keep) {
  if (mockgpu_on_device() != 0) mockgpu::thread_order::complete_copies(owner, keep);
}
void mockgpu_copies_move(void const* from_owner, void const* to_owner) {
  if (mockgpu_on_device() != 0) mockgpu::thread_order::move_copies(from_owner, to_owner);
}

void mockgpu_block_scope(void) {
  if (mockgpu::in_operation()) mockgpu::current_context->block_scope = true;
}

// NVIDIA's guide publishes by a fence and an atomic, and reads volatile memory behind an atomic
// without a second fence; so do public programs that are known to be right.
void mockgpu_volatile_read(void) { mockgpu::thread_order::acquire(); }

void mockgpu_device_assertion(char const* condition, char const* file, unsigned line,
                              char const* function) {
  if (mockgpu::running == nullptr) return;
  std::string const message = mockgpu::running_place() + ": assertion '" + condition +
                              "' failed in " + function + " at " + file + ":" +
                              std::to_string(line);
  std::fflush(stdout);
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
               file, line, function, mockgpu_indices.block[0], mockgpu_indices.block[1],
               mockgpu_indices.block[2], mockgpu_indices.thread[0], mockgpu_indices.thread[1],
               mockgpu_indices.thread[2], condition);
  mockgpu::running->end(mockgpu::grid_end::assertion, message);
}

void mockgpu_device_trap(char const* what) {
  if (mockgpu::running != nullptr)
    mockgpu::running->end(mockgpu::grid_end::trap, mockgpu::running_place() + ": " + what);
}

void* mockgpu_dynamic_shared(void) {
  return mockgpu::running != nullptr ? mockgpu::running->dynamic_shared() : nullptr;
}

long long mockgpu_clock(void) {
  constexpr long long ticks = 64; // about what one look costs a device
  return mockgpu::pass_time(ticks);
}

int mockgpu_on_device(void) {
  return mockgpu::in_operation() && !mockgpu::current_context->host_code ? 1 : 0;
}
void mockgpu_before_atomic(void const volatile* where, unsigned size_bytes) {
  if (mockgpu::running != nullptr)
    mockgpu::running->before_atomic(reinterpret_cast<std::uintptr_t>(where), size_bytes);
}
void mockgpu_yield(void) {
  if (mockgpu::running != nullptr) mockgpu::running->yield(/*sleeps=*/false);
}
void mockgpu_sleep(unsigned long long ticks) {
  mockgpu::pass_time(static_cast<long long>(ticks));
  if (mockgpu::running != nullptr) mockgpu::running->yield(/*sleeps=*/true);
}

} // extern "C"
