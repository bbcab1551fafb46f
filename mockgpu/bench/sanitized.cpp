// The benchmark's second process: the same kernels under the compiler's ThreadSanitizer, printed
// for checked.cpp.
#include <cstdio>

#include <mockgpu/abi.h>

#include "cases.hpp"

// The mock itself is not here.
mockgpu_index_state mockgpu_indices = {};
unsigned mockgpu_block_dim[3], mockgpu_grid_dim[3];

int main(int argc, char** argv) {
  for (auto const& one : bench::cases) {
    if (!bench::is_wanted(one, argc, argv)) continue;
    bench::host_data data(one);
    std::printf("%s %f\n", one.name,
                bench::measure(bench::sanitized::run, one.kind, data.view(one)));
  }
  return 0;
}
