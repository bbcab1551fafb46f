// How failures are told. No case here leaves the device unusable.
#include "gpu.hpp"

#include <string>

using namespace conformance;

namespace {

class Errors : public gpu_test {};

TEST_F(Errors, LastErrorIsReturnedOnce) {
  rule("D7 last-error-clears");
  (void)GPU(GetLastError)();
  gpuError_t const failure = launch_oversized_block(nullptr);
  ASSERT_NE(failure, GPU(Success));
  EXPECT_EQ(GPU(GetLastError)(), failure);
  EXPECT_GPU(GPU(GetLastError)());
}

TEST_F(Errors, PeekKeepsTheError) {
  rule("D7 peek-keeps");
  (void)GPU(GetLastError)();
  gpuError_t const failure = launch_oversized_block(nullptr);
  ASSERT_NE(failure, GPU(Success));
  EXPECT_EQ(GPU(PeekAtLastError)(), failure);
  EXPECT_EQ(GPU(GetLastError)(), failure);
}

#if !defined(ASSAY_CONFORMANCE_HIP)
TEST_F(Errors, OversizedBlockIsAnInvalidConfiguration) {
  rule("D7 launch-checks-configuration");
  EXPECT_EQ(launch_oversized_block(nullptr), cudaErrorInvalidConfiguration);
  (void)cudaGetLastError();
}

TEST_F(Errors, SuccessfulCallKeepsTheError) {
  rule("D7 last-error-clears"); // HIP before 7.0 overwrites it: D8
  (void)cudaGetLastError();
  cudaError_t const failure = launch_oversized_block(nullptr);
  int device = -1;
  ASSERT_GPU(cudaGetDevice(&device));
  EXPECT_EQ(cudaGetLastError(), failure);
}
#endif

TEST_F(Errors, UnknownDeviceIsRefused) {
  rule("D7 invalid-device");
  int device = -1;
  EXPECT_EQ(GPU(SetDevice)(100000), GPU(ErrorInvalidDevice));
  (void)GPU(GetLastError)();
  ASSERT_GPU(GPU(GetDevice)(&device));
  EXPECT_EQ(device, 0);
}

TEST_F(Errors, HaveNamesAndDescriptions) {
  rule("D7 error-names");
#if defined(ASSAY_CONFORMANCE_HIP)
  EXPECT_EQ(std::string(hipGetErrorName(hipErrorNotReady)), "hipErrorNotReady");
#else
  EXPECT_EQ(std::string(cudaGetErrorName(cudaErrorNotReady)), "cudaErrorNotReady");
#endif
  EXPECT_NE(std::string(GPU(GetErrorString)(GPU(ErrorInvalidValue))), "");
  EXPECT_NE(std::string(GPU(GetErrorString)(GPU(ErrorInvalidValue))),
            std::string(GPU(GetErrorString)(GPU(ErrorNotReady))));
}

TEST_F(Errors, NullTargetOfAnAllocationIsInvalid) {
  rule("D7 invalid-value");
  EXPECT_EQ(GPU(Malloc)(static_cast<void**>(nullptr), 16), GPU(ErrorInvalidValue));
  (void)GPU(GetLastError)();
}

TEST_F(Errors, DefaultStreamHasFlagsWhereTheVendorSaysSo) {
  rule("D8 default-stream-has-flags");
  unsigned int flags = 7;
#if defined(ASSAY_CONFORMANCE_HIP)
  EXPECT_EQ(hipStreamGetFlags(nullptr, &flags), hipErrorInvalidValue);
#else
  EXPECT_GPU(cudaStreamGetFlags(nullptr, &flags));
  EXPECT_EQ(flags, 0u);
#endif
  (void)GPU(GetLastError)();
}

TEST_F(Errors, CleanCallsLeaveNone) {
  rule("D7 last-error-clears");
  (void)GPU(GetLastError)();
  device_ints x(10);
  stream const s;
  ASSERT_GPU(launch_fill(x.data(), 10, 1, s));
  ASSERT_GPU(GPU(StreamSynchronize)(s));
  EXPECT_GPU(GPU(GetLastError)());
}

} // namespace
