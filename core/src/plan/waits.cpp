#include <algorithm>
#include <map>
#include <utility>

#include "plan/passes.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

/// Streams on which the device may still be writing or reading a host buffer.
struct in_flight {
  std::set<stream_id> writes, reads;
  friend bool operator==(in_flight const&, in_flight const&) = default;
};
using flights = std::map<buffer_id, in_flight>;

flights merged(flights a, flights const& b) {
  for (auto const& [id, f] : b) {
    a[id].writes.insert(f.writes.begin(), f.writes.end());
    a[id].reads.insert(f.reads.begin(), f.reads.end());
  }
  return a;
}

class wait_insertion {
public:
  explicit wait_insertion(program& p) : plan_(p) {}

  void run() {
    // Buffers that outlive the call are still in flight when the next one starts: a call is a loop body.
    flights carried;
    for (;;) {
      flights state = carried;
      (void)rewritten_call(state);
      flights next = merged(carried, surviving(state));
      if (next == carried) break;
      carried = std::move(next);
    }
    flights state = carried;
    plan_.body = rewritten_call(state);
    if (waits_at_the_end())
      for (int s = 0; s < plan_.stream_count; ++s)
        plan_.body.push_back({synchronise{static_cast<stream_id>(s), wait_reason::call_end}, {}});
  }

private:
  program& plan_;
  mutable flights at_jumps_; ///< of the innermost loop: what is in flight where its body breaks or continues

  [[nodiscard]] bool on_host(buffer_id id) const {
    return plan_.buffers[index(id)].space != memory_space::device;
  }

  /// The body, and behind it the waits for what the device may still read of the call's own parameters: they
  /// end with it.
  [[nodiscard]] step_list rewritten_call(flights& state) const {
    step_list out = rewritten(plan_.body, state);
    if (waits_at_the_end()) return out;
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
      if (plan_.buffers[b].by_value && plan_.buffers[b].provision == provision::argument)
        host_touches(static_cast<buffer_id>(b), true, wait_reason::host_release, state, out, {});
    return out;
  }

  [[nodiscard]] bool waits_at_the_end() const {
    return plan_.settings.target != target::cpu &&
           (plan_.settings.call == call_kind::sync || plan_.settings.own_streams > 0);
  }

  [[nodiscard]] flights surviving(flights const& state) const {
    flights result;
    if (waits_at_the_end()) return result;
    for (auto const& [id, f] : state) {
      auto const p = plan_.buffers[index(id)].provision;
      if (p == provision::state_value || p == provision::persistent || p == provision::external)
        result.emplace(id, f);
    }
    return result;
  }

  static void wait_for(stream_id stream, wait_reason reason, flights& state, step_list& out,
                       std::string const& place) {
    out.push_back({synchronise{stream, reason}, place});
    for (auto& [id, f] : state) {
      f.writes.erase(stream);
      f.reads.erase(stream);
    }
  }

  /// The host is about to touch `id`.
  void host_touches(buffer_id id, bool writes, wait_reason reason, flights& state, step_list& out,
                    std::string const& place) const {
    auto const found = state.find(id);
    if (found == state.end() || !on_host(id)) return;
    auto streams = found->second.writes;
    if (writes) streams.insert(found->second.reads.begin(), found->second.reads.end());
    for (auto const stream : streams) wait_for(stream, reason, state, out, place);
  }

  void host_footprints(std::vector<footprint> const& prints, flights& state, step_list& out,
                       std::string const& place) const {
    for (auto const& print : prints)
      host_touches(print.buffer, print.writes, print.writes ? wait_reason::host_write : wait_reason::host_read,
                   state, out, place);
  }

  [[nodiscard]] step_list rewritten(step_list const& list, flights& state) const {
    step_list out;
    for (auto const& s : list) rewrite(s, state, out);
    return out;
  }

