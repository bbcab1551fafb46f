#pragma once
/// \file Where two sequences differ.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mockgpu::tools {

/// Elements [first_begin, first_end) of the first sequence stand in the place of elements
/// [second_begin, second_end) of the second one. One of the ranges may be empty.
struct difference {
  std::size_t first_begin = 0, first_end = 0, second_begin = 0, second_end = 0;
  bool operator==(difference const&) const = default;
};

/// The shortest list of differences, in order (Myers, "An O(ND) difference algorithm", 1986).
/// Between two of them there is at least one element that both have.
/// \param most elements that are in one of the sequences only; with more there is no answer.
[[nodiscard]] std::optional<std::vector<difference>>
find_differences(std::span<std::uint64_t const> first, std::span<std::uint64_t const> second,
                 std::size_t most);

} // namespace mockgpu::tools
