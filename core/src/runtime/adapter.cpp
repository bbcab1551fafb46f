#include "assay/runtime_factory.hpp"

#include <string>

#include "assay/error.hpp"
#include "gpu_names.h"
#include "kernels.h"

#ifndef ASSAY_RUNTIME_NAME
#error "ASSAY_RUNTIME_NAME is \"mock\", \"cuda\" or \"hip\""
#endif

namespace assay {
namespace {

using status = ASSAY_GPU(Error_t);
using stream = ASSAY_GPU(Stream_t);
using event = ASSAY_GPU(Event_t);

stream native(stream_handle handle) noexcept { return static_cast<stream>(handle.value); }
event native(event_handle handle) noexcept { return static_cast<event>(handle.value); }

void require(int code, char const* call) {
  if (code == 0) return;
  // The last-error slot is cleared: this failure has been reported and must not be charged to a
  // later call.
  static_cast<void>(ASSAY_GPU(GetLastError)());
  throw error(errc::environment, std::string(call) + " failed: " +
                                     ASSAY_GPU(GetErrorString)(static_cast<status>(code)));
}

ASSAY_GPU(MemcpyKind) native(copy_direction direction) noexcept {
  switch (direction) {
  case copy_direction::host_to_device:
    return ASSAY_GPU(MemcpyHostToDevice);
  case copy_direction::device_to_host:
    return ASSAY_GPU(MemcpyDeviceToHost);
  case copy_direction::device_to_device:
    break;
  }
  return ASSAY_GPU(MemcpyDeviceToDevice);
}

// HIP before 6 calls the member `memoryType`.
template <typename Attributes> auto memory_type(Attributes const& attributes) {
  if constexpr (requires { attributes.type; })
    return attributes.type;
  else
    return attributes.memoryType;
}

class vendor_runtime final : public gpu_runtime {
public:
  vendor_runtime() {
    int count = 0;
    require(ASSAY_GPU(GetDeviceCount)(&count), "GetDeviceCount");
    if (count == 0) throw error(errc::environment, "no GPU device is visible");
  }

  std::string_view name() const override { return ASSAY_RUNTIME_NAME; }

  void* allocate(std::size_t size_bytes) override {
    void* pointer = nullptr;
    require(ASSAY_GPU(Malloc)(&pointer, size_bytes), "Malloc");
    return pointer;
  }
  void release(void* pointer) override { require(ASSAY_GPU(Free)(pointer), "Free"); }
  void* allocate_async(std::size_t size_bytes, stream_handle on) override {
    void* pointer = nullptr;
    require(ASSAY_GPU(MallocAsync)(&pointer, size_bytes, native(on)), "MallocAsync");
    return pointer;
  }
  void release_async(void* pointer, stream_handle on) override {
    require(ASSAY_GPU(FreeAsync)(pointer, native(on)), "FreeAsync");
  }

  void copy_async(void* target, void const* source, std::size_t size_bytes,
                  copy_direction direction, stream_handle on) override {
    require(ASSAY_GPU(MemcpyAsync)(target, source, size_bytes, native(direction), native(on)),
            "MemcpyAsync");
  }
  void copy_2d_async(void* target, std::size_t target_pitch_bytes, void const* source,
                     std::size_t source_pitch_bytes, std::size_t width_bytes, std::size_t height,
                     copy_direction direction, stream_handle on) override {
    require(ASSAY_GPU(Memcpy2DAsync)(target, target_pitch_bytes, source, source_pitch_bytes,
                                     width_bytes, height, native(direction), native(on)),
            "Memcpy2DAsync");
  }
  void fill_async(void* target, int byte, std::size_t size_bytes, stream_handle on) override {
    require(ASSAY_GPU(MemsetAsync)(target, byte, size_bytes, native(on)), "MemsetAsync");
  }

