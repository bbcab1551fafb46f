#include "kernel/stacks.hpp"

#include <new>
#include <vector>

#include <sanitizer/asan_interface.h>
#include <sys/mman.h>

#include "order/access.hpp"

namespace mockgpu {
namespace {

// A block has at most 1024 threads, each parked at a barrier on a stack of its own. Several blocks
// are alive in a cooperative launch, and where one polls what another writes. Each guard page costs
// the kernel two mappings, of which a process may have 65530.
constexpr std::size_t stack_count = 16 * 1024 + 1;
constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t slot_bytes = guard_bytes + kernel_stack_bytes;

struct stack_range {
  std::uintptr_t begin = 0;
  std::size_t used = 0; // slots handed out for the first time; their guards are in place
  std::vector<kernel_stack> idle;

  stack_range() {
    void* const range = mmap(nullptr, stack_count * slot_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    begin = reinterpret_cast<std::uintptr_t>(range);
    idle.reserve(stack_count);
  }
};

// Never destroyed: a library may still run kernels from its own destructors.
stack_range& range() {
  static stack_range& instance = *new stack_range;
  return instance;
}

} // namespace

bool on_kernel_stack(std::uintptr_t address) noexcept {
  return address - shadow.stacks_begin < shadow.stacks_span;
}

kernel_stack take_kernel_stack() {
  stack_range& all = range();
  shadow.stacks_begin = all.begin; // for the hooks
  shadow.stacks_span = stack_count * slot_bytes;
  if (!all.idle.empty()) {
    kernel_stack const slot = all.idle.back();
    all.idle.pop_back();
    // Frames that were left as they were have not given up their red zones. Nothing without a
    // sanitizer.
    ASAN_UNPOISON_MEMORY_REGION(static_cast<char*>(slot.top) - slot.size_bytes, slot.size_bytes);
    return slot;
  }
  if (all.used == stack_count) throw std::bad_alloc();
  std::uintptr_t const slot = all.begin + all.used * slot_bytes;
  mprotect(reinterpret_cast<void*>(slot), guard_bytes, PROT_NONE);
  ++all.used;
  return {reinterpret_cast<void*>(slot + slot_bytes), kernel_stack_bytes};
}

void take_back_kernel_stacks() noexcept {
  stack_range& all = range();
  all.idle.clear();
  for (std::size_t i = all.used; i-- > 0;)
    all.idle.push_back({reinterpret_cast<void*>(all.begin + (i + 1) * slot_bytes),
                        kernel_stack_bytes});
}

std::size_t kernel_stack_depth(void const* frame) noexcept {
  std::uintptr_t const offset = reinterpret_cast<std::uintptr_t>(frame) - shadow.stacks_begin;
  return slot_bytes - offset % slot_bytes;
}

void give_back_kernel_stack(kernel_stack slot) noexcept {
  range().idle.push_back(slot); // within the reserved capacity: cannot throw
}

} // namespace mockgpu
