#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "plan/nominal.hpp"
#include "plan/passes.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

/// A run of launches and copies with nothing of the host's between: any order that keeps each read
/// behind its write, and each write behind what precedes it, means the same.
class segment {
public:
  segment(program const& p, std::vector<step> steps) : plan_(p), steps_(std::move(steps)) {
    for (auto const& s : steps_) {
      effects e;
      for (auto const& print : *own_footprints(s)) {
        if (print.writes || print.accumulates) e.writes.insert(print.buffer);
        if (print.reads) e.reads.insert(print.buffer);
      }
      effects_.push_back(std::move(e));
    }
    collect_local();
  }

  /// The old order, unless one that is made from the end needs less. Two are tried: neither way to
  /// settle ties is the better one for every program.
  [[nodiscard]] std::vector<step> shortened() && {
    std::vector<std::size_t> best(steps_.size());
    for (std::size_t k = 0; k < best.size(); ++k) best[k] = k;
    for (auto const tie : {on_ties::later_step, on_ties::step_of_a_live_array}) {
      auto const other = order_from_the_end(tie);
      if (peak(other) < peak(best)) best = other;
    }
    std::vector<step> result;
    for (auto const k : best) result.push_back(std::move(steps_[k]));
    return result;
  }

  /// Buffers that others touch, too, live longer than the run and do not count.
  void ignore(std::set<buffer_id> const& others) {
    for (auto const id : others) local_.erase(id);
  }
  [[nodiscard]] std::set<buffer_id> const& touched() const { return touched_; }

private:
  struct effects {
    std::set<buffer_id> reads, writes;
    [[nodiscard]] bool touches(buffer_id id) const {
      return reads.contains(id) || writes.contains(id);
    }
  };
  program const& plan_;
  std::vector<step> steps_;
  std::vector<effects> effects_;
  std::set<buffer_id> touched_, local_;

  /// Which of the steps that leave equally many bytes alive comes last: the one that came later, or
  /// first of all one that makes an array which steps behind it use. The former finishes what it
  /// has begun to read, the latter goes to the end of one chain before it starts another.
  enum class on_ties : std::uint8_t { later_step, step_of_a_live_array };

  /// From the end: what makes an array is put as close before its first use as the arrays that are
  /// then alive suggest.
  [[nodiscard]] std::vector<std::size_t> order_from_the_end(on_ties tie) const {
    std::vector<std::size_t> chosen;
    std::set<std::size_t> left;
    for (std::size_t k = 0; k < steps_.size(); ++k) left.insert(k);
    while (!left.empty()) {
      std::size_t best = steps_.size();
      std::pair<std::int64_t, bool> least{};
      for (auto at = left.rbegin(); at != left.rend(); ++at) {
        if (is_needed_by(left, *at)) continue;
        bool const starts = tie == on_ties::step_of_a_live_array && !meets_live_array(chosen, *at);
        chosen.push_back(*at);
        std::pair const cost(live_before(chosen), starts);
        chosen.pop_back();
        if (best == steps_.size() || cost < least) {
          best = *at;
          least = cost;
        }
      }
      chosen.push_back(best);
      left.erase(best);
    }
    std::ranges::reverse(chosen);
    return chosen;
  }
  [[nodiscard]] bool meets_live_array(std::vector<std::size_t> const& reversed,
                                      std::size_t k) const {
    return std::ranges::any_of(local_, [&](buffer_id id) {
      return effects_[k].touches(id) &&
             std::ranges::any_of(reversed, [&](std::size_t r) { return effects_[r].touches(id); });
    });
  }

