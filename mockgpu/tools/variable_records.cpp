#include "variable_records.hpp"

#include <array>
#include <utility>

namespace mockgpu::tools {
namespace {

/// By the numbers of `mockgpu_variable_kind`.
constexpr std::array<std::string_view, 4> sections = {"mockgpu_shared", "mockgpu_device",
                                                      "mockgpu_constant", "mockgpu_managed"};

/// Before and behind a variable there is memory that belongs to none
/// (src/kernel/shared_layout.hpp).
constexpr std::string_view margin = "\t.zero\t256\n";

/// g++ forgets the section of a template's variables, so that local ones have a mark in their names
/// too (shim/mockgpu/device.h, rewrite.cpp): `B14` and the section's name.
constexpr std::string_view tag_begin = "B14mockgpu_";
/// Of the flag that says whether a static local variable is made; it has the variable's mark too.
constexpr std::string_view guard_begin = "_ZGV";
bool names_guard(std::string_view line) {
  std::size_t const begin = line.find(guard_begin);
  return begin != line.npos && line.find(tag_begin, begin) != line.npos;
}
/// The section whose mark a name has, or an empty one.
std::string_view section_by_tag(std::string_view name) {
  std::size_t const begin = name.find(tag_begin);
  if (begin == name.npos) return {};
  for (std::string_view const common : sections)
    if (name.substr(begin + 3).starts_with(common)) return common;
  return {};
}

struct numbered_section {
  std::string_view common;
  std::size_t begin = 0, end = 0; ///< of the whole name in the line
};

/// The name in `.section mockgpu_device_7,"aw"`, or one that has the mark of shared variables; or
/// an empty one.
numbered_section find_section(std::string_view line) {
  for (std::string_view const common : sections) {
    std::size_t const begin = line.find(common);
    if (begin == line.npos || line.substr(begin + common.size()).substr(0, 1) != "_") continue;
    std::size_t const end = line.find_first_not_of("0123456789", begin + common.size() + 1);
    return {common, begin, end == line.npos ? line.size() : end};
  }
  std::size_t const begin = line.find_first_not_of(" \t", line.find(".section") + 8);
  std::size_t const end = line.find_first_of(",\n", begin);
  if (end == line.npos) return {};
  std::string_view const common = section_by_tag(line.substr(begin, end - begin));
  if (common.empty()) return {};
  return {common, begin, end};
}

std::string_view trim(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

} // namespace

bool variable_records::read(std::string& out, std::string_view line, std::string_view word,
                            std::string_view group) {
  if (guard(out, line, word)) return true;
  if (word == ".comm" && !section_by_tag(line).empty()) {
    common(out, line);
    return true;
  }
  bool const switches = word == ".section" || word == ".text" || word == ".data" ||
                        word == ".bss" || word == ".previous" || word == ".popsection";
  if (switches && !section_.empty()) out += margin;
  if (word == ".section") {
    numbered_section const found = find_section(line);
    section_ = found.common;
    group_ = group;
    alignment_ = {};
    holds_one_ = false;
    if (section_.empty()) return false;
    std::string rest(line.substr(found.end));
    // What one section holds is all of one type.
    if (std::size_t const type = rest.find("@nobits"); type != rest.npos)
      rest.replace(type, 7, "@progbits");
    out.append(line.substr(0, found.begin)).append(section_).append(rest) += margin;
    return true;
  }
  if (switches) section_ = {};
  if (section_.empty()) return false;
  if (word == ".align" || word == ".p2align" || word == ".balign") alignment_ = line;
  if (word.ends_with(':') && !word.starts_with(".L")) {
    // Copies of one template with internal linkage share a section.
    if (holds_one_) out.append(margin).append(alignment_);
    holds_one_ = true;
  }
  if (word != ".size") return false;
  std::string_view const operands = trim(line.substr(line.find(".size") + 5));
  std::size_t const comma = operands.find(',');
  if (comma == operands.npos) return false;
  record(trim(operands.substr(0, comma)), trim(operands.substr(comma + 1)));
  return false;
}

/// g++ guards an array whose class has constructors, although none of them does anything there.
/// Each thread of a kernel would look at host memory; the flag becomes a constant that says: made.
bool variable_records::guard(std::string& out, std::string_view line, std::string_view word) {
  constexpr std::string_view made = "\t.quad\t1\n";
  if (word == ".comm" && names_guard(line)) {
    std::string_view const operands = trim(line.substr(line.find(".comm") + 5));
    std::string const symbol(trim(operands.substr(0, operands.find(','))));
    out.append("\t.pushsection\t.rodata\n\t.balign\t8\n").append(symbol).append(":\n");
    out.append(made).append("\t.popsection\n");
    return true;
  }
  if (word == ".section") in_guard_ = names_guard(line);
  if (!in_guard_) return false;
  if (word == ".zero") {
    out += made;
    in_guard_ = false;
    return true;
  }
  if (word != ".section") return false;
  // `.section .bss._ZGV...,"awG",@nobits,GROUP,comdat`, of a template's or an inline function's.
  std::string constant(line);
  for (auto const& [from, to] : {std::pair<std::string_view, std::string_view>{".bss.", ".rodata."},
                                 {"\"awG\"", "\"aG\""},
                                 {"@nobits", "@progbits"}})
    if (std::size_t const at = constant.find(from); at != constant.npos)
      constant.replace(at, from.size(), to);
  out += constant;
  return true;
}

/// `.comm SYMBOL,SIZE,ALIGNMENT`: where g++ puts a local variable of a template with internal
/// linkage.
void variable_records::common(std::string& out, std::string_view line) {
  std::string_view const operands = trim(line.substr(line.find(".comm") + 5));
  std::size_t const first = operands.find(','), second = operands.find(',', first + 1);
  std::string const symbol(trim(operands.substr(0, first)));
  std::string const size(trim(operands.substr(first + 1, second - first - 1)));
  std::string const alignment(second == operands.npos ? "16" : trim(operands.substr(second + 1)));
  std::string_view const section = section_by_tag(line);
  out += "\t.pushsection\t" + std::string(section) + ",\"aw\",@progbits\n" + std::string(margin) +
         "\t.balign\t" + alignment + "\n\t.type\t" + symbol + ", @object\n\t.size\t" + symbol +
         ", " + size + "\n" + symbol + ":\n\t.zero\t" + size + "\n" + std::string(margin) +
         "\t.popsection\n";
  std::string_view const outer = std::exchange(section_, section);
  std::string_view const group = std::exchange(group_, {});
  record(symbol, size);
  section_ = outer;
  group_ = group;
}

void variable_records::record(std::string_view symbol_text, std::string_view size_text) {
  std::string const symbol(symbol_text), size(size_text);
  std::size_t kind = 0;
  while (sections[kind] != section_) ++kind;
  std::string const flags = group_.empty() ? "" : "G";
  std::string const of_group = group_.empty() ? "" : "," + std::string(group_) + ",comdat";
  std::string const name = ".Lmockgpu_variable_" + std::to_string(count_++);
  records_ += "\t.section\tmockgpu_names,\"a" + flags + "\",@progbits" + of_group + "\n" + name +
              ":\n\t.asciz\t\"" + symbol + "\"\n\t.section\tmockgpu_variables,\"aw" + flags +
              "\",@progbits" + of_group + "\n\t.balign\t8\n\t.quad\t" + symbol + "\n\t.quad\t" +
              size + "\n\t.quad\t" + name + "\n\t.quad\t" + std::to_string(kind) + "\n";
}

} // namespace mockgpu::tools
