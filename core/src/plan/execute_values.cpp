#include "plan/execute_values.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "assay/error.hpp"
#include "sdfg/functions.hpp"

namespace assay::plan {
namespace {

std::int64_t wrapped(std::uint64_t bits) noexcept { return static_cast<std::int64_t>(bits); }
std::uint64_t bits_of(std::int64_t v) noexcept { return static_cast<std::uint64_t>(v); }

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) throw error(errc::invalid_input, "division by zero in host control flow");
  if (b == -1) return wrapped(0 - bits_of(a)); // the one quotient that overflows
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  return wrapped(bits_of(a) - bits_of(floor_quotient(a, b)) * bits_of(b));
}

std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  std::uint64_t result = 1, factor = bits_of(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if ((exponent & 1) != 0) result *= factor;
  return wrapped(result);
}

unsigned shift_of(host_value const& v) noexcept {
  return static_cast<unsigned>(bits_of(v.as_integer()) & 63u);
}

host_value compared(std::string const& op, auto const& a, auto const& b) {
  bool const result = op == "=="   ? a == b
                      : op == "!=" ? a != b
                      : op == "<"  ? a < b
                      : op == "<=" ? a <= b
                      : op == ">"  ? a > b
                                   : a >= b;
  return host_value::of(std::int64_t{result});
}

host_value arithmetic(std::string const& op, host_value const& a, host_value const& b) {
  if (op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=") {
    if (a.is_real || b.is_real) return compared(op, a.as_real(), b.as_real());
    return compared(op, a.integer, b.integer);
  }
  if (op == "/") {
    if (b.as_real() == 0) throw error(errc::invalid_input, "division by zero in host control flow");
    return host_value::of(a.as_real() / b.as_real());
  }
  if (a.is_real || b.is_real) {
    double const x = a.as_real(), y = b.as_real();
    if (op == "+") return host_value::of(x + y);
    if (op == "-") return host_value::of(x - y);
    if (op == "*") return host_value::of(x * y);
    if (op == "**") return host_value::of(std::pow(x, y));
    if (op == "//") return host_value::of(std::floor(x / y));
    if (op == "%") return host_value::of(x - std::floor(x / y) * y);
  } else {
    std::uint64_t const x = bits_of(a.integer), y = bits_of(b.integer);
    if (op == "+") return host_value::of(wrapped(x + y));
    if (op == "-") return host_value::of(wrapped(x - y));
    if (op == "*") return host_value::of(wrapped(x * y));
    if (op == "//") return host_value::of(floor_quotient(a.integer, b.integer));
    if (op == "%") return host_value::of(floor_remainder(a.integer, b.integer));
    if (op == "**")
      return b.integer < 0 ? host_value::of(std::pow(a.as_real(), b.as_real()))
                           : host_value::of(integer_power(a.integer, b.integer));
    if (op == "<<") return host_value::of(wrapped(x << shift_of(b)));
    if (op == ">>") return host_value::of(a.integer >> shift_of(b));
    if (op == "&") return host_value::of(wrapped(x & y));
    if (op == "|") return host_value::of(wrapped(x | y));
    if (op == "^") return host_value::of(wrapped(x ^ y));
  }
  throw error(errc::unsupported, "operator '" + op + "' in host control flow");
}

host_value ceiling_quotient(host_value const& a, host_value const& b) {
  if (a.is_real || b.is_real) return host_value::of(std::ceil(a.as_real() / b.as_real()));
  return host_value::of(
      wrapped(0 - bits_of(floor_quotient(wrapped(0 - bits_of(a.integer)), b.integer))));
}

host_value called(expression const& e, value_source const& source) {
  std::vector<host_value> arguments;
  for (auto const& argument : e->arguments) arguments.push_back(evaluate(argument, source));
  if (auto const function = whole_function_of(e->text, arguments.size())) {
    auto const& x = arguments.front();
    switch (*function) {
    case whole_function::minimum:
    case whole_function::maximum: {
      host_value best = x;
      auto const* const op = function == whole_function::minimum ? "<" : ">";
      for (auto const& candidate : arguments)
        if (arithmetic(op, candidate, best).truth()) best = candidate;
      return best;
    }
    case whole_function::floor_quotient:
      return arithmetic("//", x, arguments[1]);
    case whole_function::ceiling_quotient:
      return ceiling_quotient(x, arguments[1]);
    case whole_function::modulo:
      return arithmetic("%", x, arguments[1]);
    case whole_function::magnitude:
      if (x.is_real) return host_value::of(std::fabs(x.real));
      return host_value::of(x.integer < 0 ? wrapped(0 - bits_of(x.integer)) : x.integer);
    case whole_function::floor:
      return x.is_real ? host_value::of(std::floor(x.real)) : x;
    case whole_function::ceiling:
      return x.is_real ? host_value::of(std::ceil(x.real)) : x;
    }
  }
  if (arguments.size() == 1)
    if (auto const type = dotted_cast_type(e->text)) {
      alignas(8) unsigned char element[16] = {};
      store(element, *type, arguments.front());
      return load(element, *type);
    }
  throw error(errc::unsupported, "function '" + e->text + "' in host control flow");
}

