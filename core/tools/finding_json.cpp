#include "finding_json.hpp"

#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "mockgpu/control.hpp"

namespace assay::tool {
namespace {

using json = nlohmann::json;

mockgpu::operation_ref read_side(json const& from) {
  if (from.is_null()) return {};
  mockgpu::operation_ref side;
  from.at("what").get_to(side.what);
  from.at("name").get_to(side.name);
  from.at("chain").get_to(side.chain);
  from.at("issue").get_to(side.issue);
  from.at("access").get_to(side.access);
  side.thread = from.value("thread", "");
  json const& place = from.at("location");
  place.at("file").get_to(side.location.file);
  place.at("line").get_to(side.location.line);
  place.at("function").get_to(side.location.function);
  return side;
}

mockgpu::memory_ref read_memory(json const& from) {
  mockgpu::memory_ref memory;
  from.at("name").get_to(memory.name);
  from.at("sub_array").get_to(memory.sub_array);
  from.at("space").get_to(memory.space);
  from.at("address").get_to(memory.address);
  from.at("size_bytes").get_to(memory.size_bytes);
  from.at("generation").get_to(memory.generation);
  from.at("allocated_by").get_to(memory.allocated_by);
  return memory;
}

} // namespace

check_finding to_core(mockgpu::finding const& from) {
  mockgpu::finding printed = from;
  printed.token.clear(); // the report prints the token that repeats the whole run
  auto const side = [](mockgpu::operation_ref const& operation) {
    return fmt::format("{} {} {}", operation.what, operation.name, operation.access);
  };
  return {from.kind,
          from.advice,
          from.edge ? mockgpu::to_text(*from.edge) : std::string(),
          // Memory is left out: the number of an allocation differs between memory modes.
          fmt::format("{}|{}|{}", from.kind, side(from.first), side(from.second)),
          mockgpu::to_text(printed),
          mockgpu::to_json(from),
          {},
          from.token};
}

mockgpu::suppressions read_suppressions(std::string const& file) {
  char const* const variable = std::getenv("MOCKGPU_SUPPRESSIONS");
  std::string const wanted = !file.empty() || variable == nullptr ? file : variable;
  if (wanted.empty()) return {};
  try {
    return mockgpu::suppressions::read(wanted);
  } catch (std::invalid_argument const& problem) {
    throw error(errc::invalid_input, problem.what());
  }
}

void check_fault(std::string const& text) {
  try {
    mockgpu::check_fault(text);
  } catch (std::invalid_argument const& problem) {
    throw error(errc::invalid_input, std::string("--fault: ") + problem.what());
  }
}

std::optional<mockgpu::finding> parse_finding(std::string const& text) {
  try {
    json const from = json::parse(text);
    mockgpu::finding one;
    from.at("kind").get_to(one.kind);
    from.at("rule").get_to(one.rule);
    from.at("message").get_to(one.message);
    one.first = read_side(from.at("first"));
    one.second = read_side(from.at("second"));
    one.memory = read_memory(from.at("memory"));
    from.at("byte_begin").get_to(one.byte_begin);
    from.at("byte_end").get_to(one.byte_end);
    for (json const& range : from.at("ranges"))
      one.ranges.push_back({range.at(0).get<std::int64_t>(), range.at(1).get<std::int64_t>()});
    if (!from.at("edge").is_null())
      one.edge = mockgpu::parse_missing_edge(from.at("edge").get<std::string>());
    from.at("edge_words").get_to(one.edge_words);
    from.at("advice").get_to(one.advice);
    one.token = from.value("token", "");
    return one;
  } catch (std::exception const&) { // a torn line, or one of another kind
    return std::nullopt;
  }
}

} // namespace assay::tool
