#pragma once
/// \file One case of a campaign: a program under one combination of settings, on the mock, without
/// a compiler; and the judgement over it.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "assay/plan.hpp"
#include "assay/plant.hpp"
#include "assay/sdfg.hpp"
#include "fuzz/model.hpp"
#include "fuzz/program_spec.hpp"
#include "fuzz/space.hpp"

namespace assay::tool {

/// A program with its arguments, and what is kept of it between cases.
class fuzz_subject {
public:
  /// A random program, read back from the text that is stored where it fails. Its results are
  /// those of the sequential model.
  fuzz_subject(fuzz::program_spec const&, std::uint64_t content_seed, assay::plant);
  /// A file. Symbols without a value are made up. `has_model`: it was written by a campaign;
  /// results of other programs are those of a run with default settings.
  /// \throws error as sdfg::read
  fuzz_subject(std::filesystem::path const&, symbol_values const& set, std::uint64_t content_seed,
               bool has_model, assay::plant);

  [[nodiscard]] sdfg::graph const& graph() const noexcept { return graph_; }
  [[nodiscard]] symbol_values const& symbols() const noexcept { return symbols_; }
  [[nodiscard]] std::uint64_t content_seed() const noexcept { return content_seed_; }
  [[nodiscard]] bool has_model() const noexcept { return has_model_; }
  [[nodiscard]] assay::plant plant() const noexcept { return plant_; }

  struct lowered {
    plan::program plan;
    bool has_plant = false; ///< it found a place
  };
  [[nodiscard]] lowered const& plan_of(settings const&);
  [[nodiscard]] std::map<std::string, fuzz::words> content() const;
  /// Arguments after so many calls. \throws error where the reference itself does not run
  [[nodiscard]] std::map<std::string, fuzz::words> const& expected(int calls);

private:
  sdfg::graph graph_;
  symbol_values symbols_;
  std::uint64_t content_seed_;
  bool has_model_;
  assay::plant plant_;
  std::map<std::string, lowered> plans_;
  std::map<int, std::map<std::string, fuzz::words>> expected_;
};

/// The program's part of the settings.
[[nodiscard]] settings settings_of(fuzz::choice const&);
/// As the mock reads it; `draw` is the seed of those that have one.
[[nodiscard]] std::string schedule_of(fuzz::choice const&, std::uint64_t draw);

struct case_outcome {
  /// "holds", "not applicable", or what is wrong: "findings", "wrong results", "refused", "leak
  /// after a failure", ...
  std::string what = "holds";
  std::string group; ///< equal for failures that look alike
  std::string text;  ///< for people
  std::uint64_t operations = 0, accesses = 0;
  [[nodiscard]] bool is_failure() const { return what != "holds" && what != "not applicable"; }
};

/// Resets the mock and runs the case, where it has a fault once without it before.
/// `draw`: of the schedule, and of the call that fails.
[[nodiscard]] case_outcome run_fuzz_case(fuzz_subject&, fuzz::choice const&, std::uint64_t draw);

} // namespace assay::tool
