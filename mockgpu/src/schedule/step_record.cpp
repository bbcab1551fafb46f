#include "schedule/step_record.hpp"

#include "schedule/token.hpp"

namespace mockgpu {
namespace {

std::uint64_t mix(std::uint64_t z) noexcept { // splitmix64's finaliser
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

unsigned check_of(std::uint64_t sum) noexcept { return unsigned(mix(sum) >> 52); }

} // namespace

step_record::step_record(std::uint64_t steps, std::vector<unsigned> checks)
    : expected_steps_(steps), expected_block_(block_steps(steps)), expected_(std::move(checks)) {}

bool step_record::add(std::uint64_t what) noexcept {
  std::uint64_t const step = steps_++;
  std::uint64_t const value = mix(what ^ mix(step + 1));
  if (step / block_steps_ == sums_.size()) {
    for (std::size_t i = 0; i < sums_.size() / 2; ++i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
    for (std::size_t i = sums_.size() / 2; i < sums_.size(); ++i) sums_[i] = 0;
    block_steps_ *= 2;
  }
  sums_[step / block_steps_] += value;

  if (steps_ > expected_steps_) return true;
  compared_sum_ += value;
  if (steps_ % expected_block_ != 0 && steps_ != expected_steps_) return true;
  unsigned const found = check_of(compared_sum_);
  compared_sum_ = 0;
  return found == expected_[step / expected_block_];
}

std::vector<unsigned> step_record::checks() const {
  // The sums may be finer than the token's blocks.
  std::uint64_t const size = block_steps(steps_);
  std::vector<unsigned> result;
  for (std::uint64_t begin = 0; begin < steps_; begin += size) {
    std::uint64_t sum = 0;
    for (std::uint64_t at = begin; at < begin + size && at < steps_; at += block_steps_)
      sum += sums_[at / block_steps_];
    result.push_back(check_of(sum));
  }
  return result;
}

std::uint64_t step_record::block_begin() const noexcept {
  return steps_ == 0 ? 0 : (steps_ - 1) / expected_block_ * expected_block_;
}

} // namespace mockgpu
