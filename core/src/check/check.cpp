#include "assay/check.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/build_folder.hpp"
#include "assay/case_file.hpp"
#include "assay/error.hpp"
#include "assay/plan.hpp"
#include "assay/sdfg.hpp"
#include "check/agreement.hpp"
#include "check/children.hpp"
#include "check/compute_sanitizer.hpp"
#include "check/protocol.hpp"
#include "check/sweep.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// What a cell needs before it can run; `library` is an index into the distinct texts.
struct planned_cell {
  check_cell cell;
  fs::path program; ///< what the cell reads: the request's program, or the SDFG inside its folder
  bool plant_applies = true;
  std::size_t library = 0;
};

struct distinct_library {
  std::vector<generated_file> files;
  assay::target target = target::cuda;
  bool is_of_dace = false;
  built_library built;
};

class checker {
public:
  explicit checker(check_request const& request) : request_(request) {}

  check_report run() {
    read_program();
    try {
      if (!folder_) sdfg::verify(graph_);
      report_.program = request_.program.string();
      report_.program_name = graph_.name;
      report_.plant = request_.plant;
      bool const has_expectation = check_input();
      for (check_cell const& cell : wanted_cells()) cells_.push_back(plan_cell(cell));
      std::optional<planned_cell> reference;
      if (!has_expectation || !request_.set_again.empty()) reference = plan_reference();
      build_libraries();
      if (reference) run_reference(*reference);
    } catch (error const& problem) {
      throw problem.in_file(request_.program.string());
    }
    run_cells();
    if (request_.sweep) run_sweep();
    judge();
    return std::move(report_);
  }

private:
  void read_program() {
    if (!is_build_folder(request_.program)) {
      graph_ = sdfg::read(request_.program);
      return;
    }
    if (request_.plant != plant::none)
      throw error(errc::invalid_input, "faults are planted in generated code, not in DaCe's", {},
                  request_.program.string());
    folder_ = read_build_folder(request_.program);
    graph_ = folder_->graph;
  }

  [[nodiscard]] sdfg::signature signature() const {
    return folder_ ? folder_->signature : sdfg::signature_of(graph_);
  }

  /// As far as it applies: DaCe has chosen memory, target and layout already.
  [[nodiscard]] check_matrix matrix_of_folder() const {
    check_matrix matrix = request_.matrix;
    check_matrix const defaults;
    matrix.modes = {folder_->mode};
    matrix.targets = {folder_->target};
    matrix.layouts = {workspace_layout::packed};
    // Nothing in the code says that results may be read when the call returns: only the caller can.
    if (matrix.calls == defaults.calls) matrix.calls = {call_kind::async};
    bool const are_default = matrix.streams == defaults.streams;
    if (are_default && (folder_->own_streams > 0 || folder_->experimental))
      matrix.streams.push_back({stream_kind_of_run::own, std::max(1, folder_->own_streams)});
    if (folder_->experimental) // it exports no way to set a stream
      std::erase_if(matrix.streams,
                    [](run_stream one) { return one.kind != stream_kind_of_run::own; });
    return matrix;
  }

  /// Our own code for the host, where the SDFG can be lowered; else nothing is compared.
  [[nodiscard]] std::optional<planned_cell> plan_reference() {
    if (!folder_) return plan_cell(reference_cell());
    std::optional<build_folder> const folder = std::exchange(folder_, std::nullopt);
    std::optional<planned_cell> planned;
    try {
      sdfg::verify(graph_);
      planned = plan_cell(reference_cell());
      planned->program = folder->sdfg_file;
    } catch (error const& problem) {
      report_.notes.push_back(fmt::format(
          "results are not compared, since the SDFG cannot be run by itself: {}", problem.what()));
    }
    folder_ = folder;
    return planned;
  }

  void progress(std::string_view phase, std::size_t done, std::size_t total) const {
    if (request_.progress) request_.progress(phase, done, total);
  }

  [[nodiscard]] std::vector<check_cell> wanted_cells() const {
    if (request_.only) {
      check_cell cell = *request_.only;
      if (request_.sweep) cell.fault.clear(); // the run that fails is judged by this one
      return {cell};
    }
    check_matrix matrix = folder_ ? matrix_of_folder() : request_.matrix;
    if (request_.sweep) matrix.schedules.resize(1);
    std::vector<check_cell> cells = cells_of(matrix);
    std::set<target> seen{target::cpu}; // its programs run without a checker
    for (check_cell& cell : cells) {
      cell.fault = request_.fault;
      bool const first = seen.insert(cell.settings.target).second;
      cell.depth = request_.depth.value_or(first ? check_depth::threads : check_depth::ops);
    }
    return cells;
  }

