#include "fuzz_cases.hpp"

#include <charconv>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "fuzz_compiled.hpp"
#include "program/hash.hpp"

namespace assay::tool {

fuzz_cases::fuzz_cases(std::uint64_t seed, std::vector<std::filesystem::path> programs,
                       symbol_values set, assay::plant plant, std::uint64_t compile_every)
    : seed_(seed), programs_(std::move(programs)), set_(std::move(set)), plant_(plant),
      compile_every_(compile_every), rows_(fuzz::covering_pairs(seed)) {}

std::optional<std::filesystem::path> fuzz_cases::file_of(std::uint64_t slot) const {
  if (programs_.empty() || slot % 2 == 1) return std::nullopt;
  return programs_[slot / 2 % programs_.size()];
}

fuzz::program_spec fuzz_cases::spec_of(std::uint64_t slot) const {
  fuzz::random_source random(seed_, "program", slot);
  return fuzz::draw_program(random);
}

std::uint64_t fuzz_cases::content_seed_of(std::uint64_t slot) const {
  return fuzz::random_source(seed_, "content", slot).below(1'000'000) + 1;
}

fuzz_subject fuzz_cases::subject_of(std::uint64_t slot) const {
  if (auto const file = file_of(slot))
    return {*file, set_, content_seed_of(slot), /*has_model=*/false, plant_};
  return {spec_of(slot), content_seed_of(slot), plant_};
}

bool fuzz_cases::is_compiled(std::uint64_t slot) const {
  return compile_every_ != 0 &&
         fuzz::random_source(seed_, "compiled", slot).below(compile_every_) == 0;
}

fuzz::choice fuzz_cases::choice_of(std::uint64_t number) const {
  auto const chosen = [&](std::uint64_t which) {
    if (which < rows_.size()) return rows_[which];
    fuzz::random_source random(seed_, "settings", which);
    return fuzz::random_choice(random);
  };
  std::uint64_t const slot = number / fuzz::cases_of_slot;
  if (!is_compiled(slot)) return chosen(number);
  return compiled_choice(chosen(number), chosen(slot * fuzz::cases_of_slot));
}

std::uint64_t fuzz_cases::draw_of(std::uint64_t number) const {
  return fuzz::random_source(seed_, "draw", number).below(1'000'000'000);
}

std::string fuzz_cases::fingerprint() const {
  std::string text(name(plant_));
  for (auto const& [symbol, value] : set_) text += fmt::format(" {}={}", symbol, value);
  for (auto const& program : programs_) {
    std::ifstream in(program, std::ios::binary);
    if (!in) throw error(errc::invalid_input, "cannot open the file", {}, program.string());
    text += " " + hash_text(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  return hash_text(text);
}

shard parse_shard(std::string_view text) {
  shard result;
  auto const read = [](std::string_view part, std::uint64_t& into) {
    auto const [end, status] = std::from_chars(part.data(), part.data() + part.size(), into);
    return status == std::errc() && end == part.data() + part.size() && into > 0;
  };
  std::size_t const slash = text.find('/');
  bool const is_read = slash != text.npos && read(text.substr(0, slash), result.index) &&
                       read(text.substr(slash + 1), result.count);
  if (!is_read || result.index > result.count)
    throw error(errc::invalid_input,
                fmt::format("--shard {}: not of the form I/N with I from 1 to N", text));
  return result;
}

} // namespace assay::tool
