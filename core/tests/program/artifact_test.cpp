#include "assay/artifact.hpp"

#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>
#include <unistd.h>

#include "assay/error.hpp"
#include "assay/workspace_allocator.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct Artifact : testing::Test {
  fs::path const folder =
      fs::temp_directory_path() / ("assay-artifact-" + std::to_string(getpid()));
  fs::path const sdfg = fs::path(ASSAY_EXAMPLES) / "hdiff" / "program.sdfg";
  settings chosen;

  Artifact() {
    chosen.mode = memory_mode::external;
    chosen.layout = workspace_layout::reuse;
    chosen.own_streams = 2;
    register_workspace_source(
        "tests.slab", [](workspace_device const&, std::size_t) { return workspace_buffer{}; });
  }
  ~Artifact() override {
    unregister_workspace_source("tests.slab");
    fs::remove_all(folder);
  }
  artifact save() { return save_artifact(folder, sdfg, ASSAY_LIFE_PROGRAM, chosen, "tests.slab"); }
  std::string refusal() {
    try {
      static_cast<void>(load_artifact(folder));
    } catch (error const& e) {
      EXPECT_EQ(e.code(), errc::invalid_input);
      return fs::path(e.file()).filename().string() + ": " + e.what();
    }
    return "no error";
  }
};

TEST_F(Artifact, ComesBackAsItWasSaved) {
  auto const saved = save();
  auto const loaded = load_artifact(folder);
  EXPECT_EQ(loaded.name, "programs_hdiff");
  EXPECT_EQ(loaded.settings.mode, memory_mode::external);
  EXPECT_EQ(loaded.settings.layout, workspace_layout::reuse);
  EXPECT_EQ(loaded.settings.own_streams, 2);
  EXPECT_EQ(loaded.allocator, "tests.slab");
  EXPECT_EQ(loaded.fingerprint, saved.fingerprint);
  EXPECT_TRUE(fs::exists(loaded.library));
  auto const interface = loaded.interface();
  EXPECT_EQ(interface.name, "programs_hdiff");
  EXPECT_EQ(interface.workspace_alignment_bytes, 256u);
  EXPECT_FALSE(interface.sizes_fixed_at_init);
}
TEST_F(Artifact, HoldsTheAllocatorsNameAndNoBufferOrHandle) {
  static_cast<void>(save());
  std::ostringstream text;
  text << std::ifstream(folder / "artifact.json").rdbuf();
  EXPECT_THAT(text.str(), testing::HasSubstr("\"workspace_allocator\": \"tests.slab\""));
  EXPECT_THAT(text.str(), testing::Not(testing::HasSubstr("0x")));
}
TEST_F(Artifact, IsRefusedWhereItsAllocatorIsUnknown) {
  static_cast<void>(save());
  unregister_workspace_source("tests.slab");
  EXPECT_EQ(refusal(),
            "artifact.json: no workspace allocator is registered as 'tests.slab' (known: none)");
}
TEST_F(Artifact, IsRefusedWhereItsFilesHaveChanged) {
  static_cast<void>(save());
  fs::copy_file(fs::path(ASSAY_EXAMPLES) / "axpy" / "program.sdfg", folder / "program.sdfg",
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(refusal(),
            "artifact.json: its fingerprint is not that of program.sdfg and the settings");
  static_cast<void>(save());
  std::ofstream(folder / "libprograms_hdiff.so", std::ios::app) << "x";
  EXPECT_EQ(refusal(), "artifact.json: its library has changed since it was saved");
}
TEST_F(Artifact, IsRefusedWhereItIsNone) {
  EXPECT_EQ(refusal(), "artifact.json: cannot be read");
  fs::create_directories(folder);
  std::ofstream(folder / "artifact.json") << "{\"format\": \"other\"}";
  EXPECT_EQ(refusal(), "artifact.json: is no artifact of format assay-artifact-1");
  std::ofstream(folder / "artifact.json") << "{";
  EXPECT_THAT(refusal(), testing::StartsWith("artifact.json: is no artifact: "));
}
TEST_F(Artifact, TheFingerprintKnowsEverySetting) {
  auto const before = fingerprint_of("text", chosen);
  EXPECT_EQ(before, fingerprint_of("text", chosen));
  EXPECT_NE(before, fingerprint_of("other text", chosen));
  std::vector<std::string> all{before};
  auto const changed = [&](auto change) {
    settings other = chosen;
    change(other);
    all.push_back(fingerprint_of("text", other));
  };
  changed([](settings& s) { s.mode = memory_mode::pool; });
  changed([](settings& s) { s.target = target::hip; });
  changed([](settings& s) { s.layout = workspace_layout::packed; });
  changed([](settings& s) { s.call = call_kind::sync; });
  changed([](settings& s) { s.own_streams = 3; });
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
}

} // namespace
} // namespace assay
