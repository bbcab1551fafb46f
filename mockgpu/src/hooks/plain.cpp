// The hooks of plain loads and stores. Linked into every library that a driver builds, with hidden
// visibility, so that the call needs no symbol table and the fast path of the shadow stays close.
// They keep more registers than other functions (keep_registers.hpp): nothing here may call what
// does not, and CMakeLists.txt has the options.
#include <cstdint>

#include "hooks/word_access.hpp"

namespace {

inline std::uintptr_t address_of(void const volatile* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

} // namespace

#define HOOK(type) extern "C" __attribute__((visibility("hidden"))) type
#define CALLER __builtin_return_address(0)

// What is known of the access: its address and where its hook returns to; then also what the code
// keeps of its place, and the index that it has computed.
#define PLAIN(size, name, write)                                                                   \
  HOOK(void __attribute__((noinline))) mockgpu_plain_##name##size(void* p, void const* caller) {   \
    mockgpu::access<size, write>(address_of(p), nullptr, caller);                                  \
  }

#if MOCKGPU_KEEPS_BY_ITSELF
#define ENTRY(name)                                                                                \
  HOOK(void) __mockgpu_##name(void* p) { mockgpu_plain_##name(p, CALLER); }
#define ENTRY_AT(size, name, write)                                                                \
  HOOK(void)                                                                                       \
  __mockgpu_##name##size##_at(void* p, mockgpu::access_place& place, std::uintptr_t index) {       \
    mockgpu::access_at<size, write>(address_of(p), place, index, CALLER);                          \
  }
#else
// Behind a few instructions that go through `mockgpu_keep_registers`.
#define THROUGH(hook, caller_register, function)                                                   \
  asm(".pushsection .text\n\t.globl " hook "\n\t.hidden " hook "\n\t.type " hook                   \
      ", @function\n" hook ":\n\tmovq (%rsp), %" caller_register "\n\tleaq " function              \
      "(%rip), %rax\n\tjmp mockgpu_keep_registers\n\t.size " hook ", .-" hook                      \
      "\n\t.popsection\n");
#define ENTRY(name) THROUGH("__mockgpu_" #name, "rsi", "mockgpu_plain_" #name)
#define ENTRY_AT(size, name, write)                                                                \
  HOOK(void __attribute__((used)))                                                                 \
  mockgpu_plain_##name##size##_at(void* p, mockgpu::access_place& place, std::uintptr_t index,     \
                                  void const* caller) {                                            \
    mockgpu::access_at<size, write>(address_of(p), place, index, caller);                          \
  }                                                                                                \
  THROUGH("__mockgpu_" #name #size "_at", "rcx", "mockgpu_plain_" #name #size "_at")
#endif

#define HOOKS_OF_SIZE(size)                                                                        \
  PLAIN(size, read, false)                                                                         \
  PLAIN(size, write, true)                                                                         \
  ENTRY(read##size)                                                                                \
  ENTRY(write##size)

HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

ENTRY_AT(4, read, false)
ENTRY_AT(4, write, true)
ENTRY_AT(8, read, false)
ENTRY_AT(8, write, true)
ENTRY_AT(16, read, false)
ENTRY_AT(16, write, true)
