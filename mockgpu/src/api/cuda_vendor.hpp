#pragma once
/// \file CUDA's spelling of the names that the shared entry points (*.inc) use.
#include "cuda_runtime_api.h"

#undef cudaLaunchKernel
#undef cudaLaunchCooperativeKernel
#undef cudaLaunchKernelExC

#define GPU_JOIN_(a, b) a##b
#define GPU(name) GPU_JOIN_(cuda, name)
#define GPU_ENUM(name) enum cuda##name
#define GPU_STRUCT(name) struct cuda##name
#define GPU_NAME(name) "cuda" #name

#include "api/entry.hpp"
