#pragma once
/// \file What tests of races between threads of one kernel start from: memory of the device, and a
/// run that tells threads apart.
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "thread_script.hpp"

namespace mockgpu::tests {

class thread_race_test : public ::testing::Test {
protected:
  scripted_run run_{with_threads()};
  region const x_ = run_.allocate(4096);
  int* const data_ = static_cast<int*>(x_.base);

  std::vector<finding> finish() {
    EXPECT_GT(current_statistics().accesses, 0u);
    return run_.finish();
  }
  void expect_silence() {
    for (finding const& one : finish()) ADD_FAILURE() << to_text(one);
  }
  /// One race and nothing else. \param rule its rule; empty: any.
  finding expect_race(std::string_view rule = {}) {
    auto const all = finish();
    EXPECT_EQ(all.size(), 1u);
    for (finding const& one : all) {
      EXPECT_EQ(one.kind, "thread-race") << to_text(one);
      if (!rule.empty()) {
        EXPECT_EQ(one.rule, rule) << to_text(one);
      }
    }
    return all.empty() ? finding{} : all.front();
  }
};

} // namespace mockgpu::tests
