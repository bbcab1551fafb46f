#include "assay/workspace.hpp"

#include <array>
#include <gmock/gmock.h>

#include "error_text.hpp"

namespace assay {
namespace {

using testing::_;
using testing::NiceMock;
using testing::Return;

class described_memory : public gpu_runtime {
public:
  MOCK_METHOD(pointer_info, inspect, (void const*), (override));
  MOCK_METHOD(int, current_device, (), (override));
  std::string_view name() const override { return "described"; }
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) override {}
  void* allocate_async(std::size_t, stream_handle) override { return nullptr; }
  void release_async(void*, stream_handle) override {}
  void copy_async(void*, void const*, std::size_t, copy_direction, stream_handle) override {}
  void copy_2d_async(void*, std::size_t, void const*, std::size_t, std::size_t, std::size_t,
                     copy_direction, stream_handle) override {}
  void fill_async(void*, int, std::size_t, stream_handle) override {}
  stream_handle create_stream(stream_kind) override { return {}; }
  void destroy_stream(stream_handle) override {}
  void synchronise(stream_handle) override {}
  void synchronise_device() override {}
  event_handle create_event() override { return {}; }
  void destroy_event(event_handle) override {}
  void record(event_handle, stream_handle) override {}
  void wait(stream_handle, event_handle) override {}
  void launch_copy(void*, void const*, std::size_t, stream_handle) override {}
  void launch_mix(std::uint64_t, std::span<byte_box const>, std::span<byte_box const>,
                  std::span<byte_box const>, stream_handle, std::string_view) override {}
};

struct Workspace : testing::Test {
  NiceMock<described_memory> gpu;
  alignas(256) std::array<char, 1024> memory{};
  std::vector<workspace_need> needs{{"GPU_Global", 512, 256}};

  Workspace() {
    ON_CALL(gpu, inspect(_)).WillByDefault(Return(gpu_runtime::pointer_info{"device", 0}));
    ON_CALL(gpu, current_device()).WillByDefault(Return(0));
  }
  std::string verdict(workspace_buffers const& buffers) {
    return error_text([&] { validate_workspace(needs, buffers, &gpu); });
  }
};

TEST_F(Workspace, AcceptsABufferThatKeepsEveryRule) {
  EXPECT_CALL(gpu, inspect(memory.data())).Times(1);
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 512}}}), "no error");
}
TEST_F(Workspace, WantsABufferForEveryStorage) {
  EXPECT_EQ(verdict({}), "2: workspace for GPU_Global: none is set, 512 bytes needed");
  EXPECT_EQ(verdict({{"GPU_Global", {nullptr, 512}}}),
            "2: workspace for GPU_Global: none is set, 512 bytes needed");
  needs.push_back({"CPU_Heap", 8, 8});
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 512}}}),
            "2: workspace for CPU_Heap: none is set, 8 bytes needed");
}
TEST_F(Workspace, WantsTheRightKindOfMemory) {
  ON_CALL(gpu, inspect(_)).WillByDefault(Return(gpu_runtime::pointer_info{"host", 0}));
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 512}}}),
            "2: workspace for GPU_Global: host memory given, device memory needed");
  needs = {{"CPU_Heap", 8, 8}};
  EXPECT_EQ(verdict({{"CPU_Heap", {memory.data(), 8}}}), "no error");
}
TEST_F(Workspace, WantsMemoryOfTheCurrentDevice) {
  ON_CALL(gpu, inspect(_)).WillByDefault(Return(gpu_runtime::pointer_info{"device", 1}));
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 512}}}),
            "2: workspace for GPU_Global: memory of device 1 given, device 0 needed");
}
TEST_F(Workspace, WantsAnAlignedBase) {
  EXPECT_THAT(verdict({{"GPU_Global", {memory.data() + 8, 512}}}),
              testing::MatchesRegex(
                  "2: workspace for GPU_Global: base 0x[0-9a-f]+ is not aligned to 256 bytes"));
  needs[0].alignment_bytes = 1;
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data() + 8, 512}}}), "no error");
}
TEST_F(Workspace, WantsEveryByte) {
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 511}}}),
            "2: workspace for GPU_Global: 511 bytes given, 512 needed");
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data(), 513}}}), "no error");
}
TEST_F(Workspace, ChecksTheKindBeforeTheAlignmentBeforeTheSize) {
  EXPECT_THAT(verdict({{"GPU_Global", {memory.data() + 8, 1}}}),
              testing::HasSubstr("is not aligned"));
  ON_CALL(gpu, inspect(_)).WillByDefault(Return(gpu_runtime::pointer_info{"pinned", 0}));
  EXPECT_EQ(verdict({{"GPU_Global", {memory.data() + 8, 1}}}),
            "2: workspace for GPU_Global: pinned memory given, device memory needed");
}
TEST_F(Workspace, NeedsNothingForNoBytes) {
  needs[0].size_bytes = 0;
  EXPECT_EQ(verdict({}), "no error");
}
TEST_F(Workspace, RefusesAStorageThatItDoesNotKnow) {
  needs[0].storage = "GPU_Shared";
  EXPECT_EQ(verdict({}),
            "3: workspace for storage GPU_Shared (GPU_Global, CPU_Pinned and CPU_Heap are)");
}

} // namespace
} // namespace assay
