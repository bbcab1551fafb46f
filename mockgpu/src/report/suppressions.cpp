#include "mockgpu/suppressions.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace mockgpu {
namespace {

/// `*` takes any text, `?` one character. Linear but for the last star: a text is short.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool matches_path(std::string_view pattern, std::string_view path) {
  if (matches(pattern, path)) return true;
  for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/', slash + 1))
    if (matches(pattern, path.substr(slash + 1))) return true;
  return false;
}

bool matches_place(std::string const& pattern, operation_ref const& side) {
  source_location const& place = side.location;
  if (place.line == 0) return false;
  return matches_path(pattern, place.file) ||
         matches_path(pattern, place.file + ":" + std::to_string(place.line));
}

bool matches_finding(suppression const& entry, finding const& one) {
  if (entry.kind != "*" && entry.kind != one.kind) return false;
  auto const either = [&](auto test) { return test(one.first) || test(one.second); };
  if (!entry.kernel.empty() &&
      !either([&](operation_ref const& side) { return matches(entry.kernel, side.name); }))
    return false;
  if (!entry.place.empty() &&
      !either([&](operation_ref const& side) { return matches_place(entry.place, side); }))
    return false;
  return entry.memory.empty() || matches(entry.memory, one.memory.name) ||
         (!one.memory.sub_array.empty() && matches(entry.memory, one.memory.sub_array));
}

std::string_view trimmed(std::string_view text) {
  constexpr char const* blanks = " \t\r";
  std::size_t const begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

} // namespace

suppressions::suppressions(std::string_view text, std::string const& file) : file_(file) {
  unsigned number = 0;
  auto const fail = [&](unsigned line, std::string const& rule) {
    throw std::invalid_argument(file + ":" + std::to_string(line) + ": " + rule);
  };
  suppression entry;
  auto const close = [&] {
    if (entry.line == 0) return;
    if (entry.kind.empty()) fail(entry.line, "the entry names no kind");
    if (entry.reason.empty()) fail(entry.line, "the entry gives no reason");
    if (entry.kind == "*" && entry.kernel.empty() && entry.place.empty() && entry.memory.empty())
      fail(entry.line, "an entry for every kind needs a kernel, a place or a memory");
    entries_.push_back(std::move(entry));
    entry = {};
  };
  while (!text.empty()) {
    std::size_t const end = std::min(text.find('\n'), text.size());
    std::string_view const line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty()) close();
    if (line.empty() || line.front() == '#') continue;
    std::size_t const colon = line.find(':');
    std::string_view const name = trimmed(line.substr(0, colon));
    std::string* const member = name == "kind"     ? &entry.kind
                                : name == "kernel" ? &entry.kernel
                                : name == "place"  ? &entry.place
                                : name == "memory" ? &entry.memory
                                : name == "reason" ? &entry.reason
                                                   : nullptr;
    if (colon == line.npos || member == nullptr)
      fail(number, "'" + std::string(line) +
                       "' is not of the form NAME: VALUE with NAME of kind, kernel, place, memory, "
                       "reason");
    std::string_view const value = trimmed(line.substr(colon + 1));
    if (value.empty()) fail(number, "'" + std::string(name) + "' has no value");
    if (!member->empty()) fail(number, "the entry has a second '" + std::string(name) + "'");
    auto const kinds = finding_kinds();
    if (name == "kind" && value != "*" &&
        std::find(kinds.begin(), kinds.end(), value) == kinds.end())
      fail(number, "'" + std::string(value) + "' is no kind of finding");
    *member = value;
    if (entry.line == 0) entry.line = number;
  }
  close();
}

suppressions suppressions::read(std::string const& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::invalid_argument(file + ": the suppressions cannot be read");
  return {std::string(std::istreambuf_iterator<char>(stream), {}), file};
}

suppression const* suppressions::match(finding const& one) {
  for (suppression& entry : entries_)
    if (matches_finding(entry, one)) {
      ++entry.used;
      return &entry;
    }
  return nullptr;
}

std::vector<std::string> suppressions::unused() const {
  std::vector<std::string> lines;
  for (suppression const& entry : entries_)
    if (entry.used == 0)
      lines.push_back(file_ + ":" + std::to_string(entry.line) + ": the suppression of " +
                      entry.kind + " was not used");
  return lines;
}

} // namespace mockgpu
