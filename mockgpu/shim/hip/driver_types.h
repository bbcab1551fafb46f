#pragma once
#pragma GCC system_header
#include "hip/hip_runtime_api.h"
