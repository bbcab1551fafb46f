#include "check/compute_sanitizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.hpp"

namespace assay {
namespace {

using testing::IsSupersetOf;

TEST(ComputeSanitizer, IsToldToEndWithACodeOfItsOwn) {
  std::vector<std::string> const command = sanitizer_command("racecheck", "/opt/cs");
  EXPECT_EQ(command.front(), "/opt/cs");
  EXPECT_THAT(command, IsSupersetOf({"--tool", "racecheck", "--error-exitcode", "86"}));
}

TEST(ComputeSanitizer, LooksForLeaksWhereItsToolCan) {
  EXPECT_THAT(sanitizer_command("memcheck", "cs"), testing::Contains("--leak-check"));
  EXPECT_THAT(sanitizer_command("initcheck", "cs"),
              testing::Not(testing::Contains("--leak-check")));
}

TEST(ComputeSanitizer, RefusesToolsThatItHasNot) {
  try {
    (void)sanitizer_command("leakcheck", "cs");
    FAIL() << "not refused";
  } catch (error const& refused) {
    EXPECT_STREQ(refused.what(), "unknown tool 'leakcheck' of compute-sanitizer (one of memcheck, "
                                 "racecheck, initcheck, synccheck)");
  }
}

TEST(ComputeSanitizer, ReportIsTheFirstErrorInWhole) {
  char const* const messages = "a line of the program's\n"
                               "========= COMPUTE-SANITIZER\n"
                               "========= Invalid __global__ read of size 4 bytes\n"
                               "=========     at k(int *)+0x20 in k.cu:6\n"
                               "=========     by thread (1,0,0) in block (0,0,0)\n"
                               "=========\n"
                               "========= Leaked 1,024 bytes at 0x7f0000000000\n"
                               "========= ERROR SUMMARY: 2 errors\n";
  EXPECT_EQ(sanitizer_report(86, messages),
            "compute-sanitizer: Invalid __global__ read of size 4 bytes; at k(int *)+0x20 in "
            "k.cu:6; by thread (1,0,0) in block (0,0,0)");
}

TEST(ComputeSanitizer, NoReportOfRunsThatEndOtherwise) { // twin: ReportIsTheFirstErrorInWhole
  EXPECT_EQ(sanitizer_report(0, "========= Invalid __global__ read of size 4 bytes\n"), "");
  EXPECT_EQ(sanitizer_report(1, "========= Invalid __global__ read of size 4 bytes\n"), "");
}

TEST(ComputeSanitizer, ErrorsWithoutATextAreErrors) {
  EXPECT_EQ(sanitizer_report(86, "========= ERROR SUMMARY: 1 error\n"),
            "compute-sanitizer: an error without a text");
}

} // namespace
} // namespace assay
