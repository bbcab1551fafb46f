#pragma once
/// \file The mock's memory: one reserved range with an arena per device and one for pinned host
/// memory, the shadow beside it, and the table of all blocks.
#include <deque>
#include <map>

#include "memory/allocation.hpp"
#include "memory/variable_copies.hpp"
#include "order/access.hpp"

namespace mockgpu {

/// What new memory is filled with; a number made of it is visibly wrong (-4e+287, -2.6e+36,
/// -67372037).
inline constexpr unsigned char poison_byte = 0xFB;

class memory {
public:
  /// Reserves address space for `device_count` devices; no memory is used before it is touched.
  /// \param tell_threads_apart the shadow gets its second plane too (thread_cells.hpp).
  /// \throws std::bad_alloc if the address space is not to be had.
  memory(int device_count, bool tell_threads_apart);
  ~memory();
  memory(memory const&) = delete;
  memory& operator=(memory const&) = delete;

  /// A new block of `size_bytes` > 0, poisoned, at an address that no block had for long, which is
  /// 256-aligned and deliberately not 512-aligned, with a gap of at least its size (and 1 MiB) to
  /// both neighbours. Null when the device's simulated capacity is used up.
  [[nodiscard]] allocation* allocate(memory_space, int device, std::size_t size_bytes);
  /// A variable of the program becomes memory of a device, for good or until `forget`. Its address
  /// is aligned to 8 bytes. An address that is known already is left as it is.
  allocation& add_variable(std::uintptr_t begin, std::size_t size_bytes, int device,
                           std::string name);
  /// Gives a variable, which has its first content still, a copy on every other device that the
  /// memory was made for.
  void copy_to_other_devices(allocation const& variable);
  variable_copies variables;
  /// The variable is gone: its library is unloaded.
  void remove_variable(std::uintptr_t begin);
  /// Gives the block's pages back and clears its shadow. The record stays, and an old pointer names
  /// it, until much later a new block needs the addresses.
  void retire(allocation&);

  /// Empties the plane of the shadow that tells threads of a kernel apart.
  void clear_thread_cells() noexcept;
  /// The records of a block, where there is that plane.
  [[nodiscard]] static record_range records(allocation const&) noexcept;

  /// The block that holds the address, freed ones included, or null.
  [[nodiscard]] allocation* find(std::uintptr_t address) noexcept {
    if (last_found_ != nullptr && last_found_->contains(address)) return last_found_;
    return look_up(address);
  }
  /// The least distance, in bytes, of a block of this size from both neighbours.
  [[nodiscard]] static std::size_t gap_bytes(std::size_t size_bytes) noexcept;
  /// The block that an address in a gap most likely belongs to, or null where the space is empty.
  [[nodiscard]] allocation* nearest(std::uintptr_t address) noexcept;
  [[nodiscard]] allocation& at(std::uint32_t index) { return blocks_[index - 1]; }
  [[nodiscard]] std::deque<allocation>& blocks() noexcept { return blocks_; }

  /// Bytes in use, and the simulated capacity, of a device.
  [[nodiscard]] std::size_t used_bytes(int device) const {
    return arenas_[std::size_t(device)].used_bytes;
  }
  static constexpr std::size_t capacity_bytes = std::size_t{64} << 30;

  /// A cell of a block, which has `cell_count` of them.
  [[nodiscard]] static std::uint32_t& cell(allocation const& block, std::size_t index) noexcept {
    return first_cell(block)[index * shadow.stride];
  }
  /// The cell of an address in the arenas or in a variable, or null where that is not one.
  [[nodiscard]] std::uint32_t* cell_at(std::uintptr_t address) noexcept;
  /// Whether the address is the mock's: in the arenas, or in a variable.
  [[nodiscard]] bool is_ours(std::uintptr_t address) noexcept;
  [[nodiscard]] static std::size_t cell_count(allocation const& block) noexcept {
    return (block.size_bytes + 7) / 8;
  }

private:
  struct arena {
    std::uintptr_t begin = 0, next = 0, window_end = 0, end = 0;
    std::size_t last_gap = 0;
    std::size_t used_bytes = 0;
  };
  [[nodiscard]] static std::uint32_t* first_cell(allocation const&) noexcept;
  [[nodiscard]] static std::size_t shadow_bytes(allocation const&) noexcept; ///< for its cells
  static void give_back(allocation const&) noexcept;
  static void empty(allocation const&) noexcept;
  [[nodiscard]] std::uintptr_t find_place(arena&, std::size_t size_bytes, std::size_t gap);
  allocation const* clear_way(std::uintptr_t begin, std::uintptr_t end);
  [[nodiscard]] allocation* look_up(std::uintptr_t address) noexcept;

  std::vector<arena> arenas_; // devices, then pinned memory
  std::deque<allocation> blocks_;
  std::map<std::uintptr_t, allocation*> by_begin_;
  allocation* last_found_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::deque<std::vector<std::uint32_t>> variable_cells_;
  std::deque<std::vector<shadow_record>> variable_records_;
};

} // namespace mockgpu
