#pragma once
/// \file One step of a random program. Numbers are taken modulo what there is at that point, so
/// that every sequence is a program and every part of a failing one can be left out.
#include <iosfwd>
#include <vector>

#include <rapidcheck.h>

namespace mockgpu::tests {

enum class step : int {
  kernel,
  copy,
  copy_rows,
  fill,
  fill_rows,
  host_function,
  host_access,
  record,
  wait,
  replace_event,
  synchronize_event,
  query_event,
  synchronize_stream,
  query_stream,
  poll_stream,
  synchronize_device,
  set_device,
  add_stream,
  destroy_stream,
  allocate,
  allocate_async,
  release,
  release_async,
};

struct command {
  step what = step::kernel;
  int stream = 0, event = 0, block = 0, second_block = 0;
  int kind = 0; ///< of the first touch
  int form = 0; ///< sync or async, blocking or not, and the like
  int begin = 0, second_begin = 0, size = 0;
};

std::ostream& operator<<(std::ostream&, command const&);
void showValue(command const&, std::ostream&);

[[nodiscard]] rc::Gen<command> any_command();

} // namespace mockgpu::tests
