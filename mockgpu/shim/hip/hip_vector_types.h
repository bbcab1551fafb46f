#pragma once
#pragma GCC system_header
#include "mockgpu/vector_types.h"
