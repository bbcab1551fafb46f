// Each test is named after a defect of GT4Py's or DaCe's that programs of ours must not have.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "assay/emit.hpp"
#include "assay/error.hpp"
#include "assay/execute.hpp"
#include "immediate_runtime.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

sdfg::graph chain() {
  return sdfg::read(std::filesystem::path(ASSAY_CODEGEN_INPUTS) / "chain.sdfg");
}
settings external(target of = target::cuda) {
  settings s;
  s.mode = memory_mode::external;
  s.target = of;
  return s;
}
std::int64_t at(expression const& e, std::int64_t n) { return evaluate_integer(e, {{"N", n}}); }

buffer const& find(program const& p, std::string const& container) {
  return *std::ranges::find(p.buffers, container, &buffer::container);
}

/// The chain as a nested SDFG whose N is twice the outer K, beside an outer N that means something
/// else: the chain runs `copies` times, each time on arrays of its own.
sdfg::graph nested_chains(int copies) {
  auto const K = expression::name("K"), size = expression::integer(2) * K;
  sdfg::graph outer;
  outer.name = "outer";
  outer.place = "/";
  outer.symbols = {{"K", dtype::int32}, {"N", dtype::int32}};
  sdfg::state state;
  for (int copy = 0; copy < copies; ++copy) {
    auto inner = chain();
    inner.id = copy + 1;
    inner.place = "/nodes/" + std::to_string(copy);
    auto const first = state.nodes.size();
    for (std::string const name : {"x", "y"}) {
      auto array = *inner.find(name);
      array.shape = {size};
      array.total_size = size;
      outer.arrays.emplace_back(name + std::to_string(copy), array);
      sdfg::node& one = state.nodes.emplace_back();
      one.label = name;
      one.content = sdfg::access_node{outer.arrays.back().first};
    }
    sdfg::node& nested = state.nodes.emplace_back();
    nested.label = "nested";
    nested.place = inner.place;
    nested.content = sdfg::nested_sdfg{
        std::make_shared<sdfg::graph const>(std::move(inner)), {{"N", size}}, {"x"}, {"y"}};
    sdfg::subset const all{{expression::integer(0), size - expression::integer(1)}};
    auto const memlet = [&](std::size_t node) {
      sdfg::memlet m;
      m.data = std::get<sdfg::access_node>(state.nodes[node].content).data;
      m.subset = all;
      return m;
    };
    state.edges.push_back({first, first + 2, "", "x", memlet(first), {}});
    state.edges.push_back({first + 2, first + 1, "y", "", memlet(first + 1), {}});
  }
  auto another = outer.arrays.front().second; // of the outer N: both names reach the signature
  another.transient = true;
  another.shape = {expression::name("N")};
  another.total_size = expression::name("N");
  outer.arrays.emplace_back("another", another);
  outer.root.blocks.push_back({"state", "/nodes/state", std::move(state)});
  return outer;
}

TEST(UpstreamDefects, ANestedSizeTakesTheInnerNameOfASymbol) {
  auto const graph = nested_chains(1);
  sdfg::verify(graph);
  auto const p = lower(graph, external());
  ASSERT_EQ(p.workspaces.front().entries.size(), 3u);
  for (auto const& entry : p.workspaces.front().entries)
    EXPECT_EQ(evaluate_integer(entry.size_bytes, {{"K", 5}, {"N", 1}}), 2 * 5 * 8);
  EXPECT_THAT(emit(p).front().text, testing::HasSubstr("(long long)K"));
  EXPECT_THAT(emit(p).front().text, testing::Not(testing::HasSubstr("(long long)N")));
}

TEST(UpstreamDefects, SubArraysOfTheSlabAreMisaligned) {
  auto graph = chain();
  graph.find("t")->type = graph.find("u")->type = dtype::boolean; // one byte, then a double
  auto const p = lower(graph, external());
  for (std::int64_t const n : {1, 7, 255, 257})
    for (auto const& entry : p.workspaces.front().entries)
      EXPECT_EQ(at(entry.offset_bytes, n) % 256, 0) << n;
}

