#include <algorithm>
#include <climits>

#include "api/launch_by_address.hpp"
#include "api/support.hpp"
#include "kernel/kernel_call.hpp"
#include "kernel/kernel_table.hpp"
#include "mockgpu/abi.h"
#include "order/checker_guard.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

class kernel_work final : public work, grid_listener {
public:
  kernel_work(engine& on, kernel_call kernel, std::size_t closure_bytes)
      : engine_(on), kernel_(std::move(kernel)), closure_bytes_(closure_bytes),
        device_(on.current_device()) {}
  void run() override {
    // The kernel may read its own arguments where they are kept.
    engine_.judge().allow(kernel_.closure.get(), closure_bytes_);
    if (engine_.device_count() > 1)
      engine_.judge().limit_reach(
          device_, [this](allocation const& block) { return engine_.reaches(device_, block); });
    draw_order();
    device_variables const own(engine_.variables(), device_);
    program_runs const within;
    run_grid(kernel_, *this);
  }

private:
  /// Who starts first in the grid. Eager goes by the index; so does each order of an exhaustive
  /// schedule, which is about operations.
  void draw_order() {
    choices& source = engine_.decisions();
    schedule_kind const schedule = source.schedule();
    if (schedule == schedule_kind::eager || schedule == schedule_kind::exhaustive) return;
    std::uint64_t blocks = 1, threads = 1;
    for (int axis = 0; axis < 3; ++axis)
      blocks *= kernel_.grid[axis], threads *= kernel_.block[axis];
    bool const by_seed = schedule != schedule_kind::lazy;
    if (blocks > 1) {
      kernel_.order.downwards = source.draw(choice::direction, 2) != 0;
      kernel_.order.first = kernel_.order.downwards ? blocks - 1 : 0;
      unsigned const parts = unsigned(std::min<std::uint64_t>(blocks, 1u << 16));
      if (by_seed) kernel_.order.first = source.draw(choice::first_block, parts) * (blocks / parts);
    }
    if (by_seed && blocks * threads > 1)
      kernel_.preemption_seed = source.draw(choice::preemption, 1u << 24);
  }
  void barrier_divergence(std::string const& message) override {
    report(kind::barrier_divergence, rule::convergent_barrier, message);
  }
  void ended(grid_end why, std::string const& message) override {
    engine_.fail_sticky(why == grid_end::step_limit  ? status::launch_timeout
                        : why == grid_end::assertion ? status::assertion
                                                     : status::launch_failure);
    report(kind::kernel_fault,
           why == grid_end::step_limit  ? rule::step_limit
           : why == grid_end::assertion ? rule::device_assertion
                                        : rule::device_trap,
           message);
  }
  void report(char const* kind, char const* rule, std::string const& message) {
    issue_number const issue = engine_.judge().operation_point().issue;
    engine_.judge().report({.kind = kind,
                            .rule = rule,
                            .message = "'" + engine_.log().site(issue).name + "', " + message,
                            .second = issue});
  }

  engine& engine_;
  kernel_call kernel_;
  std::size_t closure_bytes_;
  int device_;
};

/// Whether the blocks of a launch, which may wait for each other, can all be on the device at once.
bool fits_at_once(call& c, launch_request const& what) {
  unsigned long long threads = 1, blocks = 1;
  for (int axis = 0; axis < 3; ++axis) threads *= what.block[axis], blocks *= what.grid[axis];
  int resident = 0;
  if (threads > INT_MAX || c.on().resident_blocks(what.kernel, int(threads), what.shared_bytes,
                                                  resident) != status::success)
    return true; // the launch says what is wrong
  // No block at all: so does this one.
  return resident == 0 ||
         blocks <= static_cast<unsigned long long>(resident) *
                       static_cast<unsigned long long>(c.on().rules().device.multiprocessors);
}

status enqueue(call& c, mockgpu_launch const& given) {
  launch_request request;
  for (int axis = 0; axis < 3; ++axis) {
    request.grid[axis] = given.grid[axis];
    request.block[axis] = given.block[axis];
  }
  request.shared_bytes = given.shared_bytes;
  request.stream = given.stream;
  request.kernel = reinterpret_cast<void const*>(given.entry);
  request.arguments.reserve(given.argument_count);
  for (unsigned i = 0; i < given.argument_count; ++i)
    request.arguments.push_back({given.arguments[i], given.layout[i].size_bytes});
  c.site.name = kernel_name(given);
  kernel_call kernel = copy_launch(given);
  kernel.warp_size = unsigned(c.on().rules().device.warp_size);
  kernel.cooperative = given.cooperative != 0;
  kernel.limits = c.on().limits_of_kernels();
  if (kernel.cooperative && !fits_at_once(c, request)) return status::cooperative_launch_too_large;
  return c.on().launch(
      c.site, request,
      std::make_unique<kernel_work>(c.on(), std::move(kernel), given.closure_bytes));
}

} // namespace

int launch_by_address(mockgpu_launch const& given, void const* caller) {
  void const* const entry = reinterpret_cast<void const*>(given.entry);
  mockgpu_launch request = given;
  if (!ask_kernel(entry, request))
    return mockgpu_refuse_launch(given.entry_point, entry, given.text, given.file, given.line);
  call c("kernel", given.entry_point, caller);
  return run(c, [&] { return enqueue(c, request); });
}

} // namespace mockgpu

extern "C" int mockgpu_launch_untyped(mockgpu_launch const* given) {
  return mockgpu::launch_by_address(*given, __builtin_return_address(0));
}

extern "C" int mockgpu_launch_kernel(mockgpu_launch const* given) {
  mockgpu::call c("kernel", given->entry_point, __builtin_return_address(0));
  c.site.file = given->file;
  c.site.line = given->line;
  // Only `<<<>>>` hands over no text of its arguments: it has no value that a program could test.
  c.returns_status = given->text != nullptr;
  return mockgpu::run(c, [&] { return mockgpu::enqueue(c, *given); });
}
