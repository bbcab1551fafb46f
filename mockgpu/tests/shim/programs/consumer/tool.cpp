#include <mockgpu/control.hpp>

#include <cstdio>

int main() {
  mockgpu::configure({.dialect = "hip-7"});
  std::printf("tool %d\n", mockgpu::finding_kinds().size() > 10 && mockgpu::finish().empty());
}
