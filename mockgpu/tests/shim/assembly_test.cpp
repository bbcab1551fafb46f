#include "assembly.hpp"

#include <gtest/gtest.h>

namespace {

using mockgpu::tools::rewrite_assembly;

constexpr char const* device_mark = "# mockgpu: device code\n";

TEST(Assembly, RenamesHooksAndCopies) {
  EXPECT_EQ(rewrite_assembly("\tcall\t__tsan_read8@PLT\n").text, "\tcall\t__mockgpu_read8@PLT\n");
  EXPECT_EQ(rewrite_assembly("\tcall\tmemcpy@PLT\n\tjmp\tmemset\n\t.quad\tmemmove\n").text,
            "\tcall\t__mockgpu_memcpy@PLT\n\tjmp\t__mockgpu_memset\n\t.quad\t__mockgpu_memmove\n");
}

TEST(Assembly, LeavesLongerNamesAndStringsAlone) {
  for (char const* const text :
       {"\tcall\twmemcpy@PLT\n", "\tcall\tmemcpy_s\n", "\t.string\t\"memcpy __tsan_read8\"\n",
        "\t.ascii \"memset\"\n", "\tcall\tmy__tsan_read8\n"})
    EXPECT_EQ(rewrite_assembly(text).text, text);
}

TEST(Assembly, KeepsALastLineWithoutNewline) {
  EXPECT_EQ(rewrite_assembly("\tret\n\tcall\tmemcpy").text, "\tret\n\tcall\t__mockgpu_memcpy");
}

TEST(Assembly, HidesTheStandardLibraryAndNothingElse) {
  EXPECT_EQ(rewrite_assembly("\t.weak\t_ZNSt6vectorIdSaIdEE9push_backERKd\n").text,
            "\t.weak\t_ZNSt6vectorIdSaIdEE9push_backERKd\n\t.hidden\t_ZNSt6vectorIdSaIdEE9push_"
            "backERKd\n");
  EXPECT_EQ(rewrite_assembly("\t.weak\t_ZNKSs4sizeEv\n").text,
            "\t.weak\t_ZNKSs4sizeEv\n\t.hidden\t_ZNKSs4sizeEv\n");
  for (char const* const text :
       {"\t.weak\t_ZN4user3fooEv\n", "\t.weak\t_ZTISt9exception\n", "\t.weak\tuser\n",
        "\t.globl\t_ZNSt6vectorIdSaIdEE9push_backERKd\n"})
    EXPECT_EQ(rewrite_assembly(text).text, text);
}

TEST(Assembly, RefusesABusLockInDeviceCodeByFunctionAndLine) {
  std::string const body = "\t.type\t_Z3sumPdd, @function\n_Z3sumPdd:\n\t.loc 1 42 7 is_stmt "
                           "0\n\tlock cmpxchgq\t%rdx, (%rdi)\n\tret\n";
  EXPECT_EQ(rewrite_assembly(device_mark + body).refusal,
            "device function 'sum(double*, double)' updates memory atomically without a hook "
            "(source line 42); "
            "use the vendor's atomic functions");
  EXPECT_EQ(rewrite_assembly(body).refusal, "") << "host code may lock";
}

TEST(Assembly, RefusesAnExchangeWithMemoryButNotWithARegister) {
  std::string const head = std::string(device_mark) + "\t.type\tf, @function\nf:\n";
  EXPECT_EQ(rewrite_assembly(head + "\txchgl\t%eax, (%rdi)\n").refusal,
            "device function 'f' updates memory atomically without a hook; use the vendor's atomic "
            "functions");
  EXPECT_EQ(rewrite_assembly(head + "\txchgl\t%eax, %ecx\n").refusal, "");
}

TEST(Assembly, RecordsKernelsByTheirOwnSymbol) {
  std::string const head = "\t.text\n\t.type\tk, @function\nk:\n";
  EXPECT_EQ(rewrite_assembly(head + "\tmovq __mockgpu_this_function@GOTPCREL(%rip), %rax\n").text,
            head +
                "\tmovq k@GOTPCREL(%rip), %rax\n"
                "\t.section\tmockgpu_names,\"a\",@progbits\n.Lmockgpu_kernel_0:\n\t.asciz\t\"k\"\n"
                "\t.section\tmockgpu_kernels,\"aw\",@progbits\n\t.balign\t8\n\t.quad\tk\n"
                "\t.quad\t.Lmockgpu_kernel_0\n");
  EXPECT_EQ(rewrite_assembly(head + "\tret\n").text, head + "\tret\n") << "no kernel";
}

TEST(Assembly, DropsARecordWithItsKernel) { // a template's copies: all but one go
  std::string const head = "\t.section\t.text.k,\"axG\",@progbits,k,comdat\n\t.type\tk,@function\n"
                           "k:\n\t.section\t.text.unlikely.k,\"axG\",@progbits,k,comdat\n"
                           "\t.type\tk.cold, @function\nk.cold:\n";
  EXPECT_EQ(rewrite_assembly(head + "\tmovq __mockgpu_this_function@GOTPCREL(%rip), %rax\n").text,
            head + "\tmovq k@GOTPCREL(%rip), %rax\n"
                   "\t.section\tmockgpu_names,\"aG\",@progbits,k,comdat\n.Lmockgpu_kernel_0:\n"
                   "\t.asciz\t\"k\"\n\t.section\tmockgpu_kernels,\"awG\",@progbits,k,comdat\n"
                   "\t.balign\t8\n\t.quad\tk\n\t.quad\t.Lmockgpu_kernel_0\n");
}

TEST(Assembly, MarksTheUnitByTheNameThatTheSymbolTableHas) {
  EXPECT_EQ(rewrite_assembly("\t.file\t\"a.cu\"\n\t.file 1 \"/x/b.h\"\n").text,
            "\t.file\t\"a.cu\"\n\t.file 1 \"/x/b.h\"\n"
            "\t.section\tmockgpu_units,\"a\",@progbits\n\t.asciz\t\"a.cu\"\n");
}

TEST(Assembly, TakesClangsOwnSectionTypes) {
  EXPECT_EQ(rewrite_assembly("\t.section\t\".linker-options\",\"e\",@llvm_linker_options\n").text,
            "\t.section\t\".linker-options\",\"e\",@progbits\n");
}

} // namespace
