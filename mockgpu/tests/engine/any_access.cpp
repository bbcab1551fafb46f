#include "any_access.hpp"

#include "hooks/atomic_access.hpp"
#include "hooks/word_access.hpp"

// Here it is a function like any other: nobody relies on more registers.
void mockgpu_check_access(std::uintptr_t address, std::size_t size_bytes, std::size_t write,
                          void const* return_address) noexcept {
  using mockgpu::access_kind;
  mockgpu::check_access(address, size_bytes, write != 0 ? access_kind::write : access_kind::read,
                        static_cast<unsigned>(size_bytes), return_address);
}

namespace mockgpu::tests {
namespace {

template <unsigned SizeBytes>
void access_of_size(std::uintptr_t address, access_kind kind, void const* return_address) {
  if (kind == access_kind::read)
    mockgpu::access<SizeBytes, false>(address, nullptr, return_address);
  else if (kind == access_kind::write)
    mockgpu::access<SizeBytes, true>(address, nullptr, return_address);
  else
    access_atomically<SizeBytes>(address, kind, return_address);
}

} // namespace

void access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
            void const* return_address) {
  switch (size_bytes) {
  case 1:
    return access_of_size<1>(address, kind, return_address);
  case 2:
    return access_of_size<2>(address, kind, return_address);
  case 4:
    return access_of_size<4>(address, kind, return_address);
  case 8:
    return access_of_size<8>(address, kind, return_address);
  case 16:
    return access_of_size<16>(address, kind, return_address);
  default:
    return access_range(address, size_bytes, kind, return_address);
  }
}

} // namespace mockgpu::tests