  void collect_local() {
    for (auto const& e : effects_) {
      touched_.insert(e.reads.begin(), e.reads.end());
      touched_.insert(e.writes.begin(), e.writes.end());
    }
    for (auto const id : touched_)
      if (plan_.buffers[index(id)].provision == provision::external) local_.insert(id);
  }
  [[nodiscard]] bool conflict(std::size_t a, std::size_t b) const {
    auto const meets = [](std::set<buffer_id> const& x, std::set<buffer_id> const& y) {
      return std::ranges::any_of(x, [&](buffer_id id) { return y.contains(id); });
    };
    return meets(effects_[a].writes, effects_[b].writes) ||
           meets(effects_[a].writes, effects_[b].reads) ||
           meets(effects_[a].reads, effects_[b].writes);
  }
  /// A step that is still to be placed must stay behind `k`.
  [[nodiscard]] bool is_needed_by(std::set<std::size_t> const& left, std::size_t k) const {
    return std::any_of(left.upper_bound(k), left.end(),
                       [&](std::size_t other) { return conflict(k, other); });
  }
  [[nodiscard]] std::int64_t bytes(buffer_id id) const {
    auto const& b = plan_.buffers[index(id)];
    return std::max<std::int64_t>(0, nominal(b.element_count)) *
           static_cast<std::int64_t>(size_bytes(b.type));
  }
  /// Of arrays that steps of `reversed` touch and that a step outside of it touches, too.
  [[nodiscard]] std::int64_t live_before(std::vector<std::size_t> const& reversed) const {
    std::int64_t sum = 0;
    for (auto const id : local_) {
      auto const inside =
          std::ranges::count_if(reversed, [&](std::size_t k) { return effects_[k].touches(id); });
      auto const all =
          std::ranges::count_if(effects_, [&](effects const& e) { return e.touches(id); });
      if (inside > 0 && inside < all) sum += bytes(id);
    }
    return sum;
  }
  [[nodiscard]] std::int64_t peak(std::vector<std::size_t> const& order) const {
    std::int64_t most = 0;
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    std::vector<std::int64_t> sizes;
    for (auto const id : local_) {
      std::size_t first = order.size(), last = 0;
      for (std::size_t k = 0; k < order.size(); ++k)
        if (effects_[order[k]].touches(id)) {
          first = std::min(first, k);
          last = k;
        }
      spans.emplace_back(first, last);
      sizes.push_back(bytes(id));
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (spans[i].first <= k && k <= spans[i].second) sum += sizes[i];
      most = std::max(most, sum);
    }
    return most;
  }
};

bool is_movable(step const& s) {
  return std::holds_alternative<launch>(s.content) || std::holds_alternative<copy>(s.content);
}

/// How many steps of the whole program touch each buffer.
std::map<buffer_id, std::size_t> users_of(program const& p) {
  std::map<buffer_id, std::size_t> users;
  for_each_step(p.body, [&](step const& s) {
    if (is_movable(s)) {
      for (auto const id : touched_buffers(s)) ++users[id];
      return;
    }
    // Of steps that hold others, what they touch themselves makes a buffer no run's own.
    if (auto const* prints = own_footprints(s))
      for (auto const& print : *prints) users[print.buffer] += 2;
  });
  return users;
}

void shorten(program const& p, std::map<buffer_id, std::size_t> const& users, step_list& list) {
  // Quadratic in the run's length: long runs stay as they are.
  constexpr std::size_t longest = 64;
  for (auto& s : list)
    for (auto* inner : inner_lists(s)) shorten(p, users, *inner);
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = begin;
    while (end < list.size() && is_movable(list[end])) ++end;
    if (end - begin >= 3 && end - begin <= longest) {
      auto const first = list.begin() + static_cast<std::ptrdiff_t>(begin),
                 last = list.begin() + static_cast<std::ptrdiff_t>(end);
      segment run(p, {first, last});
      std::map<buffer_id, std::size_t> here;
      for (auto k = first; k != last; ++k)
        for (auto const id : touched_buffers(*k)) ++here[id];
      std::set<buffer_id> others;
      for (auto const& [id, count] : here)
        if (users.at(id) != count) others.insert(id);
      run.ignore(others);
      std::ranges::move(std::move(run).shortened(), first);
    }
    begin = end + 1;
  }
}

} // namespace

void shorten_lives(program& p) {
  auto const& s = p.settings;
  if (s.mode != memory_mode::external || s.layout != workspace_layout::reuse ||
      s.own_streams != 0 || s.target == target::cpu)
    return;
  auto const users = users_of(p);
  shorten(p, users, p.body);
}

} // namespace assay::plan
