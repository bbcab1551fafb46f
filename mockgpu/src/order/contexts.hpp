#pragma once
/// \file The access contexts of the host threads.
#include "order/access.hpp"

namespace mockgpu {

/// The context of the calling thread, made at its first access or call; lives until the process
/// ends.
access_context& make_host_context();
/// What the hooks may settle of the context's accesses from now on; safe in a signal's handler.
void choose_checks(access_context&, quick_checks) noexcept;
/// Lets the hooks find a judged transition by the state alone, where the access is plain and of a
/// word or two.
void note_quick(access_context&, std::uint32_t from, unsigned mask, access_kind, std::uint32_t to);
/// Adds what the hooks have counted to the sums.
void settle_counts(access_context&);
/// All that a context has checked since its sums were zero; safe in a signal's handler.
[[nodiscard]] std::uint64_t accesses_of(access_context const&) noexcept;
/// Forgets all transitions; the cost is that of the quick ones in use.
void forget_transitions(access_context&);
void forget_all_transitions();

} // namespace mockgpu
