#include "assay/artifact.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/error.hpp"
#include "assay/plan.hpp"
#include "assay/workspace_allocator.hpp"
#include "program/hash.hpp"
#include "program/interface_of_plan.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::string_view format_name = "assay-artifact-1";

std::string read_file(fs::path const& file, errc code) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw error(code, "cannot be read", {}, file.string());
  return std::move(text).str();
}

void copy_into(fs::path const& from, fs::path const& to) {
  std::error_code failure;
  // Not over the old file: a process may have it mapped.
  fs::path aside = to;
  aside += ".part";
  fs::copy_file(from, aside, fs::copy_options::overwrite_existing, failure);
  if (!failure) fs::rename(aside, to, failure);
  if (failure)
    throw error(errc::environment, "cannot be copied: " + failure.message(), {}, from.string());
}

std::string text_of(settings const& s) {
  return fmt::format("mode {} target {} layout {} call {} own streams {}", name(s.mode),
                     name(s.target), name(s.layout), name(s.call), s.own_streams);
}

} // namespace

std::string fingerprint_of(std::string const& sdfg_text, settings const& chosen) {
  return hash_text(text_of(chosen) + "\n" + sdfg_text);
}

program_interface artifact::interface() const {
  auto const graph = sdfg::read(program);
  sdfg::verify(graph);
  return interface_of(plan::lower(graph, settings));
}

artifact save_artifact(fs::path const& folder, fs::path const& sdfg, fs::path const& library,
                       settings const& chosen, std::string const& allocator) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw error(errc::environment, "cannot be made: " + failure.message(), {}, folder.string());
  artifact result;
  result.name = sdfg::read(sdfg).name;
  result.settings = chosen;
  result.library = folder / fmt::format("lib{}.so", result.name);
  result.program = folder / "program.sdfg";
  result.allocator = allocator;
  result.fingerprint = fingerprint_of(read_file(sdfg, errc::environment), chosen);
  copy_into(sdfg, result.program);
  copy_into(library, result.library);
  json const out{{"format", format_name},
                 {"name", result.name},
                 {"mode", name(chosen.mode)},
                 {"target", name(chosen.target)},
                 {"layout", name(chosen.layout)},
                 {"call", name(chosen.call)},
                 {"own_streams", chosen.own_streams},
                 {"workspace_allocator", allocator},
                 {"fingerprint", result.fingerprint},
                 {"library_hash", hash_text(read_file(library, errc::environment))}};
  fs::path const aside = folder / "artifact.json.part";
  std::ofstream(aside) << out.dump(2) << "\n";
  fs::rename(aside, folder / "artifact.json", failure);
  if (failure)
    throw error(errc::environment, "cannot be written: " + failure.message(), {},
                (folder / "artifact.json").string());
  return result;
}

artifact load_artifact(fs::path const& folder) {
  auto const file = folder / "artifact.json";
  auto const fail = [&](std::string const& rule) {
    return error(errc::invalid_input, rule, {}, file.string());
  };
  artifact result;
  std::string library_hash;
  try {
    auto const in = json::parse(read_file(file, errc::invalid_input));
    if (in.at("format") != format_name)
      throw fail(fmt::format("is no artifact of format {}", format_name));
    result.name = in.at("name").get<std::string>();
    result.settings.mode = parse_memory_mode(in.at("mode").get<std::string>());
    result.settings.target = parse_target(in.at("target").get<std::string>());
    result.settings.layout = parse_workspace_layout(in.at("layout").get<std::string>());
    result.settings.call = parse_call_kind(in.at("call").get<std::string>());
    result.settings.own_streams = in.at("own_streams").get<int>();
    result.allocator = in.at("workspace_allocator").get<std::string>();
    result.fingerprint = in.at("fingerprint").get<std::string>();
    library_hash = in.at("library_hash").get<std::string>();
  } catch (json::exception const& problem) {
    throw fail(fmt::format("is no artifact: {}", problem.what()));
  } catch (error const& problem) {
    throw problem.in_file(file.string());
  }
  result.library = folder / fmt::format("lib{}.so", result.name);
  result.program = folder / "program.sdfg";
  if (fingerprint_of(read_file(result.program, errc::invalid_input), result.settings) !=
      result.fingerprint)
    throw fail("its fingerprint is not that of program.sdfg and the settings");
  if (hash_text(read_file(result.library, errc::invalid_input)) != library_hash)
    throw fail("its library has changed since it was saved");
  if (!result.allocator.empty()) try {
      static_cast<void>(find_workspace_source(result.allocator));
    } catch (error const& problem) {
      throw problem.in_file(file.string());
    }
  return result;
}

} // namespace assay
