#include "assay/build_folder.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "plan/passes.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string read_text(fs::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw error(errc::invalid_input, "cannot be read", {}, file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// DaCe's spelling of element types in C++.
struct spelling {
  std::string_view text;
  dtype type;
};
constexpr std::array spellings{spelling{"bool", dtype::boolean},
                               spelling{"char", dtype::int8},
                               spelling{"int8_t", dtype::int8},
                               spelling{"signed char", dtype::int8},
                               spelling{"short", dtype::int16},
                               spelling{"int16_t", dtype::int16},
                               spelling{"int", dtype::int32},
                               spelling{"int32_t", dtype::int32},
                               spelling{"long long", dtype::int64},
                               spelling{"int64_t", dtype::int64},
                               spelling{"uint8_t", dtype::uint8},
                               spelling{"unsigned char", dtype::uint8},
                               spelling{"uint16_t", dtype::uint16},
                               spelling{"unsigned short", dtype::uint16},
                               spelling{"uint32_t", dtype::uint32},
                               spelling{"unsigned int", dtype::uint32},
                               spelling{"dace::uint", dtype::uint32},
                               spelling{"uint64_t", dtype::uint64},
                               spelling{"half", dtype::float16},
                               spelling{"dace::half", dtype::float16},
                               spelling{"float", dtype::float32},
                               spelling{"double", dtype::float64},
                               spelling{"dace::float32", dtype::float32},
                               spelling{"dace::float64", dtype::float64},
                               spelling{"dace::complex64", dtype::complex64},
                               spelling{"dace::complex128", dtype::complex128}};

std::string trimmed(std::string text) {
  constexpr char const* blanks = " \t\n\r";
  text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  text.erase(text.find_last_not_of(blanks) + 1);
  return text;
}

void erase_word(std::string& text, std::string_view word) {
  for (std::size_t at; (at = text.find(word)) != std::string::npos;) text.erase(at, word.size());
}

/// The parameters of a declared function, without the handle; commas inside <> do not separate.
std::vector<std::string> parameters(std::string const& text, std::string const& function) {
  std::size_t const name = text.find(" " + function + "(");
  if (name == std::string::npos)
    throw error(errc::invalid_input, fmt::format("does not declare {}", function));
  std::size_t at = text.find('(', name) + 1;
  std::vector<std::string> result;
  std::string one;
  for (int depth = 0; at < text.size() && (text[at] != ')' || depth > 0); ++at) {
    if (text[at] == '<' || text[at] == '(') ++depth;
    if (text[at] == '>' || text[at] == ')') --depth;
    if (text[at] == ',' && depth == 0)
      result.push_back(std::exchange(one, {}));
    else
      one += text[at];
  }
  if (at == text.size())
    throw error(errc::invalid_input, fmt::format("the declaration of {} does not end", function));
  if (!trimmed(one).empty()) result.push_back(one);
  return result;
}

sdfg::descriptor scalar_of(dtype type) {
  sdfg::descriptor result;
  result.type = type;
  result.shape = result.strides = {expression::integer(1)};
  result.offset = {expression::integer(0)};
  result.total_size = expression::integer(1);
  return result;
}

sdfg::argument parse_parameter(std::string text, sdfg::graph const& graph) {
  erase_word(text, "__restrict__");
  text = trimmed(std::move(text));
  std::size_t begin = text.size();
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  std::string const name = text.substr(begin);
  std::string type = text.substr(0, begin);
  bool const is_pointer = type.find('*') != std::string::npos;
  for (std::string_view word : {"const ", "const", "*", "&"}) erase_word(type, word);
  type = trimmed(std::move(type));
  auto const known = std::ranges::find(spellings, type, &spelling::text);
  if (known == spellings.end())
    throw error(errc::unsupported, fmt::format("argument '{}' of type '{}'", name, type));

  sdfg::descriptor const* const described = graph.find(name);
  sdfg::argument result{name, scalar_of(known->type), described == nullptr};
  if (!is_pointer) return result;
  if (described == nullptr)
    throw error(errc::invalid_input,
                fmt::format("declares the array '{}', which the SDFG does not have", name));
  result.type = *described;
  result.type.kind = sdfg::descriptor_kind::array; // a scalar that is written comes by pointer
  result.type.type = known->type;
  return result;
}

std::vector<sdfg::argument> parse_function(std::string const& text, std::string const& function,
                                           bool has_handle, sdfg::graph const& graph) {
  std::vector<sdfg::argument> result;
  for (std::string const& one : parameters(text, function)) {
    if (std::exchange(has_handle, false)) continue;
    result.push_back(parse_parameter(one, graph));
  }
  return result;
}

/// Every SDFG inside a region, the given one first. `visit` gets each once, in traversal order.
template <typename Visitor> void visit_graphs(sdfg::graph const& graph, Visitor const& visit);

template <typename Visitor> void visit_region(sdfg::region const& region, Visitor const& visit) {
  for (sdfg::block const& block : region.blocks) {
    if (auto const* state = std::get_if<sdfg::state>(&block.content)) {
      for (sdfg::node const& node : state->nodes)
        if (auto const* nested = std::get_if<sdfg::nested_sdfg>(&node.content))
          visit_graphs(*nested->body, visit);
    } else if (auto const* loop = std::get_if<sdfg::loop_region>(&block.content)) {
      visit_region(*loop->body, visit);
    } else if (auto const* choice = std::get_if<sdfg::conditional_block>(&block.content)) {
      for (auto const& branch : choice->branches) visit_region(*branch.body, visit);
    } else if (auto const* plain = std::get_if<sdfg::plain_region>(&block.content)) {
      visit_region(*plain->body, visit);
    }
  }
}

