// Launches with <<<>>>, in the forms that C++ allows. Prints what each kernel left behind.
#include <cstdio>
#include <type_traits>
#include <utility>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (cudaError_t const status = (call); status != cudaSuccess) {                                \
      std::printf("%s: %s\n", #call, cudaGetErrorString(status));                                  \
      return 1;                                                                                    \
    }                                                                                              \
  } while (0)

static char const* const not_a_launch = R"(k<<<1, 1>>>(x) " ')" "a<<<b>>>(c)";
constexpr char quote = '"';

__global__ void declared_before(int* out, int value);

__global__ void plain(int* const __restrict__ out, int const value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
template <class T> __global__ void typed(T* out, T value) { out[threadIdx.x] = value; }
template <int N, class... Values> __global__ void pack(int* out, Values... values) {
  int const all[] = {static_cast<int>(values)...};
  for (int i = 0; i < static_cast<int>(sizeof...(Values)); ++i) out[i] = all[i] + N;
}
__global__ void overloaded(int* out) { *out = 1; }
__global__ void overloaded(int* out, double) { *out = 2; }
__global__ void hidden(int* out, int hidden) { *out = hidden; }
static __global__ void unnamed(int* out, int, float const*, std::pair<int, int>) { *out = 7; }
__global__ void defaulted(int* out, int a = 1 < 2, std::pair<int, int> b = std::pair<int, int>(3, 4)) {
  *out = a + b.first + b.second;
}
extern "C" __global__ void c_name(int* out, int const values[]) { *out = values == nullptr ? 5 : 6; }
void __global__ __launch_bounds__(64, 2) late_mark(int* out) { *out = 8; }
template <class T> __global__ typename std::enable_if<(sizeof(T) > 2), void>::type bounded(T* out) {
  *out = 9;
}
__global__ void by_function(int* out, int (*function)(int)) { *out = function(10); }
template <> __global__ void typed<char>(char* out, char value) { *out = static_cast<char>(value + 1); }

namespace outer {
namespace {
template <class A> struct box {
  using type = A;
  template <class B> static __global__ void inside(A* out, B value) { *out = static_cast<A>(value); }
};
} // namespace
namespace inner {
__global__ void nested_name(int* out) { *out = 12; }
} // namespace inner
} // namespace outer

struct big {
  double values[40];
};
__global__ void by_value(int* out, big const data, big) { *out = static_cast<int>(data.values[39]); }

int twice(int x) { return 2 * x; }

template <class T> void dependent(T* out, T value) {
  outer::box<T>::template inside<double><<<1, 1>>>(out, value);
}
template <auto Kernel> void pointed(int* out) { Kernel<<<1, 1>>>(out); }

#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 1, 0, nullptr>>>(__VA_ARGS__)
#define MANY(...) __VA_ARGS__

int count_configurations = 0;
dim3 counted(int x) {
  ++count_configurations;
  return dim3(static_cast<unsigned>(x));
}
int launching_argument(int* out) {
  plain<<<1, 1>>>(out + 1, 70);
  cudaDeviceSynchronize();
  return 71;
}

__global__ void declared_before(int* out, int value) { *out = value; }

int main() {
  int* out = nullptr;
  int host[8];
  CHECK(cudaMalloc(&out, sizeof host));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  auto const show = [&](char const* name, int count) {
    cudaDeviceSynchronize();
    cudaMemcpy(host, out, sizeof(int) * static_cast<std::size_t>(count), cudaMemcpyDeviceToHost);
    std::printf("%s", name);
    for (int i = 0; i < count; ++i) std::printf(" %d", host[i]);
    std::printf("\n");
  };
  plain<<<2, 2>>>(out, 3);
  show("plain", 4);
  plain<<<dim3(1), {2, 1, 1}, 0, stream>>>(out, 1 << 3 >> 1);
  show("braces", 2);
  typed<<<1, 2, 0, 0>>>(out, 5);
  show("deduced", 2);
  typed<int><<<1, 1 << 1 >> 1, sizeof(int) * 2>>>(out, {});
  show("given", 1);
  pack<3><<<1, 1>>>(out, 1, 2.5, 'a');
  show("pack", 3);
  overloaded<<<1, 1>>>(out);
  show("first", 1);
  overloaded<<<1, 1>>>(out, 0);
  show("second", 1);
  hidden<<<1, 1>>>(out, 4);
  show("hidden", 1);
  unnamed<<<1, 1>>>(out, 0, nullptr, {1, 2});
  show("unnamed", 1);
  defaulted<<<1, 1>>>(out);
  show("defaulted", 1);
  c_name<<<1, 1>>>(out, 0);
  show("c_name", 1);
  late_mark<<<1, 1>>>(out);
  show("late_mark", 1);
  bounded<<<1, 1>>>(out);
  show("bounded", 1);
  by_function<<<1, 1>>>(out, twice);
  show("by_function", 1);
  ::outer::box<std::common_type_t<int, std::enable_if_t<(2 > 1), short>>>::inside<float><<<1, 1>>>(out, 11.5f);
  show("member", 1);
  outer::inner::nested_name<<<1, 1>>>(out);
  show("namespace", 1);
  dependent(out, 13);
  show("dependent", 1);
  pointed<outer::inner::nested_name>(out);
  show("pointed", 1);
  big data{};
  data.values[39] = 14;
  by_value<<<1, 1>>>(out, data, {});
  show("by_value", 1);
  LAUNCH(plain, counted(2), out, MANY(15));
  show("macro", 2);
  if (count_configurations == 1)
    LAUNCH((typed<int>), 1, out, 16);
  else
    plain<<<1, 1>>>(out, -1);
  show("branch", 1);
  void (*held)(int*, int) = plain;
  void (*table[])(int*, int) = {plain, typed<int>};
  for (auto* one : table) one<<<1, 1>>>(out, 17);
  show("held", 1);
  table[count_configurations]<<<1, 1>>>(out, 18);
  show("table", 1);
  (count_configurations > 3 ? held : declared_before)<<<1, 1>>>(out, 19);
  show("chosen", 1);
  plain<<<1, 1>>>(out, launching_argument(out));
  show("nested", 2);
  auto const lambda = [=](int value) { plain<<<1, 1>>>(out, value); };
  lambda(20), show("lambda", 1);
  typed<
      char><<<
      1,
      1>>>(reinterpret_cast<char*>(out), 'a');
  cudaDeviceSynchronize();
  char letter = 0;
  cudaMemcpy(&letter, out, 1, cudaMemcpyDeviceToHost);
  std::printf("specialised %c line %d\n", letter, __LINE__);
  plain<<<1, 2000>>>(out, 1);
  std::printf("invalid: %s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s %c\n", not_a_launch, quote);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(out));
}
