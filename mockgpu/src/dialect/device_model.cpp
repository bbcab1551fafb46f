#include "dialect/device_model.hpp"

namespace mockgpu {
namespace {

constexpr std::size_t kib = 1024;
// Few: every thread of a cooperative grid that fits waits on a stack of its own
// (kernel/stacks.cpp), and programs that size their grids by the device have no more blocks than
// that.
constexpr int multiprocessors = 8;

constexpr device_model cuda_model = {.name = "mockgpu",
                                     .architecture = "",
                                     .major = 9,
                                     .minor = 0,
                                     .warp_size = 32,
                                     .multiprocessors = multiprocessors,
                                     .max_threads_per_block = 1024,
                                     .max_block = {1024, 1024, 64},
                                     .max_grid = {0x7FFFFFFF, 65535, 65535},
                                     .max_threads_per_multiprocessor = 2048,
                                     .max_blocks_per_multiprocessor = 32,
                                     .registers_per_block = 65536,
                                     .shared_per_block = 48 * kib,
                                     .shared_per_block_optin = 227 * kib,
                                     .shared_per_multiprocessor = 228 * kib,
                                     .reserved_shared_per_block = kib,
                                     .constant_bytes = 64 * kib,
                                     .l2_bytes = 50 << 20,
                                     .memory_bus_bits = 5120,
                                     .clock_khz = 1'980'000,
                                     .memory_clock_khz = 2'619'000,
                                     .async_engines = 3,
                                     .least_priority = 0,
                                     .greatest_priority = -5,
                                     .pitch_bytes = 512};

constexpr device_model hip_model = {.name = "mockgpu",
                                    .architecture = "gfx90a",
                                    .major = 9,
                                    .minor = 0,
                                    .warp_size = 64,
                                    .multiprocessors = multiprocessors,
                                    .max_threads_per_block = 1024,
                                    .max_block = {1024, 1024, 1024},
                                    .max_grid = {0x7FFFFFFF, 65536, 65536},
                                    .max_threads_per_multiprocessor = 2048,
                                    .max_blocks_per_multiprocessor = 32,
                                    .registers_per_block = 65536,
                                    .shared_per_block = 64 * kib,
                                    .shared_per_block_optin = 64 * kib,
                                    .shared_per_multiprocessor = 64 * kib,
                                    .reserved_shared_per_block = 0,
                                    .constant_bytes = 0x7FFFFFFF,
                                    .l2_bytes = 8 << 20,
                                    .memory_bus_bits = 4096,
                                    .clock_khz = 1'700'000,
                                    .memory_clock_khz = 1'600'000,
                                    .async_engines = 8,
                                    .least_priority = 1,
                                    .greatest_priority = -1,
                                    .pitch_bytes = 256};

} // namespace

device_model const& cuda_device() noexcept { return cuda_model; }
device_model const& hip_device() noexcept { return hip_model; }

} // namespace mockgpu
