#pragma once
/// \file The parts of a C++ source file that faults are applied to: functions, blocks, statements
/// and calls, found by brackets and keywords alone.
#include <string>
#include <string_view>
#include <vector>

#include "tokens.hpp"

namespace assay::fuzz {

/// Tokens from `begin` up to `end`, which does not belong to it.
struct token_range {
  unsigned begin = 0, end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
  friend bool operator==(token_range, token_range) = default;
};

inline constexpr unsigned no_block = ~0u;

/// The statements between two braces.
struct block {
  std::vector<token_range> statements;
  unsigned parent = no_block; ///< the block around it
  unsigned in_statement = 0;  ///< the number of the statement there that it belongs to
};

struct function {
  std::string_view name;
  token_range parameters, body; ///< without their brackets
  bool is_kernel = false;
};

struct call {
  unsigned name = 0; ///< token
  token_range whole;
  std::vector<token_range> arguments;
};

class source_structure {
public:
  /// The text must outlive it.
  explicit source_structure(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::vector<mockgpu::tools::token> const& tokens() const { return tokens_; }
  [[nodiscard]] std::vector<function> const& functions() const { return functions_; }
  [[nodiscard]] std::vector<block> const& blocks() const { return blocks_; }
  /// As written, comments inside included.
  [[nodiscard]] std::string_view text_of(token_range) const;
  [[nodiscard]] std::size_t offset_of(unsigned token) const;
  [[nodiscard]] unsigned line_of(unsigned token) const;
  [[nodiscard]] bool mentions(token_range, std::string_view identifier) const;

  /// Of everything in the range that looks like NAME(...), from left to right.
  [[nodiscard]] std::vector<call> calls_in(token_range) const;

  /// The innermost block that holds the token, and the number of its statement there.
  struct position {
    unsigned block = no_block, statement = 0;
  };
  [[nodiscard]] position position_of(unsigned token) const;

private:
  void find_functions();
  void read_block(token_range, unsigned parent, unsigned in_statement);
  [[nodiscard]] unsigned end_of_statement(unsigned begin, unsigned limit) const;

  std::string_view text_;
  std::vector<mockgpu::tools::token> tokens_;
  std::vector<function> functions_;
  std::vector<block> blocks_;
};

} // namespace assay::fuzz
