#include <algorithm>
#include <map>
#include <optional>

#include "assay/error.hpp"
#include "plan/passes.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

/// Names the stream of a step that has one.
stream_id* stream_of(step& s) {
  return std::visit(
      [](auto& x) -> stream_id* {
        if constexpr (requires { x.stream; })
          return &x.stream;
        else
          return nullptr;
      },
      s.content);
}

/// What a step does to buffers, in the words that order needs.
struct effects {
  std::set<buffer_id> reads, writes;
};

/// Orders the operations of one step list. A list that is not the root starts and ends with all work ordered on
/// stream 0, so that the control flow around it needs to know nothing of what is inside.
class list_scheduler {
public:
  list_scheduler(program& p, bool is_root)
      : plan_(p), is_root_(is_root), streams_(static_cast<std::size_t>(p.stream_count)),
        known_(streams_, std::vector<std::size_t>(streams_, 0)), issued_(streams_, 0) {}

  step_list run(step_list list) {
    for (auto& s : list) {
      if (auto const inner = inner_lists(s); !inner.empty()) {
        join_all();
        for (auto* body : inner) *body = list_scheduler(plan_, false).run(std::move(*body));
        issue(std::move(s), stream_id{0}, effects_of(s));
      } else if (is_stream_operation(s)) {
        auto const effect = effects_of(s);
        auto const before = predecessors(effect);
        auto const stream = choose(before);
        enter(stream);
        for (auto const p : before) order(stream, p);
        issue(std::move(s), stream, effect);
      } else {
        if (std::holds_alternative<jump>(s.content)) join_all(); // it leaves the list, too
        out_.push_back(std::move(s)); // the host's: ordered by the host's own waits
      }
    }
    if (!is_root_) join_all();
    return finished();
  }

private:
  struct operation {
    stream_id stream{};
    std::size_t sequence = 0;       ///< from 1, per stream
    std::size_t position = 0;       ///< in out_
    std::vector<std::size_t> clock; ///< operations of each stream that precede it, itself included
    std::optional<event_id> event;  ///< recorded behind it
  };

  program& plan_;
  bool is_root_;
  std::size_t streams_;
  std::vector<std::vector<std::size_t>> known_; ///< [s][t]: s is ordered after so many operations of t
  std::vector<std::size_t> issued_;
  std::vector<operation> operations_;
  std::map<buffer_id, std::size_t> last_write_;
  std::map<buffer_id, std::vector<std::size_t>> reads_since_;
  std::set<stream_id> entered_;
  std::optional<event_id> entry_event_;
  step_list out_;
  std::map<std::size_t, step> after_; ///< the record to insert behind a position of out_
  std::size_t next_stream_ = 0;

  /// Plain allocations and frees are calls of the host; the stream-ordered ones are operations.
  [[nodiscard]] bool is_stream_operation(step& s) const {
    auto const pooled = [this](buffer_id id) {
      return plan_.buffers[index(id)].provision == provision::call_pool;
    };
    if (auto const* x = std::get_if<allocate>(&s.content)) return pooled(x->buffer);
    if (auto const* x = std::get_if<release>(&s.content)) return pooled(x->buffer);
    return stream_of(s) != nullptr;
  }

  [[nodiscard]] static effects effects_of(step const& s) {
    effects result;
    auto const add = [&result](step const& one) {
      if (auto const* prints = own_footprints(one))
        for (auto const& print : *prints) {
          if (print.reads) result.reads.insert(print.buffer);
          if (print.writes || print.accumulates) result.writes.insert(print.buffer);
        }
      std::visit(overloaded{[&](allocate const& x) { result.writes.insert(x.buffer); },
                            [&](release const& x) { result.writes.insert(x.buffer); },
                            [&](fill_zero const& x) { result.writes.insert(x.buffer); },
                            [](auto const&) {}},
                 one.content);
    };
    add(s);
    for (auto const* list : inner_lists(s)) for_each_step(*list, add);
    return result;
  }

