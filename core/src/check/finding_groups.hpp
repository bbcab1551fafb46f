#pragma once
/// \file One fault that several runs have seen.
#include "assay/results.hpp"

namespace assay {

struct finding_group {
  check_finding const* first = nullptr;
  judged_run const* seen_in = nullptr; ///< the first run that has it
  std::size_t runs = 0;
};
/// The token that repeats it, or empty.
[[nodiscard]] inline std::string const& replay_of(finding_group const& group) {
  return group.first->replay.empty() ? group.seen_in->replay : group.first->replay;
}
/// In the order of the runs. Points into the argument.
[[nodiscard]] std::vector<finding_group> groups_of(judgement const&);

} // namespace assay
