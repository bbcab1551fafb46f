// What each memory mode does to the calls of the GPU runtime and to the generated text.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "assay/emit.hpp"
#include "assay/error.hpp"
#include "assay/execute.hpp"
#include "assay/generated/context.hpp"
#include "immediate_runtime.hpp"

namespace assay::plan {
namespace {

std::filesystem::path const examples = ASSAY_EXAMPLES;
std::filesystem::path const inputs = ASSAY_CODEGEN_INPUTS;

sdfg::graph chain() { return sdfg::read(inputs / "chain.sdfg"); }

settings with(memory_mode mode, target target_of = target::cuda,
              workspace_layout layout = workspace_layout::aligned) {
  settings s;
  s.mode = mode;
  s.target = target_of;
  s.layout = layout;
  return s;
}

long count(std::vector<std::string> const& calls, std::string const& start) {
  return std::ranges::count_if(calls, [&](std::string const& c) { return c.starts_with(start); });
}

/// Runs x -> t -> u -> v -> y, all of N elements.
struct run {
  test::immediate_runtime runtime;
  std::vector<std::string> first_call, second_call;
  std::vector<std::uint64_t> x = std::vector<std::uint64_t>(8, 3),
                             y = std::vector<std::uint64_t>(8);
  alignas(256) unsigned char slab[1024] = {};

