#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "assay/check.hpp"

namespace assay {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

check_report report_of(std::vector<outcome> const& outcomes) {
  check_report report;
  report.program = "p.sdfg";
  report.program_name = "p";
  check_matrix matrix;
  matrix.modes = {memory_mode::pool};
  matrix.targets = {target::cuda};
  matrix.streams = {{stream_kind_of_run::external, 0}};
  matrix.calls = {call_kind::sync};
  auto const cells = cells_of(matrix);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    check_run run;
    run.cell = cells.at(i);
    run.outcome = outcomes[i];
    run.operations = 2;
    run.accesses = 100;
    report.runs.push_back(run);
  }
  return report;
}

TEST(Report, ShowsOneRowForAllSchedules) {
  using enum outcome;
  check_report const report = report_of({holds, holds, holds, holds, holds, holds});
  EXPECT_EQ(
      to_text(report),
      "mode  target  stream    call  eager  lazy  random x4\n"
      "pool  cuda    external  sync  ok     ok    ok\n"
      "\n"
      "verdict: holds (6 runs, results compared in 6, 12 operations and 600 accesses checked)\n");
  EXPECT_EQ(exit_code(report), 0);
}

TEST(Report, CountsWhatSeedsDiffer) {
  using enum outcome;
  check_report report = report_of({holds, crash, holds, timeout, holds, wrong_results});
  report.verdict = wrong_results;
  report.runs[1].detail = "signal 11 (Segmentation fault)";
  report.runs[3].detail = "no end after 50 ms";
  report.runs[5].outputs = "out[0]: 1, expected 2 (1 of 1 elements differ)";
  std::string const text = to_text(report);
  EXPECT_THAT(text, HasSubstr("ok     crash  2x ok, 1x timeout, 1x wrong\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\ncrash: signal 11 (Segmentation fault)\n  in 1 run, first in: pool cuda external "));
  EXPECT_THAT(text, HasSubstr("\ntimeout: no end after 50 ms\n"));
  EXPECT_THAT(text, HasSubstr("\nwrong result: out[0]: 1, expected 2 (1 of 1 elements differ)\n"));
  EXPECT_THAT(text, HasSubstr("\nverdict: wrong_results (1 with wrong results, 1 crashed, 1 timed "
                              "out, 3 ok; 6 runs, "));
  EXPECT_EQ(exit_code(report), 1);
}

TEST(Report, ShowsAFindingOnceForAllItsRuns) {
  using enum outcome;
  check_report report = report_of({findings, findings});
  report.verdict = findings;
  for (check_run& run : report.runs)
    run.findings = {
        {"host-race", false, "host:1:2", "g", "finding: host-race\n  first: a",
         R"({"kind":"host-race"})"},
        {"implicit-free-order", true, "", "h", "finding: implicit-free-order", R"({"kind":"x"})"}};
  std::string const text = to_text(report);
  EXPECT_THAT(text, HasSubstr("1 finding  1 finding\n")) << "advice does not count";
  EXPECT_THAT(
      text,
      HasSubstr(
          "\nfinding: host-race\n  first: a\n  seen in 2 of 2 runs, first in: pool cuda external "
          "(blocking) sync eager\n"));
  EXPECT_THAT(text, HasSubstr("\nadvice: finding: implicit-free-order\n"));
  EXPECT_EQ(text.find("first: a"), text.rfind("first: a"));
}

TEST(Report, SaysThatAPlantFoundNoPlace) {
  check_report report = report_of({outcome::not_applicable});
  report.verdict = outcome::not_applicable;
  report.plant = plant::early_free;
  EXPECT_THAT(
      to_text(report),
      EndsWith("verdict: not applicable (plant early-free finds no place in this program)\n"));
  EXPECT_EQ(exit_code(report), 2);
}

TEST(Report, JsonHoldsEveryRunAndEveryFinding) {
  check_report report = report_of({outcome::findings, outcome::holds});
  report.verdict = outcome::findings;
  report.runs[0].findings = {
      {"host-race", false, "host:1:2", "g", "text", R"({"kind":"host-race","bytes":[0,8]})"}};
  report.runs[0].library = "0123";
  auto const json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["verdict"], "findings");
  EXPECT_EQ(json["checked"], (nlohmann::json{{"runs", 2}, {"operations", 4}, {"accesses", 200}}));
  auto const& run = json["runs"][0];
  EXPECT_EQ(run["mode"], "pool");
  EXPECT_EQ(run["schedule"], "eager");
  EXPECT_EQ(run["stream"], "external");
  EXPECT_EQ(run["blocking_stream"], true);
  EXPECT_EQ(run["outputs"], "equal");
  EXPECT_EQ(run["library"], "0123");
  EXPECT_EQ(run["findings"][0]["bytes"][1], 8);
  EXPECT_EQ(json["runs"][1]["findings"].size(), 0u);
}

TEST(Report, ShowsACaseColumnOnlyWhereItVaries) {
  check_report report = report_of({outcome::holds, outcome::holds});
  EXPECT_THAT(to_text(report), Not(HasSubstr("layout")));
  report.runs[1].cell.settings.layout = workspace_layout::packed;
  EXPECT_THAT(to_text(report), HasSubstr("mode  target  stream    call  layout   eager  lazy\n"));
}

TEST(Report, HasNoMemberThatTheFormatsDocumentLeavesOut) {
  check_report report = report_of({outcome::crash});
  check_run& run = report.runs[0];
  run.detail = run.replay = run.failed_call = run.cell.fault = "x";
  run.orders = 2;
  run.cell.devices = 2;
  run.cell.advice = true;
  std::ifstream in(ASSAY_FORMATS);
  std::string const document(std::istreambuf_iterator<char>(in), {});
  auto const json = nlohmann::json::parse(to_json(report));
  std::size_t members = 0;
  for (auto const& part : {json, json.at("runs")[0], json.at("runs")[0].at("memory_calls")})
    for (auto const& [member, value] : part.items()) {
      EXPECT_NE(document.find("`" + member + "`"), std::string::npos) << member;
      ++members;
    }
  EXPECT_GE(members, 30u);
}

} // namespace
} // namespace assay
