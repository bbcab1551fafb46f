#pragma once
#include <string>

#include "assay/error.hpp"

/// "<code>: <message>" of the error that `action` throws, or "no error".
template <typename Action> std::string error_text(Action&& action) {
  try {
    action();
  } catch (assay::error const& problem) {
    return std::to_string(static_cast<int>(problem.code())) + ": " + problem.what();
  }
  return "no error";
}
