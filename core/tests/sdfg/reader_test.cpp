#include "assay/sdfg.hpp"

#include "examples.hpp"
#include "failure.hpp"
#include "small_program.hpp"

#include <gmock/gmock.h>
#include <zlib.h>

#include <fstream>
#include <iterator>
#include <random>

namespace {

using namespace assay;
using test::at;
using test::example;
using test::failure_of;
using test::json;
using test::small_program;
using testing::ElementsAre;
using testing::StartsWith;

sdfg::graph read(json const& program) { return sdfg::read_text(program.dump()); }

/// What the reader says of the small program with the value at one pointer replaced.
std::string with(std::string const& pointer, json value) {
  auto program = small_program();
  at(program, pointer) = std::move(value);
  return failure_of([&] { (void)read(program); });
}

std::string without(std::string const& owner, std::string const& member) {
  auto program = small_program();
  at(program, owner).erase(member);
  return failure_of([&] { (void)read(program); });
}

std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string gzipped(std::string text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string result(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(result.size() - stream.avail_out);
  deflateEnd(&stream);
  return result;
}

/// A file of one test, removed at its end.
struct temporary_file {
  std::filesystem::path path;
  temporary_file(std::string const& name, std::string const& bytes)
      : path(std::filesystem::path(testing::TempDir()) / name) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  ~temporary_file() { std::filesystem::remove(path); }
};

// ---- what is read
// ------------------------------------------------------------------------------------------

TEST(Reader, ReadsEveryExample) {
  for (auto const* name : test::examples) {
    auto const g = sdfg::read(example(name));
    EXPECT_TRUE(g.name.ends_with(name)) << g.name;
    EXPECT_FALSE(g.root.blocks.empty());
    EXPECT_FALSE(g.arrays.empty());
  }
}

TEST(Reader, KeepsTheOrderOfContainersAndTheirPlaces) {
  auto const g = read(small_program());
  ASSERT_EQ(g.arrays.size(), 4u);
  EXPECT_EQ(g.arrays[0].first, "A");
  EXPECT_EQ(g.arrays[3].first, "flag");
  EXPECT_EQ(g.find("C")->place, "/attributes/_arrays/C");
  EXPECT_EQ(to_text(g.find("C")->strides.at(0)), "N");
  EXPECT_TRUE(g.find("B")->transient);
  EXPECT_EQ(g.find("flag")->type, dtype::int32) << "the default that the file leaves out";
  EXPECT_EQ(g.find("flag")->kind, sdfg::descriptor_kind::scalar);
  EXPECT_EQ(g.find("none"), nullptr);
  EXPECT_EQ(g.symbols.at("N"), dtype::int64);
}

TEST(Reader, ReadsDataflow) {
  auto const g = read(small_program());
  auto const& s = std::get<sdfg::state>(g.root.blocks.at(0).content);
  ASSERT_EQ(s.nodes.size(), 5u);
  auto const& map = std::get<sdfg::map_entry>(s.nodes[1].content);
  EXPECT_THAT(map.parameters, ElementsAre("i"));
  EXPECT_THAT(map.block_size, ElementsAre(32, 1, 1));
  EXPECT_EQ(map.schedule, sdfg::schedule::gpu_device);
  EXPECT_EQ(to_text(map.ranges.at(0).end), "N - 1");
  EXPECT_EQ(s.nodes[1].scope_exit, 3u);
  EXPECT_EQ(s.nodes[2].scope_entry, 1u);
  EXPECT_EQ(std::get<sdfg::tasklet>(s.nodes[2].content).code.text, "y = x * 2 + N");
  ASSERT_EQ(s.edges.size(), 4u);
  EXPECT_EQ(s.edges[1].target_connector, "x");
  EXPECT_EQ(s.edges[1].memlet.data, "A");
  EXPECT_EQ(s.edges[1].place, "/nodes/0/edges/1");
  EXPECT_EQ(s.nodes[2].place, "/nodes/0/nodes/2");
}

TEST(Reader, ReadsControlFlow) {
  auto const g = read(small_program());
  auto const& loop = std::get<sdfg::loop_region>(g.root.blocks.at(1).content);
  EXPECT_EQ(loop.variable, "n");
  EXPECT_EQ(to_text(*loop.condition), "n < M");
  EXPECT_EQ(to_text(loop.update.at(0).value), "n + 1");
  auto const& choice = std::get<sdfg::conditional_block>(loop.body->blocks.at(0).content);
  ASSERT_EQ(choice.branches.size(), 2u);
  EXPECT_EQ(to_text(*choice.branches[0].condition), "A[n] > 0");
  EXPECT_FALSE(choice.branches[1].condition.has_value());
  auto const& then = *choice.branches[0].body;
  EXPECT_EQ(std::get<sdfg::jump>(then.blocks.at(1).content), sdfg::jump::break_loop);
  EXPECT_EQ(to_text(*then.edges.at(0).condition), "flag > 3");
  auto const& call = std::get<sdfg::state>(then.blocks.at(0).content);
  auto const& nested = std::get<sdfg::nested_sdfg>(call.nodes.at(0).content);
  EXPECT_EQ(nested.body->name, "inner");
  EXPECT_EQ(nested.body->id, 4);
  EXPECT_EQ(nested.symbol_mapping.at(0).first, "K");
  EXPECT_EQ(to_text(nested.symbol_mapping.at(0).second), "N");
  EXPECT_FALSE(g.root.edges.at(0).condition.has_value());
  EXPECT_EQ(to_text(g.root.edges.at(0).assignments.at(0).second), "M % 2");
  EXPECT_TRUE(std::get<sdfg::state>(g.root.blocks.at(2).content).nosync);
}

TEST(Reader, TakesAConditionThatAlwaysHoldsForNone) {
  auto program = small_program();
  auto& data = at(program, "/edges/0/attributes/data/attributes");
  data["condition"] = {{"string_data", "1"}, {"language", "Python"}};
  EXPECT_FALSE(read(program).root.edges.at(0).condition.has_value());
  data["condition"]["string_data"] = "M";
  EXPECT_TRUE(read(program).root.edges.at(0).condition.has_value());
}

TEST(Reader, FindsTheStartBlockThatTheFileLeavesOut) {
  auto program = small_program();
  program["start_block"] = nullptr;
  EXPECT_EQ(read(program).root.start, 0u);
  std::swap(at(program, "/edges/0/src"), at(program, "/edges/0/dst"));
  EXPECT_EQ(read(program).root.start, 1u);
  program["edges"] = json::array();
  EXPECT_EQ(failure_of([&] { (void)read(program); }),
            "invalid: no start block is given and 3 blocks have no edge into them");
}

TEST(Reader, TakesTheOnlyBlockWithoutEdgesIntoItForTheStartWhateverTheIndexSays) {
  auto program = small_program();
  program["start_block"] = 1;
  EXPECT_EQ(read(program).root.start, 0u)
      << "as DaCe, whose transformations leave the index behind";
  program["edges"] = json::array();
  EXPECT_EQ(read(program).root.start, 1u) << "the edges leave it open";
}

TEST(Reader, ReadsTheOldFormOfVersionsBefore2_0_0a4) {
  for (auto const* version : {"1.0.1", "0.16", "2.0.0a3"}) {
    auto program = small_program();
    program["dace_version"] = version;
    EXPECT_THAT(failure_of([&] { (void)read(program); }),
                testing::HasSubstr("is no part of Python"));
    auto text = program.dump();
    for (auto dollar = text.find('$'); dollar != std::string::npos; dollar = text.find('$'))
      text.erase(dollar, 1);
    auto const typed = text.find("symbol(N, dtype=dace.int64)");
    ASSERT_NE(typed, std::string::npos);
    text.replace(typed, 27, "N");
    EXPECT_EQ(to_text(sdfg::read_text(text).find("C")->total_size), "2 * N");
  }
  for (auto const* version : {"2.0.0a4", "2.0.0a6", "2.0.0", "2.0.0rc1", "2.1", "3.0.0a1"}) {
    auto program = small_program();
    program["dace_version"] = version;
    EXPECT_EQ(to_text(read(program).find("C")->total_size), "2 * N") << version;
  }
}

TEST(Reader, ReadsViewsReferencesAndDefaults) {
  auto program = small_program();
  auto& arrays = at(program, "/attributes/_arrays");
  arrays["v"] = {{"type", "ArrayView"},
                 {"attributes", {{"shape", {"4", "$N"}}, {"storage", "GPU_Global"}}}};
  arrays["r"] = {{"type", "Reference"}, {"attributes", {{"shape", {"4"}}}}};
  auto const g = read(program);
  EXPECT_EQ(g.find("v")->kind, sdfg::descriptor_kind::view);
  EXPECT_TRUE(g.find("v")->transient);
  EXPECT_EQ(g.find("v")->storage, sdfg::storage::gpu_global);
  EXPECT_EQ(to_text(g.find("v")->strides.at(0)), "N");
  EXPECT_EQ(to_text(g.find("v")->total_size), "4 * N");
  EXPECT_EQ(g.find("r")->kind, sdfg::descriptor_kind::reference);
}

TEST(Reader, ReadsConstants) {
  auto program = small_program();
  at(program, "/attributes/constants_prop") = json::parse(R"({
    "c": [{"type": "Scalar", "attributes": {"dtype": "int64"}}, 3],
    "t": [{"type": "Array", "attributes": {"dtype": "float64", "shape": ["2", "2"]}},
          {"type": "ndarray", "data": [[1, 2.5], [3, true]], "dtype": "float64"}]})");
  auto const g = read(program);
  EXPECT_THAT(g.constants.at("c").values, ElementsAre(3));
  EXPECT_EQ(g.constants.at("c").type.type, dtype::int64);
  EXPECT_THAT(g.constants.at("t").values, ElementsAre(1, 2.5, 3, 1));
}

TEST(Reader, KeepsOtherLibraryNodesAsOpaque) {
  auto program = small_program();
  auto& node = at(program, "/nodes/0/nodes/2");
  node["type"] = "LibraryNode";
  node["classpath"] = "dace.libraries.lapack.nodes.Getrf";
  auto const g = read(program);
  auto const& s = std::get<sdfg::state>(g.root.blocks.at(0).content);
  EXPECT_EQ(std::get<sdfg::opaque_node>(s.nodes[2].content).type,
            "LibraryNode dace.libraries.lapack.nodes.Getrf");
}

TEST(Reader, ReplacesAReductionByTheLoopsThatItMeans) {
  auto program = small_program();
  auto& node = at(program, "/nodes/0/nodes/2");
  node["type"] = "LibraryNode";
  node["classpath"] = "dace.libraries.standard.nodes.Reduce";
  node["attributes"]["wcr"] = "lambda a, b: a + b";
  node["attributes"]["identity"] = "0";
  auto const g = read(program);
  auto const& s = std::get<sdfg::state>(g.root.blocks.at(0).content);
  auto const& nested = std::get<sdfg::nested_sdfg>(s.nodes[2].content);
  EXPECT_THAT(nested.in_connectors, ElementsAre("x"));
  EXPECT_THAT(nested.out_connectors, ElementsAre("y"));
  ASSERT_EQ(nested.body->root.blocks.size(), 2u) << "the identity first, then the elements";
  sdfg::verify(g);
}

TEST(Reader, RefusesAReductionWithoutAnOperator) {
  auto program = small_program();
  auto& node = at(program, "/nodes/0/nodes/2");
  node["type"] = "LibraryNode";
  node["classpath"] = "dace.libraries.standard.nodes.Reduce";
  EXPECT_EQ(failure_of([&] { (void)read(program); }),
            "invalid: Reduce without a conflict resolution at /nodes/0/nodes/2");
}

TEST(Reader, IgnoresAttributesThatItDoesNotKnow) {
  EXPECT_EQ(with("/attributes/transformation_hist", json::array({{{"type", "MapFusion"}}})),
            "no error");
  EXPECT_EQ(with("/nodes/0/nodes/2/attributes/_meta_colour", "red"), "no error");
}

TEST(Reader, ReadsGzipWhateverTheFileIsCalled) {
  auto const plain = text_of(example("axpy"));
  temporary_file const file("reader_test.sdfg", gzipped(plain));
  EXPECT_EQ(sdfg::read(file.path).arrays.size(), sdfg::read_text(plain).arrays.size());
}

// ---- bad input
// ---------------------------------------------------------------------------------------------

TEST(Reader, NamesAFileThatCannotBeRead) {
  auto const path = std::filesystem::path(testing::TempDir()) / "no_such.sdfg";
  EXPECT_EQ(failure_of([&] { (void)sdfg::read(path); }),
            "invalid: cannot open the file: No such file or directory");
  try {
    (void)sdfg::read(path);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.file(), path.string());
  }
  EXPECT_EQ(failure_of([&] { (void)sdfg::read(testing::TempDir()); }),
            "invalid: cannot read the file: it is a directory");
}