template <typename Visitor> void visit_graphs(sdfg::graph const& graph, Visitor const& visit) {
  visit(graph);
  visit_region(graph.root, visit);
}

memory_mode mode_of(sdfg::graph const& root) {
  bool external = false, persistent = false, pool = false;
  visit_graphs(root, [&](sdfg::graph const& graph) {
    for (auto const& [name, type] : graph.arrays) {
      if (!type.transient) continue;
      external |= type.lifetime == sdfg::lifetime::external;
      persistent |= type.lifetime == sdfg::lifetime::persistent;
      pool |= type.pool;
    }
  });
  return external     ? memory_mode::external
         : persistent ? memory_mode::persistent
         : pool       ? memory_mode::pool
                      : memory_mode::scoped;
}

/// Paths relative to `src`: those that DaCe lists, else all that are there.
std::vector<std::string> source_paths(fs::path const& folder) {
  std::vector<std::string> paths;
  if (std::ifstream list(folder / "dace_files.csv"); list) {
    for (std::string line; std::getline(list, line);) {
      std::istringstream parts(line);
      std::string target, kind, file;
      std::getline(parts, target, ',');
      std::getline(parts, kind, ',');
      std::getline(parts, file);
      file = trimmed(file);
      if (!file.empty()) paths.push_back(target + "/" + (kind.empty() ? "" : kind + "/") + file);
    }
    return paths;
  }
  for (auto const& entry : fs::recursive_directory_iterator(folder / "src"))
    if (entry.is_regular_file())
      paths.push_back(entry.path().lexically_relative(folder / "src").generic_string());
  std::ranges::sort(paths); // a directory has no order
  return paths;
}

/// The highest stream that launches, copies and waits take from the context, plus 1.
int streams_used(std::string const& code) {
  static std::regex const use(R"(gpu_context->streams\[(\d+)\])");
  int count = 0;
  for (std::sregex_iterator at(code.begin(), code.end(), use), end; at != end; ++at)
    count = std::max(count, std::stoi((*at)[1]) + 1);
  return count;
}

} // namespace

bool is_build_folder(fs::path const& path) { return fs::is_directory(path); }

sdfg::signature parse_header(std::string const& text, sdfg::graph const& graph) {
  return {parse_function(text, "__program_" + graph.name, /*has_handle=*/true, graph),
          parse_function(text, "__dace_init_" + graph.name, /*has_handle=*/false, graph)};
}

build_folder read_build_folder(fs::path const& path) {
  build_folder result;
  result.path = path;
  fs::path program = path / "program.sdfgz";
  if (!fs::exists(program)) program = path / "program.sdfg";
  if (!fs::exists(program))
    throw error(errc::invalid_input, "holds no program.sdfg or program.sdfgz", {}, path.string());
  if (!fs::is_directory(path / "src"))
    throw error(errc::invalid_input,
                "holds no folder src: DaCe's build_folder_mode 'production' deletes it", {},
                path.string());
  result.sdfg_file = program;
  result.graph = sdfg::read(program);

  fs::path const header = path / "include" / (result.graph.name + ".h");
  try {
    result.signature = parse_header(read_text(header), result.graph);
  } catch (error const& problem) {
    throw problem.in_file(header.string());
  }
  std::vector<std::string> headers;
  for (auto const& entry : fs::directory_iterator(path / "include"))
    if (entry.is_regular_file()) headers.push_back(entry.path().filename().string());
  std::ranges::sort(headers);
  for (std::string const& name : headers)
    result.files.push_back({"include/" + name, read_text(path / "include" / name)});

  bool has_device = false;
  for (std::string const& source : source_paths(path)) {
    std::string text = read_text(path / "src" / source);
    std::string const folder = source.substr(0, source.find('/'));
    if (folder == "cuda" || folder == "experimental_cuda") {
      has_device = true;
      result.experimental = folder == "experimental_cuda";
      if (source.find("/hip/") != std::string::npos) result.target = target::hip;
    } else if (folder != "cpu") {
      throw error(errc::unsupported, fmt::format("code of target '{}'", folder), {},
                  (path / "src" / source).string());
    }
    result.own_streams = std::max(result.own_streams, streams_used(text));
    result.files.push_back({"src/" + source, std::move(text)});
  }
  if (!has_device) result.target = target::cpu;
  result.mode = mode_of(result.graph);
  return result;
}

plan::program interface_of(build_folder const& folder) {
  plan::program result;
  result.name = folder.graph.name;
  result.settings.mode = folder.mode;
  result.settings.target = folder.target;
  result.settings.layout = workspace_layout::packed;
  result.settings.own_streams = folder.own_streams;
  result.signature = folder.signature;
  visit_graphs(folder.graph, [&](sdfg::graph const& graph) {
    for (auto const& [name, type] : graph.arrays) {
      if (!type.transient || type.lifetime != sdfg::lifetime::external) continue;
      plan::buffer buffer;
      buffer.name = fmt::format("__{}_{}", graph.id, name);
      buffer.container = name;
      buffer.sdfg_id = graph.id;
      buffer.type = type.type;
      buffer.space = type.storage == sdfg::storage::gpu_global ? plan::memory_space::device
                                                               : plan::memory_space::host;
      buffer.provision = plan::provision::external;
      buffer.element_count = type.total_size;
      buffer.storage = sdfg::name(type.storage);
      buffer.place = type.place;
      result.buffers.push_back(std::move(buffer));
    }
  });
  plan::lay_out_workspaces(result);
  return result;
}

} // namespace assay
