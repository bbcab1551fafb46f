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
  bool writable;
};

/// The mock's own data are no finding of the program's.
bool of_the_mock(dl_phdr_info const& library) {
  static char const anchor = 0;
  auto const self = reinterpret_cast<std::uintptr_t>(&anchor);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    auto const& header = library.dlpi_phdr[i];
    if (header.p_type == PT_LOAD && self - library.dlpi_addr - header.p_vaddr < header.p_memsz)
      return true;
  }
  return false;
}

std::vector<segment> loaded_segments() {
  std::vector<segment> all;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* result) {
        bool const mock = of_the_mock(*library);
        auto& found = *static_cast<std::vector<segment>*>(result);
        // Relocated constants lie in a writable part that is closed before the program starts.
        for (bool const closed : {true, false})
          for (int i = 0; i < library->dlpi_phnum; ++i) {
            auto const& header = library->dlpi_phdr[i];
            if (header.p_type != (closed ? PT_GNU_RELRO : PT_LOAD)) continue;
            std::uintptr_t const begin = library->dlpi_addr + header.p_vaddr;
            bool const writable = !closed && !mock && (header.p_flags & PF_W) != 0;
            found.push_back({begin, begin + header.p_memsz, writable});
          }
        return 0;
      },
      &all);
  return all;
}

/// The first part of a library that the address lies in, or null.
segment const* in_a_library(std::uintptr_t address) {
  static std::vector<segment>& known = *new std::vector<segment>;
  auto const inside = [address](segment const& one) {
    return one.begin <= address && address < one.end;
  };
  auto found = std::find_if(known.begin(), known.end(), inside);
  if (found == known.end()) {
    known = loaded_segments(); // a library may have been loaded since
    found = std::find_if(known.begin(), known.end(), inside);
  }
  return found == known.end() ? nullptr : &*found;
}

} // namespace

address_class classify(std::uintptr_t address) {
  if (on_kernel_stack(address)) return address_class::kernel_stack;
  if (near_shared_memory(address)) return address_class::past_shared_memory;
  if (segment const* const part = in_a_library(address))
    return part->writable ? address_class::host_data : address_class::library_data;
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
