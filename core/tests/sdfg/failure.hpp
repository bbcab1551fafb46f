#pragma once
/// \file What a call throws, as one text that a test can compare.
#include "assay/error.hpp"

#include <string>

namespace assay::test {

/// "invalid: message", "unsupported: message" or "environment: message", followed by " at place"
/// where the error has one; "no error" if nothing was thrown.
template <typename Call> std::string failure_of(Call call) {
  try {
    call();
  } catch (error const& e) {
    std::string const code = e.code() == errc::invalid_input ? "invalid"
                             : e.code() == errc::unsupported ? "unsupported"
                                                             : "environment";
    return code + ": " + e.what() + (e.place().empty() ? "" : " at " + e.place());
  }
  return "no error";
}

} // namespace assay::test
