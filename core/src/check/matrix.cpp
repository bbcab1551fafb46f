#include <charconv>
#include <set>

#include "assay/check.hpp"
#include "assay/error.hpp"

namespace assay {
namespace {

/// The whole text as a number from 1 to `limit`, or 0.
int parse_count(std::string_view text, int limit) {
  int value = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const whole = status == std::errc() && end == text.data() + text.size();
  return whole && value >= 1 && value <= limit ? value : 0;
}

template <typename Number> bool read_number(std::string_view text, Number& into) {
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), into);
  return status == std::errc() && end == text.data() + text.size();
}

/// "pct:3:2" in its parts.
struct schedule_words {
  std::string_view kind, first, second;
  std::size_t count = 1;
  explicit schedule_words(std::string_view text) {
    std::string_view* const parts[] = {&kind, &first, &second};
    for (std::size_t part = 0;; ++part) {
      std::size_t const colon = part == 2 ? text.npos : text.find(':');
      *parts[part] = text.substr(0, colon);
      if (colon == text.npos) return;
      text.remove_prefix(colon + 1);
      ++count;
    }
  }
};

} // namespace

std::string to_text(run_schedule const& value) {
  std::string const seed = std::to_string(value.seed);
  switch (value.kind) {
  case schedule_kind::eager:
    return "eager";
  case schedule_kind::lazy:
    return "lazy";
  case schedule_kind::device:
    return "device";
  case schedule_kind::random:
    return "random:" + seed;
  case schedule_kind::pct:
    return "pct:" + seed + (value.depth == 0 ? "" : ":" + std::to_string(value.depth));
  case schedule_kind::exhaustive:
    return "exhaustive" + (value.most_orders == 0 ? "" : ":" + std::to_string(value.most_orders));
  case schedule_kind::replay:
    break;
  }
  return "replay:" + value.token;
}

run_schedule parse_schedule(std::string const& text) {
  auto const fail = [&] { throw error(errc::invalid_input, "unknown schedule '" + text + "'"); };
  schedule_words const words(text);
  run_schedule schedule;
  if (words.kind == "eager" && words.count == 1) return schedule;
  if (words.kind == "replay" && words.count > 1) {
    schedule.kind = schedule_kind::replay;
    schedule.token = text.substr(words.kind.size() + 1);
    return schedule;
  }
  if (words.kind == "lazy" && words.count == 1) {
    schedule.kind = schedule_kind::lazy;
  } else if (words.kind == "device" && words.count == 1) {
    schedule.kind = schedule_kind::device;
  } else if (words.kind == "random" && words.count == 2) {
    schedule.kind = schedule_kind::random;
    if (!read_number(words.first, schedule.seed)) fail();
  } else if (words.kind == "pct" && (words.count == 2 || words.count == 3)) {
    schedule.kind = schedule_kind::pct;
    if (!read_number(words.first, schedule.seed)) fail();
    if (words.count == 3 && (!read_number(words.second, schedule.depth) || schedule.depth == 0))
      fail();
  } else if (words.kind == "exhaustive" && words.count <= 2) {
    schedule.kind = schedule_kind::exhaustive;
    if (words.count == 2 &&
        (!read_number(words.first, schedule.most_orders) || schedule.most_orders == 0))
      fail();
  } else {
    fail();
  }
  return schedule;
}

