#include "assay/plan.hpp"

#include <algorithm>

#include "assay/error.hpp"
#include "assay/structure_type.hpp"
#include "plan/environment.hpp"
#include "plan/passes.hpp"
#include "plan/structure.hpp"
#include "plan/vendor_names.hpp"
#include "plan/walk.hpp"
#include "sdfg/control_flow.hpp"

namespace assay::plan {
namespace {

/// The caller's stream travels as a symbol, because only symbols reach init.
void add_stream_symbol(sdfg::signature& signature) {
  sdfg::argument symbol;
  symbol.name = std::string(external_stream_symbol);
  symbol.is_symbol = true;
  symbol.type.type = dtype::int64;
  symbol.type.shape = {expression::integer(1)};
  auto const by_abi_order = [](sdfg::argument const& a, sdfg::argument const& b) {
    auto const is_scalar = [](sdfg::argument const& x) {
      return x.is_symbol || x.type.kind == sdfg::descriptor_kind::scalar;
    };
    return std::pair(is_scalar(a), a.name) < std::pair(is_scalar(b), b.name);
  };
  for (auto* list : {&signature.arguments, &signature.init}) {
    std::erase_if(*list, [&](sdfg::argument const& a) { return a.name == symbol.name; });
    list->insert(std::ranges::upper_bound(*list, symbol, by_abi_order), symbol);
  }
}

/// What upstream injects to redirect streams is replaced by the stream symbol, never kept beside it.
void drop_upstream_stream_code(std::map<std::string, std::string>& code) {
  for (auto& [location, text] : code) {
    std::string kept;
    for (std::size_t begin = 0; begin < text.size();) {
      std::size_t const end = std::min(text.find('\n', begin), text.size());
      std::string const line = text.substr(begin, end - begin);
      if (line.find("__dace_gpu_set_all_streams(") == std::string::npos) kept += line + "\n";
      begin = end + 1;
    }
    if (kept.find_first_not_of(" \t\n") == std::string::npos) kept.clear();
    text = std::move(kept);
  }
  std::erase_if(code, [](auto const& entry) { return entry.second.empty(); });
}

void mark_read_only_arguments(program& p) {
  std::set<buffer_id> written;
  for_each_step(p.body, [&](step const& s) {
    if (auto const* prints = own_footprints(s))
      for (auto const& print : *prints)
        if (print.writes) written.insert(print.buffer);
    if (auto const* x = std::get_if<timer_stop>(&s.content)) written.insert(x->duration);
    if (auto const* x = std::get_if<timer_start>(&s.content)) written.insert(x->start);
    if (auto const* x = std::get_if<launch>(&s.content))
      for (auto const& argument : p.kernels[index(x->kernel)].arguments)
        if (argument.is_pointer && !argument.is_const && argument.buffer) written.insert(*argument.buffer);
  });
  for (std::size_t b = 0; b < p.buffers.size(); ++b)
    p.buffers[b].read_only = p.buffers[b].provision == provision::argument &&
                             !written.contains(static_cast<buffer_id>(b));
}

} // namespace

program lower(sdfg::graph const& original, settings const& chosen) {
  auto const structured = sdfg::with_structured_control_flow(original);
  sdfg::graph const& graph = structured ? *structured : original;
  draft d;
  d.plan.name = graph.name;
  d.plan.settings = chosen;
  d.plan.signature = sdfg::signature_of(original);
  d.plan.global_code = graph.global_code;
  d.plan.init_code = graph.init_code;
  d.plan.exit_code = graph.exit_code;
  for (auto const& argument : d.plan.signature.arguments)
    if (is_structure(argument.type.type))
      throw error(errc::unsupported, "argument '" + argument.name + "' consists of structures",
                  argument.type.place);
  drop_upstream_stream_code(d.plan.init_code);
  bool const on_callers_stream = chosen.target != target::cpu && chosen.own_streams == 0;
  if (on_callers_stream) add_stream_symbol(d.plan.signature);
  lower_structure(d, graph);
  use_names_of_target(d.plan);
  mark_read_only_arguments(d.plan);
  shorten_lives(d.plan);
  place_memory(d.plan);
  assign_streams(d.plan);
  insert_waits(d.plan);
  lay_out_workspaces(d.plan);
  return std::move(d.plan);
}

} // namespace assay::plan
