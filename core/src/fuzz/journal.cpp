#include "fuzz/journal.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "program/hash.hpp"
#include "program/whole_file.hpp"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

constexpr std::string_view format_name = "assay-campaign-2";
constexpr std::size_t checksum_size = 32;

std::string with_checksum(json const& value) {
  // Text of programs is not trusted: what is no UTF-8 is replaced.
  std::string const text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return hash_text(text) + " " + text + "\n";
}

std::string header_line(campaign const& c) {
  return with_checksum({{"format", format_name},
                        {"seed", c.seed},
                        {"cases", c.cases},
                        {"compile_every", c.compile_every},
                        {"version", c.version},
                        {"fingerprint", c.fingerprint}});
}

json to_json(slot_result const& s) {
  json failed = json::array();
  for (failed_case const& f : s.failed)
    failed.push_back({{"case", f.number},
                      {"outcome", f.outcome},
                      {"group", f.group},
                      {"settings", f.settings},
                      {"token", f.token},
                      {"text", f.text}});
  return {{"slot", s.slot},
          {"cases", s.cases},
          {"held", s.held},
          {"not_applicable", s.not_applicable},
          {"operations", s.operations},
          {"accesses", s.accesses},
          {"failed", std::move(failed)}};
}

slot_result slot_of(json const& from) {
  slot_result s;
  auto const number = [&](char const* member) { return from.at(member).get<std::uint64_t>(); };
  s.slot = number("slot");
  s.cases = number("cases");
  s.held = number("held");
  s.not_applicable = number("not_applicable");
  s.operations = number("operations");
  s.accesses = number("accesses");
  for (json const& f : from.at("failed"))
    s.failed.push_back({f.at("case").get<std::uint64_t>(), f.at("outcome").get<std::string>(),
                        f.at("group").get<std::string>(), f.at("settings").get<std::string>(),
                        f.at("token").get<std::string>(), f.at("text").get<std::string>()});
  return s;
}

[[noreturn]] void fail(fs::path const& file, std::string const& rule) {
  throw error(errc::invalid_input, rule, {}, file.string());
}
[[noreturn]] void fail_system(fs::path const& file, std::string_view what) {
  throw error(errc::environment, fmt::format("cannot {}: {}", what, std::strerror(errno)), {},
              file.string());
}

struct lines_of_file {
  record content;
  std::size_t whole_bytes = 0; ///< up to the end of the last line that is whole
  bool has_header = false;
};

/// Reads all lines that are whole. A line without an end is torn; one in the middle that does not
/// fit its checksum was changed.
lines_of_file read_lines(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(file, fmt::format("cannot open the file: {}", std::strerror(errno)));
  std::string const text(std::istreambuf_iterator<char>(in), {});
  lines_of_file result;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    std::size_t const end = text.find('\n', at);
    if (end == std::string::npos) break;
    std::string_view const line(text.data() + at, end - at);
    bool const is_whole =
        line.size() > checksum_size && line[checksum_size] == ' ' &&
        hash_text(line.substr(checksum_size + 1)) == line.substr(0, checksum_size);
    if (!is_whole)
      fail(file, number == 1 ? "the file is no record of a campaign"
                             : fmt::format("line {} was changed: its checksum differs", number));
    try {
      json const value = json::parse(line.substr(checksum_size + 1));
      if (number == 1) {
        if (auto const format = value.at("format").get<std::string>(); format != format_name)
          fail(file, fmt::format("the record has the format '{}', not '{}'", format, format_name));
        result.content.what = {
            value.at("seed").get<std::uint64_t>(), value.at("cases").get<std::uint64_t>(),
            value.at("version").get<std::string>(), value.at("fingerprint").get<std::string>(),
            value.at("compile_every").get<std::uint64_t>()};
        result.has_header = true;
      } else {
        slot_result slot = slot_of(value);
        std::uint64_t const index = slot.slot;
        if (!result.content.slots.emplace(index, std::move(slot)).second)
          fail(file, fmt::format("line {}: slot {} is there twice", number, index));
      }
    } catch (json::exception const& problem) {
      fail(file, fmt::format("line {}: {}", number, problem.what()));
    }
    at = end + 1;
    result.whole_bytes = at;
  }
  return result;
}

