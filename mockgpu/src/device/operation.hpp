#pragma once
/// \file Queued work and the streams and events it is queued on.
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mockgpu/findings.hpp"
#include "order/clock.hpp"

namespace mockgpu {

struct stream;

/// What reports say of an operation or call; kept for the whole run, so it is small.
struct call_record {
  std::uint32_t what = 0, name = 0, chain = 0; ///< interned texts
  std::uint32_t line = 0;
  char const* file = nullptr;        ///< of a launch
  void const* return_address = nullptr; ///< of a call; the source line is looked up when it is needed
};

/// One queued operation. Its place in the order is fixed when it is issued.
struct operation {
  position where;
  std::uint64_t issue = 0; ///< number of the call that queued it
  stream* queue = nullptr;
  std::vector<std::shared_ptr<operation>> after; ///< not yet done when this was issued, besides the stream's previous
  std::function<void()> run;                     ///< may be empty: records, waits
  bool checks_accesses = false;                  ///< run() is compiled code with hooks
  bool done = false;
};
using operation_ptr = std::shared_ptr<operation>;

/// A stream's queue and what is known of its order. `tail` is the last operation, done or not.
struct stream {
  int device = 0;
  bool blocking = true;
  bool legacy = false;
  bool destroyed = false;
  bool baseline = false;
  int priority = 0;
  chain_id chain{};
  std::uint64_t issued = 0;
  clock_base known; ///< by waits and joins
  operation_ptr tail;
  std::deque<operation_ptr> pending;
  std::string name;
  /// Operation count of the legacy stream that this stream's order already includes.
  std::uint64_t joined_legacy = 0;
  /// Of the legacy stream: operations of a blocking stream that it has joined are not joined again.
  std::uint64_t joined_by_legacy = 0;
};

struct event {
  int device = 0;
  bool timing = true;
  bool destroyed = false;
  bool baseline = false;
  operation_ptr recorded; ///< the newest record; null: never recorded, complete
};

} // namespace mockgpu
