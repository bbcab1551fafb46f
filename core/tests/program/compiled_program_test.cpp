#include "assay/compiled_program.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "error_text.hpp"

namespace assay {
namespace {

sdfg::argument scalar(std::string name, dtype type, bool is_symbol) {
  sdfg::argument made;
  made.name = std::move(name);
  made.type.kind = sdfg::descriptor_kind::scalar;
  made.type.type = type;
  made.is_symbol = is_symbol;
  return made;
}

program_interface scripted_interface() {
  sdfg::argument out;
  out.name = "out";
  out.type.kind = sdfg::descriptor_kind::array;
  auto const n = scalar("N", dtype::int32, true),
             stream = scalar("gt_external_gpu_stream", dtype::int64, true);
  return {"scripted",
          {{out, scalar("factor", dtype::float32, false), scalar("flag", dtype::boolean, false), n,
            stream},
           {n, stream}},
          64,
          false};
}

struct CompiledProgram : testing::Test {
  std::array<double, 7> out{};
  alignas(64) std::array<char, 64> slab{};

  argument_values arguments(int n, std::int64_t stream = 0) {
    return {{"out", argument_value::pointer(out.data())},
            {"factor", argument_value::real(dtype::float32, 2.5)},
            {"flag", argument_value::integer(dtype::boolean, 1)},
            {"N", argument_value::integer(dtype::int32, n)},
            {"gt_external_gpu_stream", argument_value::integer(dtype::int64, stream)}};
  }
  template <typename Function> Function* hook(char const* name) {
    return reinterpret_cast<Function*>(dlsym(dlopen(ASSAY_SCRIPTED_PROGRAM, RTLD_NOW), name));
  }
  int live_states() { return hook<int()>("scripted_live_states")(); }
  compiled_program load() {
    return compiled_program(ASSAY_SCRIPTED_PROGRAM, scripted_interface(), nullptr);
  }
};

TEST_F(CompiledProgram, PassesEveryArgumentByItsTypeInTheAbisOrder) {
  auto program = load();
  program.initialise(arguments(2, 77));
  EXPECT_EQ(live_states(), 1);
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  program.call(arguments(2, 77));
  EXPECT_EQ(out, (std::array<double, 7>{2, 2, 2, 2.5, 1, 1, 77}));
  program.finish();
  EXPECT_EQ(live_states(), 0);
}

TEST_F(CompiledProgram, GoesThroughItsStatesInOneOrder) {
  auto program = load();
  EXPECT_EQ(program.state(), program_state::loaded);
  EXPECT_EQ(error_text([&] { program.call(arguments(2)); }),
            "2: program 'scripted' is not initialised");
  EXPECT_EQ(error_text([&] { static_cast<void>(program.workspace_needs()); }),
            "2: program 'scripted' is not initialised");
  EXPECT_EQ(error_text([&] { program.install({}); }), "2: program 'scripted' is not initialised");
  program.initialise(arguments(2));
  EXPECT_EQ(program.state(), program_state::initialised);
  EXPECT_EQ(error_text([&] { program.initialise(arguments(2)); }),
            "2: program 'scripted' is initialised already");
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  EXPECT_EQ(program.state(), program_state::ready);
  program.finish();
  EXPECT_EQ(program.state(), program_state::loaded);
  program.initialise(arguments(2)); // a finished program can start again
  EXPECT_EQ(live_states(), 1);
}

TEST_F(CompiledProgram, NeverRunsWithoutItsWorkspace) {
  auto program = load();
  program.initialise(arguments(2));
  out.fill(-1);
  EXPECT_EQ(error_text([&] { program.call(arguments(2)); }),
            "2: workspace for CPU_Heap: not installed, 16 bytes needed");
  EXPECT_EQ(out[0], -1) << "the program must not have run";
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  program.call(arguments(2));
  EXPECT_EQ(out[0], 2);
}

TEST_F(CompiledProgram, AsksSizesInSixtyFourBits) {
  auto program = load();
  program.initialise(arguments(5));
  auto const needs = program.workspace_needs();
  ASSERT_EQ(needs.size(), 1u);
  EXPECT_EQ(needs[0].storage, "CPU_Heap");
  EXPECT_EQ(needs[0].size_bytes, 5'000'000'040u);
  EXPECT_EQ(needs[0].alignment_bytes, 64u);
}

TEST_F(CompiledProgram, ValidatesAgainWhenASymbolChanges) {
  auto program = load();
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 15}}});
  program.call(arguments(1));
  out.fill(-1);
  EXPECT_EQ(error_text([&] { program.call(arguments(2)); }),
            "2: workspace for CPU_Heap: 15 bytes given, 16 needed");
  EXPECT_EQ(out[0], -1) << "a workspace that has become too small must not be used";
}

TEST_F(CompiledProgram, InstallsAgainWhenASymbolChangesAndTheWorkspaceIsLargeEnough) {
  auto program = load();
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  program.call(arguments(2));
  EXPECT_EQ(out[1], 2) << "offsets must be those of this call's symbols";
}

