#include "kernel/variable_table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include <cxxabi.h>
#include <dlfcn.h>

namespace mockgpu {
namespace {

struct library {
  mockgpu_variable_record const* end = nullptr;
  void const* loaded_at = nullptr;
  shared_layout shared;
};

struct variable_table {
  std::recursive_mutex guard;
  std::map<mockgpu_variable_record const*, library> libraries; // by begin
  variable_listener listener;
};

// Never destroyed: libraries leave it from their own destructors.
variable_table& table() {
  static variable_table& instance = *new variable_table;
  return instance;
}

void const* library_of(void const* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void tell(variable_listener const& listener, mockgpu_variable_record const* begin,
          mockgpu_variable_record const* end, bool loaded) {
  if (!listener) return;
  for (auto const* one = begin; one != end; ++one)
    if (one->kind != mockgpu_shared_variable) listener(*one, loaded);
}

} // namespace

shared_layout const* static_shared_memory(void const* kernel_entry) {
  variable_table& all = table();
  std::lock_guard const lock(all.guard);
  bool const any = std::any_of(all.libraries.begin(), all.libraries.end(), [](auto const& entry) {
    return entry.second.shared.size_bytes() != 0;
  });
  if (!any) return nullptr;
  static auto& known = *new std::map<void const*, void const*>; // kernel, its library
  auto found = known.find(kernel_entry);
  if (found == known.end()) found = known.emplace(kernel_entry, library_of(kernel_entry)).first;
  for (auto const& [begin, one] : all.libraries)
    if (one.loaded_at == found->second && one.shared.size_bytes() != 0) return &one.shared;
  return nullptr;
}

void listen_to_variables(variable_listener listener) {
  variable_table& all = table();
  std::lock_guard const lock(all.guard);
  all.listener = std::move(listener);
  for (auto const& [begin, one] : all.libraries) tell(all.listener, begin, one.end, true);
}

std::string variable_name(mockgpu_variable_record const& record) {
  std::string const symbol = record.symbol;
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return symbol;
  std::string name = plain.get();
  for (std::string_view const tag :
       {"[abi:mockgpu_shared]", "[abi:mockgpu_device]"}) // not the program's
    if (std::size_t const at = name.find(tag); at != name.npos) name.erase(at, tag.size());
  return name;
}

} // namespace mockgpu

extern "C" {

void mockgpu_add_variables(mockgpu_variable_record const* begin,
                           mockgpu_variable_record const* end) {
  auto& all = mockgpu::table();
  std::lock_guard const lock(all.guard);
  all.libraries[begin] = {end, mockgpu::library_of(begin), mockgpu::shared_layout(begin, end)};
  mockgpu::tell(all.listener, begin, end, true);
}

void mockgpu_remove_variables(mockgpu_variable_record const* begin) {
  auto& all = mockgpu::table();
  std::lock_guard const lock(all.guard);
  auto const found = all.libraries.find(begin);
  if (found == all.libraries.end()) return;
  mockgpu::tell(all.listener, begin, found->second.end, false);
  all.libraries.erase(found);
}

} // extern "C"
