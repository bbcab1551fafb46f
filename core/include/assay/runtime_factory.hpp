#pragma once
/// \file Makes the GPU runtime that the program is linked with: assay::runtime_mock,
/// assay::runtime_cuda or assay::runtime_hip. Each library defines both functions once; link
/// exactly one of them.
#include <memory>

#include "assay/gpu_runtime.hpp"

namespace assay {

/// Calls of the vendor's current device. \throws error{environment} where there is no device.
[[nodiscard]] std::unique_ptr<gpu_runtime> make_gpu_runtime();
/// The checker's ear; deaf on a real device.
[[nodiscard]] std::unique_ptr<observer> make_observer();

} // namespace assay
