#pragma once
/// \file The tokens of preprocessed C++ text.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace mockgpu::tools {

enum class token_kind : std::uint8_t {
  identifier, ///< keywords too
  number,
  string,    ///< with prefix and, where user-defined, suffix; raw ones as a whole
  character, ///< likewise
  punctuation,
  directive ///< a line that begins with '#': line markers and pragmas
};

/// A piece of the text, which must outlive it. What lies between two tokens is white space or
/// comment.
struct token {
  std::string_view text;
  token_kind kind = token_kind::punctuation;
  unsigned partner = 0; ///< of ( ) [ ] { }: the other one's index, or its own where there is none
};

/// Takes C++20 text apart after the preprocessor. Punctuation of two characters that a rewriter of
/// declarations has to know is one token (`::`, `->`, `<<`, `>>`, `&&`, `||`, `==`, `<=`, `>=`);
/// the rest is split into single characters. `...` is one token. Never fails: what is not C++
/// becomes punctuation, and an unfinished literal ends with its line (a raw one with the text).
[[nodiscard]] std::vector<token> split_into_tokens(std::string_view text);

} // namespace mockgpu::tools
