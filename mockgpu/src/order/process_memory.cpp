#include "order/process_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/shared_memory.hpp"
#include "kernel/stacks.hpp"

namespace mockgpu {
namespace {

struct segment {
  std::uintptr_t begin, end;
};

std::vector<segment> loaded_segments() {
  std::vector<segment> all;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* result) {
        for (int i = 0; i < library->dlpi_phnum; ++i) {
          auto const& header = library->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          std::uintptr_t const begin = library->dlpi_addr + header.p_vaddr;
          static_cast<std::vector<segment>*>(result)->push_back({begin, begin + header.p_memsz});
        }
        return 0;
      },
      &all);
  return all;
}

bool in_a_library(std::uintptr_t address) {
  static std::vector<segment>& known = *new std::vector<segment>;
  auto const inside = [address](segment const& one) {
    return one.begin <= address && address < one.end;
  };
  if (std::any_of(known.begin(), known.end(), inside)) return true;
  known = loaded_segments(); // a library may have been loaded since
  return std::any_of(known.begin(), known.end(), inside);
}

} // namespace

address_class classify(std::uintptr_t address) {
  if (on_kernel_stack(address)) return address_class::kernel_stack;
  if (near_shared_memory(address)) return address_class::past_shared_memory;
  if (in_a_library(address)) return address_class::library_data;
  constexpr std::uintptr_t near_null_bytes = std::uintptr_t{1} << 31;
  std::uintptr_t const page = address & ~std::uintptr_t{4095};
  unsigned char resident;
  if (mincore(reinterpret_cast<void*>(page), 1, &resident) == 0) return address_class::mapped;
  return address < near_null_bytes ? address_class::near_null : address_class::unmapped;
}

void end_process(int exit_code) noexcept {
  std::fflush(nullptr);
  _exit(exit_code);
}

} // namespace mockgpu
