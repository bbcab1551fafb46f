// The edges of the interface: requests of nothing, pools at their end, default streams of
// threads. No case here leaves the device unusable.
#include "gpu.hpp"

using namespace conformance;

namespace {

class Limits : public gpu_test {
protected:
  static bool has_pools() {
    int supported = 0;
#if defined(ASSAY_CONFORMANCE_HIP)
    EXPECT_GPU(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
#else
    EXPECT_GPU(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
#endif
    return supported != 0;
  }
};

TEST_F(Limits, ARequestOfNoBytesSucceeds) {
  rule("D8 zero-size-gives-null");
  int here = 0;
  void* pointer = &here;
  ASSERT_GPU(GPU(Malloc)(&pointer, 0));
  EXPECT_EQ(pointer, nullptr);
  EXPECT_GPU(GPU(Free)(pointer));
}

TEST_F(Limits, TheDefaultPoolCannotBeDestroyed) {
  rule("D4 default-pool-stays");
  if (!has_pools()) GTEST_SKIP() << "no memory pools on this device";
  gpuMemPool_t pool = nullptr;
  ASSERT_GPU(GPU(DeviceGetDefaultMemPool)(&pool, 0));
  EXPECT_NE(GPU(MemPoolDestroy)(pool), GPU(Success));
  (void)GPU(GetLastError)();
}

TEST_F(Limits, APoolMayGoBeforeItsMemory) {
  rule("D4 pool-destroy-keeps-blocks");
  if (!has_pools()) GTEST_SKIP() << "no memory pools on this device";
#if defined(ASSAY_CONFORMANCE_HIP)
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
#else
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
#endif
  constexpr int n = 1000;
  gpuMemPool_t own = nullptr;
  ASSERT_GPU(GPU(MemPoolCreate)(&own, &properties));
  device_ints y(n);
  stream const s;
  int* x = nullptr;
  ASSERT_GPU(GPU(MallocFromPoolAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, own, s));
  ASSERT_GPU(GPU(MemPoolDestroy)(own));
  ASSERT_GPU(launch_fill(x, n, 7, s));
  ASSERT_GPU(launch_copy(y.data(), x, n, s));
  ASSERT_GPU(GPU(FreeAsync)(x, s));
  EXPECT_EQ(y.read(), all(n, 7));
}

TEST_F(Limits, AnEmptyGridIsRefused) {
  rule("D8 zero-grid-is-invalid-value");
  EXPECT_NE(launch_empty_grid(nullptr), GPU(Success));
  (void)GPU(GetLastError)();
}

TEST_F(Limits, AStreamOrderedFreeOfNullIsToldFromOneOfMemory) {
  rule("D8 null-async-free-is-invalid");
  if (!has_pools()) GTEST_SKIP() << "no memory pools on this device";
  stream const s;
#if defined(ASSAY_CONFORMANCE_HIP)
  EXPECT_EQ(hipFreeAsync(nullptr, s), hipErrorInvalidValue);
  (void)hipGetLastError();
#else
  EXPECT_GPU(cudaFreeAsync(nullptr, s));
#endif
}

TEST_F(Limits, ThePerThreadStreamComesAfterTheDefaultStream) {
  rule("D1 per-thread");
#if defined(ASSAY_CONFORMANCE_HIP) && !defined(hipStreamPerThread)
  GTEST_SKIP() << "these headers have no per-thread default stream";
#else
  constexpr int n = 1000;
  device_ints x(n), y(n);
  ASSERT_GPU(launch_delay(nullptr));
  ASSERT_GPU(launch_fill(x.data(), n, 5, nullptr));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, GPU(StreamPerThread)));
  ASSERT_GPU(GPU(StreamSynchronize)(GPU(StreamPerThread)));
  EXPECT_EQ(y.read(), all(n, 5));
#endif
}

} // namespace
