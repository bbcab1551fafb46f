// The check that HIP samples wrap around every call.
#pragma once
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    hipError_t const status_ = (call);                                                             \
    if (status_ != hipSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                           \
                   hipGetErrorString(status_));                                                    \
      std::exit(EXIT_FAILURE);                                                                     \
    }                                                                                              \
  } while (false)
