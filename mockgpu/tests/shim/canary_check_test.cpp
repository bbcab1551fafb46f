#include "canary_check.hpp"

#include <gtest/gtest.h>

namespace {

using mockgpu::tools::find_missing_hooks;

constexpr char const* source = "// hooks: __tsan_read4|__tsan_read8\n"
                               "// hooks: __tsan_write4\n"
                               "void canary_update(int* p) { ++*p; }\n"
                               "// hooks g++: __tsan_read1\n"
                               "char canary_byte(char* p) { return *p; }\n";

TEST(CanaryCheck, AcceptsAllHooksInAnyOrder) { // twin: NamesEveryHookThatIsNotThere
  EXPECT_TRUE(find_missing_hooks(source,
                                 "canary_update:\n\tcall\t__tsan_write4@PLT\n\tcall\t__tsan_read8\n"
                                 "canary_byte:\n\tjmp\t__tsan_read1@PLT\n",
                                 "g++")
                  .empty());
}

TEST(CanaryCheck, NamesEveryHookThatIsNotThere) {
  auto const missing = find_missing_hooks(
      source,
      "canary_update:\n\tcall\t__tsan_write4@PLT\n\tret\ncanary_byte:\n\tcall\t__tsan_read4\n",
      "g++");
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].function, "canary_update");
  EXPECT_EQ(missing[0].wanted, "__tsan_read4|__tsan_read8");
  EXPECT_EQ(missing[1].function, "canary_byte");
}

TEST(CanaryCheck, DemandsOfOneCompilerDoNotBindTheOther) {
  EXPECT_TRUE(find_missing_hooks(source,
                                 "canary_update:\n\tcall\t__tsan_write4\n\tcall\t__tsan_read4\n",
                                 "clang++")
                  .empty());
}

TEST(CanaryCheck, AFunctionThatIsNotThereIsAnError) {
  try {
    (void)find_missing_hooks(source, "canary_byte:\n", "g++");
    FAIL() << "accepted";
  } catch (std::runtime_error const& error) {
    EXPECT_STREQ(error.what(), "the canary's function 'canary_update' was not compiled");
  }
}

TEST(CanaryCheck, ASourceWithoutDemandsIsAnError) {
  EXPECT_THROW((void)find_missing_hooks("int canary_nothing() { return 0; }\n", "", "g++"),
               std::runtime_error);
}

} // namespace
