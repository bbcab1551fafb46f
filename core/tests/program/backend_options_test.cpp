#include "assay/backend_options.hpp"

#include <cstdlib>
#include <gmock/gmock.h>

#include "error_text.hpp"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

backend_options gpu(std::map<std::string, std::string> arguments = {}) {
  backend_options options;
  options.target = target::cuda;
  options.optimization_args = std::move(arguments);
  return options;
}
backend_options with_workspace(backend_options options) {
  options.workspace = workspace_config(1024);
  return options;
}
memory_mode mode_for(std::map<std::string, std::string> arguments) {
  return make_backend(gpu(std::move(arguments))).settings.mode;
}
std::string refusal(backend_options const& options) {
  return error_text([&] { static_cast<void>(make_backend(options)); });
}

// ---- the two old flags: D1 of upstream, where they are silently ignored

TEST(LegacyFlags, MeanOneModeEach) {
  EXPECT_EQ(mode_for({{"make_persistent", "false"}, {"gpu_memory_pool", "false"}}),
            memory_mode::scoped);
  EXPECT_EQ(mode_for({{"make_persistent", "False"}, {"gpu_memory_pool", "True"}}),
            memory_mode::pool);
  EXPECT_EQ(mode_for({{"make_persistent", "true"}, {"gpu_memory_pool", "false"}}),
            memory_mode::persistent);
  EXPECT_EQ(mode_for({{"make_persistent", "1"}}), memory_mode::persistent);
  EXPECT_EQ(mode_for({{"gpu_memory_pool", "0"}}), memory_mode::scoped);
}
TEST(LegacyFlags, BothSetAreRefusedWithTheNewSpellings) {
  EXPECT_EQ(refusal(gpu({{"make_persistent", "true"}, {"gpu_memory_pool", "true"}})),
            "2: make_persistent and gpu_memory_pool exclude each other: write "
            "transient_memory_mode=persistent or transient_memory_mode=pool");
}
TEST(LegacyFlags, AnyBesideTheModeIsRefusedWithTheNewSpelling) {
  EXPECT_EQ(refusal(gpu({{"transient_memory_mode", "POOL"}, {"gpu_memory_pool", "true"}})),
            "2: gpu_memory_pool beside transient_memory_mode=pool: drop the old spelling");
  EXPECT_EQ(refusal(gpu({{"transient_memory_mode", "scoped"}, {"make_persistent", "false"}})),
            "2: make_persistent beside transient_memory_mode=scoped: drop the old spelling");
  EXPECT_EQ(refusal(gpu({{"transient_memory_mode", "persistent"},
                         {"gpu_memory_pool", "false"},
                         {"make_persistent", "true"}})),
            "2: make_persistent and gpu_memory_pool beside transient_memory_mode=persistent: drop "
            "the old spelling");
}
TEST(LegacyFlags, AreFlags) {
  EXPECT_EQ(refusal(gpu({{"make_persistent", "maybe"}})),
            "2: make_persistent is 'maybe' (one of true, false)");
}

// ---- the decision table of make_dace_backend

