#pragma once
#include <gmock/gmock.h>

#include "assay/gpu_runtime.hpp"

namespace assay::test {

/// Every call of the GPU runtime, for tests that state which ones may happen, and in which order.
class gpu_runtime_mock : public gpu_runtime {
public:
  std::string_view name() const override { return "mocked"; }
  MOCK_METHOD(void*, allocate, (std::size_t), (override));
  MOCK_METHOD(void, release, (void*), (override));
  MOCK_METHOD(void*, allocate_async, (std::size_t, stream_handle), (override));
  MOCK_METHOD(void, release_async, (void*, stream_handle), (override));
  MOCK_METHOD(void, copy_async, (void*, void const*, std::size_t, copy_direction, stream_handle),
              (override));
  MOCK_METHOD(void, copy_2d_async,
              (void*, std::size_t, void const*, std::size_t, std::size_t, std::size_t,
               copy_direction, stream_handle),
              (override));
  MOCK_METHOD(void, fill_async, (void*, int, std::size_t, stream_handle), (override));
  MOCK_METHOD(stream_handle, create_stream, (stream_kind), (override));
  MOCK_METHOD(void, destroy_stream, (stream_handle), (override));
  MOCK_METHOD(void, synchronise, (stream_handle), (override));
  MOCK_METHOD(void, synchronise_device, (), (override));
  MOCK_METHOD(event_handle, create_event, (), (override));
  MOCK_METHOD(void, destroy_event, (event_handle), (override));
  MOCK_METHOD(void, record, (event_handle, stream_handle), (override));
  MOCK_METHOD(void, wait, (stream_handle, event_handle), (override));
  MOCK_METHOD(void, launch_copy, (void*, void const*, std::size_t, stream_handle), (override));
  MOCK_METHOD(void, launch_mix,
              (std::uint64_t, std::span<byte_box const>, std::span<byte_box const>,
               std::span<byte_box const>, stream_handle, std::string_view),
              (override));
  MOCK_METHOD(pointer_info, inspect, (void const*), (override));
  MOCK_METHOD(int, current_device, (), (override));
};

} // namespace assay::test
