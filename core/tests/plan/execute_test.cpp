#include "assay/execute.hpp"

#include <gmock/gmock.h>

#include "assay/error.hpp"
#include "immediate_runtime.hpp"
#include "plan/execute_footprints.hpp"
#include "plan/execute_values.hpp"

namespace assay::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

expression num(std::int64_t v) { return expression::integer(v); }
expression sym(char const* name) { return expression::name(name); }

/// Counts what the host was said to touch.
class counting_observer final : public observer {
public:
  int reads = 0, writes = 0, opened = 0, closed = 0;
  std::vector<std::string> sub_arrays;
  void host_access(void const*, std::size_t, bool write) override { ++(write ? writes : reads); }
  void open_use(std::string const&, stream_handle, bool) override { ++opened; }
  void close_use() override { ++closed; }
  void sub_array(void const*, std::size_t size, std::size_t, std::string const& name) override {
    sub_arrays.push_back(name + " " + std::to_string(size));
  }
};

/// A plan made by hand: N elements of A and B (arguments), T (transient), the host scalar s.
class Execute : public ::testing::Test {
protected:
  program plan_;
  test::immediate_runtime runtime_;
  counting_observer observer_;
  std::vector<std::uint64_t> a_{1, 2, 3, 4}, b_{5, 6, 7, 8};
  symbol_values symbols_{{"N", 4}, {std::string(external_stream_symbol), 9}};
  call_arguments arguments_;

  enum : std::uint32_t { A, B, T, s };
  static buffer_id id(std::uint32_t k) { return static_cast<buffer_id>(k); }

  Execute() {
    plan_.name = "p";
    for (auto const* name : {"A", "B", "T", "s"}) {
      buffer b;
      b.name = b.container = name;
      b.type = dtype::int64;
      b.element_count = sym("N");
      b.storage = "GPU_Global";
      plan_.buffers.push_back(b);
    }
    plan_.buffers[T].provision = provision::call;
    plan_.buffers[s].provision = provision::state_value;
    plan_.buffers[s].space = memory_space::host;
    plan_.buffers[s].by_value = true;
    plan_.buffers[s].element_count = num(1);
    sdfg::argument n;
    n.name = "N";
    n.is_symbol = true;
    n.type.type = dtype::int64;
    plan_.signature.init = {n};
    for (auto const* name : {"A", "B"}) plan_.signature.arguments.push_back({name, {}, false});
    plan_.signature.arguments.push_back(n);
    arguments_.arrays = {{"A", a_.data()}, {"B", b_.data()}};
    arguments_.scalars = {{"N", std::int64_t{4}}};
  }

  footprint touch(std::uint32_t k, bool writes, expression count = sym("N")) {
    footprint f{id(k), {num(0), {}}, !writes, writes, false};
    if (!count.is_integer(1)) f.box.extents.push_back({count, num(1)});
    return f;
  }
  void add(decltype(step::content) content, std::string place = {}) {
    plan_.body.push_back({std::move(content), std::move(place)});
  }
  void add_launch(std::vector<footprint> prints, expression last = sym("N") - num(1)) {
    kernel k;
    k.name = "k" + std::to_string(plan_.kernels.size());
    k.place = "/map";
    k.dimensions = {{"i", {num(0), last, num(1)}}};
    plan_.kernels.push_back(k);
    add(launch{static_cast<kernel_id>(plan_.kernels.size() - 1), {}, std::move(prints)});
  }
  copy copy_of(std::uint32_t from, std::uint32_t to, std::vector<copy_dimension> dimensions) {
    copy c;
    c.source = id(from);
    c.target = id(to);
    c.source_offset = c.target_offset = num(0);
    c.dimensions = std::move(dimensions);
    return c;
  }
  void run_once() {
    execution e(plan_, runtime_, observer_);
    e.init(symbols_);
    e.call(arguments_);
    e.exit();
  }
  static std::string message(std::function<void()> const& f) {
    try {
      f();
    } catch (error const& e) {
      return std::to_string(static_cast<int>(e.code())) + ": " + e.what();
    }
    return "no error";
  }
};

TEST_F(Execute, LaunchesAStandInThatMixesWhatItReads) {
  add_launch({touch(A, false), touch(B, true)});
  std::uint64_t hash = mix_seed("/map");
  for (auto const v : a_) hash = mix(hash, v);
  run_once();
  EXPECT_THAT(b_, ElementsAre(mix(hash, 0), mix(hash, 1), mix(hash, 2), mix(hash, 3)));
  EXPECT_THAT(runtime_.calls, ElementsAre("launch k0 on 9", "synchronise_device"));
}

