#include "sdfg/parse.hpp"

#include "assay/error.hpp"

#include <fmt/format.h>
#include <tao/pegtl.hpp>

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

namespace assay {
namespace {

/// How symbols are written: `$N`, or (tasklet code and old files) by bare name.
enum class names { dollar, bare };

// ---- The builder: one operand stack and one operator stack, reduced by precedence
// ------------------------

struct operand {
  expression value;
  bool bare_name = false; // written without `$` where `$` is due; only a call or a module may be
  bool open_comparison = false; // `a < b` without parentheses: a second comparison would chain
};

struct pending {
  std::string text;
  int precedence = 0;
  bool prefix = false;
};

constexpr int precedence_not = 3, precedence_comparison = 4, precedence_unary = 11,
              precedence_power = 12;

int infix_precedence(std::string_view op) {
  static constexpr std::array<std::pair<std::string_view, int>, 20> table{{
      {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4},  {"<", 4},
      {"<=", 4}, {">", 4},   {">=", 4}, {"|", 5},   {"^", 6},
      {"&", 7},  {"<<", 8},  {">>", 8}, {"+", 9},   {"-", 9},
      {"*", 10}, {"/", 10},  {"%", 10}, {"//", 10}, {"**", precedence_power},
  }};
  for (auto const& [text, precedence] : table)
    if (text == op) return precedence;
  ASSAY_ASSERT(!"an infix operator of the grammar has a precedence");
}

struct list_frame {
  std::size_t first = 0;                                     // operand of the first argument
  std::vector<std::pair<std::size_t, std::string>> keywords; // argument index, keyword
};

struct builder {
  names form = names::bare;
  std::vector<operand> operands;
  std::vector<pending> operators;
  std::vector<std::size_t> barriers; // operator stack height where each open expression began
  std::vector<list_frame> lists;
  int depth = 0;
  std::string assignment; // "=", "+=", ... of a statement

  /// Whatever the grammar recurses through counts: parentheses, lists, and chains of `else`.
  void deeper() {
    if (++depth > max_expression_depth)
      throw error(errc::invalid_input,
                  fmt::format("expression is nested deeper than {} levels", max_expression_depth));
  }
  void begin() {
    deeper();
    barriers.push_back(operators.size());
  }
  void end() {
    while (operators.size() > barriers.back()) reduce();
    barriers.pop_back();
    --depth;
    if (form == names::dollar && operands.back().bare_name)
      throw error(errc::invalid_input,
                  fmt::format("bare name '{}' (a symbol is written '${}')",
                              operands.back().value->text, operands.back().value->text));
  }

  void push(expression value, bool bare_name = false) {
    operands.push_back({std::move(value), bare_name});
  }

  expression pop() {
    auto top = std::move(operands.back());
    operands.pop_back();
    if (form == names::dollar && top.bare_name)
      throw error(errc::invalid_input,
                  fmt::format("bare name '{0}' (a symbol is written '${0}')", top.value->text));
    return std::move(top.value);
  }

  void prefix(std::string text) {
    auto const precedence = text == "not" ? precedence_not : precedence_unary;
    if (text == "not" && operators.size() > barriers.back() &&
        operators.back().precedence > precedence_not)
      throw error(errc::invalid_input, "'not' after an operator needs parentheses");
    operators.push_back({std::move(text), precedence, true});
  }

  /// Whether the operand to come stands behind a minus.
  [[nodiscard]] bool is_inverted() const {
    return operators.size() > barriers.back() && operators.back().prefix &&
           operators.back().text == "-";
  }

  void infix(std::string text) {
    auto const precedence = infix_precedence(text);
    while (operators.size() > barriers.back() &&
           (operators.back().precedence > precedence ||
            (operators.back().precedence == precedence && precedence != precedence_power)))
      reduce();
    if (precedence == precedence_comparison && operands.back().open_comparison) {
      // `a < b < c` is `a < b and b < c`; operands have no side effects, so `b` may stand twice.
      auto last = operands.back().value;
      if (last->text == "and") last = last->arguments[1];
      auto middle = last->arguments[1];
      operators.push_back({"and", precedence_comparison, false});
      push(std::move(middle));
    }
    operators.push_back({std::move(text), precedence, false});
  }