  /// Finds faults of the input before any work. \returns whether the case says what must come out.
  bool check_input() {
    if (request_.case_file.empty()) {
      static_cast<void>(make_up_case(graph_, signature(), request_.seed, request_.set));
      return false;
    }
    return !bind_case(read_case(request_.case_file), graph_, signature(), request_.set)
                .expect.empty();
  }

  /// One sequential run on the host is what all others are compared with.
  static check_cell reference_cell() {
    check_cell cell;
    cell.settings.target = target::cpu;
    cell.dialect = "cuda-13";
    return cell;
  }

  planned_cell plan_cell(check_cell const& cell) {
    settings const& s = cell.settings;
    std::string const key = fmt::format("{} {} {} {} {}", name(s.mode), name(s.target),
                                        name(s.layout), name(s.call), s.own_streams);
    planned_cell planned{cell, request_.program, true, 0};
    if (folder_) {
      if (libraries_.empty()) {
        libraries_.push_back({folder_->files, folder_->target, true, {}});
        if (request_.edit_code) request_.edit_code(libraries_.back().files);
      }
      return planned;
    }
    // On the default stream itself a launch on the default stream is no fault.
    bool const is_harmless = request_.plant == plant::null_stream &&
                             cell.stream.kind == stream_kind_of_run::default_stream;
    auto found = texts_.find(key);
    if (found == texts_.end()) {
      plan::program program = plan::lower(graph_, s);
      text_of_settings text;
      if (s.target != target::cpu)
        text.plant_applies = is_run_plant(request_.plant) ? applies_to_run(request_.plant, program)
                                                          : apply(request_.plant, program);
      std::vector<generated_file> files = emit(program);
      if (request_.edit_code && s.target != target::cpu) request_.edit_code(files);
      std::string const identity = fmt::format("{} {}", name(s.target), library_key(files, {}));
      auto const known = by_text_.find(identity);
      text.library = known != by_text_.end() ? known->second : libraries_.size();
      if (known == by_text_.end()) {
        by_text_.emplace(identity, text.library);
        libraries_.push_back({std::move(files), s.target, false, {}});
      }
      found = texts_.emplace(key, text).first;
    }
    planned.plant_applies = found->second.plant_applies && !is_harmless;
    planned.library = found->second.library;
    return planned;
  }

  [[nodiscard]] bool runs(planned_cell const& planned) const {
    return request_.plant == plant::none || planned.plant_applies;
  }

