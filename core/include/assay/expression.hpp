#pragma once
/// \file One immutable expression tree for the symbolic strings and the Python code of an SDFG.
/// Source of the grammar: DaCe's symbolic text form (2.0.0a4 and later, and the older bare-name
/// form) and the Python subset that tasklets and interstate edges use.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assay/dtype.hpp"

namespace assay {

/// Deepest expression tree (and deepest nesting of a text) that is accepted: every later stage
/// walks trees by recursion, and files are not trusted.
inline constexpr int max_expression_depth = 500;

enum class expression_kind : std::uint8_t {
  integer,   ///< integer_value
  real,      ///< real_value
  boolean,   ///< integer_value 0 or 1
  name,      ///< text; a symbol, container, parameter, connector or local
  attribute, ///< arguments[0] . text; math.pi, math.inf and math.nan also stand for symbolic pi,
             ///< oo, nan
  subscript, ///< arguments[0] [ arguments[1..] ]
  call,      ///< text ( arguments... ); dotted names are kept in text ("math.sqrt", "dace.int64").
        ///< int_floor, Mod, IfExpr, Eq, AND, bitwise_and, Subscript, ... become the operators they
        ///< are
  unary,  ///< text in - + ~ not
  binary, ///< text in + - * / // % ** << >> & | ^ and or == != < <= > >= ; "/" of symbolic text is
          ///< exact
  conditional, ///< arguments: condition, then, else
};

class expression;
using expression_list = std::vector<expression>;

/// A value: copying is cheap, nodes are shared and never change.
class expression {
public:
  struct node {
    expression_kind kind = expression_kind::integer;
    std::string text;
    std::int64_t integer_value = 0;
    double real_value = 0;
    std::optional<dtype> type; ///< of a typed literal or a `symbol($x, dtype=...)`; else unknown
    expression_list arguments;
    int depth = 1; ///< of the tree; set by make
  };

  expression() : expression(integer(0)) {}
  [[nodiscard]] static expression integer(std::int64_t);
  [[nodiscard]] static expression real(double);
  [[nodiscard]] static expression boolean(bool);
  [[nodiscard]] static expression name(std::string);
  [[nodiscard]] static expression unary(std::string op, expression);
  [[nodiscard]] static expression binary(std::string op, expression, expression);
  [[nodiscard]] static expression call(std::string function, expression_list);
  [[nodiscard]] static expression subscript(expression base, expression_list indices);
  [[nodiscard]] static expression conditional(expression condition, expression then,
                                              expression otherwise);
  /// Any node. \throws error{invalid_input} when the tree is deeper than max_expression_depth (as
  /// do all functions that build expressions).
  [[nodiscard]] static expression make(node);

  [[nodiscard]] node const& operator*() const noexcept { return *node_; }
  [[nodiscard]] node const* operator->() const noexcept { return node_.get(); }

  [[nodiscard]] bool is_integer(std::int64_t value) const noexcept;
  /// Structural equality; the types of names and literals do not count.
  friend bool operator==(expression const&, expression const&);

private:
  explicit expression(std::shared_ptr<node const> n) : node_(std::move(n)) {}
  std::shared_ptr<node const> node_;
};

/// Sum, difference, product and quotient with the obvious constant folding (0 + x, 1 * x,
/// literals).
[[nodiscard]] expression operator+(expression const&, expression const&);
[[nodiscard]] expression operator-(expression const&, expression const&);
[[nodiscard]] expression operator*(expression const&, expression const&);

/// Canonical form of sums and products with integer coefficients (like terms collected, ordered):
/// equal polynomials become structurally equal. Other nodes are simplified inside and kept.
[[nodiscard]] expression simplified(expression const&);
/// a - b simplified to a constant, if it is one.
[[nodiscard]] std::optional<std::int64_t> constant_difference(expression const& a,
                                                              expression const& b);

/// \throws error{invalid_input} with the text and the column. `old_form`: bare names are symbols.
[[nodiscard]] expression parse_symbolic(std::string_view, bool old_form = false);
/// One Python expression. \throws error as parse_symbolic.
[[nodiscard]] expression parse_python_expression(std::string_view);

/// A Python statement of a tasklet.
struct statement {
  enum class kind : std::uint8_t {
    assign,
    declare,
    expression,
    if_else,
    for_range,
    while_loop,
    pass
  };
  kind what = kind::pass;
  expression target;      ///< assign: name, subscript; declare: name; for_range: the loop variable
  std::string annotation; ///< declare, assign: the type that the text gives the name, or empty
  std::string augmented;  ///< "+" of `x += v`; empty for plain assignment
  expression value;       ///< assign, expression; condition of if_else and while_loop
  expression_list range;  ///< for_range: begin, end (exclusive), step
  std::vector<statement> body, otherwise;
};
/// A tasklet's Python code. \throws error{invalid_input | unsupported} with the line.
[[nodiscard]] std::vector<statement> parse_python_code(std::string_view);

/// All free names, in order of the alphabet: symbols, containers, connectors; not names of calls,
/// nor the modules of attributes (math, dace, numpy, np).
[[nodiscard]] std::set<std::string> free_names(expression const&);
void collect_free_names(expression const&, std::set<std::string>&);
/// Replaces names; the map's function returns nullopt to keep one.
[[nodiscard]] expression
substituted(expression const&, std::function<std::optional<expression>(std::string const&)> const&);

using symbol_values = std::map<std::string, std::int64_t>;
/// Integer value of a symbolic expression (sizes, ranges). Exact rational intermediate results.
/// \throws error{invalid_input} for an unknown name, a division by zero, overflow of 64 bits, or a
/// result that is no integer; the message names the expression.
[[nodiscard]] std::int64_t evaluate_integer(expression const&, symbol_values const&);

/// The expression as text that parse_python_expression reads back; used in messages and plans.
[[nodiscard]] std::string to_text(expression const&);

/// How names print in C++.
using name_printer = std::function<std::string(std::string const&)>;
/// C++ text of a *symbolic* (integer) expression, evaluated in `std::size_t`-safe 64-bit arithmetic
/// where `wide` is set (literals and names are cast to long long), else in the types of its names.
/// Functions that C++ lacks are those of assay/generated/math.hpp in namespace assay::gen.
[[nodiscard]] std::string to_cpp(expression const&, name_printer const&, bool wide = false);

} // namespace assay
