#include "plan/vendor_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "assay/error.hpp"
#include "plan/walk.hpp"
#include "sdfg/used_names.hpp"

namespace assay::plan {
namespace {

/// The rest of a runtime name: "Malloc" of cudaMalloc; nothing for other words.
std::optional<std::string_view> runtime_name(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix) || word.size() == prefix.size()) return std::nullopt;
  if (std::isupper(static_cast<unsigned char>(word[prefix.size()])) == 0) return std::nullopt;
  return word.substr(prefix.size());
}

/// Prefixes of libraries that the other vendor does not have under a name of the same kind.
bool is_library_of(std::string_view word, target vendor) {
  static constexpr std::array<std::string_view, 7> cuda{"cublas", "cusolver", "cusparse", "cufft",
                                                        "curand", "cutensor", "nvtx"};
  static constexpr std::array<std::string_view, 7> hip{
      "rocblas", "hipblas", "rocsolver", "hipsparse", "hipfft", "hiprand", "roctx"};
  for (auto const prefix : vendor == target::cuda ? cuda : hip)
    if (word.starts_with(prefix) && word.size() > prefix.size()) return true;
  return false;
}

/// What a word is in the target's names, where that is something else.
std::optional<std::string> renamed(std::string const& word, target to, std::string const& place) {
  if (word == current_stream_name) return "__state->gpu_context->streams[0]";
  auto const other = to == target::cuda ? target::hip : target::cuda;
  if (to == target::cpu) {
    for (std::string_view const prefix : {"cuda", "hip", "gpu"})
      if (runtime_name(word, prefix))
        throw error(errc::unsupported, "C++ code for the cpu names '" + word + "'", place);
    return std::nullopt;
  }
  if (is_library_of(word, other))
    throw error(errc::unsupported,
                "C++ code names '" + word + "', which " + std::string(name(to)) + " does not have",
                place);
  for (std::string_view const prefix : {name(other), std::string_view("gpu")})
    if (auto const rest = runtime_name(word, prefix))
      return std::string(name(to)) + std::string(*rest);
  if (to == target::hip && word == "cub") return "hipcub";
  if (to == target::cuda && word == "hipcub") return "cub";
  return std::nullopt;
}

/// What assay/generated/dace_names.hpp has of DaCe's runtime.
bool is_known_of_dace(std::string_view name) {
  static constexpr std::array<std::string_view, 44> known{
      "ReductionType", "wcr_fixed", "_wcr_fixed", "int8",    "int16",      "int32",     "int64",
      "uint8",         "uint16",    "uint32",     "uint64",  "float16",    "float32",   "float64",
      "half",          "complex64", "complex128", "math",    "math::abs",  "math::exp", "math::log",
      "math::pow",     "math::mod", "math::ipow", "math::sign", "math::sin", "math::cos",
      "math::tan",     "math::asin", "math::acos", "math::atan", "math::sinh", "math::cosh",
      "math::tanh",    "math::sqrt", "math::floor", "math::ceil", "math::cbrt", "math::log2",
      "math::log10",   "math::log1p", "math::expm1", "math::exp2", "math::round"};
  return std::ranges::find(known, name) != known.end();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void rename_in(compute_block& block, target to, std::string const& place) {
  for (auto& one : block)
    std::visit(overloaded{[&](tasklet& x) {
                            if (x.language == sdfg::language::cpp)
                              x.cpp = in_names_of(to, x.cpp, place);
                          },
                          [&](for_range& x) { rename_in(x.body, to, place); },
                          [&](compute_loop& x) { rename_in(x.body, to, place); },
                          [&](compute_branch& x) {
                            for (auto& [condition, body] : x.branches) rename_in(body, to, place);
                          },
                          [&](compute_scope& x) { rename_in(x.body, to, place); }, [](auto&) {}},
               one.content);
}

void refuse_unknown_of_dace(std::string_view code, std::string const& place) {
  constexpr std::string_view space = "dace::", math = "math::";
  for (auto at = code.find(space); at != std::string_view::npos; at = code.find(space, at + 1)) {
    if (at > 0 && is_word(code[at - 1])) continue;
    auto const name_at = at + space.size();
    auto end = code.substr(name_at).starts_with(math) ? name_at + math.size() : name_at;
    while (end < code.size() && is_word(code[end])) ++end;
    auto const name = code.substr(name_at, end - name_at);
    if (!is_known_of_dace(name))
      throw error(errc::unsupported,
                  "C++ code names 'dace::" + std::string(name) + "', which Assay's headers do not have",
                  place);
  }
}

} // namespace

std::string in_names_of(target to, std::string_view code, std::string const& place) {
  refuse_unknown_of_dace(code, place);
  std::map<std::string, std::string, std::less<>> changed;
  for (auto const& word : sdfg::identifiers(code))
    if (auto other = renamed(word, to, place)) changed.emplace(word, std::move(*other));
  if (changed.empty()) return std::string(code);
  std::string result;
  for (std::size_t at = 0; at < code.size();) {
    if (!is_word(code[at])) {
      result += code[at++];
      continue;
    }
    auto end = at;
    while (end < code.size() && is_word(code[end])) ++end;
    auto const word = code.substr(at, end - at);
    auto const found = changed.find(word);
    result += found == changed.end() ? word : std::string_view(found->second);
    at = end;
  }
  return result;
}

void use_names_of_target(program& p) {
  auto const to = p.settings.target;
  for (auto* code : {&p.global_code, &p.init_code, &p.exit_code})
    for (auto& [location, text] : *code)
      // A cpu program has no place for the device's code.
      if (to != target::cpu || location != "cuda") text = in_names_of(to, text, {});
  for (auto& k : p.kernels) rename_in(k.body, to, k.place);
  for_each_step(p.body, [&](step& s) {
    if (auto* host = std::get_if<host_compute>(&s.content)) rename_in(host->body, to, s.place);
  });
}

} // namespace assay::plan
