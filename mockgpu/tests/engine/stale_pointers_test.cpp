// What a pool that hands freed addresses out again would show is found with fresh ones, and more.
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

#include "cuda_runtime_api.h"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

/// One block of memory in the order of allocation, and which address a pool that reuses the block
/// freed last would have given it.
struct block {
  region memory;
  bool freed = false;
  std::size_t address = 0;
};

/// A pool that always reuses.
class reusing_pool {
public:
  std::size_t allocate() {
    if (free_.empty()) return made_++;
    std::size_t const last = free_.back();
    free_.pop_back();
    return last;
  }
  void release(std::size_t address) { free_.push_back(address); }

private:
  std::vector<std::size_t> free_;
  std::size_t made_ = 0;
};

bool is_use_after_free(finding const& one) { return one.kind.starts_with("use-after-free"); }

std::set<std::uint64_t> blocks_used_after_their_free(std::vector<finding> const& found) {
  std::set<std::uint64_t> addresses;
  for (finding const& one : found)
    if (is_use_after_free(one)) addresses.insert(one.memory.address);
  return addresses;
}

TEST(StalePointers, AreFoundWhereverAReusedAddressWouldShowThem) {
  std::size_t stale_uses = 0, hidden_by_reuse = 0, silent = 0;
  auto const property = [&] {
    auto const steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1 << 12));
    // Findings are the first run's: another run's memory may lie elsewhere.
    std::set<std::uint64_t> expected;
    bool first_run = true;
    auto const found = in_every_schedule([&](scripted_run& run) {
      cudaStream_t const streams[] = {run.add_stream("left"), run.add_stream("right")};
      std::vector<block> blocks;
      reusing_pool pool;
      // Something is checked in the shortest program too.
      run.write(streams[0], run.allocate_async(64, streams[0]));
      for (int const step : steps) {
        cudaStream_t const on = streams[step & 1];
        int const what = (step >> 1) % 4;
        if (what == 0 || blocks.empty()) {
          blocks.push_back({run.allocate_async(64, on), false, pool.allocate()});
          continue;
        }
        block& one = blocks[std::size_t(step >> 3) % blocks.size()];
        if (what == 1 && !one.freed) {
          EXPECT_EQ(cudaFreeAsync(one.memory.base, on), cudaSuccess);
          one.freed = true;
          pool.release(one.address);
          continue;
        }
        run.write(on, one.memory);
        if (!one.freed) continue;
        if (first_run) expected.insert(reinterpret_cast<std::uintptr_t>(one.memory.base));
        ++stale_uses;
        // The pool would have made it a use of another block, in order with it or not.
        for (block const& other : blocks)
          hidden_by_reuse += !other.freed && other.address == one.address ? 1 : 0;
      }
      first_run = false;
    });
    auto const reported = blocks_used_after_their_free(found);
    for (std::uint64_t const address : expected) RC_ASSERT(reported.contains(address));
    if (expected.empty()) ++silent;
  };
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = "stale pointers";
  rc::detail::TestParams parameters;
  parameters.seed = 20261130;
  auto const outcome = rc::detail::checkTestable(property, metadata, parameters);
  std::ostringstream text;
  rc::detail::printResultMessage(outcome, text);
  EXPECT_TRUE(outcome.is<rc::detail::SuccessResult>()) << text.str();
  EXPECT_GT(stale_uses, 100u);
  EXPECT_GT(hidden_by_reuse, 20u) << "reuse would have given these an owner";
  EXPECT_GT(silent, 5u);
}

TEST(StalePointers, NewMemoryHoldsNothingOfTheOld) { // twin: AcceptsMemoryThatIsWrittenFirst
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    auto const first = run.allocate_async(64, a);
    run.write(a, first);
    EXPECT_EQ(cudaFreeAsync(first.base, a), cudaSuccess);
    auto const second = run.allocate_async(64, a);
    EXPECT_NE(second.base, first.base);
    run.read(a, second);
  });
  EXPECT_EQ(kinds(found), std::vector<std::string>{"undefined-read"});
}

TEST(StalePointers, AcceptsMemoryThatIsWrittenFirst) {
  EXPECT_TRUE(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                auto const first = run.allocate_async(64, a);
                run.write(a, first);
                EXPECT_EQ(cudaFreeAsync(first.base, a), cudaSuccess);
                auto const second = run.allocate_async(64, a);
                run.write(a, second);
                run.read(a, second);
              }).empty());
}

} // namespace
} // namespace mockgpu::tests
