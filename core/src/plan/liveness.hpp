#pragma once
/// \file Which buffers of a plan are never live together, by happens-before over its steps: what
/// the layout `reuse` may put on the same bytes.
#include <map>
#include <optional>
#include <vector>

#include "assay/plan.hpp"

namespace assay::plan {

/// Lifetimes of the external buffers of a plan whose streams and waits are set.
///
/// A buffer lives from the first step that touches it to the last one, in the innermost list of
/// steps (arm of a branch, never the body of a loop) that holds them all. Two buffers are apart if
/// one ends before the other starts and every operation on it happens before every operation on the
/// other, in this call and from each call to the next; or if they live in different arms of one
/// branch and each call's operations happen before the next call's.
class lifetimes {
public:
  explicit lifetimes(program const&);

  /// Whether sharing a byte could change a result. A buffer that nothing touches is apart from all.
  [[nodiscard]] bool live_together(buffer_id, buffer_id) const;

  /// Sets of buffers that live at one step, at least one for each step at which a life starts.
  [[nodiscard]] std::vector<std::vector<buffer_id>> const& sets() const noexcept { return sets_; }

  /// Step `position` of a list, and which of the step's inner lists goes on from there.
  struct turn {
    std::size_t position = 0, inner = 0;
    friend bool operator==(turn const&, turn const&) = default;
  };
  using path = std::vector<turn>; ///< from the body to a step; ends at the step, with inner 0

private:
  /// Operations on one buffer in one call, by agent (0 the host, 1 + s the stream s).
  struct order {
    std::vector<std::size_t> last; ///< number of the last operation of each agent, 0 for none
    std::vector<std::size_t>
        known; ///< how many operations of each agent happen before all of these
    bool any = false;
  };
  struct life {
    path list; ///< turns that lead to the list
    std::size_t first = 0, last = 0;
    order calls[2]; ///< of two calls that follow each other
  };
  std::map<buffer_id, life> lives_;
  std::vector<std::vector<buffer_id>> sets_;

  [[nodiscard]] static bool happens_before(order const&, order const&);
  void collect_sets();
  friend class order_walk;
};

/// Two arrays of one workspace that share bytes for these symbols although both are live.
struct overlap {
  std::string storage;
  buffer_id first{}, second{};
};
/// The first overlap of a plan's workspaces, or nothing.
[[nodiscard]] std::optional<overlap> find_overlap(program const&, symbol_values const&);

} // namespace assay::plan
