#pragma once
/// \file The programs KIND.cu of this folder, as text. Each has the finding of its name; with CURED
/// defined it has none. The tests build and run both.
#include <string_view>

namespace assay::tool {

/// The program for a kind of finding, or empty.
[[nodiscard]] std::string_view example_of(std::string_view kind);

} // namespace assay::tool
