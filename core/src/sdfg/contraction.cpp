#include "sdfg/contraction.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay::sdfg {
namespace {

bool is_one(expression const& e) { return simplified(e).is_integer(1); }

std::vector<int> from(int first, std::size_t count) {
  std::vector<int> modes(count);
  std::iota(modes.begin(), modes.end(), first);
  return modes;
}

/// The last two dimensions are matrices (one where there is no other: a vector), those before count
/// them.
contraction matrices(library_node const& x, std::vector<expression_list> const& shapes) {
  constexpr int row = 0, column = 1, inner = 2, first_batch = 3;
  contraction result;
  std::vector<int> left = shapes[0].size() == 1 ? std::vector{inner} : std::vector{row, inner};
  std::vector<int> right = shapes[1].size() == 1 ? std::vector{inner} : std::vector{inner, column};
  if (x.transposes_first) std::ranges::reverse(left);
  if (x.transposes_second) std::ranges::reverse(right);
  auto const batches_of = [](expression_list const& shape) {
    return shape.size() > 2 ? shape.size() - 2 : 0;
  };
  std::size_t const batches = std::max(batches_of(shapes[0]), batches_of(shapes[1]));
  for (std::size_t k = 0; k < 2; ++k) {
    // Fewer batches, or one, serve for all: they are counted from the last.
    auto const own = batches_of(shapes[k]);
    std::vector<int> modes = from(first_batch + static_cast<int>(batches - own), own);
    for (std::size_t d = 0; d < own; ++d) {
      std::size_t const other_rank = batches_of(shapes[1 - k]);
      std::size_t const at = batches - own + d; // among all batches
      bool const meets = at + other_rank >= batches;
      if (meets && is_one(shapes[k][d]) && !is_one(shapes[1 - k][at - (batches - other_rank)]))
        modes[d] = contraction::no_mode;
    }
    auto const& matrix = k == 0 ? left : right;
    modes.insert(modes.end(), matrix.begin(), matrix.end());
    result.inputs.push_back(std::move(modes));
  }
  result.output = from(first_batch, batches);
  if (shapes[0].size() > 1) result.output.push_back(row);
  if (shapes[1].size() > 1) result.output.push_back(column);
  return result;
}

/// "ij,jk->ik"; without an arrow the letters that occur once, in the order of the alphabet.
contraction einsum(library_node const& x, std::size_t inputs, std::string const& place) {
  std::string text = x.formula;
  std::erase(text, ' ');
  auto const arrow = text.find("->");
  std::string const left = text.substr(0, arrow);
  contraction result;
  std::map<char, int> seen;
  result.inputs.emplace_back();
  for (char const c : left) {
    if (c == ',') {
      result.inputs.emplace_back();
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      ++seen[c];
      result.inputs.back().push_back(c);
    } else {
      throw error(errc::unsupported, fmt::format("Einsum with '{}' in its formula", c), place);
    }
  }
  if (arrow == std::string::npos) {
    for (auto const& [letter, count] : seen)
      if (count == 1) result.output.push_back(letter);
  } else {
    for (char const c : text.substr(arrow + 2)) {
      if (!seen.contains(c))
        throw error(errc::invalid_input,
                    fmt::format("Einsum gives the index '{}' that no factor has", c), place);
      result.output.push_back(c);
    }
  }
  if (result.inputs.size() != inputs)
    throw error(errc::invalid_input,
                fmt::format("Einsum of {} factors with {} inputs", result.inputs.size(), inputs),
                place);
  return result;
}

std::size_t checked_axis(std::int64_t axis, std::size_t rank, std::string const& type,
                         std::string const& place) {
  auto const k = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  if (k < 0 || k >= static_cast<std::int64_t>(rank))
    throw error(errc::invalid_input,
                fmt::format("{} over axis {} of a container with {} dimensions", type, axis, rank),
                place);
  return static_cast<std::size_t>(k);
}

contraction tensors(library_node const& x, std::vector<expression_list> const& shapes,
                    std::string const& place) {
  auto const left_rank = shapes[0].size(), right_rank = shapes[1].size();
  if (x.axes.size() != x.right_axes.size())
    throw error(errc::invalid_input, "TensorDot over another number of axes on each side", place);
  contraction result;
  auto left = from(0, left_rank), right = from(static_cast<int>(left_rank), right_rank);
  std::vector<int> kept;
  std::vector<bool> is_summed(left_rank + right_rank);
  for (std::size_t k = 0; k < x.axes.size(); ++k) {
    auto const a = checked_axis(x.axes[k], left_rank, x.type, place);
    auto const b = checked_axis(x.right_axes[k], right_rank, x.type, place);
    right[b] = left[a];
    is_summed[a] = is_summed[left_rank + b] = true;
  }
  for (std::size_t k = 0; k < left_rank + right_rank; ++k)
    if (!is_summed[k]) kept.push_back(static_cast<int>(k));
  result.output = kept;
  if (!x.permutation.empty()) {
    if (x.permutation.size() != kept.size())
      throw error(errc::invalid_input, "TensorDot whose permutation has another length", place);
    for (std::size_t k = 0; k < kept.size(); ++k)
      result.output[k] = kept[checked_axis(x.permutation[k], kept.size(), x.type, place)];
  }
  result.inputs = {std::move(left), std::move(right)};
  return result;
}

contraction transposition(library_node const& x, std::size_t rank, std::string const& place) {
  contraction result;
  result.inputs = {from(0, rank)};
  if (x.axes.empty()) {
    result.output = from(0, rank);
    std::ranges::reverse(result.output);
  }
  for (auto const axis : x.axes)
    result.output.push_back(static_cast<int>(checked_axis(axis, rank, x.type, place)));
  return result;
}

/// The modes of the dimensions of the result, of which some of one element may be left out or put
/// in.
std::vector<int> fitted(contraction const& x, std::vector<expression_list> const& shapes,
                        expression_list const& output) {
  auto const counts_one = [&](int mode) {
    for (std::size_t k = 0; k < shapes.size(); ++k)
      for (std::size_t d = 0; d < shapes[k].size(); ++d)
        if (x.inputs[k][d] == mode && !is_one(shapes[k][d])) return false;
    return true;
  };
  std::vector<int> result;
  std::size_t next = 0;
  for (std::size_t d = 0; d < output.size(); ++d) {
    while (next < x.output.size() && x.output.size() - next > output.size() - d &&
           counts_one(x.output[next]))
      ++next;
    bool const is_extra =
        is_one(output[d]) && (next == x.output.size() || !counts_one(x.output[next]));
    if (!is_extra && next == x.output.size()) return {};
    result.push_back(is_extra ? contraction::no_mode : x.output[next++]);
  }
  while (next < x.output.size() && counts_one(x.output[next])) ++next;
  return next == x.output.size() ? result : std::vector<int>{};
}

} // namespace

