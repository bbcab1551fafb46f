#pragma once
/// \file Library nodes that Assay knows, as the nested SDFGs that they mean.
#include "assay/sdfg.hpp"

namespace assay::sdfg {

/// What the file says about a library node with a meaning here.
struct library_node {
  std::string
      type; ///< Reduce, CopyLibraryNode, FillLibraryNode, or a sum of products (contraction.hpp)
  std::string conflict_resolution; ///< of Reduce
  std::vector<std::int64_t> axes;  ///< of Reduce (empty: all), TensorTranspose, TensorDot (left)
  std::vector<std::int64_t> right_axes;  ///< of TensorDot
  std::vector<std::int64_t> permutation; ///< of TensorDot: of the result's dimensions
  std::string formula;                   ///< of Einsum
  bool transposes_first = false, transposes_second = false; ///< of Gemm and Gemv
  std::optional<expression> identity;    ///< of Reduce: first value; of FillLibraryNode: the value
  std::optional<expression> alpha, beta; ///< of sums of products; absent: 1 and 0
};
/// By the place of the opaque node that stands for it.
using library_nodes = std::map<std::string, library_node>;

/// Replaces the library nodes above, in nested SDFGs too: by kernels where the
/// result is on the device, by loops inside kernels and on the host. Others stay opaque.
/// \throws error{unsupported} at the node for a form that has no meaning here.
void expand_library_nodes(graph&, library_nodes const&);

} // namespace assay::sdfg
