#pragma once
/// \file The hooks as one function, for tests that choose size and kind when they run.
#include <cstddef>
#include <cstdint>

#include "order/access.hpp"

namespace mockgpu::tests {

/// What the hook of such a load, store or atomic operation does in front of it.
void access(std::uintptr_t address, std::size_t size_bytes, access_kind,
            void const* return_address);

} // namespace mockgpu::tests
