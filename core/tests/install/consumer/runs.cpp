// Copies on the runtime that the program is linked with.
#include <cstdio>

#include <assay/runtime_factory.hpp>

int main() {
  auto const gpu = assay::make_gpu_runtime();
  int in = 5, out = 0;
  void* const memory = gpu->allocate(sizeof in);
  gpu->copy_async(memory, &in, sizeof in, assay::copy_direction::host_to_device, {});
  gpu->copy_async(&out, memory, sizeof in, assay::copy_direction::device_to_host, {});
  gpu->synchronise({});
  gpu->release(memory);
  std::printf("%s %d\n", std::string(gpu->name()).c_str(), out);
}
