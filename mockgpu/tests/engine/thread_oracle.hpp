#pragma once
/// \file Which bytes threads of one kernel race on, by the definition: every pair of accesses, and
/// the closure of everything that orders them. Shares nothing with the engine.
#include <cstddef>
#include <set>
#include <vector>

namespace mockgpu::tests {

/// What a thread does, or what happens to several of them, in the order of execution.
struct kernel_event {
  enum class kind { read, write, atomic, device_fence, block_fence, block_barrier, warp_barrier };
  kind what = kind::read;
  unsigned block = 0;
  unsigned thread = 0;            ///< of accesses and fences
  std::set<unsigned> threads;     ///< of barriers: who meets
  std::size_t begin = 0, end = 0; ///< of accesses, bytes
  /// Of fences, and of atomics by their memory order.
  bool acquires = false, releases = false;
  bool writes = true; ///< of atomics: a load does not
};

struct racy_bytes {
  std::set<std::size_t> plain;       ///< two plain accesses
  std::set<std::size_t> with_atomic; ///< an atomic and a plain one
};

[[nodiscard]] racy_bytes find_racy_bytes(std::vector<kernel_event> const&);

} // namespace mockgpu::tests
