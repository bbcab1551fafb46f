#pragma once
/// \file Where the static shared variables of one library lie.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mockgpu/abi.h"

namespace mockgpu {

/// Bytes before and behind each variable of the device or of a block that belong to none: the
/// drivers' assembler leaves them (tools/variable_records.cpp).
inline constexpr std::size_t variable_margin_bytes = 256;

/// One for each library; empty where it has no static shared variable.
class shared_layout {
public:
  shared_layout() = default;
  /// Of the records of one library; takes no notice of variables that are not shared.
  shared_layout(mockgpu_variable_record const* begin, mockgpu_variable_record const* end);

  /// From the first variable to the end of the last, margins between them included.
  [[nodiscard]] std::byte* begin() const noexcept { return begin_; }
  [[nodiscard]] std::size_t size_bytes() const noexcept { return size_bytes_; }

  /// Whether all bytes lie in one variable.
  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t size_bytes) const noexcept;
  /// The variable that the address lies in, or in whose margin; null for other memory.
  [[nodiscard]] mockgpu_variable_record const* near(std::uintptr_t address) const noexcept;

private:
  std::byte* begin_ = nullptr;
  std::size_t size_bytes_ = 0;
  std::vector<mockgpu_variable_record const*> variables_; ///< by address
  /// For each granule of the range, the variable in it; null in margins.
  std::vector<mockgpu_variable_record const*> granules_;
};

} // namespace mockgpu
