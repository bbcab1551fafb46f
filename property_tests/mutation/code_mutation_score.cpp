/// \file How many single faults of generated code the checker catches, by kind and schedule: of our
/// code for a fixed sample of programs, and of the build folders of DaCe's that
/// ASSAY_MUTATION_FOLDERS names (each with its case, `FOLDER=CASE`, separated by `:`).
/// ASSAY_MUTATION_PER_KIND: the places of each kind that are tried in each program (0: all);
/// ASSAY_MUTATION_ALL=1: all examples in all memory modes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "dace_toolchain.hpp"
#include "mutation/code_mutations.hpp"
#include "program/temporary_folder.hpp"
#include "toolchains.hpp"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char const*, 3> schedules{"eager", "lazy", "random:1"};

std::string variable(char const* name) {
  char const* const text = std::getenv(name);
  return text == nullptr ? std::string() : text;
}

/// A program in one setting, as `assay check` would be asked for it.
struct subject {
  std::string name;
  fs::path program, case_file;
  assay::target target = target::cuda;
  memory_mode mode = memory_mode::scoped;
  call_kind call = call_kind::async;
  int own_streams = 0; ///< 0: the caller's stream
  bool is_of_dace = false;
};

subject example(std::string const& name, memory_mode mode, int own_streams = 0,
                call_kind call = call_kind::async, target target = target::cuda) {
  fs::path const folder = fs::path(ASSAY_EXAMPLES) / name;
  return {fmt::format("{} {} {}{}", name, assay::name(mode), assay::name(target),
                      own_streams > 0 ? fmt::format(" own:{}", own_streams) : ""),
          folder / "program.sdfg",
          folder / "case.json",
          target,
          mode,
          call,
          own_streams,
          false};
}

std::vector<subject> subjects() {
  std::vector<subject> all;
  if (variable("ASSAY_MUTATION_ALL") == "1") {
    std::set<std::string> names;
    for (auto const& entry : fs::directory_iterator(ASSAY_EXAMPLES))
      if (fs::exists(entry.path() / "program.sdfg")) names.insert(entry.path().filename());
    for (std::string const& name : names)
      for (memory_mode const mode : {memory_mode::scoped, memory_mode::pool,
                                     memory_mode::persistent, memory_mode::external}) {
        bool const is_odd = all.size() % 2 == 1;
        all.push_back(example(name, mode, is_odd ? 3 : 0,
                              all.size() % 3 == 2 ? call_kind::sync : call_kind::async,
                              is_odd ? target::hip : target::cuda));
      }
  } else if (variable("ASSAY_MUTATION_FOLDERS").empty()) {
    all = {example("multistream", memory_mode::scoped, 3), example("wcr", memory_mode::external),
           example("condscalar", memory_mode::pool, 0, call_kind::sync, target::hip)};
  }
  std::string const folders = variable("ASSAY_MUTATION_FOLDERS");
  for (std::size_t at = 0; at < folders.size();) {
    std::size_t const end = std::min(folders.find(':', at), folders.size());
    std::string const one = folders.substr(at, end - at);
    std::size_t const equals = one.find('=');
    all.push_back({fs::path(one.substr(0, equals)).parent_path().filename().string() + " (DaCe)",
                   one.substr(0, equals), one.substr(equals + 1), target::cuda, memory_mode::scoped,
                   call_kind::async,
                   /*own_streams=*/3, /*is_of_dace=*/true});
    at = end + 1;
  }
  return all;
}

/// What one schedule showed of a mutant.
enum class seen : std::uint8_t { nothing, findings, wrong_results, crash };

seen seen_in(check_run const& run) {
  switch (run.outcome) {
  case outcome::holds:
  case outcome::partial:
    return seen::nothing;
  case outcome::findings:
    return seen::findings;
  case outcome::wrong_results:
    return seen::wrong_results;
  default:
    return seen::crash;
  }
}

class mutated_program {
public:
  explicit mutated_program(subject of, fs::path const& cache) : of_(std::move(of)) {
    request_.program = of_.program;
    request_.case_file = of_.case_file;
    request_.cache = cache;
    request_.depth = check_depth::threads;
    request_.jobs = 2;
    request_.time_limit = std::chrono::seconds(20);
    request_.cell_command = {ASSAY_TOOL, "run-cell"};
    request_.toolchain_for = [](target target) { return toolchain_for(target); };
    request_.dace_toolchain_for = [](target target) {
      return tool::dace_toolchain(toolchain_for(target), target, tool::dace_include({}));
    };
    request_.matrix.targets = {of_.target};
    request_.matrix.modes = {of_.mode};
    request_.matrix.calls = {of_.call};
    request_.matrix.streams = {
        {of_.own_streams > 0 ? stream_kind_of_run::own : stream_kind_of_run::external,
         of_.own_streams}};
    request_.matrix.devices = 2; // there has to be a wrong one
    request_.matrix.schedules.clear();
    for (char const* each : schedules) request_.matrix.schedules.push_back(parse_schedule(each));
    request_.edit_code = [this](std::vector<generated_file>& files) {
      code_ = with_mutants(files);
      files = code_.files;
    };
  }

