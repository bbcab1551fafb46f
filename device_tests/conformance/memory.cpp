// Copies, fills, allocations and pools.
#include "gpu.hpp"

#include <numeric>

using namespace conformance;

namespace {

constexpr int n = 1000;

class Copies : public gpu_test {};
class Fills : public gpu_test {};
class Memory : public gpu_test {};

/// Pools are an optional feature of a device.
class Pools : public gpu_test {
protected:
  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    int supported = 0;
#if defined(ASSAY_CONFORMANCE_HIP)
    ASSERT_GPU(hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, 0));
#else
    ASSERT_GPU(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
#endif
    if (supported == 0) GTEST_SKIP() << "the device has no memory pools";
    ASSERT_GPU(GPU(DeviceGetDefaultMemPool)(&pool, 0));
  }
  gpuMemPool_t pool = nullptr;
};

std::vector<int> counted(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_F(Copies, SynchronousFromPageableMayReuseTheSource) {
  rule("D2 pageable-upload-staged");
  device_ints x(n);
  std::vector<int> values = counted(n);
  ASSERT_GPU(GPU(Memcpy)(x.data(), values.data(), x.bytes(), GPU(MemcpyHostToDevice)));
  values.assign(n, -5);
  EXPECT_EQ(x.read(), counted(n));
}

TEST_F(Copies, SynchronousToHostWait) {
  rule("D2 download-waits");
  device_ints x(n);
  std::vector<int> values(n);
  ASSERT_GPU(launch_delay(nullptr));
  ASSERT_GPU(launch_fill(x.data(), n, 2, nullptr));
  ASSERT_GPU(GPU(Memcpy)(values.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost)));
  EXPECT_EQ(values, all(n, 2));
}