  void reduce() {
    auto const op = std::move(operators.back());
    operators.pop_back();
    if (op.prefix) {
      auto value = pop();
      if (op.text == "-" && value->kind == expression_kind::integer) {
        auto n = *value;
        if (n.integer_value != std::numeric_limits<std::int64_t>::min())
          n.integer_value = -n.integer_value;
        push(expression::make(std::move(n)));
      } else if (op.text == "-" && value->kind == expression_kind::real) {
        auto n = *value;
        n.real_value = -n.real_value;
        push(expression::make(std::move(n)));
      } else {
        push(expression::unary(op.text, std::move(value)));
      }
      return;
    }
    auto right = pop();
    auto left = pop();
    push(expression::binary(op.text, std::move(left), std::move(right)));
    operands.back().open_comparison = op.precedence == precedence_comparison;
  }

  void finish_call();
  void finish_subscript();
};

bool is_constant_name(std::string_view text) {
  return text == "pi" || text == "E" || text == "oo" || text == "nan";
}

expression math_constant(std::string_view text) {
  expression::node n;
  n.kind = expression_kind::attribute;
  n.text = text == "E" ? "e" : text == "oo" ? "inf" : std::string(text);
  n.arguments = {expression::name("math")};
  return expression::make(std::move(n));
}

/// "a.b.c" of nested attributes that start at a name; empty for anything else.
std::string dotted(expression const& e) {
  if (e->kind == expression_kind::name) return e->text;
  if (e->kind != expression_kind::attribute) return {};
  auto const base = dotted(e->arguments[0]);
  return base.empty() ? base : base + "." + e->text;
}

// DaCe prints operators also as functions, some with leading underscores; here they are one thing.
struct operator_function {
  std::string_view function, op;
};
constexpr std::array<operator_function, 18> operator_functions{{
    {"int_floor", "//"},
    {"Mod", "%"},
    {"AND", "and"},
    {"And", "and"},
    {"OR", "or"},
    {"Or", "or"},
    {"Eq", "=="},
    {"Ne", "!="},
    {"Gt", ">"},
    {"Ge", ">="},
    {"Lt", "<"},
    {"Le", "<="},
    {"bitwise_and", "&"},
    {"bitwise_or", "|"},
    {"bitwise_xor", "^"},
    {"left_shift", "<<"},
    {"right_shift", ">>"},
    {"Pow", "**"},
}};

void builder::finish_call() {
  auto frame = std::move(lists.back());
  lists.pop_back();
  expression_list arguments;
  for (auto i = frame.first; i < operands.size(); ++i) arguments.push_back(operands[i].value);
  operands.resize(frame.first, operand{});
  auto const callee = std::move(operands.back());
  operands.pop_back();
  // C++'s type of a name, called like a type: DaCe's own expansions write it.
  if (callee.value->kind == expression_kind::call && callee.value->text == "decltype" &&
      callee.value->arguments.size() == 1 && arguments.size() == 1 && frame.keywords.empty()) {
    push(expression::call("decltype", {callee.value->arguments[0], arguments[0]}));
    return;
  }
  auto function = dotted(callee.value);
  if (function.empty())
    throw error(errc::unsupported, "only a function that has a name can be called");
  if (form == names::dollar && callee.value->kind == expression_kind::name && !callee.bare_name)
    throw error(errc::invalid_input,
                fmt::format("symbol '${}' is called like a function", function));

  if (form == names::dollar && function == "symbol") {
    if (arguments.empty() || arguments[0]->kind != expression_kind::name ||
        frame.keywords.size() + 1 != arguments.size())
      throw error(errc::invalid_input, "'symbol' needs a name and keyword arguments");
    auto n = *arguments[0];
    for (auto const& [index, keyword] : frame.keywords) {
      if (keyword != "dtype") continue; // assumptions (positive=True) do not change values
      auto const type = dotted(arguments[index]);
      n.type = parse_dtype(type.starts_with("dace.") ? std::string_view(type).substr(5) : type);
      if (!n.type)
        throw error(errc::unsupported,
                    fmt::format("type '{}' of symbol '{}'", to_text(arguments[index]), n.text));
    }
    push(expression::make(std::move(n)));
    return;
  }
  // The constructor of a structure names its fields: each is a call of "field=".
  for (auto const& [index, keyword] : frame.keywords)
    arguments[index] = expression::call(keyword + "=", {arguments[index]});

  std::string_view plain = function;
  if (plain.starts_with("__") && plain.size() > 2) plain.remove_prefix(2);
  for (auto const& row : operator_functions) {
    if (row.function != plain) continue;
    bool const folds = row.op == "and" || row.op == "or";
    if (folds ? arguments.size() < 2 : arguments.size() != 2)
      throw error(errc::invalid_input, fmt::format("'{}' needs two arguments", function));
    auto value = arguments[0];
    for (std::size_t i = 1; i < arguments.size(); ++i)
      value = expression::binary(std::string(row.op), value, arguments[i]);
    push(std::move(value));
    return;
  }
  if (plain == "Not" || plain == "bitwise_invert") {
    if (arguments.size() != 1)
      throw error(errc::invalid_input, fmt::format("'{}' needs one argument", function));
    push(expression::unary(plain == "Not" ? "not" : "~", arguments[0]));
    return;
  }
  if (function == "IfExpr") {
    if (arguments.size() != 3)
      throw error(errc::invalid_input, fmt::format("'{}' needs three arguments", function));
    push(expression::conditional(arguments[0], arguments[1], arguments[2]));
    return;
  }
  if (function == "SymExpr") { // the exact value, then an over-approximation that only analyses use
    if (arguments.empty() || arguments.size() > 2)
      throw error(errc::invalid_input, fmt::format("'{}' needs one or two arguments", function));
    push(arguments[0]);
    return;
  }
  if (function == "Subscript") {
    if (arguments.size() < 2)
      throw error(errc::invalid_input, fmt::format("'{}' needs an array and an index", function));
    push(expression::subscript(arguments[0], {arguments.begin() + 1, arguments.end()}));
    return;
  }
  if (function == "Attr") {
    if (arguments.size() != 2 || arguments[1]->kind != expression_kind::name)
      throw error(errc::invalid_input, fmt::format("'{}' needs an object and a field", function));
    expression::node n;
    n.kind = expression_kind::attribute;
    n.text = arguments[1]->text;
    n.arguments = {arguments[0]};
    push(expression::make(std::move(n)));
    return;
  }
  push(expression::call(std::move(function), std::move(arguments)));
}

void builder::finish_subscript() {
  auto frame = std::move(lists.back());
  lists.pop_back();
  if (!frame.keywords.empty())
    throw error(errc::invalid_input, "a subscript has no keyword arguments");
  expression_list indices;
  for (auto i = frame.first; i < operands.size(); ++i) indices.push_back(operands[i].value);
  operands.resize(frame.first, operand{});
  auto base = std::move(operands.back());
  operands.pop_back();
  push(expression::subscript(std::move(base.value), std::move(indices)));
}

// ---- The grammar
// --------------------------------------------------------------------------------------------
// Every alternative is decided by its first token and every sequence then goes through, so no
// action is ever undone: the builder needs no backtracking.

namespace grammar {
using namespace tao::pegtl;

struct blank : star<one<' ', '\t', '\n', '\r', '\f'>> {};
template <char... C> struct word : seq<string<C...>, not_at<identifier_other>> {};
struct keyword
    : sor<word<'a', 'n', 'd'>, word<'o', 'r'>, word<'n', 'o', 't'>, word<'i', 'f'>,
          word<'e', 'l', 's', 'e'>, word<'e', 'l', 'i', 'f'>, word<'i', 'n'>, word<'i', 's'>,
          word<'f', 'o', 'r'>, word<'w', 'h', 'i', 'l', 'e'>, word<'l', 'a', 'm', 'b', 'd', 'a'>,
          word<'p', 'a', 's', 's'>, word<'r', 'e', 't', 'u', 'r', 'n'>, word<'d', 'e', 'f'>,
          word<'c', 'l', 'a', 's', 's'>, word<'d', 'e', 'l'>, word<'y', 'i', 'e', 'l', 'd'>,
          word<'b', 'r', 'e', 'a', 'k'>, word<'c', 'o', 'n', 't', 'i', 'n', 'u', 'e'>,
          word<'w', 'i', 't', 'h'>, word<'t', 'r', 'y'>, word<'r', 'a', 'i', 's', 'e'>,
          word<'i', 'm', 'p', 'o', 'r', 't'>, word<'f', 'r', 'o', 'm'>, word<'a', 's'>,
          word<'a', 's', 's', 'e', 'r', 't'>, word<'N', 'o', 'n', 'e'>> {};

struct digits : plus<digit> {};
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, digits> {};
struct hexadecimal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>> {};
struct real_number : sor<seq<digits, one<'.'>, star<digit>, opt<exponent>>,
                         seq<one<'.'>, digits, opt<exponent>>, seq<digits, exponent>> {};
struct whole_number : digits {};
struct suffix : identifier {};
struct number : seq<sor<hexadecimal, real_number, whole_number>, opt<suffix>> {};

struct symbol_name : identifier {};
struct symbol : seq<one<'$'>, must<symbol_name>> {};
struct plain_name : seq<not_at<keyword>, identifier> {};

struct expr;
struct close_paren : one<')'> {};
struct close_bracket : one<']'> {};
struct group_end : success {};
struct group : seq<one<'('>, must<expr, blank, close_paren>, group_end> {};

struct argument_keyword : seq<identifier, blank, one<'='>, not_at<one<'='>>> {};
struct argument : seq<blank, opt<argument_keyword>, expr> {};
struct next_argument : seq<blank, one<','>, blank, not_at<one<')', ']'>>> {};
struct arguments : seq<argument, star<next_argument, must<argument>>, blank, opt<one<','>>, blank> {
};

struct call_begin : one<'('> {};
struct call_end : success {};
struct call : seq<call_begin, blank, sor<close_paren, must<arguments, close_paren>>, call_end> {};
struct subscript_begin : one<'['> {};
struct subscript_end : success {};
struct subscript : seq<subscript_begin, must<arguments, close_bracket>, subscript_end> {};
struct field_name : identifier {};
struct field : seq<one<'.'>, must<field_name>> {};
struct postfix : seq<blank, sor<call, subscript, field>> {};

struct none : word<'N', 'o', 'n', 'e'> {};

struct atom : sor<number, group, symbol, none, plain_name> {};
struct prefix_operator : sor<one<'-', '+', '~'>, word<'n', 'o', 't'>> {};
struct value : seq<star<blank, prefix_operator>, blank, atom, star<postfix>> {};

// An operator followed by "=" belongs to an augmented assignment.
struct infix_operator
    : sor<seq<sor<string<'*', '*'>, string<'/', '/'>, string<'<', '<'>, string<'>', '>'>>,
              not_at<one<'='>>>,
          string<'<', '='>, string<'>', '='>, string<'=', '='>, string<'!', '='>,
          seq<sor<one<'*'>, one<'/'>>, not_at<one<'*', '/', '='>>>,
          seq<one<'+', '-', '%', '&', '|', '^'>, not_at<one<'='>>>,
          seq<one<'<', '>'>, not_at<one<'<', '>'>>>, word<'a', 'n', 'd'>, word<'o', 'r'>,
          seq<word<'i', 's'>, opt<blank, word<'n', 'o', 't'>>>> {};
struct more : seq<blank, infix_operator> {};

struct chain_begin : success {};
struct chain_end : success {};
struct chain : seq<chain_begin, must<value>, star<more, must<value>>, chain_end> {};
struct conditional_else : success {};
struct conditional_end : success {};
struct else_word : word<'e', 'l', 's', 'e'> {};
struct conditional_rest : seq<blank, word<'i', 'f'>, must<chain, blank, else_word>,
                              conditional_else, expr, conditional_end> {};
struct expr : seq<chain, opt<conditional_rest>> {};

struct end : eof {};
struct whole_expression : seq<expr, blank, must<end>> {};

struct assignment_operator
    : seq<opt<sor<string<'*', '*'>, string<'/', '/'>, string<'<', '<'>, string<'>', '>'>,
                  one<'+', '-', '*', '/', '%', '&', '|', '^'>>>,
          one<'='>> {};
struct whole_statement : seq<expr, blank, opt<assignment_operator, expr, blank>, must<end>> {};

template <typename Rule> struct action : nothing<Rule> {};

template <> struct action<hexadecimal> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto const text = in.string();
    std::int64_t value = 0;
    auto const [end, failure] =
        std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    if (failure != std::errc())
      throw error(errc::invalid_input, fmt::format("literal {} exceeds 64 bits", text));
    b.push(expression::integer(value));
  }
};
template <> struct action<whole_number> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto const text = in.string();
    std::int64_t value = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    // The least number of 64 bits is written as the inverse of one that they cannot hold.
    if (text == "9223372036854775808" && b.is_inverted()) {
      b.push(expression::integer(std::numeric_limits<std::int64_t>::min()));
      return;
    }
    if (failure != std::errc())
      throw error(errc::invalid_input, fmt::format("literal {} exceeds 64 bits", text));
    b.push(expression::integer(value));
  }
};
template <> struct action<real_number> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto const text = in.string();
    double value = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc())
      throw error(errc::invalid_input,
                  fmt::format("literal {} is outside the range of float64", text));
    b.push(expression::real(value));
  }
};
template <> struct action<suffix> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    static constexpr std::array<std::pair<std::string_view, dtype>, 11> suffixes{{
        {"i8", dtype::int8},
        {"i16", dtype::int16},
        {"i32", dtype::int32},
        {"i64", dtype::int64},
        {"u8", dtype::uint8},
        {"u16", dtype::uint16},
        {"u32", dtype::uint32},
        {"u64", dtype::uint64},
        {"f16", dtype::float16},
        {"f32", dtype::float32},
        {"f64", dtype::float64},
    }};
    auto const text = in.string();
    auto n = *b.operands.back().value;
    if (text == "j") { // Python's imaginary unit
      auto const size =
          n.kind == expression_kind::real ? n.real_value : static_cast<double>(n.integer_value);
      b.operands.back().value =
          expression::call("complex", {expression::real(0), expression::real(size)});
      return;
    }
    for (auto const& [name, type] : suffixes)
      if (name == text) n.type = type;
    if (!n.type) throw error(errc::unsupported, fmt::format("literal with suffix '{}'", text));
    if (is_floating(*n.type) && n.kind == expression_kind::integer) {
      n.kind = expression_kind::real;
      n.real_value = static_cast<double>(std::exchange(n.integer_value, 0));
    }
    b.operands.back().value = expression::make(std::move(n));
  }
};
template <> struct action<symbol_name> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    if (b.form == names::bare)
      throw error(errc::invalid_input,
                  fmt::format("'$' before '{}' is no part of Python", in.string()));
    b.push(expression::name(in.string()));
  }
};
template <> struct action<none> {
  static void apply0(builder&) {
    throw error(errc::unsupported, "None, which no type of C++ holds");
  }
};
template <> struct action<plain_name> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto text = in.string();
    if (text == "True" || text == "False")
      b.push(expression::boolean(text == "True"));
    else if (b.form == names::dollar && is_constant_name(text))
      b.push(math_constant(text));
    else if (b.form == names::bare && (text == "inf" || text == "nan")) // as DaCe's tasklets may
      b.push(math_constant(text == "inf" ? "oo" : text));
    else
      b.push(expression::name(std::move(text)), true);
  }
};
template <> struct action<group_end> {
  static void apply0(builder& b) { b.operands.back().open_comparison = false; }
};
template <> struct action<call_begin> {
  static void apply0(builder& b) { b.lists.push_back({b.operands.size(), {}}); }
};
template <> struct action<subscript_begin> {
  static void apply0(builder& b) { b.lists.push_back({b.operands.size(), {}}); }
};
template <> struct action<argument_keyword> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto text = in.string();
    text.resize(text.find_first_of(" \t\n\r\f="));
    b.lists.back().keywords.emplace_back(b.operands.size() - b.lists.back().first, std::move(text));
  }
};
template <> struct action<call_end> {
  static void apply0(builder& b) { b.finish_call(); }
};
template <> struct action<subscript_end> {
  static void apply0(builder& b) { b.finish_subscript(); }
};
template <> struct action<field_name> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    // A bare base is a module (dace.int64), which is why it may be bare.
    expression::node n;
    n.kind = expression_kind::attribute;
    n.text = in.string();
    n.arguments = {b.operands.back().value};
    b.operands.pop_back();
    b.push(expression::make(std::move(n)));
  }
};
template <> struct action<prefix_operator> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    b.prefix(in.string());
  }
};
template <> struct action<infix_operator> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    auto text = in.string();
    // Values of files are numbers: those that are equal are the same.
    if (text.starts_with("is")) text = text.size() == 2 ? "==" : "!=";
    b.infix(std::move(text));
  }
};
template <> struct action<chain_begin> {
  static void apply0(builder& b) { b.begin(); }
};
template <> struct action<chain_end> {
  static void apply0(builder& b) { b.end(); }
};
template <> struct action<conditional_else> {
  static void apply0(builder& b) { b.deeper(); }
};
template <> struct action<conditional_end> {
  static void apply0(builder& b) {
    --b.depth;
    auto otherwise = b.pop();
    auto condition = b.pop();
    auto then = b.pop();
    b.push(expression::conditional(std::move(condition), std::move(then), std::move(otherwise)));
  }
};
template <> struct action<assignment_operator> {
  template <typename Input> static void apply(Input const& in, builder& b) {
    b.assignment = in.string();
  }
};