bool is_contraction(std::string const& type) {
  static constexpr std::array<std::string_view, 9> known{
      "MatMul", "BatchedMatMul", "Gemm",      "Gemv",           "Dot",
      "Einsum", "TensorDot",     "Transpose", "TensorTranspose"};
  return std::ranges::find(known, type) != known.end();
}

contraction contraction_of(library_node const& x, std::vector<expression_list> const& shapes,
                           expression_list const& output, std::string const& place) {
  bool const moves = x.type == "Transpose" || x.type == "TensorTranspose";
  if (x.type != "Einsum" && shapes.size() != (moves ? 1 : 2))
    throw error(errc::invalid_input, fmt::format("{} with {} inputs", x.type, shapes.size()),
                place);
  auto result = moves                   ? transposition(x, shapes[0].size(), place)
                : x.type == "Einsum"    ? einsum(x, shapes.size(), place)
                : x.type == "TensorDot" ? tensors(x, shapes, place)
                                        : matrices(x, shapes);
  for (std::size_t k = 0; k < shapes.size(); ++k)
    if (result.inputs[k].size() != shapes[k].size())
      throw error(errc::unsupported,
                  fmt::format("{} with a factor of {} dimensions", x.type, shapes[k].size()),
                  place);
  result.output = fitted(result, shapes, output);
  if (result.output.size() != output.size())
    throw error(errc::unsupported,
                fmt::format("{} whose result has {} dimensions", x.type, output.size()), place);
  return result;
}

} // namespace assay::sdfg
