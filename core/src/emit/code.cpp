#include "emit/code.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "assay/structure_type.hpp"
#include "plan/atomics.hpp"
#include "sdfg/functions.hpp"
#include "sdfg/value_type.hpp"

namespace assay::emission {
namespace {

std::string_view operator_type(plan::reduction kind) {
  switch (kind) {
  case plan::reduction::sum:
    return "assay::gen::sum";
  case plan::reduction::product:
    return "assay::gen::product";
  case plan::reduction::min:
    return "assay::gen::minimum";
  case plan::reduction::max:
    return "assay::gen::maximum";
  case plan::reduction::logical_and:
    return "assay::gen::logical_and";
  case plan::reduction::logical_or:
    return "assay::gen::logical_or";
  case plan::reduction::bitwise_and:
    return "assay::gen::bitwise_and";
  case plan::reduction::bitwise_or:
    return "assay::gen::bitwise_or";
  case plan::reduction::bitwise_xor:
    return "assay::gen::bitwise_xor";
  case plan::reduction::none:
  case plan::reduction::custom:
    break;
  }
  return {};
}

std::string integer_text(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
  bool const narrow =
      value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
  auto text = fmt::format("{}{}", value, narrow ? "" : "LL");
  return value < 0 ? "(" + text + ")" : text;
}
std::string real_text(double value) {
  if (value != value) return "assay::gen::nan<double>()";
  if (value - value != 0)
    return value < 0 ? "(-assay::gen::infinity<double>())" : "assay::gen::infinity<double>()";
  auto text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string cast(dtype type, std::string const& text) {
  return fmt::format("static_cast<{}>({})", cpp_type(type), text);
}

void collect_targets(std::vector<statement> const& list, std::set<std::string>& into) {
  for (auto const& one : list) {
    bool const names_target =
        one.what == statement::kind::assign || one.what == statement::kind::for_range;
    if (names_target && one.target->kind == expression_kind::name) into.insert(one.target->text);
    collect_targets(one.body, into);
    collect_targets(one.otherwise, into);
  }
}

/// Without parentheses around the whole, where nothing binds to it.
std::string stripped(std::string text) {
  if (text.empty() || text.front() != '(' || text.back() != ')') return text;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0) return text;
  }
  return text.substr(1, text.size() - 2);
}

std::string kind_of(dtype type) {
  return is_structure(type) ? fmt::format("the structure '{}'", assay::name(type)) : "a number";
}

bool has_real_part(expression const& e) {
  if (e->kind == expression_kind::real) return true;
  return std::any_of(e->arguments.begin(), e->arguments.end(), has_real_part);
}

} // namespace

// ---- names
// -----------------------------------------------------------------------------------------------

void scope::declare(std::string const& name, variable what) {
  auto const found = names_.find(name);
  undo_.emplace_back(name, found == names_.end() ? std::nullopt : std::optional(found->second));
  names_.insert_or_assign(name, std::move(what));
}

variable const* scope::find(std::string const& name) const noexcept {
  auto const found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

std::set<dtype> scope::structures_named(std::string_view label) const {
  std::set<dtype> result;
  for (auto const& [name, what] : names_)
    if (is_structure(what.type) && assay::name(what.type) == label) result.insert(what.type);
  return result;
}

scope::block::~block() {
  while (names_.undo_.size() > mark_) {
    auto& [name, before] = names_.undo_.back();
    if (before)
      names_.names_.insert_or_assign(name, std::move(*before));
    else
      names_.names_.erase(name);
    names_.undo_.pop_back();
  }
}

std::string comment_text(std::string_view label) {
  std::string out;
  for (char const c : label.substr(0, 80)) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("_ .,:=+-()[]<>").find(c) != std::string_view::npos;
    out += plain ? c : '_';
  }
  return out;
}

std::string cpp_type(dtype type) { return std::string(cpp_name(type)); }

// ---- expressions
// -----------------------------------------------------------------------------------------

void code_printer::refuse(std::string const& what) const {
  throw error(errc::unsupported, fmt::format("{} {}", where_, what));
}

template <class Deed> void code_printer::expect_number(dtype type, Deed const& deed) const {
  if (is_structure(type)) refuse(deed() + " a structure");
}

