#pragma once
/// \file Who gives workspaces: a callable, a register of callables by name, and one slab per device
/// for all programs of a process.
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "assay/workspace.hpp"

namespace assay {

/// The memory that a workspace is for.
struct workspace_device {
  std::string storage; ///< "GPU_Global", "CPU_Heap"
  int device = 0;      ///< ordinal; 0 for host memory
  friend auto operator<=>(workspace_device const&, workspace_device const&) = default;
};

/// Gives memory of at least so many bytes, which stays the allocator's: it must live as long as the
/// programs that were given it. Called from the thread that calls the program.
using workspace_source =
    std::function<workspace_buffer(workspace_device const&, std::size_t size_bytes)>;

/// Makes an allocator known by name, for programs and artifacts that store the name alone.
/// Thread-safe. \throws error{invalid_input} for an empty name, a null callable or a name that is
/// taken.
void register_workspace_source(std::string const& name, workspace_source);
/// Forgets a name; programs that hold the callable keep it. Unknown names are ignored. Thread-safe.
void unregister_workspace_source(std::string_view name);
/// \throws error{invalid_input} naming it and the names that are known. Thread-safe.
[[nodiscard]] workspace_source find_workspace_source(std::string_view name);

/// One slab for each device, made at the first request, never grown or moved, and given to every
/// later one. Thread-safe. Programs that share a slab must run one after the other on one stream,
/// or keep apart by a workspace_guard.
class slab_allocator {
public:
  /// Gives and takes back raw memory of a device. `release` may be empty: memory then stays.
  struct memory {
    std::function<void*(workspace_device const&, std::size_t size_bytes)> allocate;
    std::function<void(workspace_device const&, void*)> release;
  };
  /// `size_bytes`: of every slab; 0 makes a slab as large as its first request.
  explicit slab_allocator(memory, std::size_t size_bytes = 0);
  slab_allocator(slab_allocator const&) = delete;
  slab_allocator& operator=(slab_allocator const&) = delete;
  /// Releases the slabs: no program may use them any more.
  ~slab_allocator();

  /// The device's slab, whole. \throws error{invalid_input}: "workspace of GPU_Global on device 0:
  /// 200 bytes asked, the slab has 100"; error{environment} where memory cannot be had or its base
  /// is not aligned to 256 bytes. After an error the next request tries again.
  [[nodiscard]] workspace_buffer slab(workspace_device const&, std::size_t size_bytes);

  /// This allocator as a callable; it must outlive it.
  [[nodiscard]] workspace_source source();

private:
  memory memory_;
  std::size_t size_bytes_;
  std::mutex lock_;
  std::map<workspace_device, workspace_buffer> slabs_;
};

} // namespace assay
