#pragma once
/// \file What devices can combine while other threads do the same.
#include "assay/plan.hpp"

namespace assay::plan {

/// Whether an element is as large as a word that devices compare and exchange: 1, 2, 4 or 8 bytes.
[[nodiscard]] bool fits_atomic_word(dtype) noexcept;
/// Whether a device has atomics for it: any operator on such a word, and sums of complex numbers,
/// whose parts are sums of their own. \p type is the element's.
[[nodiscard]] bool has_atomic(dtype type, resolution const&) noexcept;

/// Whether the code combines elements in parallel for which there are no atomics: then one thread
/// must do all.
[[nodiscard]] bool needs_one_thread(compute_block const&);

} // namespace assay::plan
