#include "assay/case_file.hpp"

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>

#include "error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct CaseFile : testing::Test {
  temporary_folder temporary;
  fs::path const folder = temporary.path();
  sdfg::graph hdiff = sdfg::read(ASSAY_EXAMPLES "/hdiff/program.sdfg");

  CaseFile() { fs::create_directory_symlink(ASSAY_EXAMPLES "/hdiff/in", folder / "in"); }

  fs::path file(std::string const& text) {
    std::ofstream(folder / "case.json") << text;
    return folder / "case.json";
  }
  /// The hdiff case with a piece of text replaced.
  fs::path edited(std::string const& from, std::string const& to) {
    std::string text =
        R"({"program": "programs_hdiff", "arguments": {"inp": {"file": "in/inp.npy", "memory": "device"},
 "coeff": {"file": "in/coeff.npy"}, "out": {"file": "in/out.npy"}, "N": 10, "M": 11, "K": 5},
 "expect": {"out": "in/out.npy"}, "rtol": 1e-9})";
    std::size_t const at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return file(text.replace(at, from.size(), to));
  }
  std::string rule(fs::path const& path, symbol_values const& set = {}) {
    try {
      static_cast<void>(bind_case(read_case(path), hdiff, set));
    } catch (error const& problem) {
      EXPECT_EQ(problem.code(), errc::invalid_input);
      EXPECT_EQ(problem.file().starts_with(folder.string()), true) << problem.file();
      return problem.what();
    }
    return "no error";
  }
};

TEST_F(CaseFile, BindsArgumentsInTheAbisOrder) {
  bound_case const bound = bind_case(read_case(ASSAY_EXAMPLES "/hdiff/case.json"), hdiff, {});
  std::vector<std::string> names;
  for (bound_argument const& argument : bound.arguments) names.push_back(argument.name);
  EXPECT_EQ(names, (std::vector<std::string>{"coeff", "inp", "out", "K", "M", "N"}));
  bound_argument const& inp = *bound.find("inp");
  ASSERT_TRUE(inp.array);
  EXPECT_TRUE(inp.array->on_device);
  EXPECT_EQ(inp.array->shape, (std::vector<std::int64_t>{14, 15, 5}));
  EXPECT_EQ(inp.array->bytes, read_npy(ASSAY_EXAMPLES "/hdiff/in/inp.npy").bytes);
  EXPECT_EQ(bound.find("N")->scalar, argument_value::integer(dtype::int32, 10));
  EXPECT_EQ(bound.expect.count("out"), 1u);
}

TEST_F(CaseFile, InfersSizesThatTheAbiDoesNotPass) {
  bound_case const bound = bind_case(read_case(ASSAY_EXAMPLES "/gt_nabla/case.json"),
                                     sdfg::read(ASSAY_EXAMPLES "/gt_nabla/program.sdfg"), {});
  EXPECT_EQ(bound.symbols.at("__vf_Vertex_range_1"), 9);
  EXPECT_EQ(bound.symbols.at("__gt_conn_E2V_source_size"), 18);
  EXPECT_FALSE(bound.find("gt_compute_time")->array->on_device);
}

TEST_F(CaseFile, SetReplacesAScalar) {
  bound_case const bound =
      bind_case(read_case(ASSAY_EXAMPLES "/gt_nabla/case.json"),
                sdfg::read(ASSAY_EXAMPLES "/gt_nabla/program.sdfg"), {{"gt_metrics_level", 10}});
  EXPECT_EQ(bound.find("gt_metrics_level")->scalar, argument_value::integer(dtype::int32, 10));
}

