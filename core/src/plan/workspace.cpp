#include <algorithm>
#include <map>
#include <string>

#include "assay/error.hpp"
#include "plan/passes.hpp"

namespace assay::plan {
namespace {

constexpr std::int64_t aligned_bytes = 256;

expression rounded_up(expression const& size) {
  auto const unit = expression::integer(aligned_bytes);
  return expression::call("int_ceil", {size, unit}) * unit;
}

} // namespace

void lay_out_workspaces(program& p) {
  if (p.settings.layout == workspace_layout::reuse)
    throw error(errc::unsupported, "workspace layout 'reuse'");
  bool const aligned = p.settings.layout == workspace_layout::aligned;
  std::map<std::string, expression> free_from; // by storage: where the next array may begin
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    auto const& entry = p.buffers[b];
    if (entry.provision != provision::external) continue;
    auto slab = std::find_if(p.workspaces.begin(), p.workspaces.end(),
                             [&](workspace const& w) { return w.storage == entry.storage; });
    if (slab == p.workspaces.end()) {
      p.workspaces.push_back({entry.storage, aligned ? std::size_t{aligned_bytes} : 1, {}, {}});
      slab = p.workspaces.end() - 1;
    }
    auto const item = expression::integer(static_cast<std::int64_t>(size_bytes(entry.type)));
    auto const size = simplified(
        expression::call("Max", {expression::integer(0), entry.element_count}) * item);
    expression& offset = free_from[entry.storage];
    slab->entries.push_back({static_cast<buffer_id>(b), offset, size});
    // Nothing follows the last array: the slab ends with it, so that one byte less is too small.
    slab->size_bytes = simplified(offset + size);
    offset = simplified(offset + (aligned ? rounded_up(size) : size));
  }
}

} // namespace assay::plan
