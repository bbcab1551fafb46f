#include "transform/lifetimes.hpp"

#include <algorithm>
#include <set>

namespace assay::sdfg {
namespace {

struct accesses {
  std::set<std::string> at_top, in_scopes;
};

/// Calls `visit` with each state of a region, inner regions included.
template <typename Visit> void each_state(region const& r, Visit const& visit) {
  for (auto const& b : r.blocks) {
    if (auto const* s = std::get_if<state>(&b.content)) visit(*s);
    if (auto const* l = std::get_if<loop_region>(&b.content)) each_state(*l->body, visit);
    if (auto const* p = std::get_if<plain_region>(&b.content)) each_state(*p->body, visit);
    if (auto const* c = std::get_if<conditional_block>(&b.content))
      for (auto const& branch : c->branches) each_state(*branch.body, visit);
  }
}

class placement {
public:
  explicit placement(memory_mode mode) : mode_(mode) {}
  std::vector<transient_lifetime> result;

  /// `known`: the graph's symbols that init has under the same name.
  void visit(graph const& g, std::set<std::string> const& known) {
    accesses seen;
    each_state(g.root, [&](state const& s) {
      for (auto const& n : s.nodes)
        if (auto const* a = std::get_if<access_node>(&n.content))
          (n.scope_entry ? seen.in_scopes : seen.at_top).insert(a->data);
    });
    for (auto const& [name, d] : g.arrays)
      if (d.transient && (d.kind == descriptor_kind::array || d.kind == descriptor_kind::scalar))
        place(g, name, d, seen, known);
    each_state(g.root, [&](state const& s) {
      for (auto const& n : s.nodes)
        if (auto const* nested = std::get_if<nested_sdfg>(&n.content)) {
          std::set<std::string> inside;
          for (auto const& [inner, outer] : nested->symbol_mapping)
            if (outer == expression::name(inner) && known.contains(inner)) inside.insert(inner);
          visit(*nested->body, inside);
        }
    });
  }

private:
  memory_mode mode_;

  void place(graph const& g, std::string const& name, descriptor const& d, accesses const& seen,
             std::set<std::string> const& known) {
    transient_lifetime one;
    one.place = d.place;
    one.was_placed = d.lifetime == lifetime::persistent || d.lifetime == lifetime::external;
    bool const is_array = d.kind == descriptor_kind::array;
    one.lifetime = one.was_placed ? lifetime::scope : d.lifetime;
    if (mode_ == memory_mode::pool) one.pool = is_array && d.storage == storage::gpu_global;
    auto const size = free_names(d.total_size);
    bool const may_outlive =
        (mode_ == memory_mode::persistent || (mode_ == memory_mode::external && is_array)) &&
        !g.constants.contains(name) && d.storage != storage::register_file &&
        seen.at_top.contains(name) && !seen.in_scopes.contains(name) &&
        std::ranges::all_of(size, [&](auto const& symbol) { return known.contains(symbol); });
    if (may_outlive) {
      one.lifetime = mode_ == memory_mode::persistent ? lifetime::persistent : lifetime::external;
      // The workspace functions are named after the storage.
      if (is_array && d.storage == storage::automatic) one.storage = "CPU_Heap";
    }
    result.push_back(std::move(one));
  }
};

} // namespace

std::vector<transient_lifetime> lifetimes_for(graph const& g, memory_mode mode) {
  std::set<std::string> known;
  for (auto const& argument : signature_of(g).init) known.insert(argument.name);
  placement all(mode);
  all.visit(g, known);
  return std::move(all.result);
}

} // namespace assay::sdfg