  explicit run(settings const& chosen) : run(chosen, chain()) {}
  run(settings const& chosen, sdfg::graph const& graph) {
    program const p = lower(graph, chosen);
    observer deaf;
    execution e(p, runtime, deaf);
    e.init({{"N", 8}, {std::string(external_stream_symbol), 5}});
    for (auto const& w : p.workspaces) e.set_workspace(w.storage, slab, sizeof slab);
    call_arguments arguments;
    arguments.arrays = {{"x", x.data()}, {"y", y.data()}};
    arguments.scalars = {{"N", std::int64_t{8}}};
    for (auto* calls : {&first_call, &second_call}) {
      runtime.calls.clear();
      e.call(arguments);
      *calls = runtime.calls;
    }
    e.exit();
  }
};

TEST(MemoryModes, ScopedAllocatesEachEligibleArrayOncePerCallAndFreesEach) {
  run const r(with(memory_mode::scoped));
  for (auto const& calls : {r.first_call, r.second_call}) {
    EXPECT_EQ(count(calls, "allocate 64"), 3);
    EXPECT_EQ(count(calls, "release"), 3);
    EXPECT_EQ(count(calls, "allocate_async"), 0);
    EXPECT_EQ(count(calls, "launch"), 4);
  }
  EXPECT_TRUE(r.runtime.live.empty());
}
TEST(MemoryModes, PoolAllocatesEachEligibleArrayOncePerCallOnTheCallersStream) {
  run const r(with(memory_mode::pool));
  for (auto const& calls : {r.first_call, r.second_call}) {
    EXPECT_EQ(count(calls, "allocate_async 64 on 5"), 3);
    EXPECT_EQ(count(calls, "release_async on 5"), 3);
    EXPECT_EQ(count(calls, "allocate "), 0);
  }
  EXPECT_TRUE(r.runtime.live.empty());
}
TEST(MemoryModes, PersistentAllocatesNothingAfterInit) {
  run const r(with(memory_mode::persistent));
  for (auto const& calls : {r.first_call, r.second_call}) {
    EXPECT_EQ(count(calls, "launch"), 4);
    EXPECT_EQ(count(calls, "allocate") + count(calls, "release"), 0);
  }
  EXPECT_TRUE(r.runtime.live.empty());
}
TEST(MemoryModes, ExternalAllocatesNothingAtAllUnderAnyLayout) {
  for (auto const layout :
       {workspace_layout::packed, workspace_layout::aligned, workspace_layout::reuse}) {
    run const r(with(memory_mode::external, target::hip, layout));
    for (auto const& calls : {r.first_call, r.second_call}) {
      EXPECT_EQ(count(calls, "launch"), 4);
      EXPECT_EQ(count(calls, "allocate") + count(calls, "release"), 0);
    }
  }
}
TEST(MemoryModes, AllModesAndLayoutsGiveOneResult) {
  run const expected(with(memory_mode::scoped));
  for (auto const mode : {memory_mode::pool, memory_mode::persistent, memory_mode::external})
    for (auto const layout :
         {workspace_layout::packed, workspace_layout::aligned, workspace_layout::reuse})
      EXPECT_EQ(run(with(mode, target::cuda, layout)).y, expected.y);
}

// Zero fill: upstream zeroes a scoped array in each call, a persistent one once, an external one
// never.
TEST(MemoryModes, ZeroFillHappensOncePerCallAndOnTheCallersStreamInEveryMode) {
  auto graph = chain();
  auto& first = std::get<sdfg::state>(graph.root.blocks.front().content);
  for (auto& node : first.nodes)
    if (auto* access = std::get_if<sdfg::access_node>(&node.content); access && access->data == "t")
      access->zero_fill = true;
  for (auto const mode :
       {memory_mode::scoped, memory_mode::pool, memory_mode::persistent, memory_mode::external}) {
    run const r(with(mode), graph);
    EXPECT_EQ(count(r.first_call, "fill 64 on 5"), 1) << name(mode);
    EXPECT_EQ(count(r.second_call, "fill 64 on 5"), 1) << name(mode);
  }
}

TEST(MemoryModes, TextOfScopedPoolAndPersistentIsTheSameUnderEveryLayout) {
  int compared = 0;
  for (auto const& entry : std::filesystem::directory_iterator(examples)) {
    if (!std::filesystem::exists(entry.path() / "program.sdfg")) continue;
    auto const graph = sdfg::read(entry.path() / "program.sdfg");
    for (auto const target_of : {target::cuda, target::hip, target::cpu})
      for (auto const mode : {memory_mode::scoped, memory_mode::pool, memory_mode::persistent}) {
        auto const expected = emit(lower(graph, with(mode, target_of)));
        for (auto const layout : {workspace_layout::packed, workspace_layout::reuse}) {
          auto const files = emit(lower(graph, with(mode, target_of, layout)));
          ASSERT_EQ(files.size(), expected.size());
          for (std::size_t k = 0; k < files.size(); ++k) {
            EXPECT_EQ(files[k].text, expected[k].text) << entry.path() << files[k].path;
            ++compared;
          }
        }
      }
  }
  EXPECT_GE(compared, 300);
}
TEST(MemoryModes, OnTheCpuScopedAndPoolAreTheSame) {
  auto const graph = chain();
  auto const scoped = emit(lower(graph, with(memory_mode::scoped, target::cpu)));
  auto const pool = emit(lower(graph, with(memory_mode::pool, target::cpu)));
  EXPECT_EQ(scoped.front().text, pool.front().text);
  EXPECT_THAT(scoped.front().text, testing::HasSubstr("::operator new[]"));
}

TEST(MemoryModes, SizesBelowZeroAreZeroInEveryMode) {
  auto graph = chain();
  for (auto const* name : {"t", "u", "v"})
    graph.find(name)->total_size = expression::name("N") - expression::integer(20);
  for (auto const mode : {memory_mode::scoped, memory_mode::pool, memory_mode::persistent}) {
    auto const text = emit(lower(graph, with(mode))).front().text;
    int clamped = 0;
    for (auto at = text.find("gen::allocation_bytes("); at != std::string::npos;
         at = text.find("gen::allocation_bytes(", at + 1))
      ++clamped;
    EXPECT_EQ(clamped, 3) << name(mode);
  }
  EXPECT_EQ(gen::allocation_bytes(-1, 8), 1u); // an address, and no more
  EXPECT_EQ(gen::array_bytes(-1, 8), 0u);
  EXPECT_EQ(gen::array_bytes(3'000'000'000, 8), 24'000'000'000u);
  program const p = lower(graph, with(memory_mode::external));
  EXPECT_EQ(evaluate_integer(p.workspaces.front().size_bytes, {{"N", 19}}), 0);
  EXPECT_EQ(evaluate_integer(p.workspaces.front().size_bytes, {{"N", 21}}), 2 * 256 + 8);
}

TEST(MemoryModes, AlignmentPastTheDevicesIsRefusedInEveryModeAndOnTheHostKept) {
  auto graph = chain();
  graph.find("t")->alignment_bytes = 512;
  for (auto const mode :
       {memory_mode::scoped, memory_mode::pool, memory_mode::persistent, memory_mode::external})
    try {
      (void)lower(graph, with(mode));
      ADD_FAILURE() << name(mode);
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::unsupported);
      EXPECT_STREQ(
          e.what(),
          "container 't' asks for an alignment of 512 bytes, memory of the device has 256");
    }
  program const p = lower(graph, with(memory_mode::external, target::cpu));
  EXPECT_EQ(p.workspaces.front().alignment_bytes, 512u);
  graph.find("t")->alignment_bytes = 0;
  graph.find("u")->alignment_bytes = 1024;
  program const q = lower(graph, with(memory_mode::external, target::cpu));
  EXPECT_EQ(evaluate_integer(q.workspaces.front().entries[1].offset_bytes, {{"N", 100}}), 1024);
}

} // namespace
} // namespace assay::plan