TEST_F(Execute, AccumulatesOntoWhatIsThere) {
  auto sum = touch(B, true);
  sum.accumulates = sum.reads = true;
  add_launch({sum});
  run_once();
  EXPECT_EQ(b_[1], 6 + mix(mix_seed("/map"), 1));
}

TEST_F(Execute, SkipsALaunchWithAnEmptyGrid) {
  add_launch({touch(B, true)}, num(-1));
  run_once();
  EXPECT_THAT(b_, ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(runtime_.calls, ElementsAre("synchronise_device"));
}

TEST_F(Execute, AllocatesAndReleasesWhereThePlanSays) {
  add(allocate{id(T), {}});
  add(fill_zero{id(T), {}});
  add_launch({touch(T, false), touch(B, true)});
  add(release{id(T), {}});
  run_once();
  EXPECT_THAT(runtime_.calls, ElementsAre("allocate 32", "fill 32 on 9", "launch k0 on 9",
                                          "release", "synchronise_device"));
  EXPECT_TRUE(runtime_.live.empty());
}

TEST_F(Execute, PoolMemoryIsOrderedOnTheStreamOfItsStep) {
  plan_.buffers[T].provision = provision::call_pool;
  plan_.settings.own_streams = plan_.stream_count = 2;
  plan_.event_count = 1;
  add(allocate{id(T), stream_id{1}});
  add(record{event_id{0}, stream_id{1}});
  add(stream_wait{stream_id{0}, event_id{0}});
  add(release{id(T), stream_id{0}});
  run_once();
  EXPECT_THAT(runtime_.calls,
              ElementsAre("create_stream", "create_stream", "create_event",
                          "allocate_async 32 on 2", "record 101 on 2", "wait 101 on 1",
                          "release_async on 1", "synchronise_device", "destroy_stream on 1",
                          "destroy_stream on 2", "destroy_event"));
  EXPECT_TRUE(runtime_.live.empty());
  EXPECT_EQ(runtime_.live_handles, 0);
}

TEST_F(Execute, ReleasesWhatAFailedCallHadAllocatedAndCanBeCalledAgain) {
  add(allocate{id(T), {}});
  add_launch({touch(T, false), touch(B, true)});
  add(release{id(T), {}});
  execution e(plan_, runtime_, observer_);
  e.init(symbols_);
  runtime_.before = [](std::string const& call) {
    if (call.starts_with("launch")) throw error(errc::environment, "launch failed");
  };
  EXPECT_EQ(message([&] { e.call(arguments_); }), "4: launch failed");
  EXPECT_TRUE(runtime_.live.empty());
  EXPECT_EQ(observer_.opened, 1);
  EXPECT_EQ(observer_.closed, 1);
  runtime_.before = {};
  e.call(arguments_);
  EXPECT_NE(b_[0], 5u);
  EXPECT_TRUE(runtime_.live.empty());
}

TEST_F(Execute, InitReleasesWhatItMadeWhenItFails) {
  plan_.settings.own_streams = plan_.stream_count = 2;
  execution e(plan_, runtime_, observer_);
  runtime_.before = [&](std::string const& call) {
    if (call == "create_stream" && runtime_.live_handles == 1)
      throw error(errc::environment, "no more streams");
  };
  EXPECT_EQ(message([&] { e.init(symbols_); }), "4: no more streams");
  EXPECT_EQ(runtime_.live_handles, 0);
  runtime_.before = {};
  e.init(symbols_);
  EXPECT_EQ(runtime_.live_handles, 2);
}

class ExecuteWithWorkspace : public Execute {
protected:
  alignas(256) unsigned char slab_[1024] = {};
  std::vector<std::string> calls_; ///< of the call alone
  ExecuteWithWorkspace() {
    plan_.buffers[T].provision = provision::external;
    workspace w;
    w.storage = "GPU_Global";
    w.entries = {{id(T), num(0), sym("N") * num(8)}};
    w.size_bytes = sym("N") * num(8);
    plan_.workspaces = {w};
    add_launch({touch(A, false), touch(T, true)});
    add_launch({touch(T, false), touch(B, true)});
  }
  std::string call_with(void* base, std::size_t size) {
    execution e(plan_, runtime_, observer_);
    e.init(symbols_);
    runtime_.calls.clear();
    if (base != nullptr) e.set_workspace("GPU_Global", base, size);
    auto const outcome = message([&] { e.call(arguments_); });
    calls_ = runtime_.calls;
    return outcome;
  }
};

TEST_F(ExecuteWithWorkspace, RunsInAWorkspaceOfTheExactSize) {
  EXPECT_EQ(call_with(slab_, 32), "no error");
  EXPECT_EQ(calls_.size(), 2u);
  EXPECT_THAT(observer_.sub_arrays, ElementsAre("T 32"));
}
TEST_F(ExecuteWithWorkspace, RefusesAWorkspaceThatIsOneByteShortAndRunsNothing) {
  EXPECT_EQ(call_with(slab_, 31), "2: workspace for GPU_Global: 31 bytes given, 32 needed");
  EXPECT_TRUE(calls_.empty());
  EXPECT_EQ(observer_.opened, 0);
}
TEST_F(ExecuteWithWorkspace, RefusesAMisalignedWorkspace) {
  EXPECT_EQ(call_with(slab_ + 8, 32),
            "2: workspace for GPU_Global: base is not aligned to 256 bytes");
  EXPECT_TRUE(calls_.empty());
}
TEST_F(ExecuteWithWorkspace, RefusesAMissingWorkspace) {
  EXPECT_EQ(call_with(nullptr, 0), "2: workspace for GPU_Global: not set");
  EXPECT_TRUE(calls_.empty());
}
TEST_F(ExecuteWithWorkspace, ValidatesAgainWhenASymbolGrows) {
  execution e(plan_, runtime_, observer_);
  e.init(symbols_);
  e.set_workspace("GPU_Global", slab_, 32);
  e.call(arguments_);
  arguments_.scalars["N"] = std::int64_t{5};
  EXPECT_EQ(message([&] { e.call(arguments_); }),
            "2: workspace for GPU_Global: 32 bytes given, 40 needed");
}

TEST_F(Execute, RefusesPersistentMemoryThatWasMadeForOtherSymbols) {
  plan_.buffers[T].provision = provision::persistent;
  execution e(plan_, runtime_, observer_);
  e.init(symbols_);
  e.call(arguments_);
  arguments_.scalars["N"] = std::int64_t{5};
  EXPECT_EQ(message([&] { e.call(arguments_); }),
            "2: persistent memory of 'T' was made with 32 bytes, this call needs 40");
}

TEST_F(Execute, NamesWhatTheCallerForgot) {
  execution e(plan_, runtime_, observer_);
  EXPECT_EQ(message([&] { e.call(arguments_); }), "2: program 'p' is called before init");
  EXPECT_EQ(message([&] { e.init({}); }), "2: symbol 'N' of program 'p' is not given to init");
  e.init(symbols_);
  EXPECT_EQ(message([&] { e.init(symbols_); }), "2: program 'p' is initialised already");
  arguments_.arrays.erase("B");
  EXPECT_EQ(message([&] { e.call(arguments_); }), "2: argument 'B' of program 'p' is not given");
}

TEST_F(Execute, CopiesRowsOfABoxInOneCall) {
  add(copy_of(A, B, {{num(2), num(2), num(2)}, {num(1), num(1), num(1)}}));
  run_once();
  EXPECT_THAT(b_, ElementsAre(1, 6, 3, 8));
  EXPECT_THAT(runtime_.calls, ElementsAre("copy_2d 8x2 on device on 9", "synchronise_device"));
}

TEST_F(Execute, CopiesNothingWhereADimensionIsEmpty) {
  add(copy_of(A, B, {{sym("N") - num(4), num(1), num(1)}}));
  run_once();
  EXPECT_THAT(b_, ElementsAre(5, 6, 7, 8));
}

TEST_F(Execute, HostControlFlowReadsRealData) {
  add(copy_of(A, s, {}));
  branch b;
  b.arms.push_back({expression::binary("==", sym("s"), num(1)), {{copy_of(A, B, {}), {}}}});
  b.arms.push_back({std::nullopt, {{fill_zero{id(B), {}}, {}}}});
  add(b);
  run_once();
  EXPECT_EQ(b_[0], 1u);
  EXPECT_EQ(b_[1], 6u); // the other arm would have cleared it
  EXPECT_EQ(observer_.reads, 1);
}

TEST_F(Execute, LoopsUpdateBeforeOrAfterTheConditionAsTheySay) {
  auto const iterations = [&](bool inverted, bool update_first, std::int64_t bound) {
    plan_.body.clear();
    plan_.symbols = {{"i", dtype::int64}};
    loop l;
    l.init.resize(1);
    l.init[0].what = statement::kind::assign;
    l.init[0].target = sym("i");
    l.init[0].value = num(0);
    l.update = l.init;
    l.update[0].value = sym("i") + num(1);
    l.condition = expression::binary("<", sym("i"), num(bound));
    l.inverted = inverted;
    l.update_before_condition = update_first;
    add(l);
    execution e(plan_, runtime_, observer_);
    e.init(symbols_);
    e.call(arguments_);
    return e.counts().iterations;
  };
  EXPECT_EQ(iterations(false, true, 3), 3u);
  EXPECT_EQ(iterations(false, true, 0), 0u);
  EXPECT_EQ(iterations(true, true, 3), 3u);
  EXPECT_EQ(iterations(true, true, 0), 1u);
  EXPECT_EQ(iterations(true, false, 3), 4u);
}

TEST_F(Execute, RefusesALoopWithoutEnd) {
  add(loop{}, "/loop");
  execution e(plan_, runtime_, observer_);
  e.init(symbols_);
  EXPECT_EQ(message([&] { e.call(arguments_); }), "2: loop runs more than 1000000 times");
}

TEST_F(Execute, HostStepsMixOnTheHostAndTellTheObserver) {
  plan_.buffers[A].space = plan_.buffers[B].space = memory_space::host;
  add(host_compute{"h", {}, {touch(A, false, num(1)), touch(B, true, num(1))}}, "/tasklet");
  run_once();
  EXPECT_EQ(b_[0], mix(mix(mix_seed("/tasklet"), 1), 0));
  EXPECT_EQ(observer_.reads, 1);
  EXPECT_EQ(observer_.writes, 1);
}

TEST_F(Execute, RefusesHostCodeThatTouchesTheDevice) {
  add(host_compute{"h", {}, {touch(B, true)}}, "/tasklet");
  execution e(plan_, runtime_, observer_);
  e.init(symbols_);
  EXPECT_EQ(message([&] { e.call(arguments_); }),
            "2: host computation touches device memory of 'B'");
}

TEST(ExecuteFootprints, OverlappingBoxesBecomeEachElementOnce) {
  // A window of three moved over four places touches six elements.
  auto const boxes = normalised({{10, {{4, 1}, {3, 1}}}});
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_EQ(boxes[0].offset, 10);
  ASSERT_EQ(boxes[0].extents.size(), 1u);
  EXPECT_EQ(boxes[0].extents[0].count, 6);
}

TEST(ExecuteFootprints, ABoxIsTheSameFromEitherEnd) {
  auto const boxes = normalised({{7, {{4, -2}}}});
  std::vector<std::int64_t> offsets;
  for (auto const& b : boxes) for_each_offset(b, [&](std::int64_t o) { offsets.push_back(o); });
  EXPECT_THAT(offsets, ElementsAre(1, 3, 5, 7));
}

class no_names final : public value_source {
  host_value named(std::string const& name) const override {
    throw error(errc::invalid_input, name);
  }
  host_value element(std::string const& name, std::int64_t) const override { return named(name); }
};

TEST(ExecuteValues, DivisionRoundsDownAsInPython) {
  auto const value = [](char const* op, std::int64_t a, std::int64_t b) {
    return evaluate(expression::binary(op, num(a), num(b)), no_names{}).as_integer();
  };
  EXPECT_EQ(value("//", -7, 2), -4);
  EXPECT_EQ(value("%", -7, 4), 1);
  EXPECT_EQ(value("%", 7, -4), -1);
  EXPECT_EQ(value("//", INT64_MIN, -1), INT64_MIN); // wraps
}

TEST(ExecuteValues, ConditionsDoNotEvaluateWhatTheyNeedNot) {
  auto const unknown = expression::name("unknown");
  EXPECT_FALSE(evaluate(expression::binary("and", num(0), unknown), no_names{}).truth());
  EXPECT_TRUE(evaluate(expression::binary("or", num(1), unknown), no_names{}).truth());
  EXPECT_THROW((void)evaluate(expression::binary("or", num(0), unknown), no_names{}), error);
}

} // namespace
} // namespace assay::plan
