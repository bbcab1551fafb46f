#include "fuzz/entries.hpp"

#include <cstdlib>

#include "assay/error.hpp"
#include "assay/expression.hpp"
#include "assay/sdfg.hpp"

namespace assay::fuzzing {
namespace {

/// A promise of the parser's that does not hold is as bad as a crash.
void require(bool holds) {
  if (!holds) std::abort();
}

void evaluate(expression const& e) {
  symbol_values values;
  for (auto const& name : free_names(e)) values[name] = 3;
  try {
    static_cast<void>(evaluate_integer(e, values));
  } catch (error const&) { // no integer
  }
}

void round_trip(expression const& e) {
  auto const text = to_text(e);
  require(to_text(parse_python_expression(text)) == text);
  static_cast<void>(simplified(e));
  static_cast<void>(to_cpp(e, [](std::string const& name) { return name; }));
  evaluate(e);
}

} // namespace

bool read_sdfg(std::string_view bytes) {
  try {
    auto const graph = sdfg::read_text(bytes);
    sdfg::verify(graph);
    static_cast<void>(sdfg::signature_of(graph));
    return true;
  } catch (error const&) {
    return false;
  }
}

bool parse_text(std::string_view bytes) {
  if (bytes.empty()) return false;
  auto const text = bytes.substr(1);
  try {
    switch (bytes[0] & 3) {
    case 0:
      round_trip(parse_symbolic(text));
      break;
    case 1:
      round_trip(parse_symbolic(text, /*old_form=*/true));
      break;
    case 2:
      round_trip(parse_python_expression(text));
      break;
    default:
      static_cast<void>(parse_python_code(text));
    }
    return true;
  } catch (error const&) {
    return false;
  }
}

} // namespace assay::fuzzing
