// Every rule of the dialect table has a test, and a conformance case or a reason why hardware
// cannot show it.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "dialect/dialect.hpp"

namespace mockgpu::tests {
namespace {

namespace fs = std::filesystem;

std::string text_below(fs::path const& folder) {
  std::string all;
  for (fs::directory_entry const& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".cpp") {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      all += text.str();
    }
  return all;
}

/// Rules that no case can observe, each with the reason: lines of "name: reason".
std::map<std::string, std::string> unobservable() {
  std::map<std::string, std::string> all;
  std::ifstream file(fs::path(ASSAY_SOURCE_DIR) / "device_tests/unobservable_rules.txt");
  for (std::string line; std::getline(file, line);)
    if (std::size_t const colon = line.find(": ");
        !line.starts_with('#') && colon != std::string::npos)
      all[line.substr(0, colon)] = line.substr(colon + 2);
  return all;
}

TEST(Rules, HaveATestThatNamesThem) {
  std::string const tests = text_below(fs::path(ASSAY_SOURCE_DIR) / "mockgpu/tests");
  int found = 0;
  for (rule_row const& row : all_rules()) {
    std::string const mark = "RecordProperty(\"rule\", \"" + std::string(row.name) + "\")";
    if (tests.find(mark) == std::string::npos)
      ADD_FAILURE() << "no test names rule '" << row.name << "'";
    else
      ++found;
  }
  EXPECT_GT(found, 40);
}

TEST(Rules, HaveAConformanceCaseOrAReason) {
  std::string const cases = text_below(fs::path(ASSAY_SOURCE_DIR) / "device_tests/conformance");
  auto const excused = unobservable();
  std::set<std::string> names;
  for (rule_row const& row : all_rules()) {
    std::string const name(row.name);
    names.insert(name);
    bool const has_case =
        cases.find("rule(\"" + std::string(row.section) + " " + name + "\")") != std::string::npos;
    EXPECT_NE(has_case, excused.contains(name))
        << name << (has_case ? " has a case: drop the reason" : " has no case and no reason");
  }
  for (auto const& [name, reason] : excused) {
    EXPECT_TRUE(names.contains(name)) << name << " is no rule";
    EXPECT_GT(reason.size(), 10u) << name;
  }
}

TEST(Rules, AreNamedOnce) {
  std::set<std::string_view> names;
  for (rule_row const& row : all_rules()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
}

} // namespace
} // namespace mockgpu::tests