TEST(UpstreamDefects, SizesAndOffsetsAreComputedIn32Bits) {
  auto graph = chain();
  for (auto const* name : {"t", "u", "v"})
    graph.find(name)->total_size = expression::name("N") * expression::integer(100);
  auto const p = lower(graph, external());
  EXPECT_EQ(at(p.workspaces.front().size_bytes, 3'000'000), 3 * 2'400'000'000);
  EXPECT_THAT(emit(p).front().text, testing::HasSubstr("(long long)N"));
}

TEST(UpstreamDefects, ASizeBelowZeroBecomesHuge) {
  auto graph = chain();
  graph.find("t")->total_size = expression::name("N") - expression::integer(1);
  EXPECT_EQ(at(lower(graph, external()).workspaces.front().entries.front().size_bytes, 0), 0);
}

TEST(UpstreamDefects, AnExternalScalarIsAPointerCastToItsValue) {
  auto graph = chain();
  auto& t = *graph.find("t");
  t.kind = sdfg::descriptor_kind::scalar;
  t.shape = {expression::integer(1)};
  t.strides = {expression::integer(1)};
  t.total_size = expression::integer(1);
  auto const p = lower(graph, external());
  EXPECT_FALSE(find(p, "t").by_value); // memory of the device, in the slab
  EXPECT_EQ(at(p.workspaces.front().entries.front().size_bytes, 9), 8);
  EXPECT_THAT(emit(p).front().text,
              testing::HasSubstr("__state->__0_t = reinterpret_cast<double*>(__base"));
}

TEST(UpstreamDefects, FunctionsAreNamedAfterTheStorageDefault) {
  auto const p = lower(chain(), external(target::cpu));
  ASSERT_EQ(p.workspaces.size(), 1u);
  EXPECT_EQ(p.workspaces.front().storage, "CPU_Heap");
  EXPECT_THAT(emit(p).front().text, testing::Not(testing::HasSubstr("size_Default")));
}

TEST(UpstreamDefects, AnArrayWithoutAccessNodeIsCountedAndDoesNotCompile) {
  auto graph = chain();
  auto unused = *graph.find("t");
  graph.arrays.emplace_back("unused", unused);
  auto const p = lower(graph, external());
  EXPECT_EQ(p.workspaces.front().entries.size(), 3u);
  EXPECT_THAT(emit(p).front().text, testing::Not(testing::HasSubstr("unused")));
}

TEST(UpstreamDefects, StartOffsetIsIgnoredInTheSlab) {
  auto graph = chain();
  graph.find("u")->start_offset = expression::integer(4);
  graph.find("u")->total_size = expression::name("N") + expression::integer(4);
  for (auto const mode : {memory_mode::scoped, memory_mode::external}) {
    settings chosen;
    chosen.mode = mode;
    auto const p = lower(graph, chosen);
    EXPECT_EQ(at(find(p, "u").element_count, 10), 14);
    EXPECT_EQ(at(find(p, "u").start_offset, 10), 4);
    EXPECT_THAT(
        emit(p).front().text,
        testing::HasSubstr(mode == memory_mode::scoped ? "u += 4;" : "__state->__0_u + 4;"));
  }
}

TEST(UpstreamDefects, AlignmentIsIgnoredInTheSlab) {
  auto graph = chain();
  graph.find("u")->alignment_bytes = 1024;
  auto const p = lower(graph, external(target::cpu));
  EXPECT_EQ(p.workspaces.front().alignment_bytes, 1024u);
  for (std::int64_t const n : {1, 33, 1000})
    EXPECT_EQ(at(p.workspaces.front().entries.at(1).offset_bytes, n) % 1024, 0) << n;
}

// The program, once initialised, and what its calls say.
struct Called : testing::Test {
  test::immediate_runtime runtime;
  observer deaf;
  alignas(256) unsigned char slab[4096] = {};
  std::vector<std::uint64_t> x = std::vector<std::uint64_t>(64, 1),
                             y = std::vector<std::uint64_t>(64);

  std::string call(execution& e, std::int64_t n) {
    call_arguments arguments;
    arguments.arrays = {{"x", x.data()}, {"y", y.data()}};
    arguments.scalars = {{"N", n}};
    try {
      e.call(arguments);
    } catch (error const& problem) {
      return problem.what();
    }
    return "ran";
  }
};
using UpstreamDefectsInCalls = Called;

TEST_F(UpstreamDefectsInCalls, SizesAndOffsetsAreThoseOfTheFirstCall) {
  auto const p = lower(chain(), external());
  execution e(p, runtime, deaf);
  e.init({{"N", 8}, {std::string(external_stream_symbol), 0}});
  e.set_workspace("GPU_Global", slab, 576);
  EXPECT_EQ(call(e, 8), "ran");
  EXPECT_EQ(call(e, 40), "workspace for GPU_Global: 576 bytes given, 1344 needed");
  e.set_workspace("GPU_Global", slab, 1344);
  EXPECT_EQ(call(e, 40), "ran");
  auto const large = y;
  execution fresh(p, runtime, deaf);
  fresh.init({{"N", 40}, {std::string(external_stream_symbol), 0}});
  fresh.set_workspace("GPU_Global", slab, 1344);
  EXPECT_EQ(call(fresh, 40), "ran");
  EXPECT_EQ(y, large);
}
TEST_F(UpstreamDefectsInCalls, AMissingWorkspaceIsANullPointer) {
  auto const p = lower(chain(), external());
  execution e(p, runtime, deaf);
  e.init({{"N", 8}, {std::string(external_stream_symbol), 0}});
  EXPECT_EQ(call(e, 8), "workspace for GPU_Global: not set");
}
TEST_F(UpstreamDefectsInCalls, AWorkspaceThatIsTooSmallIsTaken) {
  auto const p = lower(chain(), external());
  execution e(p, runtime, deaf);
  e.init({{"N", 8}, {std::string(external_stream_symbol), 0}});
  e.set_workspace("GPU_Global", slab, 575);
  EXPECT_EQ(call(e, 8), "workspace for GPU_Global: 575 bytes given, 576 needed");
  EXPECT_EQ(y, std::vector<std::uint64_t>(64)) << "nothing ran";
}
TEST_F(UpstreamDefectsInCalls, PersistentArraysOverflowWhenASymbolGrows) {
  settings chosen;
  chosen.mode = memory_mode::persistent;
  auto const p = lower(chain(), chosen);
  execution e(p, runtime, deaf);
  e.init({{"N", 8}, {std::string(external_stream_symbol), 0}});
  EXPECT_EQ(call(e, 8), "ran");
  EXPECT_EQ(call(e, 9), "persistent memory of 't' was made with 64 bytes, this call needs 72");
}

sdfg::graph chain_that_starts_with_zeros() {
  auto graph = chain();
  for (auto& node : std::get<sdfg::state>(graph.root.blocks.front().content).nodes)
    if (auto* access = std::get_if<sdfg::access_node>(&node.content); access && access->data == "t")
      access->zero_fill = true;
  return graph;
}

TEST(UpstreamDefects, ZeroFillDependsOnTheMemoryMode) {
  for (auto const mode :
       {memory_mode::scoped, memory_mode::pool, memory_mode::persistent, memory_mode::external}) {
    settings chosen;
    chosen.mode = mode;
    auto const text = emit(lower(chain_that_starts_with_zeros(), chosen)).front().text;
    auto const call = text.find("static void __program_"), fill = text.find("cudaMemsetAsync(");
    ASSERT_NE(fill, std::string::npos) << name(mode);
    EXPECT_GT(fill, call) << name(mode) << ": once per call, not once at init";
    EXPECT_EQ(text.find("cudaMemsetAsync(", fill + 1), std::string::npos) << name(mode);
  }
}

TEST(UpstreamDefects, ZeroFillIsASynchronousCallOnTheNullStream) {
  settings chosen;
  chosen.mode = memory_mode::pool;
  auto const text = emit(lower(chain_that_starts_with_zeros(), chosen)).front().text;
  EXPECT_THAT(text, testing::ContainsRegex("cudaMemsetAsync\\(t, 0, .*streams\\[0\\]"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("cudaMemset(")));
  EXPECT_LT(text.find("cudaMallocAsync((void**)&t"), text.find("cudaMemsetAsync(t"));
}

TEST(UpstreamDefects, PoolMemoryIsFreedWithThePlainCallOrNotAtAll) {
  settings chosen;
  chosen.mode = memory_mode::pool;
  auto const text = emit(lower(chain(), chosen)).front().text;
  for (auto const* name : {"t", "u", "v"})
    EXPECT_THAT(text, testing::HasSubstr(std::string("cudaFreeAsync(") + name + ","));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("cudaFree(")));
}

