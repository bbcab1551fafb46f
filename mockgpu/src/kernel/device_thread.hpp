#pragma once
/// \file A device thread that has had to wait, and the block that it belongs to.
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/context/fiber.hpp>

#include "kernel/sanitizer_fiber.hpp"
#include "kernel/shared_memory.hpp"
#include "mockgpu/abi.h"
#include "order/thread_order.hpp"

namespace mockgpu {

enum class thread_state : std::uint8_t {
  not_started,
  running,
  ready, ///< may go on
  spinning, ///< polls memory; goes on when nobody else can
  at_block_barrier,
  at_grid_barrier,
  at_warp_operation,
  ended,
};

/// A place in the program, as the preprocessor names it.
struct program_place {
  char const* file = "";
  unsigned line = 0;
};

struct warp_request {
  mockgpu_warp_operation operation = mockgpu_warp_sync;
  std::uint64_t lanes = 0; ///< 0: those that reach the place together
  std::uint64_t value = 0;
  unsigned source = 0;
  std::size_t stack_bytes = 0;      ///< how deep the call is nested
  void const* code = nullptr;       ///< where it returns to
  std::uint64_t result = 0;
};

struct device_thread {
  thread_state state = thread_state::not_started;
  bool sleeps = false; ///< while it spins: it has asked for a pause, and may look at no memory
  program_place place; ///< where it waits
  warp_request warp;
  boost::context::fiber fiber; ///< its stack while it waits
  sanitizer_fiber sanitizer;   ///< of that stack
  std::unique_ptr<std::uint64_t[]> gathered; ///< 64 values, made at the first gather
};

/// A block with a thread that has waited. Blocks without one leave no trace.
struct live_block {
  unsigned index[3] = {};
  shared_memory_of_grid::place place = 0;
  thread_order::block_token token = 0; ///< while it is left
  std::vector<device_thread> threads; ///< by linear index
  unsigned frontier = 0;              ///< threads from here on have not been started
  unsigned unfinished = 0;            ///< threads that have not ended, started or not
  unsigned at_barrier = 0, at_grid = 0, spinning = 0;
  std::uint64_t true_predicates = 0; ///< of the barrier that gathers
  std::uint64_t barrier_result = 0;  ///< of the barrier before
  program_place barrier_place;       ///< where its first thread waits
  unsigned barrier_first = 0;        ///< who that is
  bool barrier_diverges = false;
  std::vector<unsigned> ready; ///< threads that may go on, in order
};

} // namespace mockgpu
