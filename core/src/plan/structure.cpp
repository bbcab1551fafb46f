#include "plan/structure.hpp"

#include <algorithm>
#include <functional>

#include "assay/error.hpp"
#include "plan/assigned_symbols.hpp"
#include "plan/atomics.hpp"
#include "plan/compute.hpp"
#include "plan/dataflow.hpp"
#include "plan/references.hpp"
#include "plan/thread_blocks.hpp"
#include "plan/vendor_names.hpp"
#include "plan/views.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

using sdfg::descriptor_kind;

/// What both vendors promise of every allocation, in every memory mode.
constexpr std::int64_t device_alignment_bytes = 256;

bool has_gpu(settings const& s) { return s.target != target::cpu; }

/// How the program uses a container of one SDFG at host level.
struct container_uses {
  std::set<std::string> at_top_level; ///< accessed outside all scopes, or read by control flow
  std::set<std::string> in_scopes;
  std::set<std::string> zero_filled;
};

class host_lowering {
public:
  explicit host_lowering(draft& d) : draft_(d), plan_(d.plan) {}

  void run(sdfg::graph const& graph) {
    environment env;
    env.graph = &graph;
    for (auto const& argument : plan_.signature.arguments) {
      draft_.names.reserve(argument.name);
      if (argument.is_symbol) draft_.symbol_types[argument.name] = argument.type.type;
    }
    bind_symbols(env, graph);
    bind_containers(env, graph);
    region(env, graph.root, graph.place, plan_.body);
  }

private:
  draft& draft_;
  program& plan_;
  std::vector<std::set<buffer_id>> zero_filled_;

  // ---- names -------------------------------------------------------------------------------------------

  void bind_symbols(environment& env, sdfg::graph const& graph) {
    auto const assigned = types_of_assigned(graph);
    for (auto const& [name, type] : graph.symbols)
      if (!env.symbols.contains(name) && !assigned.contains(name))
        env.symbols.emplace(name, expression::name(name));
    for (auto const& argument : plan_.signature.arguments)
      if (argument.is_symbol) env.symbols.try_emplace(argument.name, expression::name(argument.name));
    for (auto const& [name, value] : graph.constants)
      if (value.values.size() == 1 && value.type.kind == descriptor_kind::scalar)
        env.symbols.insert_or_assign(name, is_floating(value.type.type)
                                               ? expression::real(value.values[0])
                                               : expression::integer(static_cast<std::int64_t>(
                                                     value.values[0])));
      else
        bind_constant(env, name, value, graph.place);
    for (auto const& [name, type] : assigned) {
      if (graph.find(name) != nullptr)
        throw error(errc::unsupported, "container '" + name + "' assigned on an interstate edge", graph.place);
      std::string const variable = draft_.names.fresh(name);
      plan_.symbols.push_back({variable, type});
      draft_.symbol_types[variable] = type;
      if (auto const mapped = env.symbols.find(name); mapped != env.symbols.end())
        initial_.emplace_back(variable, mapped->second);
      env.symbols.insert_or_assign(name, expression::name(variable));
    }
  }

  void bind_constant(environment& env, std::string const& name, sdfg::constant const& value,
                     std::string const& place) {
    if (value.type.kind == descriptor_kind::scalar)
      throw error(errc::unsupported, "constant array '" + name + "' without a shape", place);
    binding b;
    b.variable = draft_.names.fresh(name);
    b.descriptor = &value.type;
    b.is_shared = b.is_constant = true;
    plan_.constants.emplace_back(b.variable, value);
    env.containers[name] = b;
  }

  /// Symbols that a nested SDFG assigns although they are mapped: start values, set where its code starts.
  std::vector<std::pair<std::string, expression>> initial_;

  // ---- containers --------------------------------------------------------------------------------------

