#include "command_line.hpp"

#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using mockgpu::tools::command;
using mockgpu::tools::driver_kind;
using mockgpu::tools::parse_command_line;
using mockgpu::tools::usage_error;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string message_of(driver_kind kind, std::vector<std::string> const& arguments) {
  try {
    (void)parse_command_line(kind, arguments);
  } catch (usage_error const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CommandLine, TakesWhatNvccTakes) {
  auto const c = parse_command_line(driver_kind::nvcc, {"-std=c++17",
                                                        "-O3",
                                                        "-arch=sm_90",
                                                        "-gencode",
                                                        "arch=compute_90,code=sm_90",
                                                        "-Xcompiler",
                                                        "-fPIC,-Wall",
                                                        "--expt-relaxed-constexpr",
                                                        "-Iinc",
                                                        "-I",
                                                        "more",
                                                        "-DN=3",
                                                        "-MD",
                                                        "-MF",
                                                        "x.d",
                                                        "-x",
                                                        "cu",
                                                        "-c",
                                                        "k.cpp",
                                                        "-o",
                                                        "k.o"});
  EXPECT_EQ(c.what, command::action::compile);
  EXPECT_EQ(c.output, "k.o");
  ASSERT_EQ(c.sources.size(), 1u);
  EXPECT_EQ(c.sources[0].path, "k.cpp");
  EXPECT_EQ(c.sources[0].language, "c++");
  EXPECT_TRUE(c.sources[0].device);
  EXPECT_THAT(c.code_flags, ElementsAre("-std=c++17", "-O3", "-fPIC", "-Wall"));
  EXPECT_THAT(c.preprocess_flags, ElementsAre("-Iinc", "-I", "more", "-DN=3"));
  EXPECT_THAT(c.dependency_flags, ElementsAre("-MD", "-MF", "x.d"));
}

TEST(CommandLine, TellsDeviceSourcesByDriverAndSuffix) {
  auto const device = [](driver_kind kind, char const* path) {
    return parse_command_line(kind, {"-c", path}).sources.at(0).device;
  };
  EXPECT_TRUE(device(driver_kind::nvcc, "a.cu"));
  EXPECT_FALSE(device(driver_kind::nvcc, "a.cpp"));
  EXPECT_TRUE(device(driver_kind::hipcc, "a.cpp"));
  EXPECT_FALSE(device(driver_kind::cxx, "a.cpp"));
}

TEST(CommandLine, KeepsLinkInputsInOrderWithoutTheVendorsRuntime) {
  auto const c = parse_command_line(
      driver_kind::nvcc, {"-shared", "a.o", "-Llib", "-lm", "b.a", "-lcudart", "-lcuda"});
  EXPECT_EQ(c.what, command::action::link);
  EXPECT_TRUE(c.shared);
  EXPECT_THAT(c.link_inputs, ElementsAre("a.o", "-Llib", "-lm", "b.a"));
  EXPECT_THAT(c.sources, IsEmpty());
}

TEST(CommandLine, IgnoresHipArchitectures) {
  auto const c = parse_command_line(
      driver_kind::hipcc, {"--offload-arch=gfx90a", "-fgpu-rdc", "-Wextra", "-c", "a.cpp"});
  EXPECT_THAT(c.code_flags, ElementsAre("-Wextra"));
}

TEST(CommandLine, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(message_of(driver_kind::nvcc, {"--frobnicate", "a.cu"}),
            "unknown option '--frobnicate'");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"-Wall", "a.cu"}), "unknown option '-Wall'")
      << "nor does nvcc";
  EXPECT_EQ(message_of(driver_kind::nvcc, {"-Xcompiler", "-Wall,-?", "a.cu"}),
            "unknown option '-?' behind -Xcompiler");
  EXPECT_EQ(message_of(driver_kind::hipcc, {"--expt-relaxed-constexpr"}),
            "unknown option '--expt-relaxed-constexpr'");
  EXPECT_EQ(message_of(driver_kind::cxx, {"-arch=sm_90"}), "unknown option '-arch=sm_90'");
}

TEST(CommandLine, NamesWhatItCannotServe) {
  EXPECT_EQ(message_of(driver_kind::nvcc, {"a.cu", "-o"}), "option '-o' needs a value");
  EXPECT_EQ(message_of(driver_kind::cxx, {"a.cu"}),
            "'a.cu' is device code; mockgpu-nvcc compiles it");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"--default-stream", "mine", "a.cu"}),
            "option '--default-stream': 'mine' is no default stream");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"-ptx", "a.cu"}),
            "option '-ptx': there is no device code to write; kernels become host code");
  EXPECT_EQ(message_of(driver_kind::hipcc, {"--genco", "a.cpp"}),
            "option '--genco': there is no device code to write; kernels become host code");
  EXPECT_EQ(message_of(driver_kind::cxx, {"-fsanitize=address", "a.cpp"}),
            "option '-fsanitize=address': the memory hooks of mockgpu take the sanitizer's place");
  EXPECT_EQ(message_of(driver_kind::cxx, {"-flto", "a.cpp"}),
            "option '-flto': the memory hooks are placed before link time");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"-Xcompiler", "-masm=intel", "a.cu"}),
            "option '-masm=intel': the memory hooks are placed in AT&T syntax");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"-Xcompiler=-fprofile-generate=/tmp", "a.cu"}),
            "option '-fprofile-generate=/tmp': its counters are memory of the host, which kernels "
            "would touch");
  EXPECT_EQ(message_of(driver_kind::nvcc, {"--default-stream=legacy", "a.cu"}), "accepted");
}

