#pragma once
/// \file Judges accesses: by happens-before, by bounds, by what is defined. Knows nothing of who runs when.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "memory/allocation.hpp"
#include "memory/watch.hpp"
#include "mockgpu/findings.hpp"
#include "order/access.hpp"
#include "order/call_log.hpp"

namespace mockgpu {

class checker {
public:
  allocation_table allocations;
  history_table histories;
  call_log calls;
  std::function<void(finding const&)> sink;

  // ---- memory --------------------------------------------------------------------------------------

  /// New memory: undefined, touchable only after `where`.
  void allocated(allocation const&, position const& where);
  /// The free was called at `where`: nothing issued later may touch the block.
  void free_called(allocation&, position const& where, std::uint64_t issue);
  /// The free runs: every access so far must be before it, unless it waits for them (`orders_block`).
  void freed(allocation&, accessor& by, bool orders_block);
  void mark_undefined(std::uintptr_t address, std::size_t size_bytes);
  /// Whether accesses to these bytes of live memory are in bounds (sub-arrays of a slab).
  void set_addressable(std::uintptr_t address, std::size_t size_bytes, bool addressable);

  // ---- accesses ------------------------------------------------------------------------------------

  /// Any range, by hooked code or by an operation of the runtime. `use_value`: reads of undefined bytes count.
  void access(accessor& by, std::uintptr_t address, std::size_t size_bytes, access_kind, void const* code,
              bool use_value = true);
  /// Offsets of undefined bytes in a range of arena memory, as disjoint [begin, end).
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> undefined_in(std::uintptr_t address,
                                                                              std::size_t size_bytes) const;
  /// Host code touches pageable memory.
  void pageable_access(accessor& by, std::uintptr_t address, std::size_t size_bytes, access_kind,
                       void const* code);
  /// A queued copy will touch pageable memory.
  void watch(watched_range, position const&);
  /// The host has waited: ranges of operations that it now knows to be done are forgotten.
  void retire_watches(position const& host);
  undefined_ranges undefined_host;
  /// Nothing of pageable memory outside [low, high) is of interest.
  [[nodiscard]] bool watches(std::uintptr_t address) const noexcept {
    return address - watch_low_ < watch_span_;
  }
  void update_watch_bounds();

  // ---- findings ------------------------------------------------------------------------------------

  /// Adds bytes of `about` (may be null) to the finding of this kind between the two sides.
  void report(std::string kind, std::string rule, std::string message, operation_ref first,
              operation_ref second, allocation const* about, std::uint64_t byte_begin, std::uint64_t byte_end,
              std::optional<missing_edge> edge = std::nullopt);
  /// Emits what has been collected: at the end of an operation and at each call of the host.
  void flush();
  [[nodiscard]] std::vector<finding> const& all_findings() const noexcept { return findings_; }

  [[nodiscard]] operation_ref describe(accessor const&, access_kind, void const* code) const;
  [[nodiscard]] operation_ref describe(history_entry const&) const;
  [[nodiscard]] operation_ref describe_call(std::uint64_t call, std::string access) const;
  std::function<std::string(chain_id)> chain_name;
  std::function<source_location(void const*)> source_line;
  /// Host thread of a chain, if it is one.
  std::function<bool(chain_id)> is_host_chain;

private:
  struct open_key {
    std::string kind;
    std::uint64_t allocation, first, second;
    std::string first_access, second_access;
    auto operator<=>(open_key const&) const = default;
  };
  std::map<open_key, finding> open_;
  std::set<std::string> identities_;
  std::vector<finding> findings_;
  std::vector<watched_range> watches_;
  std::uintptr_t watch_low_ = 0, watch_span_ = 0;

  void granule(accessor&, std::uintptr_t address, byte_mask, access_kind, void const* code, bool use_value);
  bool judge(accessor&, history const&, std::uintptr_t granule_address, byte_mask, access_kind,
             void const* code, bool use_value);
  void no_live_memory(accessor&, std::uintptr_t address, byte_mask, access_kind, void const* code);
  void unordered(accessor&, history_entry const&, allocation const*, std::uintptr_t address, byte_mask,
                 access_kind, void const* code);
  [[nodiscard]] memory_ref memory_of(allocation const*, std::uint64_t byte) const;
};

} // namespace mockgpu
