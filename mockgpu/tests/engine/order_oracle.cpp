#include "order_oracle.hpp"

#include <algorithm>

namespace mockgpu::tests {

void order_oracle::add_stream(std::string name, bool blocking) {
  streams_.push_back({std::move(name), blocking, {}});
}

std::size_t order_oracle::host_step(std::vector<std::size_t> after) {
  if (!host_.empty()) after.push_back(host_.back());
  nodes_.push_back({"host thread 0", std::move(after), {}});
  host_.push_back(nodes_.size() - 1);
  return host_.back();
}

std::size_t order_oracle::enqueue(int which, std::vector<std::size_t> after) {
  after.push_back(host_step());
  stream& own = streams_[std::size_t(which)];
  if (!own.operations.empty()) after.push_back(own.operations.back());
  if (which == legacy) {
    for (stream const& other : streams_)
      if (other.blocking && !other.operations.empty()) after.push_back(other.operations.back());
  } else if (own.blocking && !streams_[legacy].operations.empty()) {
    after.push_back(streams_[legacy].operations.back());
  }
  nodes_.push_back({own.name, std::move(after), {}});
  own.operations.push_back(nodes_.size() - 1);
  return nodes_.size() - 1;
}

void order_oracle::operation(int which, std::vector<access> accesses) {
  nodes_[enqueue(which)].accesses = std::move(accesses);
}

void order_oracle::host_access(access one) {
  nodes_[host_step()].accesses.push_back(std::move(one));
}

void order_oracle::record(int event, int which) { recorded_[event] = enqueue(which); }

void order_oracle::wait(int which, int event) {
  auto const found = recorded_.find(event);
  static_cast<void>(found == recorded_.end() ? enqueue(which) : enqueue(which, {found->second}));
}

void order_oracle::synchronize_stream(int which) {
  auto const& operations = streams_[std::size_t(which)].operations;
  host_step(operations.empty() ? std::vector<std::size_t>()
                               : std::vector<std::size_t>{operations.back()});
}

void order_oracle::synchronize_event(int event) {
  auto const found = recorded_.find(event);
  host_step(found == recorded_.end() ? std::vector<std::size_t>()
                                     : std::vector<std::size_t>{found->second});
}

void order_oracle::synchronize_device() {
  std::vector<std::size_t> all;
  for (stream const& one : streams_)
    if (!one.operations.empty()) all.push_back(one.operations.back());
  host_step(std::move(all));
}

std::set<byte_race> order_oracle::races() const {
  std::vector<std::vector<bool>> before(nodes_.size(), std::vector<bool>(nodes_.size()));
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (std::size_t const j : nodes_[i].after) {
      before[i][j] = true;
      for (std::size_t k = 0; k < j; ++k)
        if (before[j][k]) before[i][k] = true;
    }
  std::set<byte_race> result;
  auto const word = [](char kind) {
    return std::string(kind == 'r' ? "/read" : kind == 'w' ? "/write" : "/atomic");
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (before[i][j]) continue;
      for (access const& a : nodes_[i].accesses)
        for (access const& b : nodes_[j].accesses) {
          if (a.memory != b.memory || (a.kind == b.kind && a.kind != 'w')) continue;
          std::string first = nodes_[i].chain + word(a.kind),
                      second = nodes_[j].chain + word(b.kind);
          if (second < first) std::swap(first, second);
          for (std::size_t byte = std::max(a.begin, b.begin); byte < std::min(a.end, b.end); ++byte)
            result.emplace(a.memory, byte, first, second);
        }
    }
  return result;
}

} // namespace mockgpu::tests
