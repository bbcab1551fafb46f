#pragma once
/// \file What the rewriter has to know of a declaration or an expression, read from its tokens
/// alone. Names are not looked up, so `<` is judged by what stands before it.
#include <optional>
#include <string_view>
#include <vector>

#include "tokens.hpp"

namespace mockgpu::tools {

using token_list = std::vector<token>;

/// The parameter list of a function's declarator.
struct parameter_list {
  unsigned open = 0;  ///< index of "("
  unsigned close = 0; ///< index of ")"
};

/// Finds the parameter list of the function whose declaration goes on at token `from`, behind its
/// return type's beginning or in the midst of its specifiers. Nothing for a variable.
[[nodiscard]] std::optional<parameter_list> find_parameter_list(token_list const&, unsigned from);

/// The "{" of the body behind a parameter list, or nothing for a declaration without one.
[[nodiscard]] std::optional<unsigned> find_body(token_list const&, parameter_list);

/// The first token of the declaration around a token on its outer level, behind the head of a
/// template.
[[nodiscard]] unsigned declaration_begin(token_list const&, unsigned inside);

struct parameter {
  std::string_view name; ///< empty where the program gives none
  unsigned name_at = 0;  ///< without a name: the index of the token before which one has to go
  bool is_pack = false;
};
/// \returns no parameter for `()` and `(void)`; a C-style `...` counts as none.
[[nodiscard]] std::vector<parameter> read_parameters(token_list const&, parameter_list);

/// The first token of the postfix expression that ends with token `last`: `a::b<c>`, `x->y[3]`,
/// `(f ? k : l)`.
[[nodiscard]] unsigned find_callee(token_list const&, unsigned last);

/// The token behind the template argument list that opens with the "<" at `open`, or `open` where
/// no such list stands there. A ">>" closes two.
[[nodiscard]] unsigned skip_template_arguments(token_list const&, unsigned open);

/// True for words that name no entity, so that none can be called or declared by it.
[[nodiscard]] bool is_keyword(std::string_view word);

} // namespace mockgpu::tools
