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
/// steps that holds them all: an arm of a branch, or the body of a loop whose iterations leave each
/// other nothing in the buffer because each begins by overwriting it. Two buffers are apart if
/// their lives do not meet and every operation of the one that comes first happens before every
/// operation of the other: within a call, from one iteration to the next, and from one call to the
/// next.
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
  /// Operations on one buffer in one passage through its list, by agent (0 the host, 1 + s the
  /// stream s).
  struct passage {
    std::size_t entry = 0;         ///< number of the passage, of all lists
    std::size_t when = 0;          ///< number of its first operation, of all agents
    std::vector<std::size_t> last; ///< number of the last operation of each agent, 0 for none
    std::vector<std::size_t>
        known; ///< how many operations of each agent happen before all of these
  };
  struct life {
    path list; ///< turns that lead to the list
    std::size_t first = 0, last = 0;
    step_list const* steps = nullptr; ///< the list; of the plan, while this is made
    std::vector<passage> passages;    ///< of two calls that follow each other
  };
  std::map<buffer_id, life> lives_;
  std::vector<std::vector<buffer_id>> sets_;

  [[nodiscard]] static bool happens_before(passage const&, passage const&);
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
