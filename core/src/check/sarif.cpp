// SARIF 2.1.0 (OASIS standard, sections 3.13 to 3.35), as code-scanning services read it.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "check/finding_groups.hpp"

namespace assay {
namespace {

using json = nlohmann::json;

/// RFC 3986: what a path may hold as it is.
std::string uri_of(std::string const& file) {
  std::string uri = file.starts_with('/') ? "file://" : "";
  for (char c : file) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._~/-").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// The place of one side of a finding, or null where it is not known.
json place_of(json const& side) {
  if (!side.is_object() || !side.contains("location")) return nullptr;
  json const& place = side["location"];
  std::string const file = place.value("file", "");
  unsigned const line = place.value("line", 0u);
  if (file.empty() || line == 0) return nullptr;
  json location{
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri_of(file)}}}, {"region", {{"startLine", line}}}}}};
  if (std::string const function = place.value("function", ""); !function.empty())
    location["logicalLocations"] =
        json::array({{{"fullyQualifiedName", function}, {"kind", "function"}}});
  std::string words = side.value("access", "");
  if (!words.empty()) words += " by ";
  words += side.value("what", "");
  if (std::string const name = side.value("name", ""); !name.empty()) words += " " + name;
  location["message"] = {{"text", words}};
  return location;
}

class document {
public:
  json result(std::string const& rule, char const* level, std::string const& text) {
    auto const [at, is_new] = rules_.emplace(rule, rules_.size());
    if (is_new) listed_.push_back({{"id", rule}, {"name", rule}});
    return {{"ruleId", rule},
            {"ruleIndex", at->second},
            {"level", level},
            {"message", {{"text", text}}}};
  }
  void add(json result) { results_.push_back(std::move(result)); }

  [[nodiscard]] std::string text(judgement const& all) const {
    json invocation{{"executionSuccessful", true}};
    if (!all.notes.empty())
      for (std::string const& note : all.notes)
        invocation["toolExecutionNotifications"].push_back(
            {{"level", "note"}, {"message", {{"text", note}}}});
    json run{
        {"tool", {{"driver", {{"name", "assay"}, {"version", ASSAY_VERSION}, {"rules", listed_}}}}},
        {"invocations", json::array({invocation})},
        {"results", results_},
        {"columnKind", "unicodeCodePoints"},
        {"properties", {{"program", all.subject}, {"verdict", name(all.verdict)}}}};
    json root{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs", json::array({run})}};
    return root.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
  }

private:
  std::map<std::string, std::size_t> rules_;
  json listed_ = json::array(), results_ = json::array();
};

} // namespace

std::string to_sarif(judgement const& all) {
  document made;
  for (finding_group const& group : groups_of(all)) {
    check_finding const& finding = *group.first;
    json result = made.result(finding.kind, finding.advice ? "note" : "error", finding.text);
    json const whole = json::parse(finding.json, nullptr, /*allow_exceptions=*/false);
    json places = json::array();
    if (whole.is_object())
      for (char const* side :
           {"second", "first"}) // the later one shows where the program goes wrong
        if (whole.contains(side))
          if (json place = place_of(whole[side]); !place.is_null())
            places.push_back(std::move(place));
    if (!places.empty()) {
      result["locations"] = json::array({places[0]});
      if (places.size() > 1) {
        places[1]["id"] = 1;
        result["relatedLocations"] = json::array({places[1]});
      }
    }
    result["partialFingerprints"] = {{"assay/group/v1", finding.group}};
    result["occurrenceCount"] = group.runs;
    result["properties"] = {{"firstRun", group.seen_in->name}, {"finding", whole}};
    if (std::string const& token = replay_of(group); !token.empty())
      result["properties"]["replay"] = token;
    // An empty list says "not suppressed" where other results of the log are.
    result["suppressions"] = json::array();
    if (!finding.suppressed.empty())
      result["suppressions"].push_back(
          {{"kind", "external"}, {"justification", finding.suppressed}});
    made.add(std::move(result));
  }
  for (judged_run const& run : all.runs) {
    std::string const text = run.outcome == outcome::wrong_results ? run.outputs : run.detail;
    if (run.outcome != outcome::wrong_results && run.outcome != outcome::crash &&
        run.outcome != outcome::timeout)
      continue;
    json result =
        made.result(std::string(name(run.outcome)), "error", fmt::format("{}: {}", run.name, text));
    result["locations"] = json::array(
        {{{"physicalLocation", {{"artifactLocation", {{"uri", uri_of(all.subject)}}}}}}});
    result["properties"] = {{"firstRun", run.name}};
    result["suppressions"] = json::array();
    made.add(std::move(result));
  }
  return made.text(all);
}

} // namespace assay
