#include "report/source_line.hpp"

#include <cstdlib>
#include <map>

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

namespace mockgpu {
namespace {

std::string demangled(char const* name) {
  int failed = 0;
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &failed);
  std::string const result = failed == 0 ? text : name;
  std::free(text);
  return result;
}

source_location look_up(void const* return_address) {
  static char* debug_path = nullptr;
  static Dwfl_Callbacks const callbacks{dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo, nullptr, &debug_path};
  // Libraries may have been loaded since the last finding: the map is read anew.
  Dwfl* const dwfl = dwfl_begin(&callbacks);
  if (dwfl == nullptr) return {};
  source_location result;
  if (dwfl_linux_proc_report(dwfl, getpid()) == 0 && dwfl_report_end(dwfl, nullptr, nullptr) == 0) {
    Dwarf_Addr const address = reinterpret_cast<Dwarf_Addr>(return_address) - 1;
    if (Dwfl_Module* const module = dwfl_addrmodule(dwfl, address); module != nullptr) {
      if (char const* const function = dwfl_module_addrname(module, address); function != nullptr)
        result.function = demangled(function);
      if (Dwfl_Line* const line = dwfl_module_getsrc(module, address); line != nullptr) {
        int number = 0;
        if (char const* const file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
            file != nullptr) {
          result.file = file;
          result.line = static_cast<unsigned>(number);
        }
      }
    }
  }
  dwfl_end(dwfl);
  return result;
}

} // namespace

source_location source_line_of(void const* return_address) {
  static std::map<void const*, source_location> known;
  if (return_address == nullptr) return {};
  auto const [found, is_new] = known.try_emplace(return_address);
  if (is_new) found->second = look_up(return_address);
  return found->second;
}

} // namespace mockgpu
