#include "emit/dialect.hpp"

namespace assay::emission {
namespace {

constexpr dialect cuda{
    .prefix = "cuda",
    .host_include = "cuda_runtime_api.h",
    .device_include = "cuda_runtime.h",
    .device_folder = "src/cuda/",
    .device_suffix = "_cuda.cu",
    .malloc_pinned = "cudaMallocHost",
    .free_pinned = "cudaFreeHost",
};
constexpr dialect hip{
    .prefix = "hip",
    .host_include = "hip/hip_runtime_api.h",
    .device_include = "hip/hip_runtime.h",
    .device_folder = "src/cuda/hip/",
    .device_suffix = "_cuda.cpp",
    .malloc_pinned = "hipHostMalloc",
    .free_pinned = "hipHostFree",
};

} // namespace

dialect const* dialect_of(target which) noexcept {
  switch (which) {
  case target::cuda:
    return &cuda;
  case target::hip:
    return &hip;
  case target::cpu:
    break;
  }
  return nullptr;
}

} // namespace assay::emission