  void wait_for_all(flights& state, step_list& out, std::string const& place) const {
    if (plan_.settings.target == target::cpu) return;
    for (int k = 0; k < plan_.stream_count; ++k)
      wait_for(static_cast<stream_id>(k), wait_reason::timer, state, out, place);
  }

  void rewrite(step const& s, flights& state, step_list& out) const {
    std::visit(
        overloaded{
            [&](launch const& x) {
              for (auto const& print : x.footprints)
                if (on_host(print.buffer) && plan_.buffers[index(print.buffer)].by_value)
                  host_touches(print.buffer, false, wait_reason::host_read, state, out, s.place);
              out.push_back(s);
            },
            [&](copy const& x) {
              // A copy from pageable memory may take the bytes when it is issued: the host reads them.
              if (plan_.buffers[index(x.source)].space == memory_space::host)
                host_touches(x.source, false, wait_reason::host_read, state, out, s.place);
              out.push_back(s);
              if (on_host(x.source)) state[x.source].reads.insert(x.stream);
              if (on_host(x.target)) state[x.target].writes.insert(x.stream);
            },
            [&](fill_zero const& x) {
              if (on_host(x.buffer)) host_touches(x.buffer, true, wait_reason::host_write, state, out, s.place);
              out.push_back(s);
            },
            [&](release const& x) {
              host_touches(x.buffer, true, wait_reason::host_release, state, out, s.place);
              out.push_back(s);
            },
            [&](host_compute const& x) {
              host_footprints(x.footprints, state, out, s.place);
              out.push_back(s);
            },
            [&](assign const& x) {
              host_footprints(x.footprints, state, out, s.place);
              out.push_back(s);
            },
            [&](timer_start const& x) {
              wait_for_all(state, out, s.place);
              host_touches(x.start, true, wait_reason::host_write, state, out, s.place);
              out.push_back(s);
            },
            [&](timer_stop const& x) {
              wait_for_all(state, out, s.place);
              host_touches(x.duration, true, wait_reason::host_write, state, out, s.place);
              out.push_back(s);
            },
            [&](jump const&) {
              at_jumps_ = merged(std::move(at_jumps_), state);
              out.push_back(s);
            },
            [&](branch const& x) { rewrite_branch(x, s.place, state, out); },
            [&](loop const& x) { rewrite_loop(x, s.place, state, out); },
            [&](auto const&) { out.push_back(s); }},
        s.content);
  }

  void rewrite_branch(branch const& x, std::string const& place, flights& state, step_list& out) const {
    host_footprints(x.footprints, state, out, place);
    branch result = x;
    flights after;
    bool const has_else = std::ranges::any_of(x.arms, [](auto const& arm) { return !arm.condition; });
    if (!has_else) after = state;
    for (auto& arm : result.arms) {
      flights inside = state;
      arm.body = rewritten(arm.body, inside);
      after = merged(std::move(after), inside);
    }
    state = std::move(after);
    out.push_back({std::move(result), place});
  }

  void rewrite_loop(loop const& x, std::string const& place, flights& state, step_list& out) const {
    host_footprints(x.init_footprints, state, out, place);
    // The condition is read before each iteration, in whatever state the body leaves.
    flights entry = state;
    flights const outer_jumps = std::exchange(at_jumps_, {});
    loop result;
    for (;;) {
      flights inside = entry;
      result = x;
      result.prepare.clear();
      host_footprints(x.footprints, inside, result.prepare, place);
      flights const after_condition = inside;
      result.body = rewritten(x.body, inside);
      host_footprints(x.update_footprints, inside, result.body, place);
      flights const next = merged(merged(entry, inside), at_jumps_);
      if (next == entry) {
        state = x.inverted ? merged(after_condition, inside) : after_condition;
        state = merged(std::move(state), at_jumps_);
        break;
      }
      entry = next;
    }
    at_jumps_ = outer_jumps;
    out.push_back({std::move(result), place});
  }
};

} // namespace

void insert_waits(program& p) { wait_insertion(p).run(); }

} // namespace assay::plan
