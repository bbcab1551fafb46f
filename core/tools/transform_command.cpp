#include "commands.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <unistd.h>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "assay/transform.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad())
    throw error(errc::invalid_input, "cannot be read", {}, file.string());
  return bytes;
}

/// Aside, then renamed: a reader sees a whole file or the old one.
void write(fs::path const& file, std::string const& text) {
  fs::path aside = file;
  aside += fmt::format(".{}.part", getpid());
  std::ofstream out(aside, std::ios::binary);
  out << text;
  out.close();
  std::error_code failure;
  if (out) fs::rename(aside, file, failure);
  if (!out || failure) {
    std::error_code ignored;
    fs::remove(aside, ignored);
    throw error(errc::environment, "cannot be written", {}, file.string());
  }
}

} // namespace

int run_transform(transform_options const& options) {
  settings choice;
  choice.mode = parse_memory_mode(options.mode);
  choice.target = parse_target(options.target);
  choice.call = parse_call_kind(options.call);
  choice.own_streams = parse_run_stream(options.stream).count;
  std::string text;
  try {
    text = sdfg::transformed(bytes_of(options.program), choice);
  } catch (error const& problem) {
    throw problem.in_file(options.program.string());
  }
  if (options.output == "-")
    std::fwrite(text.data(), 1, text.size(), stdout);
  else
    write(options.output, text);
  return 0;
}

} // namespace assay::tool
