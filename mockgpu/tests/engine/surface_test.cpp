// Calls that few programs need and some do: statuses and effects.
#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "cuda_profiler_api.h"
#include "hip/hip_runtime_api.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

options with_dialect(char const* name) {
  options chosen;
  chosen.dialect = name;
  return chosen;
}

TEST(Boxes, CopyTheirRowsAndNothingElse) {
  scripted_run run;
  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMalloc3D(&box, cudaExtent{10, 4, 3}), cudaSuccess);
  EXPECT_EQ(box.pitch, 512u);
  ASSERT_EQ(cudaMemset3D(box, 7, cudaExtent{10, 4, 3}), cudaSuccess);
  std::vector<char> host(10 * 4 * 3, 0);
  cudaMemcpy3DParms what{};
  what.srcPtr = box;
  what.srcPos = {2, 1, 1};
  what.dstPtr = {host.data(), 10, 10, 4};
  what.extent = {5, 2, 2};
  what.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&what), cudaSuccess);
  for (std::size_t i = 0; i < host.size(); ++i) {
    bool const inside = i % 10 < 5 && i / 10 % 4 < 2 && i / 40 < 2;
    EXPECT_EQ(host[i], inside ? 7 : 0) << i;
  }
  what.extent.width = 600; // wider than a row of the target
  EXPECT_EQ(cudaMemcpy3D(&what), cudaErrorInvalidPitchValue);
  EXPECT_THAT(run.finish(), IsEmpty());
}

TEST(Boxes, ReportAHostReadBeforeTheWait) { // twin: CopyTheirRowsAndNothingElse
  static char host[2][3][8];
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const s = run.add_stream("s");
    region const x = run.allocate(2 * 3 * 8);
    cudaMemcpy3DParms what{};
    what.srcPtr = {x.base, 8, 8, 3};
    what.dstPtr = {host, 8, 8, 3};
    what.extent = {4, 3, 2};
    what.kind = cudaMemcpyDeviceToHost;
    EXPECT_EQ(cudaMemcpy3DAsync(&what, s), cudaSuccess);
    run.host_reads(&host[1][2][4], 4); // beside the rows
    run.host_reads(&host[1][2][0], 4);
    run.synchronize(s);
  });
  EXPECT_THAT(kinds(found), ElementsAre("host-race"));
}

TEST(RegisteredMemory, IsPinnedWhileItIsRegistered) {
  scripted_run run;
  static char memory[4096];
  cudaPointerAttributes facts{};
  EXPECT_EQ(cudaPointerGetAttributes(&facts, memory), cudaSuccess);
  EXPECT_EQ(facts.type, cudaMemoryTypeUnregistered);
  ASSERT_EQ(cudaHostRegister(memory, sizeof memory, cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(memory + 100, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaPointerGetAttributes(&facts, memory + 100), cudaSuccess);
  EXPECT_EQ(facts.type, cudaMemoryTypeHost);
  unsigned flags = 0;
  EXPECT_EQ(cudaHostGetFlags(&flags, memory), cudaSuccess);
  EXPECT_EQ(flags, unsigned(cudaHostRegisterMapped));
  void* device = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&device, memory, 0), cudaSuccess);
  EXPECT_EQ(device, memory);
  EXPECT_EQ(cudaHostUnregister(memory), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(memory), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, memory, 0), cudaErrorInvalidValue);
}

TEST(RegisteredMemory, AcceptsKernelsAndAHostThatWaits) { // twin: ReportsAKernelAfterItsEnd
  static int memory[16];
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                ASSERT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaSuccess);
                auto const s = run.add_stream("s");
                run.write(s, {memory, sizeof memory});
                run.synchronize(s);
                run.host_reads(memory, sizeof memory);
                ASSERT_EQ(cudaHostUnregister(memory), cudaSuccess);
              }),
              IsEmpty());
}

TEST(RegisteredMemory, ReportsAHostReadOfACopysTargetBeforeTheWait) {
  static int memory[16];
  auto const found = in_every_schedule([](scripted_run& run) {
    ASSERT_EQ(cudaHostRegister(memory, sizeof memory, 0), cudaSuccess);
    auto const s = run.add_stream("s");
    run.copy({memory, 64}, run.allocate(64), cudaMemcpyDeviceToHost, s);
    run.host_reads(memory, 4);
    run.synchronize(s);
    ASSERT_EQ(cudaHostUnregister(memory), cudaSuccess);
  });
  EXPECT_THAT(kinds(found), ElementsAre("host-race"));
}

