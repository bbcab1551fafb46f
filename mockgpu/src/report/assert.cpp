#include "mockgpu/assert.h"

#include <cstdio>
#include <cstdlib>

void mockgpu_assertion_failed(char const* invariant, char const* file, int line) {
  std::fprintf(stderr, "mockgpu: broken invariant: %s (%s:%d)\n", invariant, file, line);
  std::abort();
}