typed_text code_printer::name(std::string const& name) const {
  auto const* found = names_.find(name);
  if (found == nullptr)
    throw error(errc::invalid_input,
                fmt::format("{} reads the name '{}' that nothing defines", where_, name));
  if (!found->is_pointer) return widened({name, found->type});
  if (std::find(found->unit.begin(), found->unit.end(), false) != found->unit.end())
    refuse(fmt::format("uses the array '{}' without an index", name));
  return widened({name + "[0]", found->type});
}

typed_text code_printer::widened(typed_text read) const {
  if (!wide_names_ || !is_integral(read.type) || read.type == dtype::int64) return read;
  return {cast(dtype::int64, read.text), dtype::int64};
}

std::string code_printer::element_offset(variable const& what, std::string const& name,
                                         expression_list const& indices) const {
  auto const index_text = [&](expression const& index) {
    // Sums of indices and strides are 64-bit whatever the types of the names.
    code_printer wide_printer(names_, where_, in_kernel_);
    wide_printer.wide_names_ = true;
    auto const printed = wide_printer.value(index);
    if (!is_integral(printed.type))
      refuse(fmt::format("indexes '{}' with a value that is no integer", name));
    bool const fits = printed.type == dtype::int64 || index->kind == expression_kind::integer;
    return fits ? printed.text : cast(dtype::int64, printed.text);
  };
  if (what.strides.empty()) {
    if (indices.size() != 1)
      refuse(fmt::format("indexes '{}' with {} dimensions, and it has one", name, indices.size()));
    return index_text(indices[0]);
  }
  std::vector<std::size_t> dimensions;
  for (std::size_t i = 0; i < what.strides.size(); ++i)
    if (indices.size() == what.strides.size() || !what.unit.at(i)) dimensions.push_back(i);
  if (dimensions.size() != indices.size())
    refuse(fmt::format("indexes '{}' with {} dimensions, and it has {}", name, indices.size(),
                       dimensions.size()));
  std::string out;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i].is_integer(0)) continue;
    auto const& stride = what.strides[dimensions[i]];
    if (!out.empty()) out += " + ";
    out += index_text(indices[i]);
    if (!stride.is_integer(1)) out += " * " + symbolic(stride);
  }
  return out.empty() ? "0" : out;
}

typed_text code_printer::subscript(expression const& e) const {
  auto const& base = e->arguments.at(0);
  if (base->kind != expression_kind::name) refuse("indexes an expression: " + to_text(e));
  expression_list const indices(e->arguments.begin() + 1, e->arguments.end());
  auto const* found = names_.find(base->text);
  if (found == nullptr)
    throw error(errc::invalid_input,
                fmt::format("{} reads the name '{}' that nothing defines", where_, base->text));
  if (!found->is_pointer) {
    // DaCe writes s[0] for scalars too.
    if (std::all_of(indices.begin(), indices.end(), [](auto const& i) { return i.is_integer(0); }))
      return {base->text, found->type};
    refuse(fmt::format("indexes the scalar '{}'", base->text));
  }
  return {fmt::format("{}[{}]", base->text, stripped(element_offset(*found, base->text, indices))),
          found->type};
}

typed_text code_printer::binary(expression const& e) const {
  auto const& op = e->text;
  auto const& left = e->arguments.at(0);
  auto const& right = e->arguments.at(1);
  auto a = value(left);
  auto const b = value(right);
  // Python's integers do not wrap at 32 bits; names keep their types, as numpy's do.
  if (left->kind == expression_kind::integer && right->kind == expression_kind::integer &&
      a.type == dtype::int32)
    a = {fmt::format("{}LL", left->integer_value), dtype::int64};
  expect_number(a.type, [&] { return fmt::format("uses '{}' on", op); });
  expect_number(b.type, [&] { return fmt::format("uses '{}' on", op); });
  auto const type = type_of_binary(e, a.type, b.type);
  auto const infix = [&](std::string_view cpp) {
    return typed_text{fmt::format("({} {} {})", a.text, cpp, b.text), type};
  };
  auto const function = [&](std::string_view name) {
    return typed_text{fmt::format("assay::gen::{}({}, {})", name, a.text, b.text), type};
  };
  if (op == "and" || op == "or") {
    if (a.type == dtype::boolean && b.type == dtype::boolean)
      return infix(op == "and" ? "&&" : "||");
    // Python gives one of the operands; both are free of side effects, so the left one may be read
    // twice.
    auto const& when_true = op == "and" ? b : a;
    auto const& when_false = op == "and" ? a : b;
    return {fmt::format("({} ? {} : {})", a.text, when_true.text, when_false.text), type};
  }
  if (op == "/") return is_integral(promoted(a.type, b.type)) ? function("true_div") : infix("/");
  if (op == "//") return function("int_floor");
  if (op == "%") return function("mod");
  if (op == "**") {
    if (right->kind == expression_kind::integer && right->integer_value >= 0) {
      if (left->kind == expression_kind::name && right->integer_value == 2)
        return {fmt::format("({0} * {0})", a.text), type};
      return {fmt::format("assay::gen::ipow({}, {})", a.text, right->integer_value), type};
    }
    if (is_complex(type)) return function("complex_pow");
    if (is_integral(a.type) && !is_integral(type)) a.text = cast(type, a.text);
    return function("pow");
  }
  if (op == "<<" || op == ">>") {
    if (left->kind == expression_kind::integer) a.text = fmt::format("{}LL", left->integer_value);
    return infix(op);
  }
  if ((op == "&" || op == "|" || op == "^") && (!is_integral(a.type) || !is_integral(b.type)))
    refuse(fmt::format("uses '{}' on values that are no integers", op));
  return infix(op);
}