/// What differs between two campaigns, in words.
std::string difference(campaign const& a, campaign const& b) {
  if (a.version != b.version) return fmt::format("version {} instead of {}", a.version, b.version);
  if (a.seed != b.seed) return fmt::format("seed {} instead of {}", a.seed, b.seed);
  if (a.compile_every != b.compile_every)
    return fmt::format("one program of {} is compiled, instead of one of {}", a.compile_every,
                       b.compile_every);
  if (a.cases != b.cases) return fmt::format("{} cases instead of {}", a.cases, b.cases);
  return "other programs or options";
}

} // namespace

bool same(slot_result const& a, slot_result const& b) {
  auto const comparable = [](slot_result s) {
    s.accesses = 0;
    for (failed_case& failed : s.failed) failed.text.clear();
    return to_json(s);
  };
  return comparable(a) == comparable(b);
}

std::string to_text(slot_result const& slot) {
  return to_json(slot).dump(-1, ' ', false, json::error_handler_t::replace);
}

slot_result parse_slot(std::string const& text) { return slot_of(json::parse(text)); }

record read_record(fs::path const& file) {
  lines_of_file lines = read_lines(file);
  if (!lines.has_header) fail(file, "the file is no record of a campaign");
  if (lines.whole_bytes != fs::file_size(file))
    fail(file, "the last line is torn: the campaign that wrote it was stopped or still runs");
  return std::move(lines.content);
}

record merged(std::vector<fs::path> const& files) {
  record all;
  for (fs::path const& file : files) {
    record next = read_record(file);
    if (&file == &files.front()) all.what = next.what;
    if (next.what != all.what)
      fail(file, fmt::format("the file is of another campaign than {}: {}", files.front().string(),
                             difference(next.what, all.what)));
    for (auto& [index, slot] : next.slots) {
      auto const [known, is_new] = all.slots.emplace(index, slot);
      if (!is_new && !same(known->second, slot))
        fail(file, fmt::format("slot {} differs from that of another file", index));
    }
  }
  return all;
}

void write_record(fs::path const& file, record const& content) {
  whole_file target(file);
  std::string text = header_line(content.what);
  for (auto const& [index, slot] : content.slots) text += with_checksum(to_json(slot));
  target.write(text);
}

journal::journal(fs::path file, campaign what) : file_(std::move(file)) {
  descriptor_ = open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail_system(file_, "open the file");
  try {
    // A pipe would wait for ever, a device has no lines to go on from.
    if (!fs::is_regular_file(file_)) fail(file_, "the record of a campaign is no plain file");
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      fail(file_, "another campaign has the file open");
    lines_of_file lines = read_lines(file_);
    if (lines.has_header && lines.content.what != what)
      fail(file_, fmt::format("the folder holds another campaign: {}",
                              difference(lines.content.what, what)));
    if (ftruncate(descriptor_, static_cast<off_t>(lines.whole_bytes)) != 0)
      fail_system(file_, "write the file");
    content_ = std::move(lines.content);
    content_.what = std::move(what);
    if (!lines.has_header) write(header_line(content_.what));
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

journal::~journal() { close(descriptor_); }

void journal::add(slot_result slot) {
  write(with_checksum(to_json(slot)));
  content_.slots.emplace(slot.slot, std::move(slot));
}

void journal::write(std::string const& line) {
  for (std::size_t done = 0; done < line.size();) {
    ssize_t const count = ::write(descriptor_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_system(file_, "write the file");
    done += static_cast<std::size_t>(count);
  }
}

} // namespace assay::fuzz
