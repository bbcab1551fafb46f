#pragma once
/// \file C++ code of a file in the names of the vendor that it is generated for.
#include <string>
#include <string_view>

#include "assay/plan.hpp"

namespace assay::plan {

/// Name by which upstream's code of library nodes knows the stream that the generator gives it.
inline constexpr std::string_view current_stream_name = "__dace_current_stream";

/// The code with the other vendor's runtime names (cudaX, hipX), its block primitives (cub,
/// hipcub) and DaCe's neutral ones (gpuX) as the target's, and the current stream as the program's.
/// \throws error{unsupported} at `place` for names of libraries that only one vendor has, and of
/// both vendors for a cpu target.
[[nodiscard]] std::string in_names_of(target, std::string_view code, std::string const& place);

/// The same for all code that a program carries.
void use_names_of_target(program&);

} // namespace assay::plan
