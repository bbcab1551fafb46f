// Allocators, slabs and guards: what programs that share memory do to it and to the GPU.
#include <array>
#include <dlfcn.h>
#include <thread>

#include "assay/compiled_program.hpp"
#include "assay/workspace_allocator.hpp"
#include "assay/workspace_guard.hpp"
#include "error_text.hpp"
#include "gpu_runtime_mock.hpp"

namespace assay {
namespace {

using testing::_;
using testing::InSequence;
using testing::NiceMock;
using testing::Return;
using testing::StrictMock;

stream_handle stream(std::uintptr_t value) { return {reinterpret_cast<void*>(value)}; }

MATCHER_P(is_event, value, "") { return arg.value == value; }

// ---- registered allocators

workspace_source giving(void* base, std::size_t size) {
  return [=](workspace_device const&, std::size_t) { return workspace_buffer{base, size}; };
}

TEST(WorkspaceSources, AreFoundByNameUntilTheyAreForgotten) {
  register_workspace_source("tests.a", giving(nullptr, 7));
  EXPECT_EQ(find_workspace_source("tests.a")({}, 1).size_bytes, 7u);
  EXPECT_EQ(error_text([] { register_workspace_source("tests.a", giving(nullptr, 8)); }),
            "2: workspace allocator 'tests.a' is registered already");
  EXPECT_EQ(error_text([] { static_cast<void>(find_workspace_source("tests.b")); }),
            "2: no workspace allocator is registered as 'tests.b' (known: tests.a)");
  unregister_workspace_source("tests.a");
  EXPECT_EQ(error_text([] { static_cast<void>(find_workspace_source("tests.a")); }),
            "2: no workspace allocator is registered as 'tests.a' (known: none)");
}
TEST(WorkspaceSources, NeedANameAndACallable) {
  EXPECT_EQ(error_text([] { register_workspace_source("", giving(nullptr, 0)); }),
            "2: a workspace allocator needs a name");
  EXPECT_EQ(error_text([] { register_workspace_source("tests.null", {}); }),
            "2: workspace allocator 'tests.null' is no callable");
}

// ---- one slab per device

struct Slabs : testing::Test {
  alignas(256) std::array<char, 4096> bytes{};
  int made = 0, freed = 0;
  std::ptrdiff_t shift = 0;
  bool none = false;
  slab_allocator::memory memory{[this](workspace_device const& d, std::size_t) -> void* {
                                  ++made;
                                  return none ? nullptr : bytes.data() + d.device * 1024 + shift;
                                },
                                [this](workspace_device const&, void*) { ++freed; }};
};

TEST_F(Slabs, AreMadeOnceAndGivenToEveryProgram) {
  {
    slab_allocator slabs(memory);
    auto const first = slabs.slab({"GPU_Global", 0}, 1024);
    EXPECT_EQ(slabs.slab({"GPU_Global", 0}, 1024).base, first.base);
    // A smaller request is served; upstream refuses every size but the first.
    EXPECT_EQ(slabs.slab({"GPU_Global", 0}, 100).size_bytes, 1024u);
    EXPECT_NE(slabs.slab({"GPU_Global", 1}, 8).base, first.base);
    EXPECT_EQ(made, 2);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 2);
}
TEST_F(Slabs, NeverGrow) {
  slab_allocator slabs(memory);
  static_cast<void>(slabs.slab({"GPU_Global", 0}, 100));
  EXPECT_EQ(error_text([&] {
              static_cast<void>(slabs.slab({"GPU_Global", 0}, 200));
            }),
            "2: workspace of GPU_Global on device 0: 200 bytes asked, the slab has 100");
  EXPECT_EQ(slabs.slab({"GPU_Global", 0}, 100).size_bytes, 100u);
}
TEST_F(Slabs, HaveTheConfiguredSizeWhoeverAsksFirst) {
  slab_allocator slabs(memory, 512);
  EXPECT_EQ(error_text([&] {
              static_cast<void>(slabs.slab({"GPU_Global", 0}, 513));
            }),
            "2: workspace of GPU_Global on device 0: 513 bytes asked, the slab has 512");
  EXPECT_EQ(made, 0);
  EXPECT_EQ(slabs.slab({"GPU_Global", 0}, 8).size_bytes, 512u);
}
TEST_F(Slabs, CanBeAskedForAgainAfterAFailure) {
  slab_allocator slabs(memory);
  none = true;
  EXPECT_EQ(error_text([&] {
              static_cast<void>(slabs.slab({"GPU_Global", 0}, 64));
            }),
            "4: workspace of GPU_Global on device 0: no memory of 64 bytes");
  none = false;
  shift = 8;
  EXPECT_THAT(
      error_text([&] {
        static_cast<void>(slabs.slab({"GPU_Global", 0}, 64));
      }),
      testing::MatchesRegex("4: workspace of GPU_Global on device 0: base 0x[0-9a-f]+ is not "
                            "aligned to 256 bytes"));
  EXPECT_EQ(freed, 1);
  shift = 0;
  EXPECT_EQ(slabs.slab({"GPU_Global", 0}, 64).base, bytes.data());
}
TEST_F(Slabs, AreMadeOnceByManyThreads) {
  slab_allocator slabs(memory);
  std::vector<std::thread> threads;
  std::array<void*, 8> bases{};
  for (std::size_t k = 0; k < bases.size(); ++k)
    threads.emplace_back([&, k] { bases[k] = slabs.slab({"GPU_Global", 0}, 64).base; });
  for (auto& t : threads) t.join();
  for (void* base : bases) EXPECT_EQ(base, bytes.data());
  EXPECT_EQ(made, 1);
}

// ---- guards

struct Guard : testing::Test {
  StrictMock<test::gpu_runtime_mock> gpu;
  event_handle const event{&gpu};

