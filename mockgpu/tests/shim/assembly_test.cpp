#include "assembly.hpp"

#include <gmock/gmock.h>
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

TEST(Assembly, LeavesRoomAroundVariablesAlsoOfOneSection) { // copies of a template share one
  std::string const a = "\t.type\ta, @object\n\t.size\ta, 4\na:\n\t.zero\t4\n",
                    b = "\t.type\tb, @object\n\t.size\tb, 4\nb:\n\t.zero\t4\n",
                    align = "\t.align 64\n", room = "\t.zero\t256\n";
  EXPECT_THAT(
      rewrite_assembly("\t.section\tmockgpu_shared_7,\"aw\"\n" + align + a + b + "\t.text\n").text,
      ::testing::StartsWith("\t.section\tmockgpu_shared,\"aw\"\n" + room + align +
                            "\t.type\ta, @object\n\t.size\ta, 4\na:\n\t.zero\t4\n"
                            "\t.type\tb, @object\n\t.size\tb, 4\n" +
                            room + align + "b:\n\t.zero\t4\n" + room + "\t.text\n"));
}

TEST(Assembly, FindsSharedVariablesOfTemplatesByTheirNames) { // g++ forgets their section
  std::string const name = "_ZZ1kIiEvT_E1aB14mockgpu_shared";
  EXPECT_THAT(rewrite_assembly("\t.local\t" + name + "\n\t.comm\t" + name + ",128,64\n").text,
              ::testing::AllOf(
                  ::testing::HasSubstr("\t.pushsection\tmockgpu_shared,\"aw\",@progbits\n"
                                       "\t.zero\t256\n\t.balign\t64\n"),
                  ::testing::HasSubstr(name + ":\n\t.zero\t128\n\t.zero\t256\n\t.popsection\n"),
                  ::testing::HasSubstr("\t.quad\t" + name + "\n\t.quad\t128\n")));
  EXPECT_THAT(
      rewrite_assembly("\t.section\t.bss." + name + ",\"awG\",@nobits," + name +
                       ",comdat\n\t.size\t" + name + ", 8\n")
          .text,
      ::testing::AllOf(::testing::StartsWith("\t.section\tmockgpu_shared,\"awG\",@progbits," +
                                             name + ",comdat\n"),
                       ::testing::HasSubstr("\t.quad\t" + name + "\n\t.quad\t8\n")));
}

TEST(Assembly, TakesGuardsOfSharedVariablesForSet) {
  std::string const guard = "_ZGVZ1kvE1aB14mockgpu_shared";
  EXPECT_THAT(rewrite_assembly("\t.local\t" + guard + "\n\t.comm\t" + guard + ",8,8\n").text,
              ::testing::AllOf(::testing::HasSubstr("\t.pushsection\t.rodata\n\t.balign\t8\n" +
                                                    guard + ":\n\t.quad\t1\n\t.popsection\n"),
                               ::testing::Not(::testing::HasSubstr("mockgpu_variables"))));
  EXPECT_THAT(rewrite_assembly("\t.section\t.bss." + guard + ",\"awG\",@nobits," + guard +
                               ",comdat\n\t.size\t" + guard + ", 8\n" + guard + ":\n\t.zero\t8\n" +
                               "\t.section\t.bss.other,\"aw\",@nobits\nother:\n\t.zero\t8\n")
                  .text,
              ::testing::AllOf(::testing::StartsWith("\t.section\t.rodata." + guard +
                                                     ",\"aG\",@progbits," + guard + ",comdat\n"),
                               ::testing::HasSubstr(guard + ":\n\t.quad\t1\n"),
                               ::testing::HasSubstr("other:\n\t.zero\t8\n")));
  // twin: guards of other variables are theirs
  EXPECT_THAT(rewrite_assembly("\t.comm\t_ZGVZ1kvE1a,8,8\n").text,
              ::testing::HasSubstr("\t.comm\t_ZGVZ1kvE1a,8,8\n"));
}

TEST(Assembly, LooksAtTheShadowInLineInDeviceCode) {
  std::string const text = rewrite_assembly(std::string(device_mark) +
                                            "\tcall\t__tsan_read8@PLT\n\tcallq\t__tsan_write4\n"
                                            "\tcall\t__tsan_write16@PLT\n")
                               .text;
  EXPECT_THAT(text, ::testing::HasSubstr("\tmockgpu_check8 0, __mockgpu_read8_at@PLT\n"
                                         "\tmockgpu_check4 1, __mockgpu_write4_at\n"
                                         "\tmockgpu_place 2\n\tcall\t__mockgpu_write16_at@PLT\n"));
  EXPECT_THAT(text, ::testing::HasSubstr(".Lmockgpu_places:\n\t.rept\t3\n"));
}

TEST(Assembly, TakesBodiesOfHooksForNoneOfTheirOwn) {
  std::string const body = "\t.type\t__tsan_read8, @function\n__tsan_read8:\n\tret\n"
                           "\t.size\t__tsan_read8, .-__tsan_read8\n";
  EXPECT_EQ(rewrite_assembly(body).text,
            "\t.type\tmockgpu_body_read8, @function\nmockgpu_body_read8:\n\tret\n"
            "\t.size\tmockgpu_body_read8, .-mockgpu_body_read8\n");
  // twins: others' names hold the word, and calls name the hook
  std::string const other = "\t.type\t_Z14my__tsan_touchPf, @function\n_Z14my__tsan_touchPf:\n"
                            "\t.size\t_Z14my__tsan_touchPf, .-_Z14my__tsan_touchPf\n";
  EXPECT_EQ(rewrite_assembly(other).text, other);
  EXPECT_EQ(rewrite_assembly("\tcall\t__tsan_read8\n").text, "\tcall\t__mockgpu_read8\n");
}

TEST(Assembly, CallsTheHooksWhereItCannotLookItself) {
  for (char const* const call : {"call\t__tsan_read2@PLT", "call\t__tsan_volatile_read8@PLT",
                                 "call\t__tsan_unaligned_write8@PLT",
                                 "call\t*__tsan_read8@GOTPCREL(%rip)", "jmp\t__tsan_read8@PLT"}) {
    std::string expected = call;
    expected.replace(expected.find("__tsan_"), 7, "__mockgpu_");
    EXPECT_EQ(rewrite_assembly(std::string(device_mark) + "\t" + call + "\n").text,
              device_mark + ("\t" + expected + "\n"));
  }
  std::string const intel = std::string(device_mark) + "\t.intel_syntax noprefix\n";
  EXPECT_EQ(rewrite_assembly(intel + "\tcall\t__tsan_read8@PLT\n").text,
            intel + "\tcall\t__mockgpu_read8@PLT\n");
}

TEST(Assembly, TakesClangsOwnSectionTypes) {
  EXPECT_EQ(rewrite_assembly("\t.section\t\".linker-options\",\"e\",@llvm_linker_options\n").text,
            "\t.section\t\".linker-options\",\"e\",@progbits\n");
}

} // namespace
