#include "assay/build_folder.hpp"

#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>

#include "error_text.hpp"

namespace {

namespace fs = std::filesystem;
using namespace assay;
using testing::ElementsAre;
using testing::HasSubstr;

sdfg::graph axpy() { return sdfg::read(fs::path(ASSAY_EXAMPLES) / "axpy" / "program.sdfg"); }

constexpr char const* header = R"(#include <dace/dace.h>
typedef void * programs_axpyHandle_t;
extern "C" programs_axpyHandle_t __dace_init_programs_axpy(int N);
extern "C" int __dace_exit_programs_axpy(programs_axpyHandle_t handle);
extern "C" void __program_programs_axpy(programs_axpyHandle_t handle, double * __restrict__ x, double * __restrict__ y, int N, double a);
)";

std::string replaced(std::string text, std::string const& from, std::string const& to) {
  std::size_t const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// A folder as DaCe leaves it, around an SDFG of the examples.
class BuildFolder : public testing::Test {
protected:
  BuildFolder()
      : folder_(fs::temp_directory_path() / ("assay-folder-" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::copy_file(fs::path(ASSAY_EXAMPLES) / "axpy" / "program.sdfg", folder_ / "program.sdfg");
    write("include/programs_axpy.h", header);
    write("include/hash.h", "#define __HASH_programs_axpy \"1\"\n");
    write("src/cpu/programs_axpy.cpp", "// host\n");
  }
  ~BuildFolder() override { fs::remove_all(folder_); }

  void write(std::string const& path, std::string const& text) const {
    fs::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  [[nodiscard]] build_folder read() const { return read_build_folder(folder_); }
  [[nodiscard]] std::string refusal() const {
    return error_text([&] { static_cast<void>(read()); });
  }

  fs::path folder_;
};

TEST(DaceHeader, GivesTheSignatureWithTheDescriptorsOfTheSdfg) {
  sdfg::signature const found = parse_header(header, axpy());
  std::vector<std::string> names;
  for (auto const& one : found.arguments) names.push_back(one.name);
  EXPECT_THAT(names, ElementsAre("x", "y", "N", "a"));
  EXPECT_EQ(found.arguments[0].type.kind, sdfg::descriptor_kind::array);
  EXPECT_EQ(found.arguments[0].type.shape.size(), 1u);
  EXPECT_TRUE(found.arguments[2].is_symbol);
  EXPECT_EQ(found.arguments[2].type.type, dtype::int32);
  EXPECT_EQ(found.arguments[3].type.type, dtype::float64);
  EXPECT_FALSE(found.arguments[3].is_symbol);
  ASSERT_EQ(found.init.size(), 1u);
  EXPECT_EQ(found.init[0].name, "N");
}

TEST(DaceHeader, HoldsWhereItDiffersFromTheSdfg) {
  std::string const longer = replaced(header, "int N, double a);", "int64_t M, int N, double a);");
  sdfg::signature const found = parse_header(longer, axpy());
  ASSERT_EQ(found.arguments.size(), 5u);
  EXPECT_EQ(found.arguments[2].name, "M");
  EXPECT_EQ(found.arguments[2].type.type, dtype::int64);
}

TEST(DaceHeader, RefusesWhatItCannotPass) {
  auto const refusal = [](std::string const& from, std::string const& to) {
    return error_text([&] { static_cast<void>(parse_header(replaced(header, from, to), axpy())); });
  };
  EXPECT_EQ(refusal("double a);", "dace::vec<double, 4> a);"),
            "3: argument 'a' of type 'dace::vec<double, 4>'");
  EXPECT_EQ(refusal("double * __restrict__ x", "double * __restrict__ z"),
            "2: declares the array 'z', which the SDFG does not have");
  EXPECT_EQ(refusal("__program_programs_axpy", "__program_other"),
            "2: does not declare __program_programs_axpy");
}

TEST_F(BuildFolder, CountsTheStreamsThatLaunchesTakeFromTheContext) {
  write("src/cuda/programs_axpy_cuda.cu",
        "cudaLaunchKernel(k, g, b, a, 0, __state->gpu_context->streams[2]);");
  build_folder const several = read();
  EXPECT_EQ(several.own_streams, 3);
  EXPECT_EQ(several.target, target::cuda);
  EXPECT_FALSE(several.experimental);
  EXPECT_EQ(several.files.size(), 4u);
}

TEST_F(BuildFolder, CountsNoStreamsWhereOnlyTheContextIsSetUp) {
  write("src/cuda/programs_axpy_cuda.cu",
        "__state->gpu_context->streams[i] = s; cudaLaunchKernel(k, g, b, a, 0, nullptr);");
  EXPECT_EQ(read().own_streams, 0);
}

TEST_F(BuildFolder, KnowsHipAndTheExperimentalGeneratorByTheirFolders) {
  write("src/experimental_cuda/hip/programs_axpy_cuda.cpp", "");
  build_folder const found = read();
  EXPECT_EQ(found.target, target::hip);
  EXPECT_TRUE(found.experimental);
}

TEST_F(BuildFolder, BuildsOnlyWhatDaceLists) {
  write("src/cuda/programs_axpy_cuda.cu", "");
  write("src/cuda/of_an_earlier_build.cu", "");
  EXPECT_EQ(read().files.size(), 5u);
  write("dace_files.csv", "cpu,,programs_axpy.cpp\ncuda,,programs_axpy_cuda.cu");
  EXPECT_EQ(read().files.size(), 4u);
}

TEST_F(BuildFolder, RefusesFoldersWithoutTheirPartsByName) {
  write("src/mpi/programs_axpy.cpp", "");
  EXPECT_EQ(refusal(), "3: code of target 'mpi'");
  fs::remove_all(folder_ / "src");
  EXPECT_EQ(refusal(), "2: holds no folder src: DaCe's build_folder_mode 'production' deletes it");
  fs::remove(folder_ / "program.sdfg");
  EXPECT_EQ(refusal(), "2: holds no program.sdfg or program.sdfgz");
}

TEST_F(BuildFolder, PutsExternalArraysOneBehindTheOther) {
  write("src/cuda/programs_axpy_cuda.cu", "");
  build_folder folder = read();
  auto const add = [&](std::string const& name, dtype type, expression count) {
    sdfg::descriptor array;
    array.kind = sdfg::descriptor_kind::array;
    array.type = type;
    array.shape = {count};
    array.strides = {expression::integer(1)};
    array.total_size = count;
    array.transient = true;
    array.storage = sdfg::storage::gpu_global;
    array.lifetime = sdfg::lifetime::external;
    folder.graph.arrays.emplace_back(name, array);
  };
  add("mask", dtype::boolean, expression::name("N"));
  add("values", dtype::float64, expression::name("N"));
  plan::program const found = interface_of(folder);
  ASSERT_EQ(found.workspaces.size(), 1u);
  auto const slots = plan::placed_slots(found, found.workspaces[0], {{"N", 13}});
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].name, "mask");
  EXPECT_EQ(slots[1].offset_bytes, 13u); // DaCe does not align
  EXPECT_EQ(slots[1].size_bytes, 104u);
  EXPECT_EQ(slots[1].element_bytes, 8u);
}

} // namespace