TEST(CommandLine, TakesWhatCMakePassesToNvcc) {
  auto const compiled = parse_command_line(
      driver_kind::nvcc, {"-forward-unknown-to-host-compiler",
                          "-ccbin=/usr/bin/g++",
                          "-DX=1",
                          "-isystem=/inc",
                          "-O3",
                          "-DNDEBUG",
                          "--generate-code=arch=compute_75,code=[compute_75,sm_75]",
                          "-Xcompiler=-fPIC",
                          "-std=c++17",
                          "-Werror",
                          "all-warnings",
                          "-march=native",
                          "-MD",
                          "-MT",
                          "k.o",
                          "-MF",
                          "k.o.d",
                          "-x",
                          "cu",
                          "-rdc=true",
                          "-c",
                          "k.cu",
                          "-o",
                          "k.o"});
  EXPECT_EQ(compiled.what, command::action::compile);
  EXPECT_EQ(compiled.compiler, "/usr/bin/g++");
  EXPECT_THAT(compiled.preprocess_flags, ElementsAre("-DX=1", "-isystem", "/inc", "-DNDEBUG"));
  EXPECT_THAT(compiled.code_flags, ElementsAre("-O3", "-fPIC", "-std=c++17", "-march=native"));
  EXPECT_THAT(compiled.dependency_flags, ElementsAre("-MD", "-MT", "k.o", "-MF", "k.o.d"));
  auto const linked =
      parse_command_line(driver_kind::nvcc, {"-Wno-deprecated-gpu-targets", "-shared", "-dlink",
                                             "k.o", "-o", "link.o"});
  EXPECT_EQ(linked.what, command::action::device_link);
  EXPECT_EQ(linked.output, "link.o");
}

TEST(CommandLine, TakesNvccsLongNamesAndLists) {
  auto const c = parse_command_line(driver_kind::nvcc,
                                    {"--compile", "--output-file", "k.o", "--include-path=inc",
                                     "--define-macro", "N=2", "--optimize", "3", "--std", "c++20",
                                     "-Xcompiler", "-Wall -Wextra", "-Xlinker", "-z,now",
                                     "-default-stream=per-thread", "--library", "m", "k.cu"});
  EXPECT_EQ(c.what, command::action::compile);
  EXPECT_EQ(c.output, "k.o");
  EXPECT_THAT(c.preprocess_flags,
              ElementsAre("-I", "inc", "-D", "N=2", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
  EXPECT_THAT(c.code_flags, ElementsAre("-O3", "-std=c++20", "-Wall", "-Wextra"));
  EXPECT_THAT(c.link_flags, ElementsAre("-Xlinker", "-z", "-Xlinker", "now"));
  EXPECT_THAT(c.link_inputs, ElementsAre("-lm"));
}

TEST(CommandLine, TakesTheHighestArchitecture) {
  auto const highest = [](std::vector<std::string> const& options) {
    auto all = options;
    all.emplace_back("a.cu");
    return parse_command_line(driver_kind::nvcc, all).cuda_architecture;
  };
  EXPECT_EQ(highest({}), 0U);
  EXPECT_EQ(highest({"-arch=sm_90a"}), 90U);
  EXPECT_EQ(highest({"-arch", "native"}), 90U);
  EXPECT_EQ(highest({"--gpu-architecture", "compute_86"}), 86U);
  EXPECT_EQ(
      highest({"-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_70,code=sm_70"}),
      80U);
  EXPECT_THAT(
      parse_command_line(driver_kind::hipcc, {"--offload-arch=gfx942:xnack+,gfx90a", "a.hip"})
          .hip_architectures,
      ElementsAre("gfx942", "gfx90a"));
}

TEST(CommandLine, ReadsOptionFiles) {
  std::string const path = ::testing::TempDir() + "mockgpu_options";
  std::ofstream(path) << "-DA='x y' \"-DB=1\"\n-DC=\\\"q\\\"\n";
  auto const expected = ElementsAre("-DA=x y", "-DB=1", "-DC=\"q\"");
  EXPECT_THAT(
      parse_command_line(driver_kind::nvcc, {"--options-file", path, "k.cu"}).preprocess_flags,
      expected);
  EXPECT_THAT(parse_command_line(driver_kind::cxx, {"@" + path, "k.cpp"}).preprocess_flags,
              expected);
  std::ofstream(path) << "@" << path;
  EXPECT_EQ(message_of(driver_kind::cxx, {"@" + path}), "option files include one another");
  std::remove(path.c_str());
}

} // namespace
