#pragma once
/// \file One block of the mock's memory, from its allocation until the end of the process: an
/// address is given out again only after gigabytes of others, so that an old pointer still names
/// its block.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "order/cell_state.hpp"
#include "order/clock.hpp"
#include "order/thread_cells.hpp"

namespace mockgpu {

enum class memory_space : std::uint8_t { device, pinned };

/// How a block may be freed while work on it is in flight.
enum class free_rule : std::uint8_t {
  none,           ///< not freed
  orders_block,   ///< cudaFree of cudaMalloc memory: ordered after earlier work that touches the
                  ///< block
  host_ordered,   ///< cudaFree of stream-ordered memory: at this place of the host, no mercy
  stream_ordered, ///< cudaFreeAsync
};

/// A part of a slab, by annotation. Offsets in bytes from the beginning of the block.
struct sub_array {
  std::size_t begin = 0, end = 0;
  std::size_t alignment_bytes = 1;
  std::string name;
};

/// The sub-arrays that hold for operations issued from `from` on; empty: the block is whole again.
struct slab_layout {
  issue_number from = 0;
  std::vector<sub_array>
      parts; ///< sorted by begin; may overlap (arrays that are never live together)
};

/// Where an operation first touched a block: for the source line of the earlier side of a finding,
/// and for the place of the missing edge.
struct access_site {
  chain_index chain;
  history_kind kind;
  issue_number issue;
  void const* return_address;
};

struct allocation {
  std::uint32_t index = 0; ///< generation, from 1, in order of allocation
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;
  memory_space space = memory_space::device;
  int device = 0;
  std::uint32_t pool = 0;         ///< serial of the pool; 0: not of a pool
  chain_index chain = host_chain; ///< of the allocation; host_chain: usable at once
  issue_number issue = 0;         ///< of the allocation
  free_rule rule = free_rule::none;
  chain_index free_chain = host_chain;
  issue_number free_issue = 0; ///< 0: not freed
  bool freed = false;          ///< the free has been executed; earlier work may still come
  bool retired = false;        ///< nothing is there any more
  bool baseline = false;       ///< no leak
  bool managed = false;        ///< pinned memory that is freed like the device's
  unsigned flags = 0;          ///< of pinned memory, as the program gave them
  bool device_heap = false;    ///< by a kernel
  bool variable = false;       ///< a variable of the program: not allocated, and defined from the start
  bool constant = false;       ///< a variable that kernels do not write
  /// Of a variable that lies outside of the arenas: not of another device's copy.
  std::uint32_t* own_cells = nullptr;
  shadow_record* own_records = nullptr; ///< null where there are only cells
  state_id fresh_whole = 0, fresh_tail = 0; ///< states of cells not touched yet; 0: not made yet
  /// Cells outside of these have not been touched.
  std::size_t touched_begin = SIZE_MAX, touched_end = 0;
  std::string name; ///< by annotation
  std::vector<slab_layout> layouts;
  std::vector<access_site> sites; ///< the newest of each chain, at most `max_sites`

  static constexpr std::size_t max_sites = 256;

  [[nodiscard]] bool contains(std::uintptr_t address) const noexcept {
    return address - begin < size_bytes;
  }
  /// The layout that holds for an operation, or null.
  [[nodiscard]] slab_layout const* layout_at(issue_number user) const noexcept {
    for (auto it = layouts.rbegin(); it != layouts.rend(); ++it)
      if (it->from <= user) return it->parts.empty() ? nullptr : &*it;
    return nullptr;
  }
};

} // namespace mockgpu
