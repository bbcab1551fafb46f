#pragma once
/// \file The cases of the benchmark, shared by its two processes: ThreadSanitizer wants one of its
/// own.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "kernels.hpp"

namespace bench {

struct measured_case {
  char const* name;
  kernel_kind kind;
  int side;
};

/// In the cache (32 KiB per array) and past it (32 MiB).
inline constexpr measured_case cases[] = {
    {"stencil/cache", kernel_kind::stencil, 64}, {"stencil/memory", kernel_kind::stencil, 2048},
    {"axpy/cache", kernel_kind::axpy, 64},       {"axpy/memory", kernel_kind::axpy, 2048},
    {"gather/cache", kernel_kind::gather, 64},   {"gather/memory", kernel_kind::gather, 2048},
};

/// The content of the buffers: equal in all ways of building.
struct host_data {
  std::vector<double> target, source;
  std::vector<int> indices;

  explicit host_data(int side)
      : target(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), 1.0),
        source(target.size(), 2.0), indices(target.size()) {
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), std::mt19937(1));
  }
  [[nodiscard]] buffers view(int side) {
    return {target.data(), source.data(), indices.data(), side};
  }
};

/// Measures one way of building on given memory.
inline void measure(benchmark::State& state, void (*run)(kernel_kind, buffers const&),
                    kernel_kind kind, buffers const& data) {
  run(kind, data); // first touch is no part of it
  for (auto _ : state) run(kind, data);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * data.side * data.side);
}

} // namespace bench
