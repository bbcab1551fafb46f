#pragma once
/// \file The order that host threads and host functions make among themselves: a mutex, a
/// condition, a semaphore, an atomic object or a new thread carries what its last user knew.
///
/// Host threads share one chain, so that their own order needs no account; what counts is order
/// from and to host functions, which sit on their stream's chain.
#include <functional>

namespace mockgpu {

/// From now on there are host functions. Before, nothing is kept.
void start_host_order() noexcept;
[[nodiscard]] bool keeps_host_order() noexcept;
/// A new engine begins: what objects carried is forgotten.
void reset_host_order();

/// The calling thread or host function is about to let others past `object`.
void host_releases(void const* object) noexcept;
/// It has come past `object`.
void host_acquires(void const* object) noexcept;

/// The calling host thread or function is about to wait for something that the mock does not know:
/// queued work runs as far as it can, as it would on a device.
void host_waits() noexcept;

/// For the thread that a host function starts: to be called first on it, or null where there is
/// nothing to carry.
[[nodiscard]] std::function<void()> order_for_new_thread();
/// A host function has waited for a thread to end.
void host_function_joined() noexcept;

} // namespace mockgpu