TEST_F(Copies, AsynchronousToPinnedIsThereAfterAWait) {
  rule("D2 async-d2h-pinned");
  device_ints x(n);
  pinned_ints host(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 3, s));
  ASSERT_GPU(GPU(MemcpyAsync)(host.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  EXPECT_TRUE(GPU(StreamQuery)(s) != GPU(Success) || may_finish_at_once) << "the copy waited";
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_EQ(host[n - 1], 3);
}

TEST_F(Copies, AsynchronousToPageableIsThereAfterAWait) {
  rule("D2 async-d2h-pageable");
  device_ints x(n);
  std::vector<int> values(n);
  stream const s;
  ASSERT_GPU(launch_fill(x.data(), n, 4, s));
  ASSERT_GPU(GPU(MemcpyAsync)(values.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToHost), s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_EQ(values, all(n, 4));
}

TEST_F(Copies, AsynchronousFromPinnedAreOrderedInTheStream) {
  rule("D2 async-h2d-pinned");
  device_ints x(n), y(n);
  pinned_ints host(n);
  for (int i = 0; i < n; ++i) host.data()[i] = i;
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(GPU(MemcpyAsync)(x.data(), host.data(), x.bytes(), GPU(MemcpyHostToDevice), s));
  ASSERT_GPU(launch_copy(y.data(), x.data(), n, s));
  EXPECT_EQ(y.read(), counted(n));
}

TEST_F(Copies, OnTheDeviceAreOrderedInTheStream) {
  rule("D2 async-d2d");
  device_ints x(n), y(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 5, s));
  ASSERT_GPU(GPU(MemcpyAsync)(y.data(), x.data(), x.bytes(), GPU(MemcpyDeviceToDevice), s));
  ASSERT_GPU(launch_add(y.data(), n, 1, s));
  EXPECT_EQ(y.read(), all(n, 6));
}

TEST_F(Copies, BetweenHostBuffersAreDoneAtReturn) {
  rule("D2 host-copy-waits");
  std::vector<int> const source = counted(n);
  std::vector<int> target(n);
  stream const s;
  ASSERT_GPU(
      GPU(MemcpyAsync)(target.data(), source.data(), sizeof(int) * n, GPU(MemcpyHostToHost), s));
  EXPECT_EQ(target, source);
}

TEST_F(Copies, KindDefaultFollowsThePointers) {
  rule("D2 kind-default");
  device_ints x(n);
  std::vector<int> const values = counted(n);
  ASSERT_GPU(GPU(Memcpy)(x.data(), values.data(), x.bytes(), GPU(MemcpyDefault)));
  EXPECT_EQ(x.read(), values);
}

TEST_F(Copies, OfNoBytesDoNothing) {
  rule("D2 zero-bytes");
  device_ints x(n);
  stream const s;
  int value = 7;
  ASSERT_GPU(launch_fill(x.data(), n, 1, s));
  EXPECT_GPU(GPU(MemcpyAsync)(x.data(), &value, 0, GPU(MemcpyHostToDevice), s));
  EXPECT_EQ(x.read(), all(n, 1));
}

TEST_F(Copies, OfRowsKeepWhatLiesBetween) {
  rule("D2 copy-2d");
  constexpr int rows = 5, width = 3, pitch = 8;
  device_ints x(rows * pitch);
  stream const s;
  std::vector<int> const source = counted(rows * width);
  ASSERT_GPU(launch_fill(x.data(), x.count(), -1, s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  ASSERT_GPU(GPU(Memcpy2DAsync)(x.data(), pitch * sizeof(int), source.data(), width * sizeof(int),
                                width * sizeof(int), rows, GPU(MemcpyHostToDevice), s));
  std::vector<int> expected = all(rows * pitch, -1);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width; ++c)
      expected[static_cast<std::size_t>(r * pitch + c)] = r * width + c;
  EXPECT_EQ(x.read(), expected);
  std::vector<int> back(rows * width, 0);
  ASSERT_GPU(GPU(Memcpy2D)(back.data(), width * sizeof(int), x.data(), pitch * sizeof(int),
                           width * sizeof(int), rows, GPU(MemcpyDeviceToHost)));
  EXPECT_EQ(back, source);
}

TEST_F(Copies, OfRowsOnTheDeviceMayInterleave) {
  rule("D2 copy-2d");
  constexpr int rows = 4, width = 2, pitch = 4;
  device_ints x(rows * pitch), left(rows * width), right(rows * width);
  stream const a, b;
  ASSERT_GPU(launch_fill(left.data(), left.count(), 1, a));
  ASSERT_GPU(launch_fill(right.data(), right.count(), 2, b));
  // Two streams write disjoint columns of one array: rows interleave, bytes do not overlap.
  ASSERT_GPU(GPU(Memcpy2DAsync)(x.data(), pitch * sizeof(int), left.data(), width * sizeof(int),
                                width * sizeof(int), rows, GPU(MemcpyDeviceToDevice), a));
  ASSERT_GPU(GPU(Memcpy2DAsync)(x.data() + width, pitch * sizeof(int), right.data(),
                                width * sizeof(int), width * sizeof(int), rows,
                                GPU(MemcpyDeviceToDevice), b));
  std::vector<int> expected;
  for (int r = 0; r < rows; ++r) expected.insert(expected.end(), {1, 1, 2, 2});
  EXPECT_EQ(x.read(), expected);
}

TEST_F(Fills, AsynchronousAreOrderedInTheStream) {
  rule("D2 memset-async");
  device_ints x(n);
  stream const s;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x.data(), n, 9, s));
  ASSERT_GPU(GPU(MemsetAsync)(x.data(), 0, x.bytes(), s));
  ASSERT_GPU(launch_add(x.data(), n, 2, s));
  EXPECT_EQ(x.read(), all(n, 2));
}

TEST_F(Fills, SetBytes) {
  rule("D2 memset-bytes");
  device_ints x(n);
  ASSERT_GPU(GPU(Memset)(x.data(), 1, x.bytes()));
  EXPECT_EQ(x.read(), all(n, 0x01010101));
}

TEST_F(Fills, OfRowsKeepWhatLiesBetween) {
  rule("D2 memset-2d");
  constexpr int rows = 3, width = 2, pitch = 4;
  device_ints x(rows * pitch);
  stream const s;
  ASSERT_GPU(launch_fill(x.data(), x.count(), 5, s));
  ASSERT_GPU(GPU(Memset2DAsync)(x.data(), pitch * sizeof(int), 0, width * sizeof(int), rows, s));
  std::vector<int> expected;
  for (int r = 0; r < rows; ++r) expected.insert(expected.end(), {0, 0, 5, 5});
  EXPECT_EQ(x.read(), expected);
}

