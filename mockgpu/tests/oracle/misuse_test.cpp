// Wrong calls between right ones: each gives the error that the vendors document, none crashes, and
// the program goes on as if it had not been made.
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "mockgpu/control.hpp"
#include "vendor.hpp"

namespace mockgpu::tests {
namespace {

constexpr std::size_t block_bytes = 64;

/// What a wrong call can get hold of.
struct surroundings {
  gpu_stream stream = nullptr, destroyed_stream = nullptr;
  gpu_event event = nullptr, untimed_event = nullptr, destroyed_event = nullptr;
  gpu_pool pool = nullptr, destroyed_pool = nullptr;
  char *device = nullptr, *freed = nullptr, *pinned = nullptr, *of_pool = nullptr;
  char pageable[block_bytes] = {};

  surroundings() {
    require(GPU(StreamCreate)(&stream));
    require(GPU(StreamCreate)(&destroyed_stream));
    require(GPU(StreamDestroy)(destroyed_stream));
    require(GPU(EventCreateWithFlags)(&event, 0));
    require(GPU(EventCreateWithFlags)(&untimed_event, 2));
    require(GPU(EventCreateWithFlags)(&destroyed_event, 0));
    require(GPU(EventDestroy)(destroyed_event));
    require(GPU(DeviceGetDefaultMemPool)(&pool, 0));
    require(GPU(Malloc)(reinterpret_cast<void**>(&device), block_bytes));
    require(GPU(Malloc)(reinterpret_cast<void**>(&freed), block_bytes));
    require(GPU(Free)(freed));
    require(allocate_pinned(reinterpret_cast<void**>(&pinned), block_bytes));
    require(GPU(MallocAsync)(reinterpret_cast<void**>(&of_pool), block_bytes, stream));
    require(GPU(StreamSynchronize)(stream));
  }

