#pragma once
/// \file One spelling for both vendors. The conformance source is compiled for CUDA, for HIP and
/// for the mock from the same text.
#if defined(ASSAY_CONFORMANCE_HIP)
#include <hip/hip_runtime_api.h>
/// The one table of names: every call, type and constant differs by its prefix.
#define GPU(name) hip##name
#else
#include <cuda_runtime_api.h>
#define GPU(name) cuda##name
#endif

using gpuError_t = GPU(Error_t);
using gpuStream_t = GPU(Stream_t);
using gpuEvent_t = GPU(Event_t);
using gpuMemPool_t = GPU(MemPool_t);