TEST(BackendOptions, TakeEitherCaseOfAModeAndKeepWhatIsTheOptimisers) {
  auto const made = make_backend(gpu({{"transient_memory_mode", "PERSISTENT"}, {"unroll", "2"}}));
  EXPECT_EQ(made.settings.mode, memory_mode::persistent);
  EXPECT_THAT(made.optimization_args, ElementsAre(std::pair("unroll", "2")));
  EXPECT_THAT(made.warnings, IsEmpty());
  EXPECT_EQ(refusal(gpu({{"transient_memory_mode", "heap"}})),
            "2: unknown memory mode 'heap' (one of scoped, pool, persistent, external)");
}
TEST(BackendOptions, DefaultToThePool) {
  EXPECT_EQ(mode_for({}), memory_mode::pool);
  backend_options options = gpu();
  options.auto_optimize = false;
  EXPECT_EQ(make_backend(options).settings.mode, memory_mode::scoped);
}
TEST(BackendOptions, ListTheArgumentsThatTheBackendDecidesItself) {
  EXPECT_EQ(refusal(gpu({{"gpu", "true"}, {"unit_strides_kind", "horizontal"}, {"x", "1"}})),
            "2: optimization_args hold gpu, unit_strides_kind, which the backend decides");
}
// Upstream skips the check above when the optimiser is off.
TEST(BackendOptions, CheckTheArgumentsAlsoWhenTheOptimiserIsOff) {
  auto options = gpu({{"constant_symbols", "N"}});
  options.auto_optimize = false;
  EXPECT_EQ(refusal(options),
            "2: optimization_args hold constant_symbols, which the backend decides");
  options.optimization_args = {{"unroll", "2"}};
  EXPECT_THAT(make_backend(options).warnings,
              ElementsAre("optimization_args have no effect: auto_optimize is off"));
}
// D2 of upstream: the mode is compared by identity there, so a spelled mode passes without a
// workspace.
TEST(BackendOptions, ExternalNeedsAWorkspaceHoweverItIsSpelled) {
  for (auto const* spelling : {"external", "EXTERNAL"}) {
    EXPECT_EQ(refusal(gpu({{"transient_memory_mode", spelling}})),
              "2: transient_memory_mode=external needs a workspace");
    auto const made = make_backend(with_workspace(gpu({{"transient_memory_mode", spelling}})));
    EXPECT_EQ(made.settings.mode, memory_mode::external);
    EXPECT_EQ(made.workspace->size_bytes(), 1024u);
    EXPECT_THAT(made.warnings, IsEmpty());
  }
}
TEST(BackendOptions, AWorkspaceBesideAnotherModeIsRefused) {
  for (auto const* other : {"scoped", "pool", "persistent"})
    EXPECT_EQ(refusal(with_workspace(gpu({{"transient_memory_mode", other}}))),
              std::string("2: a workspace beside transient_memory_mode=") + other +
                  ": write transient_memory_mode=external or give none");
  EXPECT_EQ(refusal(with_workspace(gpu({{"gpu_memory_pool", "true"}}))),
            "2: a workspace beside transient_memory_mode=pool: write "
            "transient_memory_mode=external or give none");
}
TEST(BackendOptions, AWorkspaceAloneMeansExternal) {
  EXPECT_EQ(make_backend(with_workspace(gpu())).settings.mode, memory_mode::external);
}
// D3 of upstream: a workspace that nothing can use is accepted silently.
TEST(BackendOptions, AnUnusedWorkspaceIsWarnedAbout) {
  auto options = with_workspace(gpu());
  options.auto_optimize = false;
  auto const made = make_backend(options);
  EXPECT_THAT(made.warnings, ElementsAre("the workspace is not used: auto_optimize is off"));
  EXPECT_FALSE(made.workspace.has_value());
}
TEST(BackendOptions, TheOldAsyncFlagIsRefusedWithTheInvertedSpelling) {
  auto options = gpu();
  options.async_sdfg_call = true;
  EXPECT_EQ(refusal(options), "2: async_sdfg_call is gone: write sync_sdfg_call=false");
  options.async_sdfg_call = false;
  EXPECT_EQ(refusal(options), "2: async_sdfg_call is gone: write sync_sdfg_call=true");
}
TEST(BackendOptions, CallsAreAsynchronousUnlessAskedOtherwise) {
  EXPECT_EQ(make_backend(gpu()).settings.call, call_kind::async);
  auto options = gpu();
  options.sync_sdfg_call = true;
  EXPECT_EQ(make_backend(options).settings.call, call_kind::sync);
}
TEST(BackendOptions, TheCallersStreamIsNoneOfTheCpus) {
  auto options = gpu();
  options.external_gpu_stream = 4711;
  EXPECT_EQ(make_backend(options).external_gpu_stream, 4711);
  options.target = target::cpu;
  EXPECT_EQ(make_backend(options).external_gpu_stream, 0);
  EXPECT_THAT(make_backend(options).warnings,
              ElementsAre("external_gpu_stream is not used: the target has no GPU"));
}
TEST(BackendOptions, StreamsOfTheProgramsOwnAreCountedAsUpstreamCountsThem) {
  auto options = gpu();
  EXPECT_EQ(make_backend(options).settings.own_streams, 0);
  options.max_concurrent_streams = 3;
  EXPECT_EQ(make_backend(options).settings.own_streams, 3);
  options.max_concurrent_streams = 0;
  EXPECT_EQ(make_backend(options).settings.own_streams, settings::as_needed);
  options.external_gpu_stream = 5;
  EXPECT_THAT(make_backend(options).warnings, testing::SizeIs(1));
  options.max_concurrent_streams = -2;
  EXPECT_EQ(refusal(options), "2: max_concurrent_streams is -2 (-1, 0 or more)");
}

// ---- the size of a workspace

struct WorkspaceConfig : testing::Test {
  ~WorkspaceConfig() override { unsetenv(workspace_size_variable); }
  static std::string from(char const* text) {
    setenv(workspace_size_variable, text, 1);
    return error_text([] { static_cast<void>(workspace_config_from_environment()); });
  }
};

TEST_F(WorkspaceConfig, IsPositive) {
  EXPECT_EQ(workspace_config(1).size_bytes(), 1u);
  EXPECT_EQ(workspace_config(8589934592).size_bytes(), 8589934592u);
  EXPECT_EQ(error_text([] { workspace_config{0}; }),
            "2: workspace of 0 bytes: the size must be positive");
  EXPECT_EQ(error_text([] { workspace_config{-1024}; }),
            "2: workspace of -1024 bytes: the size must be positive");
}
TEST_F(WorkspaceConfig, ComesFromTheEnvironmentWhereThatHoldsANumber) {
  unsetenv(workspace_size_variable);
  EXPECT_EQ(workspace_config_from_environment(), std::nullopt);
  setenv(workspace_size_variable, "", 1);
  EXPECT_EQ(workspace_config_from_environment(), std::nullopt);
  setenv(workspace_size_variable, "4096", 1);
  EXPECT_EQ(workspace_config_from_environment(), workspace_config(4096));
}
TEST_F(WorkspaceConfig, ShowsTheValueOfAWrongEnvironment) {
  EXPECT_EQ(from("8GiB"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is '8GiB': no number of bytes");
  EXPECT_EQ(from(" 8"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is ' 8': no number of bytes");
  EXPECT_EQ(from("1.5"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is '1.5': no number of bytes");
  EXPECT_EQ(from("0"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is '0': the size must be positive");
  EXPECT_EQ(from("-8"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is '-8': the size must be positive");
  EXPECT_EQ(from("9223372036854775808"), "2: ICON4PY_BACKEND_WORKSPACE_SIZE is "
                                         "'9223372036854775808': the size passes 2^63 - 1 bytes");
}
TEST_F(WorkspaceConfig, HidesEvenAWrongEnvironmentWhereItIsGiven) {
  setenv(workspace_size_variable, "nonsense", 1);
  EXPECT_EQ(chosen_workspace(workspace_config(64)), workspace_config(64));
  setenv(workspace_size_variable, "128", 1);
  EXPECT_EQ(chosen_workspace(std::nullopt), workspace_config(128));
}

} // namespace
} // namespace assay
