#include "thread_oracle.hpp"

#include <algorithm>

namespace mockgpu::tests {
namespace {

using kind = kernel_event::kind;

bool is_barrier(kernel_event const& e) {
  return e.what == kind::block_barrier || e.what == kind::warp_barrier;
}
bool is_fence(kernel_event const& e) {
  return e.what == kind::device_fence || e.what == kind::block_fence;
}
bool is_access(kernel_event const& e) { return !is_barrier(e) && !is_fence(e); }

bool takes_part(kernel_event const& e, unsigned block, unsigned thread) {
  return e.block == block && (is_barrier(e) ? e.threads.count(thread) != 0 : e.thread == thread);
}

/// Do the two follow each other in the text of some thread?
bool in_program_order(kernel_event const& a, kernel_event const& b) {
  if (a.block != b.block) return false;
  if (!is_barrier(a)) return takes_part(b, a.block, a.thread);
  if (!is_barrier(b)) return takes_part(a, b.block, b.thread);
  return std::any_of(a.threads.begin(), a.threads.end(),
                     [&](unsigned thread) { return b.threads.count(thread) != 0; });
}

class order {
public:
  explicit order(std::vector<kernel_event> const& all)
      : events_(all), before_(all.size(), std::vector<bool>(all.size())) {
    std::size_t const n = all.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) before_[i][j] = in_program_order(all[i], all[j]);
    close();
    local_ = before_;
    // Fence, atomic, atomic on the same bytes, fence or barrier: until nothing is added. The
    // atomics may be fences themselves.
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t f = 0; f < n; ++f)
        if (all[f].releases)
          for (std::size_t g = f + 1; g < n; ++g)
            if (!before_[f][g] && synchronises(f, g)) changed = before_[f][g] = true;
      if (changed) close();
    }
  }

  [[nodiscard]] bool operator()(std::size_t earlier, std::size_t later) const {
    return before_[earlier][later];
  }

private:
  /// A fence counts for the atomics that its thread, or those that it meets later, do behind it.
  /// An atomic that releases counts for itself.
  [[nodiscard]] bool publishes(std::size_t release, std::size_t atomic) const {
    if (events_[atomic].what != kind::atomic || !events_[atomic].writes) return false;
    if (!is_fence(events_[release])) return release == atomic;
    return local_[release][atomic] && events_[release].block == events_[atomic].block;
  }
  [[nodiscard]] bool learns(std::size_t atomic, std::size_t acquire) const {
    if (events_[atomic].what != kind::atomic) return false;
    kernel_event const &y = events_[atomic], &g = events_[acquire];
    return is_access(g) ? atomic == acquire : atomic < acquire && takes_part(g, y.block, y.thread);
  }
  [[nodiscard]] bool synchronises(std::size_t f, std::size_t g) const {
    kernel_event const &from = events_[f], &to = events_[g];
    if (!is_barrier(to) && !to.acquires) return false;
    // The narrow ones reach as far as their block.
    bool const narrow = from.what == kind::block_fence || to.what == kind::block_fence;
    if (narrow && from.block != to.block) return false;
    for (std::size_t x = f; x < g; ++x)
      if (publishes(f, x))
        for (std::size_t y = x + 1; y <= g; ++y)
          if (events_[y].begin == events_[x].begin && learns(y, g)) return true;
    return false;
  }
  void close() {
    std::size_t const n = events_.size();
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < k; ++i)
        if (before_[i][k])
          for (std::size_t j = k + 1; j < n; ++j)
            if (before_[k][j]) before_[i][j] = true;
  }

  std::vector<kernel_event> const& events_;
  std::vector<std::vector<bool>> before_, local_;
};

} // namespace

racy_bytes find_racy_bytes(std::vector<kernel_event> const& all) {
  order const ordered(all);
  racy_bytes result;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      kernel_event const &a = all[i], &b = all[j];
      if (!is_access(a) || !is_access(b) || ordered(i, j)) continue;
      bool const atomics = a.what == kind::atomic && b.what == kind::atomic;
      bool const reads = a.what == kind::read && b.what == kind::read;
      if (atomics || reads) continue;
      bool const one_atomic = a.what == kind::atomic || b.what == kind::atomic;
      for (std::size_t at = std::max(a.begin, b.begin); at < std::min(a.end, b.end); ++at)
        (one_atomic ? result.with_atomic : result.plain).insert(at);
    }
  return result;
}

} // namespace mockgpu::tests
