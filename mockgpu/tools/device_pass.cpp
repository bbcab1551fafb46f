#include "device_pass.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
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

/// One of the two texts, in tokens and in lines of tokens.
class pass {
public:
  explicit pass(std::string text)
      : text_(std::move(text)), tokens_(split_into_tokens(text_)), in_mark_(tokens_.size()) {
    std::size_t hash = 0;
    bool behind_mark = false;
    for (unsigned i = 0; i < size(); ++i) {
      if (is_line_marker(tokens_[i])) continue;
      // A mark goes with what it marks, wherever its expansion has left that.
      bool const fresh = line_begins_.empty() || (begins_line(i) && !behind_mark);
      if (fresh) {
        if (!line_begins_.empty()) lines_.push_back(hash);
        line_begins_.push_back(i);
        hash = 0;
      }
      hash = hash * 31 + std::hash<std::string_view>()(tokens_[i].text);
      // What a mark holds is the same but for a number that counts the marks so far.
      behind_mark = is_mark(tokens_[i].text) && i + 1 < size() && tokens_[i + 1].partner > i + 1;
      if (behind_mark) {
        unsigned const close = tokens_[i + 1].partner;
        for (unsigned k = i + 1; k <= close; ++k) in_mark_[k] = true;
        i = close;
      }
    }
    if (!line_begins_.empty()) lines_.push_back(hash);
    line_begins_.push_back(size());
  }

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(tokens_.size()); }
  [[nodiscard]] token_list const& tokens() const { return tokens_; }
  [[nodiscard]] token const& at(unsigned i) const { return tokens_[i]; }
  [[nodiscard]] bool in_mark(unsigned i) const { return in_mark_[i]; }
  [[nodiscard]] std::vector<std::uint64_t> const& lines() const { return lines_; }
  [[nodiscard]] unsigned line_begin(std::size_t line) const { return line_begins_[line]; }
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
  [[nodiscard]] bool begins_line(unsigned i) const {
    std::size_t const from = i == 0 ? 0 : end_of(i - 1), to = begin_of(i);
    return i == 0 || is_line_marker(tokens_[i - 1]) ||
           text().substr(from, to - from).find('\n') != std::string_view::npos;
  }

  std::string text_;
  token_list tokens_;
  std::vector<bool> in_mark_; ///< by token
  std::vector<std::uint64_t> lines_;
  std::vector<unsigned> line_begins_; // and the end of the last
};

/// A function with a mark, from its declaration's first token on.
struct marked_function {
  unsigned begin, open, close; ///< of the declaration, and of the body
  bool host = false, device = false;
};

/// Who is meant by the marks of a declaration, [begin, end) without what parentheses and braces
/// hold.
void read_marks(token_list const& tokens, unsigned begin, unsigned end, bool& host, bool& device) {
  for (unsigned i = begin; i < end; ++i) {
    std::string_view const text = tokens[i].text;
    if (is_mark(text)) (text == host_mark ? host : device) = true;
    if ((text == "(" || text == "{" || text == "[") && tokens[i].partner > i) i = tokens[i].partner;
  }
}

std::vector<marked_function> find_marked_functions(token_list const& tokens) {
  std::vector<marked_function> found;
  for (unsigned i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_mark(tokens[i].text) || tokens[i + 1].text != "(") continue;
    unsigned begin = declaration_begin(tokens, i);
    // A lambda's marks stand between its brackets and its parameters.
    bool const lambda = i > 0 && tokens[i - 1].text == "]";
    if (lambda) begin = i;
    unsigned behind = i;
    while (behind + 1 < tokens.size() && is_mark(tokens[behind].text))
      behind = tokens[behind + 1].partner + 1;
    std::optional<parameter_list> list;
    if (lambda && behind < tokens.size() && tokens[behind].text == "(")
      list = parameter_list{behind, tokens[behind].partner};
    else
      list = find_parameter_list(tokens, behind);
    auto const body = list ? find_body(tokens, *list) : std::nullopt;
    if (!body || tokens[*body].partner <= *body) continue;
    marked_function one = {begin, *body, tokens[*body].partner};
    read_marks(tokens, begin, list->open, one.host, one.device);
    if (found.empty() || found.back().open != one.open) found.push_back(one);
  }
  return found;
}

