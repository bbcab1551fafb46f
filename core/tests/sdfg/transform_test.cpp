// What the transformed file says: lifetimes, the stream symbol, the waiting state.
#include "assay/transform.hpp"

#include <gtest/gtest.h>

#include "assay/sdfg.hpp"
#include "small_program.hpp"

namespace assay::sdfg {
namespace {

using test::json;

/// The small program with its transient `B` on the device.
json device_program() {
  auto program = test::small_program();
  test::at(program, "/attributes/_arrays/B/attributes/storage") = "GPU_Global";
  return program;
}

json transformed_json(json const& program, settings const& chosen) {
  return json::parse(transformed(program.dump(), chosen));
}

json const& attributes_of(json const& program, std::string const& array) {
  return program.at("attributes").at("_arrays").at(array).at("attributes");
}

TEST(Transform, PoolMarksDeviceTransientsOnly) {
  auto const out = transformed_json(device_program(), {.mode = memory_mode::pool});
  EXPECT_EQ(attributes_of(out, "B").at("pool"), true);
  EXPECT_FALSE(attributes_of(out, "A").contains("pool")) << "an argument";
  auto const host = transformed_json(test::small_program(), {.mode = memory_mode::pool});
  EXPECT_FALSE(attributes_of(host, "B").contains("pool")) << "host memory has no pool";
}

TEST(Transform, PersistentAndExternalSetTheLifetimeOfTransientsThatInitCanSize) {
  for (auto const& [mode, word] : {std::pair(memory_mode::persistent, "Persistent"),
                                   std::pair(memory_mode::external, "External")}) {
    auto const out = transformed_json(device_program(), {.mode = mode});
    EXPECT_EQ(attributes_of(out, "B").at("lifetime"), word);
    EXPECT_FALSE(attributes_of(out, "A").contains("lifetime"));
    // The nested program's transient is sized by a symbol that init knows under another name.
    auto const& inner =
        out.at(json::json_pointer("/nodes/1/nodes/0/branches/0/1/nodes/0/nodes/0/attributes/sdfg/"
                                  "attributes/_arrays/w/attributes"));
    EXPECT_FALSE(inner.contains("lifetime"));
  }
}

TEST(Transform, ExternalNamesTheStorageOfHostArrays) {
  auto const out = transformed_json(test::small_program(), {.mode = memory_mode::external});
  EXPECT_EQ(attributes_of(out, "B").at("storage"), "CPU_Heap");
}

TEST(Transform, CallersStreamIsASymbolThatInitPutsOnAllStreamsInNeutralNames) {
  auto program = device_program();
  program["attributes"]["init_code"]["cuda"] = {
      {"string_data", "__dace_gpu_set_all_streams(__state, cudaStreamDefault);\nkept();"},
      {"language", "CPP"}};
  auto const out = transformed_json(program, {.target = target::hip});
  EXPECT_EQ(out.at("attributes").at("symbols").at("gt_external_gpu_stream"), "int64");
  EXPECT_EQ(out.at("attributes").at("init_code").at("cuda").at("string_data"),
            "kept();\n__dace_gpu_set_all_streams(__state, (gpuStream_t)gt_external_gpu_stream);");
  auto const own = transformed_json(device_program(), {.own_streams = 2});
  EXPECT_FALSE(own.at("attributes").at("symbols").contains("gt_external_gpu_stream"));
}

TEST(Transform, SynchronousCallEndsInAStateThatWaits) {
  auto const out = transformed_json(device_program(), {.call = call_kind::sync});
  ASSERT_EQ(out.at("nodes").size(), 4u);
  auto const& state = out.at("nodes").at(3);
  EXPECT_EQ(state.at("label"), "sync_state");
  EXPECT_EQ(state.at("attributes").at("nosync"), true);
  EXPECT_NE(state.at("nodes")
                .at(0)
                .at("attributes")
                .at("code")
                .at("string_data")
                .get<std::string>()
                .find("gpuStreamSynchronize(__state->gpu_context->streams["),
            std::string::npos);
  auto const& edge = out.at("edges").back();
  EXPECT_EQ(edge.at("src"), "2");
  EXPECT_EQ(edge.at("dst"), "3");
  auto const async = transformed_json(device_program(), {});
  EXPECT_EQ(async.at("nodes").size(), 3u);
}

TEST(Transform, ResultIsReadAgainAndValid) {
  auto const text = transformed(device_program().dump(),
                                {.mode = memory_mode::external, .call = call_kind::sync});
  auto const again = read_text(text);
  EXPECT_NO_THROW(verify(again));
  EXPECT_EQ(again.find("B")->lifetime, lifetime::external);
}

TEST(Transform, EverythingElseKeepsItsOrder) {
  auto const before = device_program();
  auto after = transformed_json(before, {.target = target::cpu});
  EXPECT_EQ(after, before);
  EXPECT_EQ(after.dump(), before.dump());
}

} // namespace
} // namespace assay::sdfg
