#pragma once
/// \file Values of host code: what conditions, loop statements and interstate assignments compute.
#include <cstdint>
#include <string>

#include "assay/dtype.hpp"
#include "assay/expression.hpp"

namespace assay::plan {

/// A number of host code. Integers are 64-bit and wrap.
struct host_value {
  bool is_real = false;
  std::int64_t integer = 0;
  double real = 0;

  [[nodiscard]] static host_value of(std::int64_t v) noexcept { return {false, v, 0}; }
  [[nodiscard]] static host_value of(double v) noexcept { return {true, 0, v}; }
  [[nodiscard]] double as_real() const noexcept {
    return is_real ? real : static_cast<double>(integer);
  }
  [[nodiscard]] std::int64_t as_integer() const noexcept;
  [[nodiscard]] bool truth() const noexcept { return is_real ? real != 0 : integer != 0; }
};

/// Reads and writes one element in memory. \throws error{unsupported} for half and complex types.
[[nodiscard]] host_value load(void const*, dtype);
void store(void*, dtype, host_value const&);

/// What names mean while an expression is evaluated.
class value_source {
public:
  virtual ~value_source() = default;
  [[nodiscard]] virtual host_value named(std::string const& name) const = 0;
  [[nodiscard]] virtual host_value element(std::string const& variable,
                                           std::int64_t offset) const = 0;
};

/// Python's meaning: floor division and modulo, short-circuit `and`, `or`, conditional.
/// \throws error{invalid_input} for a division by zero; error{unsupported} naming a function that
/// is not known here.
[[nodiscard]] host_value evaluate(expression const&, value_source const&);

} // namespace assay::plan