TEST(ManagedMemory, AcceptsBothSidesInTheOrderOfWaits) { // twin: ReportsAHostReadBesideAKernel
  RecordProperty("rule", "managed-as-pinned");
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                void* memory = nullptr;
                ASSERT_EQ(cudaMallocManaged(&memory, 64, cudaMemAttachGlobal), cudaSuccess);
                cudaPointerAttributes facts{};
                EXPECT_EQ(cudaPointerGetAttributes(&facts, memory), cudaSuccess);
                EXPECT_EQ(facts.type, cudaMemoryTypeManaged);
                run.host_writes(memory, 64);
                EXPECT_EQ(cudaMemPrefetchAsync(memory, 64, 0, nullptr), cudaSuccess);
                auto const s = run.add_stream("s");
                run.write(s, {memory, 64});
                run.synchronize(s);
                run.host_reads(memory, 64);
                EXPECT_EQ(cudaFreeHost(memory), cudaErrorInvalidValue);
                EXPECT_EQ(cudaFree(memory), cudaSuccess);
              }).size(),
              1u); // the wrong kind of free
}

TEST(ManagedMemory, ReportsAHostReadBesideAKernel) {
  RecordProperty("rule", "managed-as-pinned");
  auto const found = in_every_schedule([](scripted_run& run) {
    void* memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(&memory, 64, cudaMemAttachGlobal), cudaSuccess);
    run.host_writes(memory, 64);
    auto const s = run.add_stream("s");
    run.write(s, {memory, 64});
    EXPECT_EQ(cudaMemPrefetchAsync(memory, 64, cudaCpuDeviceId, s), cudaSuccess); // no wait
    run.host_reads(memory, 4);
    run.synchronize(s);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("host-race"));
  EXPECT_EQ(found[0].memory.space, "managed");
}

// twin: ReportsAnotherPointerThanTheOneHandedBack
TEST(ManagedMemory, IsDefinedWhereACallHandsSomethingBack) {
  auto const found = in_every_schedule([](scripted_run& run) {
    void** pointers = nullptr;
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&pointers), 4 * sizeof(void*),
                                cudaMemAttachGlobal),
              cudaSuccess);
    EXPECT_EQ(cudaMalloc(&pointers[0], 16), cudaSuccess);
    EXPECT_EQ(cudaMallocHost(&pointers[1], 16), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(reinterpret_cast<cudaStream_t*>(&pointers[2])), cudaSuccess);
    EXPECT_EQ(cudaGetDevice(reinterpret_cast<int*>(&pointers[3])), cudaSuccess);
    run.host_reads(pointers, 3 * sizeof(void*) + sizeof(int));
    EXPECT_EQ(cudaStreamDestroy(static_cast<cudaStream_t>(pointers[2])), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(pointers[1]), cudaSuccess);
    EXPECT_EQ(cudaFree(pointers[0]), cudaSuccess);
    EXPECT_EQ(cudaFree(pointers), cudaSuccess);
  });
  EXPECT_THAT(kinds(found), IsEmpty());
}

TEST(ManagedMemory, ReportsAnotherPointerThanTheOneHandedBack) {
  auto const found = in_every_schedule([](scripted_run& run) {
    void** pointers = nullptr;
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&pointers), 2 * sizeof(void*),
                                cudaMemAttachGlobal),
              cudaSuccess);
    EXPECT_EQ(cudaMalloc(&pointers[0], 16), cudaSuccess);
    run.host_reads(pointers, 2 * sizeof(void*));
    EXPECT_EQ(cudaFree(pointers[0]), cudaSuccess);
    EXPECT_EQ(cudaFree(pointers), cudaSuccess);
  });
  ASSERT_THAT(kinds(found), ElementsAre("undefined-read"));
  EXPECT_EQ(found[0].byte_begin, std::int64_t(sizeof(void*)));
}