  static void require(gpu_error result) { EXPECT_EQ(result, GPU(Success)); }
  static gpu_error allocate_pinned(void** pointer, std::size_t size_bytes) {
#ifdef MOCKGPU_TEST_HIP
    return hipHostMalloc(pointer, size_bytes, 0);
#else
    return cudaMallocHost(pointer, size_bytes);
#endif
  }
  static gpu_error free_pinned(void* pointer) {
#ifdef MOCKGPU_TEST_HIP
    return hipHostFree(pointer);
#else
    return cudaFreeHost(pointer);
#endif
  }
  gpu_stream no_stream() const { return reinterpret_cast<gpu_stream>(std::uintptr_t{0x5A5A5A50}); }
  gpu_event no_event() const { return reinterpret_cast<gpu_event>(std::uintptr_t{0x5A5A5A50}); }
  gpu_stream event_as_stream() const { return reinterpret_cast<gpu_stream>(event); }
  gpu_event stream_as_event() const { return reinterpret_cast<gpu_event>(stream); }
};

struct wrong_call {
  char const* text;
  gpu_error documented;
  std::function<gpu_error(surroundings&)> make;
};

#define WRONG(error, ...)                                                                          \
  wrong_call {                                                                                     \
#__VA_ARGS__, error, []([[maybe_unused]] surroundings & s) { return __VA_ARGS__; }             \
  }

std::vector<wrong_call> const& wrong_calls() {
  static float milliseconds;
  static int number;
  static unsigned flags;
  static void* pointer;
  static gpu_stream stream;
  static gpu_event event;
  static gpu_pool pool;
  static std::uint64_t const one = 1;
  constexpr auto to_device = GPU(MemcpyHostToDevice), to_host = GPU(MemcpyDeviceToHost);
  constexpr auto no_kind = static_cast<gpu_copy_kind>(42);
  constexpr std::size_t huge = SIZE_MAX;
  static std::vector<wrong_call> const all = {
      // No place for the result.
      WRONG(invalid_value, GPU(GetDeviceCount)(nullptr)),
      WRONG(invalid_value, GPU(GetDevice)(nullptr)), WRONG(invalid_value, GPU(Malloc)(nullptr, 8)),
      WRONG(invalid_value, surroundings::allocate_pinned(nullptr, 8)),
      WRONG(invalid_value, GPU(MallocAsync)(nullptr, 8, s.stream)),
      WRONG(invalid_value, GPU(StreamCreate)(nullptr)),
      WRONG(invalid_value, GPU(StreamCreateWithFlags)(nullptr, 0)),
      WRONG(invalid_value, GPU(EventCreateWithFlags)(nullptr, 0)),
      WRONG(invalid_value, GPU(StreamGetFlags)(s.stream, nullptr)),
      WRONG(invalid_value, GPU(EventElapsedTime)(nullptr, s.event, s.event)),
      WRONG(invalid_value, GPU(DeviceGetDefaultMemPool)(nullptr, 0)),
      // Devices that are not there.
      WRONG(invalid_device, GPU(SetDevice)(-1)), WRONG(invalid_device, GPU(SetDevice)(2)),
      WRONG(invalid_device, GPU(SetDevice)(INT32_MAX)),
      WRONG(invalid_device, GPU(DeviceGetDefaultMemPool)(&pool, 7)),
      // Flags and kinds that are not there.
      WRONG(invalid_value, GPU(StreamCreateWithFlags)(&stream, 0xBAD)),
      WRONG(invalid_value, GPU(EventCreateWithFlags)(&event, 0xBAD00)),
      WRONG(invalid_copy_direction, GPU(Memcpy)(s.device, s.pageable, 8, no_kind)),
      WRONG(invalid_copy_direction, GPU(MemcpyAsync)(s.device, s.pageable, 8, no_kind, s.stream)),
      // Streams.
      WRONG(gone, GPU(StreamSynchronize)(s.destroyed_stream)),
      WRONG(gone, GPU(StreamSynchronize)(s.no_stream())),
      WRONG(gone, GPU(StreamSynchronize)(s.event_as_stream())),
      WRONG(gone, GPU(StreamQuery)(s.destroyed_stream)),
      WRONG(gone, GPU(StreamDestroy)(s.destroyed_stream)),
      WRONG(gone, GPU(StreamDestroy)(s.no_stream())),
      WRONG(gone, GPU(StreamGetFlags)(s.no_stream(), &flags)),
      WRONG(gone, GPU(StreamGetPriority)(s.destroyed_stream, &number)),
      WRONG(invalid_handle, GPU(StreamWaitEvent)(s.destroyed_stream, s.event, 0)),
      WRONG(gone, GPU(MemsetAsync)(s.device, 0, 8, s.destroyed_stream)),
      WRONG(gone, GPU(MemcpyAsync)(s.device, s.pinned, 8, to_device, s.no_stream())),
      WRONG(gone, GPU(MallocAsync)(&pointer, 8, s.destroyed_stream)),
      WRONG(gone, GPU(FreeAsync)(s.of_pool, s.destroyed_stream)),
      WRONG(gone, GPU(LaunchHostFunc)(
                                s.no_stream(), [](void*) {}, nullptr)),
      WRONG(invalid_value, GPU(LaunchHostFunc)(s.stream, nullptr, nullptr)),
      WRONG(invalid_value, GPU(StreamAddCallback)(s.stream, nullptr, nullptr, 0)),
      // Events.
      WRONG(invalid_handle, GPU(EventRecord)(s.destroyed_event, s.stream)),
      WRONG(invalid_handle, GPU(EventRecord)(nullptr, s.stream)),
      WRONG(gone, GPU(EventRecord)(s.event, s.destroyed_stream)),
      WRONG(invalid_handle, GPU(EventRecord)(s.stream_as_event(), s.stream)),
      WRONG(invalid_handle, GPU(EventSynchronize)(nullptr)),
      WRONG(invalid_handle, GPU(EventSynchronize)(s.destroyed_event)),
      WRONG(invalid_handle, GPU(EventQuery)(nullptr)),
      WRONG(invalid_handle, GPU(EventQuery)(s.no_event())),
      WRONG(gone, GPU(EventDestroy)(s.destroyed_event)),
      WRONG(invalid_handle, GPU(EventDestroy)(nullptr)),
      WRONG(invalid_handle, GPU(StreamWaitEvent)(s.stream, nullptr, 0)),
      WRONG(invalid_handle, GPU(StreamWaitEvent)(s.stream, s.destroyed_event, 0)),
      WRONG(invalid_handle, GPU(EventElapsedTime)(&milliseconds, s.event, s.destroyed_event)),
      WRONG(invalid_handle, GPU(EventElapsedTime)(&milliseconds, nullptr, s.event)),
      WRONG(invalid_handle, GPU(EventElapsedTime)(&milliseconds, s.untimed_event, s.event)),
      WRONG(invalid_handle, GPU(EventElapsedTime)(&milliseconds, s.event, s.event)), // no record
      // Sizes that cannot be.
      WRONG(out_of_memory, GPU(Malloc)(&pointer, huge)),
      WRONG(out_of_memory, GPU(Malloc)(&pointer, huge - 4096)),
      WRONG(out_of_memory, GPU(Malloc)(&pointer, std::size_t{1} << 62)),
      WRONG(out_of_memory, GPU(MallocAsync)(&pointer, huge, s.stream)),
      WRONG(out_of_memory, surroundings::allocate_pinned(&pointer, huge)),
      WRONG(invalid_value, GPU(Memcpy)(s.device, s.pageable, huge, to_device)),
      WRONG(invalid_value, GPU(Memcpy)(s.pageable, s.device, std::size_t{1} << 60, to_host)),
      WRONG(invalid_value, GPU(MemcpyAsync)(s.device, s.pinned, huge, to_device, s.stream)),
      WRONG(invalid_value, GPU(Memset)(s.device, 0, huge)),
      WRONG(invalid_value, GPU(MemsetAsync)(s.device, 0, huge, s.stream)),
      WRONG(invalid_pitch, GPU(Memcpy2D)(s.device, 8, s.pageable, 16, 16, 2, to_device)),
      WRONG(invalid_pitch,
            GPU(Memcpy2DAsync)(s.device, 16, s.pinned, 8, 16, 2, to_device, s.stream)),
      // Memory.
      WRONG(invalid_value, GPU(Memcpy)(nullptr, s.pageable, 8, to_device)),
      WRONG(invalid_value, GPU(Memcpy)(s.device, nullptr, 8, to_device)),
      WRONG(invalid_value, GPU(MemcpyAsync)(nullptr, s.pinned, 8, to_device, s.stream)),
      WRONG(invalid_value, GPU(Memset)(nullptr, 0, 8)),
      WRONG(invalid_value, GPU(MemsetAsync)(nullptr, 0, 8, s.stream)),
      WRONG(invalid_value, GPU(Memset)(s.pageable, 0, 8)), WRONG(invalid_value, GPU(Free)(s.freed)),
      WRONG(invalid_value, GPU(Free)(s.device + 8)), WRONG(invalid_value, GPU(Free)(s.pageable)),
      WRONG(invalid_value, surroundings::free_pinned(s.device)),
      WRONG(invalid_value, surroundings::free_pinned(s.pageable)),
      WRONG(invalid_value, GPU(FreeAsync)(s.freed, s.stream)),
      WRONG(invalid_value, GPU(FreeAsync)(s.pageable, s.stream)),
      // Pools.
      WRONG(invalid_value, GPU(MallocFromPoolAsync)(&pointer, 8, nullptr, s.stream)),
      WRONG(invalid_value, GPU(MemPoolSetAttribute)(s.pool, static_cast<GPU(MemPoolAttr)>(99),
                                                    const_cast<std::uint64_t*>(&one))),
      WRONG(invalid_value, GPU(MemPoolSetAttribute)(s.pool, GPU(MemPoolAttrUsedMemHigh),
                                                    const_cast<std::uint64_t*>(&one))),
      WRONG(invalid_value,
            GPU(MemPoolGetAttribute)(s.pool, GPU(MemPoolAttrUsedMemCurrent), nullptr)),
      WRONG(invalid_value, GPU(MemPoolDestroy)(s.pool)), // the default pool
  };
  return all;
}

/// A right program between the wrong calls: its bytes arrive.
void round_trip(surroundings& s, int value) {
  char result[block_bytes] = {};
  EXPECT_EQ(GPU(MemsetAsync)(s.device, value, block_bytes, s.stream), GPU(Success));
  EXPECT_EQ(GPU(MemcpyAsync)(result, s.device, block_bytes, GPU(MemcpyDeviceToHost), s.stream),
            GPU(Success));
  EXPECT_EQ(GPU(StreamSynchronize)(s.stream), GPU(Success));
  for (char const byte : result) EXPECT_EQ(byte, char(value));
}

options chosen_options(schedule_kind kind, std::uint64_t seed) {
  options chosen;
#ifdef MOCKGPU_TEST_HIP
  chosen.dialect = "hip-7";
#endif
  chosen.schedule = kind;
  chosen.seed = seed;
  chosen.device_count = 2;
  return chosen;
}

TEST(Misuse, EveryWrongCallGivesTheDocumentedError) {
  set_sink([](finding const&) {});
  for (schedule_kind const kind : {schedule_kind::eager, schedule_kind::lazy}) {
    reset(chosen_options(kind, 1));
    surroundings s;
    for (wrong_call const& one : wrong_calls()) {
      EXPECT_EQ(one.make(s), one.documented) << one.text;
      EXPECT_EQ(GPU(PeekAtLastError)(), one.documented) << one.text;
      EXPECT_EQ(GPU(GetLastError)(), one.documented) << one.text;
      EXPECT_EQ(GPU(GetLastError)(), GPU(Success)) << one.text;
    }
    round_trip(s, 7);
    static_cast<void>(finish());
  }
}

TEST(Misuse, RandomSequencesOfWrongCallsDisturbNothing) {
  set_sink([](finding const&) {});
  int wrong = 0;
  setenv("RC_PARAMS", "seed=7 max_success=300", 0);
  EXPECT_TRUE(rc::check("wrong calls disturb nothing", [&wrong] {
    auto const choices = *rc::gen::resize(
        100, rc::gen::container<std::vector<std::size_t>>(rc::gen::resize(
                 rc::kNominalSize, rc::gen::inRange<std::size_t>(0, wrong_calls().size() + 10))));
    auto const seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    auto const kind = *rc::gen::element(schedule_kind::eager, schedule_kind::lazy,
                                        schedule_kind::random, schedule_kind::pct);
    reset(chosen_options(kind, seed));
    surroundings s;
    int value = 0;
    for (std::size_t const choice : choices) {
      if (choice >= wrong_calls().size()) {
        round_trip(s, ++value);
        continue;
      }
      wrong_call const& one = wrong_calls()[choice];
      gpu_error const result = one.make(s);
      RC_LOG(one.text);
      RC_ASSERT(result == one.documented);
      ++wrong;
    }
    round_trip(s, 99);
    for (finding const& one : finish())
      RC_ASSERT(one.kind == "invalid-handle" || one.kind == "double-free" || one.kind == "leak" ||
                one.kind == "wrong-copy-direction" || one.kind == "out-of-bounds");
  }));
  std::cout << wrong << " wrong calls\n";
  EXPECT_GE(wrong, 5000);
}

} // namespace
} // namespace mockgpu::tests
