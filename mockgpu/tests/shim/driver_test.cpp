// The drivers from end to end: they build real programs, and the programs run.
#include "files.hpp"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct outcome {
  int exit_code;
  std::string output; ///< standard output and error
};

class Driver : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "mockgpu-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    work_ = pattern;
    setenv("MOCKGPU_CACHE", (work_ / "cache").c_str(), 1);
    unsetenv("MOCKGPU_CXX");
  }
  void TearDown() override { fs::remove_all(work_); }

  /// Through a shell, for the redirection only.
  static outcome shell(std::string const& command) {
    auto const result =
        mockgpu::tools::run_process({"sh", "-c", command + " 2>&1"}, /*capture=*/true);
    return {result.exit_code, result.output};
  }
  static std::string driver(char const* name) {
    return std::string(MOCKGPU_TEST_BIN) + "/" + name + " ";
  }
  static std::string program(char const* name) {
    return std::string(MOCKGPU_TEST_PROGRAMS) + "/" + name + " ";
  }
  [[nodiscard]] std::string in_work(char const* name) const {
    return (work_ / name).string() + " ";
  }

  fs::path work_;
};

TEST_F(Driver, BuildsEveryFormOfLaunch) {
  auto const built = shell(driver("mockgpu-nvcc") + "-std=c++17 " + program("launch_forms.cu") +
                           "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const ran = shell(in_work("p"));
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, HasSubstr("status 0 first 215 last 15 refused 801\n"));
  EXPECT_THAT(ran.output,
              HasSubstr("cudaLaunchKernel of 'no_kernel' refused: it is no kernel that a "
                        "compiler driver of mockgpu built"));
  EXPECT_THAT(ran.output, Not(HasSubstr("finding:")));
}

TEST_F(Driver, LaunchesFromCAndRefusesCooperativeGridsThatDoNotFit) {
  auto const built =
      shell(driver("mockgpu-nvcc") + "-c " + program("c_launches_kernels.cu") + "-o " +
            in_work("k.o") + " && " + driver("mockgpu-cxx") + "-x c -c " + program("c_launches.c") +
            "-o " + in_work("m.o") + " && " + driver("mockgpu-nvcc") + in_work("m.o") +
            in_work("k.o") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const ran = shell(in_work("p"));
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output,
              HasSubstr("launched 0\nsum 6048\nmet 0\nfits 0, too many 720\nno kernel 801\n"));
  EXPECT_THAT(ran.output, Not(ContainsRegex("mockgpu: [a-z]+-[a-z]+: ")));
}

TEST_F(Driver, RefusesInlinePtxByItsPlaceWhereItIsUsed) {
  for (char const* const flags : {"-O0 ", "-O2 ", "-O2 -ccbin clang++ "}) {
    if (std::string_view(flags).find("clang") != std::string_view::npos &&
        shell("clang++ --version").exit_code != 0)
      continue;
    std::string const build =
        driver("mockgpu-nvcc") + flags + program("inline_ptx.cu") + "-o " + in_work("p");
    auto const built = shell(build);
    ASSERT_EQ(built.exit_code, 0) << flags << built.output;
    EXPECT_THAT(shell(in_work("p")).output, HasSubstr("lanes 5 5"));
    auto const refused = shell(build + "-DUSED");
    EXPECT_NE(refused.exit_code, 0) << flags;
    EXPECT_THAT(refused.output, AllOf(HasSubstr("mockgpu: inline PTX is not supported"),
                                      ContainsRegex("inline_ptx.cu:9:")));
  }
}

