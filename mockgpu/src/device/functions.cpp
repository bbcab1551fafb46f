// Kernels as objects: what may be asked of them and set.
#include "device/engine.hpp"

#include <algorithm>

namespace mockgpu {
namespace {
// CUDA's numbers, which HIP shares.
enum attribute : int { max_dynamic_shared_bytes = 8, shared_carveout = 9, last_attribute = 15 };
} // namespace

std::size_t engine::dynamic_shared_limit(void const* kernel) const {
  auto const found = dynamic_shared_.find(kernel);
  return found == dynamic_shared_.end() ? dialect_.device.shared_per_block : found->second;
}

status engine::set_function_attribute(void const* kernel, int which, int value) {
  if (kernel == nullptr) return status::invalid_device_function;
  switch (which) {
  case max_dynamic_shared_bytes:
    if (value < 0 || std::size_t(value) > dialect_.device.shared_per_block_optin)
      return status::invalid_value;
    // A wish for less than every kernel may have changes nothing.
    dynamic_shared_[kernel] = std::max(std::size_t(value), dialect_.device.shared_per_block);
    return status::success;
  case shared_carveout:
    return value < -1 || value > 100 ? status::invalid_value : status::success;
  default:
    return status::invalid_value;
  }
}

status engine::resident_blocks(void const* kernel, int threads, std::size_t shared_bytes,
                               int& blocks) const {
  device_model const& device = dialect_.device;
  if (kernel == nullptr) return status::invalid_device_function;
  if (threads <= 0) return status::invalid_value;
  blocks = 0;
  if (threads > device.max_threads_per_block || shared_bytes > dynamic_shared_limit(kernel))
    return status::success;
  int const warps = (threads + device.warp_size - 1) / device.warp_size;
  blocks = std::min(device.max_blocks_per_multiprocessor,
                    device.max_threads_per_multiprocessor / (warps * device.warp_size));
  std::size_t const each = shared_bytes + device.reserved_shared_per_block;
  if (each != 0)
    blocks = std::min(blocks, int(std::min<std::size_t>(device.shared_per_multiprocessor / each,
                                                        std::size_t(blocks))));
  return status::success;
}

} // namespace mockgpu
