#pragma once
/// \file Who wants to know of every access, and not only of what is wrong with it.
#include <cstddef>
#include <cstdint>

namespace mockgpu {

class touch_observer {
public:
  virtual ~touch_observer() = default;
  /// Bytes that the running operation, or the host, is about to access.
  virtual void touch(std::uintptr_t begin, std::size_t size_bytes, bool write) = 0;
  /// Pageable memory that an operation which is about to be queued may use until it is waited for.
  virtual void use_host_memory(std::uintptr_t begin, std::size_t size_bytes) = 0;
};

} // namespace mockgpu
