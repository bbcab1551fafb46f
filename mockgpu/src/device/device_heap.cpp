// The heap that kernels allocate from.
#include <mutex>

#include "device/engine.hpp"
#include "order/checker_guard.hpp"
#include "order/rules.hpp"

namespace mockgpu {

void* engine::heap_allocate(std::size_t size_bytes) {
  std::lock_guard const lock(checker_guard()); // a kernel's call, not a runtime's
  if (size_bytes == 0 || heap_used_bytes_ + size_bytes > heap_limit_bytes) return nullptr;
  order_point const& now = checker_.operation_point();
  allocation* const block =
      memory_.allocate(memory_space::device, 0, size_bytes);
  if (block == nullptr) return nullptr;
  heap_used_bytes_ += size_bytes;
  block->chain = now.chain;
  block->issue = now.issue;
  block->device_heap = true;
  block->baseline = true; // may outlive the kernel; a device takes it back with its context
  return reinterpret_cast<void*>(block->begin);
}

void engine::heap_free(void* pointer) {
  if (pointer == nullptr) return;
  std::lock_guard const lock(checker_guard());
  auto const address = reinterpret_cast<std::uintptr_t>(pointer);
  allocation* const block = memory_.find(address);
  order_point const& now = checker_.operation_point();
  bool const freed = block != nullptr && block->free_issue != 0;
  if (block == nullptr || !block->device_heap || block->begin != address || freed) {
    checker_.report({.kind = kind::double_free,
                     .rule = rule::double_free,
                     .message = "kernel '" + log_.site(now.issue).name +
                                (freed ? "' frees memory of the device's heap that has been freed"
                                       : "' frees memory that is not from the device's heap"),
                     .second = now.issue,
                     .second_access = "free",
                     .block = block,
                     .once_per_site = true});
    return;
  }
  block->rule = free_rule::host_ordered;
  block->free_chain = now.chain;
  block->free_issue = now.issue;
  heap_used_bytes_ -= block->size_bytes;
  checker_.retire(*block);
}

} // namespace mockgpu
