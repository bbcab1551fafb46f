// What a pool says it holds, by D4 of the semantics.
#include <gtest/gtest.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

class pool_view {
public:
  pool_view() { EXPECT_EQ(cudaDeviceGetDefaultMemPool(&pool_, 0), cudaSuccess); }

  [[nodiscard]] std::uint64_t operator[](cudaMemPoolAttr which) const {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool_, which, &value), cudaSuccess);
    return value;
  }
  void set(cudaMemPoolAttr which, std::uint64_t value) {
    EXPECT_EQ(cudaMemPoolSetAttribute(pool_, which, &value), cudaSuccess);
  }
  void allow(cudaMemPoolAttr which, int flag) {
    EXPECT_EQ(cudaMemPoolSetAttribute(pool_, which, &flag), cudaSuccess);
  }
  void trim(std::size_t kept_bytes) {
    EXPECT_EQ(cudaMemPoolTrimTo(pool_, kept_bytes), cudaSuccess);
  }

private:
  cudaMemPool_t pool_ = nullptr;
};

TEST(PoolAccounts, FreedMemoryStaysReservedUntilASynchronise) {
  scripted_run run;
  auto const on = run.add_stream("on");
  pool_view pool;
  auto const block = run.allocate_async(8 * mib, on);
  EXPECT_EQ(pool[cudaMemPoolAttrUsedMemCurrent], 8 * mib);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 8 * mib);
  EXPECT_EQ(cudaFreeAsync(block.base, on), cudaSuccess);
  EXPECT_EQ(pool[cudaMemPoolAttrUsedMemCurrent], 0u);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 8 * mib);
  run.synchronize(on);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 0u);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemHigh], 8 * mib);
  EXPECT_EQ(pool[cudaMemPoolAttrUsedMemHigh], 8 * mib);
  EXPECT_TRUE(run.finish().empty());
}

TEST(PoolAccounts, TheReleaseThresholdKeepsMemoryPastASynchronise) {
  scripted_run run;
  auto const on = run.add_stream("on");
  pool_view pool;
  pool.set(cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  EXPECT_EQ(cudaFreeAsync(run.allocate_async(8 * mib, on).base, on), cudaSuccess);
  run.synchronize(on);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 8 * mib);
  pool.trim(2 * mib);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 2 * mib);
  pool.trim(0);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 0u);
}

TEST(PoolAccounts, TrimKeepsFreesThatTheHostHasNotObserved) {
  scripted_run run;
  auto const on = run.add_stream("on"), other = run.add_stream("other");
  pool_view pool;
  pool.set(cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  EXPECT_EQ(cudaFreeAsync(run.allocate_async(4 * mib, on).base, on), cudaSuccess);
  run.synchronize(other); // of no account
  pool.trim(0);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 4 * mib);
  run.synchronize(on);
  pool.trim(0);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 0u);
}

TEST(PoolAccounts, TrimKeepsWhatIsInUseInPart) { // twin: the one above
  scripted_run run;
  auto const on = run.add_stream("on");
  pool_view pool;
  pool.set(cudaMemPoolAttrReleaseThreshold, UINT64_MAX);
  auto const small = run.allocate_async(4096, on);
  pool.trim(0);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 2 * mib);
  EXPECT_EQ(cudaFreeAsync(small.base, on), cudaSuccess);
  run.synchronize(on);
  pool.trim(0);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 0u);
}

TEST(PoolAccounts, APoolOfLimitedSizeGivesNoMore) {
  scripted_run run;
  auto const on = run.add_stream("on");
  cudaMemPoolProps wanted = {};
  wanted.allocType = cudaMemAllocationTypePinned;
  wanted.location = {cudaMemLocationTypeDevice, 0};
  wanted.maxSize = 4 * mib;
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaMemPoolCreate(&pool, &wanted), cudaSuccess);
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(cudaMallocFromPoolAsync(&first, 3 * mib, pool, on), cudaSuccess);
  EXPECT_EQ(cudaMallocFromPoolAsync(&second, 2 * mib, pool, on), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFreeAsync(first, on), cudaSuccess);
  ASSERT_EQ(cudaMallocFromPoolAsync(&second, 2 * mib, pool, on), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(second, on), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(pool), cudaSuccess);
  wanted.location.id = 7;
  EXPECT_EQ(cudaMemPoolCreate(&pool, &wanted), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
  EXPECT_TRUE(run.finish().empty());
}

