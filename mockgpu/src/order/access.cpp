#include "order/access.hpp"

#include <link.h>

#include "device/runtime.hpp"
#include "kernel/stacks.hpp"

namespace mockgpu {
namespace {

// Addresses below this come from a null base with an offset.
constexpr std::uintptr_t null_page_bytes = std::uintptr_t{1} << 16;

struct segment {
  std::uintptr_t begin, end;
};

/// Static data of the program and its libraries: constants and tables that kernels may read.
bool in_static_data(std::uintptr_t address) {
  static std::vector<segment> segments;
  auto const known = [&] {
    for (auto const& s : segments)
      if (address - s.begin < s.end - s.begin) return true;
    return false;
  };
  if (known()) return true;
  segments.clear(); // a library may have been loaded since
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        for (int k = 0; k < info->dlpi_phnum; ++k)
          if (auto const& header = info->dlpi_phdr[k]; header.p_type == PT_LOAD)
            segments.push_back({info->dlpi_addr + header.p_vaddr, info->dlpi_addr + header.p_vaddr + header.p_memsz});
        return 0;
      },
      nullptr);
  return known();
}

void device_access(runtime& engine, accessor& by, std::uintptr_t address, std::size_t size_bytes,
                   access_kind kind, unsigned aligned_to, void const* code) {
  auto& check = engine.check;
  if (in_arena(address)) {
    if (aligned_to > 1 && address % aligned_to != 0) {
      auto const* const a = check.allocations.holding(address);
      std::uint64_t const at = address - (a != nullptr ? a->begin : address);
      check.report("misaligned", "alignment",
                   "access of " + std::to_string(size_bytes) + " bytes at an address that is not a multiple of " +
                       std::to_string(aligned_to),
                   {}, check.describe(by, kind, code), a, at, at + size_bytes);
    }
    check.access(by, address, size_bytes, kind, code);
    return;
  }
  if (on_kernel_stack(address) || address - by.arguments_begin < by.arguments_bytes || in_static_data(address))
    return;
  bool const null = address < null_page_bytes;
  if (null)
    check.report(engine.use_is_open() ? "workspace-unset" : "out-of-bounds", "null-pointer",
                 "kernel uses a null pointer (offset " + std::to_string(address) + " bytes)", {},
                 check.describe(by, kind, code), nullptr, address, address + size_bytes);
  else
    check.report("device-touches-host", "memory-spaces", "kernel touches memory of the host", {},
                 check.describe(by, kind, code), nullptr, address, address + size_bytes);
  // The access itself comes next and may end the process: the finding must be out by then.
  check.flush();
  if (null) engine.stop_program();
}

void host_access(runtime& engine, accessor& by, std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                 void const* code) {
  auto& check = engine.check;
  if (in_device(address)) {
    auto const* const a = check.allocations.holding(address);
    std::uint64_t const at = address - (a != nullptr ? a->begin : address);
    check.report("host-touches-device", "memory-spaces", "host code touches device memory", {},
                 check.describe(by, kind, code), a, at, at + size_bytes);
  } else if (in_pinned(address)) {
    check.access(by, address, size_bytes, kind, code);
  } else if (check.watches(address) || check.watches(address + size_bytes - 1)) {
    check.pageable_access(by, address, size_bytes, kind, code);
  }
}

} // namespace

void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind, unsigned aligned_to,
                  void const* code) noexcept {
  runtime& engine = the_runtime();
  if (running_operation != nullptr && !running_operation->runs_on_host) {
    device_access(engine, *running_operation, address, size_bytes, kind, aligned_to, code);
    return;
  }
  // Most accesses of host code are to memory that nobody watches: no lock for them.
  if (!in_arena(address) && !engine.check.watches(address) && !engine.check.watches(address + size_bytes - 1))
    return;
  auto const lock = engine.lock();
  host_access(engine, running_operation != nullptr ? *running_operation : engine.host_accessor(), address,
              size_bytes, kind, code);
}

} // namespace mockgpu
