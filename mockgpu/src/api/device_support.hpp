#pragma once
/// \file What the device and function calls of both vendors share.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "api/support.hpp"

namespace mockgpu {

/// Fills the members that CUDA's and HIP's property structures share.
template <typename Properties> status fill_properties(call& c, Properties* p, int device) {
  if (p == nullptr) return status::invalid_value;
  if (device < 0 || device >= c.on().device_count()) return status::invalid_device;
  device_model const& model = c.on().rules().device;
  *p = {};
  std::strncpy(p->name, model.name, sizeof p->name - 1);
  p->totalGlobalMem = memory::capacity_bytes;
  p->sharedMemPerBlock = model.shared_per_block;
  p->sharedMemPerBlockOptin = model.shared_per_block_optin;
  p->sharedMemPerMultiprocessor = model.shared_per_multiprocessor;
  p->reservedSharedMemPerBlock = model.reserved_shared_per_block;
  p->regsPerBlock = p->regsPerMultiprocessor = model.registers_per_block;
  p->warpSize = model.warp_size;
  p->memPitch = 0x7FFFFFFF;
  p->maxThreadsPerBlock = model.max_threads_per_block;
  for (int axis = 0; axis < 3; ++axis) {
    p->maxThreadsDim[axis] = int(model.max_block[axis]);
    p->maxGridSize[axis] = int(model.max_grid[axis]);
  }
  p->totalConstMem = model.constant_bytes;
  p->major = model.major;
  p->minor = model.minor;
  p->clockRate = model.clock_khz;
  p->memoryClockRate = model.memory_clock_khz;
  p->memoryBusWidth = model.memory_bus_bits;
  p->l2CacheSize = model.l2_bytes;
  p->textureAlignment = 512;
  p->texturePitchAlignment = 32;
  p->surfaceAlignment = 512;
  p->multiProcessorCount = model.multiprocessors;
  p->canMapHostMemory = p->concurrentKernels = p->unifiedAddressing = 1;
  p->asyncEngineCount = model.async_engines;
  p->deviceOverlap = 1;
  p->maxThreadsPerMultiProcessor = model.max_threads_per_multiprocessor;
  p->maxBlocksPerMultiProcessor = model.max_blocks_per_multiprocessor;
  p->streamPrioritiesSupported = p->globalL1CacheSupported = p->localL1CacheSupported = 1;
  p->computePreemptionSupported = p->cooperativeLaunch = 1;
  p->canUseHostPointerForRegisteredMem = p->hostRegisterSupported = 1;
  p->memoryPoolsSupported = 1;
  p->managedMemory = p->concurrentManagedAccess = 1;
  p->pciBusID = device + 1;
  p->singleToDoublePrecisionPerfRatio = 2;
  if constexpr (requires { p->gcnArchName; }) { // HIP's own
    std::strncpy(p->gcnArchName, model.architecture, sizeof p->gcnArchName - 1);
    p->maxSharedMemoryPerMultiProcessor = model.shared_per_multiprocessor;
    p->arch.hasGlobalInt32Atomics = p->arch.hasGlobalFloatAtomicExch = 1;
    p->arch.hasSharedInt32Atomics = p->arch.hasSharedFloatAtomicExch = 1;
    p->arch.hasFloatAtomicAdd = p->arch.hasGlobalInt64Atomics = 1;
    p->arch.hasSharedInt64Atomics = p->arch.hasDoubles = 1;
    p->arch.hasWarpVote = p->arch.hasWarpBallot = p->arch.hasWarpShuffle = 1;
    p->arch.has3dGrid = 1;
  }
  return status::success;
}

/// "domain:bus:device.function", as the vendors write it.
inline status pci_bus_id(call& c, char* text, int size_bytes, int device) {
  if (device < 0 || device >= c.on().device_count()) return status::invalid_device;
  char whole[16];
  int const length = std::snprintf(whole, sizeof whole, "%04x:%02x:%02x.0", 0, device + 1, 0);
  if (text == nullptr || size_bytes <= length) return status::invalid_value;
  std::memcpy(text, whole, std::size_t(length) + 1);
  return status::success;
}
inline status device_by_pci_bus_id(call& c, int* device, char const* text) {
  if (device == nullptr || text == nullptr) return status::invalid_value;
  unsigned domain = 0, bus = 0, slot = 0;
  if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
    domain = 0;
    if (std::sscanf(text, "%x:%x", &bus, &slot) != 2) return status::invalid_value;
  }
  if (domain != 0 || slot != 0 || bus == 0 || int(bus) > c.on().device_count())
    return status::invalid_device;
  *device = int(bus) - 1;
  return status::success;
}

/// What a compiler would know of a kernel is the same for all: the mock does not compile them.
template <class Attributes>
status function_attributes(call& c, Attributes* out, void const* kernel) {
  if (out == nullptr) return status::invalid_value;
  if (kernel == nullptr) return status::invalid_device_function;
  device_model const& model = c.on().rules().device;
  *out = {};
  out->maxThreadsPerBlock = model.max_threads_per_block;
  out->maxDynamicSharedSizeBytes = int(c.on().dynamic_shared_limit(kernel));
  out->numRegs = 32;
  out->preferredShmemCarveout = -1;
  out->ptxVersion = out->binaryVersion = model.major * 10 + model.minor;
  return status::success;
}
inline status resident_blocks(call& c, int* blocks, void const* kernel, int threads,
                              std::size_t shared_bytes) {
  if (blocks == nullptr) return status::invalid_value;
  return c.on().resident_blocks(kernel, threads, shared_bytes, *blocks);
}

/// Dynamic shared memory that lets so many blocks be resident.
inline status shared_for_blocks(call& c, std::size_t* bytes, void const* kernel, int blocks,
                                int threads) {
  device_model const& model = c.on().rules().device;
  if (bytes == nullptr || blocks <= 0 || threads <= 0) return status::invalid_value;
  if (kernel == nullptr) return status::invalid_device_function;
  std::size_t const each = model.shared_per_multiprocessor / std::size_t(blocks);
  *bytes =
      each <= model.reserved_shared_per_block
          ? 0
          : std::min(each - model.reserved_shared_per_block, c.on().dynamic_shared_limit(kernel));
  return status::success;
}

inline status device_name(call& c, char* text, int size_bytes, int device) {
  if (!c.on().is_device(device)) return status::invalid_device;
  if (text == nullptr || size_bytes <= 0) return status::invalid_value;
  std::snprintf(text, std::size_t(size_bytes), "%s", c.on().rules().device.name);
  return status::success;
}
/// The block size with the most resident threads, and the grid that fills the device with it.
inline status best_block(call& c, int* grid, int* block, void const* kernel,
                         std::size_t shared_bytes, int limit) {
  if (grid == nullptr || block == nullptr) return status::invalid_value;
  device_model const& model = c.on().rules().device;
  int best = 0;
  int const most =
      limit > 0 ? std::min(limit, model.max_threads_per_block) : model.max_threads_per_block;
  for (int threads = most / model.warp_size * model.warp_size; threads > 0;
       threads -= model.warp_size) {
    int blocks = 0;
    if (status const known = c.on().resident_blocks(kernel, threads, shared_bytes, blocks);
        known != status::success)
      return known;
    if (blocks * threads <= best) continue;
    best = blocks * threads;
    *block = threads;
    *grid = blocks * model.multiprocessors;
  }
  return best > 0 ? status::success : status::invalid_value;
}

} // namespace mockgpu
