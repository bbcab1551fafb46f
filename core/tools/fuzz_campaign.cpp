#include "fuzz_campaign.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "fuzz_compiled.hpp"
#include "fuzz_process.hpp"
#include "fuzz_shrink.hpp"

namespace assay::tool {
namespace {

using clock = std::chrono::steady_clock;
using fuzz::cases_of_slot;

/// Longest silence of a worker: of a case, and of the search for a smaller one.
constexpr std::chrono::seconds case_limit{60}, shrinking_limit{120};
/// Failures of one group that are shrunk; further ones are stored as they are.
constexpr int most_shrunk = 3;

/// Beside the failures; whoever ends the process of the slot removes it.
std::filesystem::path folder_of_libraries(std::filesystem::path const& failures,
                                          std::uint64_t slot) {
  return failures.parent_path() / fmt::format(".compiled-{}", slot);
}

/// The program of a slot that is compiled, with its libraries.
class compiled_slot {
public:
  compiled_slot(fuzz_cases const& cases, std::uint64_t slot, std::filesystem::path folder)
      : cases_(cases), folder_(std::move(folder)) {
    std::filesystem::remove_all(folder_); // of a process that was killed
    std::filesystem::create_directories(folder_);
    point_ = point_of_slot(cases, slot, folder_ / "program.sdfg");
  }
  case_outcome run(std::uint64_t number) {
    point_.choice = cases_.choice_of(number);
    point_.draw = cases_.draw_of(number);
    return run_compiled_case(point_, folder_ / "cache");
  }

private:
  fuzz_cases const& cases_;
  std::filesystem::path folder_;
  fuzz_point point_;
};

struct slot_task {
  std::uint64_t slot = 0, cases = 0;
  std::map<std::uint64_t, std::string> deaths; ///< cases that ended their process, and how
};

/// In the worker: "c <case>" before each case, "w" before a search, "s <slot>" at the end.
void run_slot(fuzz_cases const& cases, slot_task const& task, std::filesystem::path const& folder,
              std::map<std::string, int> shrunk, int descriptor) {
  fuzz::slot_result result{.slot = task.slot, .cases = task.cases};
  std::optional<fuzz_subject> subject;
  std::optional<compiled_slot> compiled;
  for (std::uint64_t k = 0; k < task.cases; ++k) {
    std::uint64_t const number = task.slot * cases_of_slot + k;
    case_outcome outcome;
    if (auto const death = task.deaths.find(number); death != task.deaths.end()) {
      outcome.what = outcome.group = "crash";
      outcome.text = death->second;
    } else {
      write_all(descriptor, fmt::format("c {}\n", number));
      try {
        if (cases.is_compiled(task.slot)) {
          if (!compiled) compiled.emplace(cases, task.slot, folder_of_libraries(folder, task.slot));
          outcome = compiled->run(number);
        } else {
          if (!subject) subject.emplace(cases.subject_of(task.slot));
          outcome = run_fuzz_case(*subject, cases.choice_of(number), cases.draw_of(number));
        }
      } catch (std::exception const& problem) {
        outcome.what = outcome.group = "error";
        outcome.text = problem.what();
      }
    }
    result.operations += outcome.operations;
    result.accesses += outcome.accesses;
    if (outcome.is_failure()) {
      write_all(descriptor, "w\n");
      bool const is_known = shrunk[outcome.group]++ >= most_shrunk;
      result.failed.push_back(shrink_and_store(cases, number, outcome, folder, !is_known));
    } else {
      ++(outcome.what == "holds" ? result.held : result.not_applicable);
    }
  }
  write_all(descriptor, "s " + fuzz::to_text(result) + "\n");
}

struct worker {
  slot_task task;
  worker_process process;
  std::string received;
  std::uint64_t current = 0; ///< case
  clock::time_point deadline;
  std::optional<fuzz::slot_result> result;
};

class campaign_runner {
public:
  campaign_runner(fuzz_cases const& cases, shard part, campaign_limits const& limits,
                  fuzz::journal& journal, std::filesystem::path const& folder)
      : cases_(cases), part_(part), limits_(limits), journal_(journal), folder_(folder) {
    for (auto const& [index, slot] : journal.content().slots)
      for (auto const& failed : slot.failed) ++shrunk_[failed.group];
  }
  campaign_runner(campaign_runner const&) = delete;
  campaign_runner& operator=(campaign_runner const&) = delete;
  ~campaign_runner() {
    for (worker& w : workers_) {
      kill(w.process.process, SIGKILL);
      end(w);
    }
  }

