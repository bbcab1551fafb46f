#include "report/environment.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

#include "mockgpu/suppressions.hpp"
#include "report/json_text.hpp"

namespace mockgpu {
namespace {

bool first_call_is_hip = false;

std::string variable(char const* name) {
  char const* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

template <class Number> void parse_number(char const* name, std::string const& text, Number& into) {
  char const* const end = text.data() + text.size();
  auto const [rest, error] = std::from_chars(text.data(), end, into);
  if (error != std::errc() || rest != end)
    throw std::invalid_argument(std::string(name) + "='" + text + "': expected a number");
}

void write_all(int file, std::string const& text) {
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const written = write(file, text.data() + done, text.size() - done);
    if (written <= 0) return; // a report that cannot be written must not end the program
    done += std::size_t(written);
  }
}

} // namespace

void parse_schedule(std::string const& text, options& into) {
  char const* const name = "MOCKGPU_SCHEDULE";
  auto const fail = [&] {
    throw std::invalid_argument(std::string(name) + "='" + text +
                                "': expected eager, lazy, random:SEED, pct:SEED[:DEPTH], "
                                "exhaustive[:MAX_ORDERS] or replay:TOKEN");
  };
  std::size_t const colon = text.find(':');
  std::string const kind = text.substr(0, colon);
  bool const plain = colon == std::string::npos;
  std::string const rest = plain ? "" : text.substr(colon + 1);
  if (kind == "eager" && plain) {
    into.schedule = schedule_kind::eager;
  } else if (kind == "lazy" && plain) {
    into.schedule = schedule_kind::lazy;
  } else if (kind == "random" && !plain) {
    into.schedule = schedule_kind::random;
    parse_number(name, rest, into.seed);
  } else if (kind == "pct" && !plain) {
    into.schedule = schedule_kind::pct;
    std::size_t const second = rest.find(':');
    parse_number(name, rest.substr(0, second), into.seed);
    if (second != std::string::npos) parse_number(name, rest.substr(second + 1), into.depth);
    if (into.depth == 0) fail();
  } else if (kind == "exhaustive") {
    into.schedule = schedule_kind::exhaustive;
    if (!plain) parse_number(name, rest, into.max_orders);
    if (into.max_orders == 0) fail();
  } else if (kind == "replay" && !plain) {
    into.schedule = schedule_kind::replay;
    into.token = rest;
  } else {
    fail();
  }
}

namespace {

/// A file to append to, or `otherwise` where the path is empty.
int opened(std::string const& path, int otherwise) {
  return path.empty() ? otherwise
                      : open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/// Appends one line to the file of MOCKGPU_REPORT. One write: several processes may share the file.
void report_line(std::string const& json) {
  static int const file = opened(variable("MOCKGPU_REPORT"), -1);
  if (file >= 0) write_all(file, json + "\n");
}

/// Those of MOCKGPU_SUPPRESSIONS. Read by `options_from_environment`, which can still refuse them.
suppressions& suppressions_of_process() {
  static auto& list = *new suppressions;
  return list;
}

unsigned suppressed_count = 0;

} // namespace

void note_first_call(std::string_view entry_point) {
  first_call_is_hip = entry_point.starts_with("hip");
}

options options_from_environment() {
  options result;
  if (std::string const text = variable("MOCKGPU_SCHEDULE"); !text.empty())
    parse_schedule(text, result);
  if (first_call_is_hip) result.dialect = "hip-7";
  if (std::string const text = variable("MOCKGPU_DIALECT"); !text.empty()) result.dialect = text;
  if (std::string const text = variable("MOCKGPU_DEVICES"); !text.empty()) {
    parse_number("MOCKGPU_DEVICES", text, result.device_count);
    if (result.device_count < 1 || result.device_count > 8)
      throw std::invalid_argument("MOCKGPU_DEVICES='" + text + "': expected 1 to 8");
  }
  result.checked = checking_depth::threads;
  if (std::string const text = variable("MOCKGPU_DEPTH"); !text.empty()) {
    if (text == "ops")
      result.checked = checking_depth::operations;
    else if (text != "threads")
      throw std::invalid_argument("MOCKGPU_DEPTH='" + text + "': expected ops or threads");
  }
  result.fault = variable("MOCKGPU_FAULT");
  if (std::string const text = variable("MOCKGPU_STEP_LIMIT"); !text.empty())
    parse_number("MOCKGPU_STEP_LIMIT", text, result.step_limit);
  if (std::string const text = variable("MOCKGPU_KERNEL_SECONDS"); !text.empty())
    parse_number("MOCKGPU_KERNEL_SECONDS", text, result.kernel_seconds);
  if (result.step_limit == 0 || result.kernel_seconds == 0)
    throw std::invalid_argument("MOCKGPU_STEP_LIMIT and MOCKGPU_KERNEL_SECONDS are at least 1");
  if (variable("MOCKGPU_ADVICE") == "1") result.advice = true;
  if (std::string const file = variable("MOCKGPU_SUPPRESSIONS"); !file.empty())
    suppressions_of_process() = suppressions::read(file);
  std::string const edges = variable("MOCKGPU_EDGES");
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = edges.find(',', begin);
    if (end == std::string::npos) end = edges.size();
    result.extra_edges.push_back(
        parse_missing_edge(std::string_view(edges).substr(begin, end - begin)));
    begin = end + 1;
  }
  return result;
}

void report_by_default(finding const& one) {
  if (suppressions_of_process().match(one) != nullptr) {
    ++suppressed_count;
    return;
  }
  static bool const quiet = variable("MOCKGPU_QUIET") == "1";
  static int const text = opened(variable("MOCKGPU_TEXT"), STDERR_FILENO);
  if (!quiet) write_all(text, "mockgpu: " + to_text(one) + "\n");
  report_line(to_json(one));
}

void report_begin() { report_line("{\"begin\":{\"process\":" + std::to_string(getpid()) + "}}"); }

void report_orders(covered_orders const& seen) {
  std::string const orders = std::to_string(seen.orders);
  std::string const line = !seen.problem.empty()
                               ? "error: " + seen.problem
                               : orders + (seen.orders == 1 ? " order" : " orders") +
                                     ", all that can make a difference (" +
                                     std::to_string(seen.operations) + " operations, " +
                                     std::to_string(seen.accesses) + " accesses)";
  write_all(STDERR_FILENO, "mockgpu: " + line + "\n");
  report_line("{\"orders\":" + orders + ",\"problem\":" + quote(seen.problem) + "}");
}

void report_fault(std::uint64_t call, std::string const& entry_point,
                  source_location const& place) {
  report_line("{\"fault\":{\"call\":" + std::to_string(call) +
              ",\"entry_point\":" + quote(entry_point) + ",\"file\":" + quote(place.file) +
              ",\"line\":" + std::to_string(place.line) + "}}");
}

void report_end(statistics const& seen) {
  if (suppressed_count != 0)
    write_all(STDERR_FILENO,
              "mockgpu: findings suppressed: " + std::to_string(suppressed_count) + "\n");
  for (std::string const& line : suppressions_of_process().unused())
    write_all(STDERR_FILENO, "mockgpu: " + line + "\n");
  if (variable("MOCKGPU_REPORT").empty()) return;
  std::string unhooked;
  for (std::string const& name : unhooked_code())
    unhooked += (unhooked.empty() ? "" : ",") + quote(name);
  report_line("{\"end\":{\"process\":" + std::to_string(getpid()) + ",\"calls\":" +
              std::to_string(seen.calls) + ",\"faults\":" + std::to_string(seen.faults) +
              ",\"operations\":" + std::to_string(seen.operations) + ",\"accesses\":" +
              std::to_string(seen.accesses) + ",\"unhooked\":[" + unhooked + "]}}");
}

} // namespace mockgpu
