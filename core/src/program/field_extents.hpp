#pragma once
/// \file Sizes of GT4Py's fields where arguments are made up.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "assay/expression.hpp"
#include "assay/sdfg.hpp"

namespace assay {

/// GT4Py's symbols for the extents of its fields: `__<field>_<dimension>_range_0` and `_1`, and
/// `__<table>_source_size`. Fields of one dimension have one range, which holds every other symbol
/// that is made up, since those may bound a program's domain; fields that are only read have a
/// margin for shifted accesses.
class field_extents {
public:
  /// The graph must live longer.
  explicit field_extents(sdfg::graph const& program) : program_(program) {}

  /// \returns nothing for a symbol of any other kind.
  [[nodiscard]] std::optional<std::int64_t> of(std::string const& symbol);

  /// Elements by which the program's memlets leave its arguments, where the symbols have these
  /// values: a domain may be bounded by sums of symbols. Not positive where all stay inside.
  [[nodiscard]] std::int64_t missing(symbol_values const&) const;
  /// Makes every range larger.
  void grow(std::int64_t elements) { grown_ += elements; }

private:
  sdfg::graph const& program_;
  std::int64_t grown_ = 0;
  std::map<std::string, std::int64_t> sizes_;
};

} // namespace assay