  void use(workspace_guard& guard, std::string const& program, std::optional<stream_handle> on) {
    guard.enter(program, on);
    guard.leave();
  }
};

TEST_F(Guard, NoneCallsNothingAndRefusesNothing) {
  workspace_guard guard(guard_kind::none, gpu);
  use(guard, "a", stream(1));
  use(guard, "b", stream(2));
}
TEST_F(Guard, AssertNamesBothProgramsOfAnUnorderedUse) {
  workspace_guard guard(guard_kind::assert_unordered, gpu);
  use(guard, "a", stream(1));
  EXPECT_EQ(
      error_text([&] { guard.enter("b", stream(2)); }),
      "2: program 'b' uses the workspace of program 'a' on another stream, and nothing orders "
      "the two");
  EXPECT_EQ(
      error_text([&] { guard.enter("b", std::nullopt); }),
      "2: program 'b' uses the workspace of program 'a' on another stream, and nothing orders "
      "the two");
}
TEST_F(Guard, AssertAcceptsOneStreamFinishedCallsAndWaitsOfTheHost) {
  workspace_guard guard(guard_kind::assert_unordered, gpu);
  use(guard, "a", stream(1));
  use(guard, "b", stream(1));
  guard.host_waited(stream(2)); // another one: says nothing of stream 1
  EXPECT_NE(error_text([&] { guard.enter("c", stream(2)); }), "no error");
  guard.host_waited(stream(1));
  use(guard, "c", stream(2));
  guard.host_waited(stream(2));
  use(guard, "d", std::nullopt);
  use(guard, "e", stream(3));
}
TEST_F(Guard, OrderWaitsForTheUserBeforeOnlyWhereItRanOnAnotherStream) {
  InSequence order;
  EXPECT_CALL(gpu, create_event()).WillOnce(Return(event));
  EXPECT_CALL(gpu, record(is_event(event.value), stream(1))).Times(2);
  EXPECT_CALL(gpu, wait(stream(2), is_event(event.value)));
  EXPECT_CALL(gpu, record(is_event(event.value), stream(2)));
  EXPECT_CALL(gpu, synchronise(stream(2)));
  EXPECT_CALL(gpu, destroy_event(is_event(event.value)));
  workspace_guard guard(guard_kind::order, gpu);
  use(guard, "a", stream(1));
  use(guard, "b", stream(1));
  use(guard, "c", stream(2));
  use(guard, "d", std::nullopt); // streams of its own: the host waits
}
TEST_F(Guard, AUseInsideAnotherOneIsRefused) {
  workspace_guard guard(guard_kind::assert_unordered, gpu);
  guard.enter("a", stream(1));
  EXPECT_EQ(error_text([&] { guard.enter("b", stream(1)); }),
            "2: program 'b' uses the workspace while program 'a' does");
  guard.leave();
  use(guard, "b", stream(1));
}
TEST(GuardKind, IsSpelledInOneWay) {
  EXPECT_EQ(parse_guard_kind("order"), guard_kind::order);
  EXPECT_EQ(name(guard_kind::assert_unordered), "assert");
  EXPECT_EQ(error_text([] { static_cast<void>(parse_guard_kind("maybe")); }),
            "2: unknown workspace guard 'maybe' (one of none, assert, order)");
}

// ---- a program with an allocator

sdfg::argument symbol(std::string name) {
  sdfg::argument made;
  made.name = std::move(name);
  made.type.kind = sdfg::descriptor_kind::scalar;
  made.type.type = dtype::int64;
  made.is_symbol = true;
  return made;
}

struct SourcedProgram : testing::Test {
  NiceMock<test::gpu_runtime_mock> gpu;
  alignas(256) std::array<char, 4096> memory{};
  std::vector<std::string> asked;
  std::function<workspace_buffer(std::string const&, std::size_t)> answer =
      [this](std::string const& storage, std::size_t size) {
        return workspace_buffer{memory.data() + (storage == "GPU_Global" ? 0 : 2048), size};
      };
  compiled_program program{ASSAY_LIFE_PROGRAM,
                           {"life",
                            {{symbol("N"), symbol("gt_external_gpu_stream")},
                             {symbol("N"), symbol("gt_external_gpu_stream")}},
                            256,
                            false},
                           &gpu};

