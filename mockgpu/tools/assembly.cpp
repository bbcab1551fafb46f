#include "assembly.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

#include "inline_checks.hpp"
#include "variable_records.hpp"

namespace mockgpu::tools {
namespace {

bool is_symbol_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

std::string demangle(std::string const& name) {
  if (!name.starts_with("_Z"))
    return name; // the demangler also takes types: "f" would become "float"
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? plain.get() : name;
}

/// The first word of a line, without leading white space.
std::string_view first_word(std::string_view line) {
  std::size_t const begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  line.remove_prefix(begin);
  return line.substr(0, line.find_first_of(" \t;\n"));
}

bool holds_text(std::string_view directive) {
  return directive == ".string" || directive == ".ascii" || directive == ".asciz" ||
         directive == ".file" || directive == ".ident";
}

constexpr std::string_view own_symbol = "__mockgpu_this_function";

/// What is known of the function whose text is being read.
struct current_function {
  std::string_view symbol;
  std::string_view group; ///< the section group it may be dropped with, or empty
};

/// The symbol in `.type SYMBOL, @function`; that of the whole where it is a function's cold part.
std::string_view name_of_type(std::string_view line) {
  line.remove_prefix(line.find(".type") + 5);
  std::string_view name = first_word(line);
  name = name.substr(0, name.find(','));
  constexpr std::string_view cold = ".cold";
  if (name.ends_with(cold)) name.remove_suffix(cold.size());
  return name;
}

/// The group in `.section NAME,"axG",@progbits,GROUP,comdat`.
std::string_view group_of(std::string_view section) {
  std::size_t const flags = section.find('"');
  std::size_t const flags_end = section.find('"', flags + 1);
  if (flags_end == section.npos ||
      section.substr(flags, flags_end - flags).find('G') == section.npos)
    return {};
  std::size_t const type = section.find(',', flags_end + 1);
  std::size_t const group = type == section.npos ? type : section.find(',', type + 1);
  if (group == section.npos) return {};
  return section.substr(group + 1, section.find_first_of(",\n", group + 1) - group - 1);
}

/// The record of a kernel, dropped together with it.
std::string kernel_record(current_function const& kernel, std::size_t number) {
  std::string const flags = kernel.group.empty() ? "" : "G";
  std::string const group = kernel.group.empty() ? "" : "," + std::string(kernel.group) + ",comdat";
  std::string const name = ".Lmockgpu_kernel_" + std::to_string(number);
  std::string const symbol(kernel.symbol);
  return "\t.section\tmockgpu_names,\"a" + flags + "\",@progbits" + group + "\n" + name +
         ":\n\t.asciz\t\"" + symbol + "\"\n\t.section\tmockgpu_kernels,\"aw" + flags +
         "\",@progbits" + group + "\n\t.balign\t8\n\t.quad\t" + symbol + "\n\t.quad\t" + name +
         "\n";
}

/// The mark of a compile unit that went through here: the name in its `.file "NAME"`, by which the
/// linker's symbol table lists it too.
std::string unit_record(std::string_view file_line) {
  std::size_t const quote = file_line.find('"');
  std::size_t const end = file_line.rfind('"');
  if (quote == file_line.npos || end == quote) return {};
  return "\t.section\tmockgpu_units,\"a\",@progbits\n\t.asciz\t" +
         std::string(file_line.substr(quote, end + 1 - quote)) + "\n";
}

void append_renamed(std::string& out, std::string_view line, bool device_code) {
  constexpr std::string_view hook = "__tsan_";
  constexpr std::array<std::string_view, 3> copies = {"memcpy", "memset", "memmove"};
  // What means something else in a kernel (src/hooks/calls.cpp).
  constexpr std::array<std::string_view, 11> device_calls = {
      "__assert_fail", "abort",  "clock",   "malloc", "free",   "_Znwm",
      "_Znam",         "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"};
  bool const calls =
      device_code && (line.find("call") != line.npos || line.find("jmp") != line.npos);
  // Most lines hold none; the search is cheaper than taking every line apart.
  if (!calls && line.find(hook) == line.npos && line.find("mem") == line.npos) {
    out += line;
    return;
  }
  std::size_t i = 0;
  while (i < line.size()) {
    if (!is_symbol_character(line[i])) {
      out += line[i++];
      continue;
    }
    std::size_t end = i;
    while (end < line.size() && is_symbol_character(line[end])) ++end;
    std::string_view const word = line.substr(i, end - i);
    if (word.starts_with(hook)) {
      out += "__mockgpu_";
      out += word.substr(hook.size());
    } else {
      for (std::string_view const copy : copies)
        if (word == copy) out += "__mockgpu_";
      if (calls && std::find(device_calls.begin(), device_calls.end(), word) != device_calls.end())
        out += "__mockgpu_";
      out += word;
    }
    i = end;
  }
}

/// Writes the line under the body's new name if it defines a hook: such bodies only tell g++ what
/// the hook keeps (shim/mockgpu/kept_registers.h).
bool rename_body(std::string& out, std::string_view line, std::string_view word) {
  constexpr std::string_view hook = "__tsan_";
  bool const directive = word == ".type" || word == ".size";
  std::string_view const name =
      directive ? first_word(line.substr(line.find(word) + word.size())) : word;
  if (!name.starts_with(hook) || (!directive && !name.ends_with(':'))) return false;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && is_symbol_character(line[end])) ++end;
    end = std::max(end, i + 1);
    std::string_view const part = line.substr(i, end - i);
    if (part.starts_with(hook))
      out.append("mockgpu_body_").append(part.substr(hook.size()));
    else
      out.append(part);
    i = end;
  }
  return true;
}

