// Loops of one thread, over different memory or none. The arguments select the loop and how often
// it goes round; 0 is for ever.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ bool turns(unsigned& left) { return left == 0 || --left != 0; }
__device__ bool mine() { return blockIdx.x == 1 && threadIdx.x == 2; }

__global__ void device_memory(int* out, unsigned rounds) {
  unsigned left = rounds;
  if (mine())
    for (int i = 0; turns(left); i = (i + 1) & 3) out[i] += 1;
}
__global__ void shared_memory(int* out, unsigned rounds) {
  __shared__ int cells[4];
  unsigned left = rounds;
  if (!mine()) return;
  for (int& cell : cells) cell = 0;
  for (int i = 0; turns(left); i = (i + 1) & 3) cells[i] += 1;
  out[0] = cells[1];
}
__global__ void stack_memory(int* out, unsigned rounds) {
  int own[4] = {};
  int* cells = own;
  __asm__ volatile("" : "+r"(cells)); // else the compiler keeps them in registers
  unsigned left = rounds;
  if (!mine()) return;
  for (int i = 0; turns(left); i = (i + 1) & 3) cells[i] += 1;
  out[0] = cells[1];
}
__global__ void no_memory(int* out, unsigned rounds) {
  if (!mine()) return;
  unsigned value = 1;
  if (rounds == 0)
    while (true) __asm__ volatile("" : "+r"(value));
  for (unsigned i = 0; i < rounds; ++i) __asm__ volatile("" : "+r"(value));
  out[0] = static_cast<int>(value);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  auto const is = [&](char const* name) { return std::strcmp(argv[1], name) == 0; };
  unsigned const rounds = static_cast<unsigned>(std::atoi(argv[2]));
  int* out = nullptr;
  if (cudaMalloc(&out, 64) != cudaSuccess || cudaMemset(out, 0, 64) != cudaSuccess) return 1;
  if (is("device")) device_memory<<<2, 4>>>(out, rounds);
  if (is("shared")) shared_memory<<<2, 4>>>(out, rounds);
  if (is("stack")) stack_memory<<<2, 4>>>(out, rounds);
  if (is("none")) no_memory<<<2, 4>>>(out, rounds);
  int const first = cudaDeviceSynchronize(), second = cudaDeviceSynchronize();
  std::printf("%d %d\n", first, second);
  return first == 0 ? cudaFree(out) : 0;
}
