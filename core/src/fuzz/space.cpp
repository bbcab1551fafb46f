#include "fuzz/space.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.hpp"

namespace assay::fuzz {
namespace {

using names = std::vector<std::string_view>;

std::array<names, axis_count> const& table() {
  static std::array<names, axis_count> const values{
      names{"scoped", "pool", "persistent", "external"},
      names{"aligned", "packed", "reuse"},
      names{"exact", "larger", "shifted"},
      names{"default", "blocking", "non-blocking", "own:1", "own:2", "own:3", "own:as-needed"},
      names{"async", "sync"},
      names{"eager", "lazy", "random", "pct"},
      names{"cuda-13", "hip-6", "hip-7"},
      names{"1", "2"},
      names{"none", "out-of-memory", "invalid-value", "launch-failure", "sticky"}};
  return values;
}

constexpr std::array<std::string_view, axis_count> axis_names{
    "mode", "layout", "workspace", "stream", "call", "schedule", "dialect", "calls", "fault"};

/// A value of an axis in six bits, so that three make a number.
std::uint32_t code(std::size_t axis, std::uint8_t value) {
  return static_cast<std::uint32_t>(axis * 7 + value + 1);
}
std::uint32_t code(choice const& c, std::size_t a, std::size_t b) {
  return code(a, c.values[a]) << 6 | code(b, c.values[b]);
}

using pair_set = std::set<std::uint32_t>;

std::size_t new_pairs(choice const& c, pair_set const& open) {
  std::size_t count = 0;
  for (std::size_t a = 0; a < axis_count; ++a)
    for (std::size_t b = a + 1; b < axis_count; ++b) count += open.contains(code(c, a, b));
  return count;
}

/// Changes one axis after the other to what closes most open pairs, until none helps.
choice improved(choice c, pair_set const& open, random_source& random) {
  for (bool better = true; better;) {
    better = false;
    std::size_t const first = random.below(axis_count);
    for (std::size_t k = 0; k < axis_count; ++k) {
      std::size_t const a = (first + k) % axis_count;
      for (std::uint8_t value = 0; value < table()[a].size(); ++value) {
        choice other = c;
        other.values[a] = value;
        other = normalised(other);
        if (new_pairs(other, open) <= new_pairs(c, open)) continue;
        c = other;
        better = true;
      }
    }
  }
  return c;
}

template <typename Visit> void each_choice(Visit visit) {
  choice c;
  for (;;) {
    if (normalised(c) == c) visit(c);
    std::size_t a = 0;
    while (a < axis_count && ++c.values[a] == table()[a].size()) c.values[a++] = 0;
    if (a == axis_count) return;
  }
}

} // namespace

std::vector<std::string_view> const& values_of(axis a) noexcept {
  return table()[static_cast<std::size_t>(a)];
}
std::string_view name(axis a) noexcept { return axis_names[static_cast<std::size_t>(a)]; }

void set(choice& c, axis a, std::string_view value) {
  names const& known = values_of(a);
  auto const found = std::ranges::find(known, value);
  if (found == known.end())
    throw error(errc::invalid_input,
                fmt::format("unknown {} '{}' (one of {})", name(a), value, fmt::join(known, ", ")));
  c.values[static_cast<std::size_t>(a)] = static_cast<std::uint8_t>(found - known.begin());
}

choice normalised(choice c) noexcept {
  if (c[axis::mode] != "external")
    for (axis const inert : {axis::layout, axis::workspace})
      c.values[static_cast<std::size_t>(inert)] = 0;
  return c;
}

std::string to_text(choice const& c) {
  std::string text;
  for (std::size_t a = 0; a < axis_count; ++a)
    text += fmt::format("{}{}", a == 0 ? "" : " ", c[static_cast<axis>(a)]);
  return text;
}

choice random_choice(random_source& random) {
  choice c;
  for (std::size_t a = 0; a < axis_count; ++a)
    c.values[a] = static_cast<std::uint8_t>(random.below(table()[a].size()));
  return normalised(c);
}

std::vector<choice> covering_pairs(std::uint64_t seed) {
  pair_set open;
  each_choice([&](choice const& c) {
    for (std::size_t a = 0; a < axis_count; ++a)
      for (std::size_t b = a + 1; b < axis_count; ++b) open.insert(code(c, a, b));
  });
  random_source random(seed, "pairs", 0);
  std::vector<choice> rows;
  while (!open.empty()) {
    choice best;
    for (int attempt = 0; attempt < 8; ++attempt) {
      choice const c = improved(random_choice(random), open, random);
      if (new_pairs(c, open) > new_pairs(best, open)) best = c;
    }
    if (new_pairs(best, open) == 0) continue;
    for (std::size_t a = 0; a < axis_count; ++a)
      for (std::size_t b = a + 1; b < axis_count; ++b) open.erase(code(best, a, b));
    rows.push_back(best);
  }
  return rows;
}

void coverage::add(choice const& c) {
  for (std::size_t a = 0; a < axis_count; ++a)
    for (std::size_t b = a + 1; b < axis_count; ++b) {
      std::uint32_t const pair = code(c, a, b);
      pair_count_ += !pairs_[pair];
      pairs_[pair] = true;
      for (std::size_t d = b + 1; d < axis_count; ++d) {
        std::uint32_t const triple = pair << 6 | code(d, c.values[d]);
        triple_count_ += !triples_[triple];
        triples_[triple] = true;
      }
    }
}

coverage const& coverage::whole() {
  static coverage const all = [] {
    coverage result;
    each_choice([&](choice const& c) { result.add(c); });
    return result;
  }();
  return all;
}

std::string coverage::text() const {
  return fmt::format("pairs {} of {}, triples {} of {}", pairs(), whole().pairs(), triples(),
                     whole().triples());
}

} // namespace assay::fuzz
