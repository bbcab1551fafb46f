#pragma once
/// \file A source text with alternatives that the running program chooses from.
#include <string>
#include <vector>

#include "mutation/source_structure.hpp"

namespace assay::fuzz {

class switchable_text {
public:
  explicit switchable_text(source_structure const& source) : source_(source) {}

  /// The expression becomes `instead` where mutant `number` is chosen.
  void replace(token_range expression, int number, std::string instead);
  /// The condition becomes `instead`, which differs from it in a few cases only.
  void replace_condition(token_range expression, int number, std::string instead);
  /// A statement that is run where the mutant is chosen, in front of a token that begins or ends a
  /// statement.
  void insert(unsigned token, int number, std::string statement);

  /// With the functions that choose, behind the last #include. `vendor`: "cuda" or "hip".
  [[nodiscard]] std::string text(std::string const& vendor) const;

private:
  struct alternative {
    token_range range;
    int number = 0;
    std::string text;
    bool is_condition = false;
  };
  struct insertion {
    unsigned token = 0;
    std::string text;
  };
  /// In the order in which they begin, outer ones first; those before `next` are printed.
  struct ordered {
    std::vector<alternative> all;
    std::size_t next = 0;
  };
  [[nodiscard]] std::string rendered(token_range, ordered&, bool is_nested) const;

  source_structure const& source_;
  std::vector<alternative> alternatives_;
  std::vector<insertion> insertions_;
};

} // namespace assay::fuzz
