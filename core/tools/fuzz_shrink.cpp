#include "fuzz_shrink.hpp"

#include <chrono>
#include <functional>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "fuzz/generate.hpp"
#include "fuzz/write.hpp"
#include "fuzz_compiled.hpp"
#include "program/temporary_folder.hpp"
#include "program/whole_file.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;
using fuzz::axis;

/// The program becomes the point's file.
void write_program(fuzz::program_spec const& spec, fs::path const& file, fuzz_point& point) {
  auto const made = fuzz::build(spec);
  point.file = file;
  point.set = made.symbols;
  whole_file(file).write(fuzz::to_file_text(made.graph));
}

class search {
public:
  search(fuzz_cases const& cases, std::uint64_t number, case_outcome const& outcome)
      : outcome_(outcome) {
    std::uint64_t const slot = number / fuzz::cases_of_slot;
    point_ = point_of_slot(cases, slot, {});
    point_.choice = cases.choice_of(number);
    point_.draw = cases.draw_of(number);
    if (!cases.file_of(slot)) spec_ = cases.spec_of(slot);
  }

  void run() {
    // Each smaller program is compiled anew.
    end_ = std::chrono::steady_clock::now() + std::chrono::seconds(point_.compiled ? 60 : 10);
    for (bool better = true; better;) {
      better = false;
      while (smaller_settings()) better = true;
      while (spec_ ? smaller_program() : smaller_symbols()) better = true;
    }
  }

  [[nodiscard]] case_outcome const& outcome() const { return outcome_; }
  fuzz_point& point() { return point_; }
  [[nodiscard]] std::optional<fuzz::program_spec> const& spec() const { return spec_; }

private:
  bool fails(fuzz_point const& point, std::optional<fuzz::program_spec> const& spec) {
    if (attempts_left_ == 0 || std::chrono::steady_clock::now() > end_) return false;
    --attempts_left_;
    case_outcome const o = point.compiled ? run_compiled(point, spec) : isolated_case([&] {
      fuzz_subject subject =
          spec ? fuzz_subject(*spec, point.content_seed, point.plant)
               : fuzz_subject(point.file, point.set, point.content_seed, false, point.plant);
      return run_fuzz_case(subject, point.choice, point.draw);
    });
    if (!o.is_failure() || o.group != outcome_.group) return false;
    outcome_ = o;
    return true;
  }

  case_outcome run_compiled(fuzz_point point, std::optional<fuzz::program_spec> const& spec) {
    try {
      if (spec) write_program(*spec, aside_.path() / "program.sdfg", point);
      return run_compiled_case(point, aside_.path() / "cache");
    } catch (error const&) {
      return {}; // what does not run is no smaller failure
    }
  }

  bool accept(fuzz_point next) {
    if (!fails(next, spec_)) return false;
    point_ = std::move(next);
    return true;
  }

  bool smaller_settings() {
    for (std::size_t a = 0; a < fuzz::axis_count; ++a)
      for (std::uint8_t value = 0; value < point_.choice.values[a]; ++value) {
        fuzz_point next = point_;
        next.choice.values[a] = value;
        next.choice = normalised(next.choice);
        if (next.compiled && compiled_choice(next.choice, next.choice) != next.choice) continue;
        if (accept(std::move(next))) return true;
      }
    for (std::uint64_t const draw : {0, 1, 2})
      if (point_.draw > draw) {
        fuzz_point next = point_;
        next.draw = draw;
        if (accept(std::move(next))) return true;
      }
    return false;
  }

  bool smaller_program() {
    for (fuzz::program_spec const& each : fuzz::smaller(*spec_))
      if (fails(point_, each)) {
        spec_ = each;
        return true;
      }
    return false;
  }

  bool smaller_symbols() {
    for (auto const& [symbol, value] : point_.set)
      for (std::int64_t const less : {std::int64_t{1}, std::int64_t{2}, value / 2, value - 1}) {
        if (less < 1 || less >= value) continue;
        fuzz_point next = point_;
        next.set[symbol] = less;
        if (accept(std::move(next))) return true;
      }
    return false;
  }

  case_outcome outcome_;
  fuzz_point point_;
  temporary_folder aside_; ///< of compiled attempts
  std::optional<fuzz::program_spec> spec_;
  int attempts_left_ = 400;
  std::chrono::steady_clock::time_point end_;
};

} // namespace

fuzz_point point_of_slot(fuzz_cases const& cases, std::uint64_t slot, fs::path const& file) {
  fuzz_point point;
  point.content_seed = cases.content_seed_of(slot);
  point.plant = cases.plant();
  point.compiled = cases.is_compiled(slot);
  if (auto const given = cases.file_of(slot)) {
    point.file = fs::absolute(*given);
    point.set = fuzz_subject(*given, cases.set(), point.content_seed, false, point.plant).symbols();
    return point;
  }
  point.has_model = true;
  if (!file.empty()) write_program(cases.spec_of(slot), file, point);
  return point;
}

fuzz::failed_case shrink_and_store(fuzz_cases const& cases, std::uint64_t number,
                                   case_outcome const& outcome, fs::path const& folder,
                                   bool shrink) {
  search shrinking(cases, number, outcome);
  if (shrink) shrinking.run();
  fuzz_point& point = shrinking.point();
  fs::create_directories(folder);
  fs::path const stem = folder / fmt::format("case-{}", number);
  if (shrinking.spec()) write_program(*shrinking.spec(), stem.string() + ".sdfg", point);
  fuzz::failed_case failed{number,
                           shrinking.outcome().what,
                           shrinking.outcome().group,
                           fuzz::to_text(point.choice),
                           to_text(token_of(point)),
                           shrinking.outcome().text};
  whole_file(stem.string() + ".txt")
      .write(fmt::format("{}: {}\nassay replay {}\n\n{}", failed.outcome, failed.settings,
                         failed.token, failed.text));
  return failed;
}

} // namespace assay::tool
