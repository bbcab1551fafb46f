#include "mock_environment.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "mockgpu/control.hpp"

namespace {

std::vector<mockgpu::finding>& collected() {
  static std::vector<mockgpu::finding> all;
  return all;
}

class judge : public ::testing::EmptyTestEventListener {
  // After the case's own objects are gone, so that what they left behind counts too.
  void OnTestEnd(::testing::TestInfo const&) override {
    (void)mockgpu::finish(); // the sink gets them all
    for (auto const& one : conformance::take_findings()) ADD_FAILURE() << mockgpu::to_text(one);
  }
};

[[maybe_unused]] bool const installed = [] {
  mockgpu::set_sink([](mockgpu::finding const& one) { collected().push_back(one); });
  ::testing::UnitTest::GetInstance()->listeners().Append(new judge);
  return true;
}();

} // namespace

std::vector<mockgpu::finding> conformance::take_findings() {
  return std::exchange(collected(), {});
}