TEST_F(CaseFile, NamesTheBrokenRule) {
  EXPECT_EQ(rule(folder / "none.json"), "cannot be read");
  EXPECT_EQ(rule(file("{\"program\": ")), "is not JSON: byte 13");
  EXPECT_EQ(rule(file("[]")), "is no JSON object");
  EXPECT_EQ(rule(edited("\"rtol\"", "\"rotl\"")),
            "unknown member 'rotl' (one of program, arguments, expect, rtol, atol, argument_order, "
            "origin)");
  EXPECT_EQ(rule(edited("1e-9", "-1")), "'rtol' is no number from 0 up");
  EXPECT_EQ(rule(edited("programs_hdiff", "hdiff")),
            "case is for program 'hdiff', the program is 'programs_hdiff'");
  EXPECT_EQ(rule(edited("\"N\": 10, ", "")), "argument 'N' of program 'programs_hdiff' is missing");
  EXPECT_EQ(rule(edited("\"N\": 10", "\"N\": 10, \"L\": 1")),
            "argument 'L' is none of program 'programs_hdiff'");
  EXPECT_EQ(rule(edited("\"N\": 10", "\"N\": 1.5")), "argument 'N': 1.5 is no int32");
  EXPECT_EQ(rule(edited("\"N\": 10", "\"N\": \"10\"")),
            "argument 'N' is neither a number nor a file");
  EXPECT_EQ(rule(edited("\"memory\"", "\"place\"")),
            "argument 'inp': unknown member 'place' (file, memory)");
  EXPECT_EQ(rule(edited("\"device\"", "\"gpu\"")),
            "argument 'inp': unknown memory 'gpu' (device, host)");
  EXPECT_EQ(rule(edited("\"device\"", "\"host\"")),
            "argument 'inp' is in host memory, the program takes device memory");
  EXPECT_EQ(rule(edited("{\"file\": \"in/coeff.npy\"}", "3")),
            "argument 'coeff' is a number, the program takes an array");
  EXPECT_EQ(rule(edited("in/coeff.npy", "in/none.npy")), "cannot be read");
}

TEST_F(CaseFile, NamesShapesAndTypesThatDoNotFit) {
  EXPECT_EQ(rule(edited("\"N\": 10", "\"N\": 9")),
            "argument 'coeff': in/coeff.npy has shape [10, 11, 5], the program takes [9, 11, 5]");
  EXPECT_EQ(rule(edited("\"N\": 10", "\"N\": -3")),
            "argument 'coeff': dimension 0 is N = -3 (N = -3), a size is not negative");
  EXPECT_EQ(rule(edited("in/coeff.npy", "in/inp.npy")),
            "argument 'coeff': in/inp.npy has shape [14, 15, 5], the program takes [10, 11, 5]");
  EXPECT_EQ(rule(edited("\"out\": \"in/out.npy\"", "\"out\": \"in/inp.npy\"")),
            "expected array 'out' has shape [14, 15, 5], the program gives [10, 11, 5]");
  EXPECT_EQ(rule(edited("\"out\": \"in/out.npy\"", "\"lap\": \"in/out.npy\"")),
            "expected array 'lap' is no array argument of program 'programs_hdiff'");
  write_npy(folder / "single.npy", {dtype::float32,
                                    {10, 11, 5},
                                    packed_strides({10, 11, 5}, false),
                                    std::vector<std::byte>(10 * 11 * 5 * 4)});
  EXPECT_EQ(rule(edited("in/coeff.npy", "single.npy")),
            "argument 'coeff': single.npy holds float32, the program takes float64");
  write_npy(folder / "flat.npy", {dtype::float64, {550}, {1}, std::vector<std::byte>(4400)});
  EXPECT_EQ(rule(edited("in/coeff.npy", "flat.npy")),
            "argument 'coeff': flat.npy has 1 dimensions, the program takes 3");
  EXPECT_EQ(rule(edited("\"rtol\"", "\"rtol\""), {{"Q", 1}}),
            "--set Q=1: program 'programs_hdiff' has no such symbol");
  EXPECT_EQ(rule(edited("\"rtol\"", "\"rtol\"")), "no error");
}

TEST_F(CaseFile, MakesUpArgumentsBySeedAlone) {
  bound_case const first = make_up_case(hdiff, 1, {{"N", 4}}),
                   again = make_up_case(hdiff, 1, {{"N", 4}}),
                   other = make_up_case(hdiff, 2, {{"N", 4}});
  EXPECT_EQ(first.symbols.at("N"), 4);
  EXPECT_EQ(first.find("inp")->array->bytes, again.find("inp")->array->bytes);
  EXPECT_NE(first.find("inp")->array->bytes, other.find("inp")->array->bytes);
  EXPECT_TRUE(first.expect.empty());
  EXPECT_EQ(error_text([&] {
              static_cast<void>(make_up_case(hdiff, 1, {{"K", -1}}));
            }),
            "2: argument 'coeff': dimension 2 is K = -1 (K = -1), a size is not negative");
}

