// Device-wide reductions and scans. With an argument, one fault: "small" gives too little temporary
// storage, "early" reads the result on another stream.
#include <cub/cub.cuh>

#include <cstdio>
#include <cstring>

struct longest {
  __device__ double operator()(double a, double b) const { return a * a < b * b ? b : a; }
};

int main(int argc, char** argv) {
  bool const small = argc > 1 && std::strcmp(argv[1], "small") == 0;
  bool const early = argc > 1 && std::strcmp(argv[1], "early") == 0;
  constexpr int count = 1000;
  double host[count];
  for (int i = 0; i < count; ++i) host[i] = i == 500 ? -2000 : i;
  int const host_offsets[] = {0, 10, 10, 1000};
  double *data = nullptr, *out = nullptr, *scanned = nullptr;
  int* offsets = nullptr;
  cub::KeyValuePair<int, double>* least = nullptr;
  if (cudaMalloc(&data, sizeof host) != cudaSuccess || cudaMalloc(&out, 64) != cudaSuccess ||
      cudaMalloc(&scanned, sizeof host) != cudaSuccess ||
      cudaMalloc(&offsets, sizeof host_offsets) != cudaSuccess ||
      cudaMalloc(&least, sizeof *least) != cudaSuccess)
    return 1;
  cudaStream_t stream;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 1;
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemcpy(offsets, host_offsets, sizeof host_offsets, cudaMemcpyHostToDevice);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;

  size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, data, out, count, stream);
  void* storage = nullptr;
  if (cudaMalloc(&storage, 2 * bytes + 64) != cudaSuccess) return 1;
  size_t given = small ? bytes / 2 : 2 * bytes;
  int status = cub::DeviceReduce::Sum(storage, given, data, out, count, stream);
  if (!small) {
    status += cub::DeviceReduce::Max(storage, given, data, out + 1, count, stream);
    status += cub::DeviceReduce::Reduce(storage, given, data, out + 2, count, longest(), 0.0, stream);
    status += cub::DeviceReduce::ArgMin(storage, given, data, least, count, stream);
    status += cub::DeviceSegmentedReduce::Sum(storage, given, data, out + 3, 3, offsets,
                                              offsets + 1, stream);
    status += cub::DeviceScan::ExclusiveSum(storage, given, data, scanned, count, stream);
  }
  if (!early && cudaStreamSynchronize(stream) != cudaSuccess) return 1;
  double result[6] = {}, prefix = 0;
  cub::KeyValuePair<int, double> found = {};
  if (!small) {
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaMemcpy(&prefix, scanned + 4, sizeof prefix, cudaMemcpyDeviceToHost);
    cudaMemcpy(&found, least, sizeof found, cudaMemcpyDeviceToHost);
  }
  cudaDeviceSynchronize();
  std::printf("status %d sum %g max %g longest %g segments %g %g %g least %d %g prefix %g\n", status,
              result[0], result[1], result[2], result[3], result[4], result[5], found.key,
              found.value, prefix);
  cudaStreamDestroy(stream);
  for (void* one : {static_cast<void*>(data), static_cast<void*>(out), static_cast<void*>(scanned),
                    static_cast<void*>(offsets), static_cast<void*>(least), storage})
    if (cudaFree(one) != cudaSuccess) return 1;
  return 0;
}