TEST_F(Driver, OffersTheGuardsOfTheToolkitsHeaders) {
  auto const built =
      shell(driver("mockgpu-nvcc") + program("toolkit_guards.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "recognised\n");
}

TEST_F(Driver, LaunchesKernelsFromC) {
  std::ofstream(work_ / "k.cu")
      << "extern \"C\" __global__ void k(int* p, int value, double more) {"
         " p[threadIdx.x] = value + (int)more; }\n"
         "extern \"C\" void const* kernel(void) { return (void const*)k; }\n";
  std::ofstream(work_ / "main.c") << R"(#include <cuda_runtime_api.h>
#include <stdio.h>
void const* kernel(void);
int main(void) {
  int* p;
  int host[2], value = 3;
  double more = 4.5;
  void* arguments[] = {&p, &value, &more};
  dim3 one = {1, 1, 1}, two = {2, 1, 1};
  if (cudaMalloc((void**)&p, sizeof host)) return 1;
  int launched = cudaLaunchKernel(kernel(), one, two, arguments, 0, 0);
  int refused = cudaLaunchKernel((void const*)main, one, two, arguments, 0, 0);
  cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", launched, host[1], refused);
  return cudaFree(p);
}
)";
  auto const built =
      shell(driver("mockgpu-nvcc") + in_work("main.c") + in_work("k.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_THAT(shell(in_work("p")).output,
              ContainsRegex("cudaLaunchKernel of '.*' refused: it is no kernel.*\n0 7 801\n$"));
}

TEST_F(Driver, BuildsHipLaunchesByValue) {
  auto const built = shell(driver("mockgpu-hipcc") + "--offload-arch=gfx90a " +
                           program("launch_by_value.cpp") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "first 2.5 last 2.5\n");
}

TEST_F(Driver, BuildsHipLaunchesInEveryForm) {
  for (char const* const compiler : {"", "MOCKGPU_CXX=clang++ "}) {
    auto const built =
        shell(compiler + driver("mockgpu-hipcc") + "-O3 -Wall --offload-arch=gfx942 " +
              program("hip_launches.hip") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    EXPECT_EQ(shell(in_work("p")).output, "hipSuccess 81 81\n") << compiler;
  }
}

TEST_F(Driver, LaunchesWithChevronsInEveryFormOfCxx) {
  std::string const expected =
      mockgpu::tools::read_file(fs::path(MOCKGPU_TEST_PROGRAMS) / "chevrons.expected");
  for (char const* const flags : {"", "-O0 -G ", "-ccbin clang++ "}) {
    if (std::string_view(flags).find("clang") != std::string_view::npos &&
        shell("clang++ --version").exit_code != 0)
      continue;
    auto const built = shell(driver("mockgpu-nvcc") + flags + "-std=c++17 " +
                             program("chevrons.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << flags << built.output;
    EXPECT_EQ(built.output, "") << flags;
    EXPECT_EQ(shell(in_work("p")).output, expected) << flags;
  }
}

TEST_F(Driver, CompilesEveryStandard) {
  std::ofstream(work_ / "k.cu") << "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n"
                                   "template <class T> __global__ void k(T* p, T v) { *p = v; }\n"
                                   "int main() { float* p; cudaMalloc((void**)&p, 4); "
                                   "k<<<1, 1>>>(p, 2.0f); return cudaFree(p); }\n";
  for (char const* const compiler : {"", "-ccbin clang++ "})
    for (char const* const standard : {"c++11", "c++14", "c++17", "c++20"}) {
      auto const built = shell(driver("mockgpu-nvcc") + compiler +
                               "-Xcompiler -Wall,-Wextra,-Werror -std=" + standard + " " +
                               in_work("k.cu") + "-o " + in_work("p"));
      EXPECT_EQ(built.exit_code, 0) << compiler << standard << built.output;
      EXPECT_EQ(built.output, "") << compiler << standard;
      EXPECT_EQ(shell(in_work("p")).exit_code, 0) << compiler << standard;
    }
}

TEST_F(Driver, TakesHipsHeadersUnderEveryStandard) {
  std::ofstream(work_ / "k.hip") << "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n"
                                    "__global__ void k(float2* p) { *p += *p; }\n";
  std::ofstream(work_ / "host.cpp") << "#include <hip/hip_runtime.h>\n"
                                       "int last() { return hipGetLastError(); }\n";
  for (char const* const standard : {"c++11", "c++14", "c++17", "c++20"}) {
    auto const built = shell(driver("mockgpu-hipcc") + "-std=" + standard + " -c " +
                             in_work("k.hip") + "-o " + in_work("k.o"));
    EXPECT_EQ(built.exit_code, 0) << standard << built.output;
    // Host files include it without a word of the platform.
    auto const host = shell(driver("mockgpu-cxx") + "-std=" + standard + " -c " +
                            in_work("host.cpp") + "-o " + in_work("host.o"));
    EXPECT_EQ(host.exit_code, 0) << standard << host.output;
  }
}

TEST_F(Driver, ReportsARaceAtTheUsersLines) {
  std::ofstream(work_ / "race.cu") << R"(#include <cuda_runtime.h>
static __global__ void first(int* p) {
  p[threadIdx.x] = 1;
}
template <class T> __global__ void second(T* p) { p[threadIdx.x] = 2; }
int main(int argc, char**) {
  int* p;
  cudaStream_t s, t;
  cudaEvent_t e;
  if (cudaMalloc(&p, 64) || cudaStreamCreate(&s) || cudaStreamCreate(&t) || cudaEventCreate(&e)) return 1;
  first<<<1, 4, 0, s>>>(p);
  cudaEventRecord(e, s);
  if (argc > 1) cudaStreamWaitEvent(t, e, 0);
  second<int>
      <<<1, 4, 0, t>>>(p);
  return cudaDeviceSynchronize() || cudaFree(p) || cudaStreamDestroy(s) || cudaStreamDestroy(t) ||
         cudaEventDestroy(e);
}
)";
  for (char const* const flags : {"", "-ccbin clang++ "}) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + in_work("race.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    std::string const faulty = shell(in_work("p")).output;
    EXPECT_THAT(faulty, HasSubstr("stream-race: kernel 'second<int>'"));
    EXPECT_THAT(faulty, HasSubstr("race.cu:3")) << flags;
    EXPECT_THAT(faulty, HasSubstr("race.cu:5")) << flags;
    EXPECT_EQ(shell(in_work("p") + "ordered").output, "");
  }
}

TEST_F(Driver, JudgesAccessesThatKernelsCheckThemselvesAsAllOthers) {
  // 2 types, 3 launches, 1000 threads, which read two elements and write one.
  constexpr long least = 2 * 3 * 1000 * 3;
  for (char const* const flags : {"", "-O0 ", "-O3 -Xcompiler -fPIC ", "-ccbin clang++ "}) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + program("inline_checks.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    for (char const* const depth : {"ops", "threads"}) {
      auto const said = [&](char const* fault) {
        return shell("MOCKGPU_DEPTH=" + std::string(depth) +
                     " MOCKGPU_REPORT=" + in_work("report") + in_work("p") + fault)
            .output;
      };
      EXPECT_EQ(said("none"), "27000\n") << flags << depth; // the twin of all the others
      std::string const report = mockgpu::tools::read_file(work_ / "report");
      std::size_t const at = report.find("\"accesses\":");
      ASSERT_NE(at, report.npos) << report;
      long const accesses = std::atol(report.c_str() + at + std::strlen("\"accesses\":"));
      EXPECT_GE(accesses, least) << flags << depth;
      // Copies, arguments, and at -O0 nothing else that has a hook.
      EXPECT_LT(accesses, least + 100) << flags << depth;
      EXPECT_THAT(said("race"), AllOf(HasSubstr("stream-race: kernel 'write_one'"),
                                      HasSubstr("bytes 20 to 24"), Not(HasSubstr("undefined"))))
          << flags << depth;
      EXPECT_THAT(said("undefined"),
                  AllOf(HasSubstr("undefined-read: kernel 'accumulate<double>'"),
                        HasSubstr("bytes 0 to 8"), HasSubstr("inline_checks.cu:10"),
                        Not(HasSubstr("bytes 0 to 16"))))
          << flags << depth;
      EXPECT_THAT(said("past"), AllOf(HasSubstr("out-of-bounds: kernel 'read_past'"),
                                      HasSubstr("bytes 8000 to 8008")))
          << flags << depth;
      EXPECT_THAT(said("misaligned"),
                  AllOf(HasSubstr("misaligned: kernel 'read_between'"), HasSubstr("bytes 2 to 6")))
          << flags << depth;
    }
  }
}

TEST_F(Driver, KeepsTheRegistersThatItPromisesToTheCompiler) {
  for (char const* const flags :
       {"", "-O0 ", "-O3 -Xcompiler -fPIC ",
        "-Xcompiler -fpatchable-function-entry=4,-finstrument-functions "}) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + program("kept_registers.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    std::string const twice = "device 0 shared 0 stack 0 nothing 27 host 0\n";
    for (char const* const depth : {"ops", "threads"})
      EXPECT_EQ(shell("MOCKGPU_DEPTH=" + std::string(depth) + " " + in_work("p")).output,
                twice + twice)
          << flags << depth;
  }
}

TEST_F(Driver, LetsTheCompilerKeepASumInItsRegister) {
  std::ofstream(work_ / "k.cu") << "__global__ void add_up(double* to, double const* from, int n) {"
                                   " double sum = 0; for (int i = threadIdx.x; i < n; i += 32)"
                                   " sum += from[i]; to[threadIdx.x] = sum; }\n";
  auto const moves_sum = [&](std::string const& flags) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + in_work("k.cu") + "-c -o " + in_work("k.o"));
    EXPECT_EQ(built.exit_code, 0) << built.output;
    std::string const code = shell("objdump -d " + in_work("k.o")).output;
    EXPECT_THAT(code, HasSubstr("addsd"));
    return std::regex_search(code, std::regex("mov(q|sd) +%xmm[0-9]+,(%r|(0x[0-9a-f]+)?\\(%rsp)"));
  };
  EXPECT_FALSE(moves_sum(""));
  EXPECT_FALSE(moves_sum("-Xcompiler -fPIC "));
  EXPECT_TRUE(moves_sum("-Xcompiler -fno-ipa-ra ")); // twin: what the text looks like otherwise
}

TEST_F(Driver, KeepsTheOrderOfHostThreads) {
  for (char const* const flags : {"", "-ccbin clang++ "}) {
    auto const built = shell(driver("mockgpu-nvcc") + flags + "-Xcompiler -fopenmp,-pthread " +
                             program("host_threads.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    for (char const* const schedule : {"eager", "lazy", "random:5", "pct:2"}) {
      std::string const run = "MOCKGPU_SCHEDULE=" + std::string(schedule) + " " + in_work("p");
      EXPECT_EQ(shell(run).output, "sum 860 failed 0\n") << flags << schedule;
      EXPECT_THAT(shell(run + "early").output,
                  ContainsRegex("host-race: host access .*host_threads.cu:63.* and copy "
                                "'cudaMemcpyAsync'"))
          << flags << schedule;
    }
  }
}

TEST_F(Driver, LaunchesInThePerThreadDefaultStreamWhereAskedTo) {
  std::ofstream(work_ / "k.cu") << "__global__ void k(int* p) { *p = 1; }\n"
                                   "int main() { int* p; cudaStream_t s; cudaMalloc(&p, 4); "
                                   "cudaStreamCreate(&s); k<<<1, 1>>>(p); k<<<1, 1, 0, s>>>(p); "
                                   "return cudaDeviceSynchronize() || cudaFree(p) || "
                                   "cudaStreamDestroy(s); }\n";
  auto const output = [&](std::string const& flags) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + in_work("k.cu") + "-o " + in_work("p"));
    EXPECT_EQ(built.exit_code, 0) << built.output;
    return shell(in_work("p")).output;
  };
  EXPECT_EQ(output(""), "") << "the legacy stream comes before a blocking one";
  EXPECT_THAT(output("-default-stream per-thread "), HasSubstr("stream-race: kernel 'k'"));
}