TEST(Symbols, AreCopiedToAndFrom) {
  scripted_run run;
  static int variable[4];
  int source[4] = {1, 2, 3, 4}, target[2] = {};
  EXPECT_EQ(cudaMemcpyToSymbol(variable, source, sizeof source, 0, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyFromSymbol(target, variable, 8, 8, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(target[0], 3);
  EXPECT_EQ(target[1], 4);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, variable), cudaSuccess);
  EXPECT_EQ(address, variable);
  EXPECT_EQ(cudaMemcpyToSymbol(nullptr, source, 4, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(variable, source, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
}

TEST(Devices, TellTheirLimits) {
  scripted_run run;
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_STREQ(p.name, "mockgpu");
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0),
            cudaSuccess);
  EXPECT_EQ(std::size_t(value), p.sharedMemPerBlockOptin);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(7777), 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1), cudaErrorInvalidDevice);
  char text[16];
  EXPECT_EQ(cudaDeviceGetPCIBusId(text, sizeof text, 0), cudaSuccess);
  int device = -1;
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, text), cudaSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&device, "0000:99:00.0"), cudaErrorInvalidDevice);
}

TEST(Devices, KeepLimitsAndFlags) {
  scripted_run run;
  std::size_t value = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, 1u << 20);
  EXPECT_EQ(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)), cudaErrorUnsupportedLimit);
  unsigned flags = 1;
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned(cudaDeviceScheduleBlockingSync));
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield),
            cudaErrorInvalidValue);
}

TEST(Devices, EnableAccessToEachOtherOnce) {
  options two;
  two.device_count = 2;
  scripted_run run(two);
  int can = 0;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can, 0, 0), cudaSuccess);
  EXPECT_EQ(can, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

TEST(Kernels, HaveAsMuchDynamicSharedMemoryAsTheyAskedFor) {
  scripted_run run;
  mockgpu_launch launch{};
  launch.entry_point = "cudaLaunchKernel";
  launch.text = "k";
  launch.entry = +[] {};
  launch.run_block = +[](void (*)(), void*) {};
  for (int axis = 0; axis < 3; ++axis) launch.grid[axis] = launch.block[axis] = 1;
  launch.shared_bytes = 100 << 10;
  EXPECT_EQ(mockgpu_launch_kernel(&launch), int(cudaErrorInvalidValue));
  auto const* const kernel = reinterpret_cast<void const*>(launch.entry);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 300 << 10),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10),
            cudaSuccess);
  EXPECT_EQ(mockgpu_launch_kernel(&launch), int(cudaSuccess));
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0), cudaSuccess);
  EXPECT_EQ(blocks, 8); // by threads
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 100 << 10),
            cudaSuccess);
  EXPECT_EQ(blocks, 2); // by shared memory
}

TEST(Events, RefuseFlagsThatDoNotExist) {
  scripted_run run;
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&event, 0x10), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming),
            cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(event, nullptr, cudaEventRecordExternal),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, event, 8), cudaErrorInvalidValue);
}

TEST(Events, ReleaseHipsCachesToOneScope) {
  scripted_run run(with_dialect("hip-6"));
  hipEvent_t event = nullptr;
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventReleaseToDevice | hipEventReleaseToSystem),
            hipErrorInvalidValue);
  EXPECT_EQ(hipEventCreateWithFlags(&event, hipEventReleaseToSystem), hipSuccess);
}

TEST(Streams, HavePrioritiesInTheDevicesRange) {
  scripted_run run;
  int least = 1, greatest = 1, priority = 1;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_EQ(least, 0);
  EXPECT_EQ(greatest, -5);
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100), cudaSuccess);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest);
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, 2), cudaErrorInvalidValue);
}

TEST(Hip, FillsByElements) {
  scripted_run run(with_dialect("hip-6"));
  region const x = run.allocate(16);
  EXPECT_EQ(hipMemsetD32(x.base, 0x01020304, 4), hipSuccess);
  unsigned host[4] = {};
  EXPECT_EQ(hipMemcpyDtoH(host, x.base, 16), hipSuccess);
  for (unsigned const value : host) EXPECT_EQ(value, 0x01020304u);
}

