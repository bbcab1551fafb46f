// Bad input: one line that names file, object and rule, the right exit code, no partial output.
#include <algorithm>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

struct BadInput : testing::Test {
  scratch folder;

  [[nodiscard]] std::string path(std::string const& name) const {
    return (folder.path / name).string();
  }
  std::string file(std::string const& name, std::string const& text) {
    std::ofstream(folder.path / name) << text;
    return path(name);
  }
  /// The axpy program with a piece of text replaced.
  std::string edited(std::string const& from, std::string const& to) {
    std::ifstream stream(program_of("axpy"));
    std::string text(std::istreambuf_iterator<char>(stream), {});
    std::size_t const at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return file("edited.sdfg", text.replace(at, from.size(), to));
  }
  /// Runs the tool and expects exactly one line.
  static std::string line(int exit_code, std::vector<std::string> const& arguments) {
    tool_result const result = run_tool(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    EXPECT_EQ(std::ranges::count(result.output, '\n'), 1) << result.output;
    return result.output.substr(0, result.output.size() - 1);
  }
};

TEST_F(BadInput, NamesAFileThatIsMissing) {
  EXPECT_THAT(line(2, {"check", "none.sdfg"}), StartsWith("none.sdfg: error: "));
  EXPECT_EQ(line(2, {"check", program_of("axpy"), "--case", "none.json"}),
            "none.json: error: cannot be read");
}

TEST_F(BadInput, NamesAFileThatIsNotJson) {
  std::string const text = file("text.sdfg", "just text");
  EXPECT_THAT(line(2, {"check", text}), AllOf(StartsWith(text + ": error: "), HasSubstr("JSON")));
  EXPECT_THAT(line(2, {"generate", text, "-o", path("out")}), StartsWith(text + ": error: "));
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(BadInput, NamesAFileThatEndsEarly) {
  std::ifstream stream(program_of("axpy"));
  std::string whole(std::istreambuf_iterator<char>(stream), {});
  std::string const half = file("half.sdfg", whole.substr(0, whole.size() / 2));
  EXPECT_THAT(line(2, {"check", half}), StartsWith(half + ": error: "));
}

TEST_F(BadInput, NamesTheNodeTypeThatNobodyKnows) {
  std::string const changed = edited("\"type\":\"Tasklet\"", "\"type\":\"Quux\"");
  tool_result const result = run_tool({"check", changed});
  EXPECT_TRUE(result.exit_code == 2 || result.exit_code == 3) << result.exit_code;
  EXPECT_THAT(result.output,
              AllOf(StartsWith(changed + ": error: "), HasSubstr("Quux"), HasSubstr("(at /")));
}

TEST_F(BadInput, NamesTheCaseThatDoesNotFit) {
  fs::copy(ASSAY_EXAMPLES "/axpy/in", folder.path / "in");
  std::string const rest =
      R"(, "arguments": {"x": {"file": "in/x.npy"}, "y": {"file": "in/y.npy"})";
  std::string const text =
      file("case.json", R"({"program": "programs_axpy")" + rest + R"(, "N": -4, "a": 1}})");
  EXPECT_THAT(line(2, {"check", program_of("axpy"), "--case", text}),
              AllOf(StartsWith(text + ": error: argument 'x'"), HasSubstr("not negative")));
}

TEST_F(BadInput, NamesAnOutputThatCannotBeWrittenBeforeAnyWork) {
  EXPECT_EQ(line(2, {"check", program_of("axpy"), "--case", case_of("axpy"), "--output",
                     path("no/report")}),
            path("no/report") + ": error: output cannot be written: No such file or directory");
  EXPECT_EQ(line(2, {"check", program_of("axpy"), "--case", case_of("axpy"), "--output",
                     folder.path.string()}),
            folder.path.string() + ": error: output is a folder");
  file("blocked", "");
  EXPECT_THAT(line(2, {"generate", program_of("axpy"), "-o", path("blocked/out")}),
              HasSubstr(": error: cannot"));
}

TEST_F(BadInput, NamesAnOutputThatIsFull) {
  std::vector<std::string> const transform{"transform", program_of("axpy"), "-o", "/dev/full"};
  EXPECT_EQ(line(4, transform),
            "/dev/full: error: output cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device is written, never replaced";
  tool_result const printed =
      run_command_line({"sh", "-c", std::string(ASSAY_TOOL) + " explain > /dev/full"});
  EXPECT_EQ(printed.exit_code, 4);
  EXPECT_EQ(printed.output, "standard output: error: cannot be written: No space left on device\n");
}

TEST(Output, WritesDevicesAndWhatLinksNameAndLeavesThemWhatTheyAre) { // twin
  EXPECT_EQ(run_tool({"transform", program_of("axpy"), "-o", "/dev/null"}).exit_code, 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  scratch const folder;
  std::ofstream(folder.path / "old") << "old";
  fs::create_symlink("old", folder.path / "link");
  std::string const link = (folder.path / "link").string();
  EXPECT_EQ(run_tool({"transform", program_of("axpy"), "-o", link}).exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_GT(fs::file_size(folder.path / "old"), 1000u);
  EXPECT_EQ(run_tool({"transform", program_of("axpy"), "-o", "-"}).output.size(),
            fs::file_size(folder.path / "old"));
}

TEST_F(BadInput, NamesTheCommandThatDoesNotExist) {
  EXPECT_THAT(line(2, {"verify", program_of("axpy")}),
              AllOf(StartsWith("assay: error: unknown command 'verify' (one of check, "),
                    HasSubstr("explain"), Not(HasSubstr("run-cell"))));
  EXPECT_THAT(line(2, {}), StartsWith("assay: error: a command is needed (one of check, "));
}

TEST_F(BadInput, NamesWhatAReplayTokenLacks) {
  EXPECT_EQ(line(2, {"replay", "check,program=" + program_of("axpy") + ",mode=pool"}),
            "assay: error: the replay token has no 'target': it is not whole");
  EXPECT_THAT(line(2, {"replay", "xyz"}),
              StartsWith("assay: error: 'xyz' is no replay token: it begins with "));
}

TEST_F(BadInput, LeavesAnOldReportAloneWhenItFails) {
  std::string const report = file("report", "old");
  EXPECT_EQ(run_tool({"check", "none.sdfg", "--output", report}).exit_code, 2);
  std::ifstream stream(report);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1) << "nothing is left aside";
}

TEST_F(BadInput, NamesTheOptionThatIsWrong) {
  std::string const program = program_of("axpy");
  EXPECT_EQ(
      line(2, {"check", program, "--mode", "shared"}),
      "assay: error: unknown memory mode 'shared' (one of scoped, pool, persistent, external)");
  EXPECT_EQ(line(2, {"check", program, "--mode", "scoped,"}),
            "assay: error: unknown memory mode '' (one of scoped, pool, persistent, external)");
  EXPECT_EQ(
      line(2, {"check", program, "--schedule", "random"}),
      "assay: error: unknown schedule 'random' (one of eager, lazy, random:N or pct:N[:DEPTH] "
      "with N from 1 to 10000, exhaustive[:MOST_ORDERS])");
  EXPECT_EQ(line(2, {"check", program, "--sweep", "--fault", "sticky@1"}),
            "assay: error: --sweep and --fault exclude each other: a sweep makes its own failures");
  EXPECT_EQ(line(2, {"check", program, "--sweep", "--schedule", "exhaustive"}),
            "assay: error: --sweep fails calls in one order each: the first schedule cannot be "
            "exhaustive");
  EXPECT_EQ(line(2, {"check", program, "--dialect", "hip-7", "--target", "cuda"}),
            "assay: error: --dialect hip-7 has none for target cuda");
  EXPECT_EQ(line(2, {"check", program, "--format", "xml"}),
            "assay: error: unknown format 'xml' (one of text, json, junit, sarif)");
  EXPECT_EQ(line(2, {"check", program, "--set", "N"}),
            "assay: error: --set N: not of the form NAME=INTEGER");
  EXPECT_EQ(line(2, {"check", program, "--set", "N=99999999999999999999"}),
            "assay: error: --set N=99999999999999999999: the integer does not fit 64 bits");
  EXPECT_THAT(line(2, {"check", program, "--set", "Q=1"}),
              EndsWith("--set Q=1: program 'programs_axpy' has no such symbol"));
  EXPECT_THAT(line(2, {"check", program, "--plant", "bug"}),
              HasSubstr("unknown plant 'bug' (one of drop-sync, "));
  EXPECT_EQ(line(2, {"check", program, "--timeout", "0"}),
            "assay: error: --timeout 0: not above 0");
  EXPECT_EQ(line(2, {"check", program, "--mode", "scoped,pool", "--workspace", "shared"}),
            "assay: error: --workspace shared: none of the memory modes has a workspace (external "
            "has)");
  EXPECT_EQ(line(2, {"check", program, "--devices", "9"}),
            "assay: error: --devices 9: expected 1 to 8");
  EXPECT_EQ(line(2, {"check", program, "--calls", "0"}),
            "assay: error: --calls: Value 0 not in range 1 to 1000");
  EXPECT_EQ(line(2, {"check", program, "--jobs", "0"}),
            "assay: error: --jobs: Value 0 not in range 1 to 1024");
  EXPECT_EQ(line(4, {"check", program, "--cache", "/proc/none", "--quiet"}),
            "/proc/none: error: cannot make the folder: No such file or directory");
  EXPECT_THAT(line(2, {"check"}), HasSubstr("PROGRAM"));
  EXPECT_THAT(line(2, {"explain", "bug"}), HasSubstr("unknown kind of finding 'bug' (one of "));
  EXPECT_THAT(line(2, {"generate", program, "--plant", "short-workspace", "-o", "-"}),
              EndsWith("plant short-workspace changes the buffer of a run, not the text"));
  EXPECT_THAT(line(2, {"generate", program, "--plant", "early-free", "-o", "-"}),
              EndsWith("plant early-free finds no place in this program"));
}

TEST_F(BadInput, NamesWhatADeviceCannotDo) {
  std::string const program = program_of("axpy");
  EXPECT_EQ(line(2, {"check", program, "--backend", "rocm"}),
            "assay: error: unknown backend 'rocm' (one of mock, cuda, hip)");
  for (std::vector<std::string> const& of_the_mock :
       {std::vector<std::string>{"--schedule", "lazy"},
        {"--dialect", "cuda-13"},
        {"--sweep"},
        {"--depth", "ops"},
        {"--advice"},
        {"--fault", "out-of-memory@3"},
        {"--apply-edge", "wait:1:2"}}) {
    std::vector<std::string> command{"check", program, "--backend", "cuda"};
    command.insert(command.end(), of_the_mock.begin(), of_the_mock.end());
    EXPECT_EQ(line(2, command), "assay: error: " + of_the_mock.front() + " needs --backend mock");
  }
  EXPECT_EQ(line(2, {"check", program, "--sanitizer", "memcheck"}),
            "assay: error: --sanitizer needs --backend cuda");
  EXPECT_EQ(line(2, {"check", program, "--backend", "cuda", "--sanitizer", "leakcheck"}),
            "assay: error: unknown tool 'leakcheck' of compute-sanitizer (one of memcheck, "
            "racecheck, initcheck, synccheck)");
  EXPECT_EQ(line(2, {"check", program, "--backend", "hip", "--sanitizer", "memcheck"}),
            "assay: error: --sanitizer needs --backend cuda");
  EXPECT_EQ(line(2, {"check", program, "--backend", "cuda", "--target", "hip"}),
            "assay: error: target hip does not run on --backend cuda");
}

TEST(Generate, WritesDaCesFolderLayout) {
  scratch const folder;
  fs::path const out = folder.path / "out";
  ASSERT_EQ(run_tool({"generate", program_of("hdiff"), "--mode", "external", "--target", "hip",
                      "-o", out.string()})
                .exit_code,
            0);
  for (char const* name : {"src/cpu/programs_hdiff.cpp", "src/cuda/hip/programs_hdiff_cuda.cpp",
                           "include/programs_hdiff.h", "program.sdfg"})
    EXPECT_TRUE(fs::exists(out / name)) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), {}), 1) << "nothing is left aside";
}

TEST(Generate, ShowsThePlantedText) {
  auto const text = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"generate", program_of("axpy"), "--call", "sync", "-o", "-"});
    tool_result const result = run_tool(more);
    EXPECT_EQ(result.exit_code, 0);
    return result.output;
  };
  std::string const plain = text({}), planted = text({"--plant", "null-stream"});
  EXPECT_NE(plain, planted);
  EXPECT_THAT(planted, HasSubstr(", nullptr);"));
}

TEST(Explain, KnowsEveryKindThatItLists) {
  tool_result const list = run_tool({"explain"});
  EXPECT_EQ(list.exit_code, 0);
  std::istringstream lines(list.output);
  int kinds = 0;
  for (std::string line; std::getline(lines, line); ++kinds) {
    std::string const kind = line.substr(0, line.find(' '));
    tool_result const one = run_tool({"explain", kind});
    EXPECT_EQ(one.exit_code, 0) << kind;
    EXPECT_THAT(one.output, AllOf(StartsWith(kind), HasSubstr("\nExample, a whole program"),
                                  HasSubstr("\nCure: ")));
  }
  EXPECT_GE(kinds, 15);
}

} // namespace
} // namespace assay::e2e
