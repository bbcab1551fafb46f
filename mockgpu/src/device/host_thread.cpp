#include "device/host_thread.hpp"

#include <atomic>
#include <mutex>

#include "device/process.hpp"

namespace mockgpu {
namespace {

struct host_thread {
  std::uint32_t number;
  host_thread() noexcept {
    static std::atomic<std::uint32_t> made{0};
    number = ++made;
  }
  ~host_thread() {
    std::lock_guard const lock(call_guard());
    if (engine* const on = existing_engine()) on->end_thread(number);
  }
};

} // namespace

std::uint32_t this_thread_number() noexcept {
  static thread_local host_thread const self;
  return self.number;
}

} // namespace mockgpu
