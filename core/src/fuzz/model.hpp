#pragma once
/// \file What an SDFG means, run one node after the other on plain host memory. Written from the
/// meaning of SDFGs; shares nothing with the lowering or the plan interpreter but the mixing rule
/// of assay/mix.hpp.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "assay/sdfg.hpp"

namespace assay::fuzz {

using words = std::vector<std::uint64_t>;

class sequential_model {
public:
  /// `arguments`: content of every non-transient container of the root, by-value scalars included.
  /// The graph is referred to.
  sequential_model(sdfg::graph const&, symbol_values symbols,
                   std::map<std::string, words> arguments);

  /// Runs the program once on the current content.
  void call();
  [[nodiscard]] std::map<std::string, words> const& memory() const noexcept { return memory_; }

private:
  /// Where the elements of a container live.
  struct binding {
    words* memory = nullptr;
    std::int64_t offset = 0;
    std::vector<std::int64_t> strides, shape;
    std::pair<int, std::string> origin; ///< SDFG and name of the container that owns the memory
    bool host_scalar = false;
  };
  struct scope {
    sdfg::graph const* graph = nullptr;
    std::map<std::string, binding> containers;
    symbol_values symbols;
    std::map<std::string, words> transients;
  };
  /// Element offsets that a node touches, by owner.
  struct touched {
    words* memory = nullptr;
    bool host_scalar = false;
    std::vector<std::int64_t> offsets;
  };
  using touches = std::map<std::pair<int, std::string>, touched>;

  sdfg::graph const& graph_;
  symbol_values symbols_;
  std::map<std::string, words> memory_;

  static binding bound(scope const&, sdfg::descriptor const&, words&, std::pair<int, std::string>);
  static std::int64_t value(scope const&, expression const&);
  static std::vector<std::int64_t> offsets(scope const&, binding const&, sdfg::subset const&);
  static sdfg::subset whole(sdfg::descriptor const&);
  static void touch(scope const&, sdfg::memlet const&, touches&);

  enum class flow : std::uint8_t { next, leave_loop, next_iteration };
  flow run(scope&, sdfg::region const&);
  void run(scope&, sdfg::state const&);
  void run(scope&, sdfg::loop_region const&);
  void run_nested(scope&, sdfg::state const&, std::size_t node);
  static void copy(scope&, sdfg::state const&, sdfg::edge const&);
  static void compute(scope&, sdfg::state const&, std::size_t first, std::size_t last);
  static void assign(scope&, std::vector<statement> const&);
};

} // namespace assay::fuzz
