#include <cstdio>

#include "kernel/kernel_call.hpp"

extern "C" int mockgpu_refuse_launch(char const* entry_point, void const* entry, char const* text,
                                     char const* file, unsigned line) {
  mockgpu_launch request{};
  request.text = text;
  request.entry = reinterpret_cast<void (*)()>(const_cast<void*>(entry));
  std::fprintf(stderr,
               "mockgpu: %s:%u: %s of '%s' refused: it is no kernel that a compiler driver of "
               "mockgpu built\n",
               file != nullptr ? file : "?", line, entry_point,
               mockgpu::find_kernel_name(request).c_str());
  return 801; // not supported, in both vendors' numbering
}
