#include "declarations.hpp"

#include <algorithm>
#include <array>

namespace mockgpu::tools {
namespace {

/// Words that take a parenthesis and are no function's name.
bool takes_parenthesis(std::string_view word) {
  static constexpr std::array<std::string_view, 14> words = {
      "__attribute__", "__attribute", "alignas", "decltype",   "noexcept", "__declspec", "explicit",
      "requires",      "__typeof__",  "typeof",  "__decltype", "sizeof",   "alignof",    "__asm__"};
  return std::find(words.begin(), words.end(), word) != words.end() ||
         (word.starts_with("__mockgpu_") && word.ends_with("__"));
}

bool is_name(token const& t) { return t.kind == token_kind::identifier && !is_keyword(t.text); }

/// Whether the token before a "(" makes it the parameter list of a function.
bool ends_function_name(token const& t) {
  return (is_name(t) && !takes_parenthesis(t.text)) || t.text == ">" || t.text == ">>";
}

bool has_partner(token_list const& tokens, unsigned i) { return tokens[i].partner != i; }

} // namespace

bool is_keyword(std::string_view word) {
  static constexpr std::array<std::string_view, 72> words = {
      "alignas",   "alignof",  "asm",      "auto",       "bool",      "break",     "case",
      "catch",     "char",     "char16_t", "char32_t",   "char8_t",   "class",     "co_await",
      "co_return", "co_yield", "const",    "const_cast", "consteval", "constexpr", "constinit",
      "continue",  "decltype", "default",  "delete",     "do",        "double",    "dynamic_cast",
      "else",      "enum",     "explicit", "extern",     "false",     "float",     "for",
      "friend",    "goto",     "if",       "inline",     "int",       "long",      "mutable",
      "namespace", "new",      "noexcept", "operator",   "private",   "protected", "public",
      "register",  "requires", "return",   "short",      "signed",    "sizeof",    "static",
      "struct",    "switch",   "template", "throw",      "true",      "try",       "typedef",
      "typename",  "union",    "unsigned", "using",      "virtual",   "void",      "volatile",
      "wchar_t",   "while"};
  return std::binary_search(words.begin(), words.end(), word) || word == "__restrict__" ||
         word == "__restrict" || word == "restrict" || word == "__const" ||
         word == "__volatile__" || word == "__inline" || word == "__inline__" ||
         word == "__extension__";
}

unsigned skip_template_arguments(token_list const& tokens, unsigned open) {
  unsigned depth = 0;
  for (unsigned i = open; i < tokens.size(); ++i) {
    std::string_view const text = tokens[i].text;
    if (tokens[i].kind != token_kind::punctuation) continue;
    if (text == "<") {
      ++depth;
    } else if (text == ">" || text == ">>") {
      unsigned const closed = text == ">" ? 1 : 2;
      if (depth <= closed) return i + 1;
      depth -= closed;
    } else if (text == "(" || text == "[" || text == "{") {
      if (!has_partner(tokens, i)) return open;
      i = tokens[i].partner;
    } else if (text == ";" || text == ")" || text == "]" || text == "}") {
      return open;
    }
  }
  return open;
}

std::optional<parameter_list> find_parameter_list(token_list const& tokens, unsigned from) {
  for (unsigned i = from; i < tokens.size(); ++i) {
    std::string_view const text = tokens[i].text;
    if (tokens[i].kind != token_kind::punctuation) {
      if (text == "operator") { // a call operator's own parenthesis comes first
        unsigned open = i + 1;
        if (open < tokens.size() && tokens[open].text == "(") open = tokens[open].partner + 1;
        while (open < tokens.size() && tokens[open].text != "(" && tokens[open].text != ";") ++open;
        if (open >= tokens.size() || !has_partner(tokens, open)) return {};
        return parameter_list{open, tokens[open].partner};
      }
      continue;
    }
    if (text == "(") {
      if (!has_partner(tokens, i)) return {};
      if (i > from && ends_function_name(tokens[i - 1]))
        return parameter_list{i, tokens[i].partner};
      // A declarator in parentheses is a pointer to a function or to an array: a variable.
      if (i > from && !takes_parenthesis(tokens[i - 1].text) &&
          (tokens[i + 1].text == "*" || tokens[i + 1].text == "&"))
        return {};
      i = tokens[i].partner;
    } else if (text == "<" && i > from && is_name(tokens[i - 1])) {
      if (unsigned const end = skip_template_arguments(tokens, i); end != i) i = end - 1;
    } else if (text == "[" && has_partner(tokens, i) && tokens[i + 1].text == "[") {
      i = tokens[i].partner; // attributes
    } else if (text == "[" || text == ";" || text == "=" || text == "{" || text == "}" ||
               text == "," || text == ")") {
      return {};
    }
  }
  return {};
}

std::optional<unsigned> find_body(token_list const& tokens, parameter_list list) {
  for (unsigned i = list.close + 1; i < tokens.size(); ++i) {
    std::string_view const text = tokens[i].text;
    if (text == "{") return i;
    if (text == ";" || text == "=" || text == "}" || text == ",") return {};
    if ((text == "(" || text == "[") && has_partner(tokens, i)) i = tokens[i].partner;
  }
  return {};
}

unsigned declaration_begin(token_list const& tokens, unsigned inside) {
  unsigned i = inside;
  while (i > 0) {
    token const& before = tokens[i - 1];
    if (before.kind == token_kind::directive || before.text == ";" || before.text == "{" ||
        before.text == "}" || before.text == ":" || before.text == ">")
      break;
    if (before.text == ")" && before.partner != i - 1)
      i = before.partner;
    else
      --i;
  }
  return i;
}

namespace {

/// A word that says something about a type but is none: `const` alone cannot precede a name.
bool is_mere_qualifier(std::string_view word) {
  static constexpr std::array<std::string_view, 14> words = {
      "const",    "volatile", "typename", "struct",     "class",        "enum",     "union",
      "register", "restrict", "__const",  "__restrict", "__restrict__", "template", "constexpr"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// One parameter, in [begin, end), without its default argument.
parameter read_parameter(token_list const& tokens, unsigned begin, unsigned end) {
  parameter result;
  // Attributes at the end belong to the name.
  auto const strip_end = [&] {
    while (end > begin) {
      token const& last = tokens[end - 1];
      if (last.text == "]" && has_partner(tokens, end - 1)) {
        end = last.partner;
      } else if (last.text == ")" && has_partner(tokens, end - 1) && last.partner > begin &&
                 takes_parenthesis(tokens[last.partner - 1].text) &&
                 tokens[last.partner - 1].text != "decltype") {
        end = last.partner - 1;
      } else if (last.kind == token_kind::directive) {
        --end;
      } else {
        return;
      }
    }
  };
  result.name_at = end;
  strip_end();
  if (end > begin && tokens[end].kind != token_kind::directive) result.name_at = end;
  for (unsigned i = begin; i < end; ++i) {
    if (tokens[i].text == "...") result.is_pack = true;
    if (tokens[i].text == "<" && i > begin && is_name(tokens[i - 1])) {
      if (unsigned const next = skip_template_arguments(tokens, i); next != i) i = next - 1;
      continue;
    }
    if (tokens[i].text != "(" || !has_partner(tokens, i)) continue;
    // `R (*name)(A)` and `T (&name)[N]`: the name ends the inner parenthesis.
    bool const declarator = i > begin && !takes_parenthesis(tokens[i - 1].text) &&
                            (tokens[i + 1].text == "*" || tokens[i + 1].text == "&" ||
                             tokens[i + 1].text == "&&" || is_name(tokens[i + 1]));
    if (declarator) {
      unsigned last = tokens[i].partner - 1;
      while (tokens[last].text == "]" && has_partner(tokens, last)) last = tokens[last].partner - 1;
      if (is_name(tokens[last]) && last > i + 1 && tokens[last - 1].text != "::")
        result.name = tokens[last].text;
      else
        result.name_at = last + 1;
      return result;
    }
    i = tokens[i].partner;
  }
  if (end == begin || !is_name(tokens[end - 1])) return result;
  if (end - 1 > begin && tokens[end - 2].text == "::") return result; // the end of a type's name
  for (unsigned i = begin; i < end - 1; ++i) {
    if (tokens[i].kind == token_kind::identifier && takes_parenthesis(tokens[i].text) &&
        tokens[i].text != "decltype" && tokens[i + 1].text == "(") {
      i = tokens[i + 1].partner;
      continue;
    }
    if (tokens[i].kind == token_kind::directive || is_mere_qualifier(tokens[i].text)) continue;
    result.name = tokens[end - 1].text; // something before it is the type
    return result;
  }
  return result;
}

/// The parameters' ends; `angles` says whether "<" behind a default argument's "=" may open a list.
std::vector<parameter> split(token_list const& tokens, parameter_list list) {
  std::vector<parameter> result;
  unsigned begin = list.open + 1;
  unsigned end = 0; // before the default argument, once there is one
  for (unsigned i = begin; i <= list.close; ++i) {
    std::string_view const text = tokens[i].text;
    if (i == list.close || text == ",") {
      if (i != begin + 1 || tokens[begin].text != "...")
        result.push_back(read_parameter(tokens, begin, end != 0 ? end : i));
      begin = i + 1;
      end = 0;
    } else if (text == "=" && end == 0) {
      end = i;
    } else if ((text == "(" || text == "[" || text == "{") && has_partner(tokens, i)) {
      i = tokens[i].partner;
    } else if (text == "<" && is_name(tokens[i - 1])) {
      unsigned const next = skip_template_arguments(tokens, i);
      // In a default argument, a list that runs into the next parameter's "=" was a comparison.
      bool const plausible = end == 0 || std::none_of(tokens.begin() + i, tokens.begin() + next,
                                                      [](token const& t) { return t.text == "="; });
      if (next != i && next <= list.close && plausible) i = next - 1;
    }
  }
  return result;
}

} // namespace

std::vector<parameter> read_parameters(token_list const& tokens, parameter_list list) {
  if (list.close == list.open + 1) return {};
  if (list.close == list.open + 2 && tokens[list.open + 1].text == "void") return {};
  return split(tokens, list);
}

namespace {

/// The "<" that the ">" or ">>" at `close` belongs to, or `close` itself.
unsigned find_angle(token_list const& tokens, unsigned close) {
  unsigned depth = 0;
  for (unsigned i = close + 1; i-- > 0;) {
    std::string_view const text = tokens[i].text;
    if (text == ">") {
      ++depth;
    } else if (text == ">>") {
      depth += 2;
    } else if (text == "<") {
      if (--depth == 0) return i;
    } else if ((text == ")" || text == "]" || text == "}") && has_partner(tokens, i)) {
      i = tokens[i].partner;
    } else if (text == ";" || text == "{" || text == "(" || text == "[") {
      break;
    }
  }
  return close;
}

} // namespace

unsigned find_callee(token_list const& tokens, unsigned last) {
  unsigned i = last;
  while (true) {
    std::string_view const text = tokens[i].text;
    if (text == ">" || text == ">>") {
      unsigned const open = find_angle(tokens, i);
      if (open == i || open == 0) return i;
      i = open - 1;
      continue;
    }
    if ((text == ")" || text == "]") && has_partner(tokens, i)) {
      i = tokens[i].partner;
      bool const postfix =
          i > 0 && (ends_function_name(tokens[i - 1]) || tokens[i - 1].text == ")" ||
                    tokens[i - 1].text == "]" || tokens[i - 1].text == "decltype");
      // `if (x) (k)<<<...>>>(...)`: the parenthesis behind a statement's head is no call.
      if (!postfix) return i;
      if (tokens[i - 1].text == ")" && has_partner(tokens, i - 1)) {
        unsigned const head = tokens[i - 1].partner;
        if (head > 0 && is_keyword(tokens[head - 1].text) && tokens[head - 1].text != "decltype")
          return i;
      }
      --i;
      continue;
    }
    if (i == 0) return 0;
    std::string_view const before = tokens[i - 1].text;
    if (before == "template") {
      --i;
      continue;
    }
    if (before == "." || before == "->") {
      if (i < 2) return i;
      i -= 2;
      continue;
    }
    if (before != "::" && text != "::") return i;
    if (text != "::") {
      --i;
      continue;
    }
    // What names a scope: a name, a template's instance, or decltype(x).
    if (is_name(tokens[i - 1]) || before == ">" || before == ">>" || before == ")")
      --i;
    else
      return i;
  }
}

} // namespace mockgpu::tools
