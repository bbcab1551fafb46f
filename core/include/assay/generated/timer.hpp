#pragma once
/// \file The clock of metrics blocks. Apart from the rest because <chrono> is slow to compile.
#include <chrono>

namespace assay::gen {

/// Nanoseconds of a clock that never goes back.
inline long long now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace assay::gen
