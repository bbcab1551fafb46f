#pragma once
/// \file In which order the blocks of a grid start. A device promises none, so a schedule draws
/// one.
#include <cstdint>

namespace mockgpu {

/// The blocks by their linear index, x first: from one of them on, up or down, and round the end.
struct block_order {
  std::uint64_t first = 0; ///< taken modulo the number of blocks
  bool downwards = false;
};

} // namespace mockgpu
