#include "mockgpu/control.hpp"

#include "device/runtime.hpp"

namespace mockgpu {

void configure(options const& o) { the_runtime().configure(o); }
void set_sink(std::function<void(finding const&)> sink) { the_runtime().check.sink = std::move(sink); }
statistics current_statistics() { return the_runtime().current_statistics(); }
std::vector<finding> finish() { return the_runtime().finish(); }
void mark_baseline() { the_runtime().mark_baseline(); }
void reset(options const& o) { the_runtime().reset(o); }

} // namespace mockgpu