TEST_F(Memory, IsAlignedTo256Bytes) {
  rule("D3 aligned-256");
  for (int const count : {1, 3, 100, 5000}) {
    device_ints const x(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 256, 0u) << count;
  }
}

TEST_F(Memory, FreeOfNullDoesNothing) {
  rule("D3 null-free");
  EXPECT_GPU(GPU(Free)(nullptr));
}

TEST_F(Memory, FreeOfABlockInUseIsLegal) {
  rule("D3 free-orders-block");
  device_ints y(n);
  int* x = nullptr;
  stream const s;
  ASSERT_GPU(GPU(Malloc)(reinterpret_cast<void**>(&x), sizeof(int) * n));
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(launch_fill(x, n, 6, s));
  ASSERT_GPU(launch_copy(y.data(), x, n, s));
  ASSERT_GPU(GPU(Free)(x));
  EXPECT_EQ(y.read(), all(n, 6));
}

TEST_F(Memory, PointerAttributesTellTheKind) {
  rule("D3 pointer-attributes");
  device_ints x(n);
  pinned_ints host(n);
#if defined(ASSAY_CONFORMANCE_HIP)
  hipPointerAttribute_t attributes{};
#else
  cudaPointerAttributes attributes{};
#endif
#if defined(ASSAY_CONFORMANCE_HIP) && HIP_VERSION_MAJOR < 6
#define ATTRIBUTE_TYPE memoryType
#else
#define ATTRIBUTE_TYPE type
#endif
  ASSERT_GPU(GPU(PointerGetAttributes)(&attributes, x.data()));
  EXPECT_EQ(attributes.ATTRIBUTE_TYPE, GPU(MemoryTypeDevice));
  EXPECT_EQ(attributes.device, 0);
  ASSERT_GPU(GPU(PointerGetAttributes)(&attributes, host.data()));
  EXPECT_EQ(attributes.ATTRIBUTE_TYPE, GPU(MemoryTypeHost));
}

TEST_F(Pools, AllocationIsUsableInItsStream) {
  rule("D4 stream-ordered-alloc");
  device_ints y(n);
  stream const s;
  int* x = nullptr;
  ASSERT_GPU(launch_delay(s));
  ASSERT_GPU(GPU(MallocAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, s));
  ASSERT_GPU(launch_fill(x, n, 51, s));
  ASSERT_GPU(launch_copy(y.data(), x, n, s));
  ASSERT_GPU(GPU(FreeAsync)(x, s));
  EXPECT_EQ(y.read(), all(n, 51));
}

TEST_F(Pools, OtherStreamsMayUseItBehindAnEvent) {
  rule("D4 stream-ordered-alloc");
  device_ints y(n);
  stream const owner, user;
  event const allocated, used;
  int* x = nullptr;
  ASSERT_GPU(launch_delay(owner));
  ASSERT_GPU(GPU(MallocAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, owner));
  ASSERT_GPU(GPU(EventRecord)(allocated, owner));
  ASSERT_GPU(GPU(StreamWaitEvent)(user, allocated, 0));
  ASSERT_GPU(launch_fill(x, n, 52, user));
  ASSERT_GPU(launch_copy(y.data(), x, n, user));
  ASSERT_GPU(GPU(EventRecord)(used, user));
  ASSERT_GPU(GPU(StreamWaitEvent)(owner, used, 0));
  ASSERT_GPU(GPU(FreeAsync)(x, owner));
  EXPECT_EQ(y.read(), all(n, 52));
}

TEST_F(Pools, FreeAndAllocateAgainInOneStream) {
  rule("D4 reuse-in-order");
  device_ints y(n), z(n);
  stream const s;
  for (int round = 0; round < 3; ++round) {
    int* x = nullptr;
    ASSERT_GPU(GPU(MallocAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, s));
    ASSERT_GPU(launch_fill(x, n, 60 + round, s));
    ASSERT_GPU(launch_copy(round == 0 ? z.data() : y.data(), x, n, s));
    ASSERT_GPU(GPU(FreeAsync)(x, s));
  }
  EXPECT_EQ(z.read(), all(n, 60));
  EXPECT_EQ(y.read(), all(n, 62));
}

