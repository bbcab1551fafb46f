#pragma once
/// \file C++ text of a plan: the last stage before a compiler.
#include <string>
#include <vector>

#include "assay/plan.hpp"

namespace assay {

/// One file of a build folder.
struct generated_file {
  std::string path; ///< relative, with '/': "src/cpu/axpy.cpp"
  std::string text;
};

/// Prints a plan in DaCe's folder layout and ABI: `src/cpu/<name>.cpp` (host),
/// `src/cuda/<name>_cuda.cu` or `src/cuda/hip/<name>_cuda.cpp` (device, absent for the cpu target)
/// and `include/<name>.h`. The text depends on the plan alone and includes nothing but the vendor's
/// runtime header and `assay/generated/`. Needs C++20. Exported functions never throw; a failed
/// call of the runtime is recorded, ends the call, and releases what the call holds. \throws
/// error{unsupported} naming a construct that has no C++ form here, error{invalid_input} for code
/// that reads a name that nothing defines; both with the place of the plan's element.
[[nodiscard]] std::vector<generated_file> emit(plan::program const&);

} // namespace assay
