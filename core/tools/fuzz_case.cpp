#include "fuzz_case.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "assay/case_file.hpp"
#include "assay/error.hpp"
#include "assay/runtime_factory.hpp"
#include "fuzz/differences.hpp"
#include "fuzz/generate.hpp"
#include "fuzz/run.hpp"
#include "fuzz/write.hpp"
#include "mockgpu/control.hpp"
#include "mockgpu/findings.hpp"

namespace assay::tool {
using fuzz::axis;
using fuzz::choice;
using fuzz::words;

settings settings_of(choice const& c) {
  settings s;
  s.mode = parse_memory_mode(c[axis::mode]);
  s.target = c[axis::dialect].starts_with("hip") ? target::hip : target::cuda;
  s.layout = parse_workspace_layout(c[axis::layout]);
  s.call = parse_call_kind(c[axis::call]);
  std::string_view const stream = c[axis::stream];
  if (stream == "own:as-needed")
    s.own_streams = settings::as_needed;
  else if (stream.starts_with("own:"))
    s.own_streams = stream.back() - '0';
  return s;
}

std::string schedule_of(choice const& c, std::uint64_t draw) {
  std::string schedule(c[axis::schedule]);
  if (schedule == "random" || schedule == "pct")
    schedule += fmt::format(":{}", draw % 1'000'000 + 1);
  return schedule;
}

namespace {

fuzz::run_spec run_of(choice const& c) {
  fuzz::run_spec how;
  how.chosen = settings_of(c);
  how.stream = c[axis::stream] == "blocking"       ? fuzz::caller_stream::blocking
               : c[axis::stream] == "non-blocking" ? fuzz::caller_stream::non_blocking
                                                   : fuzz::caller_stream::null_stream;
  how.larger_workspace = c[axis::workspace] == "larger";
  how.shifted_workspace = c[axis::workspace] == "shifted";
  how.calls = c[axis::calls] == "2" ? 2 : 1;
  return how;
}

struct mock_run {
  fuzz::outcome result;
  std::vector<mockgpu::finding> findings;
  mockgpu::statistics seen;
};

mock_run run_on_mock(plan::program const& plan, fuzz_subject const& subject, choice const& c,
                     std::uint64_t draw, std::string const& fault) {
  mockgpu::options options;
  options.dialect = c[axis::dialect];
  mockgpu::parse_schedule(schedule_of(c, draw), options);
  options.fault = fault;
  mockgpu::reset(options);
  mockgpu::set_sink([](mockgpu::finding const&) {}); // they come back from finish
  mock_run run;
  fuzz::run_spec how = run_of(c);
  how.may_fail = !fault.empty();
  {
    auto const runtime = make_gpu_runtime();
    auto const watcher = make_observer();
    run.result =
        fuzz::run_plan(plan, subject.symbols(), subject.content(), how, *runtime, *watcher,
                       /*withheld_bytes=*/0, [] { return mockgpu::current_statistics().calls; });
  }
  run.findings = mockgpu::finish();
  run.seen = mockgpu::current_statistics();
  std::erase_if(run.findings, &mockgpu::finding::advice);
  // Memlets of real programs may declare more than their kernels read, borders that nobody wrote.
  if (!subject.has_model())
    std::erase_if(run.findings,
                  [](mockgpu::finding const& f) { return f.kind == "undefined-read"; });
  return run;
}

case_outcome of_findings(std::vector<mockgpu::finding> const& findings, std::string_view prefix) {
  case_outcome bad;
  bad.what = prefix.empty() ? "findings" : fmt::format("findings {}", prefix);
  bad.group =
      fmt::format("{}{}", findings.front().kind, prefix.empty() ? "" : fmt::format(" {}", prefix));
  for (mockgpu::finding const& f : findings) bad.text += mockgpu::to_text(f) + "\n";
  return bad;
}

case_outcome wrong(std::string what, std::string text) { return {what, what, std::move(text)}; }

/// The run without a fault.
case_outcome judged(mock_run const& run, fuzz_subject& subject, choice const& c) {
  if (run.result.refused) return wrong("refused", *run.result.refused);
  if (!run.findings.empty()) return of_findings(run.findings, "");
  std::string const difference =
      fuzz::differences(run.result.memory, subject.expected(c[axis::calls] == "2" ? 2 : 1));
  if (!difference.empty()) return wrong("wrong results", difference);
  bool const ran = run.result.counts.launches + run.result.counts.copies > 0;
  if (ran && run.seen.accesses == 0) return wrong("nothing was checked", "");
  return {};
}

/// The call that fails, of those that the program makes.
std::string fault_of(choice const& c, mock_run const& plain, std::uint64_t draw) {
  std::uint64_t count = 0;
  for (auto const& [first, last] : plain.result.program_calls) count += last - first + 1;
  if (count == 0) return {};
  std::uint64_t number = draw % count;
  for (auto const& [first, last] : plain.result.program_calls) {
    std::uint64_t const here = last - first + 1;
    if (number < here) return fmt::format("{}@{}", c[axis::fault], first + number);
    number -= here;
  }
  return {};
}

/// The vendors' names of calls that give something back.
bool gives_back(std::string_view call) {
  return std::ranges::any_of(std::array<std::string_view, 2>{"Free", "Destroy"},
                             [&](auto word) { return call.find(word) != call.npos; });
}

case_outcome judged_failure(mock_run run, fuzz_subject& subject, choice const& c) {
  auto const& [result, findings, seen] = run;
  if (seen.faults == 0) return wrong("the call that was to fail was not made", "");
  bool const device_is_lost = c[axis::fault] == "launch-failure" || c[axis::fault] == "sticky";
  // What a failed release was to give back stays. A lost device runs nothing more, takes nothing
  // back, and nobody can wait for it.
  if (device_is_lost) run.findings.clear();
  std::erase_if(run.findings, [&](mockgpu::finding const& f) {
    return f.kind == "leak" && gives_back(seen.first_fault);
  });
  std::string const about = fmt::format("{} failed with {}", seen.first_fault, c[axis::fault]);
  if (!run.findings.empty()) {
    case_outcome bad = of_findings(run.findings, "after a failure");
    bad.text = about + "\n" + bad.text;
    return bad;
  }
  if (!result.failure) return wrong("a failure is not reported", about);
  if (result.failure->empty()) return wrong("a failure has no message", about);
  if (device_is_lost) return {};
  if (result.again) return wrong("the program cannot be used again", about + ": " + *result.again);
  std::string const difference =
      fuzz::differences(result.memory, subject.expected(c[axis::calls] == "2" ? 2 : 1));
  if (!difference.empty()) return wrong("wrong results after a failure", about + "\n" + difference);
  return {};
}

} // namespace

fuzz_subject::fuzz_subject(fuzz::program_spec const& spec, std::uint64_t content_seed,
                           assay::plant plant)
    : content_seed_(content_seed), has_model_(true), plant_(plant) {
  fuzz::generated_program made = fuzz::build(spec);
  graph_ = sdfg::read_text(fuzz::to_file_text(made.graph));
  sdfg::verify(graph_);
  symbols_ = std::move(made.symbols);
}

fuzz_subject::fuzz_subject(std::filesystem::path const& file, symbol_values const& set,
                           std::uint64_t content_seed, bool has_model, assay::plant plant)
    : graph_(sdfg::read(file)), content_seed_(content_seed), has_model_(has_model), plant_(plant) {
  try {
    sdfg::verify(graph_);
    symbols_ = make_up_case(graph_, /*seed=*/1, set).symbols;
  } catch (error const& problem) {
    throw problem.in_file(file.string());
  }
}

std::map<std::string, words> fuzz_subject::content() const {
  std::map<std::string, words> made = fuzz::initial_content(graph_, symbols_, content_seed_);
  // A scalar of a program that somebody wrote may be a number of steps.
  if (!has_model_)
    for (auto const& [name, d] : graph_.arrays)
      if (d.kind == sdfg::descriptor_kind::scalar && !d.transient && is_integral(d.type))
        made.at(name).front() %= d.type == dtype::boolean ? 2 : 5;
  return made;
}

fuzz_subject::lowered const& fuzz_subject::plan_of(settings const& s) {
  std::string const key = fmt::format("{} {} {} {} {}", name(s.mode), name(s.target),
                                      name(s.layout), name(s.call), s.own_streams);
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    lowered made{plan::lower(graph_, s), false};
    if (plant_ != plant::none) made.has_plant = apply(plant_, made.plan);
    found = plans_.emplace(key, std::move(made)).first;
  }
  return found->second;
}

