#include "assay/emit.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "assay/structure_type.hpp"
#include "emit/program_text.hpp"

namespace assay {
namespace emission {
namespace {

bool is_identifier(std::string_view name) {
  auto const letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
}

void append(std::string& list, std::string const& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

std::string number_text(dtype type, double value) {
  if (type == dtype::boolean) return value != 0 ? "true" : "false";
  if (is_integral(type)) return fmt::format("{}LL", static_cast<long long>(value));
  auto text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

} // namespace

program_text::program_text(plan::program const& from)
    : plan(from), vendor(dialect_of(from.settings.target)), state_type(from.name + "_state_t") {
  // The verifier has checked the names of the file; text is never built from anything else.
  ASSAY_ASSERT(is_identifier(plan.name));
  for (auto const& buffer : plan.buffers)
    ASSAY_ASSERT(is_identifier(buffer.name) &&
                 (buffer.container.empty() || is_identifier(buffer.container)));
  for (auto const& kernel : plan.kernels) ASSAY_ASSERT(is_identifier(kernel.name));

  for (auto const& argument : plan.signature.arguments) {
    auto const found =
        std::find_if(plan.buffers.begin(), plan.buffers.end(), [&](plan::buffer const& buffer) {
          return !argument.is_symbol && buffer.provision == plan::provision::argument &&
                 buffer.container == argument.name;
        });
    bool const by_value =
        found == plan.buffers.end()
            ? argument.is_symbol || argument.type.kind == sdfg::descriptor_kind::scalar
            : found->by_value;
    auto const& name = found == plan.buffers.end() ? argument.name : found->name;
    ASSAY_ASSERT(is_identifier(name));
    append(call_parameters,
           fmt::format("{}{} {}", cpp_type(argument.type.type), by_value ? "" : "*", name));
    append(call_arguments, name);
  }
  for (auto const& argument : plan.signature.init) {
    append(init_parameters, fmt::format("{} {}", cpp_type(argument.type.type), argument.name));
    append(init_arguments, argument.name);
  }
}

std::string program_text::api(std::string_view suffix) const {
  ASSAY_ASSERT(vendor != nullptr);
  return fmt::format("{}{}", vendor->prefix, suffix);
}

std::string program_text::field(plan::buffer const& buffer) {
  return fmt::format("__{}_{}", buffer.sdfg_id, buffer.container);
}

bool program_text::needs_field(plan::buffer const& buffer) const {
  return buffer.provision == plan::provision::persistent ||
         buffer.provision == plan::provision::external ||
         buffer.provision == plan::provision::state_value;
}

std::string program_text::workspace_flag(plan::workspace const& workspace) {
  return fmt::format("__workspace_{}_is_set", workspace.storage);
}

void program_text::print_state(writer& out) const {
  out.open("struct " + state_type);
  if (vendor != nullptr)
    out.line(fmt::format("assay::gen::gpu_context<{}, {}>* gpu_context;", api("Stream_t"),
                         api("Event_t")));
  else
    out.line("assay::gen::error_record errors;");
  for (auto const& buffer : plan.buffers) {
    if (!needs_field(buffer)) continue;
    if (buffer.provision == plan::provision::state_value)
      out.line(fmt::format("{} {};", cpp_type(buffer.type), field(buffer)));
    else
      out.line(fmt::format("{} * __restrict__ {};", cpp_type(buffer.type), field(buffer)));
  }
  for (auto const& workspace : plan.workspaces)
    out.line(fmt::format("bool {};", workspace_flag(workspace)));
  out.close("};");
  out.blank();
}

void program_text::print_constants(writer& out, bool device) const {
  for (auto const& [name, constant] : plan.constants) {
    auto const type = cpp_type(constant.type.type);
    if (constant.type.kind == sdfg::descriptor_kind::scalar) {
      ASSAY_ASSERT(constant.values.size() == 1);
      out.line(fmt::format("static constexpr {} {} = {};", type, name,
                           number_text(constant.type.type, constant.values[0])));
      continue;
    }
    std::string values;
    for (double const value : constant.values)
      append(values, number_text(constant.type.type, value));
    out.line(fmt::format("static {}{} const {}[{}] = {{{}}};", device ? "__device__ " : "", type,
                         name, std::max<std::size_t>(constant.values.size(), 1), values));
  }
  if (!plan.constants.empty()) out.blank();
}

void program_text::print_includes_for(writer& out, std::string_view code) {
  // A field may have a type that no other text names.
  auto const definitions = structure_definitions(code);
  auto const rest = definitions + std::string(code);
  for (std::string_view const type : {"complex", "half", "local_array"})
    if (rest.find(fmt::format("assay::gen::{}", type)) != std::string_view::npos)
      out.line(fmt::format("#include \"assay/generated/{}.hpp\"", type));
  for (std::string_view const name :
       {"dace::", "DACE_", " int_ceil(", " int_floor(", "Min(", "Max("})
    if (rest.find(name) != std::string_view::npos) {
      out.line("#include \"assay/generated/dace_names.hpp\"");
      break;
    }
  // What DaCe's headers bring along, for the code of the file that calls it.
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 18> standard{{
      {"printf(", "cstdio"},
      {"std::min(", "algorithm"},
      {"std::max(", "algorithm"},
      {"std::sort(", "algorithm"},
      {"std::swap(", "utility"},
      {"memcpy(", "cstring"},
      {"memset(", "cstring"},
      {"memmove(", "cstring"},
      {"malloc(", "cstdlib"},
      {"abort(", "cstdlib"},
      {"exit(", "cstdlib"},
      {"std::numeric_limits", "limits"},
      {"std::vector", "vector"},
      {"std::cout", "iostream"},
      {"std::cerr", "iostream"},
      {"std::accumulate(", "numeric"},
      {"std::chrono", "chrono"},
      {"std::string", "string"},
  }};
  std::set<std::string_view> headers;
  for (auto const& [name, header] : standard)
    if (rest.find(name) != std::string_view::npos) headers.insert(header);
  for (auto const header : headers) out.line(fmt::format("#include <{}>", header));
  out.verbatim(definitions);
  for (std::string_view const name : {"cub", "hipcub"})
    if (rest.find(fmt::format(" {}::", name)) != std::string_view::npos ||
        rest.find(fmt::format("({}::", name)) != std::string_view::npos)
      out.line(fmt::format("#include <{0}/{0}.{1}>", name, name == "cub" ? "cuh" : "hpp"));
}

void program_text::declare_init_symbols(scope& names) const {
  for (auto const& argument : plan.signature.init)
    names.declare(argument.name, {.type = argument.type.type});
  declare_constants(names);
}

void program_text::declare_constants(scope& names) const {
  for (auto const& [name, constant] : plan.constants)
    names.declare(name, {.type = constant.type.type,
                         .is_pointer = constant.type.kind != sdfg::descriptor_kind::scalar});
}

std::string program_text::code_of(std::map<std::string, std::string> const& code,
                                  std::string_view place) {
  std::string out;
  for (auto const& [where, text] : code) {
    if (where != place) continue;
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) continue;
    out += text;
    if (out.back() != '\n') out += '\n';
  }
  return out;
}

std::string program_text::launch_prototype(plan::kernel const& kernel) const {
  std::string list = state_type + "* __state";
  for (auto const& argument : kernel.arguments)
    append(list, fmt::format("{}{} {}", cpp_type(argument.type),
                             argument.is_pointer ? (argument.is_const ? " const*" : "*") : "",
                             argument.name));
  append(list, api("Stream_t") + " __assay_stream");
  return fmt::format("extern \"C\" void __dace_runkernel_{}({})", kernel.name, list);
}

std::string header_file(program_text const& program) {
  writer out;
  auto const& name = program.plan.name;
  auto const handle = name + "Handle_t";
  auto const init = program_text::after_state(program.init_parameters);
  out.line("#pragma once");
  out.line("#include <stddef.h>");
  out.blank();
  out.line(fmt::format("typedef void* {};", handle));
  out.blank();
  out.line("#ifdef __cplusplus");
  out.line("extern \"C\" {");
  out.line("#endif");
  out.line(fmt::format("{} __dace_init_{}({});", handle, name,
                       program.init_parameters.empty() ? "void" : program.init_parameters));
  out.line(fmt::format("int __dace_exit_{}({} __handle);", name, handle));
  out.line(fmt::format("void __program_{}({} __handle{});", name, handle,
                       program_text::after_state(program.call_parameters)));
  for (auto const& workspace : program.plan.workspaces) {
    out.line(fmt::format("size_t __dace_get_external_memory_size_{}({} __handle{});",
                         workspace.storage, handle, init));
    out.line(fmt::format("void __dace_set_external_memory_{}({} __handle, char* __base{});",
                         workspace.storage, handle, init));
  }
  out.line("#ifdef __cplusplus");
  out.line("}");
  out.line("#endif");
  return out.take();
}

} // namespace emission

std::vector<generated_file> emit(plan::program const& program) {
  emission::program_text const text(program);
  std::vector<generated_file> files;
  files.push_back({fmt::format("src/cpu/{}.cpp", program.name), emission::host_file(text)});
  if (text.vendor != nullptr)
    files.push_back({fmt::format("{}{}{}", text.vendor->device_folder, program.name,
                                 text.vendor->device_suffix),
                     emission::device_file(text)});
  files.push_back({fmt::format("include/{}.h", program.name), emission::header_file(text)});
  return files;
}

} // namespace assay