  void run(std::function<bool()> const& tick) {
    while (tick()) {
      while (workers_.size() < limits_.jobs)
        if (std::optional<slot_task> task = next_task())
          start(std::move(*task));
        else
          break;
      if (workers_.empty()) return;
      wait_for_some();
    }
  }

private:
  std::optional<slot_task> next_task() {
    if (!again_.empty()) {
      slot_task task = std::move(again_.back());
      again_.pop_back();
      return task;
    }
    if (clock::now() >= limits_.end) return std::nullopt;
    for (;; ++next_slot_) {
      std::uint64_t const first = next_slot_ * cases_of_slot;
      if (limits_.cases != 0 && first >= limits_.cases) return std::nullopt;
      if (!part_.has(next_slot_) || journal_.content().slots.contains(next_slot_)) continue;
      std::uint64_t const count =
          limits_.cases == 0 ? cases_of_slot : std::min(cases_of_slot, limits_.cases - first);
      return slot_task{next_slot_++, count, {}};
    }
  }

  void start(slot_task task) {
    worker w;
    w.current = task.slot * cases_of_slot;
    w.task.slot = task.slot;
    w.deadline = clock::now() + limit_of_case(w);
    w.process =
        start_worker([&](int descriptor) { run_slot(cases_, task, folder_, shrunk_, descriptor); });
    w.task = std::move(task);
    workers_.push_back(std::move(w));
  }

  /// Compilers take longer than cases.
  [[nodiscard]] std::chrono::seconds limit_of_case(worker const& w) const {
    return cases_.is_compiled(w.task.slot) ? shrinking_limit : case_limit;
  }

  void wait_for_some() {
    std::vector<pollfd> ready;
    for (worker const& w : workers_) ready.push_back({w.process.descriptor, POLLIN, 0});
    if (poll(ready.data(), ready.size(), 100) < 0 && errno != EINTR)
      throw error(errc::environment, "cannot wait for the processes of the campaign");
    std::vector<worker> left;
    for (std::size_t k = 0; k < workers_.size(); ++k) {
      worker& w = workers_[k];
      bool const has_ended = ready[k].revents != 0 && !take(w);
      bool const is_late = !has_ended && clock::now() > w.deadline;
      if (is_late) kill(w.process.process, SIGKILL);
      if (!has_ended && !is_late) {
        left.push_back(std::move(w));
        continue;
      }
      finish(w, is_late);
    }
    workers_ = std::move(left);
  }

  /// Reads what is there. \returns false at the end.
  bool take(worker& w) {
    std::array<char, 65536> buffer;
    ssize_t const size = read(w.process.descriptor, buffer.data(), buffer.size());
    if (size < 0) return errno == EINTR;
    if (size == 0) return false;
    w.received.append(buffer.data(), static_cast<std::size_t>(size));
    std::size_t at = 0;
    for (std::size_t end; (end = w.received.find('\n', at)) != std::string::npos; at = end + 1) {
      std::string const line = w.received.substr(at, end - at);
      w.deadline = clock::now() + (line == "w" ? shrinking_limit : limit_of_case(w));
      if (line.starts_with("c ")) w.current = std::stoull(line.substr(2));
      if (line.starts_with("s ")) w.result = fuzz::parse_slot(line.substr(2));
    }
    w.received.erase(0, at);
    return true;
  }

  std::string end(worker& w) {
    close(w.process.descriptor);
    int status = 0;
    while (waitpid(w.process.process, &status, 0) < 0 && errno == EINTR) {
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder_of_libraries(folder_, w.task.slot), ignored);
    return ending_of(status);
  }

  void finish(worker& w, bool is_late) {
    std::string death = end(w);
    if (w.result) {
      for (auto const& failed : w.result->failed) ++shrunk_[failed.group];
      journal_.add(std::move(*w.result));
      return;
    }
    if (is_late) death = fmt::format("no end after {} s", limit_of_case(w).count());
    if (death.empty()) death = "the process ended by itself";
    // A case that ends the process twice in a row would go on for ever.
    if (!w.task.deaths.emplace(w.current, death).second)
      throw error(errc::environment,
                  fmt::format("the process of case {} ends again: {}", w.current, death));
    again_.push_back(std::move(w.task));
  }

  fuzz_cases const& cases_;
  shard part_;
  campaign_limits limits_;
  fuzz::journal& journal_;
  std::filesystem::path const& folder_;
  std::map<std::string, int> shrunk_;
  std::uint64_t next_slot_ = 0;
  std::vector<slot_task> again_;
  std::vector<worker> workers_;
};

} // namespace

void run_campaign(fuzz_cases const& cases, shard part, campaign_limits const& limits,
                  fuzz::journal& journal, std::filesystem::path const& folder,
                  std::function<bool()> const& tick) {
  campaign_runner(cases, part, limits, journal, folder).run(tick);
}

} // namespace assay::tool