/// `field=`(value) of a constructor, or a value by its position.
typed_text code_printer::structure(dtype type, expression const& constructor) const {
  auto const fields = fields_of(type);
  std::vector<std::string> values(fields.size());
  std::size_t position = 0;
  for (auto const& argument : constructor->arguments) {
    bool const is_named = argument->kind == expression_kind::call && argument->text.ends_with('=');
    auto const field =
        is_named
            ? std::ranges::find(fields, argument->text.substr(0, argument->text.size() - 1),
                                &structure_field::name)
            : fields.begin() + static_cast<std::ptrdiff_t>(std::min(position++, fields.size()));
    if (field == fields.end())
      refuse(fmt::format("gives '{}' a field that it lacks: {}", assay::name(type),
                         to_text(argument)));
    values[static_cast<std::size_t>(field - fields.begin())] =
        cast(field->type, value(is_named ? argument->arguments.at(0) : argument).text);
  }
  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i)
    list +=
        (i == 0 ? "" : ", ") + (values[i].empty() ? cpp_type(fields[i].type) + "{}" : values[i]);
  return {fmt::format("{}{{{}}}", cpp_type(type), list), type};
}

typed_text code_printer::field(expression const& e) const {
  auto const whole = value(e->arguments.at(0));
  auto const fields = fields_of(whole.type);
  auto const found = std::ranges::find(fields, e->text, &structure_field::name);
  if (found == fields.end()) refuse("reads an attribute: " + to_text(e));
  return {fmt::format("{}.{}", whole.text, e->text), found->type};
}

