#include "plan/names.hpp"

#include <algorithm>
#include <array>

namespace assay::plan {
namespace {

// Words that a name from a file must not become in C++, CUDA or HIP text.
constexpr std::array<std::string_view, 98> reserved_words{
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case",
    "catch", "char", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const",
    "consteval", "constexpr", "constinit", "const_cast", "continue", "co_await", "co_return",
    "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int",
    "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
    "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "return",
    "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "assay"};

} // namespace

std::string identifier_from(std::string_view text) {
  bool const starts_well = !text.empty() && !(text.front() >= '0' && text.front() <= '9');
  std::string result = starts_well ? "" : "_";
  for (char const c : text) {
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool const digit = c >= '0' && c <= '9';
    result += letter || digit ? c : '_';
  }
  return result;
}

std::string name_pool::fresh(std::string_view base) {
  std::string const name = identifier_from(base);
  bool const is_word = std::ranges::find(reserved_words, name) != reserved_words.end();
  if (!is_word && reserve(name)) return name;
  for (int suffix = 1;; ++suffix) {
    std::string candidate = name + "_" + std::to_string(suffix);
    if (reserve(candidate)) return candidate;
  }
}

} // namespace assay::plan
