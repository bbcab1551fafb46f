#include "canary_check.hpp"

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace mockgpu::tools {
namespace {

struct demand {
  std::string function;
  std::vector<std::string> hooks; // each with alternatives separated by '|'
};

std::vector<demand> read_demands(std::string_view source, std::string_view compiler_family) {
  std::vector<demand> demands;
  std::istringstream lines{std::string(source)};
  std::string line;
  std::vector<std::string> pending;
  constexpr std::string_view mark = "// hooks";
  while (std::getline(lines, line)) {
    if (line.starts_with(mark)) {
      std::size_t const colon = line.find(':');
      std::string_view const whom = std::string_view(line).substr(mark.size(), colon - mark.size());
      if (!whom.empty() && whom.substr(1) != compiler_family) continue;
      std::istringstream words(line.substr(colon + 1));
      for (std::string word; words >> word;) pending.push_back(word);
    } else if (!pending.empty()) {
      std::size_t const begin = line.find("canary_");
      std::size_t const name = line.rfind("canary_", line.find('('));
      if (begin == line.npos || name == line.npos)
        throw std::runtime_error("the canary's demand stands before no function: " + line);
      demands.push_back({line.substr(name, line.find('(') - name), std::exchange(pending, {})});
    }
  }
  return demands;
}

/// What each function of the canary calls or jumps to.
std::map<std::string, std::set<std::string>> read_calls(std::string_view assembly) {
  std::map<std::string, std::set<std::string>> calls;
  std::istringstream lines{std::string(assembly)};
  std::string function;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("canary_")) {
      function = line.substr(0, line.find(':'));
      calls[function];
    } else if (!function.empty() && line.starts_with('\t')) {
      std::istringstream words(line);
      std::string mnemonic;
      std::string target;
      words >> mnemonic >> target;
      if (mnemonic.starts_with("call") || mnemonic == "jmp")
        calls[function].insert(target.substr(0, target.find('@')));
    }
  }
  return calls;
}

bool any_alternative(std::string const& alternatives, std::set<std::string> const& calls) {
  std::istringstream names(alternatives);
  for (std::string name; std::getline(names, name, '|');)
    if (calls.contains(name)) return true;
  return false;
}

} // namespace

std::vector<missing_hook> find_missing_hooks(std::string_view source, std::string_view assembly,
                                             std::string_view compiler_family) {
  auto const demands = read_demands(source, compiler_family);
  if (demands.empty()) throw std::runtime_error("the canary demands no hooks");
  auto const calls = read_calls(assembly);
  std::vector<missing_hook> missing;
  for (demand const& one : demands) {
    auto const found = calls.find(one.function);
    if (found == calls.end())
      throw std::runtime_error("the canary's function '" + one.function + "' was not compiled");
    for (std::string const& hook : one.hooks)
      if (!any_alternative(hook, found->second)) missing.push_back({one.function, hook});
  }
  return missing;
}

} // namespace mockgpu::tools
