#pragma once
/// \file Decompression of `.sdfgz`.
#include <string>
#include <string_view>

namespace assay::sdfg {

/// Whether the bytes begin like a gzip stream.
[[nodiscard]] bool is_gzip(std::string_view) noexcept;
/// The decompressed text. \throws error{invalid_input} for a damaged stream or more than 1 GiB of
/// text.
[[nodiscard]] std::string inflated(std::string_view);

} // namespace assay::sdfg
