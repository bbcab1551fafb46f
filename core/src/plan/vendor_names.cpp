#include "plan/vendor_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <optional>
#include <utility>

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
std::optional<std::string> renamed(std::string_view word, target to, std::string const& place) {
  if (word == current_stream_name) return "__state->gpu_context->streams[0]";
  auto const other = to == target::cuda ? target::hip : target::cuda;
  if (to == target::cpu) {
    for (std::string_view const prefix : {"cuda", "hip", "gpu"})
      if (runtime_name(word, prefix))
        throw error(errc::unsupported, "C++ code for the cpu names '" + std::string(word) + "'",
                    place);
    return std::nullopt;
  }
  if (is_library_of(word, other))
    throw error(errc::unsupported,
                "C++ code names '" + std::string(word) + "', which " + std::string(name(to)) +
                    " does not have",
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
      "ReductionType", "wcr_fixed",  "_wcr_fixed", "int8",        "int16",       "int32",
      "int64",         "uint8",      "uint16",     "uint32",      "uint64",      "float16",
      "float32",       "float64",    "half",       "complex64",   "complex128",  "math",
      "math::abs",     "math::exp",  "math::log",  "math::pow",   "math::mod",   "math::ipow",
      "math::sign",    "math::sin",  "math::cos",  "math::tan",   "math::asin",  "math::acos",
      "math::atan",    "math::sinh", "math::cosh", "math::tanh",  "math::sqrt",  "math::floor",
      "math::ceil",    "math::cbrt", "math::log2", "math::log10", "math::log1p", "math::expm1",
      "math::exp2",    "math::round"};
  return std::ranges::find(known, name) != known.end();
}

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

/// What follows `::` behind a name that ends at `at`, with the offset of its end; nothing where the
/// name is not qualified further.
std::optional<std::pair<std::string_view, std::size_t>> name_within(std::string_view code,
                                                                    std::size_t at) {
  constexpr std::string_view blanks = " \t\n";
  auto const colons = code.find_first_not_of(blanks, at);
  if (colons == code.npos || !code.substr(colons).starts_with("::")) return std::nullopt;
  auto const begin = std::min(code.find_first_not_of(blanks, colons + 2), code.size());
  auto const end = std::find_if_not(code.begin() + static_cast<std::ptrdiff_t>(begin), code.end(),
                                    [](char c) { return std::isalnum(c & 0xff) != 0 || c == '_'; });
  auto const past = static_cast<std::size_t>(end - code.begin());
  return std::pair{code.substr(begin, past - begin), past};
}

void refuse_unknown_of_dace(std::string_view code, std::string const& place) {
  std::string_view before;
  sdfg::for_each_identifier(code, [&](std::size_t at, std::string_view word) {
    bool const whole = std::exchange(before, word) == "namespace";
    if (word != "dace") return;
    auto const name = name_within(code, at + word.size());
    if (!name && whole)
      throw error(errc::unsupported,
                  "C++ code uses namespace 'dace', of which Assay's headers have a part", place);
    if (!name) return;
    auto const inner = name->first == "math" ? name_within(code, name->second) : std::nullopt;
    auto const known = std::string(name->first) + (inner ? "::" + std::string(inner->first) : "");
    if (!is_known_of_dace(known))
      throw error(errc::unsupported,
                  "C++ code names 'dace::" + known + "', which Assay's headers do not have", place);
  });
}

} // namespace

std::string in_names_of(target to, std::string_view code, std::string const& place) {
  refuse_unknown_of_dace(code, place);
  std::string result;
  std::size_t copied = 0;
  sdfg::for_each_identifier(code, [&](std::size_t at, std::string_view word) {
    auto const other = renamed(word, to, place);
    if (!other) return;
    result.append(code, copied, at - copied).append(*other);
    copied = at + word.size();
  });
  return result.append(code, copied);
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
