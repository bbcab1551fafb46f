#pragma once
/// \file The shared memory of the blocks of a running grid.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernel/variable_table.hpp"

namespace mockgpu {

/// Whether the bytes lie in the running block's dynamic shared memory, or in one static variable.
[[nodiscard]] bool inside_shared_memory(std::uintptr_t address, std::size_t size_bytes) noexcept;
/// Whether the address is in shared memory or so near to it that nothing else lies there.
[[nodiscard]] bool near_shared_memory(std::uintptr_t address) noexcept;

/// What an address near shared memory was meant for.
struct shared_target {
  mockgpu_variable_record const* variable = nullptr; ///< null: dynamic shared memory
  std::ptrdiff_t offset = 0;                         ///< from its begin, in bytes
  std::size_t size_bytes = 0;                        ///< that it has
};
[[nodiscard]] shared_target find_shared_target(std::uintptr_t address) noexcept;

/// What new shared memory is filled with, as far as that costs little: its content is undefined.
inline constexpr unsigned char shared_poison_byte = 0xFB;

/// Dynamic shared memory has an address of its own in each block that is alive; static shared
/// variables have one address, and their content is exchanged.
class shared_memory_of_grid {
public:
  /// \param dynamic_bytes of each block, as the launch says.
  /// \param static_variables of the kernel's library, or null.
  shared_memory_of_grid(std::size_t dynamic_bytes, shared_layout const* static_variables);
  ~shared_memory_of_grid();
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

  /// Of the running block. Has an address also where the launch gives it no bytes, so that their
  /// use is told from that of a null pointer.
  [[nodiscard]] void* dynamic() const;

private:
  void tell_dynamic(place);
  void poison(bool first);

  std::size_t dynamic_bytes_;
  std::byte* static_begin_ = nullptr;
  std::size_t static_bytes_ = 0;
  void* dynamic_ = nullptr;
  std::vector<place> idle_;
  unsigned places_ = 0;
  std::vector<std::unique_ptr<std::byte[]>> saved_; ///< static variables of blocks that were left
};

} // namespace mockgpu
