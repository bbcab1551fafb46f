// What the hooks of host code say of atomic and volatile objects.
#include "host/order.hpp"
#include "mockgpu/abi.h"

extern "C" {

void mockgpu_host_polls(void) { mockgpu::host_waits(); }
void mockgpu_host_publishes(void const volatile* object) {
  mockgpu::host_releases(const_cast<void const*>(object));
}
void mockgpu_host_looks_at(void const volatile* object) {
  mockgpu::host_acquires(const_cast<void const*>(object));
}

} // extern "C"
