#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "commands.hpp"
#include "fuzz_campaign.hpp"
#include "fuzz_process.hpp"
#include "fuzz_replay.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

[[noreturn]] void fail(std::string const& rule) { throw error(errc::invalid_input, rule); }

volatile std::sig_atomic_t interrupted = 0;
extern "C" void note_interrupt(int) { interrupted = 1; }

/// "90", "90s", "30m", "2h".
std::chrono::seconds parse_duration(std::string_view text) {
  std::int64_t number = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view const unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  std::map<std::string_view, std::int64_t> const units{{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}};
  auto const found = units.find(unit);
  if (status != std::errc() || number < 1 || number > 1'000'000 || found == units.end())
    fail(fmt::format("--time {}: not of the form 90s, 30m or 2h", text));
  return std::chrono::seconds(number * found->second);
}

std::string duration_text(double seconds) {
  auto const whole = static_cast<std::int64_t>(seconds);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

struct tally {
  std::uint64_t slots = 0, cases = 0, held = 0, not_applicable = 0, failed = 0;
  std::uint64_t operations = 0, accesses = 0;
  fuzz::coverage seen;
  void add(fuzz_cases const& all, fuzz::slot_result const& slot) {
    ++slots;
    cases += slot.cases;
    held += slot.held;
    not_applicable += slot.not_applicable;
    failed += slot.failed.size();
    operations += slot.operations;
    accesses += slot.accesses;
    for (std::uint64_t k = 0; k < slot.cases; ++k)
      seen.add(all.choice_of(slot.slot * fuzz::cases_of_slot + k));
  }
};

/// Cases of the shard, of those of the campaign.
std::uint64_t cases_of_shard(shard part, std::uint64_t cases) {
  std::uint64_t count = 0;
  for (std::uint64_t slot = 0; slot * fuzz::cases_of_slot < cases; ++slot)
    if (part.has(slot)) count += std::min(fuzz::cases_of_slot, cases - slot * fuzz::cases_of_slot);
  return count;
}

std::string summary(fuzz_cases const& cases, fuzz::record const& record, std::string_view about) {
  tally all;
  std::map<std::string, std::vector<fuzz::failed_case const*>> groups;
  std::uint64_t compiled = 0;
  for (auto const& [index, slot] : record.slots) {
    all.add(cases, slot);
    compiled += cases.is_compiled(index);
    for (auto const& failed : slot.failed) groups[failed.group].push_back(&failed);
  }
  std::string text;
  for (auto const& [group, failures] : groups) {
    text +=
        fmt::format("{} ({} case{})\n", group, failures.size(), failures.size() == 1 ? "" : "s");
    constexpr std::size_t most_shown = 3;
    for (std::size_t k = 0; k < std::min(most_shown, failures.size()); ++k)
      text += fmt::format("  {}\n  assay replay {}\n", failures[k]->settings, failures[k]->token);
    if (failures.size() > most_shown)
      text += fmt::format("  and {} more\n", failures.size() - most_shown);
  }
  if (!groups.empty()) text += "\n";
  text += fmt::format("campaign: {}\n", about);
  text += fmt::format("{} cases of {} programs, {} of them compiled: {} held, {} not applicable, "
                      "{} failed; {} operations "
                      "and {} accesses checked\n",
                      all.cases, all.slots, compiled, all.held, all.not_applicable, all.failed,
                      all.operations, all.accesses);
  text += fmt::format("coverage: {}\n", all.seen.text());
  if (record.what.cases != 0 && all.cases < record.what.cases)
    text +=
        fmt::format("not done: {} of {} cases\n", record.what.cases - all.cases, record.what.cases);
  text += fmt::format("verdict: {}\n", all.failed != 0 ? "failures"
                                       : all.held != 0 ? "holds"
                                                       : "nothing ran");
  return text;
}

int verdict_of(fuzz::record const& record) {
  std::uint64_t held = 0, failed = 0;
  for (auto const& [index, slot] : record.slots) {
    held += slot.held;
    failed += slot.failed.size();
  }
  return failed != 0 ? 1 : held != 0 ? 0 : 2;
}

/// A line that changes on a terminal; elsewhere one each ten seconds.
class progress {
public:
  progress(bool quiet, fuzz_cases const& cases, fuzz::journal const& journal, std::uint64_t wanted,
           clock::time_point end)
      : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), cases_(cases), journal_(journal),
        wanted_(wanted), end_(end) {
    update();
    before_ = all_.cases;
  }
  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;
  ~progress() {
    if (open_) std::fputs("\r\x1b[K", stderr);
  }
  void show() {
    auto const now = clock::now();
    if (quiet_ || now < next_) return;
    next_ = now + (terminal_ ? std::chrono::milliseconds(500) : std::chrono::milliseconds(10'000));
    update();
    double const seconds = std::chrono::duration<double>(now - start_).count();
    double const rate = seconds > 0 ? static_cast<double>(all_.cases - before_) / seconds : 0;
    double left =
        end_ == clock::time_point::max() ? 1e9 : std::chrono::duration<double>(end_ - now).count();
    if (wanted_ != 0 && rate > 0)
      left = std::min(left, static_cast<double>(wanted_ - std::min(wanted_, all_.cases)) / rate);
    fmt::print(stderr, "{}{}{} cases, {:.0f}/s, {} failed, {}{}{}", terminal_ ? "\r\x1b[K" : "",
               all_.cases, wanted_ != 0 ? fmt::format("/{}", wanted_) : "", rate, all_.failed,
               all_.seen.text(), left < 1e9 ? ", " + duration_text(left) + " left" : "",
               terminal_ ? "" : "\n");
    std::fflush(stderr);
    open_ = terminal_;
  }

private:
  void update() {
    for (auto const& [index, slot] : journal_.content().slots)
      if (counted_.insert(index).second) all_.add(cases_, slot);
  }

  bool quiet_, terminal_, open_ = false;
  fuzz_cases const& cases_;
  fuzz::journal const& journal_;
  std::uint64_t wanted_, before_ = 0;
  clock::time_point end_, start_ = clock::now(), next_ = start_ + std::chrono::milliseconds(500);
  tally all_;
  std::set<std::uint64_t> counted_;
};

/// Leaves out programs that do not run without a compiler, with a note. Bad input is an error
/// before anything runs.
std::vector<fs::path> runnable(fuzz_cases const& all, std::vector<fs::path> const& programs) {
  std::vector<fs::path> kept;
  for (std::size_t k = 0; k < programs.size(); ++k) {
    fuzz_subject subject = all.subject_of(2 * k);
    case_outcome const o = isolated_case([&] {
      static_cast<void>(subject.expected(1));
      static_cast<void>(subject.expected(2));
      return case_outcome{};
    });
    if (o.what == "holds")
      kept.push_back(programs[k]);
    else
      fmt::print(stderr, "{}: left out, since it does not run without a compiler: {}\n",
                 programs[k].string(), o.text);
  }
  if (kept.empty() && !programs.empty())
    throw error(errc::unsupported,
                "no program runs without a compiler: use --compile-every 1, or assay check");
  return kept;
}

fuzz_cases cases_of(fuzz_options const& options, std::vector<fs::path> const& programs) {
  symbol_values set;
  for (std::string const& item : options.set) {
    std::size_t const equals = item.find('=');
    std::int64_t value = 0;
    char const* const end = item.data() + item.size();
    if (equals == 0 || equals == std::string::npos)
      fail(fmt::format("--set {}: not of the form NAME=INTEGER", item));
    auto const [stop, status] = std::from_chars(item.data() + equals + 1, end, value);
    if (status != std::errc() || stop != end)
      fail(fmt::format("--set {}: not of the form NAME=INTEGER", item));
    set[item.substr(0, equals)] = value;
  }
  return {options.seed, programs, std::move(set), parse_plant(options.plant),
          options.compile_every};
}

} // namespace

int run_fuzz(fuzz_options const& options) {
  shard const part = parse_shard(options.shard);
  campaign_limits limits;
  limits.cases = options.cases;
  limits.jobs =
      options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::chrono::seconds const time = options.time.empty()
                                        ? std::chrono::seconds(options.cases == 0 ? 60 : 0)
                                        : parse_duration(options.time);
  fuzz_cases const cases =
      cases_of(options, options.compile_every == 1
                            ? options.programs
                            : runnable(cases_of(options, options.programs), options.programs));
  fs::path const folder = fs::absolute(options.output);
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    throw error(errc::invalid_input, "cannot make the folder: " + problem.message(), {},
                folder.string());
  fuzz::journal journal(folder / "campaign.jsonl", {options.seed, options.cases, ASSAY_VERSION,
                                                    cases.fingerprint(), options.compile_every});

  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  auto const start = clock::now();
  if (time.count() != 0) limits.end = start + time;
  std::uint64_t const done_before = journal.content().slots.size();
  {
    progress line(options.quiet, cases, journal, cases_of_shard(part, options.cases), limits.end);
    run_campaign(cases, part, limits, journal, folder / "failures", [&] {
      line.show();
      return interrupted == 0;
    });
  }
  double const seconds = std::chrono::duration<double>(clock::now() - start).count();
  std::uint64_t fresh = 0;
  for (auto const& [index, slot] : journal.content().slots) fresh += slot.cases;
  std::string about = fmt::format("seed {}, shard {}/{}, {}", options.seed, part.index, part.count,
                                  duration_text(seconds));
  if (done_before != 0) about += fmt::format(", {} programs done before", done_before);
  if (done_before == 0 && seconds > 0)
    about += fmt::format(", {:.0f} cases per second", static_cast<double>(fresh) / seconds);
  if (interrupted != 0) about += ", interrupted";
  // What other shards have to do is not missing here.
  fuzz::record record = journal.content();
  record.what.cases = cases_of_shard(part, options.cases);
  fmt::print("{}", summary(cases, record, about));
  return verdict_of(record);
}

int run_fuzz_merge(fuzz_merge_options const& options) {
  std::vector<fs::path> files;
  for (fs::path const& each : options.reports)
    files.push_back(fs::is_directory(each) ? each / "campaign.jsonl" : each);
  fuzz::record const all = fuzz::merged(files);
  // Coverage follows from the seed and the numbers of the cases alone.
  fuzz_cases const cases(all.what.seed, {}, {}, plant::none, all.what.compile_every);
  if (!options.output.empty()) fuzz::write_record(options.output, all);
  fmt::print("{}", summary(cases, all,
                           fmt::format("seed {}, merged from {} file{}", all.what.seed,
                                       files.size(), files.size() == 1 ? "" : "s")));
  return verdict_of(all);
}

} // namespace assay::tool
