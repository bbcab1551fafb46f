#include <algorithm>

#include "device/engine.hpp"
#include "device/process.hpp"
#include "host/function_threads.hpp"
#include "order/rules.hpp"

namespace mockgpu {

void engine::mark_baseline() {
  for (allocation& block : memory_.blocks()) block.baseline = true;
  for (auto& [number, one] : streams_) one->baseline = true;
  for (auto& [number, one] : events_) one->baseline = true;
}

void engine::report_leaks() {
  if (sticky_ != status::success) return; // a device that has failed takes nothing back
  for (allocation const& block : memory_.blocks()) {
    if (block.baseline || block.free_issue != 0) continue;
    checker_.report({.kind = kind::leak,
                     .rule = rule::leak,
                     .message = std::to_string(block.size_bytes) + " bytes from '" +
                                log_.site(block.issue).name + "' were not freed",
                     .first = block.issue,
                     .first_access = "alloc",
                     .block = &block});
  }
  // Hash tables have no order of their own: handles leak in order of creation.
  std::vector<std::pair<issue_number, std::string>> handles;
  for (auto const& [number, one] : streams_)
    if (!one->baseline) handles.emplace_back(one->created, log_.stream_name(one->serial));
  for (auto const& [number, one] : events_)
    if (!one->baseline) handles.emplace_back(one->created, "event " + std::to_string(one->serial));
  std::sort(handles.begin(), handles.end());
  for (auto const& [created, name] : handles)
    checker_.report({.kind = kind::leak,
                     .rule = rule::leak,
                     .message = name + " was not destroyed",
                     .first = created,
                     .first_access = "alloc",
                     .memory_name = name});
}

std::vector<finding> engine::finish() {
  // A host function that waits for what nobody will do any more must not hold up the end.
  for (std::uint64_t seen = late_ends(); !scheduler_.run_ready(); seen = late_ends()) {
    call_guard().unlock();
    bool const goes_on = wait_for_late_end(seen, 1000);
    call_guard().lock();
    if (!goes_on) break;
  }
  checker_.flush();
  if (!finished_) report_leaks();
  finished_ = true;
  choices_.close();
  if (recorder_ != nullptr) recorder_->close(host_base_);
  std::vector<finding> all = coalesce(checker_.findings());
  // What was known when a finding was made repeats it; the whole run repeats all of them.
  for (finding& one : all) one.token = choices_.token();
  return all;
}

} // namespace mockgpu