  stream_handle create_stream(stream_kind kind) override {
    stream made{};
    unsigned const flags =
        kind == stream_kind::non_blocking ? ASSAY_GPU(StreamNonBlocking) : ASSAY_GPU(StreamDefault);
    require(ASSAY_GPU(StreamCreateWithFlags)(&made, flags), "StreamCreateWithFlags");
    return {made};
  }
  void destroy_stream(stream_handle handle) override {
    require(ASSAY_GPU(StreamDestroy)(native(handle)), "StreamDestroy");
  }
  void synchronise(stream_handle handle) override {
    require(ASSAY_GPU(StreamSynchronize)(native(handle)), "StreamSynchronize");
  }
  void synchronise_device() override {
    require(ASSAY_GPU(DeviceSynchronize)(), "DeviceSynchronize");
  }
  event_handle create_event() override {
    event made{};
    require(ASSAY_GPU(EventCreateWithFlags)(&made, ASSAY_GPU(EventDisableTiming)),
            "EventCreateWithFlags");
    return {made};
  }
  void destroy_event(event_handle handle) override {
    require(ASSAY_GPU(EventDestroy)(native(handle)), "EventDestroy");
  }
  void record(event_handle handle, stream_handle on) override {
    require(ASSAY_GPU(EventRecord)(native(handle), native(on)), "EventRecord");
  }
  void wait(stream_handle waiting, event_handle handle) override {
    require(ASSAY_GPU(StreamWaitEvent)(native(waiting), native(handle), 0), "StreamWaitEvent");
  }

  void launch_copy(void* target, void const* source, std::size_t size_bytes,
                   stream_handle on) override {
    require(assay_launch_copy(target, source, size_bytes, on.value), "launch of the copy kernel");
  }
  void launch_mix(std::uint64_t seed, std::span<byte_box const> reads,
                  std::span<byte_box const> writes, std::span<byte_box const> accumulates,
                  stream_handle on, std::string_view kernel_name) override {
    assay_boxes boxes{};
    boxes.seed = seed;
    std::size_t used = 0;
    auto const append = [&](std::span<byte_box const> from) {
      for (byte_box const& box : from) {
        if (used == assay_max_boxes || box.extents.size() > assay_max_extents)
          throw error(errc::unsupported, "stand-in kernel '" + std::string(kernel_name) +
                                             "' has more boxes or dimensions than " +
                                             std::to_string(assay_max_boxes) + " and " +
                                             std::to_string(assay_max_extents));
        assay_box& to = boxes.box[used++];
        to.base = static_cast<unsigned char*>(box.base);
        to.element_bytes = static_cast<unsigned>(box.element_bytes);
        to.extent_count = static_cast<unsigned>(box.extents.size());
        for (std::size_t k = 0; k < box.extents.size(); ++k) {
          to.count[k] = static_cast<long long>(box.extents[k].count);
          to.stride_bytes[k] = box.extents[k].stride_bytes;
        }
      }
      return static_cast<unsigned>(from.size());
    };
    boxes.read_count = append(reads);
    boxes.write_count = append(writes);
    boxes.accumulate_count = append(accumulates);
    require(assay_launch_mix(&boxes, on.value), "launch of the stand-in kernel");
  }

  pointer_info inspect(void const* pointer) override {
    assay_pointer_attributes attributes{};
    auto const answer = ASSAY_GPU(PointerGetAttributes)(&attributes, pointer);
    if (answer == ASSAY_GPU(ErrorInvalidValue)) { // HIP's for memory that it does not know
      static_cast<void>(ASSAY_GPU(GetLastError)());
      return {"host", 0};
    }
    require(answer, "PointerGetAttributes");
    auto const type = memory_type(attributes);
    if (type == ASSAY_GPU(MemoryTypeDevice)) return {"device", attributes.device};
    if (type == ASSAY_GPU(MemoryTypeHost)) return {"pinned", attributes.device};
    return {"host", attributes.device};
  }
  int current_device() override {
    int device = 0;
    require(ASSAY_GPU(GetDevice)(&device), "GetDevice");
    return device;
  }
};

} // namespace

std::unique_ptr<gpu_runtime> make_gpu_runtime() { return std::make_unique<vendor_runtime>(); }

} // namespace assay