  SourcedProgram() {
    ON_CALL(gpu, inspect(_)).WillByDefault([this](void const* p) {
      return gpu_runtime::pointer_info{p < memory.data() + 2048 ? "device" : "host", 3};
    });
    ON_CALL(gpu, current_device()).WillByDefault(Return(3));
    program.set_workspace_source([this](workspace_device const& d, std::size_t size) {
      asked.push_back(d.storage + "@" + std::to_string(d.device) + ":" + std::to_string(size));
      return answer(d.storage, size);
    });
    program.set_external_gpu_stream(9);
  }
  std::string call(std::int64_t n) {
    argument_values const values{{"N", argument_value::integer(dtype::int64, n)}};
    return error_text([&] {
      if (program.state() == program_state::loaded) program.initialise(values);
      program.call(values);
    });
  }
};

TEST_F(SourcedProgram, AsksOncePerStorageAndAgainOnlyWhenTheNeedGrows) {
  EXPECT_EQ(call(10), "no error");
  EXPECT_THAT(asked, testing::UnorderedElementsAre("GPU_Global@3:80", "CPU_Heap@0:40"));
  EXPECT_EQ(call(10), "no error");
  EXPECT_EQ(call(5), "no error");
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_EQ(call(11), "no error");
  EXPECT_EQ(asked.size(), 4u);
  EXPECT_EQ(asked[2].substr(asked[2].find(':')) + asked[3].substr(asked[3].find(':')), ":88:44");
}
TEST_F(SourcedProgram, IsNotAskedForNothing) {
  EXPECT_EQ(call(0), "no error");
  EXPECT_EQ(call(-4), "no error");
  EXPECT_TRUE(asked.empty());
}
TEST_F(SourcedProgram, CanBeCalledAgainAfterEveryFailureOfTheAllocator) {
  auto const good = answer;
  answer = [](auto&&...) -> workspace_buffer { throw std::runtime_error("no room"); };
  EXPECT_EQ(call(10), "4: workspace for GPU_Global: its allocator failed: no room");
  answer = [](auto&&...) { return workspace_buffer{}; };
  EXPECT_EQ(call(10), "4: workspace for GPU_Global: its allocator gave nothing, 80 bytes needed");
  answer = [&](std::string const& s, std::size_t size) {
    return workspace_buffer{good(s, size).base, size - 1};
  };
  EXPECT_EQ(call(10), "2: workspace for GPU_Global: 79 bytes given, 80 needed");
  answer = [&](std::string const& s, std::size_t size) {
    return workspace_buffer{static_cast<char*>(good(s, size).base) + 8, size};
  };
  EXPECT_THAT(call(10), testing::HasSubstr("is not aligned to 256 bytes"));
  answer = good;
  ON_CALL(gpu, current_device()).WillByDefault(Return(2));
  EXPECT_EQ(call(10), "2: workspace for GPU_Global: memory of device 3 given, device 2 needed");
  ON_CALL(gpu, current_device()).WillByDefault(Return(3));
  EXPECT_EQ(program.state(), program_state::initialised);
  EXPECT_EQ(call(10), "no error");
  // A growth that fails leaves what was installed for the sizes before.
  answer = [](auto&&...) { return workspace_buffer{}; };
  EXPECT_EQ(call(20), "4: workspace for GPU_Global: its allocator gave nothing, 160 bytes needed");
  EXPECT_EQ(call(10), "no error");
  answer = good;
  EXPECT_EQ(call(20), "no error");
}
TEST(ProgramLife, TouchesTheGpuOnlyToValidateAndAgainOnlyAfterAFailure) {
  alignas(256) static std::array<char, 4096> memory;
  StrictMock<test::gpu_runtime_mock> gpu;
  std::vector<sdfg::argument> const symbols{symbol("N"), symbol("gt_external_gpu_stream")};
  compiled_program program(ASSAY_LIFE_PROGRAM, {"life", {symbols, symbols}, 256, false}, &gpu);
  char* const device = memory.data();
  char* const host = memory.data() + 2048;
  program.set_workspace_source([&](workspace_device const& d, std::size_t size) {
    return workspace_buffer{d.storage == "GPU_Global" ? device : host, size};
  });
  program.set_external_gpu_stream(9);
  argument_values const values{{"N", argument_value::integer(dtype::int64, 10)}};
  auto const fail_next_call = reinterpret_cast<void (*)(int)>(
      dlsym(dlopen(ASSAY_LIFE_PROGRAM, RTLD_NOW), "life_fail_call"));
  InSequence order;
  auto const expect_validation = [&] {
    EXPECT_CALL(gpu, inspect(device)).WillOnce(Return(gpu_runtime::pointer_info{"device", 0}));
    EXPECT_CALL(gpu, current_device()).WillOnce(Return(0));
    EXPECT_CALL(gpu, inspect(host)).WillOnce(Return(gpu_runtime::pointer_info{"host", 0}));
  };
  EXPECT_CALL(gpu, current_device()).WillOnce(Return(0)); // the allocator is asked for a device
  expect_validation();
  program.initialise(values);
  program.call(values);
  EXPECT_EQ(program.state(), program_state::ready);
  program.call(values); // nothing
  fail_next_call(0);
  EXPECT_EQ(error_text([&] { program.call(values); }),
            "4: program 'life' failed with GPU status 700");
  EXPECT_EQ(program.state(), program_state::initialised);
  expect_validation(); // installed again, without asking for memory again
  program.call(values);
  EXPECT_EQ(program.state(), program_state::ready);
  program.finish();
}

TEST_F(SourcedProgram, RefusesAStreamOnceItIsInitialised) {
  EXPECT_EQ(call(1), "no error");
  EXPECT_EQ(error_text([&] { program.set_external_gpu_stream(10); }),
            "2: the stream of program 'life' is set after initialise");
  argument_values const values{
      {"N", argument_value::integer(dtype::int64, 1)},
      {"gt_external_gpu_stream", argument_value::integer(dtype::int64, 8)}};
  EXPECT_EQ(error_text([&] { program.call(values); }),
            "2: the stream of program 'life' is not the one that was set");
}
TEST_F(SourcedProgram, IsKeptApartFromTheOtherUsersOfItsSlab) {
  workspace_guard guard(guard_kind::assert_unordered, gpu);
  program.share_workspace(guard);
  EXPECT_EQ(call(1), "no error");
  guard.enter("other", stream(9));
  guard.leave();
  EXPECT_EQ(call(1), "no error");
  guard.host_waited(stream(9));
  guard.enter("other", stream(1));
  guard.leave();
  EXPECT_EQ(call(1),
            "2: program 'life' uses the workspace of program 'other' on another stream, and "
            "nothing orders the two");
  guard.host_waited(stream(1));
  EXPECT_EQ(call(1), "no error");
}

} // namespace
} // namespace assay
