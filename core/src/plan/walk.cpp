#include "plan/walk.hpp"

namespace assay::plan {
namespace {

template <typename Step> auto inner_lists_of(Step& s) {
  using list = std::conditional_t<std::is_const_v<Step>, step_list const, step_list>;
  std::vector<list*> result;
  if (auto* choice = std::get_if<branch>(&s.content))
    for (auto& arm : choice->arms) result.push_back(&arm.body);
  if (auto* repeat = std::get_if<loop>(&s.content)) {
    result.push_back(&repeat->prepare);
    result.push_back(&repeat->body);
  }
  return result;
}

void collect_buffers(step const& s, std::set<buffer_id>& buffers) {
  if (auto const* prints = own_footprints(s))
    for (auto const& print : *prints) buffers.insert(print.buffer);
  std::visit(overloaded{[&](allocate const& x) { buffers.insert(x.buffer); },
                        [&](release const& x) { buffers.insert(x.buffer); },
                        [&](fill_zero const& x) { buffers.insert(x.buffer); },
                        [&](loop const& x) {
                          for (auto const* prints : {&x.init_footprints, &x.update_footprints})
                            for (auto const& print : *prints) buffers.insert(print.buffer);
                        },
                        [&](timer_start const& x) { buffers.insert(x.start); },
                        [&](timer_stop const& x) {
                          buffers.insert(x.start);
                          buffers.insert(x.duration);
                        },
                        [](auto const&) {}},
             s.content);
  for (auto const* list : inner_lists(s))
    for (auto const& inner : *list) collect_buffers(inner, buffers);
}

void collect_targets(std::vector<statement> const& statements, std::set<std::string>& names) {
  for (auto const& line : statements) {
    if (line.target->kind == expression_kind::name) names.insert(line.target->text);
    collect_targets(line.body, names);
    collect_targets(line.otherwise, names);
  }
}

/// Walks a compute block with the names declared so far.
class name_collector {
public:
  outer_names result;

  void block(compute_block const& statements) {
    for (auto const& s : statements) std::visit([this](auto const& x) { visit(x); }, s.content);
  }

private:
  std::set<std::string> declared_;

  void use(std::string const& name) {
    if (!declared_.contains(name)) result.used.insert(name);
  }
  void use(expression const& value) {
    for (auto const& name : free_names(value)) use(name);
  }
  void use(std::optional<expression> const& value) {
    if (value) use(*value);
  }
  void use(sdfg::range const& r) {
    use(r.begin);
    use(r.end);
    use(r.step);
  }
  void use(location const& place, bool write) {
    use(place.variable);
    if (!place.is_value) use(place.offset);
    if (write && !declared_.contains(place.variable)) result.written.insert(place.variable);
  }
  void use(std::vector<statement> const& code, std::set<std::string> const& local) {
    std::set<std::string> names;
    collect_free_names(code, names);
    for (auto const& name : names)
      if (!local.contains(name)) use(name);
  }

  void visit(declare_local const& x) {
    use(x.element_count);
    declared_.insert(x.name);
  }
  void visit(let_symbol const& x) {
    use(x.value);
    declared_.insert(x.name);
  }
  template <typename Let> void alias(Let const& x) {
    use(x.base, !x.is_const);
    declared_.insert(x.name);
  }
  void visit(let_pointer const& x) { alias(x); }
  void visit(let_reference const& x) { alias(x); }
  void visit(tasklet const& x) {
    std::set<std::string> local;
    for (auto const& in : x.inputs) {
      use(in.location, false);
      for (auto const& stride : in.strides) use(stride);
      local.insert(in.name);
    }
    for (auto const& out : x.outputs) {
      use(out.location, true);
      for (auto const& stride : out.strides) use(stride);
      local.insert(out.name);
      if (out.resolution.kind == reduction::custom) {
        auto names = free_names(out.resolution.combine);
        names.erase(out.resolution.left);
        names.erase(out.resolution.right);
        for (auto const& name : names) use(name);
      }
    }
    collect_targets(x.python, local);
    use(x.python, local);
  }
  void visit(compute_copy const& x) {
    use(x.source, false);
    use(x.target, true);
    for (auto const& d : x.dimensions) {
      use(d.count);
      use(d.source_stride);
      use(d.target_stride);
    }
  }
  void visit(for_range const& x) {
    use(x.range);
    declared_.insert(x.parameter);
    block(x.body);
  }
  void visit(thread_range const& x) {
    use(x.range);
    declared_.insert(x.parameter);
    block(x.body);
  }
  void visit(one_thread const& x) { block(x.body); }
  void visit(barrier const&) {}
  void visit(compute_loop const& x) {
    use(x.init, {});
    use(x.condition);
    block(x.body);
    use(x.update, {});
  }
  void visit(compute_branch const& x) {
    for (auto const& [condition, body] : x.branches) {
      use(condition);
      block(body);
    }
  }
  void visit(declare_symbol const& x) { declared_.insert(x.name); }
  void visit(assign_symbols const& x) {
    for (auto const& [name, value] : x.assignments) {
      use(value);
      use(name);
    }
  }
  void visit(compute_scope const& x) { block(x.body); }
  void visit(compute_jump const&) {}
};

} // namespace

std::vector<step_list*> inner_lists(step& s) { return inner_lists_of(s); }
std::vector<step_list const*> inner_lists(step const& s) { return inner_lists_of(s); }

std::vector<footprint> const* own_footprints(step const& s) {
  return std::visit(
      [](auto const& x) -> std::vector<footprint> const* {
        if constexpr (requires { x.footprints; })
          return &x.footprints;
        else
          return nullptr;
      },
      s.content);
}

std::set<buffer_id> touched_buffers(step const& s) {
  std::set<buffer_id> result;
  collect_buffers(s, result);
  return result;
}

std::set<std::string> assigned_symbols(step const& s) {
  std::set<std::string> result;
  auto const of = [&result](step const& one) {
    if (auto const* x = std::get_if<assign>(&one.content))
      for (auto const& [name, value] : x->assignments) result.insert(name);
    if (auto const* x = std::get_if<loop>(&one.content)) {
      collect_targets(x->init, result);
      collect_targets(x->update, result);
    }
  };
  of(s);
  for (auto const* list : inner_lists(s)) for_each_step(*list, of);
  return result;
}

void for_each_step(step_list const& list, std::function<void(step const&)> const& f) {
  for (auto const& s : list) {
    f(s);
    for (auto const* inner : inner_lists(s)) for_each_step(*inner, f);
  }
}

void for_each_step(step_list& list, std::function<void(step&)> const& f) {
  for (auto& s : list) {
    f(s);
    for (auto* inner : inner_lists(s)) for_each_step(*inner, f);
  }
}

outer_names outer_names_of(compute_block const& block) {
  name_collector collector;
  collector.block(block);
  return collector.result;
}

void collect_free_names(std::vector<statement> const& statements, std::set<std::string>& names) {
  for (auto const& line : statements) {
    assay::collect_free_names(line.target, names);
    assay::collect_free_names(line.value, names);
    for (auto const& bound : line.range) assay::collect_free_names(bound, names);
    collect_free_names(line.body, names);
    collect_free_names(line.otherwise, names);
  }
}

} // namespace assay::plan