/// Whether a symbol is a function of the standard library: a mangled nested name that begins in std
/// (also by its abbreviations: a allocator, b basic_string, s string, i o d streams) or in
/// __gnu_cxx.
bool is_of_standard_library(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return false;
  symbol.remove_prefix(2);
  if (symbol.starts_with('N')) symbol.remove_prefix(1);
  while (symbol.starts_with('K') || symbol.starts_with('R') || symbol.starts_with('O'))
    symbol.remove_prefix(1);
  return (symbol.size() > 1 && symbol[0] == 'S' &&
          std::string_view("tabsiod").find(symbol[1]) != symbol.npos) ||
         symbol.starts_with("9__gnu_cxx");
}

/// `lock` as a prefix of its own, and the exchange with memory, which locks without one.
bool locks(std::string_view line, std::string_view mnemonic) {
  if (mnemonic == "lock") return true;
  return mnemonic.starts_with("xchg") && line.find('(') != line.npos;
}

} // namespace

rewritten_assembly rewrite_assembly(std::string_view text) {
  rewritten_assembly result;
  result.text.reserve(text.size() + text.size() / 64);
  bool const device_code = text.find("# mockgpu: device code") != text.npos;
  current_function function;
  std::string_view group;
  std::string_view last_kernel;
  std::string unit;
  std::string records;
  variable_records variables;
  // They are written in the syntax that compilers use unless told otherwise.
  bool const checks_in_line = device_code && text.find(".intel_syntax") == text.npos;
  inline_checks checks;
  std::size_t kernels = 0;
  std::string_view location;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    end = end == text.npos ? text.size() : end + 1;
    std::string_view const line = text.substr(begin, end - begin);
    begin = end;
    std::string_view const word = first_word(line);
    if (holds_text(word)) {
      // With a number it is DWARF's list of files.
      if (word == ".file" &&
          first_word(line.substr(line.find(word) + word.size())).starts_with('"'))
        unit = unit_record(line);
      result.text += line;
      continue;
    }
    if (word == ".section" || word == ".text") group = group_of(line);
    if (variables.read(result.text, line, word, group)) continue;
    if (word == ".type" && line.find("@function") != line.npos)
      function = {name_of_type(line), group};
    else if (word == ".loc")
      location = line;
    else if (device_code && result.refusal.empty() && locks(line, word)) {
      result.refusal = "device function '" + demangle(std::string(function.symbol)) +
                       "' updates memory atomically without a hook";
      // ".loc FILE LINE COLUMN": the file's number means nothing to a reader, the line does.
      std::size_t const file = location.find_first_of("0123456789");
      std::size_t const space = location.find(' ', file);
      if (file != location.npos && space != location.npos)
        result.refusal +=
            " (source line " +
            std::string(location.substr(space + 1, location.find(' ', space + 1) - space - 1)) +
            ")";
      result.refusal += "; use the vendor's atomic functions";
    }
    if (std::size_t const own = line.find(own_symbol); own != line.npos) {
      result.text.append(line.substr(0, own)).append(function.symbol);
      result.text += line.substr(own + own_symbol.size());
      if (last_kernel != function.symbol) records += kernel_record(function, kernels++);
      last_kernel = function.symbol;
      continue;
    }
    if (std::size_t const type = line.find("@llvm_"); type != line.npos && word == ".section") {
      // A type of section that only clang's own assembler knows.
      result.text.append(line.substr(0, type)).append("@progbits\n");
      continue;
    }
    if (rename_body(result.text, line, word)) continue;
    if (checks_in_line && checks.replace(result.text, line, word)) continue;
    append_renamed(result.text, line, device_code);
    if (word == ".weak") {
      std::string_view const name = first_word(line.substr(line.find(".weak") + word.size()));
      if (is_of_standard_library(name)) result.text.append("\t.hidden\t").append(name).append("\n");
    }
  }
  result.text += unit;
  result.text += records;
  result.text += checks.data();
  result.text += variables.text();
  return result;
}

} // namespace mockgpu::tools
