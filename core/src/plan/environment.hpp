#pragma once
/// \file What a name of one SDFG means while it is lowered.
#include <map>
#include <optional>
#include <string>

#include "assay/plan.hpp"
#include "plan/names.hpp"

namespace assay::plan {

/// A container of one SDFG, bound to a C++ variable.
struct binding {
  std::string variable;
  bool is_value = false; ///< the variable is an lvalue of the element type
  expression offset;     ///< elements between the variable and the container's first element
  sdfg::descriptor const* descriptor = nullptr; ///< of the container as this SDFG sees it
  std::optional<buffer_id> buffer;              ///< absent: local to a kernel
  bool is_shared = false; ///< other threads of the kernel, or of the block, see the same memory
  bool is_constant = false; ///< a compile-time array of the file: nested SDFGs see it too
};

/// The names of one SDFG. Symbols map to expressions over C++ identifiers.
struct environment {
  sdfg::graph const* graph = nullptr;
  std::map<std::string, binding> containers;
  std::map<std::string, expression> symbols;

  [[nodiscard]] expression resolve(expression const&) const;
  [[nodiscard]] sdfg::range resolve(sdfg::range const&) const;
};

/// The bindings that nested SDFGs inherit.
[[nodiscard]] std::map<std::string, binding> constants_of(environment const&);

/// The program under construction and what all lowering code shares.
struct draft {
  program plan;
  name_pool names;

  /// A symbol that host code or the ABI provides, by C++ name; its type where a kernel takes it by value.
  std::map<std::string, dtype> symbol_types;
};

/// A conflict-resolution lambda, e.g. "(lambda a, b: (a + b))". \throws error{unsupported} at `place`.
[[nodiscard]] resolution parse_resolution(std::string const& lambda, bool atomic, std::string const& place);

/// Element offset of the first element of `where` in the container, resolved.
[[nodiscard]] expression element_offset(environment const&, binding const&, sdfg::subset const& where);
/// The container's strides, resolved.
[[nodiscard]] expression_list strides_of(environment const&, binding const&);
/// Elements between neighbours of the subset: the container's strides, times the steps.
[[nodiscard]] expression_list strides_of(environment const&, binding const&, sdfg::subset const&);
/// Number of elements of each dimension, resolved and simplified.
[[nodiscard]] expression_list counts_of(environment const&, sdfg::subset const&);
/// The subset as a footprint's box (range steps included).
[[nodiscard]] box box_of(environment const&, binding const&, sdfg::subset const&);
/// All elements of the container.
[[nodiscard]] sdfg::subset whole(sdfg::descriptor const&);

/// Pairs the dimensions of two subsets of equally many elements: dimensions of one element are dropped, then
/// neighbours that are contiguous on both sides are merged; a dimension of unit stride on both sides comes last.
/// \throws error{unsupported} at `place` when the shapes cannot be paired.
[[nodiscard]] std::vector<copy_dimension>
pair_dimensions(expression_list const& source_counts, expression_list const& source_strides,
                expression_list const& target_counts, expression_list const& target_strides,
                std::string const& place);

} // namespace assay::plan
