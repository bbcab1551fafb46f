#pragma once
/// \file The value rule of stand-in kernels: what a checker can recompute and a stale read cannot
/// fake.
#include <cstdint>
#include <string_view>

namespace assay {

/// One step of a 64-bit hash: depends on both arguments and on their order. A bijection of `value`
/// for each `state`, so a single changed input changes the result. Source: the finaliser of
/// splitmix64.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t state, std::uint64_t value) noexcept {
  std::uint64_t z = (state ^ (state >> 29)) * 0x9E3779B97F4A7C15ULL + value;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Seed of the stand-in for an element of the file: its place (JSON pointer), hashed (FNV-1a).
[[nodiscard]] constexpr std::uint64_t mix_seed(std::string_view place) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (char const c : place) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

} // namespace assay
