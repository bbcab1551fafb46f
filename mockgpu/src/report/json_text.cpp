#include "report/json_text.hpp"

namespace mockgpu {

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (char const c : text) {
    switch (c) {
    case '"':
      result += "\\\"";
      break;
    case '\\':
      result += "\\\\";
      break;
    case '\n':
      result += "\\n";
      break;
    case '\t':
      result += "\\t";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20) {
        char const* const digits = "0123456789abcdef";
        result += std::string("\\u00") + digits[c >> 4 & 15] + digits[c & 15];
      } else {
        result += c;
      }
    }
  }
  return result + "\"";
}

} // namespace mockgpu
