// Host code beside work in flight: pageable and pinned memory, launch arguments, memory of the
// wrong kind.
#include <gmock/gmock.h>

#include <cstring>

#include "mockgpu/annotate.h"
#include "order/host_ranges.hpp"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Pageable memory whose address is the same in every run.
char pageable[256];

TEST(HostRace, ReportsAReadOfAPageableTargetBeforeTheWait) {
  RecordProperty("rule", "pageable-async-waits");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    run.copy({pageable, 64}, x, cudaMemcpyDeviceToHost, a);
    run.host_reads(pageable + 8, 4);
    run.host_reads(pageable + 12, 4);
    run.synchronize(a);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].rule, "pageable-async-copy");
  EXPECT_EQ(found[0].first.name, "cudaMemcpyAsync");
  EXPECT_EQ(found[0].second.what, "host access");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{8, 16}}));
  EXPECT_THAT(found[0].second.location.file, HasSubstr("host_test.cpp"));
}

TEST(HostRace, AcceptsAReadOfAPageableTargetAfterTheWait) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate(64);
                run.copy({pageable, 64}, x, cudaMemcpyDeviceToHost, a);
                run.host_reads(pageable + 64, 64);
                run.synchronize(a);
                run.host_reads(pageable, 64);
              }),
              IsEmpty());
}

TEST(HostRace, ReportsAnOverwriteOfAPageableSource) {
  RecordProperty("rule", "pageable-source-held");
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    run.copy(x, {pageable, 64}, cudaMemcpyHostToDevice, a);
    run.host_reads(pageable, 64); // reading it is fine
    run.host_writes(pageable, 4);
    run.synchronize(a);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].first.access, "read");
  EXPECT_EQ(found[0].second.access, "write");
}

// A stack that is used again, or a library's code: only the content tells.
TEST(HostRace, ReportsASourceThatCodeWithoutHooksHasChanged) {
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a");
  region const x = run.allocate(64);
  std::memset(pageable, 1, 64);
  run.copy(x, {pageable, 64}, cudaMemcpyHostToDevice, a);
  std::memset(pageable + 8, 2, 1);
  run.synchronize(a);
  auto const found = run.finish();
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].rule, "pageable-async-copy");
  EXPECT_THAT(found[0].message, HasSubstr("they have changed since"));
}

TEST(HostRace, AcceptsASourceThatCodeWithoutHooksChangesAfterTheWait) {
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a");
  region const x = run.allocate(64);
  std::memset(pageable, 1, 64);
  run.copy(x, {pageable, 64}, cudaMemcpyHostToDevice, a);
  run.synchronize(a);
  EXPECT_GE(current_statistics().operations, 1u);
  std::memset(pageable, 2, 64);
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(HostRace,
     AcceptsAnOverwriteAfterASynchronousCopy) { // its content is staged when the call returns
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                ASSERT_EQ(cudaMemcpy(x.base, pageable, 64, cudaMemcpyHostToDevice), cudaSuccess);
                run.host_writes(pageable, 64);
              }),
              IsEmpty());
}

TEST(HostRace, ReportsKernelsThatOvertakeASynchronousCopyOnANonBlockingStream) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    ASSERT_EQ(cudaMemcpy(x.base, pageable, 64, cudaMemcpyHostToDevice), cudaSuccess);
    run.read(a, x); // the copy to the device may still be pending
  });
  EXPECT_THAT(kinds(found), ElementsAre("stream-race"));
}

TEST(HostRace, ASynchronousCopyCarriesTheContentOfTheCall) {
  RecordProperty("rule", "pageable-upload-staged");
  for (schedule_kind const kind : {schedule_kind::eager, schedule_kind::lazy}) {
    options chosen;
    chosen.schedule = kind;
    scripted_run run(chosen);
    region const x = run.allocate(4);
    std::memcpy(pageable, "abcd", 4);
    ASSERT_EQ(cudaMemcpy(x.base, pageable, 4, cudaMemcpyHostToDevice), cudaSuccess);
    std::memcpy(pageable, "efgh", 4);
    ASSERT_EQ(cudaMemcpy(pageable + 8, x.base, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(std::memcmp(pageable + 8, "abcd", 4), 0);
  }
}

TEST(HostRace, LazyShowsAStaleValueWhereTheProgramDoesNotWait) {
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a");
  region const x = run.allocate(4);
  std::memset(pageable, 7, 4);
  run.copy({pageable, 4}, x, cudaMemcpyDeviceToHost, a);
  EXPECT_EQ(pageable[0], 7);
  run.synchronize(a);
  EXPECT_EQ(pageable[0], 0);
}

TEST(HostRace, ReportsRowsOnly) { // bytes between the rows of a 2D copy are not in use
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    ASSERT_EQ(cudaMemcpy2DAsync(pageable, 32, x.base, 16, 16, 4, cudaMemcpyDeviceToHost, a),
              cudaSuccess);
    run.host_writes(pageable + 16, 16);
    run.host_reads(pageable + 60, 8);
    run.synchronize(a);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{64, 68}}));
}

