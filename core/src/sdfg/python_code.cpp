#include "assay/error.hpp"
#include "assay/expression.hpp"
#include "sdfg/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace assay {
namespace {

/// One logical line: brackets and backslashes joined, comments dropped, the indent measured apart.
struct line {
  std::size_t number = 1; ///< of the first physical line, from 1
  std::size_t indent = 0; ///< columns; a tab goes to the next multiple of eight, as in Python
  std::string text;
};

[[noreturn]] void fail(std::size_t number, errc code, std::string const& message) {
  throw error(code, fmt::format("line {}: {}", number, message));
}

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\r\f");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\f") - first + 1));
}

std::vector<line> logical_lines(std::string_view code) {
  std::vector<line> lines;
  std::size_t number = 1, at = 0;
  while (at < code.size()) {
    line current{number, 0, {}};
    for (; at < code.size() && (code[at] == ' ' || code[at] == '\t'); ++at)
      current.indent = code[at] == ' ' ? current.indent + 1 : (current.indent / 8 + 1) * 8;
    int depth = 0;
    for (; at < code.size(); ++at) {
      char const c = code[at];
      if (c == '\'' || c == '"') fail(number, errc::unsupported, "strings are not supported");
      if (c == '#') {
        while (at + 1 < code.size() && code[at + 1] != '\n') ++at;
        continue;
      }
      if (c == '\\' && at + 1 < code.size() && code[at + 1] == '\n') {
        ++at, ++number;
        current.text += ' ';
        continue;
      }
      if (c == '\n') {
        ++number;
        if (depth <= 0) {
          ++at;
          break;
        }
        current.text += ' ';
        continue;
      }
      if (c == ';' && depth <= 0) { // another statement of the same line and indent
        auto rest = current;
        current.text = trimmed(current.text);
        if (!current.text.empty()) lines.push_back(current);
        current = {rest.number, rest.indent, {}};
        continue;
      }
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      current.text += c;
    }
    current.text = trimmed(current.text);
    if (!current.text.empty()) lines.push_back(std::move(current));
  }
  return lines;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  if (text.size() == word.size()) return true;
  auto const next = static_cast<unsigned char>(text[word.size()]);
  return !(std::isalnum(next) || next == '_');
}

class parser {
public:
  explicit parser(std::string_view code) : lines_(logical_lines(code)) {}

  std::vector<statement> all() {
    std::vector<statement> result;
    if (lines_.empty()) return result;
    // Code that was cut out of an indented function may keep its indent.
    result = suite(lines_.front().indent);
    if (next_ < lines_.size()) fail(lines_[next_].number, errc::invalid_input, "unexpected indent");
    return result;
  }

private:
  std::vector<line> lines_;
  std::size_t next_ = 0;
  int depth_ = 0;

  /// All statements of exactly this indent.
  std::vector<statement> suite(std::size_t indent) {
    if (++depth_ > max_expression_depth)
      fail(lines_[next_].number, errc::invalid_input,
           fmt::format("statements are nested deeper than {} levels", max_expression_depth));
    std::vector<statement> result;
    while (next_ < lines_.size() && lines_[next_].indent == indent) add(result, one());
    if (next_ < lines_.size() && lines_[next_].indent > indent)
      fail(lines_[next_].number, errc::invalid_input, "unexpected indent");
    --depth_;
    return result;
  }

  /// The header of a compound statement up to its colon; what follows the colon is its suite.
  struct header {
    std::string text;
    std::vector<statement> body;
  };
  header compound(std::string_view keyword) {
    auto const head = lines_[next_];
    ++next_;
    auto const rest = std::string_view(head.text).substr(keyword.size());
    int depth = 0;
    std::size_t colon = 0;
    for (; colon < rest.size(); ++colon) {
      char const c = rest[colon];
      depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
      if (c == ':' && depth <= 0) break;
    }
    if (colon == rest.size())
      fail(head.number, errc::invalid_input, fmt::format("'{}' without ':'", keyword));
    header result;
    result.text = trimmed(rest.substr(0, colon));
    auto const tail = trimmed(rest.substr(colon + 1));
    if (!tail.empty()) {
      add(result.body, simple(tail, head.number));
    } else {
      if (next_ == lines_.size() || lines_[next_].indent <= head.indent)
        fail(head.number, errc::invalid_input,
             fmt::format("'{}' without an indented body", keyword));
      result.body = suite(lines_[next_].indent);
    }
    return result;
  }

  template <typename Parse> static auto at_line(std::size_t number, Parse parse) {
    try {
      return parse();
    } catch (error const& failure) {
      fail(number, failure.code(), failure.what());
    }
  }

  /// DaCe's calls that leave two results in their last two arguments, as the assignments that they
  /// are.
  static std::optional<std::vector<statement>> two_results(statement const& call) {
    struct row {
      std::string_view name;
      std::size_t inputs;
      std::string_view first, second;
    };
    static constexpr std::array<row, 3> rows{{{"np_modf", 1, "trunc", "modf_fraction"},
                                              {"np_frexp", 1, "frexp_mantissa", "frexp_exponent"},
                                              {"py_divmod", 2, "floor_divide", "mod"}}};
    auto const& value = call.value;
    if (call.what != statement::kind::expression || value->kind != expression_kind::call)
      return std::nullopt;
    auto const found = std::ranges::find(rows, value->text, &row::name);
    if (found == rows.end() || value->arguments.size() != found->inputs + 2) return std::nullopt;
    std::vector<statement> result(2);
    for (std::size_t k = 0; k < 2; ++k) {
      auto const& target = value->arguments[found->inputs + k];
      if (target->kind != expression_kind::name) return std::nullopt;
      result[k].what = statement::kind::assign;
      result[k].target = target;
      result[k].value =
          expression::call(std::string(k == 0 ? found->first : found->second),
                           {value->arguments.begin(),
                            value->arguments.begin() + static_cast<std::ptrdiff_t>(found->inputs)});
    }
    return result;
  }

