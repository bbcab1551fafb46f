#include "assay/error.hpp"
#include "plan/compute.hpp"
#include "plan/references.hpp"

namespace assay::plan {

/// A reference is where it starts in its container, a symbol that its set edges assign.
void compute_lowering::declare_reference(environment& env, std::string const& container,
                                         compute_block& out) {
  auto const* d = env.graph->find(container);
  auto const targets = targets_of(*env.graph, container);
  if (targets.size() != 1)
    throw error(errc::unsupported,
                "reference '" + container + "' inside a kernel to several containers", d->place);
  auto const found = env.containers.find(targets.front());
  if (found == env.containers.end() || found->second.is_value || found->second.is_constant)
    throw error(errc::unsupported,
                "reference '" + container + "' to '" + targets.front() +
                    "', which is no array of this code",
                d->place);
  auto const variable = names_.fresh(container + "_start");
  out.push_back({declare_symbol{variable, dtype::int64}});
  reference_starts_.insert(variable);
  binding b = found->second;
  b.descriptor = d;
  b.offset = expression::name(variable);
  env.containers[container] = b;
}

void compute_lowering::set_reference(environment const& env, sdfg::state const& s, std::size_t e,
                                     compute_block& out) const {
  auto const& name = std::get<sdfg::access_node>(s.nodes[s.edges[e].target].content).data;
  auto const found = env.containers.find(name);
  if (found == env.containers.end() || !reference_starts_.contains(found->second.offset->text))
    throw error(errc::unsupported,
                "reference '" + name + "' that a map sets and code outside of it uses",
                s.edges[e].place);
  demand_one_order(*env.graph, s, name);
  out.push_back({assign_symbols{{{found->second.offset->text, set_offset(env, s, e)}}}});
}

} // namespace assay::plan