TEST(Reader, NamesTheFileOfAnErrorInside) {
  auto program = small_program();
  at(program, "/nodes/0/edges/0/dst") = "9";
  temporary_file const file("dangling.sdfg", program.dump());
  try {
    (void)sdfg::read(file.path);
    FAIL();
  } catch (error const& e) {
    EXPECT_EQ(e.file(), file.path.string());
    EXPECT_EQ(e.place(), "/nodes/0/edges/0/dst");
  }
}

TEST(Reader, TellsTextThatIsNoJsonFromTextThatIsCutOff) {
  auto const of = [](std::string_view text) {
    return failure_of([&] { (void)sdfg::read_text(text); });
  };
  EXPECT_EQ(of(""), "invalid: the file is empty");
  EXPECT_EQ(of(" \n"), "invalid: the file is empty");
  EXPECT_EQ(of("hello"), "invalid: not JSON: syntax error at line 1, column 1");
  EXPECT_EQ(of("{\n  \"type\": ?"), "invalid: not JSON: syntax error at line 2, column 11");
  EXPECT_EQ(of("{\"type\": \"SDFG\","),
            "invalid: truncated JSON: the text ends at line 1, column 17");
  EXPECT_EQ(of("[1e999]"), "invalid: not JSON: a number is out of range");
  EXPECT_EQ(of("[]"), "invalid: the file holds no SDFG object");
  EXPECT_EQ(of("{}"), "invalid: the file holds no SDFG object");
  EXPECT_EQ(of("{\"type\": \"SDFG\"}"), "invalid: SDFG lacks member 'dace_version'");
  auto const text = text_of(example("hdiff"));
  EXPECT_THAT(of(std::string_view(text).substr(0, text.size() / 2)),
              StartsWith("invalid: truncated JSON: the text ends at line "));
}

