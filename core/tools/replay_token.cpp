#include "replay_token.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay::tool {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._/:+-@").find(c) != std::string_view::npos;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    result +=
        is_plain(c) ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  return result;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    int const high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    int const low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0)
      throw error(errc::invalid_input,
                  fmt::format("'{}' in a replay token has no two digits behind its %", text));
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return result;
}

} // namespace

void replay_token::add(std::string_view name, std::string_view value) {
  if (!value.empty()) members.emplace_back(name, value);
}

std::string replay_token::get(std::string_view name, std::string_view otherwise) const {
  auto const found = std::ranges::find(members, name, &std::pair<std::string, std::string>::first);
  return found == members.end() ? std::string(otherwise) : found->second;
}

std::vector<std::string> replay_token::all(std::string_view name) const {
  std::vector<std::string> values;
  for (auto const& [each, value] : members)
    if (each == name) values.push_back(value);
  return values;
}

std::string to_text(replay_token const& token) {
  std::string text = token.command;
  for (auto const& [name, value] : token.members)
    text += fmt::format(",{}={}", name, escaped(value));
  return text;
}

replay_token parse_replay_token(std::string_view text) {
  replay_token token;
  token.command = text.substr(0, text.find(','));
  if (token.command != "run" && token.command != "check" && token.command != "fuzz")
    throw error(
        errc::invalid_input,
        fmt::format("'{}' is no replay token: it begins with none of 'run,', 'check,' and 'fuzz,'", text));
  for (std::size_t at = token.command.size(); at < text.size();) {
    std::size_t const begin = at + 1;
    at = std::min(text.find(',', begin), text.size());
    std::string_view const part = text.substr(begin, at - begin);
    std::size_t const equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      throw error(errc::invalid_input,
                  fmt::format("'{}' in a replay token is not of the form NAME=VALUE", part));
    token.members.emplace_back(part.substr(0, equals), unescaped(part.substr(equals + 1)));
  }
  return token;
}

} // namespace assay::tool
