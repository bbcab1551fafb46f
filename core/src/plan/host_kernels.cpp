#include "plan/host_kernels.hpp"

#include <algorithm>

#include "assay/error.hpp"
#include "plan/atomics.hpp"
#include "plan/compute.hpp"
#include "plan/thread_blocks.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

class kernel_lowering {
public:
  explicit kernel_lowering(draft& d) : draft_(d), plan_(d.plan) {}

  void map(environment env, sdfg::state const& s, std::size_t n, sdfg::map_entry const& x,
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
      throw error(errc::invalid_input,
                  "map '" + node.label + "' has a block of " + std::to_string(threads) +
                      " threads (1 to 1024 are possible)",
                  node.place);

    auto needed = outer_names_of(k.body);
    for (auto const& d : k.dimensions) {
      for (auto const* bound : {&d.range.begin, &d.range.end, &d.range.step})
        for (auto const& name : free_names(*bound)) needed.used.insert(name);
      needed.used.erase(d.parameter);
    }
    for (auto const& name : needed.used)
      add_kernel_argument(k, name, needed.written.contains(name), prints);
    std::ranges::stable_partition(k.arguments,
                                  [](kernel_argument const& a) { return a.is_pointer; });
    auto const id = static_cast<kernel_id>(plan_.kernels.size());
    plan_.kernels.push_back(std::move(k));
    out.push_back({launch{id, {}, std::move(prints)}, node.place});
  }

private:
  draft& draft_;
  program& plan_;

  /// The block that the maps over its threads ask for, or the file where that is larger, cut to
  /// what devices have: those maps are right for any.
  static void fit_block(kernel& k, std::array<std::int64_t, 3> const& asked, bool is_given) {
    constexpr std::int64_t most_threads = 1024, most_along_z = 64;
    std::int64_t left = most_threads;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      k.block[axis] = is_given ? std::max(k.block[axis], asked[axis]) : asked[axis];
      k.block[axis] = std::clamp<std::int64_t>(k.block[axis], 1,
                                               axis == 2 ? std::min(left, most_along_z) : left);
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
  static void put_on_one_thread(kernel& k, environment const& outside, name_pool& names,
                                sdfg::state const& s, std::size_t n) {
    auto const zero = expression::integer(0);
    k.dimensions = {{names.fresh("assay_only"), {zero, zero, expression::integer(1)}}};
    k.block = {1, 1, 1};
    k.body = compute_lowering(names, false).loops(outside, s, n, s.nodes[n].place);
  }

  /// What the body does to a buffer through a reference need not show in the edges of the map.
  static void add_hidden_use(buffer_id id, buffer const& used, bool written,
                             std::vector<footprint>& prints) {
    bool const shows = std::ranges::any_of(prints, [&](footprint const& p) {
      return p.buffer == id && (p.writes || p.accumulates || !written);
    });
    if (shows) return;
    box const everything{expression::integer(0), {{used.element_count, expression::integer(1)}}};
    prints.push_back({id, everything, true, written, false});
  }

  void add_kernel_argument(kernel& k, std::string const& name, bool written,
                           std::vector<footprint>& prints) {
    for (std::size_t b = 0; b < plan_.buffers.size(); ++b) {
      auto const& candidate = plan_.buffers[b];
      if (candidate.name != name) continue;
      auto const id = static_cast<buffer_id>(b);
      if (candidate.by_value) {
        if (written)
          throw error(errc::invalid_input,
                      "kernel '" + k.name + "' writes the host scalar '" + candidate.container +
                          "'",
                      k.place);
        k.arguments.push_back({name, candidate.type, false, false, id});
        bool const known =
            std::ranges::any_of(prints, [&](footprint const& p) { return p.buffer == id; });
        if (!known) prints.push_back({id, {expression::integer(0), {}}, true, false, false});
        return;
      }
      if (candidate.space == memory_space::host)
        throw error(errc::invalid_input,
                    "kernel '" + k.name + "' touches the host container '" + candidate.container +
                        "'",
                    k.place);
      add_hidden_use(id, candidate, written, prints);
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
};

} // namespace

void lower_kernel(draft& d, environment env, sdfg::state const& s, std::size_t node,
                  sdfg::map_entry const& map, std::vector<footprint> prints, step_list& out) {
  kernel_lowering(d).map(std::move(env), s, node, map, std::move(prints), out);
}

} // namespace assay::plan
