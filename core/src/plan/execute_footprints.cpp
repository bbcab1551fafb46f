#include "plan/execute_footprints.hpp"

#include <algorithm>
#include <tuple>

namespace assay::plan {
namespace {

/// Drops extents of one element; then checks that the order of the box is the order of its offsets.
bool make_ascending(known_box& b) {
  std::erase_if(b.extents, [](known_box::extent const& e) { return e.count == 1; });
  for (auto& e : b.extents)
    if (e.stride < 0) { // the same elements, from the other end
      b.offset += e.stride * (e.count - 1);
      e.stride = -e.stride;
    }
  std::int64_t span = 0; // largest offset reached by the inner extents
  for (std::size_t k = b.extents.size(); k-- > 0;) {
    if (b.extents[k].stride <= span) return false;
    span += b.extents[k].stride * (b.extents[k].count - 1);
  }
  // Rows that touch are one row: equal sets get equal boxes.
  for (std::size_t k = b.extents.size(); k-- > 1;) {
    auto const& inner = b.extents[k];
    if (b.extents[k - 1].stride == inner.stride * inner.count) {
      b.extents[k - 1] = {b.extents[k - 1].count * inner.count, inner.stride};
      b.extents.erase(b.extents.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return true;
}

void visit(known_box const& b, std::size_t dimension, std::int64_t offset,
           std::function<void(std::int64_t)> const& f) {
  if (dimension == b.extents.size()) return f(offset);
  for (std::int64_t i = 0; i < b.extents[dimension].count; ++i)
    visit(b, dimension + 1, offset + i * b.extents[dimension].stride, f);
}

/// Length of the arithmetic progression at the start of `from`, and its step.
std::pair<std::size_t, std::int64_t> progression(std::span<std::int64_t const> from) {
  if (from.size() < 2) return {from.size(), 1};
  std::int64_t const step = from[1] - from[0];
  std::size_t length = 2;
  while (length < from.size() && from[length] - from[length - 1] == step) ++length;
  return {length, step};
}

std::vector<known_box> boxes_of(std::span<std::int64_t const> offsets) {
  std::vector<known_box> runs;
  for (std::size_t at = 0; at < offsets.size();) {
    auto const [length, step] = progression(offsets.subspan(at));
    runs.push_back({offsets[at], {{static_cast<std::int64_t>(length), step}}});
    at += length;
  }
  if (runs.size() < 2) return runs;
  std::vector<std::int64_t> starts;
  for (auto const& run : runs) starts.push_back(run.offset);
  auto const same = [&](known_box const& run) {
    return run.extents[0].count == runs[0].extents[0].count &&
           (run.extents[0].count == 1 || run.extents[0].stride == runs[0].extents[0].stride);
  };
  auto const [rows, pitch] = progression(starts);
  if (rows != runs.size() || !std::ranges::all_of(runs, same)) return runs;
  known_box grid = runs.front();
  grid.extents.insert(grid.extents.begin(), {static_cast<std::int64_t>(rows), pitch});
  return {grid};
}

} // namespace

std::optional<known_box> known(box const& b, symbol_values const& symbols) {
  known_box result;
  result.extents.reserve(b.extents.size());
  for (auto const& e : b.extents) {
    std::int64_t const count = evaluate_integer(e.count, symbols);
    if (count <= 0) return std::nullopt;
    result.extents.push_back({count, count == 1 ? 0 : evaluate_integer(e.stride, symbols)});
  }
  result.offset = evaluate_integer(b.offset, symbols);
  return result;
}

void for_each_offset(known_box const& b, std::function<void(std::int64_t)> const& f) {
  visit(b, 0, b.offset, f);
}

std::vector<known_box> normalised(std::vector<known_box> boxes) {
  if (boxes.empty()) return boxes;
  if (boxes.size() == 1 && make_ascending(boxes.front())) return boxes;
  std::vector<std::int64_t> offsets;
  for (auto const& b : boxes) for_each_offset(b, [&](std::int64_t o) { offsets.push_back(o); });
  std::ranges::sort(offsets);
  offsets.erase(std::ranges::unique(offsets).begin(), offsets.end());
  auto result = boxes_of(offsets);
  for (auto& b : result) make_ascending(b);
  return result;
}

std::vector<touched> touches(std::span<footprint const> footprints, touch how, program const& plan,
                             symbol_values const& symbols) {
  std::vector<touched> result;
  for (auto const& f : footprints) {
    bool const wanted = how == touch::accumulate ? f.accumulates
                        : how == touch::write    ? f.writes && !f.accumulates
                                                 : f.reads && !f.accumulates;
    if (!wanted) continue;
    auto b = known(f.box, symbols);
    if (!b) continue;
    auto at = std::ranges::find(result, f.buffer, &touched::buffer);
    if (at == result.end()) at = result.insert(at, {f.buffer, {}});
    at->boxes.push_back(std::move(*b));
  }
  for (auto& t : result) t.boxes = normalised(std::move(t.boxes));
  std::ranges::sort(result, {}, [&](touched const& t) {
    auto const& b = plan.buffers[index(t.buffer)];
    return std::tuple(b.sdfg_id, std::string_view(b.container), index(t.buffer));
  });
  return result;
}

} // namespace assay::plan
