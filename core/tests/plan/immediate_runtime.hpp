#pragma once
/// \file A GPU runtime that does everything at once in host memory and writes down its calls.
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "assay/gpu_runtime.hpp"
#include "assay/mix.hpp"

namespace assay::test {

/// Streams are numbered from 1, events from 101. "Device" memory is host memory that this class
/// owns.
class immediate_runtime final : public gpu_runtime {
public:
  std::vector<std::string> calls;
  std::set<void*> live; ///< allocations
  int live_handles = 0; ///< streams and events
  /// Called with the text of each call, before it is done; may throw.
  std::function<void(std::string const&)> before;

  ~immediate_runtime() override {
    for (void* p : live) ::operator delete(p, alignment);
  }
  std::string_view name() const override { return "immediate"; }

  void* allocate(std::size_t size) override {
    log("allocate " + std::to_string(size));
    return make(size);
  }
  void release(void* p) override {
    log("release");
    unmake(p);
  }
  void* allocate_async(std::size_t size, stream_handle on) override {
    log("allocate_async " + std::to_string(size) + text(on));
    return make(size);
  }
  void release_async(void* p, stream_handle on) override {
    log("release_async" + text(on));
    unmake(p);
  }
  void copy_async(void* target, void const* source, std::size_t size, copy_direction direction,
                  stream_handle on) override {
    log("copy " + std::to_string(size) + text(direction) + text(on));
    std::memcpy(target, source, size);
  }
  void copy_2d_async(void* target, std::size_t target_pitch, void const* source,
                     std::size_t source_pitch, std::size_t width, std::size_t height,
                     copy_direction direction, stream_handle on) override {
    log("copy_2d " + std::to_string(width) + "x" + std::to_string(height) + text(direction) +
        text(on));
    for (std::size_t k = 0; k < height; ++k)
      std::memcpy(static_cast<char*>(target) + k * target_pitch,
                  static_cast<char const*>(source) + k * source_pitch, width);
  }
  void fill_async(void* target, int byte, std::size_t size, stream_handle on) override {
    log("fill " + std::to_string(size) + text(on));
    std::memset(target, byte, size);
  }
  stream_handle create_stream(stream_kind) override {
    log("create_stream");
    ++live_handles;
    return {reinterpret_cast<void*>(next_stream_++)};
  }
  void destroy_stream(stream_handle on) override {
    log("destroy_stream" + text(on));
    --live_handles;
  }
  void synchronise(stream_handle on) override { log("synchronise" + text(on)); }
  void synchronise_device() override { log("synchronise_device"); }
  event_handle create_event() override {
    log("create_event");
    ++live_handles;
    return {reinterpret_cast<void*>(next_event_++)};
  }
  void destroy_event(event_handle) override {
    log("destroy_event");
    --live_handles;
  }
  void record(event_handle e, stream_handle on) override { log("record" + text(e) + text(on)); }
  void wait(stream_handle on, event_handle e) override { log("wait" + text(e) + text(on)); }
  void launch_copy(void* target, void const* source, std::size_t size, stream_handle on) override {
    log("launch_copy" + text(on));
    std::memcpy(target, source, size);
  }
  void launch_mix(std::uint64_t seed, std::span<byte_box const> reads,
                  std::span<byte_box const> writes, std::span<byte_box const> accumulates,
                  stream_handle on, std::string_view kernel) override {
    log("launch " + std::string(kernel) + text(on));
    std::uint64_t hash = seed;
    for (auto const& b : reads)
      each(b, 0, static_cast<char*>(b.base), [&](char* p) {
        std::uint64_t v = 0;
        std::memcpy(&v, p, b.element_bytes);
        hash = mix(hash, v);
      });
    for (auto const& b : writes) {
      std::uint64_t i = 0;
      each(b, 0, static_cast<char*>(b.base), [&](char* p) {
        std::uint64_t const v = mix(hash, i++);
        std::memcpy(p, &v, b.element_bytes);
      });
    }
    for (auto const& b : accumulates) {
      std::uint64_t i = 0;
      each(b, 0, static_cast<char*>(b.base), [&](char* p) {
        std::uint64_t v = 0;
        std::memcpy(&v, p, sizeof v);
        v += mix(hash, i++);
        std::memcpy(p, &v, sizeof v);
      });
    }
  }
  pointer_info inspect(void const*) override { return {"host", 0}; }
  int current_device() override { return 0; }

private:
  static constexpr std::align_val_t alignment{256}; // as the vendors promise
  std::uintptr_t next_stream_ = 1, next_event_ = 101;

  void log(std::string call) {
    if (before) before(call);
    calls.push_back(std::move(call));
  }
  static std::string text(stream_handle s) {
    return " on " + std::to_string(reinterpret_cast<std::uintptr_t>(s.value));
  }
  static std::string text(event_handle e) {
    return " " + std::to_string(reinterpret_cast<std::uintptr_t>(e.value));
  }
  static std::string text(copy_direction d) {
    return d == copy_direction::host_to_device   ? " to device"
           : d == copy_direction::device_to_host ? " to host"
                                                 : " on device";
  }
  void* make(std::size_t size) {
    void* const p = ::operator new(size, alignment);
    std::memset(p, 0xa5, size);
    live.insert(p);
    return p;
  }
  void unmake(void* p) {
    if (live.erase(p) == 1) ::operator delete(p, alignment);
  }
  static void each(byte_box const& b, std::size_t dimension, char* p,
                   std::function<void(char*)> const& f) {
    if (dimension == b.extents.size()) return f(p);
    for (std::size_t i = 0; i < b.extents[dimension].count; ++i)
      each(b, dimension + 1, p + static_cast<std::ptrdiff_t>(i) * b.extents[dimension].stride_bytes,
           f);
  }
};

} // namespace assay::test
