#pragma once
/// \file What a step touched. Two steps are dependent, so that their order can make a difference,
/// where their footprints conflict.
#include <cstdint>
#include <vector>

namespace mockgpu {

/// Half open. Bytes by address; states of operations by `status_of`.
struct touched_range {
  std::uint64_t begin = 0, end = 0;
  bool operator==(touched_range const&) const = default;
};

class footprint {
public:
  void read(touched_range range) { add(reads_, range); }
  void write(touched_range range) { add(writes_, range); }
  /// Sorts and joins the ranges; `conflicts` needs it.
  void close();
  /// One of the two writes what the other touches. Both closed.
  [[nodiscard]] bool conflicts(footprint const& other) const noexcept;

  [[nodiscard]] std::vector<touched_range> const& reads() const noexcept { return reads_; }
  [[nodiscard]] std::vector<touched_range> const& writes() const noexcept { return writes_; }

private:
  static void add(std::vector<touched_range>& to, touched_range range);
  std::vector<touched_range> reads_, writes_;
};

/// Whether an operation is done: it writes that, a query reads it. No address is as high.
[[nodiscard]] constexpr touched_range status_of(std::uint64_t issue) noexcept {
  return {(std::uint64_t{1} << 63) + issue, (std::uint64_t{1} << 63) + issue + 1};
}
/// What functions of the program that run in stream order share, unseen by hooks.
[[nodiscard]] constexpr touched_range host_functions() noexcept { return status_of(0); }

} // namespace mockgpu