template <typename T> host_value load_as(void const* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  if constexpr (std::is_floating_point_v<T>)
    return host_value::of(static_cast<double>(v));
  else
    return host_value::of(static_cast<std::int64_t>(v));
}

template <typename T> void store_as(void* p, host_value const& value) {
  T const v = std::is_floating_point_v<T> ? static_cast<T>(value.as_real())
                                          : static_cast<T>(value.as_integer());
  std::memcpy(p, &v, sizeof v);
}

} // namespace

std::int64_t host_value::as_integer() const noexcept {
  if (!is_real) return integer;
  // Conversion of what does not fit is undefined in C++; the bound makes it one value everywhere.
  if (!(real >= -9.2e18 && real <= 9.2e18)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(real);
}

host_value load(void const* p, dtype type) {
  switch (type) {
  case dtype::boolean:
    return load_as<unsigned char>(p);
  case dtype::int8:
    return load_as<std::int8_t>(p);
  case dtype::int16:
    return load_as<std::int16_t>(p);
  case dtype::int32:
    return load_as<std::int32_t>(p);
  case dtype::int64:
    return load_as<std::int64_t>(p);
  case dtype::uint8:
    return load_as<std::uint8_t>(p);
  case dtype::uint16:
    return load_as<std::uint16_t>(p);
  case dtype::uint32:
    return load_as<std::uint32_t>(p);
  case dtype::uint64:
    return load_as<std::uint64_t>(p);
  case dtype::float32:
    return load_as<float>(p);
  case dtype::float64:
    return load_as<double>(p);
  default:
    throw error(errc::unsupported, "type " + std::string(name(type)) + " in host control flow");
  }
}

void store(void* p, dtype type, host_value const& value) {
  switch (type) {
  case dtype::boolean:
    return store_as<unsigned char>(p, host_value::of(std::int64_t{value.truth()}));
  case dtype::int8:
    return store_as<std::int8_t>(p, value);
  case dtype::int16:
    return store_as<std::int16_t>(p, value);
  case dtype::int32:
    return store_as<std::int32_t>(p, value);
  case dtype::int64:
    return store_as<std::int64_t>(p, value);
  case dtype::uint8:
    return store_as<std::uint8_t>(p, value);
  case dtype::uint16:
    return store_as<std::uint16_t>(p, value);
  case dtype::uint32:
    return store_as<std::uint32_t>(p, value);
  case dtype::uint64:
    return store_as<std::uint64_t>(p, value);
  case dtype::float32:
    return store_as<float>(p, value);
  case dtype::float64:
    return store_as<double>(p, value);
  default:
    throw error(errc::unsupported, "type " + std::string(name(type)) + " in host control flow");
  }
}

host_value evaluate(expression const& e, value_source const& source) {
  switch (e->kind) {
  case expression_kind::integer:
  case expression_kind::boolean:
    return host_value::of(e->integer_value);
  case expression_kind::real:
    return host_value::of(e->real_value);
  case expression_kind::name:
    return source.named(e->text);
  case expression_kind::subscript:
    if (e->arguments.size() == 2 && e->arguments[0]->kind == expression_kind::name)
      return source.element(e->arguments[0]->text, evaluate(e->arguments[1], source).as_integer());
    break;
  case expression_kind::call:
    return called(e, source);
  case expression_kind::unary: {
    host_value const x = evaluate(e->arguments[0], source);
    if (e->text == "not") return host_value::of(std::int64_t{!x.truth()});
    if (e->text == "+") return x;
    if (e->text == "-")
      return x.is_real ? host_value::of(-x.real) : host_value::of(wrapped(0 - bits_of(x.integer)));
    if (e->text == "~" && !x.is_real) return host_value::of(~x.integer);
    break;
  }
  case expression_kind::binary: {
    if (e->text == "and" || e->text == "or") {
      bool const left = evaluate(e->arguments[0], source).truth();
      if (left == (e->text == "or")) return host_value::of(std::int64_t{left});
      return host_value::of(std::int64_t{evaluate(e->arguments[1], source).truth()});
    }
    host_value const left = evaluate(e->arguments[0], source);
    return arithmetic(e->text, left, evaluate(e->arguments[1], source));
  }
  case expression_kind::conditional:
    return evaluate(e->arguments[evaluate(e->arguments[0], source).truth() ? 1 : 2], source);
  default:
    break;
  }
  throw error(errc::unsupported, "expression '" + to_text(e) + "' in host control flow");
}

} // namespace assay::plan
