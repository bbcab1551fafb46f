#pragma once
/// \file What products of matrices and tensors sum over: one form for all library nodes that are
/// sums of products.
#include <string>
#include <vector>

#include "sdfg/library_nodes.hpp"

namespace assay::sdfg {

/// out[output] = alpha * sum of the products of in[inputs] + beta * addend. A mode numbers an
/// index: those that the output does not have are summed over. `no_mode`: the dimension has one
/// element and takes no part.
struct contraction {
  static constexpr int no_mode = -1;
  std::vector<std::vector<int>> inputs; ///< of each factor, one mode for each dimension
  std::vector<int> output;
};

/// The types of library nodes that contraction_of knows.
[[nodiscard]] bool is_contraction(std::string const& type);

/// \param shapes  of the factors in the order of their connectors. \param output  shape of the
/// result. \throws error{unsupported | invalid_input} at `place` for shapes or attributes that do
/// not fit.
[[nodiscard]] contraction contraction_of(library_node const&,
                                         std::vector<expression_list> const& shapes,
                                         expression_list const& output, std::string const& place);

} // namespace assay::sdfg
