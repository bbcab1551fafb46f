/* The harness's kernels, one source for mockgpu, CUDA and HIP. */
#include "kernels.h"

#include "gpu_names.h"

namespace {

typedef unsigned long long word;

__device__ inline word mix(word state, word value) { // the rule of assay/mix.hpp
  word z = (state ^ (state >> 29)) * 0x9E3779B97F4A7C15ULL + value;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

__device__ inline long long element_count(assay_box const& box) {
  long long count = 1;
  for (unsigned k = 0; k < box.extent_count; ++k) count *= box.count[k];
  return count;
}

/* Element `index` in row-major order: the last extent varies fastest. */
__device__ inline unsigned char* element(assay_box const& box, long long index) {
  unsigned char* address = box.base;
  for (unsigned k = box.extent_count; k-- > 0;) {
    address += (index % box.count[k]) * box.stride_bytes[k];
    index /= box.count[k];
  }
  return address;
}

__device__ inline word load(unsigned char const* address, unsigned size_bytes) {
  switch (size_bytes) {
  case 1: return *address;
  case 2: return *(unsigned short const*)address;
  case 4: return *(unsigned const*)address;
  default: return *(word const*)address;
  }
}

__device__ inline void store(unsigned char* address, unsigned size_bytes, word value) {
  switch (size_bytes) {
  case 1: *address = (unsigned char)value; break;
  case 2: *(unsigned short*)address = (unsigned short)value; break;
  case 4: *(unsigned*)address = (unsigned)value; break;
  default: *(word*)address = value;
  }
}

} // namespace

__global__ void assay_copy(unsigned char* target, unsigned char const* source, size_t size_bytes) {
  size_t const words = size_bytes / 8;
  size_t const i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < words)
    ((word*)target)[i] = ((word const*)source)[i];
  else if (i - words < size_bytes % 8)
    target[words * 8 + (i - words)] = source[words * 8 + (i - words)];
}

/* One thread: the hash is defined by the order of its inputs. */
__global__ void assay_mix(assay_boxes boxes) {
  word hash = boxes.seed;
  unsigned next = 0;
  for (unsigned b = 0; b < boxes.read_count; ++b) {
    assay_box const& box = boxes.box[next++];
    long long const count = element_count(box);
    for (long long i = 0; i < count; ++i) hash = mix(hash, load(element(box, i), box.element_bytes));
  }
  for (unsigned b = 0; b < boxes.write_count; ++b) {
    assay_box const& box = boxes.box[next++];
    long long const count = element_count(box);
    for (long long i = 0; i < count; ++i)
      store(element(box, i), box.element_bytes, mix(hash, (word)i));
  }
  for (unsigned b = 0; b < boxes.accumulate_count; ++b) {
    assay_box const& box = boxes.box[next++];
    long long const count = element_count(box);
    for (long long i = 0; i < count; ++i)
      atomicAdd((word*)element(box, i), mix(hash, (word)i));
  }
}

extern "C" int assay_launch_copy(void* target, void const* source, size_t size_bytes, void* stream) {
  if (size_bytes == 0) return 0;
  size_t const threads = size_bytes / 8 + size_bytes % 8;
  unsigned char* to = (unsigned char*)target;
  unsigned char const* from = (unsigned char const*)source;
  void* arguments[] = {(void*)&to, (void*)&from, (void*)&size_bytes};
  return ASSAY_GPU(LaunchKernel)((void*)assay_copy, dim3((unsigned)((threads + 127) / 128), 1, 1),
                                 dim3(128, 1, 1), arguments, 0, (ASSAY_GPU(Stream_t))stream);
}

extern "C" int assay_launch_mix(assay_boxes const* boxes, void* stream) {
  assay_boxes copy = *boxes;
  void* arguments[] = {(void*)&copy};
  return ASSAY_GPU(LaunchKernel)((void*)assay_mix, dim3(1, 1, 1), dim3(1, 1, 1), arguments, 0,
                                 (ASSAY_GPU(Stream_t))stream);
}
