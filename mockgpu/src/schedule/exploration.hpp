#pragma once
/// \file All orders of a program that can make a difference: which one comes next, and when there
/// is none left. Dynamic partial-order reduction with source sets and sleep sets (Flanagan,
/// Godefroid, POPL 2005; Abdulla, Aronis, Jonsson, Sagonas, POPL 2014): of the runs that differ
/// only in the order of independent steps, one is made.
#include <optional>
#include <string>
#include <vector>

#include "schedule/run_trace.hpp"

namespace mockgpu {

class exploration {
public:
  /// The next run, or none when all orders are covered.
  [[nodiscard]] std::optional<run_plan> next();
  /// What came of the run that `next` planned.
  /// \throws std::runtime_error "nondeterministic program: ..." where its beginning differs from
  /// the run that it repeats.
  void absorb(run_trace);

  /// Orders that no other of them repeats.
  [[nodiscard]] std::uint64_t orders() const noexcept { return orders_; }
  /// Runs that turned out to repeat an order.
  [[nodiscard]] std::uint64_t redundant() const noexcept { return redundant_; }

private:
  struct node {
    trace_point point;
    std::vector<sleeper> sleepers;     ///< on arrival, then also who has gone on from here before
    std::vector<bool> wanted, done;    ///< by alternative
    std::vector<std::uint64_t> before; ///< bits: points whose steps happen before this step
  };
  void compare(trace_point const& found, std::size_t at) const;
  void order(std::size_t at);
  void find_races(std::size_t at);
  void want_reversal(std::size_t first, std::size_t second);
  [[nodiscard]] std::vector<sleeper> sleepers_after(std::size_t at) const;

  std::vector<node> path_;
  std::size_t changed_ = 0; ///< first point of the run that is new
  bool begun_ = false;
  std::uint64_t orders_ = 0, redundant_ = 0;
};

} // namespace mockgpu
