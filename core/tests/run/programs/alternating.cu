// Does something else in every second run: fills an array once more. The argument names a file that
// grows by a byte in each run.
#include <cstdio>

int main(int, char** arguments) {
  std::FILE* const file = std::fopen(arguments[1], "ab");
  if (file == nullptr) return 2;
  std::fseek(file, 0, SEEK_END);
  long const runs = std::ftell(file);
  std::fputc('.', file);
  std::fclose(file);
  void* data = nullptr;
  if (cudaMalloc(&data, 64) != cudaSuccess) return 3;
  for (long i = 0; i <= runs % 2; ++i) cudaMemset(data, 1, 64);
  return cudaFree(data);
}
