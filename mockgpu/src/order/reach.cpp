// Memory of other devices: a kernel may touch it where the program has given access.
#include "order/checker.hpp"
#include "order/rules.hpp"

namespace mockgpu {

void checker::limit_reach(int device, std::function<bool(allocation const&)> reaches) {
  device_of_kernel_ = device;
  reaches_ = std::move(reaches);
}

void checker::check_reach(allocation const& block, access_kind kind, void const* pc) {
  if (block.space != memory_space::device || reaches_(block)) return;
  issue_number const issue = operation_.where.issue;
  std::string const device = std::to_string(block.device),
                    own = std::to_string(device_of_kernel_), vendor = vendor_prefix();
  report({.kind = kind::wrong_device,
          .rule = rule::peer_access,
          .message = "kernel '" + log_.site(issue).name + "' runs on device " + own +
                     " and touches memory of device " + device +
                     ", to which it has no access: " +
                     (block.pool != 0 ? "give the pool's memory to device " + own +
                                            " (" + vendor + "MemPoolSetAccess)"
                                      : "enable it on device " + own +
                                            " (" + vendor + "DeviceEnablePeerAccess(" + device + ", 0))"),
          .second = issue,
          .second_access = kind == access_kind::read ? "read" : "write",
          .block = &block,
          .once_per_site = true,
          .second_pc = pc});
}

} // namespace mockgpu