std::vector<run_schedule> parse_schedules(std::string_view text) {
  schedule_words const words(text);
  try {
    run_schedule schedule = parse_schedule(std::string(text));
    // A token says more than who runs next, and so does a real device.
    if (schedule.kind == schedule_kind::replay || schedule.kind == schedule_kind::device)
      throw error(errc::invalid_input, "neither");
    if (schedule.kind != schedule_kind::random && schedule.kind != schedule_kind::pct)
      return {schedule};
    std::vector<run_schedule> seeds;
    int const count = parse_count(words.first, 10'000);
    if (count == 0) throw error(errc::invalid_input, "seeds");
    for (schedule.seed = 1; schedule.seed <= static_cast<std::uint64_t>(count); ++schedule.seed)
      seeds.push_back(schedule);
    return seeds;
  } catch (error const&) {
    throw error(errc::invalid_input,
                "unknown schedule '" + std::string(text) +
                    "' (one of eager, lazy, random:N or pct:N[:DEPTH] with N from 1 to 10000, "
                    "exhaustive[:MOST_ORDERS])");
  }
}

std::string to_text(run_stream value) {
  switch (value.kind) {
  case stream_kind_of_run::default_stream:
    return "default";
  case stream_kind_of_run::external:
    return "external";
  case stream_kind_of_run::own:
    break;
  }
  return "own:" + std::to_string(value.count);
}

run_stream parse_run_stream(std::string_view text) {
  if (text == "default") return {stream_kind_of_run::default_stream, 0};
  if (text == "external") return {stream_kind_of_run::external, 0};
  constexpr std::string_view prefix = "own:";
  if (text.starts_with(prefix))
    if (int const count = parse_count(text.substr(prefix.size()), 64); count != 0)
      return {stream_kind_of_run::own, count};
  throw error(errc::invalid_input, "unknown stream '" + std::string(text) +
                                       "' (one of default, external, own:N with N from 1 to 64)");
}

std::string_view name(check_depth value) noexcept {
  return value == check_depth::ops ? "ops" : "threads";
}

std::string_view name(workspace_size value) noexcept {
  switch (value) {
  case workspace_size::exact:
    return "exact";
  case workspace_size::larger:
    return "larger";
  case workspace_size::shared:
    break;
  }
  return "shared";
}

workspace_size parse_workspace_size(std::string_view text) {
  for (workspace_size const known :
       {workspace_size::exact, workspace_size::larger, workspace_size::shared})
    if (text == name(known)) return known;
  throw error(errc::invalid_input,
              "unknown workspace size '" + std::string(text) + "' (one of exact, larger, shared)");
}

std::vector<check_cell> cells_of(check_matrix const& matrix) {
  std::vector<check_cell> cells;
  std::set<std::string> seen;
  for (memory_mode mode : matrix.modes)
    for (target target : matrix.targets)
      for (std::string const& dialect : matrix.dialects)
        for (run_stream stream : matrix.streams)
          for (call_kind call : matrix.calls)
            for (workspace_layout layout : matrix.layouts)
              for (workspace_size workspace : matrix.workspaces) {
                if (target != target::cpu && !dialect.starts_with(name(target))) continue;
                check_cell cell{{mode, target, layout, call, stream.count},
                                stream,
                                false,
                                {},
                                workspace,
                                dialect};
                cell.devices = matrix.devices;
                cell.advice = matrix.advice;
                if (mode != memory_mode::external) {
                  cell.settings.layout = workspace_layout::aligned;
                  cell.workspace = workspace_size::exact;
                }
                if (target == target::cpu) {
                  cell.stream = {};
                  cell.settings.own_streams = 0;
                  cell.dialect = "cuda-13";
                }
                // The parity of the sum: each pair of other settings is seen with both kinds of
                // stream.
                std::size_t const parity =
                    static_cast<std::size_t>(mode) + static_cast<std::size_t>(target) +
                    static_cast<std::size_t>(call) + static_cast<std::size_t>(layout) +
                    static_cast<std::size_t>(workspace);
                for (std::size_t s = 0; s < matrix.schedules.size(); ++s) {
                  cell.schedule = target == target::cpu ? run_schedule{} : matrix.schedules[s];
                  cell.blocking_stream =
                      stream.kind == stream_kind_of_run::external && (parity + s) % 2 == 1;
                  std::string key;
                  for (auto part :
                       {name(cell.settings.mode), name(cell.settings.target),
                        name(cell.settings.layout), name(cell.settings.call), name(cell.workspace)})
                    key += std::string(part) + ' ';
                  key += to_text(cell.stream) + ' ' + to_text(cell.schedule) + ' ' + cell.dialect;
                  if (seen.insert(key).second) cells.push_back(cell);
                }
              }
  return cells;
}

} // namespace assay
