// Calls a function so that no register is lost but rax, rcx, rdx and rsi.
#include "hooks/keep_registers.hpp"

#include <cpuid.h>

#include "order/access.hpp"

#define HIDDEN extern "C" __attribute__((visibility("hidden")))

// How the vector registers are saved: by XSAVEC (1), XSAVE (2) or FXSAVE (3); 0: not known yet.
HIDDEN unsigned char mockgpu_vector_saving;
unsigned char mockgpu_vector_saving = 0;

// Called while the vector registers still hold what is to be saved.
HIDDEN __attribute__((target("general-regs-only"))) void mockgpu_choose_vector_saving() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  __cpuid(1, a, b, c, d);
  unsigned char chosen = 3;
  if ((c & bit_OSXSAVE) != 0) {
    constexpr unsigned xsavec = 1u << 1; // leaf 13, its second part, eax
    a = 0;
    if (__get_cpuid_max(0, nullptr) >= 13) __cpuid_count(13, 1, a, b, c, d);
    chosen = (a & xsavec) != 0 ? 1 : 2;
  }
  mockgpu_vector_saving = chosen;
}

void mockgpu_check_access_now(std::uintptr_t address, std::size_t size_bytes, std::size_t write,
                              void const* return_address) noexcept {
  using mockgpu::access_kind;
  mockgpu::check_access(address, size_bytes, write != 0 ? access_kind::write : access_kind::read,
                        unsigned(size_bytes), return_address);
}

// The function's address is in rax, its arguments are in rdi, rsi, rdx, rcx and r8. The components
// that are saved are SSE, AVX and the three of AVX-512; a processor without one skips it. Their
// area is at most 2,688 bytes long; its header has to be zero in front of XSAVE.
asm(R"(
	.pushsection .text
	.globl	mockgpu_check_access
	.hidden	mockgpu_check_access
	.type	mockgpu_check_access, @function
mockgpu_check_access:
	leaq	mockgpu_check_access_now(%rip), %rax
	jmp	mockgpu_keep_registers
	.size	mockgpu_check_access, .-mockgpu_check_access
	.p2align 4
	.globl	mockgpu_keep_registers
	.hidden	mockgpu_keep_registers
	.type	mockgpu_keep_registers, @function
mockgpu_keep_registers:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset 6, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register 6
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rax
	pushq	%rdx
	pushq	%rcx
	pushq	%rsi
	subq	$2688, %rsp
	andq	$-64, %rsp
.Lmockgpu_save:
	cmpb	$1, mockgpu_vector_saving(%rip)
	jb	.Lmockgpu_choose
	movl	$0xe6, %eax
	movl	$0, %edx
	movq	$0, 512(%rsp)
	movq	$0, 520(%rsp)
	movq	$0, 528(%rsp)
	movq	$0, 536(%rsp)
	movq	$0, 544(%rsp)
	movq	$0, 552(%rsp)
	movq	$0, 560(%rsp)
	movq	$0, 568(%rsp)
	ja	.Lmockgpu_save_otherwise
	xsavec64	(%rsp)
.Lmockgpu_saved:
	movq	-72(%rbp), %rsi
	movq	-64(%rbp), %rcx
	movq	-56(%rbp), %rdx
	movq	-48(%rbp), %rax
	movq	-16(%rbp), %r8
	movq	-8(%rbp), %rdi
	call	*%rax
	cmpb	$3, mockgpu_vector_saving(%rip)
	je	.Lmockgpu_restore_otherwise
	movl	$0xe6, %eax
	xorl	%edx, %edx
	xrstor64	(%rsp)
.Lmockgpu_restored:
	leaq	-40(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rbp
	.cfi_remember_state
	.cfi_def_cfa 7, 8
	ret
	.cfi_restore_state
.Lmockgpu_choose:
	call	mockgpu_choose_vector_saving
	jmp	.Lmockgpu_save
.Lmockgpu_save_otherwise:
	cmpb	$3, mockgpu_vector_saving(%rip)
	je	.Lmockgpu_save_sse
	xsave64	(%rsp)
	jmp	.Lmockgpu_saved
.Lmockgpu_save_sse:
	fxsave64	(%rsp)
	jmp	.Lmockgpu_saved
.Lmockgpu_restore_otherwise:
	fxrstor64	(%rsp)
	jmp	.Lmockgpu_restored
	.cfi_endproc
	.size	mockgpu_keep_registers, .-mockgpu_keep_registers
	.popsection
)");
