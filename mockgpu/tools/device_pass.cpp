#include "device_pass.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "declarations.hpp"
#include "files.hpp"
#include "line_markers.hpp"
#include "rewrite.hpp"
#include "sequence_diff.hpp"
#include "tokens.hpp"

namespace mockgpu::tools {
namespace {

constexpr std::string_view host_mark = "__mockgpu_host__";

bool is_mark(std::string_view word) {
  return word.starts_with("__mockgpu_") && word.ends_with("__");
}
bool is_line_marker(token const& t) {
  return t.kind == token_kind::directive && read_line_marker(t.text).line != 0;
}

/// One of the two texts, in tokens.
class pass {
public:
  explicit pass(std::string text)
      : text_(std::move(text)), tokens_(split_into_tokens(text_)), in_mark_(tokens_.size()) {
    for (unsigned i = 0; i + 1 < size(); ++i) {
      if (!is_mark(tokens_[i].text) || tokens_[i + 1].partner <= i + 1) continue;
      unsigned const close = tokens_[i + 1].partner;
      for (unsigned k = i + 1; k <= close; ++k) in_mark_[k] = true;
      i = close;
    }
  }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(tokens_.size()); }
  [[nodiscard]] token_list const& tokens() const { return tokens_; }
  [[nodiscard]] token const& at(unsigned i) const { return tokens_[i]; }
  /// Of tokens [begin, end), but for line markers and what marks hold: that is the same but for a
  /// number that counts the marks so far.
  [[nodiscard]] std::uint64_t hash(unsigned begin, unsigned end) const {
    std::uint64_t sum = 0;
    for (unsigned i = begin; i < end; ++i)
      if (!in_mark_[i] && !is_line_marker(tokens_[i]))
        sum = sum * 0x100000001B3u + std::hash<std::string_view>()(tokens_[i].text);
    return sum;
  }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t begin_of(unsigned i) const {
    return i < size() ? static_cast<std::size_t>(tokens_[i].text.data() - text_.data())
                      : text_.size();
  }
  [[nodiscard]] std::size_t end_of(unsigned i) const {
    return begin_of(i) + tokens_[i].text.size();
  }
  /// Tokens [begin, end) as they stand.
  [[nodiscard]] std::string_view slice(unsigned begin, unsigned end) const {
    return begin == end ? std::string_view()
                        : text().substr(begin_of(begin), end_of(end - 1) - begin_of(begin));
  }

  struct place {
    std::string_view file = "?";
    std::size_t line = 1;
    bool system = false;
  };
  /// Where a token stands in the sources.
  [[nodiscard]] place place_of(unsigned i) const {
    place result;
    std::size_t const end = begin_of(i);
    for (unsigned k = std::min(i, size()); k-- > 0;) {
      if (!is_line_marker(tokens_[k])) continue;
      line_marker const marker = read_line_marker(tokens_[k].text);
      std::string_view const between = text().substr(end_of(k), end - end_of(k));
      auto const newlines = std::size_t(std::count(between.begin(), between.end(), '\n'));
      return {marker.file, marker.line + newlines - (newlines == 0 ? 0 : 1), marker.system};
    }
    return result;
  }
  /// A line of text that gives what follows the place of a token.
  [[nodiscard]] std::string marker_for(unsigned i) const {
    place const where = place_of(i);
    return "\n# " + std::to_string(where.line) + " \"" + std::string(where.file) + "\"" +
           (where.system ? " 3" : "") + "\n";
  }

private:
  std::string text_;
  token_list tokens_;
  std::vector<bool> in_mark_; ///< by token
};

/// For whom a declaration is.
struct audience {
  bool host = false, device = false; ///< by its marks
  [[nodiscard]] bool only_device() const noexcept { return device && !host; }
};

/// By the marks in [begin, end) that are in no parenthesis or brace.
audience read_marks(token_list const& tokens, unsigned begin, unsigned end) {
  audience found;
  for (unsigned i = begin; i < end; ++i) {
    std::string_view const text = tokens[i].text;
    if (is_mark(text)) (text == host_mark ? found.host : found.device) = true;
    if ((text == "(" || text == "{" || text == "[") && tokens[i].partner > i) i = tokens[i].partner;
  }
  return found;
}

/// A declaration, tokens [begin, end).
struct declaration {
  enum class form : std::uint8_t {
    scope,    ///< a namespace, a linkage specification, or a class: declarations in braces
    function, ///< with a body
    other
  };
  unsigned begin = 0, end = 0;
  form what = form::other;
  unsigned open = 0, close = 0; ///< the braces, but for other ones
  audience for_whom = {};

