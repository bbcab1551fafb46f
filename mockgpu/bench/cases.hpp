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
  bool single;
};

/// In the cache (32 KiB of doubles per array) and past it (32 MiB).
inline constexpr measured_case cases[] = {
    {"stencil/double/cache", kernel_kind::stencil, 64, false},
    {"stencil/double/memory", kernel_kind::stencil, 2048, false},
    {"stencil/float/memory", kernel_kind::stencil, 2048, true},
    {"axpy/double/cache", kernel_kind::axpy, 64, false},
    {"axpy/double/memory", kernel_kind::axpy, 2048, false},
    {"axpy/float/memory", kernel_kind::axpy, 2048, true},
    {"gather/double/cache", kernel_kind::gather, 64, false},
    {"gather/double/memory", kernel_kind::gather, 2048, false},
    {"gather/float/memory", kernel_kind::gather, 2048, true},
    {"reduction/double/cache", kernel_kind::reduction, 64, false},
    {"reduction/double/memory", kernel_kind::reduction, 2048, false},
    {"reduction/float/memory", kernel_kind::reduction, 2048, true},
};

/// The content of the buffers: equal in all ways of building. Bytes of doubles serve floats too.
struct host_data {
  std::vector<double> target, source;
  std::vector<int> indices;

  explicit host_data(int side)
      : target(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)),
        source(target.size()), indices(target.size()) {
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), std::mt19937(1));
  }
  [[nodiscard]] buffers view(measured_case const& one) {
    return {target.data(), source.data(), indices.data(), one.side, one.single};
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
