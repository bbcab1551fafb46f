#pragma once
/// \file Counts inequivalent orders by trying every one of them: what exploration is judged by. It
/// shares no code with the engine.
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace mockgpu::tests {

/// A program as a list of calls, made by one host thread.
struct scripted_call {
  enum class kind { kernel, record, wait, host_access, synchronize };
  kind what = kind::kernel;
  int stream = 0; ///< from 0; all are non-blocking
  int event = 0;
  struct cell {
    int index = 0;
    bool write = false;
  };
  std::vector<cell> cells; ///< that a kernel or the host touches, one byte range each
};

struct order_count {
  std::uint64_t all = 0; ///< orders of the steps that touch something, as the program allows
  std::uint64_t inequivalent = 0; ///< orders of the pairs of steps that conflict
};

/// A host access belongs to the host's step that ends with the next call.
[[nodiscard]] order_count count_orders(std::vector<scripted_call> const&);

} // namespace mockgpu::tests
