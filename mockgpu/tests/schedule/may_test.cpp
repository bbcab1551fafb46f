// What a call may do but need not: the execution takes either path, and the findings are the same
// on both.
#include <set>

#include <gtest/gtest.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

/// Runs a program under many seeds. It says which path was taken: what it saw.
struct paths {
  std::set<int> seen;
  std::set<std::set<std::string>> findings; ///< identities
};
template <class Program> paths take_paths(Program program) {
  paths result;
  for (schedule_kind const kind :
       {schedule_kind::eager, schedule_kind::lazy, schedule_kind::random, schedule_kind::pct})
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      options chosen;
      chosen.schedule = kind;
      chosen.seed = seed;
      scripted_run run(chosen);
      result.seen.insert(program(run));
      result.findings.insert(identities(run.finish()));
      EXPECT_GT(current_statistics().accesses, 0u);
    }
  return result;
}

TEST(May, APageableUploadMayReadItsSourceAtTheCall) {
  static int source = 0;
  auto const faulty = take_paths([](scripted_run& run) {
    auto const x = run.allocate(4);
    auto const on = run.add_stream("on");
    source = 1;
    run.copy(x, {&source, 4}, cudaMemcpyHostToDevice, on);
    run.host_writes(&source, 4);
    source = 2;
    int back = 0;
    run.synchronize(on);
    EXPECT_EQ(cudaMemcpy(&back, x.base, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return back;
  });
  EXPECT_EQ(faulty.seen, (std::set<int>{1, 2}));
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings.begin()->size(), 1u);

  auto const correct = take_paths([](scripted_run& run) {
    auto const x = run.allocate(4);
    auto const on = run.add_stream("on");
    source = 1;
    run.copy(x, {&source, 4}, cudaMemcpyHostToDevice, on);
    run.synchronize(on);
    run.host_writes(&source, 4);
    source = 2;
    int back = 0;
    EXPECT_EQ(cudaMemcpy(&back, x.base, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    return back;
  });
  EXPECT_EQ(correct.seen, std::set<int>{1});
  EXPECT_EQ(correct.findings, (std::set<std::set<std::string>>{{}}));
}

TEST(May, APageableDownloadMayBeDoneWhenTheCallReturns) {
  static int target = 0;
  auto const read_back = [](bool wait) {
    return [wait](scripted_run& run) {
      auto const x = run.allocate(4);
      auto const on = run.add_stream("on");
      target = 7;
      run.copy({&target, 4}, x, cudaMemcpyDeviceToHost, on);
      if (wait) run.synchronize(on);
      run.host_reads(&target, 4);
      return target;
    };
  };
  auto const faulty = take_paths(read_back(false));
  EXPECT_EQ(faulty.seen, (std::set<int>{0, 7}));
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings.begin()->size(), 1u);
  auto const correct = take_paths(read_back(true));
  EXPECT_EQ(correct.seen, std::set<int>{0});
  EXPECT_EQ(correct.findings, (std::set<std::set<std::string>>{{}}));
}

TEST(May, ACopyWithinTheDeviceMayMakeTheHostWait) {
  auto const upload_through = [](bool wait) {
    return [wait](scripted_run& run) {
      auto const x = run.allocate(4), y = run.allocate(4);
      auto const pinned = run.allocate_pinned(4);
      run.host_writes(pinned.base, 4);
      auto const value = static_cast<int*>(pinned.base);
      *value = 1;
      // All in the default stream: an upload, then a copy that is synchronous in name only.
      run.copy(x, pinned, cudaMemcpyHostToDevice, nullptr);
      EXPECT_EQ(cudaMemcpy(y.base, x.base, 4, cudaMemcpyDeviceToDevice), cudaSuccess);
      if (wait) run.synchronize(nullptr);
      run.host_writes(pinned.base, 4);
      *value = 2;
      int back = 0;
      EXPECT_EQ(cudaMemcpy(&back, y.base, 4, cudaMemcpyDeviceToHost), cudaSuccess);
      return back;
    };
  };
  auto const faulty = take_paths(upload_through(false));
  EXPECT_EQ(faulty.seen, (std::set<int>{1, 2}));
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings.begin()->size(), 1u);
  auto const correct = take_paths(upload_through(true));
  EXPECT_EQ(correct.seen, std::set<int>{1});
  EXPECT_EQ(correct.findings, (std::set<std::set<std::string>>{{}}));
}

TEST(May, DestroyingAStreamMayFinishItsWork) {
  auto const last_words = [](bool wait) {
    return [wait](scripted_run& run) {
      auto const x = run.allocate(4);
      auto const pinned = run.allocate_pinned(4);
      run.host_writes(pinned.base, 4);
      auto const value = static_cast<int*>(pinned.base);
      *value = 7;
      auto const on = run.add_stream("on");
      run.copy(pinned, x, cudaMemcpyDeviceToHost, on);
      if (wait) run.synchronize(on);
      EXPECT_EQ(cudaStreamDestroy(on), cudaSuccess);
      run.host_reads(pinned.base, 4);
      return *value;
    };
  };
  auto const faulty = take_paths(last_words(false));
  EXPECT_EQ(faulty.seen, (std::set<int>{0, 7}));
  ASSERT_EQ(faulty.findings.size(), 1u);
  EXPECT_EQ(faulty.findings.begin()->size(), 1u);
  auto const correct = take_paths(last_words(true));
  EXPECT_EQ(correct.seen, std::set<int>{0});
  EXPECT_EQ(correct.findings, (std::set<std::set<std::string>>{{}}));
}

} // namespace
} // namespace mockgpu::tests
