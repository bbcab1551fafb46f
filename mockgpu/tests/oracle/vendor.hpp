#pragma once
/// \file One test source for the C entry points of both vendors: GPU(Malloc) is cudaMalloc or
/// hipMalloc.
#ifdef MOCKGPU_TEST_HIP
#include "hip/hip_runtime_api.h"
#define GPU(name) hip##name
#else
#include "cuda_runtime_api.h"
#define GPU(name) cuda##name
#endif

namespace mockgpu::tests {

using gpu_error = GPU(Error_t);
using gpu_stream = GPU(Stream_t);
using gpu_event = GPU(Event_t);
using gpu_pool = GPU(MemPool_t);
using gpu_copy_kind = GPU(MemcpyKind);

// Errors whose names differ, by what both vendors' numbers say.
inline constexpr auto invalid_value = GPU(ErrorInvalidValue);
inline constexpr auto out_of_memory = static_cast<gpu_error>(2);
inline constexpr auto invalid_pitch = static_cast<gpu_error>(12);
inline constexpr auto invalid_copy_direction = static_cast<gpu_error>(21);
inline constexpr auto invalid_device = static_cast<gpu_error>(101);
inline constexpr auto invalid_handle = static_cast<gpu_error>(400);
/// What HIP says of a stream that is not there any more.
#ifdef MOCKGPU_TEST_HIP
inline constexpr auto gone = hipErrorContextIsDestroyed;
#else
inline constexpr auto gone = invalid_handle;
#endif

} // namespace mockgpu::tests
