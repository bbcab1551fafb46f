// JUnit's XML, as its consumers read it (schema: the JUnit.xsd of the Jenkins xUnit plug-in).
#include <fmt/format.h>

#include "check/finding_groups.hpp"

namespace assay {
namespace {

/// Text of an element or attribute. XML 1.0 has no form for most control characters.
std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\n':
      result += "&#10;";
      break;
    case '\t':
      result += "&#9;";
      break;
    default:
      result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return result;
}

std::string problem(std::string_view element, std::string_view type, std::string_view message,
                    std::string_view text) {
  return fmt::format("   <{} type=\"{}\" message=\"{}\">{}</{}>\n", element, escaped(type),
                     escaped(message), escaped(text), element);
}

/// The first line of a text of several.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// JUnit takes at most one problem for a case: findings are joined into one failure.
std::string problem_of(judged_run const& run) {
  std::string text, type;
  std::string_view message;
  for (check_finding const& finding : run.findings) {
    if (!counts(finding)) continue;
    if (text.empty()) {
      type = finding.kind;
      message = first_line(finding.text);
    }
    text += finding.text + '\n';
  }
  bool const broke = run.outcome == outcome::crash || run.outcome == outcome::timeout;
  if (broke) text += run.detail + '\n';
  if (run.outcome == outcome::wrong_results) {
    type = name(run.outcome);
    text += run.outputs + '\n';
    message = run.outputs;
  }
  if (text.empty()) return {};
  if (type.empty()) {
    type = name(run.outcome);
    message = run.detail;
  }
  return problem(broke ? "error" : "failure", type, message, text);
}

} // namespace

std::string to_junit(judgement const& all) {
  std::string cases;
  std::size_t failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  for (judged_run const& run : all.runs) {
    std::string content = problem_of(run);
    if (run.outcome == outcome::not_applicable) {
      content = "   <skipped/>\n";
      ++skipped;
    } else if (content.starts_with("   <error")) {
      ++errors;
    } else if (!content.empty()) {
      ++failures;
    }
    if (!run.replay.empty() && !content.empty())
      content += fmt::format("   <system-out>{}</system-out>\n",
                             escaped("again: assay replay " + run.replay));
    seconds += run.seconds;
    cases += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"",
                         escaped(all.subject), escaped(run.name), run.seconds);
    cases += content.empty() ? "/>\n" : ">\n" + content + "  </testcase>\n";
  }
  std::string const numbers =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                  all.runs.size(), failures, errors, skipped, seconds);
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" {0}>\n"
                     " <testsuite name=\"{1}\" {0}>\n"
                     "  <properties>\n   <property name=\"verdict\" value=\"{2}\"/>\n"
                     "  </properties>\n{3}"
                     "  <system-out>{4}</system-out>\n </testsuite>\n</testsuites>\n",
                     numbers, escaped(all.subject), escaped(name(all.verdict)), cases,
                     escaped(verdict_line(all)));
}

} // namespace assay
