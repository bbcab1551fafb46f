#include "plan/host_buffers.hpp"

#include <algorithm>
#include <functional>

#include "assay/error.hpp"
#include "plan/assigned_symbols.hpp"
#include "plan/walk.hpp"

namespace assay::plan {

using sdfg::descriptor_kind;

namespace {

/// What both vendors promise of every allocation, in every memory mode.
constexpr std::int64_t device_alignment_bytes = 256;

} // namespace

container_uses uses_of(sdfg::graph const& graph) {
  container_uses uses;
  auto const read_by_code = [&](expression const& e) {
    for (auto const& name : free_names(e))
      if (graph.find(name) != nullptr) uses.at_top_level.insert(name);
  };
  auto const read_by_statements = [&](std::vector<statement> const& code) {
    std::set<std::string> names;
    collect_free_names(code, names);
    for (auto const& name : names)
      if (graph.find(name) != nullptr) uses.at_top_level.insert(name);
  };
  std::function<void(sdfg::region const&)> const walk = [&](sdfg::region const& r) {
    for (auto const& edge : r.edges) {
      if (edge.condition) read_by_code(*edge.condition);
      for (auto const& [name, value] : edge.assignments) read_by_code(value);
    }
    for (auto const& block : r.blocks) {
      if (auto const* s = std::get_if<sdfg::state>(&block.content))
        for (auto const& node : s->nodes)
          if (auto const* access = std::get_if<sdfg::access_node>(&node.content)) {
            (node.scope_entry ? uses.in_scopes : uses.at_top_level).insert(access->data);
            if (access->zero_fill) uses.zero_filled.insert(access->data);
          }
      if (auto const* s = std::get_if<sdfg::state>(&block.content))
        for (auto const& edge : s->edges) // from tasklet to tasklet without an access node
          if (edge.memlet.data && !s->nodes[edge.source].scope_entry &&
              std::holds_alternative<sdfg::tasklet>(s->nodes[edge.source].content) &&
              std::holds_alternative<sdfg::tasklet>(s->nodes[edge.target].content))
            uses.at_top_level.insert(*edge.memlet.data);
      if (auto const* repeat = std::get_if<sdfg::loop_region>(&block.content)) {
        if (repeat->condition) read_by_code(*repeat->condition);
        read_by_statements(repeat->init);
        read_by_statements(repeat->update);
      }
      if (auto const* choice = std::get_if<sdfg::conditional_block>(&block.content))
        for (auto const& branch : choice->branches)
          if (branch.condition) read_by_code(*branch.condition);
      for (auto const* inner : inner_regions(block)) walk(*inner);
    }
  };
  walk(graph.root);
  return uses;
}

memory_space host_buffers::space_of(sdfg::descriptor const& d) const {
  if (plan_.settings.target == target::cpu) return memory_space::host;
  switch (d.storage) {
  case sdfg::storage::gpu_global:
    return memory_space::device;
  case sdfg::storage::cpu_pinned:
    return memory_space::pinned;
  case sdfg::storage::gpu_shared:
    throw error(errc::unsupported, "shared memory outside a kernel", d.place);
  default:
    return memory_space::host;
  }
}

/// GT4Py's and ICON4Py's rule for transients that may live outside a call, through renamed symbols.
bool host_buffers::may_outlive_call(environment const& env, sdfg::graph const& graph,
                                    std::string const& name, sdfg::descriptor const& d,
                                    container_uses const& uses) const {
  if (graph.constants.contains(name) || !d.transient) return false;
  if (d.kind != descriptor_kind::array && d.kind != descriptor_kind::scalar) return false;
  if (d.storage == sdfg::storage::register_file || uses.in_scopes.contains(name)) return false;
  return is_known_at_init(env.resolve(d.total_size));
}

bool host_buffers::is_known_at_init(expression const& size) const {
  return std::ranges::all_of(free_names(size), [&](std::string const& symbol) {
    return std::ranges::any_of(plan_.signature.init,
                               [&](sdfg::argument const& a) { return a.name == symbol; });
  });
}

provision host_buffers::provision_of(buffer const& b, bool may_outlive_call) const {
  auto const mode = plan_.settings.mode;
  if (mode == memory_mode::pool && b.space == memory_space::device) return provision::call_pool;
  if (!may_outlive_call || (mode != memory_mode::persistent && mode != memory_mode::external))
    return provision::call;
  // The caller gives workspaces for two storages only; pinned memory stays with the program.
  return mode == memory_mode::external && b.space != memory_space::pinned ? provision::external
                                                                          : provision::persistent;
}

void host_buffers::add(environment& env, sdfg::graph const& graph, std::string const& name,
                       sdfg::descriptor const& d, container_uses const& uses) {
  buffer b;
  b.container = name;
  b.sdfg_id = graph.id;
  b.type = d.type;
  b.space = space_of(d);
  b.element_count = simplified(env.resolve(d.total_size));
  b.start_offset = simplified(env.resolve(d.start_offset));
  b.alignment_bytes = std::max<std::int64_t>(0, d.alignment_bytes);
  if (d.transient && b.space != memory_space::host && b.alignment_bytes > device_alignment_bytes)
    throw error(errc::unsupported,
                "container '" + name + "' asks for an alignment of " +
                    std::to_string(b.alignment_bytes) + " bytes, memory of the device has " +
                    std::to_string(device_alignment_bytes),
                d.place);
  b.storage = b.space == memory_space::device   ? "GPU_Global"
              : b.space == memory_space::pinned ? "CPU_Pinned"
                                                : "CPU_Heap";
  b.place = d.place;
  bool const scalar = d.kind == descriptor_kind::scalar;
  if (scalar) b.element_count = expression::integer(1);
  if (!d.transient) {
    b.name = name;
    b.provision = provision::argument;
    b.by_value = scalar && b.space == memory_space::host;
  } else {
    b.name = draft_.names.fresh(name);
    b.by_value = scalar && b.space == memory_space::host;
    b.provision = b.by_value ? provision::state_value
                             : provision_of(b, may_outlive_call(env, graph, name, d, uses));
  }
  auto const id = static_cast<buffer_id>(plan_.buffers.size());
  b.zero_fill = uses.zero_filled.contains(name);
  plan_.buffers.push_back(b);
  binding bound;
  bound.variable = b.name;
  bound.is_value = b.by_value;
  bound.descriptor = &d;
  bound.buffer = id;
  bound.is_shared = true;
  env.containers[name] = bound;
}

buffer_id host_buffers::add_value(std::string const& label, dtype type, std::string const& place) {
  buffer b;
  b.name = b.container = draft_.names.fresh(label);
  b.type = type;
  b.space = memory_space::host;
  b.provision = provision::state_value;
  b.by_value = true;
  b.storage = "CPU_Heap";
  b.place = place;
  plan_.buffers.push_back(std::move(b));
  return static_cast<buffer_id>(plan_.buffers.size() - 1);
}

} // namespace assay::plan