typed_text code_printer::call(expression const& e) const {
  if (auto const types = names_.structures_named(e->text); !types.empty()) {
    if (types.size() > 1)
      refuse(fmt::format("makes a '{}', and uses several structures of that name", e->text));
    return structure(*types.begin(), e);
  }
  auto const base = without_module(e->text);
  if (!base) refuse(fmt::format("calls '{}', which is not known", e->text));
  auto const& arguments = e->arguments;
  if (*base == "IfExpr" || *base == "if_expr") {
    if (arguments.size() != 3)
      refuse(fmt::format("calls '{}' with {} arguments", e->text, arguments.size()));
    return value(expression::conditional(arguments[0], arguments[1], arguments[2]));
  }
  if (auto const type = cast_type(*base)) {
    if (arguments.size() != 1)
      refuse(fmt::format("calls '{}' with {} arguments", e->text, arguments.size()));
    auto const constant = constant_name(arguments[0]);
    if (constant == "nan" || constant == "inf")
      return {fmt::format("assay::gen::{}<{}>()", constant == "nan" ? "nan" : "infinity",
                          cpp_type(*type)),
              *type};
    auto const printed = value(arguments[0]);
    expect_number(printed.type, [&] { return fmt::format("calls '{}' with", e->text); });
    if (is_complex(printed.type) && !is_complex(*type))
      return {cast(*type, fmt::format("assay::gen::real({})", printed.text)), *type};
    return {cast(*type, printed.text), *type};
  }
  if (*base == "decltype" && arguments.size() == 2) {
    auto const type = arguments[0]->kind == expression_kind::name ? name(arguments[0]->text).type
                                                                  : value(arguments[0]).type;
    return call(expression::call(std::string(assay::name(type)), {arguments[1]}));
  }
  // The powers that are real numbers whatever they are given.
  if (e->text == "math.pow" || *base == "np_float_pow")
    for (auto const& argument : arguments)
      if (is_complex(value(argument).type))
        refuse(fmt::format("calls '{}' with a complex number", e->text));
  if (auto const composed = composition_of(e->text, arguments)) return value(*composed);
  if (*base == "complex" && arguments.size() == 2)
    return {fmt::format("assay::gen::complex128({}, {})", value(arguments[0]).text,
                        value(arguments[1]).text),
            dtype::complex128};
  if (auto const* found = find_function(*base)) {
    auto const& row = *found;
    if (arguments.size() < row.least_arguments || arguments.size() > row.most_arguments)
      refuse(fmt::format("calls '{}' with {} arguments", e->text, arguments.size()));
    std::string list;
    std::optional<dtype> joined;
    for (auto const& argument : arguments) {
      auto const printed = value(argument);
      expect_number(printed.type, [&] { return fmt::format("calls '{}' with", e->text); });
      if (!list.empty()) list += ", ";
      list += printed.text;
      joined = promoted(joined.value_or(printed.type), printed.type);
    }
    auto const type = type_of_function(row, *joined);
    if (!is_complex(*joined)) {
      if (row.cpp == "angle") refuse(fmt::format("calls '{}' with a real number", e->text));
      if (row.cpp == "real" || row.cpp == "conj") return {"(" + list + ")", type};
      if (row.cpp == "imag") return {cast(type, "0"), type};
    } else if (!takes_complex(row.cpp)) {
      refuse(fmt::format("calls '{}' with a complex number", e->text));
    }
    return {fmt::format("assay::gen::{}({})", row.cpp, list), type};
  }
  refuse(fmt::format("calls '{}', which is not known", e->text));
}

/// What arithmetic sees of an element: half is storage only.
typed_text code_printer::computed(typed_text element) {
  if (element.type != dtype::float16) return element;
  return {cast(dtype::float32, element.text), dtype::float32};
}

typed_text code_printer::value(expression const& e) const {
  auto const typed = [&](typed_text printed) {
    if (!e->type || *e->type == printed.type) return printed;
    return typed_text{cast(*e->type, printed.text), *e->type};
  };
  if (auto const constant = constant_name(e); !constant.empty()) {
    if (constant == "nan") return {"assay::gen::nan<double>()", dtype::float64};
    if (constant == "inf") return {"assay::gen::infinity<double>()", dtype::float64};
    if (constant == "pi") return {"3.141592653589793", dtype::float64};
    if (constant == "tau") return {"6.283185307179586", dtype::float64};
    return {"2.718281828459045", dtype::float64};
  }
  switch (e->kind) {
  case expression_kind::integer:
    return typed({integer_text(e->integer_value), type_of_integer(e->integer_value)});
  case expression_kind::real:
    return typed({real_text(e->real_value), dtype::float64});
  case expression_kind::boolean:
    return {e->integer_value != 0 ? "true" : "false", dtype::boolean};
  case expression_kind::name:
    return computed(name(e->text));
  case expression_kind::attribute:
    if (e->text == "real" || e->text == "imag")
      return call(expression::call(e->text, e->arguments));
    return computed(field(e));
  case expression_kind::subscript:
    return widened(computed(subscript(e)));
  case expression_kind::call:
    return call(e);
  case expression_kind::unary: {
    auto const operand = value(e->arguments.at(0));
    expect_number(operand.type, [&] { return fmt::format("uses '{}' on", e->text); });
    auto const type = type_of_unary(e->text, operand.type);
    if (type == dtype::boolean) return {"(!" + operand.text + ")", type};
    if (e->text == "~" && !is_integral(operand.type))
      refuse("uses '~' on a value that is no integer");
    return {fmt::format("({}{})", e->text, operand.text), type};
  }
  case expression_kind::binary:
    return binary(e);
  case expression_kind::conditional: {
    auto const test = value(e->arguments.at(0));
    expect_number(test.type, [] { return std::string("decides by"); });
    auto yes = value(e->arguments.at(1)), no = value(e->arguments.at(2));
    // nan and inf have no precision of their own: they take the other branch's.
    auto const adapt = [](expression const& constant, typed_text& text, typed_text const& other) {
      if (takes_any_precision(constant) && other.type == dtype::float32)
        text = {fmt::format("assay::gen::{}<float>()",
                            constant_name(constant) == "nan" ? "nan" : "infinity"),
                dtype::float32};
    };
    adapt(e->arguments[1], yes, no);
    adapt(e->arguments[2], no, yes);
    if (yes.type != no.type && (is_structure(yes.type) || is_structure(no.type)))
      refuse("chooses between a structure and something else");
    auto const joined = yes.type == no.type ? yes.type : promoted(yes.type, no.type);
    if (is_complex(joined))
      for (auto* side : {&yes, &no})
        if (side->type != joined) side->text = cast(joined, side->text);
    return {fmt::format("({} ? {} : {})", test.text, yes.text, no.text), joined};
  }
  }
  ASSAY_ASSERT(!"every kind of expression is printed");
  return {};
}

