#pragma once
#include <set>
#include <string>
#include <string_view>

namespace assay::plan {

/// Gives out C++ identifiers that are unique among all names that it has given out or reserved.
class name_pool {
public:
  name_pool() = default;
  /// Names of an inner scope: unique there and in `outer`, which does not learn them. `outer` lives
  /// longer and gives out nothing meanwhile.
  explicit name_pool(name_pool const* outer) : outer_(outer) {}

  /// Takes a name as it is; true if it was free.
  bool reserve(std::string const& name) {
    return (outer_ == nullptr || !outer_->used_.contains(name)) && used_.insert(name).second;
  }
  /// `base` made an identifier, with the first free suffix _1, _2, ... where it is taken.
  [[nodiscard]] std::string fresh(std::string_view base);

private:
  name_pool const* outer_ = nullptr; ///< has no outer one itself
  std::set<std::string> used_;
};

/// Letters, digits and underscores only, not starting with a digit, never empty.
[[nodiscard]] std::string identifier_from(std::string_view text);

} // namespace assay::plan