  static void add(std::vector<statement>& list, statement next) {
    auto both = two_results(next);
    if (!both) both.emplace(1, std::move(next));
    for (auto& each : *both) list.push_back(std::move(each));
  }

  /// `name: type = value` converts the value too; `name: type` alone only declares the name.
  static std::optional<statement> annotated(std::string const& text, std::size_t number) {
    std::size_t end = 0;
    auto const in_name = [&](std::size_t i) {
      return i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
    };
    while (in_name(end)) ++end;
    auto const colon = text.find_first_not_of(" \t", end);
    if (end == 0 || colon == std::string::npos || text[colon] != ':') return std::nullopt;
    auto const equals = text.find('=', colon);
    auto const type = trimmed(std::string_view(text).substr(colon + 1, equals - colon - 1));
    static_cast<void>(at_line(number, [&] { return parse_python_expression(type); }));
    statement result;
    result.what = statement::kind::declare;
    result.target = expression::name(text.substr(0, end));
    result.annotation = type;
    if (equals == std::string::npos) return result;
    result.what = statement::kind::assign;
    result.value = at_line(number, [&] {
      return parse_python_expression(type + "(" + text.substr(equals + 1) + ")");
    });
    return result;
  }

  static statement simple(std::string const& text, std::size_t number) {
    statement result;
    if (text == "pass") return result;
    for (auto const word :
         {"return", "break", "continue", "import", "from", "def", "class", "with", "try", "raise",
          "assert", "del", "global", "nonlocal", "yield", "if", "for", "while"})
      if (begins_with_word(text, word))
        fail(number, errc::unsupported, fmt::format("statement '{}' is not supported here", word));
    if (auto declared = annotated(text, number)) return *declared;
    auto parsed = at_line(number, [&] { return parse_simple_statement(text); });
    result.value = std::move(parsed.value);
    if (parsed.assignment.empty()) {
      result.what = statement::kind::expression;
      return result;
    }
    result.what = statement::kind::assign;
    result.target = std::move(parsed.target);
    result.augmented = parsed.assignment.substr(0, parsed.assignment.size() - 1);
    auto const kind = result.target->kind;
    if (kind != expression_kind::name &&
        !(kind == expression_kind::subscript &&
          result.target->arguments[0]->kind == expression_kind::name))
      fail(number, errc::unsupported,
           fmt::format("assignment to '{}' (a name or its subscript can be assigned)",
                       to_text(result.target)));
    return result;
  }

  statement branch(std::string_view keyword) {
    auto const number = lines_[next_].number;
    auto const indent = lines_[next_].indent;
    auto head = compound(keyword);
    statement result;
    result.what = statement::kind::if_else;
    result.value = at_line(number, [&] { return parse_python_expression(head.text); });
    result.body = std::move(head.body);
    if (next_ < lines_.size() && lines_[next_].indent == indent) {
      if (begins_with_word(lines_[next_].text, "elif")) {
        if (++depth_ > max_expression_depth)
          fail(number, errc::invalid_input,
               fmt::format("statements are nested deeper than {} levels", max_expression_depth));
        result.otherwise.push_back(branch("elif"));
        --depth_;
      } else if (begins_with_word(lines_[next_].text, "else")) {
        auto const else_number = lines_[next_].number;
        auto other = compound("else");
        if (!other.text.empty())
          fail(else_number, errc::invalid_input, "'else' takes no condition");
        result.otherwise = std::move(other.body);
      }
    }
    return result;
  }

  statement counted_loop() {
    auto const number = lines_[next_].number;
    auto head = compound("for");
    auto const in = head.text.find(" in ");
    if (in == std::string::npos) fail(number, errc::invalid_input, "'for' without 'in'");
    statement result;
    result.what = statement::kind::for_range;
    result.target =
        at_line(number, [&] { return parse_python_expression(head.text.substr(0, in)); });
    auto const range =
        at_line(number, [&] { return parse_python_expression(head.text.substr(in + 4)); });
    if (result.target->kind != expression_kind::name || range->kind != expression_kind::call ||
        range->text != "range" || range->arguments.empty() || range->arguments.size() > 3)
      fail(number, errc::unsupported, "only 'for name in range(...)' loops are supported");
    auto const& given = range->arguments;
    result.range = {given.size() == 1 ? expression::integer(0) : given[0],
                    given.size() == 1 ? given[0] : given[1],
                    given.size() == 3 ? given[2] : expression::integer(1)};
    result.body = std::move(head.body);
    return result;
  }

  statement one() {
    auto const& current = lines_[next_];
    if (begins_with_word(current.text, "if")) return branch("if");
    if (begins_with_word(current.text, "for")) return counted_loop();
    if (begins_with_word(current.text, "while")) {
      auto const number = current.number;
      auto head = compound("while");
      statement result;
      result.what = statement::kind::while_loop;
      result.value = at_line(number, [&] { return parse_python_expression(head.text); });
      result.body = std::move(head.body);
      return result;
    }
    if (begins_with_word(current.text, "elif") || begins_with_word(current.text, "else"))
      fail(current.number, errc::invalid_input, "'else' without 'if'");
    ++next_;
    return simple(current.text, current.number);
  }
};

} // namespace

std::vector<statement> parse_python_code(std::string_view code) { return parser(code).all(); }

} // namespace assay
