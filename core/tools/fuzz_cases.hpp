#pragma once
/// \file Which cases a campaign consists of: each follows from the seed and its number alone, so
/// that shards and repeated runs agree on it.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "fuzz/draw.hpp"
#include "fuzz/journal.hpp"
#include "fuzz_case.hpp"

namespace assay::tool {

class fuzz_cases {
public:
  /// With programs of the user's, every second slot is one of them. One of `compile_every` slots
  /// is compiled; 0: none.
  fuzz_cases(std::uint64_t seed, std::vector<std::filesystem::path> programs, symbol_values set,
             assay::plant, std::uint64_t compile_every);

  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] assay::plant plant() const noexcept { return plant_; }
  [[nodiscard]] symbol_values const& set() const noexcept { return set_; }
  /// The file of a slot, or nothing: a random program.
  [[nodiscard]] std::optional<std::filesystem::path> file_of(std::uint64_t slot) const;
  /// Drawn, so that files, random programs and all shards have their share.
  [[nodiscard]] bool is_compiled(std::uint64_t slot) const;
  [[nodiscard]] fuzz::program_spec spec_of(std::uint64_t slot) const;
  [[nodiscard]] std::uint64_t content_seed_of(std::uint64_t slot) const;
  /// \throws error where a file cannot be read
  [[nodiscard]] fuzz_subject subject_of(std::uint64_t slot) const;

  /// The first ones cover all pairs of settings; the rest is random. Those of a compiled slot
  /// share their library, and with it some settings.
  [[nodiscard]] fuzz::choice choice_of(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t draw_of(std::uint64_t number) const;
  /// Cases up to this number cover all pairs.
  [[nodiscard]] std::uint64_t covering() const noexcept { return rows_.size(); }

  /// Of everything but the seed that decides what a case is.
  [[nodiscard]] std::string fingerprint() const;

private:
  std::uint64_t seed_;
  std::vector<std::filesystem::path> programs_;
  symbol_values set_;
  assay::plant plant_;
  std::uint64_t compile_every_;
  std::vector<fuzz::choice> rows_;
};

/// Shard `index` of `count`, from 1: every slot is in one of them.
struct shard {
  std::uint64_t index = 1, count = 1;
  [[nodiscard]] bool has(std::uint64_t slot) const noexcept { return slot % count == index - 1; }
};
/// "2/4". \throws error{invalid_input} quoting the text.
[[nodiscard]] shard parse_shard(std::string_view);

} // namespace assay::tool