TEST(HostRace, ReportsTwoCopiesIntoOnePageableRange) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64), y = run.allocate(64, "y");
    run.copy({pageable, 64}, x, cudaMemcpyDeviceToHost, a);
    run.copy({pageable + 32, 64}, y, cudaMemcpyDeviceToHost, b);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("stream-race"));
  EXPECT_EQ(found[0].memory.space, "pageable host");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{32, 64}}));
}

TEST(HostRace, AcceptsTwoCopiesIntoOnePageableRangeOnOneStream) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate(64);
                run.copy({pageable, 64}, x, cudaMemcpyDeviceToHost, a);
                run.copy({pageable, 64}, x, cudaMemcpyDeviceToHost, a);
                run.synchronize(a);
              }),
              IsEmpty());
}

host_watch copy_of(issue_number issue, std::uint32_t site, chain_index chain) {
  return {.begin = 4096,
          .width_bytes = 64,
          .write = true,
          .operation = {chain, issue, {}},
          .site = site};
}

TEST(HostRanges, WatchTheNewestOfOneCallsCopiesInPlaceOfThoseBefore) {
  host_ranges watched;
  for (issue_number issue = 1; issue <= 100; ++issue) watched.watch(copy_of(issue, 7, 2));
  auto const hits = watched.find(4096, 4100);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits.front().watch->operation.issue, 100u);
}

TEST(HostRanges, WatchWhatAnotherCallStreamOrDirectionCannotStandFor) { // twin: the one above
  host_ranges watched;
  watched.watch(copy_of(1, 7, 2));
  watched.watch(copy_of(2, 8, 2));
  watched.watch(copy_of(3, 7, 3));
  host_watch read = copy_of(4, 7, 2);
  read.write = false;
  watched.watch(read);
  host_watch shorter = copy_of(5, 7, 2);
  shorter.width_bytes = 32;
  watched.watch(shorter);
  for (int i = 0; i < 2; ++i) watched.watch(copy_of(6, host_watch::no_site, 2));
  EXPECT_EQ(watched.find(4096, 4100).size(), 7u);
}

TEST(HostRace, ReportsALaunchArgumentThatACopyIsStillToDeliver) {
  // The argument of a scripted kernel is a pointer; the runtime reads it from the caller's memory.
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(sizeof(void*));
    static std::vector<touch> const nothing;
    static std::vector<touch> const* scalar;
    scalar = &nothing;
    run.copy({&scalar, sizeof scalar}, x, cudaMemcpyDeviceToHost, a);
    void const* arguments[] = {&scalar};
    mockgpu_argument const layout[] = {{0, sizeof scalar}};
    mockgpu_launch launch{};
    launch.entry_point = "cudaLaunchKernel";
    launch.text = "solve";
    launch.file = "solve.cu";
    launch.line = 42;
    for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
    launch.stream = a;
    launch.entry = +[] {};
    launch.run_block = [](void (*)(), void*) {};
    launch.arguments = const_cast<void* const*>(arguments);
    launch.layout = layout;
    launch.argument_count = 1;
    launch.closure_bytes = sizeof scalar;
    EXPECT_EQ(mockgpu_launch_kernel(&launch), 0);
    run.synchronize(a);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].second.location.file, "solve.cu");
  EXPECT_EQ(found[0].second.location.line, 42u);
}

// ---- pinned memory
// ------------------------------------------------------------------------------------------

TEST(PinnedMemory, ReportsAHostReadBesideAKernel) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const p = run.allocate_pinned(64);
    run.host_writes(p.base, 64);
    run.write(a, p);
    run.host_reads(p.base, 8);
    run.synchronize(a);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].memory.space, "pinned host");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 8}}));
  EXPECT_EQ(found[0].first.what, "kernel");
}

TEST(PinnedMemory, AcceptsHostAccessesBeforeTheLaunchAndAfterTheWait) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const p = run.allocate_pinned(64);
                run.host_writes(p.base, 64);
                run.kernel(a, {reads(p), writes(p)});
                run.synchronize(a);
                run.host_reads(p.base, 64);
                run.host_writes(p.base, 64);
              }),
              IsEmpty());
}

