#include <algorithm>
#include <map>
#include <string>

#include "assay/error.hpp"
#include "plan/liveness.hpp"
#include "plan/nominal.hpp"
#include "plan/passes.hpp"

namespace assay::plan {
namespace {

constexpr std::int64_t aligned_bytes = 256;

expression rounded_up(expression const& size, std::int64_t unit_bytes = aligned_bytes) {
  if (size->kind == expression_kind::integer)
    return expression::integer((size->integer_value + unit_bytes - 1) / unit_bytes * unit_bytes);
  auto const unit = expression::integer(unit_bytes);
  return expression::call("int_ceil", {size, unit}) * unit;
}

expression size_of(buffer const& b) {
  auto const item = expression::integer(static_cast<std::int64_t>(size_bytes(b.type)));
  auto const none = expression::integer(0);
  auto const& count = b.element_count;
  if (count->kind == expression_kind::integer)
    return count->integer_value > 0 ? count * item : none;
  return simplified(expression::call("Max", {none, count}) * item);
}

/// The larger of two sizes, without a call where the symbols do not matter.
expression larger(expression const& a, expression const& b) {
  if (auto const difference = constant_difference(a, b)) return *difference >= 0 ? a : b;
  return expression::call("Max", {a, b});
}

/// Arrays that take turns on the same bytes; one alone, but for the layout `reuse`.
struct slot {
  std::vector<std::size_t> members; ///< positions in `entries`
  std::int64_t alignment_bytes = aligned_bytes;
  expression size_bytes;
};

std::vector<slot> slots_of(program const& p, std::vector<workspace_entry> const& entries) {
  std::vector<slot> slots;
  auto const open = [&](std::size_t k) { slots.push_back({{k}, 0, entries[k].size_bytes}); };
  if (p.settings.layout != workspace_layout::reuse) {
    for (std::size_t k = 0; k < entries.size(); ++k) open(k);
  } else {
    lifetimes const lives(p);
    // Large arrays first: what joins a slot later does not make it larger.
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (std::size_t k = 0; k < entries.size(); ++k)
      order.emplace_back(-nominal(entries[k].size_bytes), k);
    std::ranges::sort(order);
    for (auto const& [size, k] : order) {
      auto const found = std::ranges::find_if(slots, [&](slot const& s) {
        return std::ranges::none_of(s.members, [&](std::size_t member) {
          return lives.live_together(entries[member].buffer, entries[k].buffer);
        });
      });
      if (found == slots.end()) {
        open(k);
      } else {
        found->members.push_back(k);
        found->size_bytes = larger(found->size_bytes, entries[k].size_bytes);
      }
    }
    // In the order of their first arrays, but for the slot of the very last array: the slab ends
    // with that one in the layout `aligned`, and so no layout is larger for its rounding.
    std::ranges::sort(slots, {}, [&](slot const& s) {
      bool const ends = std::ranges::find(s.members, entries.size() - 1) != s.members.end();
      return std::pair(ends, *std::ranges::min_element(s.members));
    });
  }
  for (auto& s : slots) {
    s.alignment_bytes = aligned_bytes;
    for (auto const k : s.members)
      s.alignment_bytes =
          std::max(s.alignment_bytes, p.buffers[index(entries[k].buffer)].alignment_bytes);
  }
  return slots;
}

void lay_out(program& p, workspace& w) {
  bool const packed = p.settings.layout == workspace_layout::packed;
  expression free_from; // where the next slot may begin
  w.alignment_bytes = packed ? 1 : static_cast<std::size_t>(aligned_bytes);
  std::size_t number = 0;
  for (auto const& s : slots_of(p, w.entries)) {
    if (!packed && s.alignment_bytes > aligned_bytes) {
      free_from = simplified(rounded_up(free_from, s.alignment_bytes));
      w.alignment_bytes = std::max(w.alignment_bytes, static_cast<std::size_t>(s.alignment_bytes));
    }
    for (auto const k : s.members) {
      w.entries[k].offset_bytes = free_from;
      w.entries[k].slot = number;
    }
    ++number;
    // Nothing follows the last array: the slab ends with it, so that one byte less is too small.
    w.size_bytes = simplified(free_from + s.size_bytes);
    free_from = simplified(free_from + (packed ? s.size_bytes : rounded_up(s.size_bytes)));
  }
}

} // namespace

void lay_out_workspaces(program& p) {
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    auto const& entry = p.buffers[b];
    if (entry.provision != provision::external) continue;
    auto slab = std::ranges::find(p.workspaces, entry.storage, &workspace::storage);
    if (slab == p.workspaces.end()) {
      p.workspaces.push_back({entry.storage, 1, {}, {}});
      slab = p.workspaces.end() - 1;
    }
    slab->entries.push_back({static_cast<buffer_id>(b), {}, size_of(entry)});
  }
  for (auto& slab : p.workspaces) lay_out(p, slab);
}

std::vector<placed_slot> placed_slots(program const& p, workspace const& w,
                                      symbol_values const& symbols) {
  std::vector<placed_slot> result;
  std::map<std::size_t, std::size_t> place; // by slot
  for (auto const& entry : w.entries) {
    auto const size = static_cast<std::size_t>(
        std::max<std::int64_t>(0, evaluate_integer(entry.size_bytes, symbols)));
    if (size == 0) continue;
    auto const& b = p.buffers[index(entry.buffer)];
    auto const [at, is_new] = place.emplace(entry.slot, result.size());
    if (is_new) {
      result.push_back({b.container,
                        static_cast<std::size_t>(evaluate_integer(entry.offset_bytes, symbols)),
                        size, size_bytes(b.type)});
      continue;
    }
    auto& one = result[at->second];
    one.name += "|" + b.container;
    one.size_bytes = std::max(one.size_bytes, size);
    one.element_bytes = std::min(one.element_bytes, size_bytes(b.type));
  }
  return result;
}

} // namespace assay::plan
