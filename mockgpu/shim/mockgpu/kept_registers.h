#pragma once
#pragma GCC system_header
/// \file Included by force in front of device code. Says to g++ which registers a hook of a plain
/// load or store may change: with a body in sight the compiler looks at that instead of taking all
/// registers of the calling convention for lost, and keeps sums and loop counters where they are.
/// The bodies are never called: the drivers' assembler gives them other names and puts the checks
/// in the place of the calls. What they list is what those checks, and the hooks behind them, may
/// change (tools/inline_checks.cpp, src/hooks/keep_registers.hpp); x87 registers are among that,
/// since saving them would cost more than a `long double` now and then.
#if defined(__GNUC__) && !defined(__clang__) && defined(__SANITIZE_THREAD__) &&                    \
    defined(__x86_64__) && defined(__cplusplus)

// Static, so that position-independent code trusts them too; in front of all other functions, since
// the compiler looks only at bodies that it has compiled. Their texts differ, so that equal bodies
// do not become one. The address stays in its register.
#define MOCKGPU_HOOK(name)                                                                         \
  extern "C" {                                                                                     \
  static __attribute__((noinline, used, no_reorder, no_sanitize_thread, no_instrument_function,    \
                        no_profile_instrument_function,                                            \
                        patchable_function_entry(0))) void                                         \
  __builtin___tsan_##name(void* address) {                                                         \
    asm volatile("# " #name                                                                        \
                 :                                                                                 \
                 : "D"(address)                                                                    \
                 : "rax", "rcx", "rdx", "rsi", "cc", "memory", "st", "st(1)", "st(2)", "st(3)",    \
                   "st(4)", "st(5)", "st(6)", "st(7)");                                            \
  }                                                                                                \
  }

MOCKGPU_HOOK(read1)
MOCKGPU_HOOK(read2)
MOCKGPU_HOOK(read4)
MOCKGPU_HOOK(read8)
MOCKGPU_HOOK(read16)
MOCKGPU_HOOK(write1)
MOCKGPU_HOOK(write2)
MOCKGPU_HOOK(write4)
MOCKGPU_HOOK(write8)
MOCKGPU_HOOK(write16)
#undef MOCKGPU_HOOK

#endif
