#pragma once
/// \file Streams, their queued operations, and events.
#include <cstdint>
#include <deque>
#include <memory>

#include "order/clock.hpp"
#include "order/issue_log.hpp"

namespace mockgpu {

/// What an operation does when it runs. Markers (event record, event wait, allocation) do nothing.
class work {
public:
  virtual ~work() = default;
  virtual void run() = 0;
  /// It runs though the device has failed, and asks the engine why.
  [[nodiscard]] virtual bool runs_after_failure() const noexcept { return false; }
  /// A host function: its accesses are those of host code, on the stream's chain.
  [[nodiscard]] virtual bool host_code() const noexcept { return false; }
};

/// A queued operation. What reports need of it stays in the issue log; the rest goes when it has
/// run.
struct operation {
  issue_number issue = 0;
  clock_ref base;               ///< all operations of other chains that it is ordered after
  std::unique_ptr<work> action; ///< null for markers
};

struct stream {
  stream_serial serial = 0;
  chain_index chain = host_chain;
  int device = 0;
  int priority = 0;
  bool blocking = true; ///< takes part in the legacy barrier
  bool legacy = false;
  bool per_thread = false; ///< the default stream of a host thread
  bool destroyed = false;
  bool baseline = false; ///< no leak
  bool used_since_legacy = false;
  issue_number created = 0;
  issue_number last_issue = 0;  ///< of the newest operation
  issue_number legacy_seen = 0; ///< newest legacy operation that is in `base`
  clock_ref base;               ///< of the newest operation
  clock_ref host_seen;          ///< what the host had waited for at that operation
  std::deque<operation> queue;  ///< not run yet
  bool suspended = false;       ///< its head is a host function that goes on beside the program

  /// The place of the newest operation; issue 0 where there is none.
  [[nodiscard]] order_point last() const { return {chain, last_issue, base}; }
};

struct event {
  std::uint32_t serial = 0;
  int device = 0;
  bool timing = true;
  bool baseline = false;
  issue_number created = 0;
  order_point recorded; ///< the newest record; issue 0: none
};

} // namespace mockgpu
