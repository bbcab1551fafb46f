#include "tokens.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace mockgpu::tools {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool continues_name(char c) { return begins_name(c) || is_digit(c); }
constexpr bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

bool is_string_prefix(std::string_view word) {
  return word == "L" || word == "u" || word == "U" || word == "u8";
}
bool is_raw_prefix(std::string_view word) {
  return word.ends_with('R') &&
         (word.size() == 1 || is_string_prefix(word.substr(0, word.size() - 1)));
}

constexpr std::array<std::string_view, 9> pairs = {"::", "->", "<<", ">>", "&&",
                                                   "||", "==", "<=", ">="};

class lexer {
public:
  explicit lexer(std::string_view text) : text_(text) { tokens_.reserve(text.size() / 4); }

  std::vector<token> run() {
    while (skip_space()) next();
    return std::move(tokens_);
  }

private:
  [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  /// False at the end of the text.
  bool skip_space() {
    while (here_ < text_.size()) {
      char const c = text_[here_];
      if (c == '\n') {
        line_begins_ = true;
        ++here_;
      } else if (is_space(c)) {
        ++here_;
      } else if (c == '/' && at(here_ + 1) == '/') {
        skip_to_line_end();
      } else if (c == '/' && at(here_ + 1) == '*') {
        std::size_t const end = text_.find("*/", here_ + 2);
        here_ = end == text_.npos ? text_.size() : end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  /// To the newline that ends this line; a backslash before it joins the next line.
  void skip_to_line_end() {
    do here_ = std::min(text_.find('\n', here_ + 1), text_.size());
    while (here_ < text_.size() && text_[here_ - 1] == '\\');
  }

  void add(std::size_t begin, token_kind kind) {
    auto const index = static_cast<unsigned>(tokens_.size());
    tokens_.push_back({text_.substr(begin, here_ - begin), kind, index});
    line_begins_ = false;
  }

  void next() {
    std::size_t const begin = here_;
    char const c = text_[here_];
    if (c == '#' && line_begins_) {
      skip_to_line_end();
      add(begin, token_kind::directive);
    } else if (begins_name(c)) {
      while (continues_name(at(here_))) ++here_;
      std::string_view const word = text_.substr(begin, here_ - begin);
      if (at(here_) == '"' && is_raw_prefix(word))
        raw_string(begin);
      else if ((at(here_) == '"' || at(here_) == '\'') && is_string_prefix(word))
        literal(begin);
      else
        add(begin, token_kind::identifier);
    } else if (is_digit(c) || (c == '.' && is_digit(at(here_ + 1)))) {
      number(begin);
    } else if (c == '"' || c == '\'') {
      literal(begin);
    } else {
      punctuation(begin);
    }
  }

  void number(std::size_t begin) {
    while (true) {
      char const c = at(here_);
      char const following = at(here_ + 1);
      if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') && (following == '+' || following == '-'))
        here_ += 2;
      else if (continues_name(c) || c == '.' || (c == '\'' && continues_name(following)))
        ++here_;
      else
        break;
    }
    add(begin, token_kind::number);
  }

  void literal(std::size_t begin) {
    char const quote = text_[here_++];
    while (here_ < text_.size() && text_[here_] != quote && text_[here_] != '\n')
      here_ += text_[here_] == '\\' ? 2 : 1;
    here_ = std::min(here_, text_.size());
    if (at(here_) == quote) ++here_;
    while (continues_name(at(here_))) ++here_; // a user-defined suffix
    add(begin, quote == '"' ? token_kind::string : token_kind::character);
  }

  void raw_string(std::size_t begin) {
    std::size_t const open = text_.find('(', here_);
    std::size_t end = text_.npos;
    if (open != text_.npos) {
      std::string closer = ")";
      closer += text_.substr(here_ + 1, open - here_ - 1);
      closer += '"';
      end = text_.find(closer, open);
      if (end != text_.npos) end += closer.size();
    }
    here_ = std::min(end, text_.size());
    while (continues_name(at(here_))) ++here_;
    add(begin, token_kind::string);
  }

  void punctuation(std::size_t begin) {
    std::string_view const rest = text_.substr(here_);
    here_ += 1;
    if (rest.starts_with("...")) here_ += 2;
    for (std::string_view const pair : pairs)
      if (rest.starts_with(pair)) {
        here_ = begin + 2;
        break;
      }
    add(begin, token_kind::punctuation);
    match_bracket(text_[begin]);
  }

  void match_bracket(char c) {
    auto const index = static_cast<unsigned>(tokens_.size() - 1);
    if (c == '(' || c == '[' || c == '{') {
      open_.push_back(index);
    } else if (c == ')' || c == ']' || c == '}') {
      char const wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
      if (open_.empty() || tokens_[open_.back()].text.front() != wanted) return;
      tokens_[index].partner = open_.back();
      tokens_[open_.back()].partner = index;
      open_.pop_back();
    }
  }

  std::string_view text_;
  std::size_t here_ = 0;
  bool line_begins_ = true;
  std::vector<token> tokens_;
  std::vector<unsigned> open_;
};

} // namespace

std::vector<token> split_into_tokens(std::string_view text) { return lexer(text).run(); }

} // namespace mockgpu::tools
