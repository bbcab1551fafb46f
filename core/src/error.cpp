#include "assay/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace assay {

void assertion_failed(char const* invariant, char const* file, int line) noexcept {
  std::fprintf(stderr, "assay: broken invariant: %s (%s:%d)\n", invariant, file, line);
  std::abort();
}

} // namespace assay
