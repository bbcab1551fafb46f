#include "assay/sdfg.hpp"

#include <algorithm>
#include <array>

namespace assay::sdfg {

std::string_view name(storage s) noexcept {
  static constexpr std::array<std::string_view, 7> names{
      "Default",         "Register",   "CPU_Heap",  "CPU_Pinned",
      "CPU_ThreadLocal", "GPU_Global", "GPU_Shared"};
  return names[static_cast<std::size_t>(s)];
}

std::string_view name(lifetime l) noexcept {
  static constexpr std::array<std::string_view, 6> names{"Scope",  "State",      "SDFG",
                                                         "Global", "Persistent", "External"};
  return names[static_cast<std::size_t>(l)];
}

std::string_view name(schedule s) noexcept {
  static constexpr std::array<std::string_view, 5> names{"Default", "Sequential", "CPU_Multicore",
                                                         "GPU_Device", "GPU_ThreadBlock"};
  return names[static_cast<std::size_t>(s)];
}

descriptor const* graph::find(std::string_view array) const noexcept {
  auto const found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](auto const& entry) { return entry.first == array; });
  return found == arrays.end() ? nullptr : &found->second;
}

descriptor* graph::find(std::string_view array) noexcept {
  return const_cast<descriptor*>(std::as_const(*this).find(array));
}

} // namespace assay::sdfg
