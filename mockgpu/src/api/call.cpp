#include "api/call.hpp"

#include "device/process.hpp"

namespace mockgpu {

thread_errors& this_thread_errors() noexcept {
  static thread_local thread_errors instance;
  return instance;
}

call::call(char const* what, char const* entry_point, void const* return_address)
    : lock_(call_guard()) {
  if (this_thread_errors().in_host_function) return;
  site.what = what;
  site.name = entry_point;
  site.return_address = return_address;
  engine_ = &the_engine();
  engine_->begin_call();
}

call::~call() {
  if (engine_ != nullptr) engine_->end_call();
}

int call::finish(status result) noexcept {
  thread_errors& errors = this_thread_errors();
  if (result != status::success ||
      (engine_ != nullptr && engine_->rules().last_error_is_last_status))
    errors.last = result;
  return static_cast<int>(result);
}

} // namespace mockgpu
