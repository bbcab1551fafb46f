#include "order_model.hpp"

#include <algorithm>
#include <utility>

namespace mockgpu::tests {

/// All paths, by one pass in issue order: edges lead to earlier nodes only.
class order_model::reachability {
public:
  explicit reachability(std::vector<node> const& nodes)
      : before_(nodes.size(), std::vector<bool>(nodes.size())) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t const j : nodes[i].after) {
        before_[i][j] = true;
        for (std::size_t k = 0; k < j; ++k)
          if (before_[j][k]) before_[i][k] = true;
      }
  }
  /// Whether `earlier` is done when `later` begins, in every execution.
  [[nodiscard]] bool ordered(std::size_t earlier, std::size_t later) const {
    return before_[later][earlier];
  }

private:
  std::vector<std::vector<bool>> before_;
};

order_model::order_model(int device_count, model_rules const& rules) : rules_(rules) {
  for (int device = 0; device < device_count; ++device)
    streams_.push_back(
        {device == 0 ? "default stream" : "default stream of device " + std::to_string(device),
         device,
         true,
         {}});
}

int order_model::add_stream(std::string name, int device, bool blocking) {
  streams_.push_back({std::move(name), device, blocking, {}});
  return int(streams_.size()) - 1;
}

std::size_t order_model::host_step(std::vector<std::size_t> after) {
  if (host_) after.push_back(*host_);
  nodes_.push_back({"host thread 0", -1, std::move(after), {}});
  host_ = nodes_.size() - 1;
  return *host_;
}

std::size_t order_model::enqueue(int which, std::vector<std::size_t> after) {
  after.push_back(host_step());
  stream& own = streams_[std::size_t(which)];
  if (!own.operations.empty()) after.push_back(own.operations.back());
  bool const legacy = which == own.device;
  if (legacy) {
    for (stream const& other : streams_)
      if (other.device == own.device && other.blocking && !other.operations.empty())
        after.push_back(other.operations.back());
  } else if (own.blocking) {
    stream const& legacy_stream = streams_[std::size_t(own.device)];
    if (!legacy_stream.operations.empty()) after.push_back(legacy_stream.operations.back());
  }
  nodes_.push_back({own.name, which, std::move(after), {}});
  own.operations.push_back(nodes_.size() - 1);
  return nodes_.size() - 1;
}

int order_model::add_block(std::string name, space where, int device) {
  blocks_.push_back({std::move(name), where, device, false, host_step(), std::nullopt});
  return int(blocks_.size()) - 1;
}

int order_model::add_stream_ordered_block(std::string name, int which, std::size_t size_bytes) {
  std::size_t const allocated = enqueue(which);
  blocks_.push_back(
      {std::move(name), space::device, device_of(which), true, allocated, std::nullopt, size_bytes});
  return int(blocks_.size()) - 1;
}

void order_model::free(int which) {
  block& one = blocks_[std::size_t(which)];
  if (one.where == space::pinned ? rules_.host_free_waits_for_device
      : one.stream_ordered       ? rules_.pool_free_waits_for_device
                                 : rules_.free_waits_for_device)
    synchronize_device(one.device);
  one.freed = host_step();
}

void order_model::free_async(int which, int on) { blocks_[std::size_t(which)].freed = enqueue(on); }

void order_model::operation(int which, std::vector<access> accesses) {
  nodes_[enqueue(which)].accesses = std::move(accesses);
}

void order_model::host(std::vector<access> accesses) {
  nodes_[host_step()].accesses = std::move(accesses);
}

void order_model::host_reads_for_copy(std::vector<access> accesses) { host(std::move(accesses)); }

void order_model::record(int event, int which) { recorded_[event] = enqueue(which); }
void order_model::forget_event(int event) { recorded_.erase(event); }

void order_model::wait(int which, int event) {
  auto const found = recorded_.find(event);
  static_cast<void>(found == recorded_.end() ? enqueue(which) : enqueue(which, {found->second}));
}

void order_model::wait_for_last_of(int which) {
  auto const& operations = streams_[std::size_t(which)].operations;
  host_step(operations.empty() ? std::vector<std::size_t>()
                               : std::vector<std::size_t>{operations.back()});
}

void order_model::synchronize_stream(int which) {
  stream const& own = streams_[std::size_t(which)];
  if (which == own.device && rules_.default_stream_wait_covers_blocking_streams)
    for (std::size_t other = 0; other < streams_.size(); ++other)
      if (streams_[other].device == own.device && streams_[other].blocking)
        wait_for_last_of(int(other));
  wait_for_last_of(which);
}

void order_model::synchronize_event(int event) {
  auto const found = recorded_.find(event);
  host_step(found == recorded_.end() ? std::vector<std::size_t>()
                                     : std::vector<std::size_t>{found->second});
}

void order_model::synchronize_device(int device) {
  std::vector<std::size_t> all;
  for (stream const& one : streams_)
    if (one.device == device && !one.operations.empty()) all.push_back(one.operations.back());
  host_step(std::move(all));
}

std::string order_model::side(std::size_t which, char kind) const {
  return nodes_[which].chain + (kind == 'w' ? "/write" : kind == 'a' ? "/atomic" : "/read");
}

void order_model::add(verdict& result, char const* kind, char const* rule, access const& bytes,
                      std::string first, std::string second) const {
  if (second < first) std::swap(first, second);
  for (std::size_t byte = bytes.begin; byte < bytes.end; ++byte)
    result.faults.emplace(kind, rule, blocks_[std::size_t(bytes.block)].name, byte, first, second);
}

