#include "commands.hpp"

#include <fstream>
#include <iterator>

#include "assay/check.hpp"
#include "assay/error.hpp"
#include "assay/transform.hpp"
#include "report_target.hpp"

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

} // namespace

int run_transform(transform_options const& options) {
  settings choice;
  choice.mode = parse_memory_mode(options.mode);
  choice.target = parse_target(options.target);
  choice.call = parse_call_kind(options.call);
  choice.own_streams = parse_run_stream(options.stream).count;
  report_target output(options.output);
  std::string text;
  try {
    text = sdfg::transformed(bytes_of(options.program), choice);
  } catch (error const& problem) {
    throw problem.in_file(options.program.string());
  }
  output.write(text);
  return 0;
}

} // namespace assay::tool
