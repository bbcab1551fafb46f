#pragma once
/// \file What the entry points of both vendors share besides the engine.
#include <utility>

#include "device/runtime.hpp"
#include "dialect/dialect.hpp"

namespace mockgpu {

inline constexpr std::size_t memory_bytes = std::size_t{64} << 30; ///< of a device, as reported

template <typename Value> status set(Value* out, Value value) {
  if (out == nullptr) return status::invalid_value;
  *out = value;
  return status::success;
}
inline status first_failure(status a, status b) { return a != status::success ? a : b; }

inline int runtime_version() { return check_dialect(the_runtime().chosen().dialect).runtime_version; }

template <typename Kind>
copy_request pitched(void* target, std::size_t target_pitch, void const* source, std::size_t source_pitch,
                     std::size_t width_bytes, std::size_t rows, Kind kind, bool async) {
  return {target, source, target_pitch, source_pitch, width_bytes, rows, static_cast<copy_kind>(kind), async};
}
template <typename Kind>
copy_request linear(void* target, void const* source, std::size_t size_bytes, Kind kind, bool async) {
  return pitched(target, size_bytes, source, size_bytes, size_bytes, 1, kind, async);
}

inline status stream_flags(runtime::call& c, void* stream, unsigned int* flags) {
  bool blocking = false;
  int priority = 0;
  status const result = the_runtime().stream_flags(c, stream, &blocking, &priority);
  return result == status::success ? set(flags, blocking ? 0U : 1U) : result;
}
inline status stream_priority(runtime::call& c, void* stream, int* out) {
  bool blocking = false;
  int priority = 0;
  status const result = the_runtime().stream_flags(c, stream, &blocking, &priority);
  return result == status::success ? set(out, priority) : result;
}

/// Value of a pool attribute as the vendors pass it: the first three are int, the others 64 bits.
inline status set_pool_attribute(runtime::call& c, void* pool, int attribute, void const* value) {
  if (value == nullptr) return status::invalid_value;
  std::uint64_t const number = attribute <= 3 ? static_cast<std::uint64_t>(*static_cast<int const*>(value))
                                              : *static_cast<std::uint64_t const*>(value);
  return the_runtime().set_pool_attribute(c, pool, attribute, number);
}
inline status get_pool_attribute(runtime::call& c, void* pool, int attribute, void* value) {
  if (value == nullptr) return status::invalid_value;
  std::uint64_t number = 0;
  status const result = the_runtime().pool_attribute(c, pool, attribute, &number);
  if (result != status::success) return result;
  if (attribute <= 3)
    *static_cast<int*>(value) = static_cast<int>(number);
  else
    *static_cast<std::uint64_t*>(value) = number;
  return result;
}

/// Fills the members that CUDA's and HIP's property structures share.
template <typename Properties> status fill_properties(Properties* p, int device) {
  if (p == nullptr) return status::invalid_value;
  if (device < 0 || device >= the_runtime().device_count()) return status::invalid_device;
  *p = {};
  constexpr char name[] = "mockgpu";
  std::copy(std::begin(name), std::end(name), p->name);
  p->totalGlobalMem = memory_bytes;
  p->sharedMemPerBlock = std::size_t{48} << 10;
  p->regsPerBlock = 65536;
  p->warpSize = check_dialect(the_runtime().chosen().dialect).warp_size;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = 1;
  p->canMapHostMemory = p->concurrentKernels = p->asyncEngineCount = p->unifiedAddressing = 1;
  p->maxThreadsPerMultiProcessor = 2048;
  p->memoryPoolsSupported = 1;
  return status::success;
}

/// Type (0 unregistered, 1 host, 2 device) and pointers, as both vendors number and name them.
template <typename Attributes> status fill_pointer_attributes(Attributes* out, void const* pointer) {
  if (out == nullptr) return status::invalid_value;
  *out = {};
  auto const* const a = the_runtime().memory_at(pointer);
  using type = decltype(out->type);
  if (a == nullptr || a->free_called) {
    out->type = static_cast<type>(0);
    out->device = -2;
    return status::success;
  }
  out->type = static_cast<type>(a->space == memory_space::pinned ? 1 : 2);
  out->device = a->device;
  out->devicePointer = const_cast<void*>(pointer);
  if (a->space == memory_space::pinned) out->hostPointer = const_cast<void*>(pointer);
  return status::success;
}

struct error_text {
  int code;
  char const* name;
  char const* text;
};
/// The row of a code, or the last row of the table.
template <std::size_t Size> error_text const& find_error(error_text const (&table)[Size], int code) {
  for (auto const& row : table)
    if (row.code == code) return row;
  return table[Size - 1];
}

} // namespace mockgpu
