#pragma once
/// \file Queued work goes on while the program does something that the mock is not called for.
namespace mockgpu {

/// The calling thread or host function waits as long as this lives: queued work runs as far as it
/// can, first at once, then from time to time for what other threads queue meanwhile.
class blocked_host {
public:
  blocked_host() noexcept;
  ~blocked_host();
  blocked_host(blocked_host const&) = delete;
  blocked_host& operator=(blocked_host const&) = delete;
};

/// Whether any host thread is known to wait.
[[nodiscard]] bool host_is_blocked() noexcept;

/// A runtime call begins. \param in_background queued work runs too when no call has come for
/// three seconds: a thread may wait where nobody sees it.
void note_host_activity(bool in_background) noexcept;

} // namespace mockgpu
