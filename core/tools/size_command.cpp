#include "commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "assay/plan.hpp"
#include "assay/sdfg.hpp"
#include "plan/liveness.hpp"

namespace assay::tool {
namespace {

constexpr std::array layouts{workspace_layout::packed, workspace_layout::aligned,
                             workspace_layout::reuse};

/// One symbol and the values that it takes in turn.
struct sweep {
  std::string symbol;
  std::vector<std::int64_t> values;
};

sweep parse_sweep(std::string const& text) {
  auto const fail = [&] {
    return error(errc::invalid_input,
                 fmt::format("--set {}: wanted is NAME=INTEGER[,INTEGER...]", text));
  };
  auto const equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw fail();
  sweep result{text.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    std::int64_t value = 0;
    auto const parsed = std::from_chars(text.data() + begin, text.data() + end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + end) throw fail();
    result.values.push_back(value);
    begin = end + 1;
  }
  return result;
}

/// All combinations, the last symbol turning fastest.
std::vector<symbol_values> combinations(std::vector<sweep> const& sweeps) {
  std::vector<symbol_values> result{{}};
  for (auto const& one : sweeps) {
    std::vector<symbol_values> next;
    for (auto const& before : result)
      for (auto const value : one.values) {
        auto with = before;
        with.insert_or_assign(one.symbol, value);
        next.push_back(std::move(with));
      }
    result = std::move(next);
  }
  return result;
}

struct sized_program {
  std::string file;
  std::array<plan::program, layouts.size()> plans;
  std::set<std::string> storages, symbols; ///< symbols: that a size needs
};

sized_program read_program(std::filesystem::path const& file, target target_of) {
  sized_program result;
  result.file = file.string();
  sdfg::graph const graph = sdfg::read(file);
  try {
    sdfg::verify(graph);
    for (std::size_t k = 0; k < layouts.size(); ++k) {
      settings choice;
      choice.mode = memory_mode::external;
      choice.target = target_of;
      choice.layout = layouts[k];
      result.plans[k] = plan::lower(graph, choice);
      for (auto const& w : result.plans[k].workspaces) {
        result.storages.insert(w.storage);
        for (auto const& entry : w.entries) collect_free_names(entry.size_bytes, result.symbols);
      }
    }
  } catch (error const& problem) {
    throw problem.in_file(result.file);
  }
  return result;
}

plan::workspace const* find(plan::program const& p, std::string const& storage) {
  auto const found = std::ranges::find(p.workspaces, storage, &plan::workspace::storage);
  return found == p.workspaces.end() ? nullptr : &*found;
}

/// Bytes of the largest set of arrays that live at one step.
std::int64_t largest_live_set(plan::program const& p, plan::workspace const& w,
                              symbol_values const& symbols) {
  std::int64_t result = 0;
  plan::lifetimes const lives(p);
  for (auto const& set : lives.sets()) {
    std::int64_t bytes = 0;
    for (auto const& entry : w.entries)
      if (std::ranges::find(set, entry.buffer) != set.end())
        bytes += evaluate_integer(entry.size_bytes, symbols);
    result = std::max(result, bytes);
  }
  return result;
}

struct size_row {
  std::size_t program = 0;
  std::string storage;
  symbol_values symbols;
  std::array<std::int64_t, layouts.size()> bytes{};
  std::int64_t live_bytes = 0;
};
/// By storage: what one slab needs to serve every program at every size, one program at a time.
using slabs = std::map<std::string, std::array<std::int64_t, layouts.size()>>;

std::vector<size_row> rows_of(std::vector<sized_program> const& programs,
                              std::vector<symbol_values> const& points, slabs& slab) {
  std::vector<size_row> rows;
  for (std::size_t p = 0; p < programs.size(); ++p)
    for (auto const& storage : programs[p].storages) {
      std::set<symbol_values> seen; // programs that do not know a symbol do not repeat
      for (auto const& point : points) {
        size_row row{p, storage, {}, {}, 0};
        for (auto const& name : programs[p].symbols)
          if (auto const found = point.find(name); found != point.end()) row.symbols.insert(*found);
        if (!seen.insert(row.symbols).second) continue;
        for (std::size_t k = 0; k < layouts.size(); ++k) {
          auto const* const w = find(programs[p].plans[k], storage);
          row.bytes[k] = std::max<std::int64_t>(0, evaluate_integer(w->size_bytes, row.symbols));
          auto& most = slab[storage][k];
          most = std::max(most, row.bytes[k]);
        }
        auto const& reuse = programs[p].plans[layouts.size() - 1];
        row.live_bytes = largest_live_set(reuse, *find(reuse, storage), row.symbols);
        rows.push_back(std::move(row));
      }
    }
  return rows;
}

std::string text_of(symbol_values const& symbols) {
  std::string text;
  for (auto const& [name, value] : symbols)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "-" : text;
}

void print_text(std::vector<sized_program> const& programs, std::vector<size_row> const& rows,
                slabs const& slab) {
  for (auto const& p : programs) {
    fmt::print("{} ({})\n", p.plans[0].name, p.file);
    if (p.storages.empty()) fmt::print("  needs no workspace\n");
    for (auto const& storage : p.storages)
      for (std::size_t k = 0; k < layouts.size(); ++k)
        fmt::print("  {} {}: {}\n", storage, name(layouts[k]),
                   to_text(find(p.plans[k], storage)->size_bytes));
  }
  if (rows.empty()) return;
  fmt::print("\n{:<24} {:<11} {:>15} {:>15} {:>15} {:>15}  {}\n", "bytes", "storage", "packed",
             "aligned", "reuse", "live at once", "symbols");
  for (auto const& row : rows)
    fmt::print("{:<24} {:<11} {:>15} {:>15} {:>15} {:>15}  {}\n",
               programs[row.program].plans[0].name, row.storage, row.bytes[0], row.bytes[1],
               row.bytes[2], row.live_bytes, text_of(row.symbols));
  for (auto const& [storage, bytes] : slab)
    fmt::print("{:<24} {:<11} {:>15} {:>15} {:>15}\n", "slab for all", storage, bytes[0], bytes[1],
               bytes[2]);
}

void print_json(std::vector<sized_program> const& programs, std::vector<size_row> const& rows,
                slabs const& slab) {
  using json = nlohmann::ordered_json;
  auto const by_layout = [](std::array<std::int64_t, layouts.size()> const& bytes) {
    json result;
    for (std::size_t k = 0; k < layouts.size(); ++k)
      result[std::string(name(layouts[k]))] = bytes[k];
    return result;
  };
  json out{{"programs", json::array()}, {"sizes", json::array()}, {"slab", json::object()}};
  for (auto const& p : programs) {
    json formulas = json::object();
    for (auto const& storage : p.storages)
      for (std::size_t k = 0; k < layouts.size(); ++k)
        formulas[storage][std::string(name(layouts[k]))] =
            to_text(find(p.plans[k], storage)->size_bytes);
    out["programs"].push_back(
        {{"file", p.file}, {"name", p.plans[0].name}, {"formulas", formulas}});
  }
  for (auto const& row : rows) {
    json symbols = json::object();
    for (auto const& [name, value] : row.symbols) symbols[name] = value;
    out["sizes"].push_back({{"program", programs[row.program].plans[0].name},
                            {"storage", row.storage},
                            {"symbols", symbols},
                            {"bytes", by_layout(row.bytes)},
                            {"live_bytes", row.live_bytes}});
  }
  for (auto const& [storage, bytes] : slab) out["slab"][storage] = by_layout(bytes);
  fmt::print("{}\n", out.dump(2));
}

} // namespace

int run_size(size_options const& options) {
  if (options.format != "text" && options.format != "json")
    throw error(errc::invalid_input,
                fmt::format("unknown format '{}' (one of text, json)", options.format));
  std::vector<sized_program> programs;
  for (auto const& file : options.programs)
    programs.push_back(read_program(file, parse_target(options.target)));
  std::vector<sweep> sweeps;
  for (auto const& text : options.set) sweeps.push_back(parse_sweep(text));
  for (auto const& one : sweeps)
    if (std::ranges::none_of(programs, [&](sized_program const& p) {
          return std::ranges::any_of(p.plans[0].signature.init,
                                     [&](sdfg::argument const& a) { return a.name == one.symbol; });
        }))
      throw error(errc::invalid_input,
                  fmt::format("--set {}: no program has this symbol", one.symbol));
  slabs slab;
  std::vector<size_row> rows;
  if (!sweeps.empty()) {
    for (auto const& p : programs)
      for (auto const& symbol : p.symbols)
        if (std::ranges::find(sweeps, symbol, &sweep::symbol) == sweeps.end())
          throw error(
              errc::invalid_input,
              fmt::format("the size needs the symbol '{}': give --set {}=...", symbol, symbol), {},
              p.file);
    rows = rows_of(programs, combinations(sweeps), slab);
  } else if (std::ranges::all_of(programs,
                                 [](sized_program const& p) { return p.symbols.empty(); })) {
    rows = rows_of(programs, {{}}, slab);
  }
  options.format == "json" ? print_json(programs, rows, slab) : print_text(programs, rows, slab);
  return 0;
}

} // namespace assay::tool
