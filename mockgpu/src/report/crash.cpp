#include "report/crash.hpp"

#include <csignal>
#include <cstddef>
#include <initializer_list>

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mockgpu {
namespace {

void (*flush_findings)() = nullptr;

void on_signal(int number) {
  // Formatting is not safe in a handler; the process is lost anyway, and a deadlock ends with the
  // alarm.
  signal(number, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  alarm(2);
  if (flush_findings != nullptr) flush_findings();
  raise(number);
}

} // namespace

void report_before_crash(void (*flush)()) {
  if (flush_findings != nullptr) return;
  flush_findings = flush;
  // A kernel may have run out of stack: the handler has its own.
  constexpr std::size_t stack_bytes = std::size_t{1} << 18;
  void* const memory =
      mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t current{};
  if (memory != MAP_FAILED && sigaltstack(nullptr, &current) == 0 &&
      (current.ss_flags & SS_DISABLE) != 0) {
    stack_t own{};
    own.ss_sp = memory;
    own.ss_size = stack_bytes;
    sigaltstack(&own, nullptr);
  }
  for (int const number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before {};
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(number, &ours, nullptr);
  }
}

} // namespace mockgpu
