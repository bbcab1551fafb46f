#pragma once
/// \file HIP's spelling of the names that the shared entry points (*.inc) use.
#include "hip/hip_runtime_api.h"

#undef hipLaunchKernel
#undef hipLaunchCooperativeKernel

#define GPU_JOIN_(a, b) a##b
#define GPU(name) GPU_JOIN_(hip, name)
#define GPU_ENUM(name) hip##name
#define GPU_STRUCT(name) hip##name
#define GPU_NAME(name) "hip" #name

#include "api/entry.hpp"
