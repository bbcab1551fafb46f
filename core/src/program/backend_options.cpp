#include "assay/backend_options.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::string_view mode_name = "transient_memory_mode";
constexpr std::array<std::string_view, 3> decided_by_the_backend{"gpu", "constant_symbols",
                                                                 "unit_strides_kind"};

std::string spelling(memory_mode mode) { return fmt::format("{}={}", mode_name, name(mode)); }

bool parse_flag(std::string const& name, std::string const& text) {
  if (text == "true" || text == "True" || text == "1") return true;
  if (text == "false" || text == "False" || text == "0") return false;
  throw error(errc::invalid_input, fmt::format("{} is '{}' (one of true, false)", name, text));
}

/// Takes an argument out of the map.
std::optional<std::string> taken(std::map<std::string, std::string>& arguments,
                                 std::string const& name) {
  auto const node = arguments.extract(name);
  return node.empty() ? std::nullopt : std::optional(node.mapped());
}

/// The mode that the optimisation arguments ask for; they are left without it.
std::optional<memory_mode> mode_from(std::map<std::string, std::string>& arguments) {
  std::optional<memory_mode> mode;
  if (auto const text = taken(arguments, std::string(mode_name))) mode = parse_memory_mode(*text);
  legacy_memory_flags flags;
  if (auto const text = taken(arguments, "make_persistent"))
    flags.make_persistent = parse_flag("make_persistent", *text);
  if (auto const text = taken(arguments, "gpu_memory_pool"))
    flags.gpu_memory_pool = parse_flag("gpu_memory_pool", *text);
  if (auto const old = mode_of(flags, mode)) return old;
  return mode;
}

} // namespace

std::optional<memory_mode> mode_of(legacy_memory_flags const& flags,
                                   std::optional<memory_mode> mode) {
  if (!flags.make_persistent && !flags.gpu_memory_pool) return std::nullopt;
  bool const persistent = flags.make_persistent.value_or(false);
  bool const pool = flags.gpu_memory_pool.value_or(false);
  if (mode) {
    std::string given;
    if (flags.make_persistent) given += "make_persistent";
    if (flags.gpu_memory_pool) given += given.empty() ? "gpu_memory_pool" : " and gpu_memory_pool";
    throw error(errc::invalid_input,
                fmt::format("{} beside {}: drop the old spelling", given, spelling(*mode)));
  }
  if (persistent && pool)
    throw error(
        errc::invalid_input,
        fmt::format("make_persistent and gpu_memory_pool exclude each other: write {} or {}",
                    spelling(memory_mode::persistent), spelling(memory_mode::pool)));
  return persistent ? memory_mode::persistent : pool ? memory_mode::pool : memory_mode::scoped;
}

backend make_backend(backend_options const& options) {
  backend result;
  result.optimization_args = options.optimization_args;
  bool const has_gpu = options.target != target::cpu;

  std::string decided;
  for (auto const name : decided_by_the_backend)
    if (options.optimization_args.contains(std::string(name)))
      decided += fmt::format("{}{}", decided.empty() ? "" : ", ", name);
  if (!decided.empty())
    throw error(errc::invalid_input,
                fmt::format("optimization_args hold {}, which the backend decides", decided));
  if (!options.optimization_args.empty() && !options.auto_optimize)
    result.warnings.emplace_back("optimization_args have no effect: auto_optimize is off");

  auto mode = mode_from(result.optimization_args);
  if (mode == memory_mode::external && !options.workspace)
    throw error(errc::invalid_input,
                fmt::format("{} needs a workspace", spelling(memory_mode::external)));
  if (options.workspace && mode && *mode != memory_mode::external)
    throw error(errc::invalid_input, fmt::format("a workspace beside {}: write {} or give none",
                                                 spelling(*mode), spelling(memory_mode::external)));
  if (options.workspace && !mode) mode = memory_mode::external;

  if (options.async_sdfg_call)
    throw error(errc::invalid_input, fmt::format("async_sdfg_call is gone: write sync_sdfg_call={}",
                                                 *options.async_sdfg_call ? "false" : "true"));
  if (options.max_concurrent_streams < -1)
    throw error(errc::invalid_input, fmt::format("max_concurrent_streams is {} (-1, 0 or more)",
                                                 options.max_concurrent_streams));

  result.settings.target = options.target;
  result.settings.layout = options.layout;
  // Without the optimiser nothing moves the arrays: they stay as DaCe has them.
  result.settings.mode =
      options.auto_optimize ? mode.value_or(memory_mode::pool) : memory_mode::scoped;
  if (result.settings.mode == memory_mode::external) result.workspace = options.workspace;
  if (options.workspace && !result.workspace)
    result.warnings.emplace_back("the workspace is not used: auto_optimize is off");
  result.use_metrics = options.use_metrics;
  if (!has_gpu) {
    if (options.external_gpu_stream.value_or(0) != 0)
      result.warnings.emplace_back("external_gpu_stream is not used: the target has no GPU");
    return result;
  }
  result.settings.call =
      options.sync_sdfg_call.value_or(false) ? call_kind::sync : call_kind::async;
  result.settings.own_streams = options.max_concurrent_streams < 0 ? 0
                                : options.max_concurrent_streams == 0
                                    ? settings::as_needed
                                    : options.max_concurrent_streams;
  if (result.settings.own_streams == 0)
    result.external_gpu_stream = options.external_gpu_stream.value_or(0);
  else if (options.external_gpu_stream.value_or(0) != 0)
    result.warnings.emplace_back(
        "external_gpu_stream is not used: max_concurrent_streams gives the program its own");
  return result;
}

} // namespace assay
