#pragma once
/// \file The settings that a campaign varies, which of their combinations it tries, and which it
/// has tried.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/random.hpp"

namespace assay::fuzz {

enum class axis : std::uint8_t {
  mode,
  layout,
  workspace,
  stream,
  call,
  schedule,
  dialect,
  calls,
  fault
};
inline constexpr std::size_t axis_count = 9;

/// Names of the values of an axis; the first one is the default, which shrinking goes towards.
[[nodiscard]] std::vector<std::string_view> const& values_of(axis) noexcept;
[[nodiscard]] std::string_view name(axis) noexcept;

/// One combination: the number of a value for each axis.
struct choice {
  std::array<std::uint8_t, axis_count> values{};
  [[nodiscard]] std::string_view operator[](axis a) const {
    return values_of(a)[values[static_cast<std::size_t>(a)]];
  }
  friend auto operator<=>(choice const&, choice const&) = default;
};
/// \throws error{invalid_input} listing the values of the axis.
void set(choice&, axis, std::string_view value);
/// What says nothing new goes back to its default: layouts and workspaces count in mode external
/// only.
[[nodiscard]] choice normalised(choice) noexcept;
/// "external packed exact non-blocking async lazy hip-6 1 none".
[[nodiscard]] std::string to_text(choice const&);

/// Combinations that together have every pair of values that can occur; few of them, in an order
/// that depends on the seed alone.
[[nodiscard]] std::vector<choice> covering_pairs(std::uint64_t seed);
[[nodiscard]] choice random_choice(random_source&);

/// Which pairs and triples of values were met.
class coverage {
public:
  void add(choice const&);
  [[nodiscard]] std::size_t pairs() const noexcept { return pair_count_; }
  [[nodiscard]] std::size_t triples() const noexcept { return triple_count_; }
  /// "pairs 412 of 412, triples 1203 of 3018".
  [[nodiscard]] std::string text() const;
  /// Of all combinations that there are.
  [[nodiscard]] static coverage const& whole();

private:
  std::vector<bool> pairs_ = std::vector<bool>(1u << 12), triples_ = std::vector<bool>(1u << 18);
  std::size_t pair_count_ = 0, triple_count_ = 0;
};

} // namespace assay::fuzz
