#pragma once
/// \file Text as JSON writes it.
#include <string>
#include <string_view>

namespace mockgpu {

/// Between quotes, with what JSON does not take in a string escaped.
[[nodiscard]] std::string quote(std::string_view);

} // namespace mockgpu
