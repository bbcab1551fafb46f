#include "assay/build.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Build : testing::Test {
  temporary_folder temporary;
  fs::path const cache = temporary.path();
  std::vector<generated_file> files{
      {"src/cpu/p.cpp", "#include \"p.h\"\nint answer() { return ANSWER; }\n"},
      {"include/p.h", "#pragma once\n#define ANSWER 42\nextern \"C\" int answer();\n"}};
  toolchain tools;

  Build() {
    tools.host_compiler = tools.device_compiler = tools.linker = {"c++"};
    tools.flags = {"-fPIC"};
  }

  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(cache), fs::directory_iterator()));
  }
};

TEST_F(Build, MakesALibraryOnceAndFindsItAgain) {
  built_library const first = build(files, "p", tools, cache);
  EXPECT_FALSE(first.was_cached);
  EXPECT_TRUE(fs::exists(first.library));
  EXPECT_EQ(first.library.filename(), "libp.so");
  EXPECT_EQ(first.key, library_key(files, tools));
  built_library const second = build(files, "p", tools, cache);
  EXPECT_TRUE(second.was_cached);
  EXPECT_EQ(second.library, first.library);
  EXPECT_EQ(entries(), 1u) << "nothing is left aside";
}

TEST_F(Build, KeyDependsOnTextPathFlagsAndCompiler) {
  std::string const key = library_key(files, tools);
  auto changed = files;
  changed[1].text += "\n";
  EXPECT_NE(library_key(changed, tools), key);
  changed = files;
  changed[0].path = "src/cpu/q.cpp";
  EXPECT_NE(library_key(changed, tools), key);
  toolchain other = tools;
  other.identity = "next version";
  EXPECT_NE(library_key(files, other), key);
  other = tools;
  other.flags.push_back("-O1");
  EXPECT_NE(library_key(files, other), key);
  EXPECT_EQ(library_key(files, tools), key);
}

TEST_F(Build, BuildsAnewWhenAnotherTextHasTheSameKey) {
  built_library const first = build(files, "p", tools, cache);
  std::ofstream(first.library.parent_path() / "inputs") << "another text";
  EXPECT_THAT(error_text([&] { static_cast<void>(build(files, "p", tools, cache)); }),
              testing::StartsWith("4: cannot put the built library in place"));
}

TEST_F(Build, TellsTheCompilersFirstErrorAndLeavesNothing) {
  files[0].text = "int answer() { return 42 }\nint other() { return }\n";
  EXPECT_EQ(error_text([&] { static_cast<void>(build(files, "p", tools, cache)); }),
            "4: compiling src/cpu/p.cpp failed: src/cpu/p.cpp:1:25: error: expected ‘;’ before ‘}’ "
            "token");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Build, TellsTheLinkersOwnWords) {
  tools.linker.push_back("-lno_such_library");
  EXPECT_THAT(error_text([&] { static_cast<void>(build(files, "p", tools, cache)); }),
              testing::AllOf(testing::StartsWith("4: linking libp.so failed: "),
                             testing::HasSubstr("no_such_library"),
                             testing::Not(testing::HasSubstr("exit status"))));
}

TEST_F(Build, NamesACompilerThatDoesNotExist) {
  tools.host_compiler = {"no-such-compiler"};
  EXPECT_EQ(error_text([&] { static_cast<void>(build(files, "p", tools, cache)); }),
            "4: cannot run 'no-such-compiler': No such file or directory");
}

TEST_F(Build, ServesConcurrentBuildersOfOneText) {
  std::vector<built_library> built(4);
  {
    std::vector<std::jthread> builders;
    for (built_library& each : built)
      builders.emplace_back([&] { each = build(files, "p", tools, cache); });
  }
  for (built_library const& each : built) {
    EXPECT_EQ(each.library, built[0].library);
    EXPECT_TRUE(fs::exists(each.library));
  }
  EXPECT_EQ(std::ranges::count(built, false, &built_library::was_cached), 1)
      << "the others waited for the one that built";
  EXPECT_EQ(entries(), 1u);
}

/// A compiler that notes each start, and whose first one does not end.
struct BuildThatHangsOnce : Build {
  temporary_folder aside;
  fs::path const compiler = aside.path() / "compiler", starts = aside.path() / "starts";

  BuildThatHangsOnce() {
    std::ofstream(compiler) << "#!/bin/sh\necho start >> " << starts.string() << "\nmkdir "
                            << (aside.path() / "first").string()
                            << " 2>/dev/null && exec sleep 600\nexec c++ \"$@\"\n";
    fs::permissions(compiler, fs::perms::owner_all);
    tools.host_compiler = {compiler.string()};
  }

  [[nodiscard]] long compiler_starts() const {
    std::ifstream in(starts);
    return std::count(std::istreambuf_iterator<char>(in), {}, '\n');
  }
};

TEST_F(BuildThatHangsOnce, IsTakenUpByTheNextBuilderWhenItsOwnIsKilled) {
  pid_t const builder = fork();
  ASSERT_NE(builder, -1);
  if (builder == 0) {
    setpgid(0, 0);
    static_cast<void>(build(files, "p", tools, cache));
    _exit(0);
  }
  for (int waits = 0; compiler_starts() == 0; ++waits) {
    ASSERT_LT(waits, 6000) << "the compiler does not start";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  built_library built;
  std::jthread waiting([&] { built = build(files, "p", tools, cache); });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(compiler_starts(), 1) << "a second builder waits for the first";
  kill(builder, SIGKILL); // alone: its compiler goes on
  waitpid(builder, nullptr, 0);
  waiting.join();
  kill(-builder, SIGKILL);
  EXPECT_FALSE(built.was_cached);
  EXPECT_TRUE(fs::exists(built.library));
  EXPECT_EQ(compiler_starts(), 2);
  EXPECT_TRUE(build(files, "p", tools, cache).was_cached);
}

TEST_F(Build, RemovesWhatAKilledBuildLeftADayAgoAndNothingYounger) {
  auto const leave = [&](std::string const& name, int hours) {
    fs::create_directories(cache / name / "src");
    fs::last_write_time(cache / name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  leave(".building-old-1-0", 25);
  leave(".building-new-2-0", 23);
  leave("a-library-of-before", 25);
  static_cast<void>(build(files, "p", tools, cache));
  EXPECT_FALSE(fs::exists(cache / ".building-old-1-0"));
  EXPECT_TRUE(fs::exists(cache / ".building-new-2-0"));
  EXPECT_TRUE(fs::exists(cache / "a-library-of-before"));
}

TEST_F(Build, NamesAFolderThatCannotBeMade) {
  std::ofstream(cache / "file") << "x";
  EXPECT_EQ(
      error_text([&] { static_cast<void>(build(files, "p", tools, cache / "file" / "below")); }),
      "4: cannot make the folder: Not a directory");
}

} // namespace
} // namespace assay
