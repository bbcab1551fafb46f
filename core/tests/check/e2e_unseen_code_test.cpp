// A program that calls a library of its user's: what of it the checker sees depends on how the
// library was built, and the verdict says so.
#include <fstream>

#include <gmock/gmock.h>

#include "check/e2e_tool.hpp"

namespace assay::e2e {
namespace {

namespace fs = std::filesystem;

struct UnseenCode : testing::Test {
  scratch folder;

  /// The axpy program, whose init loads a library that the compiler has made.
  report check_with_library_of(std::vector<std::string> command) {
    fs::path const source = folder.path / "legacy.cpp", library = folder.path / "liblegacy.so";
    std::ofstream(source) << "extern \"C\" int cudaFree(void*);\n"
                             "extern \"C\" int legacy() { return cudaFree(nullptr); }\n";
    command.insert(command.end(), {"-shared", "-fPIC", source.string(), "-o", library.string(),
                                   "-L", ASSAY_MOCK_FOLDER, "-lmockgpu"});
    tool_result const built = run_command_line(command);
    EXPECT_EQ(built.exit_code, 0) << built.output;

    auto program = read_json(program_of("axpy"));
    auto& attributes = program.at("attributes");
    attributes["global_code"]["frame"]["string_data"] = "#include <dlfcn.h>\n";
    attributes["init_code"]["frame"]["string_data"] =
        "reinterpret_cast<int (*)()>(dlsym(dlopen(\"" + library.string() +
        "\", RTLD_NOW), \"legacy\"))();\n";
    std::string const file = (folder.path / "program.sdfg").string();
    std::ofstream(file) << program;
    std::string const result = (folder.path / "report.json").string();
    tool_result const ended =
        run_tool({"check", file, "--case", case_of("axpy"), "--mode", "scoped", "--target", "cuda",
                  "--stream", "external", "--call", "async", "--schedule", "eager", "--format",
                  "json", "--output", result, "--quiet"});
    return {ended.exit_code, read_json(result), ended.output};
  }
};

TEST_F(UnseenCode, MakesTheVerdictPartialAndIsNamed) {
  report const seen = check_with_library_of({ASSAY_PLAIN_COMPILER});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "partial");
  ASSERT_EQ(seen.applied().size(), 1u);
  EXPECT_EQ(seen.applied()[0].at("outcome"), "partial");
  EXPECT_EQ(seen.applied()[0].at("outputs"), "equal");
  EXPECT_THAT(seen.json.at("notes").dump(), testing::HasSubstr("were not seen: liblegacy.so"));
}

TEST_F(UnseenCode, IsNoneWhereTheDriversBuiltTheLibrary) { // twin
  report const seen = check_with_library_of({ASSAY_DRIVER});
  EXPECT_EQ(seen.exit_code, 0) << seen.messages;
  ASSERT_TRUE(seen.json.is_object()) << seen.messages;
  EXPECT_EQ(seen.json.at("verdict"), "holds");
  EXPECT_EQ(seen.applied().at(0).at("outcome"), "holds");
  EXPECT_THAT(seen.json.dump(), testing::Not(testing::HasSubstr("were not seen")));
}

} // namespace
} // namespace assay::e2e
