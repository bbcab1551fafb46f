#pragma once
/// \file Footprints of a step with the values of this call: which elements, in the one order that
/// stand-ins use.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assay/expression.hpp"
#include "assay/plan.hpp"

namespace assay::plan {

/// A box with known numbers, in elements. Ascending: its order is the order of offsets, without
/// repetition.
struct known_box {
  struct extent {
    std::int64_t count = 1, stride = 1;
  };
  std::int64_t offset = 0;
  std::vector<extent> extents;
};

/// Evaluates a box; absent where a count is 0 or less (nothing is touched).
[[nodiscard]] std::optional<known_box> known(box const&, symbol_values const&);

/// Calls for each element offset of an ascending box, in order.
void for_each_offset(known_box const&, std::function<void(std::int64_t)> const&);

/// The union of boxes as ascending boxes, each element once: one box where the union is a regular
/// grid.
[[nodiscard]] std::vector<known_box> normalised(std::vector<known_box>);

/// What a step touches of one buffer in one way.
struct touched {
  buffer_id buffer{};
  std::vector<known_box> boxes; ///< normalised
};
enum class touch : std::uint8_t { read, write, accumulate };
/// All touches of one kind, buffers ordered by (SDFG, container).
[[nodiscard]] std::vector<touched> touches(std::span<footprint const>, touch, program const&,
                                           symbol_values const&);

} // namespace assay::plan
