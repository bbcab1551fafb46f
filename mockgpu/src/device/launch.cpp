#include <algorithm>

#include "device/runtime.hpp"
#include "kernel/kernel_call.hpp"

namespace mockgpu {
namespace {

constexpr unsigned most_threads = 1024;
constexpr unsigned most_blocks[3] = {0x7fffffff, 65535, 65535};
constexpr unsigned most_block_threads[3] = {1024, 1024, 64};
constexpr std::size_t most_shared_bytes = std::size_t{227} << 10;

} // namespace

status runtime::launch(call& c, mockgpu_launch const& request) {
  auto* const s = find_stream(request.stream);
  check.calls.set_place(c.number, request.file, request.line);
  if (s == nullptr) return bad_handle(c, "stream", request.stream);
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    threads *= request.block[axis];
    if (request.grid[axis] == 0 || request.grid[axis] > most_blocks[axis] || request.block[axis] == 0 ||
        request.block[axis] > most_block_threads[axis])
      return status::invalid_configuration;
  }
  if (threads > most_threads || request.shared_bytes > most_shared_bytes) return status::invalid_configuration;
  // The arguments are read by the host, now: a value that a copy is still to deliver is stale.
  for (unsigned k = 0; k < request.argument_count; ++k)
    access_range(reinterpret_cast<std::uintptr_t>(request.arguments[k]), request.layout[k].size_bytes,
                 access_kind::read, nullptr);
  auto kernel = std::make_shared<kernel_call>(copy_launch(request));
  std::size_t const closure_bytes = request.closure_bytes;
  auto& o = enqueue(c, *s, "kernel", kernel_name(request), {});
  o.checks_accesses = true;
  o.run = [this, &o, kernel, closure_bytes] {
    accessor& by = accessor_of(o);
    by.arguments_begin = reinterpret_cast<std::uintptr_t>(kernel->closure.get());
    by.arguments_bytes = closure_bytes;
    running_operation = &by;
    run_grid(*kernel);
    running_operation = nullptr;
    check.flush();
  };
  return status::success;
}

} // namespace mockgpu

extern "C" int mockgpu_launch_kernel(mockgpu_launch const* request) {
  auto& engine = mockgpu::the_runtime();
  mockgpu::runtime::call c(request->entry_point, __builtin_return_address(0));
  return c.finish(engine.launch(c, *request));
}
