#include "plan/structure.hpp"

#include <algorithm>
#include <utility>

#include "assay/error.hpp"
#include "plan/assigned_symbols.hpp"
#include "plan/compute.hpp"
#include "plan/dataflow.hpp"
#include "plan/host_buffers.hpp"
#include "plan/host_copies.hpp"
#include "plan/host_kernels.hpp"
#include "plan/references.hpp"
#include "plan/thread_blocks.hpp"
#include "plan/vendor_names.hpp"
#include "plan/views.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

using sdfg::descriptor_kind;

bool has_gpu(settings const& s) { return s.target != target::cpu; }

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

  // ---- names ------------------------------------------------------------------------------------

  void bind_symbols(environment& env, sdfg::graph const& graph) {
    auto const assigned = types_of_assigned(graph);
    for (auto const& [name, type] : graph.symbols)
      if (!env.symbols.contains(name) && !assigned.contains(name))
        env.symbols.emplace(name, expression::name(name));
    for (auto const& argument : plan_.signature.arguments)
      if (argument.is_symbol)
        env.symbols.try_emplace(argument.name, expression::name(argument.name));
    for (auto const& [name, value] : graph.constants)
      if (value.values.size() == 1 && value.type.kind == descriptor_kind::scalar)
        env.symbols.insert_or_assign(
            name, is_floating(value.type.type)
                      ? expression::real(value.values[0])
                      : expression::integer(static_cast<std::int64_t>(value.values[0])));
      else
        bind_constant(env, name, value, graph.place);
    for (auto const& [name, type] : assigned) {
      if (graph.find(name) != nullptr)
        throw error(errc::unsupported, "container '" + name + "' assigned on an interstate edge",
                    graph.place);
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

  /// Symbols that a nested SDFG assigns although they are mapped: start values, set where its code
  /// starts.
  std::vector<std::pair<std::string, expression>> initial_;

  // ---- containers -------------------------------------------------------------------------------

  void bind_containers(environment& env, sdfg::graph const& graph) {
    auto const uses = uses_of(graph);
    for (auto const& [name, d] : graph.arrays) {
      if (env.containers.contains(name)) continue; // a connector of this nested SDFG
      if (d.transient && !uses.at_top_level.contains(name))
        continue;                                         // local to a kernel, or unused
      if (d.kind == descriptor_kind::view) continue;      // bound state by state to what it shows
      if (d.kind == descriptor_kind::reference) continue; // below: what they stand for comes first
      host_buffers(draft_).add(env, graph, name, d, uses);
    }
    references_.clear();
    for (auto const& [name, d] : graph.arrays)
      if (d.kind == descriptor_kind::reference && !env.containers.contains(name) &&
          uses.at_top_level.contains(name))
        add_reference(env, name, d);
  }

  // ---- references -------------------------------------------------------------------------------

  /// A reference of the SDFG at hand. Where it starts and, among several containers, which one it
  /// stands for are symbols that its set edges assign.
  struct host_reference {
    std::string offset, choice;
    std::vector<std::pair<std::string, binding>> targets;

    [[nodiscard]] std::size_t number_of(std::string const& target) const {
      auto const found = std::ranges::find(targets, target, [](auto const& t) { return t.first; });
      ASSAY_ASSERT(found != targets.end());
      return static_cast<std::size_t>(found - targets.begin());
    }
  };
  std::map<std::string, host_reference> references_;
  std::size_t copies_ = 1; ///< of the state being lowered

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
                    "reference '" + name + "' to '" + target + "', which is no array of the host's",
                    d.place);
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
          if (std::ranges::find(result, target) == result.end())
            result.push_back(std::move(target));
    return result;
  }

  /// Lowers the state with its references bound: where it does not say itself which of several
  /// containers one stands for, once for each. False: there is nothing to choose.
  bool choose_targets(environment& env, sdfg::state const& s, std::string const& place,
                      step_list& out) {
    if (references_.empty()) return false;
    for (auto const& name : references_in(*env.graph, s)) {
      demand_one_order(*env.graph, s, name);
      auto const found = references_.find(name);
      if (found == references_.end() || env.containers.contains(name)) continue;
      auto const r = found->second; // a nested SDFG puts its own in their place for a while
      auto const here = targets_in(env, s, name);
      if (here.size() > 1)
        throw error(errc::unsupported,
                    "reference '" + name + "' to a reference that stands for several containers",
                    place);
      if (here.empty()) {
        out.push_back({one_arm_each(env, s, place, name, r), place});
      } else {
        environment inside = env;
        inside.containers[name] = r.targets[r.number_of(here.front())].second;
        state(inside, s, place, out);
      }
      return true;
    }
    return false;
  }

  branch one_arm_each(environment const& env, sdfg::state const& s, std::string const& place,
                      std::string const& name, host_reference const& r) {
    constexpr std::size_t most_copies = 64;
    std::size_t const outer_copies = std::exchange(copies_, copies_ * r.targets.size());
    if (copies_ > most_copies)
      throw error(errc::unsupported,
                  "references in one state that stand for more than " +
                      std::to_string(most_copies) + " combinations of containers",
                  place);
    std::size_t const buffers = plan_.buffers.size();
    branch result;
    for (std::size_t k = 0; k < r.targets.size(); ++k) {
      environment inside = env;
      inside.containers[name] = r.targets[k].second;
      auto const number = expression::integer(static_cast<std::int64_t>(k));
      result.arms.push_back({expression::binary("==", expression::name(r.choice), number), {}});
      state(inside, s, place, result.arms.back().body);
      if (plan_.buffers.size() != buffers) // each arm would have them again
        throw error(errc::unsupported,
                    "reference '" + name + "', which stands for several containers, in a " +
                        "state whose nested SDFG has transients",
                    place);
    }
    copies_ = outer_copies;
    return result;
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
      auto const which = static_cast<std::int64_t>(r.number_of(targets.front()));
      step.assignments.emplace_back(r.choice, expression::integer(which));
    }
    out.push_back({std::move(step), s.edges[e].place});
  }

  // ---- footprints -------------------------------------------------------------------------------

  [[nodiscard]] footprint print_of(environment const& env, std::string const& container,
                                   std::optional<sdfg::subset> const& where) const {
    binding const& b = env.containers.at(container);
    footprint result;
    result.buffer = *b.buffer;
    result.box = box_of(env, b, where.value_or(whole(*b.descriptor)));
    return result;
  }

  /// Host containers that control-flow code reads. Device containers are refused.
  void add_code_reads(environment const& env, std::set<std::string> const& names,
                      std::string const& place, std::vector<footprint>& prints) const {
    for (auto const& name : names) {
      auto const found = env.containers.find(name);
      if (found == env.containers.end() && references_.contains(name))
        throw error(errc::unsupported,
                    "control flow that reads the reference '" + name +
                        "', which stands for several containers",
                    place);
      if (found == env.containers.end() || found->second.is_constant) continue;
      if (plan_.buffers[index(*found->second.buffer)].space == memory_space::device)
        throw error(errc::invalid_input,
                    "control flow reads the device container '" + name + "' on the host", place);
      footprint print = print_of(env, name, std::nullopt);
      print.reads = true;
      prints.push_back(print);
    }
  }
  void add_code_reads(environment const& env, expression const& e, std::string const& place,
                      std::vector<footprint>& prints) const {
    add_code_reads(env, free_names(e), place, prints);
  }

  /// What the edges into and out of a node touch. `dynamic`: with the values that become symbols of
  /// a map.
  [[nodiscard]] std::vector<footprint> prints_of(environment const& env, sdfg::state const& s,
                                                 std::size_t entry, std::size_t exit,
                                                 bool dynamic = true) const {
    std::vector<footprint> prints;
    for (auto const& edge : s.edges) {
      auto const& m = edge.memlet;
      if (!m.data || (edge.target != entry && edge.source != exit)) continue;
      if (!dynamic && edge.target == entry && !edge.target_connector.starts_with("IN_")) continue;
      if (!env.containers.contains(*m.data))
        throw error(errc::unsupported, "container '" + *m.data + "' is not available to host code",
                    edge.place);
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

  // ---- control flow -----------------------------------------------------------------------------

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
            step.assignments.emplace_back(env.symbols.at(name)->text,
                                          read_expression(env, value, edge.place));
          }
          current->push_back({std::move(step), edge.place});
        }
      }
      auto const& block = *item.block;
      std::visit(
          overloaded{
              [&](sdfg::state const& s) { state(env, s, block.place, *current); },
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
              [&](sdfg::plain_region const& x) { region(env, *x.body, block.place, *current); },
              [&](sdfg::jump kind) {
                if (kind == sdfg::jump::return_program)
                  throw error(errc::unsupported, "return block", block.place);
                current->push_back({jump{kind}, block.place});
              }},
          block.content);
    }
  }

  void loop_block(environment& env, sdfg::loop_region const& x, std::string const& place,
                  step_list& out) {
    loop repeat;
    auto const add_statement_reads = [&](std::vector<statement> const& code,
                                         std::vector<footprint>& prints) {
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

  // ---- states -----------------------------------------------------------------------------------

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
        copy_edge(draft_, env, s, e, out);
  }

  /// Upstream's metrics tasklets wait for the whole device and read a clock: ours wait for the
  /// program's streams.
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
    return x.code.language == sdfg::language::cpp && x.out_connectors.empty() &&
           x.in_connectors.empty() && x.code.text.find("StreamSynchronize(") != std::string::npos;
  }

  void host_tasklet(environment const& env, sdfg::state const& s, std::size_t n,
                    sdfg::tasklet const& x, step_list& out) {
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

  /// Whether a tasklet only queues work of the vendor's on the program's stream, as upstream's code
  /// of library nodes does. Then it may name device memory, and no host memory but values that it
  /// reads.
  [[nodiscard]] bool queues_work(sdfg::tasklet const& x, std::vector<footprint> const& prints,
                                 std::string const& place) const {
    if (!has_gpu(plan_.settings) || x.code.language != sdfg::language::cpp ||
        x.code.text.find(current_stream_name) == std::string::npos)
      return false;
    if (plan_.settings.own_streams > 0)
      throw error(errc::unsupported, "C++ code that queues work, on streams of the program's own",
                  place);
    for (auto const& print : prints) {
      auto const& b = plan_.buffers[index(print.buffer)];
      if (b.space != memory_space::device && (!b.by_value || print.writes))
        throw error(errc::unsupported,
                    "C++ code that queues work on the host container '" + b.container + "'", place);
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
                                 return plan_.buffers[index(print.buffer)].space ==
                                        memory_space::device;
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
      lower_kernel(draft_, std::move(inside), s, n, x, std::move(prints), out);
      return;
    }
    auto prints = prints_of(env, s, n, *node.scope_exit);
    if (x.schedule == sdfg::schedule::gpu_thread_block && has_gpu(plan_.settings))
      throw error(errc::unsupported, "map over the threads of a block outside a kernel",
                  node.place);
    refuse_device(prints, "map '" + node.label + "'", node.place);
    host_compute step;
    step.label = node.label;
    step.footprints = std::move(prints);
    name_pool names(&draft_.names);
    step.body = compute_lowering(names, false).loops(env, s, n, node.place);
    out.push_back({std::move(step), node.place});
  }

  /// Values that become symbols of a kernel's range: the host reads them before the launch, through
  /// a copy where they are on the device.
  void read_dynamic_inputs(environment& env, sdfg::state const& s, std::size_t entry,
                           step_list& out) {
    for (auto const& edge : s.edges) {
      auto const& name = edge.target_connector;
      if (edge.target != entry || name.empty() || name.starts_with("IN_") || !edge.memlet.data)
        continue;
      auto const found = env.containers.find(*edge.memlet.data);
      if (found == env.containers.end())
        throw error(errc::unsupported,
                    "container '" + *edge.memlet.data + "' is not available to host code",
                    edge.place);
      binding const from = found->second;
      if (from.is_constant)
        throw error(errc::unsupported,
                    "range that reads the constant array '" + *edge.memlet.data + "'", edge.place);
      footprint print = print_of(env, *edge.memlet.data, edge.memlet.subset);
      print.reads = true;
      auto const type = from.descriptor->type;
      std::string variable = from.variable;
      bool is_value = from.is_value;
      if (plan_.buffers[index(print.buffer)].space == memory_space::device) {
        auto const staged = host_buffers(draft_).add_value("assay_read_" + name, type, edge.place);
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
      step.assignments.emplace_back(
          symbol, is_value ? read : expression::subscript(read, {print.box.offset}));
      step.footprints = {print};
      out.push_back({std::move(step), edge.place});
      env.symbols.insert_or_assign(name, expression::name(symbol));
      env.containers.erase(name);
    }
  }

  void nested(environment const& env, sdfg::state const& s, std::size_t n,
              sdfg::nested_sdfg const& x, step_list& out) {
    auto const& graph = *x.body;
    environment inner;
    inner.graph = &graph;
    inner.containers = constants_of(env);
    for (auto const& [name, value] : x.symbol_mapping)
      inner.symbols.insert_or_assign(name, env.resolve(value));
    // A symbol that the nested SDFG assigns itself is its own, whatever the outer one of that name
    // is.
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
        throw error(errc::unsupported,
                    "nested SDFG connector '" + name + "' without a container of the host",
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
