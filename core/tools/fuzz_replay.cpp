#include "fuzz_replay.hpp"

#include <charconv>
#include <functional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "fuzz_compiled.hpp"
#include "fuzz_process.hpp"
#include "program/temporary_folder.hpp"

namespace assay::tool {
namespace {

using fuzz::axis;
using json = nlohmann::json;

constexpr std::chrono::milliseconds case_limit{30'000};

std::uint64_t number_of(replay_token const& token, std::string_view member) {
  std::string const text = token.get(member, "0");
  std::uint64_t value = 0;
  auto const [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    throw error(errc::invalid_input, fmt::format("'{}' in a replay token is no {}", text, member));
  return value;
}

} // namespace

replay_token token_of(fuzz_point const& p) {
  replay_token token{"fuzz", {}};
  token.add("program", p.file.string());
  for (auto const& [symbol, value] : p.set) token.add("set", fmt::format("{}={}", symbol, value));
  token.add("seed", std::to_string(p.content_seed));
  token.add("draw", std::to_string(p.draw));
  if (p.has_model) token.add("model", "1");
  if (p.compiled) token.add("compiled", "1");
  if (p.plant != plant::none) token.add("plant", name(p.plant));
  for (std::size_t a = 0; a < fuzz::axis_count; ++a)
    if (p.choice.values[a] != 0)
      token.add(fuzz::name(static_cast<axis>(a)), p.choice[static_cast<axis>(a)]);
  return token;
}

fuzz_point point_of(replay_token const& token) {
  fuzz_point p;
  p.file = token.get("program");
  for (std::string const& item : token.all("set")) {
    std::size_t const equals = item.find('=');
    std::int64_t value = 0;
    char const* const end = item.data() + item.size();
    bool is_read = equals != std::string::npos && equals > 0;
    if (is_read) {
      auto const [stop, status] = std::from_chars(item.data() + equals + 1, end, value);
      is_read = status == std::errc() && stop == end;
    }
    if (!is_read)
      throw error(errc::invalid_input,
                  fmt::format("'{}' in a replay token is not of the form NAME=INTEGER", item));
    p.set[item.substr(0, equals)] = value;
  }
  p.content_seed = number_of(token, "seed");
  p.draw = number_of(token, "draw");
  p.has_model = token.get("model") == "1";
  p.compiled = token.get("compiled") == "1";
  p.plant = parse_plant(token.get("plant", "none"));
  for (std::size_t a = 0; a < fuzz::axis_count; ++a)
    if (std::string const value = token.get(fuzz::name(static_cast<axis>(a))); !value.empty())
      set(p.choice, static_cast<axis>(a), value);
  return p;
}

case_outcome isolated_case(std::function<case_outcome()> const& run) {
  isolated_result const child = isolated(
      [&]() -> std::string {
        try {
          case_outcome const o = run();
          return json{{"what", o.what},
                      {"group", o.group},
                      {"text", o.text},
                      {"operations", o.operations},
                      {"accesses", o.accesses}}
              .dump(-1, ' ', false, json::error_handler_t::replace);
        } catch (std::exception const& problem) {
          return json{{"what", "error"},
                      {"group", "error"},
                      {"text", problem.what()},
                      {"operations", 0},
                      {"accesses", 0}}
              .dump(-1, ' ', false, json::error_handler_t::replace);
        }
      },
      case_limit);
  case_outcome o;
  if (!child.death.empty()) {
    o.what = o.group = "crash";
    o.text = child.death;
    return o;
  }
  json const value = json::parse(child.text);
  o.what = value.at("what").get<std::string>();
  o.group = value.at("group").get<std::string>();
  o.text = value.at("text").get<std::string>();
  o.operations = value.at("operations").get<std::uint64_t>();
  o.accesses = value.at("accesses").get<std::uint64_t>();
  return o;
}

int replay_fuzz(replay_token const& token) {
  fuzz_point const p = point_of(token);
  // Read here first: bad input is no failure of the case.
  fuzz_subject subject(p.file, p.set, p.content_seed, p.has_model, p.plant);
  case_outcome o;
  if (p.compiled) {
    temporary_folder const cache;
    o = run_compiled_case(p, cache.path());
  } else {
    o = isolated_case([&] { return run_fuzz_case(subject, p.choice, p.draw); });
  }
  fmt::print("{}: {}\n", p.file.string(), fuzz::to_text(p.choice));
  if (!o.text.empty()) fmt::print("{}{}", o.text, o.text.ends_with('\n') ? "" : "\n");
  fmt::print("verdict: {} ({} operations and {} accesses checked)\n", o.what, o.operations,
             o.accesses);
  return o.is_failure() ? 1 : 0;
}

} // namespace assay::tool