expression code_printer::dereferenced(expression const& e) const {
  if (e->kind == expression_kind::name) {
    auto const* found = names_.find(e->text);
    if (found == nullptr || !found->is_pointer) return e;
    return expression::subscript(e, {expression::integer(0)});
  }
  if (e->arguments.empty()) return e;
  expression::node copy = *e;
  for (std::size_t i = e->kind == expression_kind::subscript ? 1 : 0; i < copy.arguments.size();
       ++i)
    copy.arguments[i] = dereferenced(copy.arguments[i]);
  return expression::make(std::move(copy));
}

std::string code_printer::bare_symbolic(expression const& e) const {
  for (auto const& used : free_names(e))
    if (names_.find(used) == nullptr)
      throw error(errc::invalid_input,
                  fmt::format("{} reads the name '{}' that nothing defines", where_, used));
  // One 64-bit operand makes the sum 64-bit, so only narrower names are cast.
  return to_cpp(dereferenced(e), [this](std::string const& used) {
    auto const* found = names_.find(used);
    bool const narrow = found != nullptr && !found->is_pointer && found->type != dtype::int64;
    return narrow ? "(long long)" + used : used;
  });
}

std::string code_printer::symbolic(expression const& e) const {
  auto text = bare_symbolic(e);
  bool const is_atom = std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return is_atom || e->kind == expression_kind::call ? text : "(" + text + ")";
}

std::string code_printer::wide(expression const& e) const {
  static_cast<void>(bare_symbolic(e)); // checks the names
  return to_cpp(
      dereferenced(e), [](std::string const& used) { return used; }, true);
}

std::string code_printer::bare_value(expression const& e) const { return stripped(value(e).text); }

typed_text code_printer::assigned(std::string const& symbol, expression const& e) const {
  auto const* found = names_.find(symbol);
  if (found == nullptr || found->type != dtype::int64 || e->arguments.empty()) return value(e);
  // A part that is made of narrow names alone would have wrapped before it meets a wide one.
  code_printer wide_printer(names_, where_, in_kernel_);
  wide_printer.wide_names_ = true;
  return wide_printer.value(e);
}

std::string code_printer::assigned_value(std::string const& symbol, expression const& e) const {
  return stripped(assigned(symbol, e).text);
}

std::string code_printer::condition(expression const& e) const {
  auto const printed = value(e);
  expect_number(printed.type, [] { return std::string("decides by"); });
  return stripped(printed.text);
}

std::string code_printer::symbol_value(expression const& e, dtype type) const {
  if (!is_integral(type) || type == dtype::boolean || has_real_part(e))
    return stripped(value(e).text);
  for (auto const& used : free_names(e)) {
    auto const* found = names_.find(used);
    if (found != nullptr && !is_integral(found->type)) return stripped(value(e).text);
  }
  return bare_symbolic(e);
}

std::string code_printer::element(plan::location const& where) const {
  if (where.is_value) return where.variable;
  return fmt::format("{}[{}]", where.variable, bare_symbolic(where.offset));
}

std::string code_printer::address(plan::location const& where) const {
  if (where.is_value) return "&" + where.variable;
  if (where.offset.is_integer(0)) return where.variable;
  return fmt::format("{} + {}", where.variable, symbolic(where.offset));
}