TEST_F(CaseFile, MakesUpOneRangeForTheFieldsOfADimension) {
  auto const made = make_up_case(sdfg::read(ASSAY_EXAMPLES "/gt_scan/program.sdfg"), 1, {});
  auto const of = [&](char const* symbol) { return made.symbols.at(symbol); };
  EXPECT_EQ(of("__out_Cell_range_0"), 0);
  EXPECT_NE(of("__out_Cell_range_1"), of("__out_KDim_range_1"));
  for (std::string const input : {"__a_", "__b_", "__c_", "__d_"}) { // a margin around what is read
    EXPECT_EQ(made.symbols.at(input + "Cell_range_0"), -3) << input;
    EXPECT_EQ(made.symbols.at(input + "Cell_range_1"), of("__out_Cell_range_1") + 3) << input;
    EXPECT_EQ(made.symbols.at(input + "KDim_range_1"), of("__out_KDim_range_1") + 3) << input;
  }
  EXPECT_LT(of("h1"), of("__out_Cell_range_1"));
  EXPECT_LT(of("k1"), of("__out_KDim_range_1"));
}

TEST_F(CaseFile, MakesUpRangesThatHoldTheProgramsDomain) {
  auto const program = sdfg::read(ASSAY_EXAMPLES "/gt_scan/program.sdfg");
  auto const usual = make_up_case(program, 1, {}), large = make_up_case(program, 1, {{"h1", 90}});
  EXPECT_LT(usual.symbols.at("__out_Cell_range_1"), 90);
  EXPECT_GE(large.symbols.at("__out_Cell_range_1"), 90);
  EXPECT_LT(large.symbols.at("__out_Cell_range_1"), 120) << "no larger than it must be";
  EXPECT_EQ(large.symbols.at("__a_Cell_range_1"), large.symbols.at("__out_Cell_range_1") + 3);
  // What the caller gives is kept, also where it is too small.
  auto const given = make_up_case(program, 1, {{"h1", 90}, {"__out_Cell_range_1", 5}});
  EXPECT_EQ(given.symbols.at("__out_Cell_range_1"), 5);
}

struct Difference : testing::Test {
  bound_argument out{"out", dtype::float64, bound_array{true, {2, 2}, {1, 3}, 1, {}}, {}};
  host_array expected{dtype::float64, {2, 2}, {2, 1}, std::vector<std::byte>(32)};
  std::vector<double> values{-1, 1, 3,
                             -1, 2, 4}; // start offset 1, strides 1 and 3: [[1, 2], [3, 4]]

  std::optional<std::string> difference() {
    double const wanted[] = {1, 2, 3, 4};
    std::memcpy(expected.bytes.data(), wanted, sizeof wanted);
    std::vector<std::byte> bytes(values.size() * 8);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return first_difference(out, bytes, expected, 1e-6, 1e-9);
  }
};

TEST_F(Difference, ComparesLogicalElementsWhateverTheLayout) {
  EXPECT_EQ(difference(), std::nullopt);
}
TEST_F(Difference, NamesTheFirstElementAndTheNumber) {
  values[2] = 3.5;
  values[5] = std::nan("");
  EXPECT_EQ(difference(), "out[1, 0]: 3.5, expected 3 (2 of 4 elements differ)");
}
TEST_F(Difference, IsByDefaultNotFinerThanSomeRoundingsOfTheType) {
  bound_argument const narrow{"out", dtype::float32, bound_array{true, {1}, {1}, 0, {}}, {}};
  auto const differs = [&](float got, std::optional<double> tolerance) {
    float const wanted = 4;
    std::vector<std::byte> bytes(sizeof got), right(sizeof wanted);
    std::memcpy(bytes.data(), &got, sizeof got);
    std::memcpy(right.data(), &wanted, sizeof wanted);
    return first_difference(narrow, bytes, {dtype::float32, {1}, {1}, right}, tolerance, 0)
        .has_value();
  };
  EXPECT_FALSE(differs(4 * (1 + 8e-7F), std::nullopt));
  EXPECT_TRUE(differs(4 * (1 + 1.2e-6F), std::nullopt));
  EXPECT_TRUE(differs(4 * (1 + 8e-7F), 1e-10)) << "as the case says";
  EXPECT_FALSE(differs(4 * (1 + 1.2e-6F), 1e-5));
}
TEST_F(Difference, AllowsTheRelativeToleranceAndNoMore) {
  values[5] = 4 * (1 + 0.9e-6);
  EXPECT_EQ(difference(), std::nullopt);
  values[5] = 4 * (1 + 1.1e-6);
  EXPECT_THAT(difference(), testing::Optional(testing::HasSubstr("1 of 4 elements")));
}

} // namespace
} // namespace assay
