#include "plan/overwrite.hpp"

#include <algorithm>

#include "plan/walk.hpp"

namespace assay::plan {
namespace {

bool reads_or_accumulates(step const& s, buffer_id id) {
  auto const* prints = own_footprints(s);
  return prints == nullptr || std::ranges::any_of(*prints, [&](footprint const& p) {
           return p.buffer == id && (p.reads || p.accumulates);
         });
}

bool equal(expression const& a, expression const& b) { return constant_difference(a, b) == 0; }

/// Every index of a row-major box over the whole buffer, by the ranges of the map.
bool covers(kernel const& k, buffer const& b, expression const& offset) {
  auto dense = expression::integer(0), stride = expression::integer(1);
  for (std::size_t d = k.dimensions.size(); d-- > 0;) {
    auto const& r = k.dimensions[d].range;
    if (!r.begin.is_integer(0) || !r.step.is_integer(1)) return false;
    dense = dense + expression::name(k.dimensions[d].parameter) * stride;
    stride = simplified(stride * (r.end + expression::integer(1)));
  }
  if (b.element_count.is_integer(1)) return stride.is_integer(1) && offset.is_integer(0);
  return equal(stride, b.element_count) && equal(offset, dense);
}

bool always_assigns(tasklet const& t, std::string const& connector) {
  return t.language == sdfg::language::python &&
         std::ranges::any_of(t.python, [&](statement const& line) {
           return line.what == statement::kind::assign &&
                  line.target->kind == expression_kind::name && line.target->text == connector;
         });
}

bool kernel_overwrites(kernel const& k, buffer const& b) {
  return std::ranges::any_of(k.body, [&](compute_statement const& s) {
    auto const* t = std::get_if<tasklet>(&s.content);
    return t != nullptr && std::ranges::any_of(t->outputs, [&](connector const& out) {
             return out.location.variable == b.name && !out.location.is_value && !out.is_pointer &&
                    out.resolution.kind == reduction::none && always_assigns(*t, out.name) &&
                    covers(k, b, out.location.offset);
           });
  });
}

bool copy_overwrites(copy const& c, buffer const& b) {
  if (!c.target_offset.is_integer(0)) return false;
  auto stride = expression::integer(1);
  for (std::size_t d = c.dimensions.size(); d-- > 0;) {
    if (!equal(c.dimensions[d].target_stride, stride)) return false;
    stride = simplified(stride * c.dimensions[d].count);
  }
  return equal(stride, b.element_count);
}

} // namespace

bool overwrites(program const& p, step const& s, buffer_id id) {
  if (reads_or_accumulates(s, id)) return false;
  auto const& b = p.buffers[index(id)];
  if (auto const* x = std::get_if<launch>(&s.content))
    return kernel_overwrites(p.kernels[index(x->kernel)], b);
  if (auto const* x = std::get_if<copy>(&s.content))
    return x->target == id && copy_overwrites(*x, b);
  return false;
}

} // namespace assay::plan
