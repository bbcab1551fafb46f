#include "variable_records.hpp"

#include <array>

namespace mockgpu::tools {
namespace {

/// By the numbers of `mockgpu_variable_kind`.
constexpr std::array<std::string_view, 3> sections = {"mockgpu_shared", "mockgpu_device",
                                                      "mockgpu_constant"};

struct numbered_section {
  std::string_view common;
  std::size_t begin = 0, end = 0; ///< of the whole name in the line
};

/// The name in `.section mockgpu_device_7,"aw"`, or an empty one.
numbered_section find_section(std::string_view line) {
  for (std::string_view const common : sections) {
    std::size_t const begin = line.find(common);
    if (begin == line.npos || line.substr(begin + common.size()).substr(0, 1) != "_") continue;
    std::size_t const end = line.find_first_not_of("0123456789", begin + common.size() + 1);
    return {common, begin, end == line.npos ? line.size() : end};
  }
  return {};
}

std::string_view trim(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

} // namespace

bool variable_records::read(std::string& out, std::string_view line, std::string_view word,
                            std::string_view group) {
  bool const switches = word == ".section" || word == ".text" || word == ".data" ||
                        word == ".bss" || word == ".previous" || word == ".popsection";
  // What follows a variable belongs to none.
  if (switches && !section_.empty()) out += "\t.zero\t256\n";
  if (word == ".section") {
    numbered_section const found = find_section(line);
    section_ = found.common;
    group_ = group;
    if (section_.empty()) return false;
    out.append(line.substr(0, found.begin)).append(section_).append(line.substr(found.end));
    return true;
  }
  if (switches) section_ = {};
  if (section_.empty() || word != ".size") return false;
  std::string_view const operands = trim(line.substr(line.find(".size") + 5));
  std::size_t const comma = operands.find(',');
  if (comma == operands.npos) return false;
  std::string const symbol(trim(operands.substr(0, comma)));
  std::string const size(trim(operands.substr(comma + 1)));
  std::size_t kind = 0;
  while (sections[kind] != section_) ++kind;
  std::string const flags = group_.empty() ? "" : "G";
  std::string const of_group = group_.empty() ? "" : "," + std::string(group_) + ",comdat";
  std::string const name = ".Lmockgpu_variable_" + std::to_string(count_++);
  records_ += "\t.section\tmockgpu_names,\"a" + flags + "\",@progbits" + of_group + "\n" + name +
              ":\n\t.asciz\t\"" + symbol + "\"\n\t.section\tmockgpu_variables,\"aw" + flags +
              "\",@progbits" + of_group + "\n\t.balign\t8\n\t.quad\t" + symbol + "\n\t.quad\t" +
              size + "\n\t.quad\t" + name + "\n\t.quad\t" + std::to_string(kind) + "\n";
  return false;
}

} // namespace mockgpu::tools
