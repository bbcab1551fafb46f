#include "assay/workspace.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {
namespace {

std::string_view needed_kind(std::string const& storage) {
  if (storage == "GPU_Global") return "device";
  if (storage == "CPU_Pinned") return "pinned";
  if (storage == "CPU_Heap" || storage == "Default") return "host";
  throw error(errc::unsupported,
              "workspace for storage " + storage + " (GPU_Global, CPU_Pinned and CPU_Heap are)");
}

} // namespace

void validate_workspace(std::span<workspace_need const> needs, workspace_buffers const& buffers,
                        gpu_runtime* gpu) {
  for (workspace_need const& need : needs) {
    if (need.size_bytes == 0) continue;
    auto const fail = [&](std::string const& rule) {
      throw error(errc::invalid_input, fmt::format("workspace for {}: {}", need.storage, rule));
    };
    std::string_view const kind = needed_kind(need.storage);
    auto const found = buffers.find(need.storage);
    if (found == buffers.end() || found->second.base == nullptr)
      fail(fmt::format("none is set, {} bytes needed", need.size_bytes));
    workspace_buffer const& buffer = found->second;
    if (gpu != nullptr) {
      gpu_runtime::pointer_info const info = gpu->inspect(buffer.base);
      if (info.kind != kind)
        fail(fmt::format("{} memory given, {} memory needed", info.kind, kind));
      if (kind == "device" && info.device != gpu->current_device())
        fail(fmt::format("memory of device {} given, device {} needed", info.device,
                         gpu->current_device()));
    } else {
      ASSAY_ASSERT(kind == "host");
    }
    if (reinterpret_cast<std::uintptr_t>(buffer.base) % need.alignment_bytes != 0)
      fail(fmt::format("base {} is not aligned to {} bytes", fmt::ptr(buffer.base),
                       need.alignment_bytes));
    if (buffer.size_bytes < need.size_bytes)
      fail(fmt::format("{} bytes given, {} needed", buffer.size_bytes, need.size_bytes));
  }
}

} // namespace assay
