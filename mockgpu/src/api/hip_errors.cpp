#include "hip/hip_runtime_api.h"

#include "api/error_texts.hpp"

namespace {

#define NAME(code)                                                                                 \
  { code, #code }
constexpr mockgpu::error_name names[] = {
    NAME(hipSuccess),
    NAME(hipErrorInvalidValue),
    NAME(hipErrorOutOfMemory),
    NAME(hipErrorNotInitialized),
    NAME(hipErrorDeinitialized),
    NAME(hipErrorProfilerDisabled),
    NAME(hipErrorProfilerNotInitialized),
    NAME(hipErrorProfilerAlreadyStarted),
    NAME(hipErrorProfilerAlreadyStopped),
    NAME(hipErrorInvalidConfiguration),
    NAME(hipErrorInvalidPitchValue),
    NAME(hipErrorInvalidSymbol),
    NAME(hipErrorInvalidDevicePointer),
    NAME(hipErrorInvalidMemcpyDirection),
    NAME(hipErrorInsufficientDriver),
    NAME(hipErrorMissingConfiguration),
    NAME(hipErrorPriorLaunchFailure),
    NAME(hipErrorInvalidDeviceFunction),
    NAME(hipErrorNoDevice),
    NAME(hipErrorInvalidDevice),
    NAME(hipErrorInvalidImage),
    NAME(hipErrorInvalidContext),
    NAME(hipErrorContextAlreadyCurrent),
    NAME(hipErrorMapFailed),
    NAME(hipErrorUnmapFailed),
    NAME(hipErrorArrayIsMapped),
    NAME(hipErrorAlreadyMapped),
    NAME(hipErrorNoBinaryForGpu),
    NAME(hipErrorAlreadyAcquired),
    NAME(hipErrorNotMapped),
    NAME(hipErrorNotMappedAsArray),
    NAME(hipErrorNotMappedAsPointer),
    NAME(hipErrorECCNotCorrectable),
    NAME(hipErrorUnsupportedLimit),
    NAME(hipErrorContextAlreadyInUse),
    NAME(hipErrorPeerAccessUnsupported),
    NAME(hipErrorInvalidKernelFile),
    NAME(hipErrorInvalidGraphicsContext),
    NAME(hipErrorInvalidSource),
    NAME(hipErrorFileNotFound),
    NAME(hipErrorSharedObjectSymbolNotFound),
    NAME(hipErrorSharedObjectInitFailed),
    NAME(hipErrorOperatingSystem),
    NAME(hipErrorInvalidHandle),
    NAME(hipErrorIllegalState),
    NAME(hipErrorNotFound),
    NAME(hipErrorNotReady),
    NAME(hipErrorIllegalAddress),
    NAME(hipErrorLaunchOutOfResources),
    NAME(hipErrorLaunchTimeOut),
    NAME(hipErrorPeerAccessAlreadyEnabled),
    NAME(hipErrorPeerAccessNotEnabled),
    NAME(hipErrorSetOnActiveProcess),
    NAME(hipErrorContextIsDestroyed),
    NAME(hipErrorAssert),
    NAME(hipErrorHostMemoryAlreadyRegistered),
    NAME(hipErrorHostMemoryNotRegistered),
    NAME(hipErrorLaunchFailure),
    NAME(hipErrorCooperativeLaunchTooLarge),
    NAME(hipErrorNotSupported),
    NAME(hipErrorStreamCaptureUnsupported),
    NAME(hipErrorStreamCaptureInvalidated),
    NAME(hipErrorStreamCaptureMerge),
    NAME(hipErrorStreamCaptureUnmatched),
    NAME(hipErrorStreamCaptureUnjoined),
    NAME(hipErrorStreamCaptureIsolation),
    NAME(hipErrorStreamCaptureImplicit),
    NAME(hipErrorCapturedEvent),
    NAME(hipErrorStreamCaptureWrongThread),
    NAME(hipErrorGraphExecUpdateFailure),
    NAME(hipErrorUnknown),
    NAME(hipErrorRuntimeMemory),
    NAME(hipErrorRuntimeOther),
    NAME(hipErrorTbd),
};

/// Where HIP words it otherwise than CUDA.
char const* text_of(hipError_t error) noexcept {
  switch (int(error)) {
  case 6:
    return "profiler is not initialized";
  case 100:
    return "no ROCm-capable device is detected";
  case 218:
    return "invalid kernel file";
  default:
    return mockgpu::error_text(error);
  }
}
} // namespace

extern "C" {

char const* hipGetErrorName(hipError_t error) {
  return mockgpu::find_name(names, error, "hipErrorUnknown");
}
char const* hipGetErrorString(hipError_t error) { return text_of(error); }

hipError_t hipDrvGetErrorName(hipError_t error, char const** name) {
  char const* const found = mockgpu::find_name(names, error, nullptr);
  if (found == nullptr || name == nullptr) return hipErrorInvalidValue;
  *name = found;
  return hipSuccess;
}
hipError_t hipDrvGetErrorString(hipError_t error, char const** text) {
  if (mockgpu::find_name(names, error, nullptr) == nullptr || text == nullptr)
    return hipErrorInvalidValue;
  *text = text_of(error);
  return hipSuccess;
}

} // extern "C"
