#pragma once
/// \file The access contexts of the host threads.
#include "order/access.hpp"

namespace mockgpu {

/// The context of the calling thread, made at its first access or call; lives until the process
/// ends.
access_context& make_host_context();
/// True once two threads have had a context.
[[nodiscard]] bool more_than_one_thread() noexcept;
/// Empties a memo in constant time.
void forget_transitions(access_context&);
void forget_all_transitions();

} // namespace mockgpu