TEST(PinnedMemory, ReportsAnOverwriteOfACopysSource) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const p = run.allocate_pinned(64), x = run.allocate(64);
    run.host_writes(p.base, 64);
    run.copy(x, p, cudaMemcpyHostToDevice, a);
    run.host_writes(p.base, 4);
    run.synchronize(a);
  });
  EXPECT_THAT(kinds(found), ElementsAre("host-race"));
}

// ---- memory of the wrong kind
// --------------------------------------------------------------------------------

TEST(MemoryKinds,
     ReportsHostCodeInDeviceMemory) { // twin: HostRace.AcceptsAReadOfAPageableTargetAfterTheWait
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64, "field");
    run.host_reads(static_cast<char*>(x.base) + 4, 8);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-touches-device"));
  EXPECT_EQ(found[0].memory.name, "field");
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{4, 12}}));
}

TEST(MemoryKinds, ReportsAHostFunctionInDeviceMemory) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    static region x;
    x = run.allocate(64);
    ASSERT_EQ(cudaLaunchHostFunc(
                  a,
                  [](void*) {
                    access_range(reinterpret_cast<std::uintptr_t>(x.base), 4, access_kind::read,
                                 nullptr);
                  },
                  nullptr),
              cudaSuccess);
  });
  EXPECT_THAT(kinds(found), ElementsAre("host-touches-device"));
}

TEST(MemoryKinds, ReportsAKernelInPageableMemory) {
  std::vector<char> heap(64);
  auto const found = in_every_schedule([&](scripted_run& run) {
    run.write(run.add_stream("a"), {heap.data(), heap.size()});
  });
  ASSERT_THAT(kinds(found), ElementsAre("device-touches-host"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 64}}));
}

TEST(MemoryKinds, AcceptsAKernelInConstantDataAndPinnedMemory) {
  alignas(16) static char const constants[64] = {1, 2, 3};
  EXPECT_THAT(
      in_every_schedule([](scripted_run& run) {
        region const p = run.allocate_pinned(64);
        run.kernel(run.add_stream("a"), {reads({const_cast<char*>(constants), 64}), writes(p)});
      }),
      IsEmpty());
}

TEST(MemoryKinds, ReportsAKernelInTheProgramsVariables) { // twin: AcceptsAKernelInConstantData...
  auto const found = in_every_schedule([](scripted_run& run) {
    run.read(run.add_stream("a"), {pageable, 64});
  });
  ASSERT_THAT(kinds(found), ElementsAre("device-touches-host"));
  EXPECT_EQ(found[0].ranges, (std::vector<byte_range>{{0, 64}}));
}

TEST(MemoryKinds, ReportsACopyWhoseDirectionIsWrong) {
  auto const found = in_every_schedule([](scripted_run& run) {
    region const x = run.allocate(64);
    EXPECT_EQ(cudaMemcpy(x.base, pageable, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  });
  ASSERT_THAT(kinds(found), ElementsAre("wrong-copy-direction"));
  EXPECT_EQ(found[0].message,
            "'cudaMemcpy' is to copy device to host, but its target is device memory and its "
            "source is host memory");
}

TEST(MemoryKinds, AcceptsACopyWhoseDirectionFollowsFromItsAddresses) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                region const x = run.allocate(64);
                ASSERT_EQ(cudaMemcpy(x.base, pageable, 64, cudaMemcpyDefault), cudaSuccess);
                ASSERT_EQ(cudaMemcpy(pageable, x.base, 64, cudaMemcpyDefault), cudaSuccess);
              }),
              IsEmpty());
}

using MemoryKindsDeathTest = ::testing::Test;

TEST(MemoryKindsDeathTest, ReportsANullBaseAndEndsTheProcess) {
  auto const run_it = [] {
    scripted_run run;
    set_sink([](finding const& one) { std::fprintf(stderr, "%s\n", to_text(one).c_str()); });
    run.write(run.add_stream("a"), {reinterpret_cast<void*>(0x1000), 8});
  };
  EXPECT_EXIT(run_it(), ::testing::ExitedWithCode(bad_access_exit_code), "workspace-unset: .*null");
}

constexpr std::uintptr_t beyond_any_process = 0x9000'0000'0000;

TEST(MemoryKindsDeathTest, ReportsAnUnmappedAddressAndEndsTheProcess) {
  auto const run_it = [] {
    scripted_run run;
    set_sink([](finding const& one) { std::fprintf(stderr, "%s\n", to_text(one).c_str()); });
    run.write(run.add_stream("a"), {reinterpret_cast<void*>(beyond_any_process), 8});
  };
  EXPECT_EXIT(run_it(), ::testing::ExitedWithCode(bad_access_exit_code),
              "out-of-bounds: .*no memory");
}

} // namespace
} // namespace mockgpu::tests