std::map<std::string, words> const& fuzz_subject::expected(int calls) {
  auto found = expected_.find(calls);
  if (found != expected_.end()) return found->second;
  std::map<std::string, words> result;
  if (has_model_) {
    fuzz::sequential_model model(graph_, symbols_, content());
    for (int k = 0; k < calls; ++k) model.call();
    result = model.memory();
  } else {
    choice plain;
    if (calls == 2) set(plain, axis::calls, "2");
    // A plant does not change what is right.
    mock_run run =
        run_on_mock(plan::lower(graph_, settings_of(plain)), *this, plain, /*draw=*/0, {});
    if (run.result.refused) throw error(errc::unsupported, *run.result.refused);
    result = std::move(run.result.memory);
  }
  return expected_.emplace(calls, std::move(result)).first->second;
}

case_outcome run_fuzz_case(fuzz_subject& subject, choice const& c, std::uint64_t draw) {
  auto const& [plan, has_plant] = subject.plan_of(settings_of(c));
  // On the default stream itself a launch on the default stream is no fault.
  bool const is_harmless = subject.plant() == plant::null_stream && c[axis::stream] == "default";
  if (subject.plant() != plant::none && (!has_plant || is_harmless))
    return {"not applicable", {}, {}};
  static_cast<void>(subject.expected(c[axis::calls] == "2" ? 2 : 1));
  mock_run const plain = run_on_mock(plan, subject, c, draw, {});
  case_outcome result = judged(plain, subject, c);
  result.operations = plain.seen.operations;
  result.accesses = plain.seen.accesses;
  if (result.is_failure() || c[axis::fault] == "none") return result;
  std::string const fault = fault_of(c, plain, draw);
  if (fault.empty()) {
    result.what = "not applicable"; // the program calls nothing
    return result;
  }
  mock_run run = run_on_mock(plan, subject, c, draw, fault);
  std::uint64_t const operations = result.operations + run.seen.operations;
  std::uint64_t const accesses = result.accesses + run.seen.accesses;
  result = judged_failure(std::move(run), subject, c);
  result.operations = operations;
  result.accesses = accesses;
  return result;
}

} // namespace assay::tool