int highest_stream(program const& p) {
  int highest = -1;
  for_each_step(p.body, [&](step const& s) {
    std::visit(
        [&](auto const& x) {
          if constexpr (requires { x.stream; })
            highest = std::max(highest, static_cast<int>(index(x.stream)));
        },
        s.content);
  });
  return highest;
}
TEST(UpstreamDefects, AStreamNumberIsTakenFromACount) {
  auto const graph =
      sdfg::read(std::filesystem::path(ASSAY_EXAMPLES) / "multistream" / "program.sdfg");
  for (int const streams : {1, 2, 3, 4, settings::as_needed}) {
    settings chosen;
    chosen.own_streams = streams;
    auto const p = lower(graph, chosen);
    EXPECT_LT(highest_stream(p), p.stream_count);
    if (streams == settings::as_needed) {
      EXPECT_EQ(highest_stream(p) + 1, p.stream_count);
    }
    EXPECT_LE(p.stream_count, streams);
  }
}

TEST(UpstreamDefects, ANestedProgramOverwritesTheCountOfStreams) {
  auto const graph = nested_chains(3);
  sdfg::verify(graph);
  for (int const streams : {1, 2, 3, settings::as_needed}) {
    settings chosen;
    chosen.own_streams = streams;
    auto const p = lower(graph, chosen);
    EXPECT_LT(highest_stream(p), p.stream_count) << streams;
    if (streams > 1) {
      EXPECT_GT(p.stream_count, 1) << streams; // independent parts do run apart
    }
  }
}

TEST(UpstreamDefects, InitDoesNotFailWhenAnAllocationDoes) {
  settings chosen;
  chosen.mode = memory_mode::persistent;
  auto const p = lower(chain(), chosen);
  test::immediate_runtime runtime;
  observer deaf;
  execution e(p, runtime, deaf);
  runtime.before = [&](std::string const& call) {
    if (call.starts_with("allocate") && runtime.live.size() == 2)
      throw error(errc::environment, "out of memory");
  };
  EXPECT_THROW(e.init({{"N", 8}, {std::string(external_stream_symbol), 0}}), error);
  EXPECT_TRUE(runtime.live.empty());
}

TEST(UpstreamDefects, TheModeIsNotPartOfTheText) {
  std::vector<std::string> texts;
  for (auto const mode :
       {memory_mode::scoped, memory_mode::pool, memory_mode::persistent, memory_mode::external}) {
    settings chosen;
    chosen.mode = mode;
    texts.push_back(emit(lower(chain(), chosen)).front().text);
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

} // namespace
} // namespace assay::plan
