#pragma once
/// \file What a fault has to know of the vendors' runtime calls: which argument is what. Names are
/// without the vendor's prefix. Source: the vendors' runtime headers.
#include <optional>
#include <string_view>

namespace assay::fuzz {

/// "StreamSynchronize" of "cudaStreamSynchronize" or "hipStreamSynchronize"; empty for other names.
[[nodiscard]] std::string_view runtime_call(std::string_view identifier);
/// "cuda", "hip" or nothing.
[[nodiscard]] std::string_view vendor_of(std::string_view identifier);

/// Number of the argument that is a stream, an event or a size in bytes; the memory of a release.
[[nodiscard]] std::optional<std::size_t> stream_argument(std::string_view call);
[[nodiscard]] std::optional<std::size_t> event_argument(std::string_view call);
[[nodiscard]] std::optional<std::size_t> size_argument(std::string_view call);

[[nodiscard]] bool is_wait(std::string_view call);
[[nodiscard]] bool is_launch(std::string_view call);
[[nodiscard]] bool is_copy(std::string_view call);
[[nodiscard]] bool is_fill(std::string_view call);
[[nodiscard]] bool is_allocation(std::string_view call);
[[nodiscard]] bool is_release(std::string_view call);     ///< of memory
[[nodiscard]] bool is_destruction(std::string_view call); ///< of a stream or an event
/// Whether its value is a status that a program should look at.
[[nodiscard]] bool has_status(std::string_view call);

} // namespace assay::fuzz