  /// Where the head ends, by which it is known again.
  [[nodiscard]] unsigned head_end() const noexcept { return what == form::other ? end : open; }
};

/// Whether the declaration that begins here and has a brace there holds declarations.
bool opens_scope(token_list const& tokens, unsigned begin, unsigned open) {
  bool names_class = false;
  for (unsigned i = begin; i < open; ++i) {
    std::string_view const text = tokens[i].text;
    if (text == "namespace") return true;
    if (text == "struct" || text == "class" || text == "union") names_class = true;
    if (text == "extern") return tokens[i + 1].kind == token_kind::string && i + 2 == open;
    if (text == "<" && i > begin) {
      if (unsigned const next = skip_template_arguments(tokens, i); next != i) i = next - 1;
    } else if (text == "(" && tokens[i].partner > i) {
      // Attributes and marks stand in front, parameters do not.
      std::string_view const in_front = tokens[i - 1].text;
      if (in_front != "__attribute__" && in_front != "alignas" && !is_mark(in_front)) return false;
      i = tokens[i].partner;
    } else if (text == "=" || text == "enum" || text == "operator") {
      return false;
    }
  }
  return names_class;
}

/// Whether the brace behind parameters opens the body of a function: a semicolon behind that ends
/// nothing.
bool opens_body(token_list const& tokens, unsigned begin, unsigned open) {
  for (unsigned i = begin; i < open; ++i) {
    if (tokens[i].text == "=" && tokens[i - 1].text != "operator") return false; // of a variable
    if (tokens[i].text == "(" && tokens[i].partner > i) i = tokens[i].partner;
  }
  unsigned last = open - 1;
  auto const is_behind_parameters = [](token const& t) {
    return t.kind == token_kind::directive || t.text == "const" || t.text == "noexcept" ||
           t.text == "override" || t.text == "final";
  };
  while (last > begin && is_behind_parameters(tokens[last])) --last;
  return tokens[last].text == ")";
}

/// The declarations on one level, [begin, end); nothing where the tokens are no whole ones.
std::optional<std::vector<declaration>> split_into_declarations(token_list const& tokens,
                                                                unsigned begin, unsigned end) {
  std::vector<declaration> found;
  declaration next;
  auto const start = [&](unsigned at) {
    while (at < end && tokens[at].kind == token_kind::directive) ++at;
    next = {.begin = at};
  };
  start(begin);
  for (unsigned i = next.begin; i < end; ++i) {
    token const& t = tokens[i];
    bool ends = t.text == ";";
    if (t.text == "(" || t.text == "[" || t.text == "{") {
      if (t.partner <= i || t.partner >= end) return std::nullopt;
      if (t.text == "{") {
        if (next.what == declaration::form::other && opens_scope(tokens, next.begin, i)) {
          next.what = declaration::form::scope;
          next.open = i;
          next.close = t.partner;
          bool const is_class = [&] {
            for (unsigned k = next.begin; k < i; ++k)
              if (tokens[k].text == "namespace" || tokens[k].text == "extern") return false;
            return true;
          }();
          ends = !is_class; // a class goes on up to its semicolon
        } else if (next.what == declaration::form::other) {
          // Behind an initialiser there is more to come.
          unsigned k = t.partner + 1;
          while (k < tokens.size() && tokens[k].kind == token_kind::directive) ++k;
          std::string_view const behind = k < tokens.size() ? tokens[k].text : "";
          ends = (behind != ";" || opens_body(tokens, next.begin, i)) && behind != "," &&
                 behind != "=" && behind != "(" && behind != "{" && behind != ")" &&
                 behind != "[" && behind != ".";
          if (ends) {
            next.what = declaration::form::function;
            next.open = i;
            next.close = t.partner;
          }
        }
      }
      i = t.partner;
    } else if (t.text == ")" || t.text == "]" || t.text == "}") {
      return std::nullopt;
    }
    if (!ends) continue;
    next.end = i + 1;
    next.for_whom = read_marks(tokens, next.begin, next.head_end());
    found.push_back(next);
    start(i + 1);
    i = next.begin - 1;
  }
  for (unsigned i = next.begin; i < end; ++i)
    if (tokens[i].kind != token_kind::directive) return std::nullopt;
  return found;
}

/// Lambdas with marks in [begin, end): their bodies and for whom they are, outermost ones.
std::vector<declaration> find_marked_lambdas(token_list const& tokens, unsigned begin,
                                             unsigned end) {
  std::vector<declaration> found;
  for (unsigned i = begin; i < end; ++i) {
    if (!is_mark(tokens[i].text) || i == 0 || tokens[i - 1].text != "]") continue;
    declaration one{.begin = i, .what = declaration::form::function};
    unsigned open = i;
    while (open < end && tokens[open].text != "{") {
      unsigned const partner = tokens[open].partner;
      open = (tokens[open].text == "(" && partner > open ? partner : open) + 1;
    }
    if (open >= end || tokens[open].partner <= open) continue;
    one.open = open;
    one.close = tokens[open].partner;
    one.end = one.close + 1;
    one.for_whom = read_marks(tokens, i, open);
    found.push_back(one);
    i = one.close;
  }
  return found;
}

class merger {
public:
  merger(std::string_view host, std::string_view device)
      : host_(join_marked_expansions(host)), device_(join_marked_expansions(device)) {}

