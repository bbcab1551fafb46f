#include "plan/liveness.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "assay/error.hpp"
#include "plan/overwrite.hpp"
#include "plan/walk.hpp"

namespace assay::plan {

/// Walks two calls of the body, one after the other, and numbers the operations of the host and of
/// each stream. An operation knows, for each agent, how many of its operations happen before.
class order_walk {
public:
  order_walk(program const& p, lifetimes& result)
      : plan_(p), result_(result), agents_(static_cast<std::size_t>(p.stream_count) + 1),
        issued_(agents_, 0), known_(agents_, clock(agents_, 0)) {}

  void run() {
    for (int call = 0; call < 2; ++call) list(plan_.body);
  }

private:
  using clock = std::vector<std::size_t>;
  using knowledge = std::vector<clock>; ///< [agent] of [agent]
  static constexpr std::size_t host = 0;
  static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();
  /// Completeness of knowledge only shrinks from round to round.
  static constexpr int round_limit = 64;

  program const& plan_;
  lifetimes& result_;
  std::size_t agents_;
  std::map<step_list const*, std::size_t> entries_; ///< number of the present passage
  std::size_t passages_ = 0, operations_ = 0;
  clock issued_;
  knowledge known_;
  std::map<event_id, clock> events_;
  std::vector<knowledge> jumps_; ///< at the jumps of the innermost loop, normalised

  static std::size_t agent(stream_id s) { return index(s) + 1; }
  static void learn(clock& into, clock const& from) {
    for (std::size_t k = 0; k < into.size(); ++k) into[k] = std::max(into[k], from[k]);
  }

  void operation(std::size_t who, std::vector<buffer_id> const& buffers) {
    if (who != host) learn(known_[who], known_[host]); // issued by the host, after what it did
    known_[who][who] = ++issued_[who];
    ++operations_;
    for (auto const id : buffers) {
      auto const found = result_.lives_.find(id);
      if (found == result_.lives_.end()) continue;
      auto& life = found->second;
      auto const entry = entries_.at(life.steps);
      if (life.passages.empty() || life.passages.back().entry != entry)
        life.passages.push_back(
            {entry, operations_, clock(agents_, 0), clock(agents_, everything)});
      auto& passage = life.passages.back();
      passage.last[who] = issued_[who];
      // What precedes the operation, without itself.
      for (std::size_t k = 0; k < agents_; ++k)
        passage.known[k] = std::min(passage.known[k], known_[who][k] - (k == who ? 1 : 0));
    }
  }

  void list(step_list const& steps) {
    entries_[&steps] = ++passages_;
    for (auto const& s : steps) std::visit([&](auto const& x) { visit(x); }, s.content);
  }

  static std::vector<buffer_id> buffers_of(std::vector<footprint> const& prints) {
    std::vector<buffer_id> result;
    for (auto const& print : prints) result.push_back(print.buffer);
    return result;
  }

  void visit(allocate const&) {}
  void visit(release const&) {}
  void visit(jump const&) { jumps_.push_back(normalised()); }
  void visit(fill_zero const& x) {
    bool const on_device = plan_.buffers[index(x.buffer)].space == memory_space::device;
    operation(on_device ? agent(x.stream) : host, {x.buffer});
  }
  void visit(launch const& x) { operation(agent(x.stream), buffers_of(x.footprints)); }
  void visit(copy const& x) {
    // A copy from pageable memory may take the bytes when it is issued.
    if (plan_.buffers[index(x.source)].space != memory_space::device) operation(host, {x.source});
    operation(agent(x.stream), {x.source, x.target});
  }
  void visit(record const& x) { events_[x.event] = known_[agent(x.stream)]; }
  void visit(stream_wait const& x) {
    if (auto const found = events_.find(x.event); found != events_.end())
      learn(known_[agent(x.stream)], found->second);
  }
  void visit(synchronise const& x) { learn(known_[host], known_[agent(x.stream)]); }
  void visit(host_compute const& x) { operation(host, buffers_of(x.footprints)); }
  void visit(timer_start const& x) { operation(host, {x.start}); }
  void visit(timer_stop const& x) { operation(host, {x.start, x.duration}); }
  void visit(assign const& x) { operation(host, buffers_of(x.footprints)); }