/// Declarations on one level, [begin, end) each; nothing where the tokens are no whole ones.
std::optional<std::vector<std::pair<unsigned, unsigned>>>
split_into_declarations(token_list const& tokens, unsigned begin, unsigned end) {
  std::vector<std::pair<unsigned, unsigned>> found;
  unsigned from = begin;
  for (unsigned i = begin; i < end; ++i) {
    token const& t = tokens[i];
    bool ends = t.text == ";";
    if ((t.text == "(" || t.text == "[" || t.text == "{")) {
      if (t.partner <= i || t.partner >= end) return std::nullopt;
      unsigned const close = t.partner;
      bool const body = t.text == "{";
      i = close;
      if (body) {
        // Behind a class or an initialiser there is more to come.
        unsigned k = close + 1;
        while (k < tokens.size() && tokens[k].kind == token_kind::directive) ++k;
        std::string_view const next = k < tokens.size() ? tokens[k].text : "";
        ends = next != ";" && next != "," && next != "=" && next != "(" && next != "{";
        // `struct s {...} variable;` and a class that is begun here and ended elsewhere.
        for (unsigned w = from; ends && w < close; ++w) {
          std::string_view const word = tokens[w].text;
          if (word == "(" || word == "{") break;
          if (word == "struct" || word == "class" || word == "union" || word == "enum")
            ends = false;
        }
      }
    } else if (t.text == ")" || t.text == "]" || t.text == "}") {
      return std::nullopt;
    }
    if (!ends) continue;
    found.emplace_back(from, i + 1);
    from = i + 1;
  }
  for (unsigned i = from; i < end; ++i)
    if (tokens[i].kind != token_kind::directive) return std::nullopt;
  return found;
}

bool begins_a_declaration(token_list const& tokens, unsigned i) {
  while (i > 0 && tokens[i - 1].kind == token_kind::directive) --i;
  if (i == 0) return true;
  std::string_view const before = tokens[i - 1].text;
  return before == ";" || before == "}" || before == "{" || before == ":";
}

class merger {
public:
  merger(std::string_view host, std::string_view device)
      : host_(join_marked_expansions(host)), device_(join_marked_expansions(device)) {}

  std::string run() {
    constexpr std::size_t most_lines = 5000;
    auto const lines = find_differences(host_.lines(), device_.lines(), most_lines);
    if (!lines)
      throw rewrite_error("error: the text for host code and the text for device code have more "
                          "than " +
                          std::to_string(most_lines) + " lines that differ");
    if (lines->empty()) return std::string(host_.text());
    map_tokens(*lines);
    functions_ = find_marked_functions(host_.tokens());
    for (difference const& one : *lines) settle(one);
    return write();
  }

private:
  /// Tokens of the host's text in the place of tokens of the device's.
  struct hunk {
    unsigned host_begin, host_end, device_begin, device_end;
  };
  struct replacement {
    unsigned begin, end; ///< tokens of the host's text
    std::string text;
  };

  [[nodiscard]] hunk whole(difference const& one) const {
    return {host_.line_begin(one.first_begin), host_.line_begin(one.first_end),
            device_.line_begin(one.second_begin), device_.line_begin(one.second_end)};
  }
  /// Without the tokens at both ends that are alike.
  [[nodiscard]] hunk trimmed(hunk one) const {
    auto const alike = [&](unsigned h, unsigned d) {
      return host_.at(h).text == device_.at(d).text || (host_.in_mark(h) && device_.in_mark(d));
    };
    while (one.host_begin < one.host_end && one.device_begin < one.device_end &&
           alike(one.host_begin, one.device_begin))
      ++one.host_begin, ++one.device_begin;
    while (one.host_begin < one.host_end && one.device_begin < one.device_end &&
           alike(one.host_end - 1, one.device_end - 1))
      --one.host_end, --one.device_end;
    return one;
  }

  /// Which token of the device's text each token of the host's is that both have.
  void map_tokens(std::vector<difference> const& lines) {
    partner_.assign(host_.size(), device_.size());
    auto const pair_up = [&](unsigned host, unsigned host_end, unsigned device) {
      for (; host < host_end && device < device_.size(); ++host, ++device) {
        while (host < host_end && is_line_marker(host_.at(host))) ++host;
        while (device < device_.size() && is_line_marker(device_.at(device))) ++device;
        if (host < host_end && device < device_.size()) partner_[host] = device;
      }
    };
    unsigned host = 0, device = 0;
    for (difference const& one : lines) {
      hunk const all = whole(one), core = trimmed(all);
      pair_up(host, core.host_begin, device);
      pair_up(core.host_end, all.host_end, core.device_end);
      host = all.host_end;
      device = all.device_end;
    }
    pair_up(host, host_.size(), device);
  }