TEST(Reader, NamesDamagedGzipData) {
  auto bytes = gzipped(text_of(example("axpy")));
  auto const whole = bytes;
  bytes.resize(bytes.size() / 2);
  EXPECT_EQ(failure_of([&] { (void)sdfg::read_text(bytes); }), "invalid: truncated gzip data");
  bytes = whole;
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
  EXPECT_EQ(failure_of([&] { (void)sdfg::read_text(bytes); }), "invalid: damaged gzip data");
  EXPECT_EQ(failure_of([&] { (void)sdfg::read_text(whole); }), "no error");
}

TEST(Reader, NamesDanglingEdges) {
  EXPECT_EQ(with("/nodes/0/edges/0/dst", "9"),
            "invalid: dangling edge: 'dst' is node 9, but there are 5 at /nodes/0/edges/0/dst");
  EXPECT_EQ(with("/nodes/0/edges/0/src", 5),
            "invalid: dangling edge: 'src' is node 5, but there are 5 at /nodes/0/edges/0/src");
  EXPECT_EQ(with("/edges/1/dst", "3"),
            "invalid: dangling edge: 'dst' is block 3, but there are 3 at /edges/1/dst");
  EXPECT_EQ(with("/edges/1/dst", "-1"), "invalid: 'dst' must be an index at /edges/1/dst");
  EXPECT_EQ(without("/nodes/0/edges/0", "dst"),
            "invalid: MultiConnectorEdge lacks member 'dst' at /nodes/0/edges/0");
  EXPECT_EQ(with("/nodes/0/nodes/2/scope_entry", "12"),
            "invalid: scope_entry of node 't' names node 12, but the state has 5 nodes at "
            "/nodes/0/nodes/2/scope_entry");
  EXPECT_EQ(with("/start_block", 7), "invalid: start is block 7, but there are 3 at /start_block");
}

