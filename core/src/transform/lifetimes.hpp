#pragma once
/// \file Which transients a memory mode moves, and where to.
#include <string>
#include <vector>

#include "assay/sdfg.hpp"
#include "assay/settings.hpp"

namespace assay::sdfg {

/// What becomes of one transient array or scalar.
struct transient_lifetime {
  std::string place; ///< JSON pointer of its descriptor
  sdfg::lifetime lifetime = lifetime::scope;
  bool pool = false;
  bool was_placed = false; ///< had a lifetime outside of a call
  std::string storage;     ///< to be written, or empty
};

/// Every transient array and scalar of the program and its nested SDFGs, in the file's order.
/// Outside of a call live those that have an access node, none in a scope, that are in no register,
/// no compile-time constant, and whose size needs only symbols that init has under the same name.
/// Scalars too with persistent, not with external: code that DaCe makes for those does not compile.
[[nodiscard]] std::vector<transient_lifetime> lifetimes_for(graph const&, memory_mode);

} // namespace assay::sdfg
