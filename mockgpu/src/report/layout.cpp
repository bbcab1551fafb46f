#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "mockgpu/abi.h"

void mockgpu_require_layout(char const* layout) {
  if (std::strcmp(layout, MOCKGPU_LAYOUT) == 0) return;
  Dl_info caller = {};
  bool const is_known = dladdr(__builtin_return_address(0), &caller) != 0;
  std::fprintf(stderr,
               "mockgpu: '%s' was built by the drivers of another version of mockgpu than this "
               "library is of: build it again\n",
               is_known && caller.dli_fname != nullptr ? caller.dli_fname : "a program");
  constexpr int environment = 4; // as of the command assay
  std::_Exit(environment);
}