bool order_model::gone(access const& one, std::size_t user) const {
  auto const& freed = blocks_[std::size_t(one.block)].freed;
  return freed && user > *freed;
}

void order_model::judge_lifetime(access const& one, std::size_t user, reachability const& paths,
                                 verdict& result) const {
  block const& memory = blocks_[std::size_t(one.block)];
  std::string const self = side(user, one.kind);
  if (memory.freed) {
    std::string const free = nodes_[*memory.freed].chain + "/free";
    if (gone(one, user)) {
      if (!memory.stream_ordered)
        add(result, "use-after-free", "free-orders-block", one, free, self);
      else if (paths.ordered(*memory.freed, user))
        add(result, "use-after-free", "stream-ordered-free", one, free, self);
      else
        add(result, "use-after-free-issue", "stream-ordered-free-issue", one, free, self);
      return;
    }
    if (memory.stream_ordered && !paths.ordered(user, *memory.freed))
      add(result, "use-after-free", "stream-ordered-free", one, free, self);
  }
  if (memory.stream_ordered && !paths.ordered(memory.allocated, user))
    add(result, "use-before-alloc", "stream-ordered-alloc", one,
        nodes_[memory.allocated].chain + "/alloc", self);
}

void order_model::judge_content(access const& one, std::size_t user, std::size_t index,
                                reachability const& paths, verdict& result) const {
  block const& memory = blocks_[std::size_t(one.block)];
  if (one.kind == 'w' || memory.where == space::pageable || gone(one, user)) return;
  std::vector<bool> defined(one.end - one.begin);
  auto const define = [&](access const& by) {
    if (by.block != one.block || by.kind == 'r' || by.kind == 'c') return;
    for (std::size_t byte = std::max(by.begin, one.begin); byte < std::min(by.end, one.end); ++byte)
      defined[byte - one.begin] = true;
  };
  for (std::size_t other = 0; other < user; ++other)
    if (paths.ordered(other, user))
      for (access const& by : nodes_[other].accesses)
        if (!gone(by, other)) define(by);
  for (std::size_t before = 0; before < index; ++before) define(nodes_[user].accesses[before]);
  auto const padding = [&](std::size_t byte) {
    std::size_t const size = one.element_bytes == 0 ? one.end - one.begin : one.element_bytes;
    std::size_t const element = one.begin + (byte - one.begin) / size * size;
    // The largest alignment that a structure of this size, with padding, can have here.
    std::size_t unit = 16;
    while (element % unit != 0 || size % unit != 0 || (size == unit && unit > 1)) unit /= 2;
    std::size_t const first = byte / unit * unit;
    for (std::size_t i = first; i < first + unit; ++i)
      if (defined[i - one.begin]) return true;
    return false;
  };
  for (std::size_t byte = one.begin; byte < one.end; ++byte) {
    if (defined[byte - one.begin] || (one.kind == 'r' && padding(byte))) continue;
    if (one.kind == 'c')
      result.undefined_bytes_copied = true;
    else
      add(result, "undefined-read", "defined-content", {one.block, byte, byte + 1, one.kind}, "/",
          side(user, one.kind));
  }
}

void order_model::judge_pair(access const& a, std::size_t earlier, access const& b,
                             std::size_t later, verdict& result) const {
  if (a.block != b.block || gone(a, earlier) || gone(b, later)) return;
  access const common{a.block, std::max(a.begin, b.begin), std::min(a.end, b.end), 'r'};
  bool const both_read = a.kind != 'w' && a.kind != 'a' && b.kind != 'w' && b.kind != 'a';
  if (common.begin >= common.end || both_read || (a.kind == 'a' && b.kind == 'a')) return;
  bool const host = nodes_[earlier].stream < 0 || nodes_[later].stream < 0;
  char const* rule = host ? "host-order" : "stream-order";
  if (blocks_[std::size_t(a.block)].where == space::pageable) {
    rule = "pageable-async-copy";
  } else if (!host) {
    auto const pair = std::minmax(nodes_[earlier].stream, nodes_[later].stream);
    stream const& first = streams_[std::size_t(pair.first)];
    stream const& second = streams_[std::size_t(pair.second)];
    if (pair.first == first.device && first.device == second.device && !second.blocking)
      rule = "nonblocking-exempt";
  }
  add(result, host ? "host-race" : "stream-race", rule, common, side(earlier, a.kind),
      side(later, b.kind));
}

order_model::verdict order_model::judge() const {
  reachability const paths(nodes_);
  verdict result;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    block const& one = blocks_[i];
    if (one.stream_ordered && one.freed && nodes_[*one.freed].stream >= 0 && !paths.ordered(one.allocated, *one.freed))
      add(result, "use-before-alloc", "stream-ordered-alloc", {int(i), 0, one.size_bytes, 'w'},
          nodes_[one.allocated].chain + "/alloc", nodes_[*one.freed].chain + "/free");
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto const& accesses = nodes_[i].accesses;
    for (std::size_t index = 0; index < accesses.size(); ++index) {
      judge_lifetime(accesses[index], i, paths, result);
      judge_content(accesses[index], i, index, paths, result);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (paths.ordered(j, i)) continue;
      for (access const& later : accesses)
        for (access const& earlier : nodes_[j].accesses) judge_pair(earlier, j, later, i, result);
    }
  }
  return result;
}

} // namespace mockgpu::tests