TEST_F(Pools, MemoryMayBeFreedByThePlainCall) {
  rule("D4 plain-free");
  stream const s;
  int* x = nullptr;
  ASSERT_GPU(GPU(MallocAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, s));
  ASSERT_GPU(launch_fill(x, n, 1, s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_GPU(GPU(Free)(x));
}

TEST_F(Pools, ReuseIsOnByDefaultAndNothingIsKept) {
  rule("D4 pool-attributes");
#if defined(ASSAY_CONFORMANCE_HIP)
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
#else
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
#endif
  // A pool of our own: another user may have set the default pool.
  gpuMemPool_t own = nullptr;
  ASSERT_GPU(GPU(MemPoolCreate)(&own, &properties));
  for (auto const attribute :
       {GPU(MemPoolReuseFollowEventDependencies), GPU(MemPoolReuseAllowOpportunistic),
        GPU(MemPoolReuseAllowInternalDependencies)}) {
    int value = -1;
    ASSERT_GPU(GPU(MemPoolGetAttribute)(own, attribute, &value));
    EXPECT_EQ(value, 1) << static_cast<int>(attribute);
  }
  std::uint64_t threshold = 99;
  ASSERT_GPU(GPU(MemPoolGetAttribute)(own, GPU(MemPoolAttrReleaseThreshold), &threshold));
  EXPECT_EQ(threshold, 0u);
  ASSERT_GPU(GPU(MemPoolDestroy)(own));
}

TEST_F(Pools, ThresholdCanBeSetAndRead) {
  rule("D4 pool-attributes");
  std::uint64_t before = 0, value = UINT64_MAX;
  ASSERT_GPU(GPU(MemPoolGetAttribute)(pool, GPU(MemPoolAttrReleaseThreshold), &before));
  ASSERT_GPU(GPU(MemPoolSetAttribute)(pool, GPU(MemPoolAttrReleaseThreshold), &value));
  value = 0;
  ASSERT_GPU(GPU(MemPoolGetAttribute)(pool, GPU(MemPoolAttrReleaseThreshold), &value));
  EXPECT_EQ(value, UINT64_MAX);
  ASSERT_GPU(GPU(MemPoolSetAttribute)(pool, GPU(MemPoolAttrReleaseThreshold), &before));
}

TEST_F(Pools, OwnPoolServesAllocations) {
  rule("D4 malloc-from-pool");
#if defined(ASSAY_CONFORMANCE_HIP)
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
#else
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
#endif
  gpuMemPool_t own = nullptr;
  ASSERT_GPU(GPU(MemPoolCreate)(&own, &properties));
  device_ints y(n);
  stream const s;
  int* x = nullptr;
  ASSERT_GPU(GPU(MallocFromPoolAsync)(reinterpret_cast<void**>(&x), sizeof(int) * n, own, s));
  ASSERT_GPU(launch_fill(x, n, 53, s));
  ASSERT_GPU(launch_copy(y.data(), x, n, s));
  std::uint64_t used = 0;
  ASSERT_GPU(GPU(MemPoolGetAttribute)(own, GPU(MemPoolAttrUsedMemCurrent), &used));
  EXPECT_GE(used, sizeof(int) * n);
  ASSERT_GPU(GPU(FreeAsync)(x, s));
  EXPECT_EQ(y.read(), all(n, 53));
  ASSERT_GPU(GPU(MemPoolDestroy)(own));
}

TEST_F(Pools, HighWaterMarksCanOnlyBeCleared) {
  rule("D4 pool-attributes");
  std::uint64_t value = 1;
  EXPECT_EQ(GPU(MemPoolSetAttribute)(pool, GPU(MemPoolAttrUsedMemHigh), &value),
            GPU(ErrorInvalidValue));
  (void)GPU(GetLastError)();
  value = 0;
  EXPECT_GPU(GPU(MemPoolSetAttribute)(pool, GPU(MemPoolAttrUsedMemHigh), &value));
}

} // namespace