  // ---- where ways meet: what is known is what every way knows. Operations of a way that was not
  // taken happen before anything, so a way that knows all that it issued counts as knowing all.

  [[nodiscard]] knowledge normalised() const {
    auto result = known_;
    for (auto& row : result)
      for (std::size_t k = 0; k < agents_; ++k)
        if (row[k] >= issued_[k]) row[k] = everything;
    return result;
  }
  static void meet(knowledge& into, knowledge const& way) {
    for (std::size_t a = 0; a < into.size(); ++a)
      for (std::size_t k = 0; k < into.size(); ++k) into[a][k] = std::min(into[a][k], way[a][k]);
  }
  void go_on_with(knowledge met) {
    known_ = std::move(met);
    for (auto& row : known_)
      for (std::size_t k = 0; k < agents_; ++k) row[k] = std::min(row[k], issued_[k]);
    for (std::size_t a = 0; a < agents_; ++a) known_[a][a] = issued_[a];
  }

  void visit(branch const& x) {
    operation(host, buffers_of(x.footprints));
    auto const entry = normalised();
    auto const events = events_;
    std::optional<knowledge> met;
    bool const has_else =
        std::ranges::any_of(x.arms, [](auto const& arm) { return !arm.condition; });
    if (!has_else) met = entry;
    for (auto const& arm : x.arms) {
      go_on_with(entry);
      events_ = events;
      list(arm.body);
      auto const end = normalised();
      met ? meet(*met, end) : void(met = end);
    }
    events_ = events;
    go_on_with(*met);
  }

