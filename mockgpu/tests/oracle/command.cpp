#include "command.hpp"

#include <array>
#include <ostream>
#include <utility>

namespace mockgpu::tests {
namespace {

struct weighted_step {
  step what;
  std::size_t weight;
  char const* name;
};
constexpr weighted_step steps[] = {
    {step::kernel, 26, "kernel"},
    {step::copy, 10, "copy"},
    {step::copy_rows, 4, "copy_rows"},
    {step::fill, 4, "fill"},
    {step::fill_rows, 2, "fill_rows"},
    {step::host_function, 4, "host_function"},
    {step::host_access, 6, "host_access"},
    {step::record, 13, "record"},
    {step::wait, 14, "wait"},
    {step::replace_event, 2, "replace_event"},
    {step::synchronize_event, 3, "synchronize_event"},
    {step::query_event, 2, "query_event"},
    {step::synchronize_stream, 3, "synchronize_stream"},
    {step::query_stream, 2, "query_stream"},
    {step::poll_stream, 2, "poll_stream"},
    {step::synchronize_device, 1, "synchronize_device"},
    {step::set_device, 3, "set_device"},
    {step::add_stream, 2, "add_stream"},
    {step::destroy_stream, 2, "destroy_stream"},
    {step::allocate, 4, "allocate"},
    {step::allocate_async, 7, "allocate_async"},
    {step::release, 3, "release"},
    {step::release_async, 5, "release_async"},
};

rc::Gen<step> any_step() {
  // Kernels first: shrinking then ends in the simplest program.
  std::vector<step> choices;
  for (weighted_step const& one : steps) choices.insert(choices.end(), one.weight, one.what);
  return rc::gen::map(rc::gen::inRange<std::size_t>(0, choices.size()),
                      [choices](std::size_t at) { return choices[at]; });
}

} // namespace

std::ostream& operator<<(std::ostream& out, command const& c) {
  for (weighted_step const& one : steps)
    if (one.what == c.what) out << one.name;
  return out << "{s" << c.stream << " e" << c.event << " m" << c.block << " m" << c.second_block
             << " kind " << c.kind << " form " << c.form << " bytes " << c.begin << ","
             << c.second_begin << "+" << c.size << "}";
}
void showValue(command const& c, std::ostream& out) { out << c; }

rc::Gen<command> any_command() {
  auto const below = [](int bound) { return rc::gen::inRange(0, bound); };
  // Ranges grow with the size of a case; here only the length of a program is to grow.
  return rc::gen::resize(
      rc::kNominalSize,
      rc::gen::build<command>(
          rc::gen::set(&command::what, any_step()), rc::gen::set(&command::stream, below(8)),
          rc::gen::set(&command::event, below(4)), rc::gen::set(&command::block, below(8)),
          rc::gen::set(&command::second_block, below(8)), rc::gen::set(&command::kind, below(9)),
          rc::gen::set(&command::form, below(12)), rc::gen::set(&command::begin, below(64)),
          rc::gen::set(&command::second_begin, below(64)),
          rc::gen::set(&command::size, below(24))));
}

} // namespace mockgpu::tests
