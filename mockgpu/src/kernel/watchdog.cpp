#include "kernel/watchdog.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <mutex>

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/grid_run.hpp"
#include "order/contexts.hpp"

namespace mockgpu {

bool volatile kernel_has_to_end = false;

namespace {

constexpr long tick_ms = 100; // of the thread's processor time

struct watch {
  grid_run* volatile grid = nullptr;
  kernel_limits limits;
  void const* entry = nullptr;
  std::uint64_t grids = 0; ///< so far: two grids may lie at one address
  // What the last tick saw.
  std::uint64_t last_grid = 0;
  grid_run::whereabouts last;
  std::uint64_t begin_accesses = 0, last_accesses = 0;
  unsigned idle_ticks = 0;
  // The timer. It runs while there are grids, and for one tick more.
  bool made = false;
  bool volatile armed = false;
  pthread_t thread{};
  pid_t thread_number = 0;
  timer_t timer{};
};
watch all;

int signal_number() { return SIGRTMAX - 1; }

void arm() {
  itimerspec one_tick{};
  one_tick.it_value.tv_nsec = tick_ms * 1000 * 1000;
  all.armed = timer_settime(all.timer, 0, &one_tick, nullptr) == 0;
}

struct module_question {
  std::uintptr_t first, second;
  bool same;
};

/// Whether two addresses lie in one loaded program or library.
bool in_one_module(std::uintptr_t first, std::uintptr_t second) {
  module_question question{first, second, false};
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* asked) {
        auto& about = *static_cast<module_question*>(asked);
        bool has_first = false, has_second = false;
        for (int i = 0; i < module->dlpi_phnum; ++i) {
          auto const& part = module->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          std::uintptr_t const begin = module->dlpi_addr + part.p_vaddr;
          has_first = has_first || about.first - begin < part.p_memsz;
          has_second = has_second || about.second - begin < part.p_memsz;
        }
        about.same = has_first && has_second;
        return has_first ? 1 : 0;
      },
      &question);
  return question.same;
}

std::string limit_text(char const* variable, std::uint64_t limit) {
  return "limit " + std::to_string(limit) + " (" + variable + ")";
}

void tick(int, siginfo_t*, void* context) {
  int const saved_errno = errno;
  grid_run* const grid = all.grid;
  all.armed = false;
  if (grid == nullptr) return;
  arm();
  auto const now = grid->place();
  std::uint64_t const accesses = current_context == nullptr ? 0 : accesses_of(*current_context);
  if (all.grids != all.last_grid || !(now == all.last)) {
    all.last_grid = all.grids;
    all.last = now;
    all.begin_accesses = all.last_accesses = accesses;
    all.idle_ticks = 0;
    errno = saved_errno;
    return;
  }
  // The sum may be seen while a part of it is on its way.
  if (accesses > all.begin_accesses && accesses - all.begin_accesses > all.limits.accesses &&
      current_context != nullptr) {
    kernel_has_to_end = true;
    // The hooks settle what they know by themselves for those that may go on.
    choose_checks(*current_context, quick_checks::none);
  }
  all.idle_ticks = accesses == all.last_accesses ? all.idle_ticks + 1 : 0;
  all.last_accesses = accesses;
  if (all.idle_ticks * tick_ms >= all.limits.seconds * 1000L) {
    // Only the kernel's own code holds no lock and can be left anywhere.
    auto const* const registers = static_cast<ucontext_t const*>(context);
    auto const pc = static_cast<std::uintptr_t>(registers->uc_mcontext.gregs[REG_RIP]);
    if (in_one_module(pc, reinterpret_cast<std::uintptr_t>(all.entry)))
      grid->end(grid_end::step_limit,
                running_place() + " computes without an end, and without a load or store; " +
                    limit_text("MOCKGPU_KERNEL_SECONDS", all.limits.seconds) +
                    ", in seconds of processor time");
  }
  errno = saved_errno;
}

void make_timer() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = tick;
    // The handler may be left for good by ending the kernel.
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
    sigaction(signal_number(), &action, nullptr);
    // A child process inherits no timer.
    pthread_atfork(nullptr, nullptr, [] {
      all.made = false;
      all.armed = false;
    });
  });
  if (all.made) timer_delete(all.timer);
  all.thread = pthread_self();
  all.thread_number = static_cast<pid_t>(syscall(SYS_gettid));
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_number();
  event._sigev_un._tid = all.thread_number;
  all.made = timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &all.timer) == 0;
  all.armed = false;
}

} // namespace

watched_grid::watched_grid(grid_run& grid, kernel_limits const& limits, void const* kernel_entry) {
  all.limits = limits;
  all.entry = kernel_entry;
  ++all.grids;
  kernel_has_to_end = false;
  if (!all.made || pthread_equal(all.thread, pthread_self()) == 0) make_timer();
  all.grid = &grid;
  if (all.made && !all.armed) arm();
}

watched_grid::~watched_grid() {
  all.grid = nullptr;
  kernel_has_to_end = false;
}

void end_endless_kernel() {
  kernel_has_to_end = false;
  if (grid_run* const grid = all.grid; grid != nullptr)
    grid->end(grid_end::step_limit, running_place() + " loads and stores without an end; " +
                                        limit_text("MOCKGPU_STEP_LIMIT", all.limits.accesses) +
                                        ", in accesses while no thread gets any further");
}

} // namespace mockgpu