  void visit(loop const& x) {
    operation(host, buffers_of(x.init_footprints));
    auto const entry = normalised();
    auto const events = events_;
    auto const outer_jumps = std::exchange(jumps_, {});
    auto start = entry; // of any iteration
    // Two rounds more than it takes: an iteration that starts as all do follows one that does.
    for (int round = 0, settled = 0; settled < 2; ++round) {
      ASSAY_ASSERT(round < round_limit);
      go_on_with(start);
      events_ = events;
      list(x.prepare);
      operation(host, buffers_of(x.footprints));
      list(x.body);
      operation(host, buffers_of(x.update_footprints));
      auto next = start;
      meet(next, normalised());
      for (auto const& way : jumps_) meet(next, way);
      settled = next == start ? settled + 1 : 0;
      start = std::move(next);
    }
    jumps_ = outer_jumps;
    events_ = events;
    go_on_with(start);
  }
};

namespace {

void find_users(step_list const& steps, lifetimes::path const& before,
                std::map<buffer_id, std::vector<lifetimes::path>>& users) {
  for (std::size_t k = 0; k < steps.size(); ++k) {
    auto here = before;
    here.push_back({k, 0});
    if (auto const* choice = std::get_if<branch>(&steps[k].content)) {
      for (auto const& print : choice->footprints) users[print.buffer].push_back(here);
      for (std::size_t arm = 0; arm < choice->arms.size(); ++arm) {
        here.back().inner = arm;
        find_users(choice->arms[arm].body, here, users);
      }
    } else if (auto const* repeat = std::get_if<loop>(&steps[k].content)) {
      for (auto const* prints :
           {&repeat->footprints, &repeat->init_footprints, &repeat->update_footprints})
        for (auto const& print : *prints) users[print.buffer].push_back(here);
      for (auto const& s : repeat->prepare)
        for (auto const id : touched_buffers(s)) users[id].push_back(here);
      find_users(repeat->body, here, users);
    } else {
      for (auto const id : touched_buffers(steps[k])) users[id].push_back(here);
    }
  }
}

/// The list behind a turn, if the whole life of a buffer may be in it.
step_list const* inner_home(program const& p, buffer_id id, step const& s, std::size_t inner,
                            std::size_t first_user) {
  if (auto const* choice = std::get_if<branch>(&s.content)) return &choice->arms[inner].body;
  auto const* repeat = std::get_if<loop>(&s.content);
  if (repeat == nullptr || !overwrites(p, repeat->body[first_user], id)) return nullptr;
  return &repeat->body;
}

} // namespace

lifetimes::lifetimes(program const& p) {
  std::map<buffer_id, std::vector<path>> users;
  find_users(p.body, {}, users);
  for (auto const& [id, paths] : users) {
    if (p.buffers[index(id)].provision != provision::external) continue;
    life one;
    // All turns but a path's last lead into an inner list: the life is in the deepest common one.
    std::size_t depth = 0;
    one.steps = &p.body;
    auto const goes_deeper = [&](path const& each) {
      return each.size() > depth + 1 && each[depth] == paths.front()[depth];
    };
    while (std::ranges::all_of(paths, goes_deeper)) {
      auto const step_of_home = paths.front()[depth];
      auto const* const home = inner_home(p, id, (*one.steps)[step_of_home.position],
                                          step_of_home.inner, paths.front()[depth + 1].position);
      if (home == nullptr) break;
      one.steps = home;
      ++depth;
    }
    one.list.assign(paths.front().begin(),
                    paths.front().begin() + static_cast<std::ptrdiff_t>(depth));
    one.first = paths.front()[depth].position; // paths are in the order of the steps
    one.last = paths.back()[depth].position;
    lives_.emplace(id, std::move(one));
  }
  order_walk(p, *this).run();
  collect_sets();
}

bool lifetimes::happens_before(passage const& a, passage const& b) {
  for (std::size_t k = 0; k < a.last.size(); ++k)
    if (b.known[k] < a.last[k]) return false;
  return true;
}

bool lifetimes::live_together(buffer_id first, buffer_id second) const {
  auto const x = lives_.find(first), y = lives_.find(second);
  if (x == lives_.end() || y == lives_.end()) return false;
  if (first == second) return true;
  auto const& a = x->second;
  auto const& b = y->second;
  std::size_t depth = 0;
  while (depth < a.list.size() && depth < b.list.size() && a.list[depth] == b.list[depth]) ++depth;
  auto const span = [depth](life const& l) {
    return depth < l.list.size() ? std::pair(l.list[depth].position, l.list[depth].position)
                                 : std::pair(l.first, l.last);
  };
  auto const [a_first, a_last] = span(a);
  auto const [b_first, b_last] = span(b);
  bool const in_different_arms = depth < a.list.size() && depth < b.list.size();
  bool const meet = a_first <= b_last && b_first <= a_last;
  if (meet && !in_different_arms) return true;
  // Lives that do not meet have passages that do not interleave.
  for (auto const& one : a.passages)
    for (auto const& other : b.passages)
      if (one.when < other.when ? !happens_before(one, other) : !happens_before(other, one))
        return true;
  return false;
}

void lifetimes::collect_sets() {
  for (auto const& [start, from] : lives_) {
    // The step at which this life starts, seen from each other life's list.
    std::vector<buffer_id> alive;
    for (auto const& [id, other] : lives_) {
      bool const inside = other.list.size() <= from.list.size() &&
                          std::equal(other.list.begin(), other.list.end(), from.list.begin());
      if (!inside) continue;
      auto const at =
          other.list.size() < from.list.size() ? from.list[other.list.size()].position : from.first;
      if (other.first <= at && at <= other.last) alive.push_back(id);
    }
    sets_.push_back(std::move(alive));
  }
}

std::optional<overlap> find_overlap(program const& p, symbol_values const& symbols) {
  lifetimes const lives(p);
  for (auto const& w : p.workspaces)
    for (std::size_t i = 0; i < w.entries.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        auto const& a = w.entries[k];
        auto const& b = w.entries[i];
        auto const a_begin = evaluate_integer(a.offset_bytes, symbols),
                   b_begin = evaluate_integer(b.offset_bytes, symbols);
        auto const a_end = a_begin + evaluate_integer(a.size_bytes, symbols),
                   b_end = b_begin + evaluate_integer(b.size_bytes, symbols);
        bool const share = std::max(a_begin, b_begin) < std::min(a_end, b_end);
        if (share && lives.live_together(a.buffer, b.buffer))
          return overlap{w.storage, a.buffer, b.buffer};
      }
  return std::nullopt;
}

} // namespace assay::plan
