#include "report/source_lookup.hpp"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>

namespace mockgpu {
namespace {

class line_table {
public:
  source_location find(std::uintptr_t address) {
    Dwfl_Module* module = session_ != nullptr ? dwfl_addrmodule(session_, address) : nullptr;
    if (module == nullptr) { // the first time, or a library has been loaded since
      open();
      module = session_ != nullptr ? dwfl_addrmodule(session_, address) : nullptr;
    }
    source_location result;
    if (module == nullptr) return result;
    if (Dwfl_Line* const line = dwfl_module_getsrc(module, address)) {
      int number = 0;
      if (char const* const file =
              dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
        result.file = file;
        result.line = number > 0 ? unsigned(number) : 0;
      }
    }
    if (is_of_shim(result.file)) leave_shim(module, address, result);
    if (char const* const symbol = dwfl_module_addrname(module, address)) {
      int status = 0;
      std::unique_ptr<char, void (*)(void*)> const plain(
          abi::__cxa_demangle(symbol, nullptr, nullptr, &status), std::free);
      result.function = status == 0 ? plain.get() : symbol;
    }
    return result;
  }

private:
  /// Headers that stand in for the vendors'.
  static bool is_of_shim(std::string_view file) {
    return file.find("/mockgpu/shim/") != file.npos || file.find("/mockgpu/toolkit/") != file.npos;
  }

  /// The place in the program where the shim's function at the address was inlined. Stays where it
  /// is if there is none.
  static void leave_shim(Dwfl_Module* module, std::uintptr_t address, source_location& place) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit = dwfl_module_addrdie(module, address, &bias);
    Dwarf_Files* files = nullptr;
    if (unit == nullptr || dwarf_getsrcfiles(unit, &files, nullptr) != 0) return;
    Dwarf_Die* innermost = nullptr;
    if (dwarf_getscopes(unit, address - bias, &innermost) <= 0) return;
    // Those that contain it physically: the list above goes on where a function was written, not
    // where it was inlined.
    Dwarf_Die* scopes = nullptr;
    int const count = dwarf_getscopes_die(innermost, &scopes);
    std::free(innermost);
    for (int i = 0; i < count; ++i) { // from the innermost on
      if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
      Dwarf_Attribute attribute;
      Dwarf_Word number = 0, line = 0;
      if (dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_file, &attribute), &number) != 0 ||
          dwarf_formudata(dwarf_attr(&scopes[i], DW_AT_call_line, &attribute), &line) != 0)
        continue;
      char const* const file = dwarf_filesrc(files, number, nullptr, nullptr);
      if (file == nullptr || is_of_shim(file)) continue;
      place.file = file;
      place.line = unsigned(line);
      break;
    }
    std::free(scopes);
  }

  void open() {
    if (session_ != nullptr) dwfl_end(session_);
    static char* debug_path = nullptr;
    static Dwfl_Callbacks const callbacks = {dwfl_linux_proc_find_elf, dwfl_standard_find_debuginfo,
                                             nullptr, &debug_path};
    session_ = dwfl_begin(&callbacks);
    if (session_ == nullptr) return;
    if (dwfl_linux_proc_report(session_, getpid()) != 0 ||
        dwfl_report_end(session_, nullptr, nullptr) != 0) {
      dwfl_end(session_);
      session_ = nullptr;
    }
  }
  Dwfl* session_ = nullptr;
};

} // namespace

source_location locate(void const* return_address) {
  static auto& known = *new std::map<void const*, source_location>;
  static auto& table = *new line_table;
  if (return_address == nullptr) return {};
  auto const [place, fresh] = known.try_emplace(return_address);
  if (fresh) place->second = table.find(reinterpret_cast<std::uintptr_t>(return_address) - 1);
  return place->second;
}

} // namespace mockgpu