TEST_F(Driver, CarriesAtomicsOfAllTypesToTheChecker) {
  auto const built = shell(driver("mockgpu-nvcc") + program("atomics.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  for (char const* const schedule : {"eager", "lazy", "random:3"})
    EXPECT_EQ(shell("MOCKGPU_SCHEDULE=" + std::string(schedule) + " " + in_work("p")).output,
              "200 400 600 100 50 -99 99 255 77\n")
        << schedule;
}

TEST_F(Driver, RunsSharedMemoryInAllForms) {
  auto const built =
      shell(driver("mockgpu-nvcc") + program("shared_memory.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "156 32 412\n");
}

TEST_F(Driver, ReportsFaultsInSharedMemory) { // twin: RunsSharedMemoryInAllForms
  for (char const* const compiler : {"g++", "clang++"}) {
    if (shell(std::string(compiler) + " --version").exit_code != 0) continue;
    auto const built = shell(driver("mockgpu-nvcc") + "-ccbin " + compiler + " " +
                             program("shared_memory.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    EXPECT_THAT(shell(in_work("p") + "past").output,
                HasSubstr("out-of-bounds: block (0,0,0), thread (0,0,0) of kernel 'all_forms' "
                          "accesses bytes 264 to 272 of its block's dynamic shared memory"));
    EXPECT_THAT(shell(in_work("p") + "undefined").output,
                HasSubstr("undefined-read: block (0,0,0), thread (0,0,0) of kernel 'all_forms' "
                          "reads bytes 256 to 264 of shared memory"));
    EXPECT_THAT(shell(in_work("p") + "race").output,
                HasSubstr("thread-race: two threads of kernel 'all_forms' access bytes 0 to 256"));
  }
}

TEST_F(Driver, ReportsIndicesThatMissASharedArray) {
  for (char const* const compiler : {"g++", "clang++"}) {
    if (shell(std::string(compiler) + " --version").exit_code != 0) continue;
    auto const built = shell(driver("mockgpu-nvcc") + "-std=c++17 -ccbin " + compiler + " " +
                             program("shared_bounds.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    auto const said = [this](char const* fault) { return shell(in_work("p") + fault).output; };
    EXPECT_EQ(said("none"), "12\n") << compiler; // the twin
    EXPECT_THAT(said("past"),
                AllOf(HasSubstr("block (0,0,0), thread (31,0,0) of kernel 'all' accesses bytes 128 "
                                "to 132, outside of its block's shared variable"),
                      HasSubstr("::ring' of 128 bytes"), HasSubstr("bytes 256 to 264"),
                      HasSubstr("::ring' of 256 bytes"), HasSubstr("shared_bounds.cu:12"),
                      HasSubstr("static-shared-bounds")));
    EXPECT_THAT(said("before"),
                AllOf(HasSubstr("thread (0,0,0) of kernel 'all' accesses bytes -8 to 0, outside"),
                      HasSubstr("::second' of 256 bytes")));
    EXPECT_THAT(said("between"),
                AllOf(HasSubstr("thread (31,0,0) of kernel 'all' accesses bytes 128 to 132"),
                      HasSubstr("::first' of 128 bytes")));
    EXPECT_THAT(said("wide"), AllOf(HasSubstr("of its block's dynamic shared memory, of which the "
                                              "launch gave it 16"),
                                    HasSubstr("dynamic-shared-bounds")));
    EXPECT_THAT(
        said("nothing-given"),
        HasSubstr("accesses bytes 0 to 4 of its block's dynamic shared memory, of which the "
                  "launch gave it 0"));
  }
}

TEST_F(Driver, RunsVariablesOfTheDevice) {
  auto const built = shell(driver("mockgpu-nvcc") + program("variables.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "1 2\n");
}

TEST_F(Driver, ReportsFaultsWithVariables) { // twin: RunsVariablesOfTheDevice
  auto const built = shell(driver("mockgpu-nvcc") + program("variables.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const said = [this](char const* fault) { return shell(in_work("p") + fault).output; };
  EXPECT_THAT(said("host"), AllOf(HasSubstr("host-touches-device:"), HasSubstr("'counter'")));
  EXPECT_THAT(said("race"), AllOf(HasSubstr("thread-race:"), HasSubstr("'counter'")));
  EXPECT_THAT(said("past"), AllOf(HasSubstr("out-of-bounds:"),
                                  HasSubstr("writes bytes 68 to 72, outside of 'table' of 64")));
  EXPECT_THAT(said("before"),
              AllOf(HasSubstr("out-of-bounds:"),
                    HasSubstr("writes bytes -4 to 0, outside of 'table' of 64 bytes")));
  EXPECT_THAT(said("constant"),
              AllOf(HasSubstr("kernel-fault:"), HasSubstr("which is constant for kernels")));
  EXPECT_THAT(said("streams"), AllOf(HasSubstr("stream-race:"), HasSubstr("'table'")));
}

TEST_F(Driver, RunsAssertionsPrintingPollingAndTheDevicesHeap) {
  auto const built = shell(driver("mockgpu-nvcc") + program("ends.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p") + "none").output,
            "thread 0 of block 0\nthread 1 of block 0\nthread 0 of block 1\nthread 1 of block 1\n"
            "status 0 out 4\n");
}

TEST_F(Driver, EndsKernelsThatFail) { // twin: RunsAssertionsPrintingPollingAndTheDevicesHeap
  auto const built = shell(driver("mockgpu-nvcc") + program("ends.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const said = [this](char const* fault) { return shell(in_work("p") + fault).output; };
  EXPECT_THAT(said("assert"),
              AllOf(HasSubstr("block: [0,0,0], thread: [6,0,0] Assertion"),
                    HasSubstr("kernel-fault: 'fails', block (0,0,0), thread (6,0,0): assertion "
                              "'static_cast<int>(threadIdx.x) < limit' failed")));
  EXPECT_THAT(said("trap"),
              HasSubstr("kernel-fault: 'traps', block (0,0,0), thread (5,0,0): __trap"));
  EXPECT_THAT(said("spin"),
              HasSubstr("kernel-fault: 'spins', block (0,0,0), thread (0,0,0) and 3 more "
                        "poll memory that nobody writes; limit 4194304 polls"));
  EXPECT_THAT(said("heap-past"), HasSubstr("out-of-bounds: kernel 'uses_heap'"));
  EXPECT_THAT(said("heap-freed"), HasSubstr("use-after-free: kernel 'uses_heap'"));
}

TEST_F(Driver, EndsKernelsThatLoopForEver) { // twin: the same loops with an end
  auto const built = shell(driver("mockgpu-nvcc") + program("endless.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const said = [this](std::string const& loop) {
    return shell("MOCKGPU_STEP_LIMIT=200000 MOCKGPU_KERNEL_SECONDS=1 " + in_work("p") + loop)
        .output;
  };
  for (std::string const loop : {"device", "shared", "stack"}) {
    EXPECT_EQ(said(loop + " 100000"), "0 0\n") << loop;
    EXPECT_THAT(said(loop + " 0"),
                AllOf(HasSubstr("kernel-fault: '" + loop +
                                "_memory', block (1,0,0), thread (2,0,0) loads and stores without "
                                "an end; limit 200000 (MOCKGPU_STEP_LIMIT)"),
                      HasSubstr("rule  : step-limit"), HasSubstr("\n702 702\n")))
        << loop;
  }
  EXPECT_EQ(said("none 100000"), "0 0\n");
  EXPECT_THAT(said("none 0"),
              AllOf(HasSubstr("kernel-fault: 'no_memory', block (1,0,0), thread (2,0,0) computes "
                              "without an end, and without a load or store; limit 1 "
                              "(MOCKGPU_KERNEL_SECONDS)"),
                    HasSubstr("\n702 702\n")));
}

TEST_F(Driver, RunsReductionsAndScansOverTheDevice) {
  auto const built =
      shell(driver("mockgpu-nvcc") + program("reductions.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output,
            "status 0 sum 497000 max 999 longest -2000 segments 45 0 496955 least 500 -2000 prefix "
            "6\n");
}

TEST_F(Driver, ReducesInTheTypeOfTheOperatorsResult) { // not in that of the initial value
  std::ofstream(work_ / "k.cu") << R"(#include <cstdio>
#include <cub/cub.cuh>
int main() {
  double host[3] = {0.5, 0.75, 1.5}, *in, *out;
  void* storage = nullptr;
  size_t size_bytes = 0;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof(double));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cub::DeviceReduce::Reduce(storage, size_bytes, in, out, 3, cub::Sum(), 0);
  cudaMalloc(&storage, size_bytes);
  cub::DeviceReduce::Reduce(storage, size_bytes, in, out, 3, cub::Sum(), 0);
  cudaMemcpy(host, out, sizeof(double), cudaMemcpyDeviceToHost);
  cub::DeviceReduce::Reduce(storage, size_bytes, in, out, 3, cub::Max(), 1);
  cudaMemcpy(host + 1, out, sizeof(double), cudaMemcpyDeviceToHost);
  std::printf("%g %g\n", host[0], host[1]);
  return cudaFree(storage) != 0 || cudaFree(in) != 0 || cudaFree(out) != 0;
}
)";
  auto const built =
      shell(driver("mockgpu-nvcc") + "-std=c++17 " + in_work("k.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "2.75 1.5\n");
}

TEST_F(Driver, RunsCollectivesOfBlocksAndWarps) {
  auto const built = shell(driver("mockgpu-nvcc") + "-std=c++17 " +
                           program("block_collectives.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output,
            "sum 18245 most 189 before and total 6078 warp 32 prefix 10 last 18245\n");
}

TEST_F(Driver, ReportsATemporaryStorageThatIsUsedTwice) { // twin: RunsCollectivesOfBlocksAndWarps
  auto const built = shell(driver("mockgpu-nvcc") + "-std=c++17 " +
                           program("block_collectives.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_THAT(shell(in_work("p") + "reuse").output,
              AllOf(HasSubstr("thread-race: two threads of kernel 'collect<int>'"),
                    HasSubstr("block_collectives.cu:29"), HasSubstr("block_collectives.cu:31")));
}

TEST_F(Driver, PlacesCallsThroughTheHeadersWrappersInTheProgram) {
  std::ofstream(work_ / "k.cu") << "int main() {\n  int* p = nullptr;\n"
                                   "  return cudaMalloc(&p, 40);\n}\n";
  for (char const* const flags : {"-O0 ", "-O2 ", "-O2 -ccbin clang++ "}) {
    auto const built =
        shell(driver("mockgpu-nvcc") + "-g " + flags + in_work("k.cu") + "-o " + in_work("p"));
    ASSERT_EQ(built.exit_code, 0) << built.output;
    EXPECT_THAT(shell(in_work("p")).output,
                AllOf(HasSubstr("leak: 40 bytes from 'cudaMalloc'"), HasSubstr("k.cu:3 in main")))
        << flags;
  }
}

TEST_F(Driver, LetsTheFirstCallChooseTheDialect) {
  std::ofstream(work_ / "k.hip")
      << "#include <hip/hip_runtime.h>\n#include <cstdio>\n"
         "__global__ void k(int* p) { *p = warpSize; }\n"
         "int main() { int *p, host; if (hipMalloc(&p, 4) != hipSuccess) return 1; k<<<1, "
         "1>>>(p);\n"
         "  if (hipMemcpy(&host, p, 4, hipMemcpyDeviceToHost) != hipSuccess) return 1;\n"
         "  std::printf(\"%d\\n\", host); return hipFree(p); }\n";
  auto const built = shell(driver("mockgpu-hipcc") + in_work("k.hip") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "64\n");
  EXPECT_EQ(shell("MOCKGPU_DIALECT=cuda-13 " + in_work("p")).output, "32\n") << "the option rules";
}

TEST_F(Driver, TakesVolatileAccessesForOrderedBehindAtomics) {
  std::ofstream(work_ / "k.cu") << R"(#include <cstdio>
__device__ int flag;
__global__ void k(int TYPE* data, int* out) {
  if (blockIdx.x == 0) {
    data[0] = 1;
#ifndef WITHOUT_FENCE
    __threadfence();
#endif
    atomicExch(&flag, 1);
  } else {
    while (atomicExch(&flag, 0) == 0) {}
    *out = data[0];
  }
}
int main() {
  int* p;
  cudaMalloc(&p, 256);
  k<<<2, 1>>>(p, p + 32);
  int host = 0;
  cudaMemcpy(&host, p + 32, 4, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host);
  return cudaFree(p);
}
)";
  auto const said = [this](std::string const& flags) {
    auto const built =
        shell(driver("mockgpu-nvcc") + flags + in_work("k.cu") + "-o " + in_work("p"));
    return built.exit_code != 0 ? built.output : shell(in_work("p")).output;
  };
  EXPECT_EQ(said("-DTYPE=volatile "), "1\n");
  EXPECT_THAT(said("-DTYPE= "), HasSubstr("thread-race:")); // twins
  EXPECT_THAT(said("-DTYPE=volatile -DWITHOUT_FENCE "), HasSubstr("thread-race:"));
}

TEST_F(Driver, ReportsMisusedReductions) { // twin: RunsReductionsAndScansOverTheDevice
  auto const built =
      shell(driver("mockgpu-nvcc") + program("reductions.cu") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_THAT(shell(in_work("p") + "small").output, HasSubstr("status 1 sum 0"));
  EXPECT_THAT(shell(in_work("p") + "early").output,
              AllOf(HasSubstr("stream-race: copy 'cudaMemcpy'"),
                    HasSubstr("kernel 'cub::DeviceReduce::Sum'")));
}

TEST_F(Driver, RefusesAnAtomicUpdateWithoutAHook) { // twin: CarriesAtomicsOfAllTypesToTheChecker
  auto const built = shell(driver("mockgpu-nvcc") + "-Xcompiler -fopenmp -c " +
                           program("unhooked_atomic.cu") + "-o " + in_work("k.o"));
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(
      built.output,
      HasSubstr("mockgpu: error: device function 'add_up(double*, double)' updates memory "
                "atomically without a hook (source line 3); use the vendor's atomic functions"));
  EXPECT_FALSE(fs::exists(work_ / "k.o"));
}

TEST_F(Driver, RefusesACompilerThatDropsTheHooks) {
  fs::path const compiler = work_ / "forgetful-g++";
  std::ofstream(compiler)
      << "#!/bin/sh\n"
         "for a in \"$@\"; do case $a in -fsanitize=thread) ;; *) set -- \"$@\" \"$a\" ;; esac; "
         "shift; done\n"
         "exec g++ \"$@\"\n";
  fs::permissions(compiler, fs::perms::owner_all);
  auto const built = shell("MOCKGPU_CXX=" + compiler.string() + " " + driver("mockgpu-nvcc") +
                           "-c " + program("atomics.cu") + "-o " + in_work("k.o"));
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.output, HasSubstr("makes accesses that no hook sees:"));
  EXPECT_THAT(built.output, HasSubstr("canary_read8 lacks __tsan_read8"));
  EXPECT_FALSE(fs::exists(work_ / "k.o"));
}

TEST_F(Driver, SeesAllFormsOfAccessAtEveryLevel) {
  for (char const* const flags :
       {"-O0", "-O1", "-O2", "-O3 -march=native", "-Os", "-O3 -ffast-math"}) {
    std::ofstream(work_ / "empty.cpp") << "int x;\n";
    auto const built = shell(driver("mockgpu-cxx") + flags + " -c " + in_work("empty.cpp") + "-o " +
                             in_work("e.o"));
    EXPECT_EQ(built.exit_code, 0) << flags << built.output;
  }
}

TEST_F(Driver, BuildsWithClangToo) {
  if (shell("clang++ --version").exit_code != 0) GTEST_SKIP() << "clang++ is not installed";
  auto const built = shell(driver("mockgpu-nvcc") + "-ccbin clang++ " + program("atomics.cu") +
                           "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "200 400 600 100 50 -99 99 255 77\n");
}

TEST_F(Driver, WritesDependenciesForTheObject) {
  auto const built = shell(driver("mockgpu-nvcc") + "-MD -MF " + in_work("k.d") + "-MT k.o -c " +
                           program("atomics.cu") + "-o " + in_work("k.o"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  std::string const rules = mockgpu::tools::read_file(work_ / "k.d");
  EXPECT_TRUE(rules.starts_with("k.o:")) << rules;
  EXPECT_THAT(rules, HasSubstr("atomics.cu"));
  EXPECT_THAT(rules, HasSubstr("cuda_runtime.h"));
}

TEST_F(Driver, LinksSeveralInputsIntoOneLibrary) {
  std::ofstream(work_ / "host.cpp") << "int answer() { return 42; }\n";
  auto const built =
      shell(driver("mockgpu-nvcc") + "-shared -Xcompiler -fPIC " + program("atomics.cu") +
            in_work("host.cpp") + "-lm -o " + in_work("lib.so"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_THAT(shell("nm -D --defined-only " + in_work("lib.so")).output, HasSubstr("_Z6answerv"));
}

TEST_F(Driver, PassesTheCompilersFailureOn) {
  std::ofstream(work_ / "broken.cu") << "__global__ void k( {}\n";
  auto const built =
      shell(driver("mockgpu-nvcc") + "-c " + in_work("broken.cu") + "-o " + in_work("k.o"));
  EXPECT_NE(built.exit_code, 0);
  EXPECT_THAT(built.output, HasSubstr("broken.cu:1:"));
}

TEST_F(Driver, NamesAnUnknownOption) {
  auto const built = shell(driver("mockgpu-nvcc") + "--frobnicate x.cu");
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_EQ(built.output, "mockgpu-nvcc: error: unknown option '--frobnicate'\n");
}

TEST_F(Driver, HasOneIdentityUnderAllItsNames) {
  auto const first = shell(driver("mockgpu-nvcc") + "--print-identity").output;
  EXPECT_THAT(first, ContainsRegex("^mockgpu-nvcc [0-9a-f]+\n$"));
  auto const second = shell(driver("mockgpu-cxx") + "--print-identity").output;
  EXPECT_EQ(first.substr(first.find(' ')), second.substr(second.find(' ')));
}

TEST_F(Driver, ProgramsOfAnotherVersionSaySo) { // twin: every other program that runs here
  std::ofstream(work_ / "old.cpp") << "#include <cuda_runtime.h>\n"
                                      "extern \"C\" void mockgpu_require_layout(char const*);\n"
                                      "int main() { mockgpu_require_layout(\"another\"); }\n";
  auto const built = shell(driver("mockgpu-cxx") + in_work("old.cpp") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const ran = shell(in_work("p"));
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.output, HasSubstr("was built by the drivers of another version of mockgpu"));
}

TEST_F(Driver, ProgramsAskForTheirLayoutBeforeAnythingElse) {
  std::ofstream(work_ / "asks.cpp")
      << "#include <cstdio>\nstatic bool asked = false;\n"
         "extern \"C\" void mockgpu_require_layout(char const* layout) {\n"
         "  asked = true;\n  std::printf(\"layout %s\\n\", layout);\n}\n"
         "int main() { return asked ? 0 : 7; }\n";
  auto const built = shell(driver("mockgpu-cxx") + in_work("asks.cpp") + "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  auto const ran = shell(in_work("p"));
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, ContainsRegex("^layout [0-9a-f]+\n$"));
}

TEST_F(Driver, NamesCodeThatHasNoHooks) {
  std::ofstream(work_ / "helper.cpp") << "int helper(int* p) { return *p; }\n";
  std::ofstream(work_ / "main.cu") << "int helper(int*);\n__global__ void k(int* p) { *p = 1; }\n"
                                      "int main() { int* p; int h = 0; cudaMalloc(&p, 4); "
                                      "k<<<1, 1>>>(p); return helper(&h) + cudaFree(p); }\n";
  auto const unhooked = [&](std::string const& build) {
    auto const built = shell("cd " + work_.string() + " && " + build);
    EXPECT_EQ(built.exit_code, 0) << built.output;
    EXPECT_EQ(shell("MOCKGPU_REPORT=" + in_work("report") + in_work("p")).exit_code, 0);
    std::string const report = mockgpu::tools::read_file(work_ / "report");
    fs::remove(work_ / "report");
    std::size_t const at = report.find("\"unhooked\":");
    return at == report.npos ? report : report.substr(at, report.find('}', at) - at);
  };
  for (std::string const& nvcc :
       {driver("mockgpu-nvcc"), driver("mockgpu-nvcc") + "-ccbin clang++ "}) {
    EXPECT_EQ(unhooked(nvcc + "main.cu helper.cpp -o p"), "\"unhooked\":[]");
    EXPECT_EQ(unhooked("g++ -c helper.cpp -o h.o && " + nvcc + "main.cu h.o -o p"),
              "\"unhooked\":[\"p(helper.cpp)\"]");
    EXPECT_EQ(unhooked("g++ -shared -fPIC helper.cpp -o libh.so && " + nvcc +
                       "main.cu -L. -lh -Xlinker -rpath=$PWD -o p"),
              "\"unhooked\":[\"libh.so\"]");
    EXPECT_EQ(unhooked(driver("mockgpu-cxx") + "-shared -fPIC helper.cpp -o libh.so && " + nvcc +
                       "main.cu -L. -lh -Xlinker -rpath=$PWD -o p"),
              "\"unhooked\":[]");
  }
}

TEST_F(Driver, IsAcceptedAsCMakesCudaCompiler) {
  for (char const* const host_compiler : {"c++", MOCKGPU_TEST_BIN "/mockgpu-cxx"}) {
    fs::path const build = work_ / "build";
    fs::remove_all(build);
    auto const configured =
        shell("cmake -S " + program("cmake_project") + "-B " + build.string() +
              " -DCMAKE_CUDA_COMPILER=" MOCKGPU_TEST_BIN "/mockgpu-nvcc -DCMAKE_CXX_COMPILER=" +
              host_compiler);
    ASSERT_EQ(configured.exit_code, 0) << configured.output;
    EXPECT_THAT(configured.output, HasSubstr("The CUDA compiler identification is NVIDIA 13.0.88"));
    auto const built = shell("cmake --build " + build.string());
    ASSERT_EQ(built.exit_code, 0) << built.output;
    for (char const* const name : {"app", "direct"})
      EXPECT_EQ(shell((build / name).string()).output, "11 44\n") << name << host_compiler;
  }
}

TEST_F(Driver, ShowsItsCommandsWithoutRunningThem) {
  auto const shown =
      shell(driver("mockgpu-nvcc") + "-dryrun " + program("atomics.cu") + "-o " + in_work("p"));
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.output, HasSubstr("#$ TOP="));
  EXPECT_THAT(shown.output, ContainsRegex("#\\$ .*/mockgpu-cxx .*-lcudart_static"));
  EXPECT_FALSE(fs::exists(work_ / "p"));
}

TEST_F(Driver, WritesArchivesAndEmptyDeviceLinks) {
  std::ofstream(work_ / "k.cu") << "__global__ void k(int* p) { *p = 3; }\n"
                                   "void run(int* p) { k<<<1, 1>>>(p); }\n";
  std::ofstream(work_ / "main.cu")
      << "#include <cstdio>\nvoid run(int*);\nint main() { int* p; int h; "
         "cudaMalloc(&p, 4); run(p); cudaMemcpy(&h, p, 4, "
         "cudaMemcpyDeviceToHost); std::printf(\"%d\\n\", h); "
         "return cudaFree(p); }\n";
  auto const built =
      shell("cd " + work_.string() + " && " + driver("mockgpu-nvcc") +
            "-rdc=true -lib k.cu -o libk.a && " + driver("mockgpu-nvcc") + "-dc main.cu && " +
            driver("mockgpu-nvcc") + "-dlink main.o libk.a -o link.o && " + driver("mockgpu-nvcc") +
            "main.o link.o -L. -lk -lcudart -o p");
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "3\n");
}

TEST_F(Driver, WorksFromAnInstalledTree) {
  fs::path const installed = work_ / "installed";
  auto const copied = shell("cmake --install " MOCKGPU_TEST_BUILD " --component mockgpu --prefix " +
                            installed.string());
  ASSERT_EQ(copied.exit_code, 0) << copied.output;
  auto const built = shell((installed / "bin/mockgpu-nvcc").string() + " " + program("atomics.cu") +
                           "-o " + in_work("p"));
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(shell(in_work("p")).output, "200 400 600 100 50 -99 99 255 77\n");
  EXPECT_THAT(shell("ldd " + in_work("p")).output,
              HasSubstr((installed / "lib/libmockgpu.so").string()));
  fs::path const build = work_ / "consumer";
  auto const configured = shell("cmake -S " + program("consumer") + "-B " + build.string() +
                                " -DCMAKE_PREFIX_PATH=" + installed.string());
  ASSERT_EQ(configured.exit_code, 0) << configured.output;
  auto const consumed = shell("cmake --build " + build.string());
  ASSERT_EQ(consumed.exit_code, 0) << consumed.output;
  EXPECT_EQ(shell((build / "app").string()).output, "app 5\n");
  EXPECT_EQ(shell((build / "tool").string()).output, "tool 1\n");
}

} // namespace