std::string code_printer::store(std::string const& lvalue, dtype type, std::string const& stored,
                                plan::resolution const& resolution) const {
  if (resolution.kind == plan::reduction::none)
    return fmt::format("{} = {};", lvalue, stripped(stored));
  // Host code runs in one thread: atomics belong to kernels.
  bool const is_atomic = in_kernel_ && resolution.atomic;
  if (is_atomic && !plan::has_atomic(type, resolution))
    refuse(fmt::format("combines elements of {} bytes in parallel, for which no device has atomics",
                       size_bytes(type)));
  auto const* const function = is_atomic ? "atomic_reduce" : "reduce";
  if (resolution.kind != plan::reduction::custom)
    return fmt::format("assay::gen::{}<{}>(&{}, {});", function, operator_type(resolution.kind),
                       lvalue, stored);
  scope::block const inside(names_);
  names_.declare(resolution.left, {.type = type});
  names_.declare(resolution.right, {.type = type});
  return fmt::format("assay::gen::{}(&{}, {}, [=]({} {}, {} {}) {{ return {}; }});", function,
                     lvalue, stored, cpp_type(type), resolution.left, cpp_type(type),
                     resolution.right, value(resolution.combine).text);
}

// ---- statements
// ------------------------------------------------------------------------------------------

bool code_printer::infer_local(std::string const& target, dtype type) {
  auto const* known = names_.find(target);
  bool const is_local = std::find(locals_.begin(), locals_.end(), target) != locals_.end();
  if (known != nullptr && !is_local) return false; // an output connector or a symbol
  if (known != nullptr && (known->type == type || declared_.contains(target))) return false;
  if (known != nullptr && (is_structure(known->type) || is_structure(type)))
    refuse(fmt::format("assigns a structure and something else to '{}'", target));
  auto const joined = known == nullptr ? type : promoted(known->type, type);
  if (known != nullptr && known->type == joined) return false;
  if (!is_local) locals_.push_back(target);
  names_.declare(target, {.type = joined});
  return true;
}

void code_printer::declare_annotated(std::vector<statement> const& list) {
  for (auto const& one : list) {
    declare_annotated(one.body);
    declare_annotated(one.otherwise);
    if (one.annotation.empty()) continue;
    auto const& target = one.target->text;
    auto const base = without_module(one.annotation);
    auto const type = base ? cast_type(*base) : std::nullopt;
    if (!type)
      refuse(fmt::format("declares '{}' with the type '{}', which is not known", target,
                         one.annotation));
    if (auto const known = declared_.find(target);
        known != declared_.end() && known->second != *type)
      refuse(fmt::format("declares '{}' with two types", target));
    // An output connector or a symbol has a type already.
    if (names_.find(target) != nullptr && !declared_.contains(target)) continue;
    if (declared_.emplace(target, *type).second) locals_.push_back(target);
    names_.declare(target, {.type = *type});
  }
}

bool code_printer::infer_locals(std::vector<statement> const& list) {
  bool changed = false;
  for (auto const& one : list) {
    if (one.what == statement::kind::assign && one.target->kind == expression_kind::name) {
      auto const stored = one.augmented.empty()
                              ? one.value
                              : expression::binary(one.augmented, one.target, one.value);
      changed = infer_local(one.target->text, value(stored).type) || changed;
    }
    if (one.what == statement::kind::for_range)
      changed = infer_local(one.target->text, dtype::int64) || changed;
    changed = infer_locals(one.body) || changed;
    changed = infer_locals(one.otherwise) || changed;
  }
  return changed;
}

std::string code_printer::assignment(statement const& one, bool of_symbol) const {
  auto const stored =
      one.augmented.empty() ? one.value : expression::binary(one.augmented, one.target, one.value);
  bool const is_named = one.target->kind == expression_kind::name;
  auto const printed = of_symbol && is_named ? assigned(one.target->text, stored) : value(stored);
  // numpy drops the imaginary part where the target is real.
  auto const text_for = [&](dtype type) {
    if (type != printed.type && (is_structure(type) || is_structure(printed.type)))
      refuse(fmt::format("assigns {} to '{}', which is {}", kind_of(printed.type),
                         to_text(one.target), kind_of(type)));
    return is_complex(printed.type) && !is_complex(type)
               ? fmt::format("assay::gen::real({})", printed.text)
               : printed.text;
  };
  auto const& target = one.target;
  if (is_named) {
    auto const* found = names_.find(target->text);
    ASSAY_ASSERT(found != nullptr);
    return store(name(target->text).text, found->type, text_for(found->type), found->resolution);
  }
  if (target->kind != expression_kind::subscript)
    refuse("assigns to an expression: " + to_text(target));
  auto const element = subscript(target);
  auto const* found = names_.find(target->arguments.at(0)->text);
  return store(element.text, element.type, text_for(element.type), found->resolution);
}

