#include "mutation/source_structure.hpp"

#include <algorithm>

namespace assay::fuzz {

using mockgpu::tools::token;
using mockgpu::tools::token_kind;

source_structure::source_structure(std::string_view text)
    : text_(text), tokens_(mockgpu::tools::split_into_tokens(text)) {
  find_functions();
}

std::size_t source_structure::offset_of(unsigned token) const {
  return token < tokens_.size()
             ? static_cast<std::size_t>(tokens_[token].text.data() - text_.data())
             : text_.size();
}

std::string_view source_structure::text_of(token_range range) const {
  if (range.empty()) return {};
  std::size_t const begin = offset_of(range.begin);
  return text_.substr(begin, offset_of(range.end - 1) + tokens_[range.end - 1].text.size() - begin);
}

unsigned source_structure::line_of(unsigned token) const {
  auto const end = text_.begin() + static_cast<std::ptrdiff_t>(offset_of(token));
  return static_cast<unsigned>(std::count(text_.begin(), end, '\n')) + 1;
}

bool source_structure::mentions(token_range range, std::string_view identifier) const {
  for (unsigned i = range.begin; i < range.end; ++i)
    if (tokens_[i].kind == token_kind::identifier && tokens_[i].text == identifier) return true;
  return false;
}

void source_structure::find_functions() {
  // A body is a brace behind a parameter list that lies in no other body.
  unsigned since = 0; // the end of the declaration before
  for (unsigned i = 1; i < tokens_.size(); ++i) {
    std::string_view const here = tokens_[i].text;
    if (here == ";" || here == "}") since = i + 1;
    if (here != "{" || tokens_[i].partner <= i) continue;
    unsigned const close = tokens_[i].partner;
    token const& before = tokens_[i - 1];
    bool const is_body = before.text == ")" && before.partner < i - 1 && before.partner > 0 &&
                         tokens_[before.partner - 1].kind == token_kind::identifier;
    if (!is_body) {
      bool const is_open =
          before.kind == token_kind::string || (since < i && tokens_[since].text == "namespace");
      if (!is_open) i = close; // a type or an initialiser
      since = i + 1;
      continue;
    }
    function found;
    found.name = tokens_[before.partner - 1].text;
    found.parameters = {before.partner + 1, i - 1};
    found.body = {i + 1, close};
    found.is_kernel = mentions({since, i}, "__global__");
    functions_.push_back(found);
    read_block(found.body, no_block, 0);
    i = close;
    since = i + 1;
  }
}

void source_structure::read_block(token_range range, unsigned parent, unsigned in_statement) {
  auto const number = static_cast<unsigned>(blocks_.size());
  blocks_.push_back({{}, parent, in_statement});
  for (unsigned i = range.begin; i < range.end;) {
    unsigned const end = std::max(i + 1, end_of_statement(i, range.end));
    blocks_[number].statements.push_back({i, end});
    auto const statement = static_cast<unsigned>(blocks_[number].statements.size() - 1);
    for (unsigned k = i; k < end; ++k)
      if (tokens_[k].text == "{" && tokens_[k].partner > k) {
        // Braces behind a name or a bracket begin a value.
        bool const is_value = k > range.begin && k > i &&
                              (tokens_[k - 1].kind == token_kind::identifier ||
                               tokens_[k - 1].text == "]" || tokens_[k - 1].text == "=") &&
                              tokens_[k - 1].text != "else" && tokens_[k - 1].text != "do" &&
                              tokens_[k - 1].text != "try";
        if (!is_value) read_block({k + 1, tokens_[k].partner}, number, statement);
        k = tokens_[k].partner;
      }
    i = end;
  }
}

unsigned source_structure::end_of_statement(unsigned i, unsigned limit) const {
  auto const text = [&](unsigned k) { return k < limit ? tokens_[k].text : std::string_view(); };
  if (i >= limit) return limit;
  if (tokens_[i].kind == token_kind::directive) return i + 1;
  if (text(i) == "{") return tokens_[i].partner + 1;
  if (text(i) == "if" || text(i) == "for" || text(i) == "while" || text(i) == "switch") {
    unsigned k = i + 1;
    while (k < limit && text(k) != "(") ++k; // `constexpr`
    if (k >= limit) return limit;
    unsigned const end = end_of_statement(tokens_[k].partner + 1, limit);
    if (text(i) == "if" && text(end) == "else") return end_of_statement(end + 1, limit);
    return end;
  }
  if (text(i) == "do") {
    unsigned k = end_of_statement(i + 1, limit);
    while (k < limit && text(k) != ";") ++k;
    return std::min(k + 1, limit);
  }
  // A label stands with the statement that it marks.
  if (tokens_[i].kind == token_kind::identifier && text(i + 1) == ":")
    return end_of_statement(i + 2, limit);
  for (unsigned k = i; k < limit; ++k) {
    if (text(k) == ";") return k + 1;
    if (tokens_[k].partner > k) k = tokens_[k].partner;
  }
  return limit;
}

std::vector<call> source_structure::calls_in(token_range range) const {
  std::vector<call> found;
  for (unsigned i = range.begin; i + 1 < range.end; ++i) {
    if (tokens_[i].kind != token_kind::identifier || tokens_[i + 1].text != "(") continue;
    unsigned const close = tokens_[i + 1].partner;
    if (close <= i + 1 || close >= range.end) continue;
    call one{i, {i, close + 1}, {}};
    unsigned begin = i + 2;
    for (unsigned k = begin; k <= close; ++k) {
      if (k == close || tokens_[k].text == ",") {
        if (k > begin) one.arguments.push_back({begin, k});
        begin = k + 1;
      } else if (tokens_[k].partner > k) {
        k = tokens_[k].partner;
      }
    }
    found.push_back(std::move(one));
  }
  return found;
}

source_structure::position source_structure::position_of(unsigned token) const {
  position innermost;
  for (unsigned b = 0; b < blocks_.size(); ++b)
    for (unsigned s = 0; s < blocks_[b].statements.size(); ++s)
      // Inner blocks come behind the ones around them.
      if (auto const range = blocks_[b].statements[s]; range.begin <= token && token < range.end)
        innermost = {b, s};
  return innermost;
}

} // namespace assay::fuzz
