#pragma once
#pragma GCC system_header
#include "cooperative_groups.h"
