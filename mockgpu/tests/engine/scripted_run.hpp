#pragma once
/// \file GPU programs written as a few lines of test: streams, memory and kernels that touch given
/// bytes. They go through CUDA's entry points, so a test sees what a program sees.
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cuda_runtime_api.h"
#include "mockgpu/control.hpp"
#include "order/access.hpp"

namespace mockgpu::tests {

/// Bytes of memory.
struct region {
  void* base = nullptr;
  std::size_t size_bytes = 0;

  [[nodiscard]] region part(std::size_t begin, std::size_t end) const {
    return {static_cast<char*>(base) + begin, end - begin};
  }
};

/// What one kernel does, in order.
struct touch {
  access_kind kind = access_kind::read;
  region where;
  unsigned element_bytes = 4; ///< 1, 2, 4, 8 or 16
};
[[nodiscard]] inline touch reads(region r, unsigned element_bytes = 4) {
  return {access_kind::read, r, element_bytes};
}
[[nodiscard]] inline touch writes(region r, unsigned element_bytes = 4) {
  return {access_kind::write, r, element_bytes};
}
[[nodiscard]] inline touch updates(region r, unsigned element_bytes = 4) {
  return {access_kind::atomic, r, element_bytes};
}
/// By compare-and-swap.
[[nodiscard]] inline touch swaps(region r, unsigned element_bytes = 4) {
  return {access_kind::compare_swap, r, element_bytes};
}

class scripted_run {
public:
  /// Resets the mock. One at a time.
  explicit scripted_run(options const& = {});
  /// A part of a run that has begun already: the mock is not reset.
  struct joined_t {};
  static constexpr joined_t joined{};
  explicit scripted_run(joined_t) {}
  scripted_run(scripted_run const&) = delete;
  scripted_run& operator=(scripted_run const&) = delete;

  /// Streams are non-blocking unless said otherwise; null is the legacy default stream.
  cudaStream_t add_stream(char const* name, bool blocking = false);
  /// Memory that is zeroed, with the host having waited for it.
  region allocate(std::size_t size_bytes, char const* name = "x");
  /// Memory as the allocation leaves it.
  region allocate_raw(std::size_t size_bytes, char const* name = "x");
  region allocate_async(std::size_t size_bytes, cudaStream_t);
  region allocate_pinned(std::size_t size_bytes);

  void kernel(cudaStream_t, std::vector<touch>);
  void write(cudaStream_t s, region r) { kernel(s, {writes(r)}); }
  void read(cudaStream_t s, region r) { kernel(s, {reads(r)}); }

  cudaEvent_t add_event();
  cudaEvent_t record(cudaStream_t); ///< on a new event
  void record(cudaEvent_t, cudaStream_t);
  void wait(cudaStream_t, cudaEvent_t);
  void synchronize(cudaStream_t);
  /// As the vendors' polling loops: until the answer is yes.
  void poll(cudaStream_t);
  void copy(region target, region source, cudaMemcpyKind, cudaStream_t);

  /// Accesses of host code, as hooks report them.
  void host_reads(void const*, std::size_t size_bytes);
  void host_writes(void*, std::size_t size_bytes);

  /// Runs what is queued. Nothing that is live counts as leaked unless `count_leaks`.
  [[nodiscard]] std::vector<finding> finish(bool count_leaks = false);

private:
  std::vector<std::unique_ptr<std::vector<touch>>> scripts_;
};

using program = std::function<void(scripted_run&)>;

/// Runs the program eagerly, lazily, at random and by priorities, expects the same identities each
/// time and that something was checked, repeats every run by its token, word for word, and gives
/// the findings.
[[nodiscard]] std::vector<finding> in_every_schedule(program const&, options base = {},
                                                     bool count_leaks = false);

[[nodiscard]] std::vector<std::string> kinds(std::vector<finding> const&);
[[nodiscard]] std::set<std::string> identities(std::vector<finding> const&);
[[nodiscard]] std::string text_of(std::vector<finding> const&);

} // namespace mockgpu::tests
