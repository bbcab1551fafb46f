#pragma once
/// \file What a call of the runtime hands back to the program.
#include <cstdint>

#include "order/access.hpp"

namespace mockgpu {

/// Writes a result where the program wants it. That may be memory which is checked, a pointer in
/// managed memory for example: then the host has defined it there.
template <class Value> void hand_back(Value* out, Value const& value) noexcept {
  access_range(reinterpret_cast<std::uintptr_t>(out), sizeof value, access_kind::write, nullptr);
  *out = value;
}

} // namespace mockgpu