  static container_uses uses_of(sdfg::graph const& graph) {
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

  [[nodiscard]] memory_space space_of(sdfg::descriptor const& d) const {
    if (!has_gpu(plan_.settings)) return memory_space::host;
    switch (d.storage) {
    case sdfg::storage::gpu_global: return memory_space::device;
    case sdfg::storage::cpu_pinned: return memory_space::pinned;
    case sdfg::storage::gpu_shared:
      throw error(errc::unsupported, "shared memory outside a kernel", d.place);
    default: return memory_space::host;
    }
  }

  /// GT4Py's and ICON4Py's rule for transients that may live outside a call, through renamed symbols.
  [[nodiscard]] bool may_outlive_call(environment const& env, sdfg::graph const& graph, std::string const& name,
                                      sdfg::descriptor const& d, container_uses const& uses) const {
    if (graph.constants.contains(name) || !d.transient) return false;
    if (d.kind != descriptor_kind::array && d.kind != descriptor_kind::scalar) return false;
    if (d.storage == sdfg::storage::register_file || uses.in_scopes.contains(name)) return false;
    return is_known_at_init(env.resolve(d.total_size));
  }

  /// Whether a resolved size needs nothing but symbols that the caller gives to init.
  [[nodiscard]] bool is_known_at_init(expression const& size) const {
    return std::ranges::all_of(free_names(size), [&](std::string const& symbol) {
      return std::ranges::any_of(plan_.signature.init,
                                 [&](sdfg::argument const& a) { return a.name == symbol; });
    });
  }

  /// Who gives the memory of a transient array in the chosen mode.
  [[nodiscard]] provision provision_of(buffer const& b, bool may_outlive_call) const {
    auto const mode = plan_.settings.mode;
    if (mode == memory_mode::pool && b.space == memory_space::device) return provision::call_pool;
    if (!may_outlive_call || (mode != memory_mode::persistent && mode != memory_mode::external))
      return provision::call;
    // The caller gives workspaces for two storages only; pinned memory stays with the program.
    return mode == memory_mode::external && b.space != memory_space::pinned ? provision::external
                                                                            : provision::persistent;
  }

  void bind_containers(environment& env, sdfg::graph const& graph) {
    auto const uses = uses_of(graph);
    for (auto const& [name, d] : graph.arrays) {
      if (env.containers.contains(name)) continue; // a connector of this nested SDFG
      if (d.transient && !uses.at_top_level.contains(name)) continue; // local to a kernel, or unused
      if (d.kind == descriptor_kind::view) continue; // bound state by state to what it shows
      if (d.kind == descriptor_kind::reference) continue; // below: what they stand for comes first
      add_buffer(env, graph, name, d, uses);
    }
    references_.clear();
    for (auto const& [name, d] : graph.arrays)
      if (d.kind == descriptor_kind::reference && !env.containers.contains(name) &&
          uses.at_top_level.contains(name))
        add_reference(env, name, d);
  }

  // ---- references --------------------------------------------------------------------------------------

  /// A reference of the SDFG at hand. Where it starts and, among several containers, which one it stands for are
  /// symbols that its set edges assign.
  struct host_reference {
    std::string offset, choice;
    std::vector<std::pair<std::string, binding>> targets;
  };
  std::map<std::string, host_reference> references_;

  void add_reference(environment& env, std::string const& name, sdfg::descriptor const& d) {
    auto const symbol = [&](std::string const& purpose) {
      auto variable = draft_.names.fresh(name + purpose);
      plan_.symbols.push_back({variable, dtype::int64});
      draft_.symbol_types[variable] = dtype::int64;
      return variable;
    };
    host_reference r;
    r.offset = symbol("_start");
    for (auto const& target : targets_of(*env.graph, name)) {
      auto const found = env.containers.find(target);
      if (found == env.containers.end() || found->second.is_constant || found->second.is_value)
        throw error(errc::unsupported,
                    "reference '" + name + "' to '" + target + "', which is no array of the host's", d.place);
      binding b = found->second;
      b.descriptor = &d;
      b.offset = expression::name(r.offset);
      r.targets.emplace_back(target, b);
    }
    if (r.targets.size() == 1)
      env.containers[name] = r.targets.front().second;
    else
      r.choice = symbol("_choice");
    references_.emplace(name, std::move(r));
  }

  /// What the set edges of the state say; nothing where it has none for this reference.
  [[nodiscard]] std::vector<std::string> targets_in(environment const& env, sdfg::state const& s,
                                                    std::string const& reference) const {
    std::vector<std::string> result;
    for (std::size_t e = 0; e < s.edges.size(); ++e)
      if (is_set_edge(*env.graph, s, e) &&
          std::get<sdfg::access_node>(s.nodes[s.edges[e].target].content).data == reference)
        for (auto& target : targets_of_edge(*env.graph, s, e))
          if (std::ranges::find(result, target) == result.end()) result.push_back(std::move(target));
    return result;
  }

  /// Lowers the state once for each container that its references may stand for. False: there is nothing to choose.
  bool choose_targets(environment& env, sdfg::state const& s, std::string const& place, step_list& out) {
    if (references_.empty()) return false;
    for (auto const& name : references_in(*env.graph, s)) {
      demand_one_order(*env.graph, s, name);
      auto const found = references_.find(name);
      if (found == references_.end() || env.containers.contains(name)) continue;
      auto const r = found->second; // a nested SDFG puts its own in their place for a while
      auto const here = targets_in(env, s, name);
      if (here.size() > 1)
        throw error(errc::unsupported,
                    "reference '" + name + "' to a reference that stands for several containers", place);
      branch choice;
      for (std::size_t k = 0; k < r.targets.size(); ++k) {
        environment inside = env;
        inside.containers[name] = r.targets[k].second;
        if (here.empty()) {
          choice.arms.push_back({expression::binary("==", expression::name(r.choice),
                                                    expression::integer(static_cast<std::int64_t>(k))),
                                 {}});
          state(inside, s, place, choice.arms.back().body);
        } else if (r.targets[k].first == here.front()) {
          state(inside, s, place, out);
          return true;
        }
      }
      out.push_back({std::move(choice), place});
      return true;
    }
    return false;
  }

  void set_reference(environment const& env, sdfg::state const& s, std::size_t e, step_list& out) {
    auto const& name = std::get<sdfg::access_node>(s.nodes[s.edges[e].target].content).data;
    auto const& r = references_.at(name);
    assign step;
    step.assignments.emplace_back(r.offset, set_offset(env, s, e));
    if (!r.choice.empty()) {
      auto const targets = targets_of_edge(*env.graph, s, e);
      if (targets.size() != 1)
        throw error(errc::unsupported,
                    "reference '" + name + "' to a reference that stands for several containers",
                    s.edges[e].place);
      auto const which = std::ranges::find(r.targets, targets.front(), [](auto const& t) { return t.first; });
      ASSAY_ASSERT(which != r.targets.end());
      step.assignments.emplace_back(r.choice, expression::integer(which - r.targets.begin()));
    }
    out.push_back({std::move(step), s.edges[e].place});
  }

  void add_buffer(environment& env, sdfg::graph const& graph, std::string const& name,
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
                  "container '" + name + "' asks for an alignment of " + std::to_string(b.alignment_bytes) +
                      " bytes, memory of the device has " + std::to_string(device_alignment_bytes),
                  d.place);
    b.storage = b.space == memory_space::device ? "GPU_Global"
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
      b.provision = b.by_value
                        ? provision::state_value
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

  // ---- footprints --------------------------------------------------------------------------------------

  [[nodiscard]] footprint print_of(environment const& env, std::string const& container,
                                   std::optional<sdfg::subset> const& where) const {
    binding const& b = env.containers.at(container);
    footprint result;
    result.buffer = *b.buffer;
    result.box = box_of(env, b, where.value_or(whole(*b.descriptor)));
    return result;
  }

  /// Host containers that control-flow code reads. Device containers are refused.
  void add_code_reads(environment const& env, std::set<std::string> const& names, std::string const& place,
                      std::vector<footprint>& prints) const {
    for (auto const& name : names) {
      auto const found = env.containers.find(name);
      if (found == env.containers.end() && references_.contains(name))
        throw error(errc::unsupported,
                    "control flow that reads the reference '" + name + "', which stands for several containers",
                    place);
      if (found == env.containers.end() || found->second.is_constant) continue;
      if (plan_.buffers[index(*found->second.buffer)].space == memory_space::device)
        throw error(errc::invalid_input, "control flow reads the device container '" + name + "' on the host",
                    place);
      footprint print = print_of(env, name, std::nullopt);
      print.reads = true;
      prints.push_back(print);
    }
  }
  void add_code_reads(environment const& env, expression const& e, std::string const& place,
                      std::vector<footprint>& prints) const {
    add_code_reads(env, free_names(e), place, prints);
  }

  /// What the edges into and out of a node touch. `dynamic`: with the values that become symbols of a map.
  [[nodiscard]] std::vector<footprint> prints_of(environment const& env, sdfg::state const& s,
                                                 std::size_t entry, std::size_t exit,
                                                 bool dynamic = true) const {
    std::vector<footprint> prints;
    for (auto const& edge : s.edges) {
      auto const& m = edge.memlet;
      if (!m.data || (edge.target != entry && edge.source != exit)) continue;
      if (!dynamic && edge.target == entry && !edge.target_connector.starts_with("IN_")) continue;
      if (!env.containers.contains(*m.data))
        throw error(errc::unsupported, "container '" + *m.data + "' is not available to host code", edge.place);
      if (env.containers.at(*m.data).is_constant) continue;
      footprint print = print_of(env, *m.data, m.subset);
      if (edge.target == entry)
        print.reads = true;
      else if (m.conflict_resolution.empty())
        print.writes = true;
      else
        print.accumulates = print.reads = print.writes = true;
      prints.push_back(std::move(print));
    }
    return prints;
  }

  // ---- control flow ------------------------------------------------------------------------------------

  void region(environment& env, sdfg::region const& r, std::string const& place, step_list& out) {
    step_list* current = &out;
    for (auto const& item : sequence_of(r, place)) {
      if (item.via != nullptr) {
        auto const& edge = *item.via;
        if (edge.condition) {
          branch guard;
          add_code_reads(env, *edge.condition, edge.place, guard.footprints);
          guard.arms.push_back({read_expression(env, *edge.condition, edge.place), {}});
          current->push_back({std::move(guard), edge.place});
          current = &std::get<branch>(current->back().content).arms.front().body;
        }
        if (!edge.assignments.empty()) {
          assign step;
          for (auto const& [name, value] : edge.assignments) {
            add_code_reads(env, value, edge.place, step.footprints);
            step.assignments.emplace_back(env.symbols.at(name)->text, read_expression(env, value, edge.place));
          }
          current->push_back({std::move(step), edge.place});
        }
      }
      auto const& block = *item.block;
      std::visit(overloaded{[&](sdfg::state const& s) { state(env, s, block.place, *current); },
                            [&](sdfg::loop_region const& x) { loop_block(env, x, block.place, *current); },
                            [&](sdfg::conditional_block const& x) {
                              branch choice;
                              for (auto const& b : x.branches) {
                                branch::arm arm;
                                if (b.condition) {
                                  add_code_reads(env, *b.condition, block.place, choice.footprints);
                                  arm.condition = read_expression(env, *b.condition, block.place);
                                }
                                region(env, *b.body, block.place, arm.body);
                                choice.arms.push_back(std::move(arm));
                              }
                              current->push_back({std::move(choice), block.place});
                            },
                            [&](sdfg::plain_region const& x) {
                              region(env, *x.body, block.place, *current);
                            },
                            [&](sdfg::jump kind) {
                              if (kind == sdfg::jump::return_program)
                                throw error(errc::unsupported, "return block", block.place);
                              current->push_back({jump{kind}, block.place});
                            }},
                 block.content);
    }
  }

  void loop_block(environment& env, sdfg::loop_region const& x, std::string const& place, step_list& out) {
    loop repeat;
    auto const add_statement_reads = [&](std::vector<statement> const& code, std::vector<footprint>& prints) {
      std::set<std::string> names;
      collect_free_names(code, names);
      add_code_reads(env, names, place, prints);
    };
    add_statement_reads(x.init, repeat.init_footprints);
    add_statement_reads(x.update, repeat.update_footprints);
    if (x.condition) add_code_reads(env, *x.condition, place, repeat.footprints);
    repeat.init = read_statements(env, x.init, {}, place);
    repeat.update = read_statements(env, x.update, {}, place);
    if (x.condition) repeat.condition = read_expression(env, *x.condition, place);
    repeat.inverted = x.inverted;
    repeat.update_before_condition = x.update_before_condition;
    region(env, *x.body, place, repeat.body);
    out.push_back({std::move(repeat), place});
  }

  // ---- states ------------------------------------------------------------------------------------------

  void state(environment& env, sdfg::state const& s, std::string const& place, step_list& out) {
    if (choose_targets(env, s, place, out)) return;
    bind_views(env, s, std::nullopt);
    for (std::size_t const n : scope_order(s, std::nullopt, place)) {
      auto const& node = s.nodes[n];
      std::visit(overloaded{[&](sdfg::access_node const&) { copies_into(env, s, n, out); },
                            [&](sdfg::tasklet const& x) { host_tasklet(env, s, n, x, out); },
                            [&](sdfg::map_entry const& x) { map(env, s, n, x, out); },
                            [&](sdfg::nested_sdfg const& x) { nested(env, s, n, x, out); },
                            [&](sdfg::map_exit const&) {},
                            [&](sdfg::opaque_node const& x) {
                              throw error(errc::unsupported, "node of type " + x.type, node.place);
                            }},
                 node.content);
    }
  }

  void copies_into(environment const& env, sdfg::state const& s, std::size_t n, step_list& out) {
    for (std::size_t e = 0; e < s.edges.size(); ++e)
      if (s.edges[e].target == n && is_set_edge(*env.graph, s, e)) set_reference(env, s, e, out);
    for (std::size_t e = 0; e < s.edges.size(); ++e)
      if (s.edges[e].target == n && s.edges[e].memlet.data &&
          std::holds_alternative<sdfg::access_node>(s.nodes[s.edges[e].source].content) &&
          !is_view_edge(*env.graph, s, e) && !is_set_edge(*env.graph, s, e))
        copy_edge(env, s, e, out);
  }

  void copy_edge(environment const& env, sdfg::state const& s, std::size_t e, step_list& out) {
    auto const& edge = s.edges[e];
    auto const& m = edge.memlet;
    std::string const source = std::get<sdfg::access_node>(s.nodes[edge.source].content).data;
    std::string const target = std::get<sdfg::access_node>(s.nodes[edge.target].content).data;
    binding const& from = env.containers.at(source);
    binding const& to = env.containers.at(target);
    if (to.is_constant)
      throw error(errc::invalid_input, "copy into the constant array '" + target + "'", edge.place);
    if (from.descriptor->type != to.descriptor->type)
      throw error(errc::unsupported,
                  "copy from '" + source + "' to '" + target + "' changes the element type", edge.place);
    bool const is_source = source == target ? m.is_data_source.value_or(true) : *m.data == source;
    sdfg::subset const given = m.subset.value_or(whole(is_source ? *from.descriptor : *to.descriptor));
    auto const& other_descriptor = is_source ? *to.descriptor : *from.descriptor;
    sdfg::subset other;
    if (m.other_subset) {
      other = *m.other_subset;
    } else {
      other = whole(other_descriptor);
      if (other.size() == given.size())
        for (std::size_t k = 0; k < given.size(); ++k) other[k].end = simplified(given[k].end - given[k].begin);
    }
    auto const& source_subset = is_source ? given : other;
    auto const& target_subset = is_source ? other : given;
    auto dimensions = pair_dimensions(
        counts_of(env, source_subset), strides_of(env, from, source_subset),
        counts_of(env, target_subset), strides_of(env, to, target_subset), edge.place);
    footprint write{*to.buffer, box_of(env, to, target_subset), false, true, false};
    if (from.is_constant) {
      if (!m.conflict_resolution.empty())
        throw error(errc::unsupported,
                    "copy of the constant array '" + source + "' with conflict resolution", edge.place);
      copy_constant({from.variable, false, element_offset(env, from, source_subset)},
                    {to.variable, to.is_value, write}, std::move(dimensions), source, edge.place, out);
      return;
    }
    footprint read{*from.buffer, box_of(env, from, source_subset), true, false, false};
    auto const& from_buffer = plan_.buffers[index(*from.buffer)];
    auto const& to_buffer = plan_.buffers[index(*to.buffer)];
    bool const on_host = from_buffer.space != memory_space::device && to_buffer.space != memory_space::device;
    if (!m.conflict_resolution.empty() && !on_host)
      throw error(errc::unsupported, "copy with conflict resolution to or from the device", edge.place);
    auto const resolution = m.conflict_resolution.empty()
                                ? plan::resolution{}
                                : parse_resolution(m.conflict_resolution, false, edge.place);
    copy_end const first{from.variable, from.is_value, read}, last{to.variable, to.is_value, write};
    bool const may_overlap =
        *from.buffer == *to.buffer && !are_disjoint(env, from, source_subset, to, target_subset);
    if (!may_overlap) {
      add_copy(first, last, dimensions, resolution, "copy " + source + " to " + target, edge.place, out);
      return;
    }
    // Neither a copy of the vendor's nor a loop gives the right result where source and target overlap.
    auto in = dimensions, back = dimensions;
    copy_end const staged = staging(*from.buffer, in, back, edge.place);
    copy_end stage_in = staged, stage_out = staged;
    stage_in.print.writes = stage_out.print.reads = true;
    add_copy(first, stage_in, in, {}, "copy " + source + " aside", edge.place, out);
    add_copy(stage_out, last, back, resolution, "copy " + target + " back", edge.place, out);
  }

  /// One side of a copy.
  struct copy_end {
    std::string variable;
    bool is_value = false;
    footprint print;
  };

  void add_copy(copy_end const& from, copy_end const& to, std::vector<copy_dimension> dimensions,
                resolution const& resolved, std::string const& label, std::string const& place,
                step_list& out) {
    auto const& source = plan_.buffers[index(from.print.buffer)];
    auto const& target = plan_.buffers[index(to.print.buffer)];
    if (source.space != memory_space::device && target.space != memory_space::device) {
      host_compute step;
      step.label = label;
      compute_copy c;
      c.type = target.type;
      c.source = {from.variable, from.is_value, from.print.box.offset};
      c.target = {to.variable, to.is_value, to.print.box.offset};
      c.dimensions = std::move(dimensions);
      c.resolution = resolved;
      step.body.push_back({std::move(c)});
      step.footprints = {from.print, to.print};
      out.push_back({std::move(step), place});
      return;
    }
    copy step;
    step.source = from.print.buffer;
    step.target = to.print.buffer;
    step.source_offset = from.print.box.offset;
    step.target_offset = to.print.box.offset;
    step.dimensions = std::move(dimensions);
    step.footprints = {from.print, to.print};
    out.push_back({std::move(step), place});
  }

  /// A compile-time array is no buffer: host code reads it, for the device into host memory of the program's own.
  void copy_constant(location const& from, copy_end const& to, std::vector<copy_dimension> dimensions,
                     std::string const& source, std::string const& place, step_list& out) {
    auto const& target = plan_.buffers[index(to.print.buffer)];
    auto const fill = [&](copy_end const& end, std::vector<copy_dimension> const& shape) {
      compute_copy c;
      c.type = target.type;
      c.source = from;
      c.target = {end.variable, end.is_value, end.print.box.offset};
      c.dimensions = shape;
      host_compute step;
      step.label = "copy the constant " + source;
      step.body.push_back({std::move(c)});
      step.footprints = {end.print};
      out.push_back({std::move(step), place});
    };
    if (target.space != memory_space::device) {
      fill(to, dimensions);
      return;
    }
    auto in = dimensions, back = dimensions;
    copy_end staged = staging(to.print.buffer, in, back, place, memory_space::host);
    staged.print.writes = true;
    fill(staged, in);
    staged.print.writes = false;
    staged.print.reads = true;
    add_copy(staged, to, back, {}, {}, place, out);
  }

  /// No element of one subset is in the other, whatever the symbols are. Both are of one buffer.
  static bool are_disjoint(environment const& env, binding const& from, sdfg::subset const& source,
                           binding const& to, sdfg::subset const& target) {
    if (from.variable != to.variable || from.descriptor != to.descriptor ||
        source.size() != target.size())
      return false;
    auto const ascends = [](sdfg::range const& r) {
      return r.step->kind == expression_kind::integer && r.step->integer_value > 0;
    };
    for (std::size_t k = 0; k < source.size(); ++k) {
      if (!ascends(source[k]) || !ascends(target[k])) continue;
      auto const lies_before = [&env](sdfg::range const& a, sdfg::range const& b) {
        auto const gap = constant_difference(env.resolve(b.begin), env.resolve(a.end));
        return gap && *gap > 0;
      };
      if (lies_before(source[k], target[k]) || lies_before(target[k], source[k])) return true;
    }
    return false;
  }

  /// A transient of the program's own that holds what a copy moves: dense, in the order of `in`, whose target
  /// strides and `back`, whose source strides become its own.
  copy_end staging(buffer_id of, std::vector<copy_dimension>& in, std::vector<copy_dimension>& back,
                   std::string const& place, std::optional<memory_space> space = std::nullopt) {
    buffer b = plan_.buffers[index(of)];
    if (space && *space != b.space) {
      ASSAY_ASSERT(*space == memory_space::host);
      b.space = *space;
      b.storage = "CPU_Heap";
    }
    auto count = expression::integer(1);
    for (std::size_t k = in.size(); k-- > 0;) {
      in[k].target_stride = back[k].source_stride = count;
      count = simplified(count * in[k].count);
    }
    b.name = draft_.names.fresh("assay_staged_" + b.container);
    b.container = b.name;
    b.by_value = b.read_only = b.zero_fill = false;
    b.element_count = count;
    b.start_offset = expression::integer(0);
    b.alignment_bytes = 0;
    b.place = place;
    b.provision = provision_of(b, is_known_at_init(count));
    auto const id = static_cast<buffer_id>(plan_.buffers.size());
    plan_.buffers.push_back(b);
    footprint print{id, {expression::integer(0), {}}, false, false, false};
    for (auto const& d : in) print.box.extents.push_back({d.count, d.target_stride});
    return {b.name, false, print};
  }

  /// Upstream's metrics tasklets wait for the whole device and read a clock: ours wait for the program's streams.
  bool timer(environment const& env, sdfg::state const& s, std::size_t n, sdfg::tasklet const& x,
             step_list& out) {
    bool const reads_clock = x.code.text.find("std::chrono") != std::string::npos &&
                             x.code.text.find("DeviceSynchronize") != std::string::npos;
    if (x.code.language != sdfg::language::cpp || !reads_clock) return false;
    std::optional<buffer_id> start, result;
    for (auto const& edge : s.edges) {
      if (!edge.memlet.data) continue;
      if (edge.target == n) start = env.containers.at(*edge.memlet.data).buffer;
      if (edge.source == n) result = env.containers.at(*edge.memlet.data).buffer;
    }
    if (!result) return false;
    if (start)
      out.push_back({timer_stop{*start, *result}, s.nodes[n].place});
    else
      out.push_back({timer_start{*result}, s.nodes[n].place});
    return true;
  }

  /// Upstream's synchronous call is a state with a tasklet that waits for the default stream.
  static bool is_upstream_wait(sdfg::tasklet const& x) {
    return x.code.language == sdfg::language::cpp && x.out_connectors.empty() && x.in_connectors.empty() &&
           x.code.text.find("StreamSynchronize(") != std::string::npos;
  }

  void host_tasklet(environment const& env, sdfg::state const& s, std::size_t n, sdfg::tasklet const& x,
                    step_list& out) {
    if (timer(env, s, n, x, out) || is_upstream_wait(x)) return;
    host_compute step;
    step.label = s.nodes[n].label;
    step.footprints = prints_of(env, s, n, n);
    if (!queues_work(x, step.footprints, s.nodes[n].place))
      refuse_device(step.footprints, "tasklet '" + step.label + "'", s.nodes[n].place);
    name_pool names(&draft_.names);
    step.body = compute_lowering(names, false).node(env, s, n);
    out.push_back({std::move(step), s.nodes[n].place});
  }

  /// Whether a tasklet only queues work of the vendor's on the program's stream, as upstream's code of library
  /// nodes does. Then it may name device memory, and no host memory but values that it reads.
  [[nodiscard]] bool queues_work(sdfg::tasklet const& x, std::vector<footprint> const& prints,
                                 std::string const& place) const {
    if (!has_gpu(plan_.settings) || x.code.language != sdfg::language::cpp ||
        x.code.text.find(current_stream_name) == std::string::npos)
      return false;
    if (plan_.settings.own_streams > 0)
      throw error(errc::unsupported, "C++ code that queues work, on streams of the program's own", place);
    for (auto const& print : prints) {
      auto const& b = plan_.buffers[index(print.buffer)];
      if (b.space != memory_space::device && (!b.by_value || print.writes))
        throw error(errc::unsupported, "C++ code that queues work on the host container '" + b.container + "'",
                    place);
    }
    return true;
  }

  void refuse_device(std::vector<footprint> const& prints, std::string const& who,
                     std::string const& place) const {
    for (auto const& print : prints)
      if (plan_.buffers[index(print.buffer)].space == memory_space::device)
        throw error(errc::invalid_input,
                    who + " runs on the host and touches the device container '" +
                        plan_.buffers[index(print.buffer)].container + "'",
                    place);
  }

  /// Where nothing is written about it, a map runs where its data is.
  [[nodiscard]] bool runs_on_device(environment const& env, sdfg::state const& s, std::size_t n,
                                    sdfg::map_entry const& x) const {
    if (x.schedule != sdfg::schedule::automatic) return x.schedule == sdfg::schedule::gpu_device;
    return std::ranges::any_of(prints_of(env, s, n, *s.nodes[n].scope_exit, /*dynamic=*/false),
                               [&](footprint const& print) {
                                 return plan_.buffers[index(print.buffer)].space == memory_space::device;
                               });
  }

  void map(environment const& env, sdfg::state const& s, std::size_t n, sdfg::map_entry const& x,
           step_list& out) {
    auto const& node = s.nodes[n];
    if (!node.scope_exit) throw error(errc::invalid_input, "map without an exit", node.place);
    if (has_gpu(plan_.settings) && runs_on_device(env, s, n, x)) {
      environment inside = env;
      read_dynamic_inputs(inside, s, n, out);
      auto prints = prints_of(inside, s, n, *node.scope_exit, /*dynamic=*/false);
      kernel_map(std::move(inside), s, n, x, std::move(prints), out);
      return;
    }
    auto prints = prints_of(env, s, n, *node.scope_exit);
    if (x.schedule == sdfg::schedule::gpu_thread_block && has_gpu(plan_.settings))
      throw error(errc::unsupported, "map over the threads of a block outside a kernel", node.place);
    refuse_device(prints, "map '" + node.label + "'", node.place);
    host_compute step;
    step.label = node.label;
    step.footprints = std::move(prints);
    name_pool names(&draft_.names);
    step.body = compute_lowering(names, false).loops(env, s, n, node.place);
    out.push_back({std::move(step), node.place});
  }

  /// Values that become symbols of a kernel's range: the host reads them before the launch, through a copy
  /// where they are on the device.
  void read_dynamic_inputs(environment& env, sdfg::state const& s, std::size_t entry, step_list& out) {
    for (auto const& edge : s.edges) {
      auto const& name = edge.target_connector;
      if (edge.target != entry || name.empty() || name.starts_with("IN_") || !edge.memlet.data) continue;
      auto const found = env.containers.find(*edge.memlet.data);
      if (found == env.containers.end())
        throw error(errc::unsupported, "container '" + *edge.memlet.data + "' is not available to host code",
                    edge.place);
      binding const from = found->second;
      if (from.is_constant)
        throw error(errc::unsupported, "range that reads the constant array '" + *edge.memlet.data + "'",
                    edge.place);
      footprint print = print_of(env, *edge.memlet.data, edge.memlet.subset);
      print.reads = true;
      auto const type = from.descriptor->type;
      std::string variable = from.variable;
      bool is_value = from.is_value;
      if (plan_.buffers[index(print.buffer)].space == memory_space::device) {
        auto const staged = host_value("assay_read_" + name, type, edge.place);
        footprint written{staged, {expression::integer(0), {}}, false, true, false};
        copy fetch;
        fetch.source = print.buffer;
        fetch.target = staged;
        fetch.source_offset = print.box.offset;
        fetch.footprints = {print, written};
        out.push_back({std::move(fetch), edge.place});
        variable = plan_.buffers[index(staged)].name;
        is_value = true;
        print = {staged, {expression::integer(0), {}}, true, false, false};
      }
      std::string const symbol = draft_.names.fresh(name);
      plan_.symbols.push_back({symbol, type});
      draft_.symbol_types[symbol] = type;
      assign step;
      auto const read = expression::name(variable);
      step.assignments.emplace_back(symbol,
                                    is_value ? read : expression::subscript(read, {print.box.offset}));
      step.footprints = {print};
      out.push_back({std::move(step), edge.place});
      env.symbols.insert_or_assign(name, expression::name(symbol));
      env.containers.erase(name);
    }
  }

  /// A host scalar of the program's own.
  buffer_id host_value(std::string const& label, dtype type, std::string const& place) {
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

  /// The block that the maps over its threads ask for, or the file where that is larger, cut to what devices have:
  /// those maps are right for any.
  static void fit_block(kernel& k, std::array<std::int64_t, 3> const& asked, bool is_given) {
    constexpr std::int64_t most_threads = 1024, most_along_z = 64;
    std::int64_t left = most_threads;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      k.block[axis] = is_given ? std::max(k.block[axis], asked[axis]) : asked[axis];
      k.block[axis] = std::clamp<std::int64_t>(k.block[axis], 1, axis == 2 ? std::min(left, most_along_z) : left);
      left /= k.block[axis];
    }
  }

  /// Whether something in the state may need what no atomic can do.
  static bool combines_wide_elements(environment const& env, sdfg::state const& s) {
    return std::ranges::any_of(s.edges, [&](sdfg::edge const& edge) {
      if (edge.memlet.conflict_resolution.empty() || !edge.memlet.data) return false;
      auto const* container = env.graph->find(*edge.memlet.data);
      return container != nullptr && !fits_atomic_word(container->type);
    });
  }

  /// Makes the whole map the loops of a single thread.
  static void put_on_one_thread(kernel& k, environment const& outside, name_pool& names, sdfg::state const& s,
                                std::size_t n) {
    auto const zero = expression::integer(0);
    k.dimensions = {{names.fresh("assay_only"), {zero, zero, expression::integer(1)}}};
    k.block = {1, 1, 1};
    k.body = compute_lowering(names, false).loops(outside, s, n, s.nodes[n].place);
  }

  void kernel_map(environment env, sdfg::state const& s, std::size_t n, sdfg::map_entry const& x,
                  std::vector<footprint> prints, step_list& out) {
    auto const& node = s.nodes[n];
    kernel k;
    k.name = kernel_name(s, n);
    k.place = node.place;
    name_pool names(&draft_.names);
    for (auto const& [name, b] : env.containers) names.reserve(b.variable);
    std::optional<environment> outside; // most maps need no copy
    if (combines_wide_elements(env, s)) outside = env;
    std::map<std::string, expression> parameters;
    for (std::size_t d = 0; d < x.parameters.size(); ++d) {
      std::string const name = names.fresh(x.parameters[d]);
      k.dimensions.push_back({name, env.resolve(x.ranges[d])});
      parameters.insert_or_assign(x.parameters[d], expression::name(name));
    }
    for (auto const& [name, value] : parameters) env.symbols.insert_or_assign(name, value);
    for (std::size_t d = 0; d < x.block_size.size() && d < 3; ++d) k.block[d] = x.block_size[d];
    compute_lowering lowering(names, true);
    k.by_block = has_thread_block_maps(s, n);
    if (k.by_block) {
      k.body = lowering.block_scope(std::move(env), s, n, node.place);
      fit_block(k, lowering.threads(), !x.block_size.empty());
    } else {
      k.body = lowering.scope(std::move(env), s, n, node.place);
      if (outside && needs_one_thread(k.body)) put_on_one_thread(k, *outside, names, s, n);
    }
    std::int64_t const threads = k.block[0] * k.block[1] * k.block[2];
    if (threads < 1 || threads > 1024)
      throw error(errc::invalid_input, "map '" + node.label + "' has a block of " + std::to_string(threads) +
                                           " threads (1 to 1024 are possible)",
                  node.place);

    auto needed = outer_names_of(k.body);
    for (auto const& d : k.dimensions) {
      for (auto const* bound : {&d.range.begin, &d.range.end, &d.range.step})
        for (auto const& name : free_names(*bound)) needed.used.insert(name);
      needed.used.erase(d.parameter);
    }
    for (auto const& name : needed.used) add_kernel_argument(k, name, needed.written.contains(name), prints);
    std::ranges::stable_partition(k.arguments, [](kernel_argument const& a) { return a.is_pointer; });
    auto const id = static_cast<kernel_id>(plan_.kernels.size());
    plan_.kernels.push_back(std::move(k));
    out.push_back({launch{id, {}, std::move(prints)}, node.place});
  }

  void add_kernel_argument(kernel& k, std::string const& name, bool written, std::vector<footprint>& prints) {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      auto const& candidate = plan_.buffers[b];
      if (candidate.name != name) continue;
      auto const id = static_cast<buffer_id>(b);
      if (candidate.by_value) {
        if (written)
          throw error(errc::invalid_input,
                      "kernel '" + k.name + "' writes the host scalar '" + candidate.container + "'", k.place);
        k.arguments.push_back({name, candidate.type, false, false, id});
        bool const known = std::ranges::any_of(prints, [&](footprint const& p) { return p.buffer == id; });
        if (!known) prints.push_back({id, {expression::integer(0), {}}, true, false, false});
        return;
      }
      if (candidate.space == memory_space::host)
        throw error(errc::invalid_input,
                    "kernel '" + k.name + "' touches the host container '" + candidate.container + "'", k.place);
      k.arguments.push_back({name, candidate.type, true, !written, id});
      return;
    }
    if (auto const symbol = draft_.symbol_types.find(name); symbol != draft_.symbol_types.end())
      k.arguments.push_back({name, symbol->second, false, false, std::nullopt});
    // Other names are functions and modules of Python code: the emitter knows them or refuses them.
  }

