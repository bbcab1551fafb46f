#include "api/call.hpp"

#include <utility>

#include "device/process.hpp"
#include "report/environment.hpp"

namespace mockgpu {

thread_errors& this_thread_errors() noexcept {
  static thread_local thread_errors instance;
  return instance;
}

namespace {
status sticky_error() noexcept {
  std::lock_guard const lock(call_guard());
  engine const* const on = existing_engine();
  return on != nullptr ? on->sticky_error() : status::success;
}
/// The program looks at its last error: it is ignored no more.
void note_reading(char const* reader, void const* return_address) noexcept {
  thread_errors& errors = this_thread_errors();
  std::lock_guard const lock(call_guard());
  engine* const on = existing_engine();
  if (on == nullptr || errors.last == status::success) return;
  pending_error& origin = on->pending_error_of(errors.slot);
  on->note_error_read({.what = "call", .name = reader, .return_address = return_address}, origin,
                      errors.last);
  origin.has_status = true;
}

} // namespace

int take_last_error(char const* reader, void const* return_address) noexcept {
  note_reading(reader, return_address);
  status const last = std::exchange(this_thread_errors().last, status::success);
  status const failed = sticky_error();
  return static_cast<int>(failed != status::success ? failed : last);
}
int peek_at_last_error(char const* reader, void const* return_address) noexcept {
  note_reading(reader, return_address);
  status const failed = sticky_error();
  return static_cast<int>(failed != status::success ? failed : this_thread_errors().last);
}

call::call(char const* what, char const* entry_point, void const* return_address)
    : lock_(call_guard()) {
  if (this_thread_errors().in_host_function) return;
  site.what = what;
  site.name = entry_point;
  site.return_address = return_address;
  if (existing_engine() == nullptr) note_first_call(entry_point);
  engine_ = &the_engine();
  engine_->begin_call();
}

call::~call() {
  if (engine_ != nullptr) engine_->end_call();
}

int call::finish(status result) noexcept {
  thread_errors& errors = this_thread_errors();
  if (result != status::success && engine_ != nullptr)
    engine_->pending_error_of(errors.slot) = {site, engine_->calls(), returns_status};
  if (result != status::success ||
      (engine_ != nullptr && engine_->rules().guarantees(rule_id::last_error_is_last_status)))
    errors.last = result;
  return static_cast<int>(result);
}

} // namespace mockgpu
