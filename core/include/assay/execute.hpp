#pragma once
/// \file Runs a plan on a GPU runtime without a compiler: kernels and host computations are
/// stand-ins that read and write their declared footprints and mix the values; memory, copies,
/// streams, events, waits and host control flow are real.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "assay/expression.hpp"
#include "assay/gpu_runtime.hpp"
#include "assay/plan.hpp"

namespace assay::plan {

/// A scalar or symbol of the caller; converted to the argument's own type.
using scalar_value = std::variant<std::int64_t, double>;

/// What the caller passes to one call, by name in the signature.
struct call_arguments {
  std::map<std::string, void*> arrays; ///< device or host memory, as the container's storage says
  std::map<std::string, scalar_value> scalars; ///< by-value scalars and symbols
};

/// What an execution did since it was made.
struct execution_counts {
  std::uint64_t launches = 0, copies = 0, host_steps = 0;
  std::uint64_t host_reads = 0; ///< elements that host control flow read
  std::uint64_t iterations = 0; ///< of loops
  std::uint64_t stream_waits = 0, synchronisations = 0;
};

/// One handle of a program: init, calls, exit, in the order that the generated library has.
///
/// The stand-in rule: h starts as mix_seed(place of the map, tasklet or nested SDFG) and folds
/// every element that the step reads: first the host scalars, then memory;
/// buffers ordered by (id of their SDFG, container), elements ascending, each once. Element i
/// (ascending) of what it writes of a buffer becomes mix(h, i), or grows by it where the footprint
/// accumulates. A launch with an empty grid does nothing, and a host step that only copies copies.
/// Elements of 1, 2, 4 and 8 bytes (accumulated: 8); others are unsupported.
///
/// Arguments stay the caller's. Work is left in flight as the plan leaves it: an asynchronous call
/// returns before its work is done. Not thread-safe.
class execution {
public:
  /// All three are referred to and must outlive this.
  execution(program const&, gpu_runtime&, observer&);
  execution(execution const&) = delete;
  execution& operator=(execution const&) = delete;
  /// Exits if that has not been done; failures of the runtime are swallowed then.
  ~execution();

  /// Streams, events, persistent memory. `symbols`: every name of signature.init.
  /// \throws error{invalid_input} naming the missing symbol, or where it is initialised already;
  /// error{environment}.
  void init(symbol_values const& symbols);

  /// Bytes that the workspace of this storage needs with the given symbols. 0 for a storage that
  /// needs none.
  [[nodiscard]] std::size_t workspace_size_bytes(std::string_view storage,
                                                 symbol_values const& symbols) const;
  /// The caller's memory for one storage; used by later calls, which validate it.
  void set_workspace(std::string const& storage, void* base, std::size_t size_bytes);

  /// Runs the body. Every workspace and argument is validated first; nothing has run where that
  /// fails. \throws error{invalid_input}: "workspace for S: N bytes given, M needed", "workspace
  /// for S: not set", "workspace for S: base is not aligned to A bytes", a missing argument,
  /// persistent memory that was made for other symbols, a loop past `iteration_limit`;
  /// error{unsupported}: stand-ins over elements of other sizes; error{environment}: the runtime.
  /// What the call had allocated is released in every case.
  void call(call_arguments const&);

  /// Releases what init made. \throws error{invalid_input} where it is not initialised;
  /// error{environment}.
  void exit();

  [[nodiscard]] execution_counts const& counts() const noexcept;

  /// Iterations of one entry of one loop.
  static constexpr std::uint64_t iteration_limit = 1'000'000;

private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

} // namespace assay::plan