  /// The map's label and its place in the file: unique, stable, and readable in a report.
  std::string kernel_name(sdfg::state const& s, std::size_t n) {
    std::string label = s.nodes[n].label;
    label = label.substr(0, label.find('['));
    return draft_.names.fresh(label.starts_with(plan_.name) ? label : plan_.name + "_" + label);
  }

  void nested(environment const& env, sdfg::state const& s, std::size_t n, sdfg::nested_sdfg const& x,
              step_list& out) {
    auto const& graph = *x.body;
    environment inner;
    inner.graph = &graph;
    inner.containers = constants_of(env);
    for (auto const& [name, value] : x.symbol_mapping) inner.symbols.insert_or_assign(name, env.resolve(value));
    // A symbol that the nested SDFG assigns itself is its own, whatever the outer one of that name is.
    auto const assigned = assigned_symbols(graph.root);
    for (auto const& [name, type] : graph.symbols)
      if (auto const found = env.symbols.find(name);
          found != env.symbols.end() && !assigned.contains(name))
        inner.symbols.try_emplace(name, found->second);
    std::set<std::string> written;
    for (auto const& edge : s.edges)
      if (edge.source == n && !edge.source_connector.empty()) written.insert(edge.source_connector);
    for (auto const& edge : s.edges) {
      bool const in = edge.target == n;
      std::string const& name = in ? edge.target_connector : edge.source_connector;
      if ((!in && edge.source != n) || name.empty() || inner.containers.contains(name)) continue;
      if (!edge.memlet.data || !env.containers.contains(*edge.memlet.data))
        throw error(errc::unsupported, "nested SDFG connector '" + name + "' without a container of the host",
                    edge.place);
      binding const& outer = env.containers.at(*edge.memlet.data);
      binding b = outer;
      b.descriptor = graph.find(name);
      ASSAY_ASSERT(b.descriptor != nullptr); // verified
      b.offset = element_offset(env, outer, edge.memlet.subset.value_or(whole(*outer.descriptor)));
      inner.containers[name] = b;
    }
    initial_.clear();
    auto const outer_references = std::move(references_);
    bind_symbols(inner, graph);
    bind_containers(inner, graph);
    if (!initial_.empty()) {
      assign start;
      start.assignments = std::move(initial_);
      initial_.clear();
      out.push_back({std::move(start), s.nodes[n].place});
    }
    region(inner, graph.root, s.nodes[n].place, out);
    references_ = outer_references;
  }
};

} // namespace

void lower_structure(draft& d, sdfg::graph const& graph) { host_lowering(d).run(graph); }

} // namespace assay::plan
