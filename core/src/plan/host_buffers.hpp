#pragma once
/// \file The containers of the host's code: where their memory is and who gives it.
#include <set>
#include <string>

#include "plan/environment.hpp"

namespace assay::plan {

/// How the program uses a container of one SDFG at host level.
struct container_uses {
  std::set<std::string> at_top_level; ///< accessed outside all scopes, or read by control flow
  std::set<std::string> in_scopes;
  std::set<std::string> zero_filled;
};
[[nodiscard]] container_uses uses_of(sdfg::graph const&);

/// Registers the containers of host code in the program under construction.
class host_buffers {
public:
  explicit host_buffers(draft& d) : draft_(d), plan_(d.plan) {}

  /// A container of the graph, bound in the environment.
  void add(environment&, sdfg::graph const&, std::string const& name, sdfg::descriptor const&,
           container_uses const&);
  /// A host scalar of the program's own.
  buffer_id add_value(std::string const& label, dtype, std::string const& place);
  /// Whether a resolved size needs nothing but symbols that the caller gives to init.
  [[nodiscard]] bool is_known_at_init(expression const& size) const;
  /// Who gives the memory of a transient array in the chosen mode.
  [[nodiscard]] provision provision_of(buffer const&, bool may_outlive_call) const;

private:
  draft& draft_;
  program& plan_;

  [[nodiscard]] memory_space space_of(sdfg::descriptor const&) const;
  [[nodiscard]] bool may_outlive_call(environment const&, sdfg::graph const&,
                                      std::string const& name, sdfg::descriptor const&,
                                      container_uses const&) const;
};

} // namespace assay::plan