  /// Without a fault. Then `mutants` knows what there is.
  check_report plain() {
    check_report report = report_of();
    plain_ = report.runs.front();
    request_.matrix.advice = true;
    for (check_run const& run : report_of().runs)
      for (check_finding const& finding : run.findings)
        if (finding.kind == "superfluous-wait") {
          auto const where = nlohmann::json::parse(finding.json).at("second").at("location");
          superfluous_waits_.insert(fmt::format("{}:{}:", where.at("file").get<std::string>(),
                                                where.at("line").get<int>()));
        }
    request_.matrix.advice = false;
    return report;
  }
  /// Whether the correct program is advised that a wait there orders nothing.
  [[nodiscard]] bool is_superfluous_wait(code_mutant const& mutant) const {
    return std::ranges::any_of(superfluous_waits_, [&](std::string const& place) {
      return mutant.place.starts_with(place);
    });
  }
  std::vector<code_mutant> const& mutants() const { return code_.mutants; }
  subject const& of() const { return of_; }

  struct shown {
    std::array<seen, schedules.size()> by_schedule{};
    bool is_reached = false, has_effect = false;
    [[nodiscard]] std::size_t count() const {
      return static_cast<std::size_t>(
          std::ranges::count_if(by_schedule, [](seen one) { return one != seen::nothing; }));
    }
  };
  shown run(code_mutant const& mutant) {
    temporary_folder const folder;
    fs::path const trace = folder.path() / "trace";
    std::vector<std::string> const environment{fmt::format("ASSAY_MUTANT={}", mutant.number),
                                               "ASSAY_MUTANT_TRACE=" + trace.string()};
    shown result;
    if (mutant.fault == code_fault::skip_check) {
      // Where no call fails there is nothing to look at.
      if (calls_.empty()) find_calls();
      if (auto const failing = calls_.find(mutant.call); failing != calls_.end()) {
        request_.sweep = true;
        request_.only = plain_.cell;
        for (std::size_t k = 0; k < schedules.size(); ++k) {
          request_.only->schedule = parse_schedule(schedules[k]);
          request_.only->fault = failing->second;
          for (check_run const& one : report_of(environment).runs)
            if (!one.cell.fault.empty()) result.by_schedule[k] = seen_in(one);
        }
        request_.only.reset();
        request_.sweep = false;
      }
    } else {
      check_report const report = report_of(environment);
      for (std::size_t k = 0; k < report.runs.size() && k < schedules.size(); ++k)
        result.by_schedule[k] = seen_in(report.runs[k]);
    }
    std::ifstream in(trace);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    result.is_reached = text.find('r') != std::string::npos;
    result.has_effect = text.find('e') != std::string::npos;
    return result;
  }

private:
  static toolchain const& toolchain_for(target target) {
    static std::map<assay::target, toolchain> known;
    auto found = known.find(target);
    if (found == known.end())
      found = known.emplace(target, tool::toolchain_of(tool::run_backend::mock, target)).first;
    return found->second;
  }
  check_report report_of(std::vector<std::string> environment = {}) {
    request_.environment = std::move(environment);
    return check(request_);
  }

  /// The failure that meets each call first.
  void find_calls() {
    for (auto const& [first, last] : plain_.program_calls)
      for (std::uint64_t number = first; number <= last; ++number) {
        request_.only = plain_.cell;
        request_.only->fault = fmt::format("out-of-memory@{}", number);
        for (check_run const& one : report_of().runs)
          calls_.emplace(one.failed_call, request_.only->fault);
      }
    request_.only.reset();
  }

  subject of_;
  check_request request_;
  mutated_code code_;
  check_run plain_;
  std::set<std::string> superfluous_waits_;  ///< "p.cpp:7:"
  std::map<std::string, std::string> calls_; ///< "cudaMalloc (p.cpp:7)" to a fault
};

struct row {
  int applied = 0, reached = 0, changed = 0;
  std::array<int, schedules.size()> caught{};
};

int applied(std::map<code_fault, row> const& rows) {
  int sum = 0;
  for (auto const& [fault, r] : rows) sum += r.applied;
  return sum;
}

/// What the fixed sample holds of faults that break no guarantee although they are reached.
/// Anything else that nothing shows is a miss: a checker that went blind would make all of them
/// survivors.
struct known_survivor {
  std::string_view fault, subject, place, reason;
};
constexpr std::array known_survivors{
    known_survivor{
        "swap streams", "multistream scoped cuda own:3", "__state->gpu_context->streams[0]",
        "the stream that it goes to records an event behind it, which its reader waits for"},
    known_survivor{"widen a subset", "condscalar pool hip", "__assay_x >= __assay_count0",
                   "the thread too many stores the value that is there already"},
};

