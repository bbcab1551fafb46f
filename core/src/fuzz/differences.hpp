#pragma once
#include <map>
#include <string>

#include "fuzz/model.hpp"

namespace assay::fuzz {

/// The first differing element of each array, one line each; empty where all agree.
[[nodiscard]] inline std::string differences(std::map<std::string, words> const& actual,
                                             std::map<std::string, words> const& expected) {
  std::string text;
  for (auto const& [name, values] : expected)
    for (std::size_t k = 0; k < values.size(); ++k)
      if (auto const got = actual.at(name).at(k); got != values[k]) {
        text += name + "[" + std::to_string(k) + "] is " + std::to_string(got) + ", not " +
                std::to_string(values[k]) + "\n";
        break;
      }
  return text;
}

} // namespace assay::fuzz
