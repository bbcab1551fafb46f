// What a library that a driver built says of itself when it is loaded and before it is unloaded.
#include "mockgpu/abi.h"

// The linker's names for the ends of the section that the drivers' assembler writes; absent where
// no object has it.
extern "C" {
extern mockgpu_kernel_record const __start_mockgpu_kernels[]
    __attribute__((weak, visibility("hidden")));
extern mockgpu_kernel_record const __stop_mockgpu_kernels[]
    __attribute__((weak, visibility("hidden")));
extern mockgpu_variable_record const __start_mockgpu_variables[]
    __attribute__((weak, visibility("hidden")));
extern mockgpu_variable_record const __stop_mockgpu_variables[]
    __attribute__((weak, visibility("hidden")));

extern char const __start_mockgpu_units[] __attribute__((weak, visibility("hidden")));
extern char const __stop_mockgpu_units[] __attribute__((weak, visibility("hidden")));

__attribute__((destructor)) static void forget_library() {
  mockgpu_remove_units(__start_mockgpu_units);
  if (__start_mockgpu_kernels != nullptr) mockgpu_remove_kernels(__start_mockgpu_kernels);
  if (__start_mockgpu_variables != nullptr) mockgpu_remove_variables(__start_mockgpu_variables);
}

// Called by the constructor of each object that has hooks; the first call is enough.
__attribute__((visibility("hidden"))) void __mockgpu_init() {
  static bool done = false;
  if (done) return;
  done = true;
  mockgpu_require_layout(MOCKGPU_LAYOUT);
  mockgpu_add_units(__start_mockgpu_units, __stop_mockgpu_units);
  if (__start_mockgpu_kernels != nullptr)
    mockgpu_add_kernels(__start_mockgpu_kernels, __stop_mockgpu_kernels);
  if (__start_mockgpu_variables != nullptr)
    mockgpu_add_variables(__start_mockgpu_variables, __stop_mockgpu_variables);
}
}