  std::string run() {
    merge({0, host_.size()}, {0, device_.size()});
    return write();
  }

private:
  struct range {
    unsigned begin, end;
  };
  struct replacement {
    unsigned begin, end; ///< tokens of the host's text
    std::string text;
  };
  using declarations = std::span<declaration const>;

  [[noreturn]] void refuse(unsigned at) const {
    pass::place const where = host_.place_of(std::min(at, host_.size() - 1));
    throw rewrite_error(std::string(where.file) + ":" + std::to_string(where.line) +
                        ": error: what differs here between host and device code is neither in a "
                        "function's body nor whole declarations");
  }

  /// The differences of two lists of declarations, by a number for each.
  template <class Number>
  std::vector<difference> compare(declarations mine, declarations theirs, Number number) const {
    std::vector<std::uint64_t> first, second;
    for (declaration const& one : mine) first.push_back(number(host_, one));
    for (declaration const& one : theirs) second.push_back(number(device_, one));
    constexpr std::size_t most = 5000;
    auto const found = find_differences(first, second, most);
    if (!found)
      throw rewrite_error("error: the text for host code and the text for device code have more "
                          "than " +
                          std::to_string(most) + " declarations that differ");
    return *found;
  }

  /// Declarations on one level of both texts.
  void merge(range mine, range theirs) {
    auto const ours = split_into_declarations(host_.tokens(), mine.begin, mine.end);
    auto const others = split_into_declarations(device_.tokens(), theirs.begin, theirs.end);
    if (!ours || !others) refuse(mine.begin);
    auto const by_all = [](pass const& text, declaration const& one) {
      return text.hash(one.begin, one.end);
    };
    auto const by_head = [](pass const& text, declaration const& one) {
      return text.hash(one.begin, one.head_end());
    };
    declarations const all = *ours, all_others = *others;
    for (difference const& run : compare(all, all_others, by_all)) {
      declarations const here = all.subspan(run.first_begin, run.first_end - run.first_begin);
      declarations const there =
          all_others.subspan(run.second_begin, run.second_end - run.second_begin);
      unsigned const behind = run.first_end < all.size() ? all[run.first_end].begin : mine.end;
      std::size_t h = 0, d = 0;
      auto const pairs_up_to = [&](std::size_t end) {
        for (; h < end; ++h, ++d) resolve(here[h], there[d]);
      };
      for (difference const& alone : compare(here, there, by_head)) {
        pairs_up_to(alone.first_begin);
        replace(here.subspan(alone.first_begin, alone.first_end - alone.first_begin),
                there.subspan(alone.second_begin, alone.second_end - alone.second_begin),
                alone.first_end < here.size() ? here[alone.first_end].begin : behind);
        h = alone.first_end;
        d = alone.second_end;
      }
      pairs_up_to(here.size());
    }
  }

  /// One declaration with the same head in both texts.
  void resolve(declaration const& mine, declaration const& theirs) {
    if (host_.hash(mine.begin, mine.end) == device_.hash(theirs.begin, theirs.end)) return;
    if (mine.what != theirs.what) refuse(mine.begin);
    if (mine.what == declaration::form::scope)
      merge({mine.open + 1, mine.close}, {theirs.open + 1, theirs.close});
    else if (mine.what == declaration::form::function)
      resolve_function(mine, theirs);
    else
      refuse(mine.begin);
  }

