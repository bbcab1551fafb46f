#include "plan/atomics.hpp"

#include <algorithm>

#include "plan/walk.hpp"

namespace assay::plan {

bool fits_atomic_word(dtype type) noexcept {
  std::size_t const size = size_bytes(type);
  return size == 1 || size == 2 || size == 4 || size == 8;
}

bool has_atomic(dtype type, resolution const& how) noexcept {
  return fits_atomic_word(type) || (type == dtype::complex128 && how.kind == reduction::sum);
}

bool needs_one_thread(compute_block const& block) {
  auto const is_missing = [](dtype type, resolution const& how) {
    return how.kind != reduction::none && how.atomic && !has_atomic(type, how);
  };
  return std::ranges::any_of(block, [&](compute_statement const& statement) {
    return std::visit(
        overloaded{[&](tasklet const& x) {
                     return std::ranges::any_of(x.outputs, [&](connector const& c) {
                       return is_missing(c.type, c.resolution);
                     });
                   },
                   [&](compute_copy const& x) { return is_missing(x.type, x.resolution); },
                   [&](for_range const& x) { return needs_one_thread(x.body); },
                   [&](thread_range const& x) { return needs_one_thread(x.body); },
                   [&](one_thread const& x) { return needs_one_thread(x.body); },
                   [&](compute_loop const& x) { return needs_one_thread(x.body); },
                   [&](compute_branch const& x) {
                     return std::ranges::any_of(
                         x.branches, [&](auto const& arm) { return needs_one_thread(arm.second); });
                   },
                   [&](compute_scope const& x) { return needs_one_thread(x.body); },
                   [](auto const&) { return false; }},
        statement.content);
  });
}

} // namespace assay::plan