TEST(Reader, NamesUnknownTypes) {
  EXPECT_EQ(with("/nodes/0/nodes/2/type", "Taskle"),
            "invalid: node 't' has the unknown type 'Taskle' at /nodes/0/nodes/2");
  EXPECT_EQ(with("/nodes/1/type", "Loop"),
            "invalid: block 'loop' has the unknown type 'Loop' at /nodes/1");
  EXPECT_EQ(with("/type", "Graph"), "invalid: expected an SDFG, not a Graph");
  EXPECT_EQ(without("/nodes/1", "type"), "invalid: 'nodes' lacks member 'type' at /nodes/1");
}

TEST(Reader, ReadsStructuresOfNumbersAlone) {
  json pair = {
      {"type", "struct"},
      {"name", "pair"},
      {"data", json::array({json::array({"idx", "int32"}), json::array({"val", "float64"})})}};
  std::string const place = "/attributes/_arrays/A/attributes/dtype";
  EXPECT_EQ(with(place, pair), "no error");
  auto pointer = pair;
  pointer["data"][1][1] = {{"type", "pointer"}, {"dtype", "float64"}};
  EXPECT_EQ(with(place, pointer),
            "unsupported: field 'val' of container 'A' has the type 'pointer' at " + place +
                "/data/1/1");
  auto renamed = pair;
  renamed["name"] = "a b";
  EXPECT_EQ(with(place, renamed), "invalid: structure name 'a b' is no C++ identifier at " + place);
}

