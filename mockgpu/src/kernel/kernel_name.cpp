#include "kernel/kernel_call.hpp"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include <cxxabi.h>
#include <dlfcn.h>

#include "kernel/kernel_table.hpp"

namespace mockgpu {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

/// The end of the parenthesis that opens at the front, or npos.
std::size_t closing_parenthesis(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(')
      ++depth;
    else if (text[i] == ')' && --depth == 0)
      return i;
  }
  return std::string_view::npos;
}

/// The first argument of a launch as written: up to a comma that is in no bracket. Angle brackets
/// count, since a launch names a kernel and does not compare.
std::string_view first_argument(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '(':
    case '[':
    case '{':
    case '<':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
    case '>':
      --depth;
      break;
    case ',':
      if (depth == 0) return text.substr(0, i);
      break;
    default:
      break;
    }
  }
  return text;
}

/// The kernel's name in a launch's text, or empty where that is an expression of another kind.
std::string_view written_name(std::string_view text) {
  text = trim(first_argument(text));
  if (text.starts_with('(')) {
    std::size_t const end = closing_parenthesis(text);
    if (end != std::string_view::npos && end + 1 < text.size())
      text = trim(text.substr(end + 1)); // a cast
  }
  while (text.starts_with('&')) text = trim(text.substr(1));
  if (text.empty() || (!std::isalpha(static_cast<unsigned char>(text.front())) &&
                       text.front() != '_' && text.front() != ':'))
    return {};
  for (char const c : text.substr(0, text.find('<')))
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != ':') return {};
  return text;
}

std::string symbol_name(void const* entry) {
  Dl_info info{};
  char const* mangled = find_kernel_symbol(entry);
  if (mangled == nullptr) {
    if (dladdr(entry, &info) == 0 || info.dli_sname == nullptr || info.dli_saddr != entry)
      return {};
    mangled = info.dli_sname;
  }
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const plain(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? plain.get() : mangled;
  // "(anonymous namespace)::" tells a reader nothing that the source line does not.
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = name.find(anonymous, at)) != name.npos;)
    name.erase(at, anonymous.size());
  // A function's parameters are no part of its name.
  if (name.ends_with(')')) {
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
      if (name[i] == ')')
        ++depth;
      else if (name[i] == '(' && --depth == 0) {
        name.resize(i);
        break;
      }
    }
  }
  if (name.starts_with("void ")) name.erase(0, 5); // what demanglers put before templates
  return name;
}

} // namespace

std::string find_kernel_name(mockgpu_launch const& launch) {
  void const* const entry = reinterpret_cast<void const*>(launch.entry);
  std::string name = symbol_name(entry);
  if (name.empty() && launch.text != nullptr) name = written_name(launch.text);
  if (name.empty()) {
    char text[40];
    std::snprintf(text, sizeof text, "kernel at %p", entry);
    name = text;
  }
  return name;
}

std::string const& kernel_name(mockgpu_launch const& launch) {
  static std::mutex& guard = *new std::mutex;
  static auto& names = *new std::unordered_map<void (*)(), std::string>;
  std::lock_guard const lock(guard);
  auto const found = names.find(launch.entry);
  return found != names.end() ? found->second
                              : names.emplace(launch.entry, find_kernel_name(launch)).first->second;
}

} // namespace mockgpu
