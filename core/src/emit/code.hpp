#pragma once
/// \file Python code and symbolic expressions as typed C++ text.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/plan.hpp"
#include "emit/writer.hpp"

namespace assay::emission {

/// What a name stands for in C++.
struct variable {
  dtype type = dtype::int64;
  bool is_pointer = false; ///< T*: a bare name in Python code is its only element
  std::vector<expression> strides =
      {};                           ///< of a pointer that Python code indexes; empty: flat offsets
  std::vector<bool> unit = {};      ///< dimension has one element; as long as `strides`
  plan::resolution resolution = {}; ///< how an assignment to an element is combined
};

/// The names that are visible, innermost last.
class scope {
public:
  void declare(std::string const& name, variable what);
  [[nodiscard]] variable const* find(std::string const& name) const noexcept;
  /// The structures of that name in files that the declared names have as types.
  [[nodiscard]] std::set<dtype> structures_named(std::string_view) const;

  /// Forgets at its end what was declared during its life.
  class [[nodiscard]] block {
  public:
    explicit block(scope& names) : names_(names), mark_(names.undo_.size()) {}
    block(block const&) = delete;
    block& operator=(block const&) = delete;
    ~block();

  private:
    scope& names_;
    std::size_t mark_;
  };

private:
  std::map<std::string, variable, std::less<>> names_;
  std::vector<std::pair<std::string, std::optional<variable>>> undo_;
};

/// C++ text with its type.
struct typed_text {
  std::string text;
  dtype type = dtype::int64;
};

/// Comment text that cannot end the comment or continue the line.
[[nodiscard]] std::string comment_text(std::string_view label);
/// "double", "long long".
[[nodiscard]] std::string cpp_type(dtype);

/// Prints expressions and statements in a scope.
class code_printer {
public:
  /// \param where  names the code in error messages: "tasklet 'a'".  \param in_kernel  conflict
  /// resolution is atomic.
  code_printer(scope& names, std::string where, bool in_kernel)
      : names_(names), where_(std::move(where)), in_kernel_(in_kernel) {}

  /// Python semantics. Every operand is parenthesised.
  [[nodiscard]] typed_text value(expression const&) const;
  /// Its text without outer parentheses: a right side.
  [[nodiscard]] std::string bare_value(expression const&) const;
  /// The same of what a symbol of that name is assigned, computed in the symbol's 64 bits.
  [[nodiscard]] std::string assigned_value(std::string const& symbol, expression const&) const;
  /// The same of a condition, which no structure is.
  [[nodiscard]] std::string condition(expression const&) const;
  /// Symbolic integer expression in 64 bits, as an operand.
  [[nodiscard]] std::string symbolic(expression const&) const;
  /// The same where nothing binds to it: an argument, an index.
  [[nodiscard]] std::string bare_symbolic(expression const&) const;
  /// The same with every name and literal cast, as sums of bytes are printed.
  [[nodiscard]] std::string wide(expression const&) const;
  /// Symbolic where the type is an integer's, Python's value otherwise.
  [[nodiscard]] std::string symbol_value(expression const&, dtype) const;
  /// An element as an lvalue.
  [[nodiscard]] std::string element(plan::location const&) const;
  /// Its address.
  [[nodiscard]] std::string address(plan::location const&) const;
  /// Statement that stores or combines `value` into the lvalue.
  [[nodiscard]] std::string store(std::string const& lvalue, dtype, std::string const& value,
                                  plan::resolution const&) const;

  /// Statements of a tasklet; locals are declared where they are first assigned.
  void statements(writer&, std::vector<statement> const&);
  /// Those of a loop's head, which assign symbols.
  void symbol_statements(writer&, std::vector<statement> const&);
  /// The same as "a = b, c = d" when all are assignments to names; else nothing.
  [[nodiscard]] std::optional<std::string> comma_list(std::vector<statement> const&) const;

private:
  [[nodiscard]] static typed_text computed(typed_text element);
  [[nodiscard]] expression dereferenced(expression const&) const;
  typed_text call(expression const&) const;
  typed_text binary(expression const&) const;
  typed_text field(expression const&) const;
  typed_text structure(dtype, expression const& constructor) const;
  typed_text subscript(expression const&) const;
  typed_text name(std::string const&) const;
  typed_text widened(typed_text read) const;
  std::string element_offset(variable const&, std::string const& name,
                             expression_list const& indices) const;
  void declare_annotated(std::vector<statement> const&);
  bool infer_local(std::string const& target, dtype);
  bool infer_locals(std::vector<statement> const&);
  void print(writer&, std::vector<statement> const&, std::set<std::string>& undeclared);
  /// \param of_symbol  the target is a symbol, which is computed in its own bits.
  std::string assignment(statement const&, bool of_symbol) const;
  typed_text assigned(std::string const& symbol, expression const&) const;
  /// \param deed  text of what is done with the value, made only where it is a structure.
  template <class Deed> void expect_number(dtype, Deed const& deed) const;
  [[noreturn]] void refuse(std::string const& what) const;

  scope& names_;
  std::string where_;
  bool in_kernel_;
  bool wide_names_ = false;               ///< integers are cast to 64 bits: inside an index
  bool assigns_symbols_ = false;          ///< the statements being printed are a loop's head
  std::vector<std::string> locals_;       ///< of the statements being printed
  std::map<std::string, dtype> declared_; ///< of these, those whose types are given
};

} // namespace assay::emission
