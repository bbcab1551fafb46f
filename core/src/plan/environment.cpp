#include "plan/environment.hpp"

#include <algorithm>
#include <tuple>

#include "assay/error.hpp"

namespace assay::plan {
namespace {

bool is_name(expression const& e, std::string const& name) {
  return e->kind == expression_kind::name && e->text == name;
}

std::string trimmed(std::string_view text) {
  auto const first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  auto const last = text.find_last_not_of(" \t\n");
  return std::string(text.substr(first, last - first + 1));
}

reduction reduction_of(expression const& body, std::string const& left, std::string const& right) {
  auto const takes_both = [&](expression const& a, expression const& b) {
    return (is_name(a, left) && is_name(b, right)) || (is_name(a, right) && is_name(b, left));
  };
  auto const& arguments = body->arguments;
  if (arguments.size() != 2 || !takes_both(arguments[0], arguments[1])) return reduction::custom;
  std::string const& op = body->text;
  if (body->kind == expression_kind::binary) {
    if (op == "+") return reduction::sum;
    if (op == "*") return reduction::product;
    if (op == "and") return reduction::logical_and;
    if (op == "or") return reduction::logical_or;
    if (op == "&") return reduction::bitwise_and;
    if (op == "|") return reduction::bitwise_or;
    if (op == "^") return reduction::bitwise_xor;
  }
  if (body->kind == expression_kind::call) {
    if (op == "min") return reduction::min;
    if (op == "max") return reduction::max;
  }
  return reduction::custom;
}

} // namespace

expression environment::resolve(expression const& e) const {
  return substituted(e, [this](std::string const& name) -> std::optional<expression> {
    if (auto const found = symbols.find(name); found != symbols.end()) return found->second;
    if (auto const found = containers.find(name); found != containers.end())
      return expression::name(found->second.variable);
    return std::nullopt;
  });
}

std::map<std::string, binding> constants_of(environment const& env) {
  std::map<std::string, binding> result;
  for (auto const& [name, b] : env.containers)
    if (b.is_constant) result.emplace(name, b);
  return result;
}

sdfg::range environment::resolve(sdfg::range const& r) const {
  return {resolve(r.begin), resolve(r.end), resolve(r.step)};
}

resolution parse_resolution(std::string const& lambda, bool atomic, std::string const& place) {
  std::string text = trimmed(lambda);
  while (text.size() > 1 && text.front() == '(' && text.back() == ')')
    text = trimmed(std::string_view(text).substr(1, text.size() - 2));
  auto const colon = text.find(':');
  auto const comma = text.find(',');
  if (!text.starts_with("lambda ") || colon == std::string::npos || comma == std::string::npos ||
      comma > colon)
    throw error(errc::unsupported, "conflict resolution '" + lambda + "' is not a lambda of two parameters",
                place);
  resolution result;
  result.atomic = atomic;
  result.left = trimmed(std::string_view(text).substr(7, comma - 7));
  result.right = trimmed(std::string_view(text).substr(comma + 1, colon - comma - 1));
  result.combine = parse_python_expression(trimmed(std::string_view(text).substr(colon + 1)));
  result.kind = reduction_of(result.combine, result.left, result.right);
  return result;
}

expression_list strides_of(environment const& env, binding const& b) {
  expression_list result;
  if (b.descriptor->kind == sdfg::descriptor_kind::scalar) return {expression::integer(1)};
  for (auto const& stride : b.descriptor->strides) result.push_back(env.resolve(stride));
  return result;
}

expression_list strides_of(environment const& env, binding const& b, sdfg::subset const& where) {
  auto result = strides_of(env, b);
  ASSAY_ASSERT(result.size() == where.size());
  for (std::size_t k = 0; k < where.size(); ++k)
    result[k] = simplified(result[k] * env.resolve(where[k].step));
  return result;
}

expression element_offset(environment const& env, binding const& b, sdfg::subset const& where) {
  auto const strides = strides_of(env, b);
  ASSAY_ASSERT(strides.size() == where.size());
  expression sum = b.offset;
  for (std::size_t k = 0; k < where.size(); ++k) {
    expression position = env.resolve(where[k].begin);
    if (k < b.descriptor->offset.size()) position = position + env.resolve(b.descriptor->offset[k]);
    sum = sum + position * strides[k];
  }
  return simplified(sum);
}

expression_list counts_of(environment const& env, sdfg::subset const& where) {
  expression_list result;
  for (auto const& r : where) {
    expression const span = simplified(env.resolve(r.end) - env.resolve(r.begin));
    expression const step = simplified(env.resolve(r.step));
    result.push_back(step.is_integer(1)
                         ? simplified(span + expression::integer(1))
                         : expression::binary("//", span, step) + expression::integer(1));
  }
  return result;
}

box box_of(environment const& env, binding const& b, sdfg::subset const& where) {
  box result{element_offset(env, b, where), {}};
  auto const counts = counts_of(env, where);
  auto const strides = strides_of(env, b);
  for (std::size_t k = 0; k < where.size(); ++k)
    if (!counts[k].is_integer(1))
      result.extents.push_back({counts[k], simplified(strides[k] * env.resolve(where[k].step))});
  return result;
}

sdfg::subset whole(sdfg::descriptor const& d) {
  sdfg::subset result;
  for (auto const& size : d.shape)
    result.push_back({expression::integer(0), size - expression::integer(1), expression::integer(1)});
  return result;
}

std::vector<copy_dimension>
pair_dimensions(expression_list const& source_counts, expression_list const& source_strides,
                expression_list const& target_counts, expression_list const& target_strides,
                std::string const& place) {
  struct side {
    expression count, stride;
  };
  auto const squeezed = [](expression_list const& counts, expression_list const& strides) {
    std::vector<side> result;
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (!counts[k].is_integer(1)) result.push_back({counts[k], simplified(strides[k])});
    return result;
  };
  auto const merged_alone = [](std::vector<side> sides) {
    for (std::size_t k = sides.size(); k-- > 1;)
      if (simplified(sides[k].stride * sides[k].count) == sides[k - 1].stride) {
        sides[k - 1] = {simplified(sides[k - 1].count * sides[k].count), sides[k].stride};
        sides.erase(sides.begin() + static_cast<std::ptrdiff_t>(k));
      }
    return sides;
  };
  auto source = squeezed(source_counts, source_strides);
  auto target = squeezed(target_counts, target_strides);
  auto const same_counts = [&] {
    return std::ranges::equal(source, target, [](side const& a, side const& b) {
      return a.count == b.count || constant_difference(a.count, b.count) == 0;
    });
  };
  if (!same_counts()) { // a reshape: only through a contiguous form of both
    auto const unmerged = std::pair(source, target);
    source = merged_alone(std::move(source));
    target = merged_alone(std::move(target));
    if (!same_counts()) std::tie(source, target) = unmerged;
    // Both sides have as many elements: counts that nothing tells apart, like (n - 1)//2 + 1 and
    // ceiling(n/2), are the same number.
    auto const may_be_same = std::ranges::equal(source, target, [](side const& a, side const& b) {
      return constant_difference(a.count, b.count).value_or(0) == 0;
    });
    if (!may_be_same)
      throw error(errc::unsupported, "copy between subsets of different shape", place);
  }
  std::vector<copy_dimension> result;
  for (std::size_t k = 0; k < source.size(); ++k)
    result.push_back({source[k].count, source[k].stride, target[k].stride});
  auto const unit = std::ranges::find_if(result, [](copy_dimension const& d) {
    return d.source_stride.is_integer(1) && d.target_stride.is_integer(1);
  });
  if (unit != result.end()) std::rotate(unit, unit + 1, result.end());
  for (std::size_t k = result.size(); k-- > 1;) {
    auto& inner = result[k];
    auto& outer = result[k - 1];
    if (simplified(inner.source_stride * inner.count) == outer.source_stride &&
        simplified(inner.target_stride * inner.count) == outer.target_stride) {
      outer = {simplified(outer.count * inner.count), inner.source_stride, inner.target_stride};
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return result;
}

} // namespace assay::plan
