#pragma once
#pragma GCC system_header
#include "cub/cub.cuh"