template <typename Rule> constexpr char const* expected = nullptr;
template <> constexpr char const* expected<value> = "expected an operand";
template <> constexpr char const* expected<expr> = "expected an operand";
template <> constexpr char const* expected<chain> = "expected an operand";
template <> constexpr char const* expected<blank> = "expected an operand";
template <> constexpr char const* expected<argument> = "expected an operand";
template <> constexpr char const* expected<arguments> = "expected an operand";
template <> constexpr char const* expected<symbol_name> = "expected a name after '$'";
template <> constexpr char const* expected<field_name> = "expected a name after '.'";
template <> constexpr char const* expected<close_paren> = "expected ')'";
template <> constexpr char const* expected<close_bracket> = "expected ']'";
template <> constexpr char const* expected<else_word> = "expected 'else'";
template <> constexpr char const* expected<end> = "expected the end";
struct messages {
  template <typename Rule> static constexpr auto message = expected<Rule>;
  // A failed alternative stays an alternative; only must<> is an error.
  template <typename Rule> static constexpr bool raise_on_failure = false;
};
template <typename Rule> using control = must_if<messages>::control<Rule>;

} // namespace grammar

template <typename Rule> void run(builder& b, std::string_view text) {
  namespace pegtl = tao::pegtl;
  pegtl::memory_input<pegtl::tracking_mode::eager> in(text.data(), text.data() + text.size(), "");
  try {
    bool const matched = pegtl::parse<Rule, grammar::action, grammar::control>(in, b);
    ASSAY_ASSERT(matched); // the grammar throws where it does not match
  } catch (pegtl::parse_error const& failure) {
    throw error(errc::invalid_input,
                fmt::format("cannot parse '{}': {} at column {}", printable(text),
                            failure.message(), failure.positions().front().byte + 1));
  } catch (error const& failure) {
    throw error(failure.code(),
                fmt::format("cannot parse '{}': {}", printable(text), failure.what()));
  }
}

expression parse_one(std::string_view text, names form) {
  builder b;
  b.form = form;
  run<grammar::whole_expression>(b, text);
  ASSAY_ASSERT(b.operands.size() == 1 && b.operators.empty());
  return std::move(b.operands.back().value);
}

} // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result;
  for (char const c : text.substr(0, longest)) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '\n')
      result += "\\n";
    else if (byte < 0x20 || byte == 0x7f)
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  if (text.size() > longest) {
    // A multi-byte character that the cut went through would make the message invalid UTF-8.
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80)
      result.pop_back();
    if (!result.empty() && static_cast<unsigned char>(result.back()) >= 0xC0) result.pop_back();
    result += "...";
  }
  return result;
}

expression parse_symbolic(std::string_view text, bool old_form) {
  return parse_one(text, old_form ? names::bare : names::dollar);
}

expression parse_python_expression(std::string_view text) { return parse_one(text, names::bare); }

simple_statement parse_simple_statement(std::string_view text) {
  builder b;
  run<grammar::whole_statement>(b, text);
  simple_statement result;
  result.assignment = b.assignment;
  result.value = std::move(b.operands.back().value);
  if (!b.assignment.empty()) result.target = std::move(b.operands.front().value);
  return result;
}

} // namespace assay
