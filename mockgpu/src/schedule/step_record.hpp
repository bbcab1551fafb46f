#pragma once
/// \file What a run did, step by step, as a fingerprint of constant size.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mockgpu {

/// A step is an executed operation or a choice. The record is a sum for each block of steps, so two
/// blocks are joined by adding.
class step_record {
public:
  /// Records from scratch.
  step_record() = default;
  /// Records, and compares with what another run recorded. \param steps of that run
  step_record(std::uint64_t steps, std::vector<unsigned> checks);

  /// \param what a number that names the step, equal in every process that runs the program.
  /// \returns false when the block that this step ends differs from the other run's.
  [[nodiscard]] bool add(std::uint64_t what) noexcept;

  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] std::vector<unsigned> checks() const;

  /// Of the other run; 0 where there is none.
  [[nodiscard]] std::uint64_t expected_steps() const noexcept { return expected_steps_; }
  /// Steps before the block that ended last.
  [[nodiscard]] std::uint64_t block_begin() const noexcept;

private:
  std::array<std::uint64_t, 64> sums_{}; // at least as many as a token has checks
  std::uint64_t steps_ = 0, block_steps_ = 1;
  std::uint64_t expected_steps_ = 0, expected_block_ = 1, compared_sum_ = 0;
  std::vector<unsigned> expected_;
};

} // namespace mockgpu
