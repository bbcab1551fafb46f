#pragma once
/// \file Pieces that the host and the device file share: the state, parameter lists, names of the
/// vendor.
#include <string>

#include "emit/code.hpp"
#include "emit/dialect.hpp"

namespace assay::emission {

/// A program with what its text needs at hand.
struct program_text {
  explicit program_text(plan::program const&);

  plan::program const& plan;
  dialect const* vendor;       ///< null: cpu
  std::string state_type;      ///< "axpy_state_t"
  std::string init_parameters; ///< "long long N, int M", may be empty
  std::string init_arguments;  ///< "N, M"
  std::string call_parameters; ///< of __program_<name>, without the state
  std::string call_arguments;

  /// cudaMalloc for "Malloc"; asserts a GPU target.
  [[nodiscard]] std::string api(std::string_view suffix) const;
  /// "long long N" with the comma that follows the state: ", long long N" or "".
  [[nodiscard]] static std::string after_state(std::string const& list) {
    return list.empty() ? "" : ", " + list;
  }
  /// Field of a persistent, external or state buffer.
  [[nodiscard]] static std::string field(plan::buffer const&);
  [[nodiscard]] bool needs_field(plan::buffer const&) const;
  /// Flag in the state that says whether a workspace was set.
  [[nodiscard]] static std::string workspace_flag(plan::workspace const&);

  /// Definition of the state, the same in both files.
  void print_state(writer&) const;
  /// Compile-time constants. \param device whether kernels read them.
  void print_constants(writer&, bool device) const;
  /// Includes of what the rest of the file names: number types that C++ lacks, functions of DaCe's, and the
  /// standard headers that DaCe's own bring along.
  static void print_includes_for(writer&, std::string_view rest);
  /// Names that init and workspace functions see.
  void declare_init_symbols(scope&) const;
  /// Constants in a scope.
  void declare_constants(scope&) const;
  /// What a file carries for a place ("frame", "cuda").
  [[nodiscard]] static std::string code_of(std::map<std::string, std::string> const&,
                                           std::string_view place);
  /// Prototype of the function that launches a kernel.
  [[nodiscard]] std::string launch_prototype(plan::kernel const&) const;
};

/// `src/cpu/<name>.cpp`.
[[nodiscard]] std::string host_file(program_text const&);
/// The device file of a GPU target.
[[nodiscard]] std::string device_file(program_text const&);
/// `include/<name>.h`.
[[nodiscard]] std::string header_file(program_text const&);

} // namespace assay::emission
