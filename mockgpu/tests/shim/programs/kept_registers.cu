// Whether a hook of a plain load or store keeps the registers that the drivers promise to the
// compiler. Fills them, lets a hook be called with an odd stack, and counts what has been lost.
#include <cstdio>
#include <cstring>

constexpr int general = 10, vectors = 16;

/// What the registers hold: rbx, rbp, r8 to r15 and the address in rdi; and ymm0 to ymm15.
struct registers {
  long address;
  long of_general[general];
  long of_vectors[vectors][4];
};

// PROBE(registers const* before, registers* after): the platform's convention.
#define PROBE(name, hook)                                                                          \
  asm(".text\n" #name ":\n\tpushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n"  \
      "\tpushq %r15\n\tpushq %rsi\n\tsubq $8, %rsp\n"                                              \
      "\tmovq 8(%rdi), %rbx\n\tmovq 16(%rdi), %rbp\n\tmovq 24(%rdi), %r8\n\tmovq 32(%rdi), %r9\n"  \
      "\tmovq 40(%rdi), %r10\n\tmovq 48(%rdi), %r11\n\tmovq 56(%rdi), %r12\n"                      \
      "\tmovq 64(%rdi), %r13\n\tmovq 72(%rdi), %r14\n\tmovq 80(%rdi), %r15\n"                      \
      "\tcmpb $0, wide(%rip)\n\tje 1f\n"                                                           \
      "\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvmovups 88+32*\\n(%rdi), "                \
      "%ymm\\n\n\t.endr\n"                                                                         \
      "\tjmp 2f\n1:\n"                                                                             \
      "\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovups 88+32*\\n(%rdi), "                 \
      "%xmm\\n\n\t.endr\n"                                                                         \
      "2:\n\tmovq (%rdi), %rdi\n\tcall " hook "\n\tmovq 8(%rsp), %rsi\n"                           \
      "\tmovq %rdi, (%rsi)\n\tmovq %rbx, 8(%rsi)\n\tmovq %rbp, 16(%rsi)\n\tmovq %r8, 24(%rsi)\n"   \
      "\tmovq %r9, 32(%rsi)\n\tmovq %r10, 40(%rsi)\n\tmovq %r11, 48(%rsi)\n"                       \
      "\tmovq %r12, 56(%rsi)\n\tmovq %r13, 64(%rsi)\n\tmovq %r14, 72(%rsi)\n"                      \
      "\tmovq %r15, 80(%rsi)\n\tcmpb $0, wide(%rip)\n\tje 3f\n"                                    \
      "\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvmovups %ymm\\n, "                        \
      "88+32*\\n(%rsi)\n\t.endr\n"                                                                 \
      "\tvzeroupper\n\tjmp 4f\n3:\n"                                                               \
      "\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tmovups %xmm\\n, "                         \
      "88+32*\\n(%rsi)\n\t.endr\n"                                                                 \
      "4:\n\taddq $16, %rsp\n\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbp\n"    \
      "\tpopq %rbx\n\tret\n");                                                                     \
  extern "C" void name(registers const*, registers*)

PROBE(probe_read1, "__tsan_read1");
PROBE(probe_read2, "__tsan_read2");
PROBE(probe_read4, "__tsan_read4");
PROBE(probe_read8, "__tsan_read8");
PROBE(probe_read16, "__tsan_read16");
PROBE(probe_write1, "__tsan_write1");
PROBE(probe_write2, "__tsan_write2");
PROBE(probe_write4, "__tsan_write4");
PROBE(probe_write8, "__tsan_write8");
PROBE(probe_write16, "__tsan_write16");
PROBE(probe_nothing_kept, "lose_all");
// A hook that changes every register that is looked at: the count must notice.
asm(".text\nlose_all:\n"
    "\t.irp r,rdi,rbx,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n\tnotq %\\r\n\t.endr\n"
    "\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tpsubb %xmm\\n, %xmm\\n\n\t.endr\n\tret\n");
extern "C" {
__attribute__((visibility("hidden"))) bool wide = false; // has registers of 32 bytes
}

using probe = void (*)(registers const*, registers*);

/// How many registers the hook loses.
__host__ __device__ int lost(probe one, void* address, bool all_bytes) {
  registers before, after;
  before.address = reinterpret_cast<long>(address);
  for (int i = 0; i < general; ++i) before.of_general[i] = 0x1111111111111111 * (i + 1);
  for (int i = 0; i < vectors; ++i)
    for (int k = 0; k < 4; ++k)
      before.of_vectors[i][k] = k < 2 || all_bytes ? 0x0101010101010101 * (i * 4 + k + 1) : 0;
  for (int i = 0; i < vectors; ++i)
    for (int k = 0; k < 4; ++k) after.of_vectors[i][k] = 0;
  one(&before, &after);
  int count = before.address != after.address;
  for (int i = 0; i < general; ++i) count += before.of_general[i] != after.of_general[i];
  for (int i = 0; i < vectors; ++i) {
    bool same = true;
    for (int k = 0; k < 4; ++k) same = same && before.of_vectors[i][k] == after.of_vectors[i][k];
    count += !same;
  }
  return count;
}

__host__ __device__ int lost_by_all(void* address, bool all_bytes) {
  probe const all[] = {probe_read1,  probe_read2,  probe_read4,  probe_read8,  probe_read16,
                       probe_write1, probe_write2, probe_write4, probe_write8, probe_write16};
  int count = 0;
  for (int round = 0; round < 3; ++round) // the first time the whole way is gone
    for (probe one : all) count += lost(one, address, all_bytes);
  return count;
}

__global__ void use_memory(double* memory, int* result, bool all_bytes) {
  __shared__ double block[4];
  alignas(16) double own[2] = {};
  block[0] = block[1] = 1;
  result[0] = lost_by_all(memory + 2, all_bytes);
  result[1] = lost_by_all(block, all_bytes);
  result[2] = lost_by_all(own, all_bytes);
  result[3] = lost(probe_nothing_kept, memory, all_bytes);
}

int main() {
  wide = __builtin_cpu_supports("avx");
  double* memory = nullptr;
  int* result = nullptr;
  alignas(16) double of_host[2] = {};
  if (cudaMallocManaged(&memory, 8 * sizeof *memory) || cudaMallocManaged(&result, 4 * sizeof(int)))
    return 1;
  cudaMemset(memory, 0, 8 * sizeof *memory);
  for (int launch = 0; launch < 2; ++launch) {
    use_memory<<<1, 1>>>(memory, result, wide);
    cudaDeviceSynchronize();
    std::printf("device %d shared %d stack %d nothing %d host %d\n", result[0], result[1],
                result[2], result[3], lost_by_all(of_host, wide) + lost_by_all(memory, wide));
  }
  return cudaFree(memory) || cudaFree(result);
}