TEST(Hip, TakesAStreamWithAMaskOfUnitsForAnyOther) {
  scripted_run run(with_dialect("hip-6"));
  hipStream_t stream = nullptr;
  unsigned const mask[2] = {0xFF, 0};
  EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 0, mask), hipErrorInvalidValue);
  EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 2, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipExtStreamCreateWithCUMask(&stream, 2, mask), hipSuccess);
  unsigned flags = 1;
  EXPECT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
  EXPECT_EQ(flags, hipStreamDefault);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST(ManagedMemory, IsAttachedToAStreamAsAWhole) {
  scripted_run run;
  constexpr std::size_t size_bytes = 4096;
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, size_bytes, cudaMemAttachGlobal), cudaSuccess);
  auto const cuda = [&](void* pointer, std::size_t bytes, unsigned flags) {
    return cudaStreamAttachMemAsync(nullptr, pointer, bytes, flags);
  };
  auto const hip = [&](void* pointer, std::size_t bytes, unsigned flags) {
    return hipStreamAttachMemAsync(nullptr, pointer, bytes, flags);
  };
  EXPECT_EQ(cuda(managed, 0, cudaMemAttachHost), cudaSuccess);
  EXPECT_EQ(cuda(managed, size_bytes, cudaMemAttachSingle), cudaSuccess);
  EXPECT_EQ(cuda(managed, size_bytes / 2, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQ(cuda(managed, size_bytes, 3), cudaErrorInvalidValue);
  EXPECT_EQ(hip(managed, size_bytes, hipMemAttachSingle), hipSuccess);
  EXPECT_EQ(hip(managed, size_bytes + 1, hipMemAttachSingle), hipErrorInvalidValue);
  void* plain = nullptr;
  ASSERT_EQ(cudaMalloc(&plain, size_bytes), cudaSuccess);
  EXPECT_EQ(cuda(plain, size_bytes, cudaMemAttachSingle), cudaErrorInvalidValue);
  EXPECT_EQ(hip(plain, size_bytes, hipMemAttachSingle), hipErrorInvalidValue);
  EXPECT_EQ(cudaFree(plain), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_TRUE(run.finish().empty());
}

TEST(HipMemory, WithFlagsIsMemoryOfTheDevice) {
  scripted_run run;
  void* made = nullptr;
  for (unsigned const flags :
       {hipDeviceMallocDefault, hipDeviceMallocFinegrained, hipDeviceMallocUncached}) {
    ASSERT_EQ(hipExtMallocWithFlags(&made, 64, flags), hipSuccess);
    EXPECT_EQ(hipFree(made), hipSuccess);
  }
  EXPECT_EQ(hipExtMallocWithFlags(&made, 64, 0x80), hipErrorInvalidValue);
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(hipExtMallocWithFlags(&made, 8, hipMallocSignalMemory), hipErrorNotSupported);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mockgpu: error: hipExtMallocWithFlags is not supported\n");
}

TEST(Unsupported, SaysWhichCall) {
  scripted_run run;
  cudaGraph_t graph = nullptr;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaErrorNotSupported);
  EXPECT_EQ(hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal), hipErrorNotSupported);
  hipModule_t module = nullptr;
  EXPECT_EQ(hipModuleLoad(&module, "code.hsaco"), hipErrorNotSupported);
  EXPECT_EQ(hipStreamWaitValue32(nullptr, nullptr, 1, hipStreamWaitValueEq), hipErrorNotSupported);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "mockgpu: error: cudaGraphCreate is not supported\n"
            "mockgpu: error: hipStreamBeginCapture is not supported\n"
            "mockgpu: error: hipModuleLoad is not supported\n"
            "mockgpu: error: hipStreamWaitValue32 is not supported\n");
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

TEST(Errors, HaveNamesAndWordsForEveryCode) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorCooperativeLaunchTooLarge),
               "cudaErrorCooperativeLaunchTooLarge");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(12345)), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(Errors, TellHipsDriverInterfaceWhichNumbersAreNone) {
  char const* text = nullptr;
  EXPECT_EQ(hipDrvGetErrorName(hipErrorOutOfMemory, &text), hipSuccess);
  EXPECT_STREQ(text, "hipErrorOutOfMemory");
  EXPECT_EQ(hipDrvGetErrorString(hipErrorInvalidValue, &text), hipSuccess);
  EXPECT_STREQ(text, "invalid argument");
  EXPECT_EQ(hipDrvGetErrorName(static_cast<hipError_t>(12345), &text), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGetErrorString(static_cast<hipError_t>(12345), &text), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGetErrorName(hipErrorInvalidValue, nullptr), hipErrorInvalidValue);
  EXPECT_STREQ(text, "invalid argument");
}

} // namespace
} // namespace mockgpu::tests
