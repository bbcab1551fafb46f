// One text, built three ways: without hooks, by mockgpu-nvcc, and with -fsanitize=thread. The loop
// over threads is the shim's in all three, so the difference is what looks at the accesses.
#include <cuda_runtime.h>

#include "kernels.hpp"

namespace bench::BENCH_WAY {
namespace {

constexpr int sums = 32; // elements of one thread of the reduction

template <class T> __global__ void stencil(T* target, T const* source, int side) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  int const j = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (i < 1 || j < 1 || i >= side - 1 || j >= side - 1) return;
  int const at = j * side + i;
  target[at] = T(0.2) * (source[at] + source[at - 1] + source[at + 1] + source[at - side] +
                         source[at + side]);
}

template <class T> __global__ void axpy(T* target, T const* source, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) target[i] += T(0.5) * source[i];
}

template <class T>
__global__ void gather(T* target, T const* source, int const* indices, int count) {
  int const i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) target[i] = source[indices[i]];
}

/// Each thread sums what lies a block's width apart, and adds its sum to the total.
template <class T> __global__ void reduction(T* target, T const* source, int count) {
  int const first =
      static_cast<int>(blockIdx.x * blockDim.x) * sums + static_cast<int>(threadIdx.x);
  T sum = 0;
  for (int k = 0; k < sums; ++k) {
    int const i = first + k * static_cast<int>(blockDim.x);
    if (i < count) sum += source[i];
  }
  atomicAdd(target, sum);
}

template <class... Parameters>
void start(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments) {
#ifdef __MOCKGPU__
  (void)cudaLaunchKernel(kernel, grid, block, arguments, 0, nullptr);
  (void)cudaDeviceSynchronize();
#else
  using layout = mockgpu_shim::closure_layout<Parameters...>;
  alignas(64) char closure[layout::value.entries[layout::count].offset];
  for (std::size_t k = 0; k < layout::count; ++k)
    __builtin_memcpy(closure + layout::value.entries[k].offset, arguments[k],
                     layout::value.entries[k].size_bytes);
  // A runtime calls kernels through a pointer: none may become part of the loop over threads.
  asm volatile("" : "+r"(kernel));
  auto& self = mockgpu_indices;
  self = {};
  self.block_dim[0] = block.x, self.block_dim[1] = block.y, self.block_dim[2] = block.z;
  self.grid_dim[0] = grid.x, self.grid_dim[1] = grid.y, self.grid_dim[2] = grid.z;
  for (int axis = 0; axis < 3; ++axis) {
    mockgpu_block_dim[axis] = self.block_dim[axis];
    mockgpu_grid_dim[axis] = self.grid_dim[axis];
  }
  for (self.block[1] = 0; self.block[1] < grid.y; ++self.block[1])
    for (self.block[0] = 0; self.block[0] < grid.x; ++self.block[0]) {
      self.thread[0] = self.thread[1] = self.thread[2] = 0;
      mockgpu_shim::run_block<Parameters...>(reinterpret_cast<void (*)()>(kernel), closure);
    }
#endif
}

unsigned blocks(int count, int threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

template <class T> void run_as(kernel_kind kind, buffers const& b) {
  auto* target = static_cast<T*>(b.target);
  auto const* source = static_cast<T const*>(b.source);
  int const* indices = b.indices;
  int side = b.side, count = b.side * b.side;
  if (kind == kernel_kind::stencil) {
    void* arguments[] = {&target, &source, &side};
    start(stencil<T>, dim3(blocks(side, 32), blocks(side, 4)), dim3(32, 4), arguments);
  } else if (kind == kernel_kind::axpy) {
    void* arguments[] = {&target, &source, &count};
    start(axpy<T>, dim3(blocks(count, 128)), dim3(128), arguments);
  } else if (kind == kernel_kind::gather) {
    void* arguments[] = {&target, &source, &indices, &count};
    start(gather<T>, dim3(blocks(count, 128)), dim3(128), arguments);
  } else {
    void* arguments[] = {&target, &source, &count};
    start(reduction<T>, dim3(blocks(count, 128 * sums)), dim3(128), arguments);
  }
}

} // namespace

void run(kernel_kind kind, buffers const& data) {
  if (data.single)
    run_as<float>(kind, data);
  else
    run_as<double>(kind, data);
}

} // namespace bench::BENCH_WAY
