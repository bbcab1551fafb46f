#pragma once
/// \file The one source of choice of a campaign: the same seed gives the same numbers everywhere.
#include <cstdint>
#include <string_view>

namespace assay::fuzz {

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class random_source {
public:
  explicit random_source(std::uint64_t seed) noexcept : state_(seed) {}
  /// A source of its own for the object number `index` of a kind, whatever else was drawn.
  random_source(std::uint64_t seed, std::string_view kind, std::uint64_t index) noexcept
      : state_(seed) {
    for (char const c : kind) state_ = next() ^ static_cast<unsigned char>(c);
    state_ = next() + index * 0x9e3779b97f4a7c15u;
    state_ = next();
  }

  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to `count` - 1; `count` is at least 1.
  std::uint64_t below(std::uint64_t count) noexcept { return next() % count; }

private:
  std::uint64_t state_;
};

} // namespace assay::fuzz
