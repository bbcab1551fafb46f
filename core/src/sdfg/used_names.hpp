#pragma once
/// \file Which names a program, its code and its memlets use.
#include "assay/sdfg.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::sdfg {

/// Names that Python code reads before or without assigning them itself; not names of calls or
/// modules.
[[nodiscard]] std::set<std::string> free_names(std::vector<statement> const&);

/// Visits each identifier in C++ text with its offset in bytes; literals and comments are skipped.
void for_each_identifier(std::string_view cpp,
                         std::function<void(std::size_t at, std::string_view word)> const& visit);
/// All of them.
[[nodiscard]] std::set<std::string> identifiers(std::string_view cpp);

/// Symbols that generated code of the graph needs from outside, by DaCe's rule
/// (SDFG.used_symbols(all_symbols=False), 2.0.0a6): descriptors count by what addressing and
/// allocation need, memlets only where code touches data, nested SDFGs by the mapped symbols that
/// their bodies use. Names that neither the graph nor anything around it defines are among them.
[[nodiscard]] std::set<std::string> used_symbols(graph const&);

} // namespace assay::sdfg
