// Injected faults: which call fails, with what, and what the program then sees.
#include "device/faults.hpp"

#include <gmock/gmock.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Statuses of malloc, launch, copy, malloc, launch.
std::vector<int> statuses(std::string const& plan_text) {
  fault_plan plan(plan_text);
  std::vector<int> all;
  for (auto const& [what, name] :
       std::vector<std::pair<char const*, char const*>>{{"alloc", "cudaMalloc"},
                                                        {"kernel", "cudaLaunchKernel"},
                                                        {"copy", "cudaMemcpyAsync"},
                                                        {"alloc", "cudaMalloc"},
                                                        {"kernel", "cudaLaunchKernel"}})
    all.push_back(static_cast<int>(plan.next(what, name).value_or(status::success)));
  EXPECT_EQ(plan.calls(), 5u);
  return all;
}

TEST(Faults, FailACallByItsNumber) {
  EXPECT_THAT(statuses("invalid-value@3"), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(statuses("out-of-memory@1"), ElementsAre(2, 0, 0, 0, 0));
  EXPECT_THAT(statuses("out-of-memory@6"), ElementsAre(0, 0, 0, 0, 0));
}

TEST(Faults, FailCallsByTheirName) {
  EXPECT_THAT(statuses("out-of-memory@cudaMalloc"), ElementsAre(2, 0, 0, 2, 0));
  EXPECT_THAT(statuses("out-of-memory@cudaMalloc:2"), ElementsAre(0, 0, 0, 2, 0));
  EXPECT_THAT(statuses("out-of-memory@hipMalloc"), ElementsAre(0, 0, 0, 0, 0));
}

TEST(Faults, StickWhereTheDeviceIsLost) {
  EXPECT_THAT(statuses("sticky@3"), ElementsAre(0, 0, 700, 700, 700));
  EXPECT_THAT(statuses("launch-failure@cudaLaunchKernel:1"), ElementsAre(0, 0, 719, 719, 719));
}

TEST(Faults, OfAnyKindSuitTheCall) {
  EXPECT_THAT(statuses("any@1"), ElementsAre(2, 0, 0, 0, 0));
  EXPECT_THAT(statuses("any@2"), ElementsAre(0, 2, 0, 0, 0));
  EXPECT_THAT(statuses("any@3"), ElementsAre(0, 0, 1, 0, 0));
}

TEST(Faults, BySeedAreTheSameEachTimeAndDifferBetweenSeeds) {
  auto const pattern = [](std::string const& text) {
    fault_plan plan(text);
    std::vector<int> all;
    for (int i = 0; i < 320; ++i)
      all.push_back(static_cast<int>(plan.next("copy", "cudaMemcpy").value_or(status::success)));
    EXPECT_GT(plan.injected(), 5u);
    EXPECT_LT(plan.injected(), 60u);
    return all;
  };
  EXPECT_EQ(pattern("any@seed:1"), pattern("any@seed:1"));
  EXPECT_NE(pattern("any@seed:1"), pattern("any@seed:2"));
}

TEST(Faults, QuoteATextThatIsNone) {
  for (char const* text : {"", "sticky", "@3", "sticky@", "sticky@0", "fire@3", "any@cudaMalloc:",
                           "any@cudaMalloc:0", "any@cudaMalloc:x", "any@seed:", "any@:3"})
    try {
      fault_plan const plan(text);
      ADD_FAILURE() << text;
    } catch (std::invalid_argument const& problem) {
      EXPECT_EQ(std::string(problem.what()).substr(0, std::string(text).size() + 15),
                "'" + std::string(text) + "' is no fault:");
    }
}

options with_fault(char const* text) {
  options wanted;
  wanted.fault = text;
  return wanted;
}

TEST(Faults, LeaveTheCallUndone) { // twin: WithoutOneEveryCallIsDone
  scripted_run run(with_fault("out-of-memory@cudaMalloc:2"));
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 64), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 64), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_THAT(run.finish(true), IsEmpty());
  EXPECT_EQ(current_statistics().calls, 3u);
}

TEST(Faults, WithoutOneEveryCallIsDone) {
  scripted_run run;
  void *first = nullptr, *second = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 64), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 64), cudaSuccess);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(cudaFree(second), cudaSuccess);
  EXPECT_THAT(run.finish(true), IsEmpty());
}

TEST(Faults, ThatStickComeBackFromEveryCall) {
  scripted_run run(with_fault("sticky@cudaMalloc:2"));
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaFree(memory), cudaErrorIllegalAddress);
}

TEST(Faults, ThatAreNoneAreRefused) {
  try {
    reset(with_fault("sticky"));
    ADD_FAILURE();
  } catch (std::invalid_argument const& problem) {
    EXPECT_EQ(std::string(problem.what()).substr(0, 24), "'sticky' is no fault: ex");
  }
}

} // namespace
} // namespace mockgpu::tests