  void build_libraries() {
    auto const start = clock::now();
    std::map<std::pair<target, bool>, toolchain> tools;
    for (distinct_library const& library : libraries_)
      if (std::pair const key(library.target, library.is_of_dace); !tools.contains(key))
        tools.emplace(key, library.is_of_dace ? request_.dace_toolchain_for(library.target)
                                              : request_.toolchain_for(library.target));
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < libraries_.size(); ++i) {
      bool const used = libraries_[i].target == target::cpu ||
                        std::ranges::any_of(cells_, [&](auto const& planned) {
                          return planned.library == i && runs(planned);
                        });
      if (used) wanted.push_back(i);
    }
    std::atomic<std::size_t> next{0};
    std::size_t done = 0;
    std::mutex guard;
    std::exception_ptr failure;
    progress("building", 0, wanted.size());
    auto const work = [&] {
      for (std::size_t i; (i = next++) < wanted.size();) {
        try {
          distinct_library& library = libraries_[wanted[i]];
          library.built = build(library.files, graph_.name,
                                tools.at({library.target, library.is_of_dace}), request_.cache);
          std::scoped_lock const lock(guard);
          ++(library.built.was_cached ? report_.libraries_cached : report_.libraries_built);
          progress("building", ++done, wanted.size());
        } catch (...) {
          std::scoped_lock const lock(guard);
          if (!failure) failure = std::current_exception();
          next = wanted.size();
        }
      }
    };
    {
      std::vector<std::jthread> workers;
      for (std::size_t i = 1; i < std::min<std::size_t>(request_.jobs, wanted.size()); ++i)
        workers.emplace_back(work);
      work();
    }
    if (failure) std::rethrow_exception(failure);
    report_.build_seconds = seconds_since(start);
  }

  [[nodiscard]] std::string instruction(planned_cell const& planned, fs::path const& output) const {
    cell_instruction made;
    made.cell = planned.cell;
    made.program = fs::absolute(planned.program);
    if (!request_.case_file.empty()) made.case_file = fs::absolute(request_.case_file);
    made.library = libraries_[planned.library].built.library;
    made.set = request_.set;
    made.calls = request_.calls;
    made.set_again = request_.set_again;
    made.seed = request_.seed;
    made.plant = request_.plant;
    made.extra_edges = request_.extra_edges;
    made.retry = request_.sweep && !planned.cell.fault.empty();
    if (reference_) made.expect_directory = reference_->path();
    made.output_directory = output;
    return to_json(made);
  }

  [[nodiscard]] std::vector<std::string> command_of(planned_cell const& planned) const {
    std::vector<std::string> command;
    if (planned.cell.settings.target != target::cpu) command = request_.device_wrapper;
    command.insert(command.end(), request_.cell_command.begin(), request_.cell_command.end());
    return command;
  }

  [[nodiscard]] child_limits limits() const {
    return {request_.time_limit, request_.memory_limit_bytes};
  }

  [[nodiscard]] check_run run_of(planned_cell const& planned) const {
    check_run run;
    run.cell = planned.cell;
    run.library = libraries_[planned.library].built.key;
    return run;
  }

  void run_reference(planned_cell const& planned) {
    auto directory = std::make_unique<temporary_folder>();
    check_run run = run_of(planned);
    run_children({{command_of(planned), instruction(planned, directory->path()), {}}}, 1, limits(),
                 [&](std::size_t, child_outcome ended) { take(run, std::move(ended)); });
    reference_ = std::move(directory);
    // A reference that does not run is the program's fault, reported like any other run.
    if (run.outcome != outcome::holds) {
      report_.runs.push_back(std::move(run));
      cells_.clear();
    }
  }

  void run_cells() {
    auto const start = clock::now();
    std::vector<child_request> inputs;
    std::vector<std::size_t> order;
    for (planned_cell const& planned : cells_) {
      check_run run = run_of(planned);
      if (runs(planned)) {
        inputs.push_back({command_of(planned), instruction(planned, {}), request_.environment});
        order.push_back(report_.runs.size());
      } else {
        run.outcome = outcome::not_applicable;
        run.outputs = "not compared";
      }
      report_.runs.push_back(std::move(run));
    }
    std::size_t const wanted = inputs.size();
    std::vector<check_run> second;
    if (request_.twice) {
      for (std::size_t const at : order) second.push_back(report_.runs[at]);
      for (std::size_t i = 0; i < wanted; ++i) inputs.push_back(inputs[i]);
    }
    std::size_t done = 0;
    progress("running", 0, inputs.size());
    run_children(inputs, request_.jobs, limits(), [&](std::size_t i, child_outcome ended) {
      take(i < wanted ? report_.runs[order[i]] : second[i - wanted], std::move(ended));
      progress("running", ++done, inputs.size());
    });
    for (std::size_t i = 0; i < second.size(); ++i) {
      check_run& run = report_.runs[order[i]];
      judged_run first = judged(run);
      require_agreement(first, judged(second[i]));
      run.outcome = first.outcome;
      run.detail = first.detail;
    }
    if (request_.twice && wanted != 0)
      report_.notes.push_back(fmt::format("{} runs were made twice", wanted));
    report_.run_seconds += seconds_since(start);
  }

  /// Fails each call that the program made in the runs so far.
  void run_sweep() {
    std::vector<check_run> const plain_runs = report_.runs;
    std::vector<planned_cell> const plain_cells = std::exchange(cells_, {});
    std::vector<std::size_t> plain_of;
    for (std::size_t i = 0; i < plain_cells.size(); ++i) {
      if (plain_runs[i].outcome != outcome::holds && plain_runs[i].outcome != outcome::partial)
        continue;
      for (std::string const& fault : faults_of(plain_runs[i])) {
        cells_.push_back(plain_cells[i]);
        cells_.back().cell.fault = fault;
        plain_of.push_back(i);
      }
    }
    run_cells();
    std::size_t not_reached = 0;
    for (std::size_t i = 0; i < plain_of.size(); ++i) {
      check_run& run = report_.runs[plain_runs.size() + i];
      judge_failure(run, plain_runs[plain_of[i]]);
      not_reached += run.failed_call.empty() ? 1 : 0;
    }
    if (not_reached != 0)
      report_.notes.push_back(fmt::format("{} of {} failures came to no call: the program does not "
                                          "make the same calls in each run",
                                          not_reached, plain_of.size()));
  }

  std::vector<std::string> faults_of(check_run const& plain) {
    if (request_.only) return {request_.only->fault};
    std::vector<std::string> faults;
    std::uint64_t calls = 0, swept = 0;
    for (auto const& [first, last] : plain.program_calls)
      for (std::uint64_t call = first; call <= last; ++call)
        if (++calls <= most_swept_calls) {
          ++swept;
          for (std::string_view const error : swept_errors)
            faults.push_back(fmt::format("{}@{}", error, call));
        }
    if (swept < calls)
      report_.notes.push_back(
          fmt::format("the first {} of {} calls were made to fail in each run", swept, calls));
    return faults;
  }

  /// Turns what a child left behind into the outcome of its run.
  void take(check_run& run, child_outcome ended) {
    bool has_result = false;
    // An exhaustive schedule writes a result for each order, and their number when all are covered.
    bool complete = run.cell.schedule.kind != schedule_kind::exhaustive;
    std::set<std::string> unhooked;
    for (std::string const& line : ended.lines) {
      std::optional<cell_message> message = parse_line(line);
      if (!message) continue;
      if (auto* finding = std::get_if<check_finding>(&*message)) {
        if (request_.suppress) finding->suppressed = request_.suppress(*finding);
        run.findings.push_back(std::move(*finding));
      } else if (auto* result = std::get_if<cell_result>(&*message)) {
        has_result = true;
        run.operations += result->operations;
        run.accesses += result->accesses;
        run.failed_call = result->failed_call;
        run.program_calls = std::move(result->program_calls);
        run.again = std::move(result->again);
        run.in_init = result->in_init;
        run.in_call = result->in_call;
        run.in_exit = result->in_exit;
        unhooked_.insert(result->unhooked.begin(), result->unhooked.end());
        unhooked.insert(result->unhooked.begin(), result->unhooked.end());
        bool const failed = !result->failure.empty() || is_difference(result->outputs);
        if (run.order.empty() && failed) {
          run.order = result->order;
          run.failure = result->failure;
          run.outputs = result->outputs;
        } else if (run.order.empty()) {
          run.outputs = result->outputs;
        }
      } else if (auto const* orders = std::get_if<cell_orders>(&*message)) {
        complete = true;
        run.orders = orders->orders;
      } else {
        auto const& problem = std::get<cell_error>(*message);
        throw error(problem.code, problem.message, problem.place, problem.file);
      }
    }
    bool const has_findings = std::ranges::any_of(run.findings, counts);
    run.seconds = ended.seconds;
    if (!has_result) run.outputs = "not compared";
    if (ended.how == ending::timed_out) {
      run.outcome = outcome::timeout;
      run.detail = fmt::format("no end after {} ms", request_.time_limit.count());
    } else if (ended.how == ending::out_of_memory) {
      run.outcome = outcome::crash;
      run.detail = fmt::format("more than {} MiB of memory", request_.memory_limit_bytes >> 20);
    } else if (ended.how == ending::signalled) {
      run.outcome = outcome::crash;
      run.detail = fmt::format("signal {} ({})", ended.code, strsignal(ended.code));
    } else if (std::string reported = sanitizer_report(ended.code, ended.messages);
               !reported.empty()) {
      run.outcome = outcome::crash;
      run.detail = std::move(reported);
      return;
    } else if (!has_result || !complete || ended.code != 0) {
      run.outcome = outcome::crash;
      run.detail = ended.code == 70 ? "ended by the checker: the access cannot be carried out"
                                    : fmt::format("exit code {}", ended.code);
    } else if (!run.failure.empty()) {
      run.outcome = outcome::crash;
      run.detail = run.failure;
    } else if (has_findings) {
      run.outcome = outcome::findings;
    } else {
      run.outcome = is_difference(run.outputs) ? outcome::wrong_results
                    : unhooked.empty()         ? outcome::holds
                                               : outcome::partial;
    }
    if (run.outcome == outcome::crash || run.outcome == outcome::timeout)
      if (std::string const last = last_line(ended.messages); !last.empty())
        run.detail += ": " + last;
  }

  static std::string last_line(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
  }

  void judge() {
    if (!unhooked_.empty())
      report_.notes.push_back(fmt::format("built without mockgpu's drivers, so its accesses were "
                                          "not seen: {}",
                                          fmt::join(unhooked_, ", ")));
    report_.verdict = verdict_over(judgement_of(report_).runs);
  }

  struct text_of_settings {
    bool plant_applies = true;
    std::size_t library = 0;
  };

  check_request const& request_;
  check_report report_;
  sdfg::graph graph_;
  std::optional<build_folder> folder_;
  std::vector<planned_cell> cells_;
  std::map<std::string, text_of_settings> texts_;
  std::map<std::string, std::size_t> by_text_;
  std::vector<distinct_library> libraries_;
  std::unique_ptr<temporary_folder> reference_;
  std::set<std::string> unhooked_;
};

} // namespace

check_report check(check_request const& request) { return checker(request).run(); }

int exit_code(check_report const& report) noexcept {
  switch (report.verdict) {
  case outcome::holds:
  case outcome::partial:
    return 0;
  case outcome::not_applicable:
    return 2;
  default:
    return 1;
  }
}

} // namespace assay
