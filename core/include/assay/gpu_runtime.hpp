#pragma once
/// \file The GPU as core sees it: implemented once, vendor-neutrally, and built for mockgpu, CUDA and HIP.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A vendor's stream or event handle; null stream is the default stream.
struct stream_handle {
  void* value = nullptr;
  friend bool operator==(stream_handle, stream_handle) = default;
};
struct event_handle {
  void* value = nullptr;
};
enum class stream_kind : std::uint8_t { blocking, non_blocking };
enum class copy_direction : std::uint8_t { host_to_device, device_to_host, device_to_device };

/// A strided box of bytes for a stand-in kernel: `element_bytes` at base + sum i_k * stride_bytes_k.
struct byte_box {
  struct extent {
    std::size_t count = 1;
    std::ptrdiff_t stride_bytes = 0;
  };
  void* base = nullptr;
  std::size_t element_bytes = 8;
  std::vector<extent> extents;
};

/// Calls of one device. Every call throws error{environment} with the vendor's name of the failure, except
/// where noted. Not thread-safe beyond what the vendor guarantees. Memory is owned by the caller.
class gpu_runtime {
public:
  virtual ~gpu_runtime() = default;
  [[nodiscard]] virtual std::string_view name() const = 0; ///< "mock", "cuda", "hip"

  [[nodiscard]] virtual void* allocate(std::size_t size_bytes) = 0;
  virtual void release(void*) = 0;
  [[nodiscard]] virtual void* allocate_async(std::size_t size_bytes, stream_handle) = 0;
  virtual void release_async(void*, stream_handle) = 0;

  virtual void copy_async(void* target, void const* source, std::size_t size_bytes, copy_direction,
                          stream_handle) = 0;
  virtual void copy_2d_async(void* target, std::size_t target_pitch_bytes, void const* source,
                             std::size_t source_pitch_bytes, std::size_t width_bytes, std::size_t height,
                             copy_direction, stream_handle) = 0;
  virtual void fill_async(void* target, int byte, std::size_t size_bytes, stream_handle) = 0;

  [[nodiscard]] virtual stream_handle create_stream(stream_kind) = 0;
  virtual void destroy_stream(stream_handle) = 0;
  virtual void synchronise(stream_handle) = 0;
  virtual void synchronise_device() = 0;
  [[nodiscard]] virtual event_handle create_event() = 0;
  virtual void destroy_event(event_handle) = 0;
  virtual void record(event_handle, stream_handle) = 0;
  virtual void wait(stream_handle, event_handle) = 0;

  /// A kernel that copies bytes: the harness's producer and consumer.
  virtual void launch_copy(void* target, void const* source, std::size_t size_bytes, stream_handle) = 0;
  /// A stand-in kernel: h = mix(seed, all 8-byte elements read, in order); element i of each write box becomes
  /// mix(h, i), or is atomically increased by it for a box of `accumulates`.
  virtual void launch_mix(std::uint64_t seed, std::span<byte_box const> reads,
                          std::span<byte_box const> writes, std::span<byte_box const> accumulates,
                          stream_handle, std::string_view kernel_name) = 0;

  /// What kind of memory a pointer is: "device", "host", "pinned" or "unknown"; and its device.
  struct pointer_info {
    std::string kind;
    int device = 0;
  };
  [[nodiscard]] virtual pointer_info inspect(void const*) = 0;
  [[nodiscard]] virtual int current_device() = 0;
};

/// Tells a checker what core knows. All calls do nothing on a real device.
class observer {
public:
  virtual ~observer() = default;
  virtual void name_memory(void const*, std::size_t /*size_bytes*/, std::string const& /*name*/) {}
  virtual void name_stream(stream_handle, std::string const& /*name*/) {}
  virtual void sub_array(void const*, std::size_t /*size_bytes*/, std::size_t /*alignment_bytes*/,
                         std::string const& /*name*/) {}
  virtual void clear_sub_arrays(void const*) {}
  virtual void mark_undefined(void const*, std::size_t /*size_bytes*/) {}
  virtual void host_access(void const*, std::size_t /*size_bytes*/, bool /*write*/) {}
  virtual void open_use(std::string const& /*program*/, stream_handle, bool /*check_stream*/) {}
  virtual void close_use() {}
};

} // namespace assay