TEST(Reader, NamesTheLibrariesThatCppCodeNeeds) {
  std::string const place = "/nodes/0/nodes/2/attributes/environments";
  EXPECT_EQ(with(place, json::array({"dace.libraries.standard.environments.cuda.CUDA"})),
            "no error");
  EXPECT_EQ(with(place, json::array({"dace.libraries.blas.environments.openblas.OpenBLAS"})),
            "unsupported: C++ code calls the library OpenBLAS at " + place + "/0");
}

TEST(Reader, NamesConstructsThatTheModelCannotHold) {
  EXPECT_EQ(with("/attributes/_arrays/A/type", "Stream"),
            "unsupported: container 'A' is a Stream at /attributes/_arrays/A");
  EXPECT_EQ(with("/attributes/_arrays/A/type", "Structure"),
            "unsupported: container 'A' is a Structure at /attributes/_arrays/A");
  EXPECT_EQ(with("/attributes/_arrays/A/type", "ContainerArray"),
            "unsupported: container 'A' is a ContainerArray at /attributes/_arrays/A");
  EXPECT_EQ(with("/attributes/_arrays/s.x", small_program()["attributes"]["_arrays"]["A"]),
            "unsupported: container 's.x' is a member of a structure at /attributes/_arrays/s.x");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/dtype", "float8_e5m2"),
            "unsupported: container 'A' has the type 'float8_e5m2' at "
            "/attributes/_arrays/A/attributes/dtype");
  EXPECT_EQ(
      with("/attributes/_arrays/A/attributes/dtype", {{"type", "vector"}, {"dtype", "float64"}}),
      "unsupported: container 'A' has the type 'vector' at /attributes/_arrays/A/attributes/dtype");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/storage", "FPGA_Global"),
            "unsupported: container 'A' has the storage 'FPGA_Global' at "
            "/attributes/_arrays/A/attributes/storage");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/lifetime", "Eternal"),
            "unsupported: container 'A' has the lifetime 'Eternal' at "
            "/attributes/_arrays/A/attributes/lifetime");
  EXPECT_EQ(with("/nodes/0/nodes/1/attributes/schedule", "MPI"),
            "unsupported: map has the schedule 'MPI' at /nodes/0/nodes/1/attributes/schedule");
  EXPECT_EQ(with("/nodes/0/nodes/1/attributes/schedule", "GPU_Persistent"),
            "unsupported: map has the schedule 'GPU_Persistent' at "
            "/nodes/0/nodes/1/attributes/schedule");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/dtype", "bfloat16"),
            "unsupported: container 'A' has the type 'bfloat16' at "
            "/attributes/_arrays/A/attributes/dtype");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/dtype", {{"type", "opaque"}, {"ctype", "FILE"}}),
            "unsupported: container 'A' has the type 'opaque' at "
            "/attributes/_arrays/A/attributes/dtype");
  EXPECT_EQ(with("/attributes/symbols/N", {{"type", "callback"}, {"arguments", json::array()}}),
            "unsupported: symbol 'N' has the type 'callback' at /attributes/symbols/N");
  // A map goes from tile to tile; it is its memlets that name elements.
  EXPECT_EQ(with("/nodes/0/nodes/1/attributes/range/ranges/0/tile", "4"), "no error");
  // Around a map it is only a bound of what the map touches.
  EXPECT_EQ(with("/nodes/0/edges/0/attributes/data/attributes/subset/ranges/0/tile", "4"),
            "no error");
  EXPECT_EQ(with("/nodes/0/edges/1/attributes/data/attributes/subset/ranges/0/tile", "4"),
            "unsupported: range is tiled at "
            "/nodes/0/edges/1/attributes/data/attributes/subset/ranges/0/tile");
  EXPECT_EQ(with("/nodes/0/nodes/1/attributes/gpu_block_size", json::array({"$N"})),
            "unsupported: 'gpu_block_size' must be constant at "
            "/nodes/0/nodes/1/attributes/gpu_block_size/0");
  EXPECT_EQ(with("/nodes/0/nodes/2/attributes/code/language", "SystemVerilog"),
            "unsupported: 'code' is written in SystemVerilog at /nodes/0/nodes/2/attributes/code");
  EXPECT_EQ(with("/nodes/1/attributes/loop_condition/language", "CPP"),
            "unsupported: 'loop_condition' is no Python at /nodes/1/attributes/loop_condition");
  EXPECT_EQ(with("/nodes/1/nodes/0/branches/0/1/nodes/0/nodes/0/attributes/sdfg", nullptr),
            "unsupported: nested SDFG is kept in another file at "
            "/nodes/1/nodes/0/branches/0/1/nodes/0/nodes/0");
}

