#pragma once
/// \file The shared memory of the blocks of a running grid.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/variable_table.hpp"

namespace mockgpu {

/// True for addresses in or near dynamic shared memory, where nothing else lies.
[[nodiscard]] bool near_dynamic_shared_memory(std::uintptr_t address) noexcept;

/// How many bytes such an address lies behind the begin of a block's dynamic shared memory.
[[nodiscard]] std::ptrdiff_t dynamic_shared_offset(std::uintptr_t address) noexcept;

/// What new shared memory is filled with, as far as that costs little: its content is undefined.
inline constexpr unsigned char shared_poison_byte = 0xFB;

/// Dynamic shared memory has an address of its own in each block that is alive; static shared
/// variables have one address, and their content is exchanged.
class shared_memory_of_grid {
public:
  /// \param dynamic_bytes of each block, as the launch says.
  shared_memory_of_grid(std::size_t dynamic_bytes, shared_range static_variables);
  shared_memory_of_grid(shared_memory_of_grid const&) = delete;
  shared_memory_of_grid& operator=(shared_memory_of_grid const&) = delete;

  /// The place of a block that has been left while it was alive.
  using place = unsigned;
  /// A fresh block starts, in a place that no live block has.
  [[nodiscard]] place begin_block();
  /// The block is left while it is alive, or goes on.
  void leave(place);
  void enter(place);
  /// The block has ended.
  void end_block(place);
  /// Blocks follow each other in one place, from the first start on.
  void begin_next_block_in_place();

  [[nodiscard]] void* dynamic() const noexcept { return dynamic_; }

private:
  void tell_dynamic(place);
  void poison(bool first);

  std::size_t dynamic_bytes_;
  shared_range static_;
  void* dynamic_ = nullptr;
  std::vector<place> idle_;
  unsigned places_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> saved_; ///< static variables of blocks that were left
};

} // namespace mockgpu
