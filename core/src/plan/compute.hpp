#pragma once
/// \file Lowers what one thread, or the host, computes: scopes, tasklets, nested SDFGs.
#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "plan/environment.hpp"

namespace assay::plan {

/// Lowers the inside of a map scope and everything nested in it.
class compute_lowering {
public:
  /// `names`: identifiers of this kernel or host step. `parallel`: iterations of the outer map run concurrently.
  compute_lowering(name_pool& names, bool parallel) : names_(names), parallel_(parallel) {}

  /// Statements for the nodes in the scope of `entry`; the map's parameters are in `env.symbols` already.
  [[nodiscard]] compute_block scope(environment env, sdfg::state const&, std::size_t entry,
                                    std::string const& place);
  /// The same for a kernel whose iterations are blocks: what lies outside the maps over their threads is done once
  /// for the block, and barriers stand between what one thread writes and another reads.
  [[nodiscard]] compute_block block_scope(environment env, sdfg::state const&, std::size_t entry,
                                          std::string const& place);
  /// The most threads along x, y and z that the maps over the threads of a block can use.
  [[nodiscard]] std::array<std::int64_t, 3> const& threads() const noexcept { return threads_; }
  /// One top-level tasklet or nested SDFG of a state.
  [[nodiscard]] compute_block node(environment const& env, sdfg::state const&, std::size_t node);
  /// A sequential map of a state's top level, as loops.
  [[nodiscard]] compute_block loops(environment env, sdfg::state const&, std::size_t entry,
                                    std::string const& place);

private:
  name_pool& names_;
  bool parallel_;
  bool for_block_ = false; ///< the code at hand is done once for a block, by its threads together
  std::array<std::int64_t, 3> threads_{1, 1, 1};
  std::set<std::string> reference_starts_; ///< symbols that this code may assign

  void read_dynamic_inputs(environment&, sdfg::state const&, std::size_t entry, compute_block&);
  void declare_locals(environment&, sdfg::state const&, std::optional<std::size_t> entry, compute_block&);
  /// \param late symbols whose values are assigned after the declaration
  void declare(environment&, std::string const& container, std::set<std::string> const& late,
               compute_block&);
  void declare_reference(environment&, std::string const& container, compute_block&);
  void set_reference(environment const&, sdfg::state const&, std::size_t edge, compute_block&) const;
  [[nodiscard]] compute_block thread_loops(environment env, sdfg::state const&, std::size_t entry,
                                           std::string const& place);
  void lower_nodes(environment&, sdfg::state const&, std::optional<std::size_t> entry,
                   std::string const& place, compute_block&);
  void lower_access(environment const&, sdfg::state const&, std::size_t node, compute_block&);
  void lower_copy(environment const&, sdfg::state const&, std::size_t edge, compute_block&);
  void lower_tasklet(environment const&, sdfg::state const&, std::size_t node, compute_block&);
  void lower_nested(environment const&, sdfg::state const&, std::size_t node, compute_block&);
  void lower_region(environment&, sdfg::region const&, std::string const& place, compute_block&);
  [[nodiscard]] location location_of(environment const&, std::string const& container,
                                     sdfg::subset const&, std::string const& place) const;
};

/// A Python or interstate expression with containers read through their variables.
/// \throws error{unsupported} at `place` for an index list that does not match the container.
[[nodiscard]] expression read_expression(environment const&, expression const&, std::string const& place);
/// The same for statements; names in `local` stay as they are.
[[nodiscard]] std::vector<statement> read_statements(environment const&, std::vector<statement>,
                                                     std::set<std::string> const& local,
                                                     std::string const& place);

} // namespace assay::plan
