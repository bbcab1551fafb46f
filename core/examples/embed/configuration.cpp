#include "configuration.hpp"

#include <fstream>

#include <nlohmann/json.hpp>

#include "assay/error.hpp"

namespace embed {
namespace {

using json = nlohmann::json;

[[noreturn]] void fail(std::string const& message) {
  throw assay::error(assay::errc::invalid_input, message);
}

/// Applies one member of the file, or one word of the command line.
void apply(configuration& c, std::filesystem::path const& folder, std::string const& name,
           json const& value) {
  auto const text = [&](json const& v) { return v.is_string() ? v.get<std::string>() : v.dump(); };
  if (name == "programs")
    for (auto const& each : value) c.programs.push_back(folder / each.get<std::string>());
  else if (name == "artifacts")
    c.artifacts = value.get<std::string>();
  else if (name == "load_only")
    c.load_only = value.get<bool>();
  else if (name == "target")
    c.backend.target = assay::parse_target(value.get<std::string>());
  else if (name == "layout")
    c.backend.layout = assay::parse_workspace_layout(value.get<std::string>());
  else if (name == "auto_optimize")
    c.backend.auto_optimize = value.get<bool>();
  else if (name == "optimization_args")
    for (auto const& [key, argument] : value.items())
      c.backend.optimization_args.insert_or_assign(key, text(argument));
  else if (name.starts_with("optimization_args."))
    c.backend.optimization_args.insert_or_assign(name.substr(name.find('.') + 1), text(value));
  else if (name == "workspace_size")
    c.backend.workspace = assay::workspace_config(value.get<std::int64_t>());
  else if (name == "sync_sdfg_call")
    c.backend.sync_sdfg_call = value.get<bool>();
  else if (name == "async_sdfg_call")
    c.backend.async_sdfg_call = value.get<bool>();
  else if (name == "max_concurrent_streams")
    c.backend.max_concurrent_streams = value.get<int>();
  else if (name == "guard")
    c.guard = assay::parse_guard_kind(value.get<std::string>());
  else if (name == "symbols")
    for (auto const& [symbol, size] : value.items())
      c.symbols.insert_or_assign(symbol, size.get<std::int64_t>());
  else if (name.starts_with("symbols."))
    c.symbols.insert_or_assign(name.substr(name.find('.') + 1), value.get<std::int64_t>());
  else if (name == "calls")
    c.calls = value.get<int>();
  else if (name == "host_compiler")
    c.host_compiler = value.get<std::vector<std::string>>();
  else if (name == "device_compiler")
    c.device_compiler = value.get<std::vector<std::string>>();
  else if (name == "linker")
    c.linker = value.get<std::vector<std::string>>();
  else if (name == "flags")
    c.flags = value.get<std::vector<std::string>>();
  else if (name == "include_directories")
    c.include_directories = value.get<std::vector<std::string>>();
  else
    fail("unknown option '" + name + "'");
}

} // namespace

configuration read_configuration(std::filesystem::path const& file,
                                 std::span<char* const> overrides) {
  configuration result;
  try {
    std::ifstream in(file);
    if (!in) fail("cannot be read");
    auto const members = json::parse(in);
    for (auto const& [name, value] : members.items())
      apply(result, file.parent_path(), name, value);
  } catch (json::exception const& problem) {
    throw assay::error(assay::errc::invalid_input, problem.what(), {}, file.string());
  } catch (assay::error const& problem) {
    throw problem.in_file(file.string());
  }
  for (std::string const word : overrides) {
    auto const equals = word.find('=');
    if (equals == std::string::npos) fail("'" + word + "' is no name=value");
    auto value = json::parse(word.substr(equals + 1), nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) value = word.substr(equals + 1);
    try {
      apply(result, ".", word.substr(0, equals), value);
    } catch (json::exception const& problem) {
      fail("'" + word + "': " + problem.what());
    }
  }
  result.backend.workspace = assay::chosen_workspace(result.backend.workspace);
  return result;
}

} // namespace embed