known_survivor const* known(code_mutant const& mutant, std::string const& subject) {
  for (known_survivor const& one : known_survivors)
    if (one.fault == name(mutant.fault) && one.subject == subject &&
        mutant.place.ends_with(": " + std::string(one.place)))
      return &one;
  return nullptr;
}

/// Why a mutant that nothing shows breaks nothing, as far as its run says.
std::string reason(mutated_program const& program, code_mutant const& mutant,
                   mutated_program::shown const& shown) {
  if (!shown.is_reached) return "its place is not reached, or only after a failure";
  if (mutant.fault == code_fault::widen_subset && !shown.has_effect)
    return "no thread lies at the wider bound";
  bool const is_of_a_wait = mutant.fault == code_fault::drop_wait ||
                            mutant.fault == code_fault::move_wait ||
                            mutant.fault == code_fault::redirect_wait;
  if (is_of_a_wait && program.is_superfluous_wait(mutant))
    return "the wait orders nothing that was not ordered before, as advice says";
  return {};
}

TEST(CodeMutationScore, EveryFaultThatChangesSomethingIsCaughtInEverySchedule) {
  std::string const given = variable("ASSAY_MUTATION_PER_KIND");
  bool const is_fixed_sample = given.empty() && variable("ASSAY_MUTATION_ALL").empty() &&
                               variable("ASSAY_MUTATION_FOLDERS").empty();
  std::size_t const per_kind = given.empty() ? 1 : std::stoul(given);
  temporary_folder const cache;
  std::map<code_fault, row> rows;
  std::map<std::string, int> reasons;
  std::string missed, unchanged;
  std::array<int, known_survivors.size()> met{};
  int changed = 0;
  for (subject const& of : subjects()) {
    mutated_program program(of, cache.path());
    check_report const plain = program.plain();
    EXPECT_EQ(exit_code(plain), 0) << of.name << "\n" << to_text(plain);
    ASSERT_EQ(plain.runs.size(), schedules.size()) << of.name;
    EXPECT_GT(plain.runs.front().accesses, 0u) << "silence means that nothing ran";
    for (int k = 0; k < code_fault_count; ++k) {
      std::vector<code_mutant> of_kind;
      for (code_mutant const& each : program.mutants())
        if (each.fault == static_cast<code_fault>(k)) of_kind.push_back(each);
      std::size_t const step = per_kind == 0 ? 1 : (of_kind.size() + per_kind - 1) / per_kind;
      for (std::size_t at = 0; at < of_kind.size(); at += step) {
        code_mutant const& mutant = of_kind[at];
        auto const shown = program.run(mutant);
        row& r = rows[mutant.fault];
        ++r.applied;
        r.reached += shown.is_reached;
        for (std::size_t s = 0; s < schedules.size(); ++s)
          r.caught[s] += shown.by_schedule[s] != seen::nothing;
        std::string const line =
            fmt::format("  {}: {}: {}\n", name(mutant.fault), of.name, mutant.place);
        if (shown.count() == 0) {
          std::string why = reason(program, mutant, shown);
          if (known_survivor const* const one = known(mutant, of.name);
              why.empty() && is_fixed_sample && one != nullptr) {
            why = one->reason;
            ++met[one - known_survivors.data()];
          }
          if (why.empty())
            unchanged += line;
          else
            ++reasons[fmt::format("{}: {}", name(mutant.fault), why)];
          continue;
        }
        ++r.changed;
        ++changed;
        if (shown.count() < schedules.size()) missed += line;
      }
    }
    // Long scores are followed by their subjects.
    std::cerr << fmt::format("{}: {} faults so far, {} changed something{}\n", of.name,
                             applied(rows), changed, missed.empty() ? "" : ", some were missed");
  }
  std::cout << "kind                   applied  reached  changed  eager  lazy  random\n";
  for (auto const& [fault, r] : rows)
    std::cout << fmt::format("{:<22} {:>7} {:>8} {:>8} {:>6} {:>5} {:>7}\n", name(fault), r.applied,
                             r.reached, r.changed, r.caught[0], r.caught[1], r.caught[2]);
  std::cout << "changed nothing, with the reason:\n";
  for (auto const& [why, count] : reasons) std::cout << fmt::format("  {:>4} {}\n", count, why);
  std::cout << "reached, and changed nothing:\n" << (unchanged.empty() ? "  none\n" : unchanged);
  std::cout << "caught in some schedules only:\n" << (missed.empty() ? "  none\n" : missed);
  EXPECT_EQ(missed, "");
  if (is_fixed_sample) {
    EXPECT_EQ(unchanged, "") << "reached, and neither caught nor known to break nothing";
    EXPECT_THAT(met, testing::Each(1)) << "each known survivor is one fault of the sample";
  }
  EXPECT_GT(changed, 0) << "faults that change nothing test nothing";
}

} // namespace
} // namespace assay::fuzz
