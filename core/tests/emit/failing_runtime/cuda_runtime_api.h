#pragma once
// A runtime that does nothing but count what is held and fail one call: the statuses of generated
// code are tested against it, call by call.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(threads)

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidConfiguration = 9, injected_failure = 700 };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice
};
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold = 4 };
using cudaStream_t = struct fake_stream*;
using cudaEvent_t = struct fake_event*;
using cudaMemPool_t = struct fake_pool*;
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
};
struct fake_index {
  unsigned x = 0, y = 0, z = 0;
};
inline fake_index const threadIdx{}, blockIdx{};
inline dim3 const gridDim{1, 1, 1};

inline int calls = 0, failing_call = 0, held = 0;
inline std::vector<std::string> after_failure;

// What ends something happens even where its status is a failure: it is that of earlier work.
inline cudaError_t status(char const* name, int change, bool ends) {
  ++calls;
  if (failing_call != 0 && calls > failing_call) after_failure.emplace_back(name);
  bool const fails = calls == failing_call;
  if (!fails || ends) held += change;
  return fails ? injected_failure : cudaSuccess;
}
template <class T> cudaError_t acquired(char const* name, T** out) {
  auto const result = status(name, 1, false);
  if (result == cudaSuccess) *out = reinterpret_cast<T*>(std::size_t{4096});
  return result;
}

inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return status("GetDeviceCount", 0, false);
}
inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return status("GetDevice", 0, false);
}
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) {
  return status("DeviceGetDefaultMemPool", 0, false);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return status("MemPoolSetAttribute", 0, false);
}
inline cudaError_t cudaMalloc(void** p, std::size_t) { return acquired("Malloc", p); }
inline cudaError_t cudaMallocHost(void** p, std::size_t) { return acquired("MallocHost", p); }
inline cudaError_t cudaMallocAsync(void** p, std::size_t, cudaStream_t) {
  return acquired("MallocAsync", p);
}
inline cudaError_t cudaFree(void*) { return status("Free", -1, true); }
inline cudaError_t cudaFreeHost(void*) { return status("FreeHost", -1, true); }
inline cudaError_t cudaFreeAsync(void*, cudaStream_t) { return status("FreeAsync", -1, true); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
  return acquired("StreamCreate", s);
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return status("StreamDestroy", -1, true); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
  return acquired("EventCreate", e);
}
inline cudaError_t cudaEventDestroy(cudaEvent_t) { return status("EventDestroy", -1, true); }
inline cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return status("EventRecord", 0, false);
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return status("StreamWaitEvent", 0, false);
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return status("StreamSynchronize", 0, true);
}
inline cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) {
  return status("MemsetAsync", 0, false);
}
inline cudaError_t cudaMemcpyAsync(void*, void const*, std::size_t, cudaMemcpyKind, cudaStream_t) {
  return status("MemcpyAsync", 0, false);
}
inline cudaError_t cudaMemcpy2DAsync(void*, std::size_t, void const*, std::size_t, std::size_t,
                                     std::size_t, cudaMemcpyKind, cudaStream_t) {
  return status("Memcpy2DAsync", 0, false);
}
inline cudaError_t cudaLaunchKernel(void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return status("LaunchKernel", 0, false);
}
