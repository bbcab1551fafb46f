// JUnit and SARIF: every report keeps to the format's own rules, whatever text it carries.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "assay/results.hpp"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

check_finding race() {
  return {"stream-race", false, "wait:1:2", "group <1>", "stream-race: \"a\" & b\n  second: here",
          R"json({"first":{"what":"kernel","name":"fill","access":"write",
              "location":{"file":"/src/a b.cu","line":3,"function":"fill()"}},
              "second":{"what":"copy","name":"","access":"read",
              "location":{"file":"gen/c.cpp","line":9,"function":""}}})json"};
}

judgement example() {
  judged_run holds{"eager", outcome::holds, "not compared", "", {}, 3, 5, 0.25, "run,a=b"};
  judged_run races = holds, crashes = holds, wrong = holds, skipped = holds;
  races.name = "lazy";
  races.outcome = outcome::findings;
  races.findings = {race()};
  crashes.name = "random:1";
  crashes.outcome = outcome::crash;
  crashes.detail = "signal 11\x01 <here>";
  wrong.name = "random:2";
  wrong.outcome = outcome::wrong_results;
  wrong.outputs = "x[0]: 1, expected 2";
  skipped.outcome = outcome::not_applicable;
  judgement all{"dir/p q.sdfg", outcome::findings, {holds, races, crashes, wrong, skipped}, {}};
  all.notes = {"a note"};
  return all;
}

/// The members that the standard gives an object, and those that it must have (SARIF 2.1.0,
/// sections 3.13 to 3.58): only those that a report of ours may use, so that a slip of the pen in
/// a name is an error.
struct object_rule {
  std::set<std::string> required, optional;
  std::map<std::string, std::string> objects, arrays; ///< member to the name of its objects' rule
};

std::map<std::string, object_rule> const rules{
    {"sarifLog", {{"version", "runs"}, {"$schema"}, {}, {{"runs", "run"}}}},
    {"run",
     {{"tool"},
      {"invocations", "results", "columnKind", "properties"},
      {{"tool", "tool"}},
      {{"invocations", "invocation"}, {"results", "result"}}}},
    {"tool", {{"driver"}, {}, {{"driver", "toolComponent"}}, {}}},
    {"toolComponent", {{"name"}, {"version", "rules"}, {}, {{"rules", "reportingDescriptor"}}}},
    {"reportingDescriptor", {{"id"}, {"name"}, {}, {}}},
    {"invocation",
     {{"executionSuccessful"},
      {"toolExecutionNotifications"},
      {},
      {{"toolExecutionNotifications", "notification"}}}},
    {"notification", {{"message"}, {"level"}, {{"message", "message"}}, {}}},
    {"message", {{"text"}, {}, {}, {}}},
    {"result",
     {{"message"},
      {"ruleId", "ruleIndex", "level", "locations", "relatedLocations", "partialFingerprints",
       "occurrenceCount", "suppressions", "properties"},
      {{"message", "message"}},
      {{"locations", "location"},
       {"relatedLocations", "location"},
       {"suppressions", "suppression"}}}},
    {"location",
     {{},
      {"id", "physicalLocation", "logicalLocations", "message"},
      {{"physicalLocation", "physicalLocation"}, {"message", "message"}},
      {{"logicalLocations", "logicalLocation"}}}},
    {"physicalLocation",
     {{},
      {"artifactLocation", "region"},
      {{"artifactLocation", "artifactLocation"}, {"region", "region"}},
      {}}},
    {"artifactLocation", {{"uri"}, {}, {}, {}}},
    {"region", {{"startLine"}, {}, {}, {}}},
    {"logicalLocation", {{}, {"fullyQualifiedName", "kind"}, {}, {}}},
    {"suppression", {{"kind"}, {"justification"}, {}, {}}},
};

/// What breaks the rules, one entry each.
std::vector<std::string> violations(json const& object, std::string const& kind) {
  if (!object.is_object()) return {kind + " is no object"};
  std::vector<std::string> found;
  auto const descend = [&](json const& value, std::string const& inner) {
    for (std::string& each : violations(value, inner)) found.push_back(std::move(each));
  };
  object_rule const& rule = rules.at(kind);
  for (std::string const& member : rule.required)
    if (!object.contains(member)) found.push_back(kind + " lacks " + member);
  for (auto const& [member, value] : object.items()) {
    if (!rule.required.contains(member) && !rule.optional.contains(member))
      found.push_back(kind + " has no " + member);
    if (auto const inner = rule.objects.find(member); inner != rule.objects.end())
      descend(value, inner->second);
    if (auto const inner = rule.arrays.find(member); inner != rule.arrays.end())
      for (json const& each : value) descend(each, inner->second);
  }
  return found;
}