TEST(Reader, NamesMembersOfTheWrongKind) {
  EXPECT_EQ(with("/attributes/_arrays", json::array()),
            "invalid: '_arrays' must be an object at /attributes/_arrays");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/shape", "N"),
            "invalid: 'shape' must be a list at /attributes/_arrays/A/attributes/shape");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/shape", json::array()),
            "invalid: container 'A' has no shape at /attributes/_arrays/A");
  EXPECT_EQ(
      with("/attributes/_arrays/A/attributes/transient", 1),
      "invalid: 'transient' must be true or false at /attributes/_arrays/A/attributes/transient");
  EXPECT_EQ(with("/attributes/_arrays/A/attributes/shape/0", "$N +"),
            "invalid: 'shape': cannot parse '$N +': expected an operand at column 5 at "
            "/attributes/_arrays/A/attributes/shape/0");
  EXPECT_EQ(with("/edges/0/attributes/data/attributes/assignments/r", "M +"),
            "invalid: 'r': cannot parse 'M +': expected an operand at column 4 at "
            "/edges/0/attributes/data/attributes/assignments/r");
  EXPECT_EQ(without("/nodes/0/nodes/0/attributes", "data"),
            "invalid: 'attributes' lacks member 'data' at /nodes/0/nodes/0/attributes");
  EXPECT_EQ(with("/nodes/2/nodes", json::object()),
            "invalid: 'nodes' must be a list at /nodes/2/nodes");
  EXPECT_EQ(with("/nodes/1/nodes/0/branches", json::array()),
            "invalid: ConditionalBlock has no branches at /nodes/1/nodes/0");
  EXPECT_EQ(with("/nodes/1/nodes", json::array()), "invalid: LoopRegion has no blocks at /nodes/1");
}

