#include "order_counter.hpp"

#include <map>

namespace mockgpu::tests {
namespace {

struct step {
  std::vector<std::size_t> after;
  std::vector<scripted_call::cell> cells;
};

class counter {
public:
  explicit counter(std::vector<scripted_call> const& program) {
    std::map<int, std::size_t> last_of_stream, recorded;
    std::vector<std::size_t> host_waits_for;
    std::vector<scripted_call::cell> host_cells;
    std::size_t host = none;
    auto const end_host_step = [&] {
      std::vector<std::size_t> after = host_waits_for;
      if (host != none) after.push_back(host);
      host_waits_for.clear();
      host = add(std::move(after), std::move(host_cells));
      host_cells.clear();
    };
    for (scripted_call const& call : program) {
      using kind = scripted_call::kind;
      if (call.what == kind::host_access) {
        host_cells.insert(host_cells.end(), call.cells.begin(), call.cells.end());
        continue;
      }
      end_host_step();
      auto const last = last_of_stream.find(call.stream);
      if (call.what == kind::synchronize) {
        if (last != last_of_stream.end()) host_waits_for = {last->second};
        continue;
      }
      std::vector<std::size_t> after = {host};
      if (last != last_of_stream.end()) after.push_back(last->second);
      if (auto const found = recorded.find(call.event);
          call.what == kind::wait && found != recorded.end())
        after.push_back(found->second);
      std::size_t const made = add(std::move(after), call.cells);
      last_of_stream[call.stream] = made;
      if (call.what == kind::record) recorded[call.event] = made;
    }
    end_host_step();
    keep_touching_steps();
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (conflict(steps_[i], steps_[j])) pairs_.emplace_back(j, i);
  }

  order_count count() {
    place_.assign(steps_.size(), none);
    extend(0);
    return {all_, orders_.size()};
  }

private:
  static constexpr std::size_t none = SIZE_MAX;

  std::size_t add(std::vector<std::size_t> after, std::vector<scripted_call::cell> cells) {
    steps_.push_back({std::move(after), std::move(cells)});
    return steps_.size() - 1;
  }
  /// A step that touches nothing only hands orders on.
  void keep_touching_steps() {
    std::vector<std::vector<std::size_t>> before(steps_.size()); // touching ones, by new number
    std::vector<step> kept;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      std::set<std::size_t> all;
      for (std::size_t const j : steps_[i].after) all.insert(before[j].begin(), before[j].end());
      if (!steps_[i].cells.empty()) {
        kept.push_back({{all.begin(), all.end()}, steps_[i].cells});
        all.insert(kept.size() - 1);
      }
      before[i].assign(all.begin(), all.end());
    }
    steps_ = std::move(kept);
  }
  static bool conflict(step const& a, step const& b) {
    for (auto const& one : a.cells)
      for (auto const& other : b.cells)
        if (one.index == other.index && (one.write || other.write)) return true;
    return false;
  }
  void extend(std::size_t placed) {
    if (placed == steps_.size()) {
      ++all_;
      std::vector<bool> order;
      for (auto const& [a, b] : pairs_) order.push_back(place_[a] < place_[b]);
      orders_.insert(std::move(order));
      return;
    }
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (place_[i] != none) continue;
      bool possible = true;
      for (std::size_t const before : steps_[i].after)
        possible = possible && place_[before] != none;
      if (!possible) continue;
      place_[i] = placed;
      extend(placed + 1);
      place_[i] = none;
    }
  }

  std::vector<step> steps_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  std::vector<std::size_t> place_;
  std::uint64_t all_ = 0;
  std::set<std::vector<bool>> orders_;
};

} // namespace

order_count count_orders(std::vector<scripted_call> const& program) {
  return counter(program).count();
}

} // namespace mockgpu::tests
