// What kernels ask of the engine.
#include "device/process.hpp"
#include "mockgpu/abi.h"

extern "C" {

void* mockgpu_heap_allocate(size_t size_bytes) {
  mockgpu::engine* const on = mockgpu::existing_engine();
  return on != nullptr ? on->heap_allocate(size_bytes) : nullptr;
}

void mockgpu_heap_free(void* memory) {
  if (mockgpu::engine* const on = mockgpu::existing_engine()) on->heap_free(memory);
}
}
