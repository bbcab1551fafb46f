// Whether the way out of a hook keeps every vector register, in whichever way it saves them: one
// processor takes one way, so the others are set here.
#include "hooks/keep_registers.hpp"

#include <gtest/gtest.h>

#include <cstring>

extern "C" {
extern __attribute__((visibility("hidden"))) unsigned char mockgpu_vector_saving;
void mockgpu_keep_registers();
void lose_vectors();

struct vector_registers {
  std::uint64_t of_vectors[32][8];
  std::uint64_t masks[8];
};
/// Fills the registers, calls `callee` with `lose_vectors` in rax and reads them again. \param
/// width_bytes of a vector register: 16, 32 or 64.
void fill_and_call(vector_registers const* before, vector_registers* after, unsigned width_bytes,
                   void (*callee)());
}

asm(R"(
	.text
lose_vectors:
	cmpl	$32, %r12d
	jb	1f
	je	2f
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vpxorq	%zmm\n, %zmm\n, %zmm\n
	.endr
	.irp n,1,2,3,4,5,6,7
	kxorq	%k\n, %k\n, %k\n
	.endr
	ret
2:	vzeroall
	ret
1:	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	pxor	%xmm\n, %xmm\n
	.endr
	ret
fill_and_call:
	pushq	%rbx
	pushq	%r12
	movq	%rsi, %rbx
	movl	%edx, %r12d
	leaq	lose_vectors(%rip), %rax
	cmpl	$32, %r12d
	jb	1f
	je	2f
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64	64*\n(%rdi), %zmm\n
	.endr
	.irp n,1,2,3,4,5,6,7
	kmovq	2048+8*\n(%rdi), %k\n
	.endr
	call	*%rcx
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	vmovdqu64	%zmm\n, 64*\n(%rbx)
	.endr
	.irp n,1,2,3,4,5,6,7
	kmovq	%k\n, 2048+8*\n(%rbx)
	.endr
	vzeroupper
	jmp	3f
2:	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu	64*\n(%rdi), %ymm\n
	.endr
	call	*%rcx
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	vmovdqu	%ymm\n, 64*\n(%rbx)
	.endr
	vzeroupper
	jmp	3f
1:	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movdqu	64*\n(%rdi), %xmm\n
	.endr
	call	*%rcx
	.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	movdqu	%xmm\n, 64*\n(%rbx)
	.endr
3:	popq	%r12
	popq	%rbx
	ret
)");

namespace {

/// How many vector and mask registers `callee` loses.
int lost(unsigned width_bytes, void (*callee)()) {
  vector_registers before{}, after{};
  unsigned const vectors = width_bytes == 64 ? 32 : 16, masks = width_bytes == 64 ? 8 : 0;
  for (unsigned i = 0; i < vectors; ++i)
    for (unsigned k = 0; k < width_bytes / 8; ++k)
      before.of_vectors[i][k] = 0x0101010101010101u + i * 8 + k;
  for (unsigned i = 1; i < masks; ++i) before.masks[i] = 0x1111111111111111u * i;
  fill_and_call(&before, &after, width_bytes, callee);
  int count = 0;
  for (unsigned i = 0; i < vectors; ++i)
    count += std::memcmp(before.of_vectors[i], after.of_vectors[i], width_bytes) != 0;
  for (unsigned i = 1; i < masks; ++i) count += before.masks[i] != after.masks[i];
  return count;
}

bool processor_has(unsigned width_bytes) {
  return width_bytes == 16 || (width_bytes == 32 ? __builtin_cpu_supports("avx")
                                                 : __builtin_cpu_supports("avx512f") &&
                                                       __builtin_cpu_supports("avx512bw"));
}

constexpr unsigned char not_known = 0, by_xsavec = 1, by_xsave = 2, by_fxsave = 3;

TEST(KeepRegisters, KeepsVectorsAndMasksInEachWayToSaveThem) {
  int looked_at = 0;
  for (unsigned const width : {16u, 32u, 64u}) {
    if (!processor_has(width)) continue;
    for (unsigned char const way : {not_known, by_xsavec, by_xsave, by_fxsave}) {
      mockgpu_vector_saving = not_known;
      lost(width, mockgpu_keep_registers);
      unsigned char const best = mockgpu_vector_saving;
      if (way != not_known && way < best) continue;  // the processor has no such instruction
      if (way == by_fxsave && width != 16) continue; // for processors that have no wider ones
      mockgpu_vector_saving = way;
      EXPECT_EQ(lost(width, mockgpu_keep_registers), 0) << width << " bytes, way " << int(way);
      ++looked_at;
    }
    // twin: without it they are lost
    EXPECT_EQ(lost(width, lose_vectors), width == 64 ? 39 : 16);
  }
  EXPECT_GE(looked_at, 2);
  mockgpu_vector_saving = not_known;
}

} // namespace
