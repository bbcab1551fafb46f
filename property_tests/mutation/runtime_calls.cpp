#include "mutation/runtime_calls.hpp"

#include <algorithm>
#include <array>

namespace assay::fuzz {
namespace {

using name_list = std::initializer_list<std::string_view>;

bool is_one_of(std::string_view call, name_list names) {
  return std::ranges::find(names, call) != names.end();
}

struct argument_entry {
  std::string_view call;
  std::size_t number;
};

template <std::size_t Count>
std::optional<std::size_t> find(std::array<argument_entry, Count> const& table,
                                std::string_view call) {
  auto const found = std::ranges::find(table, call, &argument_entry::call);
  return found == table.end() ? std::nullopt : std::optional(found->number);
}

} // namespace

std::string_view vendor_of(std::string_view identifier) {
  for (std::string_view const vendor : {"cuda", "hip"})
    if (identifier.starts_with(vendor) && identifier.size() > vendor.size() &&
        identifier[vendor.size()] >= 'A' && identifier[vendor.size()] <= 'Z')
      return vendor;
  return {};
}

std::string_view runtime_call(std::string_view identifier) {
  std::string_view const vendor = vendor_of(identifier);
  return vendor.empty() ? std::string_view() : identifier.substr(vendor.size());
}

std::optional<std::size_t> stream_argument(std::string_view call) {
  static constexpr std::array<argument_entry, 15> table{{{"LaunchKernel", 5},
                                                         {"LaunchCooperativeKernel", 5},
                                                         {"LaunchHostFunc", 0},
                                                         {"MemcpyAsync", 4},
                                                         {"Memcpy2DAsync", 7},
                                                         {"Memcpy3DAsync", 1},
                                                         {"MemsetAsync", 3},
                                                         {"Memset2DAsync", 5},
                                                         {"MallocAsync", 2},
                                                         {"MallocFromPoolAsync", 3},
                                                         {"FreeAsync", 1},
                                                         {"EventRecord", 1},
                                                         {"StreamSynchronize", 0},
                                                         {"StreamWaitEvent", 0},
                                                         {"StreamAddCallback", 0}}};
  return find(table, call);
}

std::optional<std::size_t> event_argument(std::string_view call) {
  static constexpr std::array<argument_entry, 3> table{
      {{"EventRecord", 0}, {"EventSynchronize", 0}, {"StreamWaitEvent", 1}}};
  return find(table, call);
}

std::optional<std::size_t> size_argument(std::string_view call) {
  static constexpr std::array<argument_entry, 6> table{{{"Malloc", 1},
                                                        {"MallocAsync", 1},
                                                        {"MallocHost", 1},
                                                        {"HostMalloc", 1},
                                                        {"HostAlloc", 1},
                                                        {"MallocManaged", 1}}};
  return find(table, call);
}

bool is_wait(std::string_view call) {
  return is_one_of(
      call, {"StreamSynchronize", "DeviceSynchronize", "EventSynchronize", "StreamWaitEvent"});
}
bool is_launch(std::string_view call) {
  return is_one_of(call, {"LaunchKernel", "LaunchCooperativeKernel"});
}
bool is_copy(std::string_view call) { return call.starts_with("Memcpy"); }
bool is_fill(std::string_view call) { return call.starts_with("Memset"); }
bool is_allocation(std::string_view call) { return size_argument(call).has_value(); }
bool is_release(std::string_view call) {
  return is_one_of(call, {"Free", "FreeAsync", "FreeHost", "HostFree"});
}
bool is_destruction(std::string_view call) {
  return is_one_of(call, {"StreamDestroy", "EventDestroy"});
}
bool has_status(std::string_view call) {
  // Not those that ask something: what a failed one leaves on the host's stack is left to chance.
  return is_wait(call) || is_launch(call) || is_copy(call) || is_fill(call) ||
         is_allocation(call) || is_release(call) || is_destruction(call) ||
         is_one_of(call, {"EventRecord", "EventCreate", "EventCreateWithFlags", "StreamCreate",
                          "StreamCreateWithFlags", "SetDevice"});
}

} // namespace assay::fuzz
