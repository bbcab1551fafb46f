#include "commands.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "assay/build.hpp"
#include "assay/check.hpp"
#include "assay/emit.hpp"
#include "assay/error.hpp"
#include "assay/plan.hpp"
#include "assay/plant.hpp"
#include "assay/sdfg.hpp"

namespace assay::tool {
namespace {

namespace fs = std::filesystem;

/// Writes aside, then renames file by file: a reader sees a whole file or the old one.
void write_folder(std::vector<generated_file> const& files, fs::path const& program,
                  fs::path const& folder) {
  fs::path aside = folder;
  aside += fmt::format(".{}.part", getpid());
  std::error_code failure;
  try {
    write_files(files, aside);
    for (generated_file const& file : files) {
      fs::create_directories((folder / file.path).parent_path(), failure);
      if (!failure) fs::rename(aside / file.path, folder / file.path, failure);
      if (failure)
        throw error(errc::environment, "cannot be written: " + failure.message(), {},
                    folder.string());
    }
    fs::copy_file(program, folder / "program.sdfg", fs::copy_options::overwrite_existing, failure);
    if (failure)
      throw error(errc::environment, "cannot be written: " + failure.message(), {},
                  folder.string());
  } catch (error const& problem) {
    fs::remove_all(aside, failure);
    throw error(errc::invalid_input, problem.what(), {}, folder.string()); // not what lies aside
  }
  fs::remove_all(aside, failure);
}

} // namespace

int run_generate(generate_options const& options) {
  settings choice;
  choice.mode = parse_memory_mode(options.mode);
  choice.target = parse_target(options.target);
  choice.layout = parse_workspace_layout(options.layout);
  choice.call = parse_call_kind(options.call);
  choice.own_streams = parse_run_stream(options.stream).count;
  plant const fault = parse_plant(options.plant);
  if (is_run_plant(fault))
    throw error(errc::invalid_input,
                fmt::format("plant {} changes the buffer of a run, not the text", options.plant));
  sdfg::graph const graph = sdfg::read(options.program);
  std::vector<generated_file> files;
  try {
    sdfg::verify(graph);
    plan::program program = plan::lower(graph, choice);
    if (fault != plant::none && !apply(fault, program))
      throw error(errc::invalid_input,
                  fmt::format("plant {} finds no place in this program", options.plant));
    files = emit(program);
  } catch (error const& problem) {
    throw problem.in_file(options.program.string());
  }
  if (options.output != "-") {
    write_folder(files, options.program, options.output);
    return 0;
  }
  for (generated_file const& file : files) fmt::print("// file: {}\n{}\n", file.path, file.text);
  return 0;
}

} // namespace assay::tool
