/// \file Faults are found in text that no generator of ours has written.
#include "mutation/code_mutations.hpp"

#include <algorithm>
#include <array>

#include <gmock/gmock.h>

namespace assay::fuzz {
namespace {

using testing::HasSubstr;

constexpr char const* by_hand = R"(#include <hip/hip_runtime.h>
__global__ void scale(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&x[i], 2.0f);
}
float first(float const* in, int n, hipStream_t left, hipStream_t right) {
  float *memory = nullptr, result;
  if (hipMallocAsync((void**)&memory, n * sizeof(float), left) != hipSuccess) return 0;
  hipMemsetAsync(memory, 0, n * sizeof(float), left);
  scale<<<(n + 31) / 32, 32, 0, left>>>(memory, n);
  hipMemcpyAsync(&result, memory, sizeof(float), hipMemcpyDeviceToHost, left);
  hipStreamSynchronize(left);
  result = result + 1; // what the copy brought
  hipFreeAsync(memory, right);
  return result;
}
)";

long count(mutated_code const& code, code_fault fault) {
  return std::ranges::count(code.mutants, fault, &code_mutant::fault);
}

TEST(CodeMutations, FindTheirPlacesInCodeThatSomebodyWrote) {
  std::array const files{generated_file{"src/cuda/hand.hip", by_hand}};
  mutated_code const code = with_mutants(files);
  using enum code_fault;
  EXPECT_EQ(count(code, drop_wait), 1);
  EXPECT_EQ(count(code, move_wait), 1);
  EXPECT_EQ(count(code, read_before_wait), 1);
  EXPECT_EQ(count(code, redirect_wait), 1);
  EXPECT_EQ(count(code, swap_stream), 5) << "an allocation, a fill, a launch, a copy, a release";
  EXPECT_EQ(count(code, null_stream), 5);
  EXPECT_EQ(count(code, shorten_memory), 1);
  EXPECT_EQ(count(code, free_early), 1);
  EXPECT_EQ(count(code, free_twice), 1);
  EXPECT_EQ(count(code, skip_free), 1);
  EXPECT_EQ(count(code, drop_atomic), 1);
  EXPECT_EQ(count(code, widen_subset), 1);
  EXPECT_EQ(count(code, skip_fill), 1);
  EXPECT_EQ(count(code, skip_work), 1);
  EXPECT_EQ(count(code, skip_check), 5);
  std::string const& text = code.files.front().text;
  EXPECT_THAT(text, HasSubstr("0, (assay_mutation::is("));
  EXPECT_THAT(text, HasSubstr("hipSuccess"));
  EXPECT_THAT(text, HasSubstr("#line 2\n")) << "reports name the lines of the text as it was";
  EXPECT_THAT(code.mutants.front().place, HasSubstr("src/cuda/hand.hip:4: i < n"));
}

TEST(CodeMutations, LeaveTextWithoutPlacesAndHeadersAlone) { // twin
  std::array const files{generated_file{"include/p.h", by_hand},
                         generated_file{"src/cpu/p.cpp", "int twice(int n) { return 2 * n; }\n"}};
  mutated_code const code = with_mutants(files);
  EXPECT_TRUE(code.mutants.empty());
  EXPECT_EQ(code.files.front().text, by_hand);
  EXPECT_THAT(code.files.back().text, HasSubstr("int twice(int n) { return 2 * n; }"));
}

} // namespace
} // namespace assay::fuzz
