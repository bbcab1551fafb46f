#pragma once
/// \file Who runs next: the only source of choice, fed by a seed.
#include <cstdint>
#include <vector>

#include "device/operation.hpp"
#include "mockgpu/control.hpp"

namespace mockgpu {

/// Decides when queued operations run. It never adds an order that the checker would believe.
class scheduler {
public:
  scheduler(schedule_kind kind, std::uint64_t seed) : kind_(kind), state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  void add(stream& s) { streams_.push_back(&s); }

  /// Called after an operation was queued and at every other call of the runtime.
  void after_call();
  /// Runs at least what `target` needs, and `target`.
  void run_until_done(operation& target);
  /// Runs everything that is queued on the device's streams (-1: all devices).
  void drain(int device);
  /// An unsuccessful query: after some of them, something must run.
  void unsuccessful_query(operation& target);
  /// A yes or no that the vendors leave open ("may").
  [[nodiscard]] bool may(bool when_eager, bool when_lazy);

private:
  schedule_kind kind_;
  std::uint64_t state_;
  std::vector<stream*> streams_;
  int queries_ = 0;

  [[nodiscard]] std::uint64_t random();
  [[nodiscard]] std::vector<stream*> ready(int device) const;
  void run_head(stream&);
};

} // namespace mockgpu
