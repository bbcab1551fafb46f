#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>

#include "assay/check.hpp"
#include "program/error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

/// A check whose programs are built by the system's compiler and whose cells are scripted.
struct Check : testing::Test {
  temporary_folder temporary;
  fs::path const cache = temporary.path();
  check_request request;
  std::vector<std::string> phases;

  Check() {
    request.program = ASSAY_EXAMPLES "/axpy/program.sdfg";
    request.case_file = ASSAY_EXAMPLES "/axpy/case.json";
    request.matrix.targets = {target::cpu};
    request.matrix.modes = {memory_mode::scoped};
    request.matrix.calls = {call_kind::async};
    request.cache = cache;
    request.toolchain_for = [](target) {
      toolchain tools;
      tools.host_compiler = tools.device_compiler = tools.linker = {"c++"};
      tools.flags = {"-std=c++20", "-fPIC"};
      tools.include_directories = {ASSAY_INCLUDE};
      return tools;
    };
    request.progress = [this](std::string_view phase, std::size_t done, std::size_t total) {
      phases.push_back(std::string(phase) + " " + std::to_string(done) + "/" +
                       std::to_string(total));
    };
  }

  check_report run(std::string const& how) {
    request.cell_command = {ASSAY_SCRIPTED_CELL, how};
    return check(request);
  }
};

TEST_F(Check, HoldsWhenEveryRunHolds) {
  check_report const report = run("well");
  EXPECT_EQ(report.verdict, outcome::holds);
  ASSERT_THAT(report.runs, SizeIs(1));
  EXPECT_EQ(report.runs[0].operations, 3u);
  EXPECT_EQ(report.runs[0].accesses, 5u);
  EXPECT_EQ(report.libraries_built, 1u);
  EXPECT_THAT(phases,
              testing::ElementsAre("building 0/1", "building 1/1", "running 0/1", "running 1/1"));
  EXPECT_EQ(run("well").libraries_cached, 1u);
}

TEST_F(Check, IsPartialWhereCodeWasNotSeen) { // twin: HoldsWhenEveryRunHolds
  check_report const report = run("unhooked");
  EXPECT_EQ(report.verdict, outcome::partial);
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(report.notes, testing::ElementsAre(HasSubstr("were not seen: liblegacy.so")));
}

TEST_F(Check, ReportsFindings) {
  check_report const report = run("finding");
  EXPECT_EQ(report.verdict, outcome::findings);
  ASSERT_THAT(report.runs[0].findings, SizeIs(1));
  EXPECT_EQ(report.runs[0].findings[0].kind, "host-race");
  EXPECT_EQ(report.runs[0].findings[0].edge, "host:1:2");
  EXPECT_EQ(exit_code(report), 1);
}

TEST_F(Check, KeepsTheFindingsOfARunThatCrashes) {
  check_report const report = run("crash");
  EXPECT_EQ(report.verdict, outcome::findings);
  EXPECT_EQ(report.runs[0].outcome, outcome::crash);
  EXPECT_EQ(report.runs[0].detail, "signal 11 (Segmentation fault): a last word");
  EXPECT_EQ(report.runs[0].outputs, "not compared");
  EXPECT_THAT(report.runs[0].findings, SizeIs(1));
}

TEST_F(Check, KeepsTheFindingsOfARunThatHangs) {
  request.time_limit = std::chrono::milliseconds(200);
  check_report const report = run("hang");
  EXPECT_EQ(report.runs[0].outcome, outcome::timeout);
  EXPECT_EQ(report.runs[0].detail, "no end after 200 ms: a last word");
  EXPECT_THAT(report.runs[0].findings, SizeIs(1));
}

TEST_F(Check, KeepsTheFindingsOfARunThatEatsMemory) {
  request.memory_limit_bytes = std::uint64_t{64} << 20;
  check_report const report = run("eat");
  EXPECT_EQ(report.runs[0].outcome, outcome::crash);
  EXPECT_EQ(report.runs[0].detail, "more than 64 MiB of memory: a last word");
  EXPECT_THAT(report.runs[0].findings, SizeIs(1));
}

TEST_F(Check, TakesAMissingResultForACrash) {
  EXPECT_EQ(run("exit").runs[0].detail, "exit code 7: a last word");
  EXPECT_EQ(run("torn").runs[0].detail, "exit code 0: a last word");
  EXPECT_THAT(run("checker").runs[0].detail, HasSubstr("ended by the checker"));
}

TEST_F(Check, TakesAReportOfTheSanitizerForTheRunsFault) {
  check_report const report = run("sanitized");
  EXPECT_EQ(report.runs[0].outcome, outcome::crash) << "though its results are equal";
  EXPECT_EQ(report.runs[0].detail,
            "compute-sanitizer: Invalid __global__ write of size 8 bytes; at kernel(double *)+0xb0 "
            "in k.cu:6; by thread (3,0,0) in block (0,0,0)");
  EXPECT_EQ(exit_code(report), 1);
}

TEST_F(Check, HoldsUnderASanitizerThatReportsNothing) { // twin: TakesAReportOfTheSanitizer...
  EXPECT_EQ(run("quiet sanitizer").verdict, outcome::holds);
}

TEST_F(Check, FindsFaultsOfTheInputBeforeItBuilds) {
  request.case_file = ASSAY_EXAMPLES "/hdiff/case.json";
  EXPECT_EQ(error_text([&] { static_cast<void>(run("well")); }),
            "2: case is for program 'programs_hdiff', the program is 'programs_axpy'");
  EXPECT_THAT(phases, SizeIs(0));
  request.case_file = "none.json";
  EXPECT_EQ(error_text([&] { static_cast<void>(run("well")); }), "2: cannot be read");
  request.program = "none.sdfg";
  EXPECT_THAT(error_text([&] { static_cast<void>(run("well")); }), testing::StartsWith("2: "));
}

TEST_F(Check, NamesAToolchainThatFails) {
  request.toolchain_for = [](target) {
    toolchain tools;
    tools.host_compiler = {"c++", "-DASSAY_NO_SUCH", "-include", "none.h"};
    return tools;
  };
  EXPECT_THAT(error_text([&] { static_cast<void>(run("well")); }),
              testing::StartsWith("4: compiling src/cpu/programs_axpy.cpp failed: "));
}

} // namespace
} // namespace assay