TEST(Sarif, KeepsToTheStandardsMembers) {
  json const log = json::parse(to_sarif(example()));
  EXPECT_THAT(violations(log, "sarifLog"), testing::IsEmpty());
  EXPECT_EQ(log["version"], "2.1.0");
  json const& run = log["runs"][0];
  json const& rule_list = run["tool"]["driver"]["rules"];
  ASSERT_EQ(run["results"].size(), 3u);
  for (json const& result : run["results"]) {
    EXPECT_THAT(result["level"], testing::AnyOf("error", "note"));
    EXPECT_EQ(rule_list.at(result["ruleIndex"].get<std::size_t>())["id"], result["ruleId"]);
    for (json const& place : result["locations"]) {
      std::string const uri = place["physicalLocation"]["artifactLocation"]["uri"];
      EXPECT_EQ(uri.find_first_of(" <>\"\\^`{|}"), std::string::npos) << uri;
    }
  }
}

TEST(Sarif, ABrokenRuleIsSeen) { // twin: KeepsToTheStandardsMembers
  json log = json::parse(to_sarif(example()));
  log["runs"][0]["results"][0].erase("message");
  log["runs"][0]["tool"]["driver"]["Version"] = "1";
  EXPECT_THAT(
      violations(log, "sarifLog"),
      testing::UnorderedElementsAre("result lacks message", "toolComponent has no Version"));
}

TEST(Sarif, PlacesAFindingAtItsLaterSideWithTheEarlierOneRelated) {
  json const result = json::parse(to_sarif(example()))["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "stream-race");
  json const& place = result["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "gen/c.cpp");
  EXPECT_EQ(place["region"]["startLine"], 9);
  json const& other = result["relatedLocations"][0];
  EXPECT_EQ(other["physicalLocation"]["artifactLocation"]["uri"], "file:///src/a%20b.cu");
  EXPECT_EQ(other["message"]["text"], "write by kernel fill");
  EXPECT_EQ(result["suppressions"], json::array());
}

TEST(Sarif, CarriesTheReasonOfASuppression) {
  judgement all = example();
  all.runs[1].findings[0].suppressed = "known";
  json const result = json::parse(to_sarif(all))["runs"][0]["results"][0];
  EXPECT_EQ(result["suppressions"][0], (json{{"kind", "external"}, {"justification", "known"}}));
}

/// Tags open and close in pairs, attributes are quoted, and no character is left bare.
void expect_well_formed(std::string const& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      EXPECT_TRUE(xml[at] == '\n' || static_cast<unsigned char>(xml[at]) >= 0x20);
      if (xml[at] == '&') {
        std::string const name = xml.substr(at + 1, xml.find(';', at) - at - 1);
        EXPECT_THAT(name, testing::AnyOf("amp", "lt", "gt", "quot", "#10", "#9"));
      }
      ++at;
      continue;
    }
    std::size_t const end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string const tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.front() == '?') continue;
    EXPECT_EQ(tag.find('<'), std::string::npos);
    std::string const name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
}

TEST(Junit, HasACaseForEachRunAndCountsThem) {
  std::string const xml = to_junit(example());
  expect_well_formed(xml);
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"assay\" tests=\"5\" failures=\"2\" errors=\"1\" "
                             "skipped=\"1\" time=\"1.250\">"));
  EXPECT_THAT(xml,
              HasSubstr("<testcase classname=\"dir/p q.sdfg\" name=\"eager\" time=\"0.250\"/>"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"stream-race\" message=\"stream-race: &quot;a&quot; "
                             "&amp; b\">"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"crash\" message=\"signal 11? &lt;here&gt;\">"));
  EXPECT_THAT(xml, HasSubstr("<failure type=\"wrong_results\" message=\"x[0]: 1, expected 2\">"));
  EXPECT_THAT(xml, HasSubstr("again: assay replay run,a=b"));
}

TEST(Junit, LeavesAdviceAndSuppressedFindingsOut) {
  judgement all = example();
  all.runs[1].outcome = outcome::holds;
  all.runs[1].findings[0].suppressed = "known";
  std::string const xml = to_junit(all);
  expect_well_formed(xml);
  EXPECT_THAT(xml, HasSubstr("failures=\"1\""));
  EXPECT_THAT(xml, Not(HasSubstr("stream-race")));
}

} // namespace
} // namespace assay