std::optional<std::string> code_printer::comma_list(std::vector<statement> const& list) const {
  std::string out;
  for (auto const& one : list) {
    if (one.what != statement::kind::assign || one.target->kind != expression_kind::name)
      return std::nullopt;
    auto text = assignment(one, /*of_symbol=*/true);
    text.pop_back(); // the semicolon
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

void code_printer::print(writer& out, std::vector<statement> const& list,
                         std::set<std::string>& undeclared) {
  for (auto const& one : list) {
    switch (one.what) {
    case statement::kind::assign: {
      auto text = assignment(one, assigns_symbols_);
      if (one.target->kind == expression_kind::name && undeclared.erase(one.target->text) != 0)
        text = cpp_type(names_.find(one.target->text)->type) + " " + text;
      out.line(text);
      break;
    }
    case statement::kind::expression:
      // Nothing that Python code may call here has an effect; the value is checked and dropped.
      out.line(fmt::format("static_cast<void>({});", value(one.value).text));
      break;
    case statement::kind::if_else:
      out.open(fmt::format("if ({})", condition(one.value)));
      print(out, one.body, undeclared);
      if (!one.otherwise.empty()) {
        out.reopen("} else {");
        print(out, one.otherwise, undeclared);
      }
      out.close();
      break;
    case statement::kind::while_loop:
      out.open(fmt::format("while ({})", condition(one.value)));
      print(out, one.body, undeclared);
      out.close();
      break;
    case statement::kind::for_range: {
      ASSAY_ASSERT(one.range.size() == 3);
      auto const bound = [&](expression const& e) {
        auto const printed = value(e);
        expect_number(printed.type, [] { return std::string("counts with"); });
        return printed.type == dtype::int64 ? printed.text : cast(dtype::int64, printed.text);
      };
      // Python fixes the range before the first turn, whatever the body assigns.
      auto const turn = fmt::format("__assay_i{}", out.indentation());
      auto const last = fmt::format("__assay_end{}", out.indentation());
      auto const step = bound(one.range[2]);
      auto const constant_step = integer_literal(one.range[2]);
      auto const test =
          constant_step ? fmt::format("{} {} {}", turn, *constant_step > 0 ? "<" : ">", last)
                        : fmt::format("({}) > 0 ? {} < {} : {} > {}", step, turn, last, turn, last);
      out.open(fmt::format("for (long long {} = {}, {} = {}; {}; {} += {})", turn,
                           bound(one.range[0]), last, bound(one.range[1]), test, turn, step));
      out.line(fmt::format("{} = {};", one.target->text, turn));
      print(out, one.body, undeclared);
      out.close();
      break;
    }
    case statement::kind::declare:
    case statement::kind::pass:
      break;
    }
  }
}

void code_printer::statements(writer& out, std::vector<statement> const& list) {
  locals_.clear();
  declared_.clear();
  declare_annotated(list);
  // Types only grow along the order of promotion, so this ends; the limit makes a mistake loud.
  int passes = 0;
  while (infer_locals(list)) ASSAY_ASSERT(++passes < 64);

  // A local is declared where it is assigned first if that is outside all blocks, else in front.
  std::set<std::string> in_front(locals_.begin(), locals_.end()), at_assignment;
  std::set<std::string> nested;
  for (auto const& one : list) {
    if (one.what == statement::kind::assign && one.augmented.empty() &&
        one.target->kind == expression_kind::name && !nested.contains(one.target->text) &&
        in_front.erase(one.target->text) != 0)
      at_assignment.insert(one.target->text);
    collect_targets(one.body, nested);
    collect_targets(one.otherwise, nested);
    if (one.what == statement::kind::for_range) nested.insert(one.target->text);
  }
  for (auto const& local : locals_)
    if (in_front.contains(local))
      out.line(fmt::format("{} {};", cpp_type(names_.find(local)->type), local));
  print(out, list, at_assignment);
}

void code_printer::symbol_statements(writer& out, std::vector<statement> const& list) {
  assigns_symbols_ = true;
  statements(out, list);
  assigns_symbols_ = false;
}

} // namespace assay::emission