  [[nodiscard]] std::vector<std::size_t> predecessors(effects const& e) const {
    std::set<std::size_t> result;
    auto const after_write = [&](buffer_id id) {
      if (auto const found = last_write_.find(id); found != last_write_.end()) result.insert(found->second);
    };
    for (auto const id : e.reads) after_write(id);
    for (auto const id : e.writes) {
      after_write(id);
      if (auto const found = reads_since_.find(id); found != reads_since_.end())
        result.insert(found->second.begin(), found->second.end());
    }
    return {result.begin(), result.end()};
  }

  /// A stream whose last operation is a predecessor goes on with it; else the next stream in turn.
  [[nodiscard]] stream_id choose(std::vector<std::size_t> const& before) {
    for (auto const p : before)
      if (issued_[index(operations_[p].stream)] == operations_[p].sequence) return operations_[p].stream;
    return static_cast<stream_id>(next_stream_++ % streams_);
  }

  /// First use of a stream inside a list: after everything that precedes the list.
  void enter(stream_id stream) {
    if (is_root_ || index(stream) == 0 || !entered_.insert(stream).second) return;
    if (!entry_event_) entry_event_ = new_event();
    out_.push_back({stream_wait{stream, *entry_event_}, {}});
  }

  [[nodiscard]] event_id new_event() { return static_cast<event_id>(plan_.event_count++); }

  void order(stream_id stream, std::size_t p) {
    auto& before = operations_[p];
    auto& known = known_[index(stream)];
    if (known[index(before.stream)] >= before.sequence) return;
    if (!before.event) {
      before.event = new_event();
      after_.emplace(before.position, step{record{*before.event, before.stream}, {}});
    }
    out_.push_back({stream_wait{stream, *before.event}, {}});
    for (std::size_t t = 0; t < streams_; ++t) known[t] = std::max(known[t], before.clock[t]);
  }

  void issue(step s, stream_id stream, effects const& e) {
    if (auto* own = stream_of(s)) *own = stream;
    auto& known = known_[index(stream)];
    known[index(stream)] = ++issued_[index(stream)];
    auto const id = operations_.size();
    operations_.push_back({stream, issued_[index(stream)], out_.size(), known, std::nullopt});
    for (auto const b : e.reads) reads_since_[b].push_back(id);
    for (auto const b : e.writes) {
      last_write_[b] = id;
      reads_since_[b].clear();
    }
    out_.push_back(std::move(s));
  }

  /// Stream 0 waits for the last operation of every other stream.
  void join_all() {
    std::vector<std::optional<std::size_t>> last(streams_);
    for (std::size_t p = 0; p < operations_.size(); ++p) last[index(operations_[p].stream)] = p;
    for (std::size_t t = 1; t < streams_; ++t)
      if (last[t]) order(stream_id{0}, *last[t]);
  }

  [[nodiscard]] step_list finished() {
    step_list result;
    if (entry_event_) result.push_back({record{*entry_event_, stream_id{0}}, {}});
    for (std::size_t k = 0; k < out_.size(); ++k) {
      result.push_back(std::move(out_[k]));
      if (auto const found = after_.find(k); found != after_.end())
        result.push_back(std::move(found->second));
    }
    return result;
  }
};

} // namespace

void assign_streams(program& p) {
  p.stream_count = std::max(1, p.settings.own_streams);
  if (p.stream_count == 1 || p.settings.target == target::cpu) return;
  p.body = list_scheduler(p, true).run(std::move(p.body));
  if (p.settings.own_streams != settings::as_needed) return;
  // A count is one more than the highest number in use, wherever that is: never the last list's.
  std::size_t count = 1;
  for_each_step(p.body, [&](step& s) {
    if (auto const* own = stream_of(s)) count = std::max(count, index(*own) + 1);
  });
  p.stream_count = static_cast<int>(count);
}

} // namespace assay::plan