  void settle(difference const& lines) {
    hunk const all = whole(lines), core = trimmed(all);
    if (core.host_begin == core.host_end && core.device_begin == core.device_end) return;
    if (settle_in_function(core)) return;
    if (settle_declarations(core) || settle_declarations(all)) return;
    unsigned const at = std::min(all.host_begin, host_.size() - 1);
    pass::place const where = host_.place_of(at);
    throw rewrite_error(std::string(where.file) + ":" + std::to_string(where.line) +
                        ": error: what differs here between host and device code is neither in a "
                        "function's body nor whole declarations");
  }

  /// \returns false outside of functions with marks.
  bool settle_in_function(hunk const& one) {
    for (marked_function const& f : functions_) {
      if (one.host_begin <= f.open || one.host_end > f.close) continue;
      if (!f.device) return true; // host code only
      unsigned const open = partner_[f.open];
      if (open >= device_.size() || device_.at(open).partner <= open) return false;
      if (std::any_of(replacements_.begin(), replacements_.end(),
                      [&](replacement const& other) { return other.begin == f.open; }))
        return true;
      unsigned const end = device_.at(open).partner + 1;
      std::string text = device_.marker_for(open) + std::string(device_.slice(open, end));
      if (f.host)
        text = "{ if (!__builtin_is_constant_evaluated() && ::mockgpu_shim::on_device())" + text +
               " else" + host_.marker_for(f.open) + std::string(host_.slice(f.open, f.close + 1)) +
               " }";
      replacements_.push_back({f.open, f.close + 1, text});
      return true;
    }
    return is_in_host_function(one);
  }

  /// Inside of braces that are a function's without marks: what the host sees is what there is.
  [[nodiscard]] bool is_in_host_function(hunk const& one) const {
    for (unsigned i = one.host_begin; i-- > 0;) {
      token const& t = host_.at(i);
      if (t.kind != token_kind::punctuation) continue;
      if (t.text == "}" && t.partner < i) {
        i = t.partner;
      } else if (t.text == "{" && t.partner >= one.host_end && opens_function(i)) {
        return true;
      }
    }
    return false;
  }
  /// The body of a function, or a block in one.
  [[nodiscard]] bool opens_function(unsigned brace) const {
    for (unsigned i = brace; i-- > 0;) {
      token const& t = host_.at(i);
      if (t.text == ")") {
        unsigned const open = t.partner;
        return open != 0 && open < i && host_.at(open - 1).text != "__attribute__";
      }
      if (t.text == "else" || t.text == "do" || t.text == "try") return true;
      if (t.kind != token_kind::directive && t.text != "const" && t.text != "noexcept" &&
          t.text != "override" && t.text != "final" && t.text != "mutable")
        return false;
    }
    return false;
  }

  bool settle_declarations(hunk const& one) {
    if (!begins_a_declaration(host_.tokens(), one.host_begin) ||
        !begins_a_declaration(device_.tokens(), one.device_begin))
      return false;
    auto const mine = split_into_declarations(host_.tokens(), one.host_begin, one.host_end);
    auto const theirs = split_into_declarations(device_.tokens(), one.device_begin, one.device_end);
    if (!mine || !theirs) return false;
    auto const for_device = [](pass const& text, std::pair<unsigned, unsigned> range) {
      bool host = false, device = false;
      read_marks(text.tokens(), range.first, range.second, host, device);
      return device && !host;
    };
    std::string text;
    bool kept = false;
    for (auto const& range : *mine) {
      if (for_device(host_, range)) continue;
      kept = true;
      text += host_.marker_for(range.first) + std::string(host_.slice(range.first, range.second));
    }
    for (auto const& range : *theirs)
      if (!kept || for_device(device_, range))
        text +=
            device_.marker_for(range.first) + std::string(device_.slice(range.first, range.second));
    replacements_.push_back({one.host_begin, one.host_end, text});
    return true;
  }

  std::string write() {
    std::sort(replacements_.begin(), replacements_.end(),
              [](replacement const& a, replacement const& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t at = 0;
    for (replacement const& one : replacements_) {
      std::size_t const begin = host_.begin_of(one.begin);
      if (begin < at) continue; // in a body that has been replaced
      out += host_.text().substr(at, begin - at);
      out += one.text;
      out += host_.marker_for(one.end);
      at = host_.begin_of(one.end);
    }
    out += host_.text().substr(at);
    return out;
  }

  pass host_, device_;
  std::vector<unsigned> partner_; ///< by token of the host's text
  std::vector<marked_function> functions_;
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
