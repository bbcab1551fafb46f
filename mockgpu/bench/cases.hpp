#pragma once
/// \file The cases of the benchmark, shared by its two processes: ThreadSanitizer wants one of its
/// own.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <time.h>

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

  explicit host_data(measured_case const& one)
      : target(static_cast<std::size_t>(one.side) * static_cast<std::size_t>(one.side)),
        source(target.size()), indices(target.size()) {
    if (one.kind != kernel_kind::gather) return;
    std::iota(indices.begin(), indices.end(), 0);
    std::shuffle(indices.begin(), indices.end(), std::mt19937(1));
  }
  [[nodiscard]] buffers view(measured_case const& one) {
    return {target.data(), source.data(), indices.data(), one.side, one.single};
  }
};

/// Processor time of the calling thread.
[[nodiscard]] inline double cpu_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

/// The least of many short times of one way of building, per element: other work on the machine
/// makes a time longer, never shorter.
[[nodiscard]] inline double measure(void (*run)(kernel_kind, buffers const&), kernel_kind kind,
                                    buffers const& data) {
  double const elements = static_cast<double>(data.side) * data.side;
  int const calls = elements < 1e5 ? 16 : 1;
  run(kind, data); // first touch is no part of it
  double least = 1e300;
  for (int repetition = 0; repetition < (calls == 1 ? 4 : 40); ++repetition) {
    double const begin = cpu_nanoseconds();
    for (int call = 0; call < calls; ++call) run(kind, data);
    least = std::min(least, (cpu_nanoseconds() - begin) / calls / elements);
  }
  return least;
}

/// Whether the command line asks for a case: names, or the beginnings of names, or none for all.
[[nodiscard]] inline bool is_wanted(measured_case const& one, int argc, char** argv) {
  return argc < 2 || std::any_of(argv + 1, argv + argc, [&](std::string const& name) {
           return std::string(one.name).starts_with(name);
         });
}

} // namespace bench
