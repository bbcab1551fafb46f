#include "fuzz/drop_wait.hpp"

#include <functional>

#include "assay/error.hpp"

namespace assay::fuzz {
namespace {

/// Calls for each wait with the list that holds it; the visitor returns true to end the walk.
using visitor = std::function<bool(plan::step_list&, std::size_t)>;

bool visit(plan::step_list& list, visitor const& f) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    auto& content = list[k].content;
    if (std::holds_alternative<plan::synchronise>(content) ||
        std::holds_alternative<plan::stream_wait>(content)) {
      if (f(list, k)) return true;
    } else if (auto* b = std::get_if<plan::branch>(&content)) {
      for (auto& arm : b->arms)
        if (visit(arm.body, f)) return true;
    } else if (auto* l = std::get_if<plan::loop>(&content)) {
      if (visit(l->prepare, f) || visit(l->body, f)) return true;
    }
  }
  return false;
}

} // namespace

std::size_t count_waits(plan::program const& p) {
  plan::step_list body = p.body;
  std::size_t count = 0;
  visit(body, [&](plan::step_list&, std::size_t) {
    ++count;
    return false;
  });
  return count;
}

plan::program without_wait(plan::program p, std::size_t which) {
  bool const found = visit(p.body, [&](plan::step_list& list, std::size_t k) {
    if (which-- > 0) return false;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  });
  ASSAY_ASSERT(found);
  return p;
}

plan::step wait_at(plan::program const& p, std::size_t which) {
  plan::step_list body = p.body;
  plan::step result;
  bool const found = visit(body, [&](plan::step_list& list, std::size_t k) {
    if (which-- > 0) return false;
    result = list[k];
    return true;
  });
  ASSAY_ASSERT(found);
  return result;
}

} // namespace assay::fuzz