TEST(PoolAccounts, SmallAllocationsShareWhatThePoolHasTaken) {
  scripted_run run;
  auto const on = run.add_stream("on");
  pool_view pool;
  for (int i = 0; i < 16; ++i) static_cast<void>(run.allocate_async(1000, on));
  EXPECT_EQ(pool[cudaMemPoolAttrUsedMemCurrent], 16000u);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemCurrent], 2 * mib);
}

TEST(PoolAccounts, AStreamReusesWhatItFreedItself) {
  scripted_run run;
  auto const on = run.add_stream("on");
  pool_view pool;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(cudaFreeAsync(run.allocate_async(4 * mib, on).base, on), cudaSuccess);
  EXPECT_EQ(pool[cudaMemPoolAttrReservedMemHigh], 4 * mib);
  EXPECT_EQ(pool[cudaMemPoolAttrUsedMemHigh], 4 * mib);
}

/// Bytes reserved after one stream has freed a block and another has asked for as much.
std::uint64_t reserved_for_two_streams(int follow, int opportunistic, int internal, bool event,
                                       schedule_kind kind) {
  options chosen;
  chosen.schedule = kind;
  scripted_run run(chosen);
  auto const left = run.add_stream("left"), right = run.add_stream("right");
  pool_view pool;
  pool.allow(cudaMemPoolReuseFollowEventDependencies, follow);
  pool.allow(cudaMemPoolReuseAllowOpportunistic, opportunistic);
  pool.allow(cudaMemPoolReuseAllowInternalDependencies, internal);
  EXPECT_EQ(cudaFreeAsync(run.allocate_async(4 * mib, left).base, left), cudaSuccess);
  if (event) run.wait(right, run.record(left));
  static_cast<void>(run.allocate_async(4 * mib, right));
  return pool[cudaMemPoolAttrReservedMemCurrent];
}

TEST(PoolAccounts, AnotherStreamReusesByTheAttributesOnly) {
  auto const eager = schedule_kind::eager, lazy = schedule_kind::lazy;
  EXPECT_EQ(reserved_for_two_streams(0, 0, 0, true, eager), 8 * mib);
  EXPECT_EQ(reserved_for_two_streams(1, 0, 0, true, eager), 4 * mib);
  EXPECT_EQ(reserved_for_two_streams(1, 0, 0, false, eager), 8 * mib);
  EXPECT_EQ(reserved_for_two_streams(0, 1, 0, false, eager), 4 * mib); // the free has run
  EXPECT_EQ(reserved_for_two_streams(0, 1, 0, false, lazy), 8 * mib);  // it has not
  EXPECT_EQ(reserved_for_two_streams(0, 0, 1, false, lazy), 4 * mib);  // the allocation waits
}

TEST(PoolAccounts, ReuseOrdersNoOtherData) {
  auto const body = [](bool ordered) {
    return [ordered](scripted_run& run) {
      auto const left = run.add_stream("left"), right = run.add_stream("right");
      auto const x = run.allocate(64);
      auto const first = run.allocate_async(4 * mib, left);
      run.write(left, x);
      EXPECT_EQ(cudaFreeAsync(first.base, left), cudaSuccess);
      if (ordered) run.wait(right, run.record(left));
      auto const second = run.allocate_async(4 * mib, right); // may stand on the bytes of the first
      run.write(right, second.part(0, 64));
      run.write(right, x);
    };
  };
  EXPECT_EQ(kinds(in_every_schedule(body(false))), std::vector<std::string>{"stream-race"});
  EXPECT_TRUE(in_every_schedule(body(true)).empty());
}

} // namespace
} // namespace mockgpu::tests
