#pragma once
#include <string>

#include "sdfg/json.hpp"

namespace assay::sdfg {

/// The document as DaCe writes it: two spaces for each level, members in order.
[[nodiscard]] std::string json_text(json_value const&);

} // namespace assay::sdfg
