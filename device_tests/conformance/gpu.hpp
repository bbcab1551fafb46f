#pragma once
/// \file What the conformance cases share. Host code only: no device compiler ever reads
/// GoogleTest.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "kernels.hpp"

/// The call succeeds, or the case stops here.
#define ASSERT_GPU(call) ASSERT_EQ(GPU(Success), (call)) << #call
#define EXPECT_GPU(call) EXPECT_EQ(GPU(Success), (call)) << #call

/// True where a fresh operation may be done when its call returns: on the mock, by schedule. On a
/// device the delay kernel keeps it pending.
#ifdef __MOCKGPU__
inline constexpr bool may_finish_at_once = true;
#else
inline constexpr bool may_finish_at_once = false;
#endif

namespace conformance {

/// Names the rule of the semantics that a case observes; it goes into the report.
inline void rule(char const* name) { ::testing::Test::RecordProperty("rule", name); }

/// Every case: skipped with a reason where there is no device, a failure where one is demanded.
class gpu_test : public ::testing::Test {
protected:
  void SetUp() override {
    int count = 0;
    gpuError_t const status = GPU(GetDeviceCount)(&count);
    (void)GPU(GetLastError)();
    if (status == GPU(Success) && count > 0) return;
    char const* const demanded = std::getenv("ASSAY_REQUIRE_DEVICE");
    if (demanded != nullptr && demanded[0] == '1')
      FAIL() << "ASSAY_REQUIRE_DEVICE is set and there is no device: "
             << GPU(GetErrorString)(status);
    GTEST_SKIP() << "no device: " << GPU(GetErrorString)(status);
  }
};

// Owners, so that a failing case leaves nothing behind for the next.

class device_ints {
public:
  explicit device_ints(int count) : count_(count) {
    EXPECT_GPU(GPU(Malloc)(reinterpret_cast<void**>(&data_), bytes()));
  }
  ~device_ints() { EXPECT_GPU(GPU(Free)(data_)); }
  device_ints(device_ints const&) = delete;
  device_ints& operator=(device_ints const&) = delete;
  [[nodiscard]] int* data() const { return data_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] std::size_t bytes() const { return sizeof(int) * static_cast<std::size_t>(count_); }
  /// Content after waiting for the device.
  [[nodiscard]] std::vector<int> read() const {
    EXPECT_GPU(GPU(DeviceSynchronize)());
    std::vector<int> values(static_cast<std::size_t>(count_));
    EXPECT_GPU(GPU(Memcpy)(values.data(), data_, bytes(), GPU(MemcpyDeviceToHost)));
    return values;
  }

private:
  int* data_ = nullptr;
  int count_;
};

class pinned_ints {
public:
  explicit pinned_ints(int count) {
#if defined(ASSAY_CONFORMANCE_HIP)
    EXPECT_GPU(hipHostMalloc(reinterpret_cast<void**>(&data_),
                             sizeof(int) * static_cast<std::size_t>(count), 0));
#else
    EXPECT_GPU(cudaMallocHost(reinterpret_cast<void**>(&data_),
                              sizeof(int) * static_cast<std::size_t>(count)));
#endif
    for (int i = 0; i < count; ++i) data_[i] = -1;
  }
  ~pinned_ints() {
#if defined(ASSAY_CONFORMANCE_HIP)
    EXPECT_GPU(hipHostFree(data_));
#else
    EXPECT_GPU(cudaFreeHost(data_));
#endif
  }
  pinned_ints(pinned_ints const&) = delete;
  pinned_ints& operator=(pinned_ints const&) = delete;
  [[nodiscard]] int* data() const { return data_; }
  [[nodiscard]] int operator[](int i) const { return data_[i]; }

private:
  int* data_ = nullptr;
};

class stream {
public:
  explicit stream(unsigned flags = GPU(StreamNonBlocking)) {
    EXPECT_GPU(GPU(StreamCreateWithFlags)(&handle_, flags));
  }
  ~stream() { EXPECT_GPU(GPU(StreamDestroy)(handle_)); }
  stream(stream const&) = delete;
  stream& operator=(stream const&) = delete;
  operator gpuStream_t() const { return handle_; }

private:
  gpuStream_t handle_ = nullptr;
};

class event {
public:
  explicit event(unsigned flags = GPU(EventDisableTiming)) {
    EXPECT_GPU(GPU(EventCreateWithFlags)(&handle_, flags));
  }
  ~event() { EXPECT_GPU(GPU(EventDestroy)(handle_)); }
  event(event const&) = delete;
  event& operator=(event const&) = delete;
  operator gpuEvent_t() const { return handle_; }

private:
  gpuEvent_t handle_ = nullptr;
};

inline std::vector<int> all(int count, int value) {
  return std::vector<int>(static_cast<std::size_t>(count), value);
}

} // namespace conformance
