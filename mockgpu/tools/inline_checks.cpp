#include "inline_checks.hpp"

#include <algorithm>
#include <array>

namespace mockgpu::tools {
namespace {

// Offsets in order/access_context.hpp. The address is in %rdi and stays there; %rax, %rcx, %rdx and
// %rsi are free (shim/mockgpu/kept_registers.h). An address that is not aligned, or outside of the
// arenas, has an index past their end.
constexpr std::string_view macros = R"(	.macro	mockgpu_place number
	leaq	.Lmockgpu_places+40*\number(%rip), %rsi
	.endm
	.macro	mockgpu_index number, shift, indices
	movq	mockgpu_inline_view@gottpoff(%rip), %rcx
	movq	%rdi, %rax
	subq	%fs:(%rcx), %rax
	rorq	$\shift, %rax
	cmpq	%fs:\indices(%rcx), %rax
	jae	.Lmockgpu_call_\number
	movq	%fs:24(%rcx), %rdx
	.endm
	.macro	mockgpu_end number, hook
.Lmockgpu_call_\number:
	mockgpu_place \number
	movq	%rax, %rdx
	call	\hook
	jmp	.Lmockgpu_done_\number
.Lmockgpu_known_\number:
	incq	.Lmockgpu_places+40*\number+16(%rip)
.Lmockgpu_done_\number:
	.endm
	.macro	mockgpu_check8 number, hook
	mockgpu_index \number, 3, 8
	movl	(%rdx,%rax,4), %ecx
	cmpl	.Lmockgpu_places+40*\number+4(%rip), %ecx
	je	.Lmockgpu_known_\number
	cmpl	.Lmockgpu_places+40*\number(%rip), %ecx
	jne	.Lmockgpu_call_\number
	movl	.Lmockgpu_places+40*\number+4(%rip), %ecx
	movl	%ecx, (%rdx,%rax,4)
	jmp	.Lmockgpu_known_\number
	mockgpu_end \number, \hook
	.endm
	.macro	mockgpu_check4 number, hook
	mockgpu_index \number, 2, 16
	movl	%eax, %ecx
	andl	$1, %ecx
	shrq	%rax
	mockgpu_place \number
	leaq	(%rsi,%rcx,8), %rsi
	movl	(%rdx,%rax,4), %ecx
	cmpl	4(%rsi), %ecx
	je	.Lmockgpu_known_\number
	cmpl	(%rsi), %ecx
	jne	.Lmockgpu_call_\number
	movl	4(%rsi), %ecx
	movl	%ecx, (%rdx,%rax,4)
	jmp	.Lmockgpu_known_\number
	mockgpu_end \number, \hook
	.endm
)";

struct checked_hook {
  std::string_view name;
  std::string_view macro; ///< empty: a place, and no check
};
constexpr std::array<checked_hook, 6> hooks = {{{"read8", "mockgpu_check8"},
                                                {"write8", "mockgpu_check8"},
                                                {"read4", "mockgpu_check4"},
                                                {"write4", "mockgpu_check4"},
                                                {"read16", ""},
                                                {"write16", ""}}};

} // namespace

bool inline_checks::replace(std::string& out, std::string_view line, std::string_view mnemonic) {
  constexpr std::string_view prefix = "__tsan_";
  if (mnemonic != "call" && mnemonic != "callq") return false;
  std::string_view target = line.substr(line.find(mnemonic) + mnemonic.size());
  target.remove_prefix(std::min(target.find_first_not_of(" \t"), target.size()));
  target = target.substr(0, target.find_first_of(" \t\n;#"));
  std::string_view const name = target.substr(0, target.find('@'));
  if (!name.starts_with(prefix)) return false;
  for (checked_hook const& one : hooks) {
    if (name.substr(prefix.size()) != one.name) continue;
    if (places_ == 0) out += macros;
    std::string const number = std::to_string(places_++);
    std::string const hook =
        "__mockgpu_" + std::string(one.name) + "_at" + std::string(target.substr(name.size()));
    if (one.macro.empty())
      out.append("\tmockgpu_place ").append(number).append("\n\tcall\t").append(hook);
    else
      out.append("\t").append(one.macro).append(" ").append(number).append(", ").append(hook);
    out += '\n';
    return true;
  }
  return false;
}

std::string inline_checks::data() const {
  if (places_ == 0) return {};
  return "\t.section\tmockgpu_places,\"aw\",@progbits\n\t.balign\t8\n.Lmockgpu_places:\n\t.rept\t" +
         std::to_string(places_) + "\n\t.quad\t-1, -1, 0, 0, 0\n\t.endr\n";
}

} // namespace mockgpu::tools
