#pragma once
/// \file The hash that names built libraries and artifacts.
#include <string>
#include <string_view>

namespace assay {

/// FNV-1a of 128 bits, as 32 hexadecimal digits.
[[nodiscard]] std::string hash_text(std::string_view text);

} // namespace assay