  void resolve_function(declaration const& mine, declaration const& theirs) {
    if (mine.for_whom.only_device() || mine.for_whom.device) {
      std::string text = device_.marker_for(theirs.open) +
                         std::string(device_.slice(theirs.open, theirs.close + 1));
      if (mine.for_whom.host)
        text = "{ if (!__builtin_is_constant_evaluated() && ::mockgpu_shim::on_device())" + text +
               " else" + host_.marker_for(mine.open) +
               std::string(host_.slice(mine.open, mine.close + 1)) + " }";
      replacements_.push_back({mine.open, mine.close + 1, text});
      return;
    }
    // A function of the host, as the host sees it, but for the lambdas that are not.
    auto const here = find_marked_lambdas(host_.tokens(), mine.open, mine.close);
    auto const there = find_marked_lambdas(device_.tokens(), theirs.open, theirs.close);
    if (here.size() != there.size()) return;
    for (std::size_t i = 0; i < here.size(); ++i)
      if (host_.hash(here[i].open, here[i].end) != device_.hash(there[i].open, there[i].end))
        resolve_function(here[i], there[i]);
  }

  /// Declarations that one text has alone. \param at the token of the host's text behind them.
  void replace(declarations mine, declarations theirs, unsigned at) {
    std::string text;
    bool kept = false, kept_other = false;
    for (declaration const& one : mine) {
      if (one.for_whom.only_device()) continue;
      kept = true;
      kept_other = kept_other || one.what == declaration::form::other;
      text += host_.marker_for(one.begin) + std::string(host_.slice(one.begin, one.end));
    }
    for (declaration const& one : theirs) {
      // A constant or a type that is one thing here and another thing there.
      if (kept_other && !one.for_whom.only_device() && one.what == declaration::form::other)
        refuse(mine.front().begin);
      if (kept && !one.for_whom.only_device()) continue;
      text += device_.marker_for(one.begin) + std::string(device_.slice(one.begin, one.end));
    }
    unsigned const begin = mine.empty() ? at : mine.front().begin;
    replacements_.push_back({begin, mine.empty() ? at : mine.back().end, text});
  }

  std::string write() {
    std::sort(replacements_.begin(), replacements_.end(),
              [](replacement const& a, replacement const& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (replacement const& one : replacements_) {
      std::size_t const begin = host_.begin_of(one.begin);
      out += host_.text().substr(at, begin - at);
      out += one.text;
      at = host_.begin_of(one.end);
      // What stands between goes too; a directive keeps a line of its own.
      if (one.end < host_.size()) out += host_.marker_for(one.end);
    }
    out += host_.text().substr(at);
    return out;
  }

  pass host_, device_;
  std::vector<replacement> replacements_;
};

} // namespace

bool asks_for_whom(std::string_view preprocessed, std::string_view shim_directory) {
  std::set<std::string, std::less<>> seen;
  for (std::size_t at = 0; at < preprocessed.size();) {
    std::size_t const end = std::min(preprocessed.find('\n', at), preprocessed.size());
    line_marker const marker = read_line_marker(preprocessed.substr(at, end - at));
    at = end + 1;
    if (marker.line == 0 || marker.file.starts_with('<') || marker.file.starts_with("/usr/") ||
        (!shim_directory.empty() && marker.file.starts_with(shim_directory)) ||
        seen.contains(marker.file))
      continue;
    std::string const& file = *seen.emplace(marker.file).first;
    if (!std::filesystem::is_regular_file(file)) continue; // a generator's name for its input
    std::string const text = read_file(file);
    for (char const* const name : {"__CUDA_ARCH__", "__HIP_DEVICE_COMPILE__"})
      if (text.find(name) != text.npos) return true;
  }
  return false;
}

std::string merge_passes(std::string_view host, std::string_view device) {
  return without_host_marks(merger(host, device).run());
}

std::string without_host_marks(std::string_view preprocessed) {
  std::string const joined = join_marked_expansions(preprocessed);
  std::string const mark = std::string(host_mark) + "()";
  std::string out;
  out.reserve(joined.size());
  std::size_t at = 0;
  for (std::size_t found; (found = joined.find(mark, at)) != joined.npos; at = found + mark.size())
    out.append(joined, at, found - at);
  out.append(joined, at);
  return out;
}

} // namespace mockgpu::tools