TEST(Reader, RefusesDeepNestingInsteadOfOverflowing) {
  auto const nested = [](int levels) {
    std::string before =
        R"({"type": "SDFG", "dace_version": "2.0.0a6", "attributes": {"name": "deep"}, "nodes": [)";
    std::string after = R"(], "edges": []})";
    for (int i = 0; i < levels; ++i) {
      before += R"({"type": "ControlFlowRegion", "nodes": [)";
      after += R"(], "edges": []})";
    }
    return before + R"({"type": "SDFGState", "label": "s", "nodes": [], "edges": []})" + after;
  };
  EXPECT_EQ(failure_of([&] { (void)sdfg::read_text(nested(90)); }), "no error");
  EXPECT_THAT(
      failure_of([&] { (void)sdfg::read_text(nested(500)); }),
      StartsWith("invalid: regions and nested SDFGs are deeper than 100 levels at /nodes/0/"));
  EXPECT_THAT(failure_of([&] { (void)sdfg::read_text(std::string(1'000'000, '[')); }),
              StartsWith("invalid: JSON is nested deeper than 2000 levels"));
}

// A mutated file is either read, or refused with one line. Sanitisers and the limits above do the
// rest.
TEST(Reader, SurvivesDamagedFiles) {
  std::mt19937_64 random(20260830);
  std::vector<std::string> const originals{small_program().dump(), text_of(example("whileconv"))};
  int refused = 0, accepted = 0, verified = 0;
  constexpr int runs = 2400;
  for (int run = 0; run < runs; ++run) {
    auto text = originals[static_cast<std::size_t>(run % 8 == 0)]; // mostly the dense one
    auto const any = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
    if (any(8) == 0) text.resize(any(text.size()));
    for (auto edits = 1 + any(3); edits-- > 0 && !text.empty();) {
      static constexpr std::string_view alphabet = "0123456789\"{}[],:$-+*/()ANBi ntruefalse\\\xff";
      auto const where = any(text.size());
      switch (any(4)) {
      case 0:
        text[where] = alphabet[any(alphabet.size())];
        break;
      case 1:
        text.erase(where, 1 + any(4));
        break;
      case 2:
        text.insert(where, 1, alphabet[any(alphabet.size())]);
        break;
      default: { // digits keep the JSON whole: indices, ranges, sizes
        auto const digit = text.find_first_of("0123456789", where);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + any(10));
      }
      }
    }
    auto const message = failure_of([&] {
      auto const g = sdfg::read_text(text);
      ++accepted;
      sdfg::verify(g);
      ++verified;
      (void)sdfg::signature_of(g); // whatever verify accepts has a signature
    });
    if (message == "no error") continue;
    ++refused;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_LT(message.size(), 600u) << message;
  }
  EXPECT_GT(refused, runs / 4);
  EXPECT_GT(accepted, runs / 8);
  EXPECT_GT(verified, runs / 12);
  EXPECT_LT(verified, accepted) << "verify never refused anything";
}

} // namespace
