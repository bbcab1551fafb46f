#pragma once
/// \file The caller's memory for a program's external arrays, and the rules that it must keep.
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "assay/gpu_runtime.hpp"

namespace assay {

/// What a program asks of one storage ("GPU_Global", "CPU_Heap").
struct workspace_need {
  std::string storage;
  std::size_t size_bytes = 0;
  std::size_t alignment_bytes = 256; ///< of the base; power of two
};
/// Memory of the caller, who keeps it alive and unshared from install to the end of the last call.
struct workspace_buffer {
  void* base = nullptr;
  std::size_t size_bytes = 0;
};
using workspace_buffers = std::map<std::string, workspace_buffer>; ///< by storage

/// Checks, for each need in order: a buffer is present, of the right kind of memory, on the current
/// device, with an aligned base, large enough. A need of zero bytes is met by nothing. `gpu` may be
/// null where no need is of device or pinned memory. \throws error{invalid_input} for the first
/// broken rule, naming storage and both values.
void validate_workspace(std::span<workspace_need const>, workspace_buffers const&,
                        gpu_runtime* gpu);

} // namespace assay
