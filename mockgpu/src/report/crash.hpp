#pragma once
namespace mockgpu {
/// On a fatal signal, what was found so far is reported first. Handlers of the program are kept.
void report_before_crash(void (*flush)());
} // namespace mockgpu
