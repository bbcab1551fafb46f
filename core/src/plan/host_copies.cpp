#include "plan/host_copies.hpp"

#include "assay/error.hpp"
#include "plan/host_buffers.hpp"

namespace assay::plan {
namespace {

class copy_lowering {
public:
  explicit copy_lowering(draft& d) : draft_(d), plan_(d.plan) {}

  void edge(environment const& env, sdfg::state const& s, std::size_t e, step_list& out) {
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
                  "copy from '" + source + "' to '" + target + "' changes the element type",
                  edge.place);
    bool const is_source = source == target ? m.is_data_source.value_or(true) : *m.data == source;
    sdfg::subset const given =
        m.subset.value_or(whole(is_source ? *from.descriptor : *to.descriptor));
    auto const& other_descriptor = is_source ? *to.descriptor : *from.descriptor;
    sdfg::subset other;
    if (m.other_subset) {
      other = *m.other_subset;
    } else {
      other = whole(other_descriptor);
      if (other.size() == given.size())
        for (std::size_t k = 0; k < given.size(); ++k)
          other[k].end = simplified(given[k].end - given[k].begin);
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
                    "copy of the constant array '" + source + "' with conflict resolution",
                    edge.place);
      copy_constant({from.variable, false, element_offset(env, from, source_subset)},
                    {to.variable, to.is_value, write}, std::move(dimensions), source, edge.place,
                    out);
      return;
    }
    footprint read{*from.buffer, box_of(env, from, source_subset), true, false, false};
    auto const& from_buffer = plan_.buffers[index(*from.buffer)];
    auto const& to_buffer = plan_.buffers[index(*to.buffer)];
    bool const on_host =
        from_buffer.space != memory_space::device && to_buffer.space != memory_space::device;
    if (!m.conflict_resolution.empty() && !on_host)
      throw error(errc::unsupported, "copy with conflict resolution to or from the device",
                  edge.place);
    auto const resolution = m.conflict_resolution.empty()
                                ? plan::resolution{}
                                : parse_resolution(m.conflict_resolution, false, edge.place);
    copy_end const first{from.variable, from.is_value, read}, last{to.variable, to.is_value, write};
    bool const may_overlap =
        *from.buffer == *to.buffer && !are_disjoint(env, from, source_subset, to, target_subset);
    if (!may_overlap) {
      add_copy(first, last, dimensions, resolution, "copy " + source + " to " + target, edge.place,
               out);
      return;
    }
    // Neither a copy of the vendor's nor a loop gives the right result where source and target
    // overlap.
    auto in = dimensions, back = dimensions;
    copy_end const staged = staging(*from.buffer, in, back, edge.place);
    copy_end stage_in = staged, stage_out = staged;
    stage_in.print.writes = stage_out.print.reads = true;
    add_copy(first, stage_in, in, {}, "copy " + source + " aside", edge.place, out);
    add_copy(stage_out, last, back, resolution, "copy " + target + " back", edge.place, out);
  }

private:
  draft& draft_;
  program& plan_;

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

  /// A compile-time array is no buffer: host code reads it, for the device into host memory of the
  /// program's own.
  void copy_constant(location const& from, copy_end const& to,
                     std::vector<copy_dimension> dimensions, std::string const& source,
                     std::string const& place, step_list& out) {
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

  /// A transient of the program's own that holds what a copy moves: dense, in the order of `in`,
  /// whose target strides and `back`, whose source strides become its own.
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
    host_buffers const buffers(draft_);
    b.provision = buffers.provision_of(b, buffers.is_known_at_init(count));
    auto const id = static_cast<buffer_id>(plan_.buffers.size());
    plan_.buffers.push_back(b);
    footprint print{id, {expression::integer(0), {}}, false, false, false};
    for (auto const& d : in) print.box.extents.push_back({d.count, d.target_stride});
    return {b.name, false, print};
  }
};

} // namespace

void copy_edge(draft& d, environment const& env, sdfg::state const& s, std::size_t edge,
               step_list& out) {
  copy_lowering(d).edge(env, s, edge, out);
}

} // namespace assay::plan