TEST_F(CompiledProgram, StartsAnewWhenSizesAreFixedAtInit) {
  auto interface = scripted_interface();
  interface.sizes_fixed_at_init = true;
  compiled_program program(ASSAY_SCRIPTED_PROGRAM, interface, nullptr);
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  program.call(arguments(2));
  EXPECT_EQ(out[0], 2) << "arrays of init must have this call's sizes";
  EXPECT_EQ(live_states(), 1);
}

TEST_F(CompiledProgram, ValidatesBeforeItStartsAnewAndStaysAsItIsWhereItRefuses) { // twin
  auto interface = scripted_interface();
  interface.sizes_fixed_at_init = true;
  compiled_program program(ASSAY_SCRIPTED_PROGRAM, interface, nullptr);
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 8}}});
  program.call(arguments(1));
  EXPECT_EQ(error_text([&] { program.call(arguments(2)); }),
            "2: workspace for CPU_Heap: 8 bytes given, 16 needed");
  EXPECT_EQ(program.state(), program_state::ready);
  program.call(arguments(1));
  EXPECT_EQ(live_states(), 1);
}

TEST_F(CompiledProgram, RefusesAnotherStreamAfterInit) {
  auto program = load();
  program.initialise(arguments(1, 7));
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  EXPECT_EQ(error_text([&] { program.call(arguments(1, 8)); }),
            "2: the stream of program 'scripted' cannot change after initialise");
}

TEST_F(CompiledProgram, ReportsAFailedCallOnceAndWantsItsWorkspaceAgain) {
  auto program = load();
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  hook<void(int)>("scripted_fail_call")(2);
  EXPECT_EQ(error_text([&] { program.call(arguments(1)); }),
            "4: program 'scripted' failed with GPU status 2");
  EXPECT_EQ(error_text([&] { program.call(arguments(1)); }),
            "2: workspace for CPU_Heap: not installed, 8 bytes needed");
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  EXPECT_EQ(error_text([&] { program.call(arguments(1)); }), "no error");
}

TEST_F(CompiledProgram, StaysLoadedAfterAFailedInit) {
  auto program = load();
  hook<void()>("scripted_fail_init")();
  EXPECT_EQ(error_text([&] { program.initialise(arguments(1)); }),
            "4: initialising program 'scripted' failed");
  EXPECT_EQ(program.state(), program_state::loaded);
  EXPECT_EQ(error_text([&] { program.initialise(arguments(1)); }), "no error");
}

TEST_F(CompiledProgram, ReportsAFailedExitAndIsGoneAllTheSame) {
  auto program = load();
  program.initialise(arguments(1));
  hook<void(int)>("scripted_fail_exit")(700);
  EXPECT_EQ(error_text([&] { program.finish(); }),
            "4: finishing program 'scripted' failed with GPU status 700");
  EXPECT_EQ(live_states(), 0);
  EXPECT_EQ(error_text([&] { program.finish(); }), "no error");
}

TEST_F(CompiledProgram, NamesTheArgumentThatIsMissing) {
  auto program = load();
  auto values = arguments(1);
  values.erase("N");
  EXPECT_EQ(error_text([&] { program.initialise(values); }),
            "2: argument 'N' of program 'scripted' is missing");
  program.initialise(arguments(1));
  program.install({{"CPU_Heap", {slab.data(), 16}}});
  values = arguments(1);
  values.erase("factor");
  EXPECT_EQ(error_text([&] { program.call(values); }),
            "2: argument 'factor' of program 'scripted' is missing");
}

TEST_F(CompiledProgram, NamesTheFunctionThatALibraryLacks) {
  auto interface = scripted_interface();
  interface.name = "other";
  EXPECT_EQ(error_text([&] { compiled_program(ASSAY_SCRIPTED_PROGRAM, interface, nullptr); }),
            "4: library of program 'other' lacks __dace_init_other");
}

TEST_F(CompiledProgram, FinishesWhenItGoesOutOfScope) {
  {
    auto program = load();
    program.initialise(arguments(1));
    EXPECT_EQ(live_states(), 1);
  }
  EXPECT_EQ(live_states(), 0);
}

TEST(ArgumentValue, RefusesWhatItsTypeCannotHold) {
  EXPECT_EQ(error_text([] { static_cast<void>(argument_value::integer(dtype::int32, 1LL << 31)); }),
            "2: 2147483648 is no int32");
  EXPECT_EQ(error_text([] { static_cast<void>(argument_value::integer(dtype::uint8, -1)); }),
            "2: -1 is no uint8");
  EXPECT_EQ(error_text([] { static_cast<void>(argument_value::integer(dtype::boolean, 2)); }),
            "2: 2 is no bool");
  EXPECT_EQ(error_text([] { static_cast<void>(argument_value::real(dtype::int64, 1.5)); }),
            "2: 1.5 is no int64");
  EXPECT_EQ(
      error_text([] { static_cast<void>(argument_value::integer(dtype::int32, (1LL << 31) - 1)); }),
      "no error");
}

} // namespace
} // namespace assay
