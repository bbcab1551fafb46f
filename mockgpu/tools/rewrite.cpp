#include "rewrite.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "declarations.hpp"
#include "inline_ptx.hpp"
#include "line_markers.hpp"
#include "tokens.hpp"

namespace mockgpu::tools {
namespace {

/// First statement of a kernel. Called by a launch it queues itself; asked for its parameters, it
/// names their types without touching their values. The assembler puts the function's own symbol
/// in (assembly.hpp): C++ has no name for it that a parameter cannot hide.
std::string kernel_prologue(std::vector<parameter> const& parameters,
                            std::vector<std::string> const& names) {
  std::string types;
  std::string values;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    std::string const dots = parameters[i].is_pack ? "..." : "";
    types += (i == 0 ? "decltype(" : ", decltype(") + names[i] + ")" + dots;
    values += ", " + names[i] + dots;
  }
  return " if (::mockgpu_shim::is_launched()) {"
         " void (*mockgpu_entry)();"
         " __asm__(\"movq __mockgpu_this_function@GOTPCREL(%%rip), %0\" : \"=r\"(mockgpu_entry));"
         " if (::mockgpu_shim::is_asked()) ::mockgpu_shim::describe_kernel(mockgpu_entry, "
         "static_cast<void (*)(" +
         types +
         ")>(nullptr));"
         " else ::mockgpu_shim::launch_itself(mockgpu_entry" +
         values + "); return; }";
}

class rewriter {
public:
  explicit rewriter(std::string_view text)
      : text_(text), tokens_(split_into_tokens(text)), where_(tokens_.size() + 1) {}

  std::string run() {
    out_.reserve(text_.size() + text_.size() / 8);
    emit(0, size());
    out_ += text_.substr(end_of(size() - 1));
    return std::move(out_);
  }

private:
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(tokens_.size()); }
  [[nodiscard]] std::size_t begin_of(unsigned i) const {
    return static_cast<std::size_t>(tokens_[i].text.data() - text_.data());
  }
  [[nodiscard]] std::size_t end_of(unsigned i) const {
    return i < size() ? begin_of(i) + tokens_[i].text.size() : 0;
  }
  /// What stands between a token and the one before.
  [[nodiscard]] std::string_view gap_before(unsigned i) const {
    std::size_t const from = i == 0 ? 0 : end_of(i - 1);
    return text_.substr(from, begin_of(i) - from);
  }
  /// The newlines of a piece of the text, so that what follows keeps its line.
  [[nodiscard]] std::string newlines(std::size_t begin, std::size_t end) const {
    std::string_view const piece = text_.substr(begin, end - begin);
    return std::string(static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n')),
                       '\n');
  }
  [[nodiscard]] bool is(unsigned i, std::string_view text) const {
    return i < size() && tokens_[i].text == text;
  }

  [[noreturn]] void fail(unsigned at, std::string const& what) const {
    std::string file = "?";
    long line = 1;
    for (unsigned i = at + 1; i-- > 0;) {
      if (tokens_[i].kind != token_kind::directive) continue;
      line_marker const marker = read_line_marker(tokens_[i].text);
      if (marker.line == 0) continue; // a pragma
      file = marker.file;
      line = marker.line;
      line -= 1; // the mark names the line behind it
      std::string_view const between = text_.substr(end_of(i), begin_of(at) - end_of(i));
      for (char const c : between) line += c == '\n' ? 1 : 0;
      break;
    }
    throw rewrite_error(file + ":" + std::to_string(line) + ": error: " + what);
  }

  void emit(unsigned begin, unsigned end) {
    for (unsigned i = begin; i < end;) {
      if (i != begin || begin == 0) out_ += gap_before(i);
      i = emit_token(i);
    }
  }

  /// The same as a text of its own, without the gap in front.
  std::string render(unsigned begin, unsigned end) {
    std::string const outer = std::exchange(out_, {});
    emit(begin, end);
    return std::exchange(out_, outer);
  }

  /// Writes what becomes of token `i`; \returns the next one to look at.
  unsigned emit_token(unsigned i) {
    where_[i] = out_.size();
    token const& t = tokens_[i];
    if (t.text == "<<" && is(i + 1, "<")) return launch(i);
    if (t.kind == token_kind::identifier && t.text.starts_with("__mockgpu_") && is(i + 1, "(")) {
      if (t.text == "__mockgpu_global__") return kernel(i);
      if (t.text == "__mockgpu_device__") return device(i);
      if (t.text == "__mockgpu_constant__") return variable(i);
      if (t.text == "__mockgpu_shared__") return shared(i);
      if (t.text == "__mockgpu_managed__") return variable(i);
    }
    if (auto const ptx = read_inline_ptx(tokens_, i)) {
      out_ += ptx->replacement + newlines(begin_of(i), end_of(ptx->end - 1));
      return ptx->end;
    }
    // A keyword of the vendors' that attributes spell alike.
    if (t.text == "__noinline__" && i > 0 && tokens_[i - 1].text != "(" &&
        tokens_[i - 1].text != ",") {
      out_ += "__attribute__((__noinline__))";
      return i + 1;
    }
    std::string before;
    if (auto const found = before_.find(i); found != before_.end()) before = found->second;
    out_ += before;
    out_ += t.text;
    if (auto const found = after_.find(i); found != after_.end()) out_ += found->second;
    return i + 1;
  }

  /// Behind a mark and its replacement.
  [[nodiscard]] unsigned behind(unsigned mark) const { return tokens_[mark + 1].partner + 1; }
  std::string replacement(unsigned mark) { return render(mark + 2, behind(mark) - 1); }

  unsigned kernel(unsigned mark) {
    unsigned const next = behind(mark);
    out_ += replacement(mark);
    auto const list = find_parameter_list(tokens_, next);
    if (!list) return next; // the compiler will say what is wrong
    auto const body = find_body(tokens_, *list);
    if (!body) return next;
    std::vector<parameter> const parameters = read_parameters(tokens_, *list);
    std::vector<std::string> names;
    for (parameter const& one : parameters) {
      if (!one.name.empty()) {
        names.emplace_back(one.name);
        continue;
      }
      names.push_back("mockgpu_parameter_" + std::to_string(names.size()));
      before_[one.name_at] += " " + names.back() + " ";
    }
    after_[*body] += kernel_prologue(parameters, names);
    place_statics(*body);
    return next;
  }

  unsigned device(unsigned mark) {
    unsigned const next = behind(mark);
    // A lambda's mark stands between its brackets and its parameters.
    bool const lambda = mark > 0 && tokens_[mark - 1].text == "]";
    // Beside a mark that says more, this one says nothing.
    bool const says_more =
        has_specifier(mark, "__mockgpu_constant__") || has_specifier(mark, "__mockgpu_managed__");
    if (lambda || says_more) return next;
    auto const list = find_parameter_list(tokens_, next);
    if (!list) return variable(mark);
    if (auto const body = find_body(tokens_, *list)) place_statics(*body);
    return next;
  }

  /// Static variables in the body of a device function are the device's without saying so. Constant
  /// ones stay where they are: reading them is all that anybody does.
  void place_statics(unsigned body) {
    for (unsigned i = body; i < tokens_[body].partner; ++i) {
      if (tokens_[i].text.starts_with("__mockgpu_") && is(i + 1, "(")) {
        i = tokens_[i + 1].partner;
      } else if (tokens_[i].text == "static" && after_.find(i) == after_.end() &&
                 declares_a_variable(i)) {
        after_[i] += " __attribute__((abi_tag(\"mockgpu_device\"), aligned(16), "
                     "section(\"mockgpu_device_9" +
                     std::to_string(statics_++) + "\")))";
      }
    }
  }
  /// Whether `static` begins the declaration of a variable that is neither constant nor has a mark
  /// of its own.
  [[nodiscard]] bool declares_a_variable(unsigned at) const {
    for (unsigned i = declaration_begin(tokens_, at); i < size(); ++i) {
      std::string_view const text = tokens_[i].text;
      if (text == ";" || text == "=" || text == "{" || text == "[") return true;
      if (text == "(" || text == "const" || text == "constexpr" || text.starts_with("__mockgpu_"))
        return false;
    }
    return false;
  }

  /// Whether the declaration around a mark has a word among its specifiers.
  [[nodiscard]] bool has_specifier(unsigned mark, std::string_view word) const {
    for (unsigned i = declaration_begin(tokens_, mark); i < size(); ++i) {
      std::string_view const text = tokens_[i].text;
      if (text == word) return true;
      if (text == ";" || text == "=" || text == "{" || text == "[") return false;
      if (text == "(" && tokens_[i].partner != i) i = tokens_[i].partner;
    }
    return false;
  }

  unsigned variable(unsigned mark) {
    std::string text = replacement(mark);
    // Constants are the compiler's: their values may have been put into the code.
    if (!has_specifier(mark, "constexpr")) out_ += text;
    return behind(mark);
  }

  unsigned shared(unsigned mark) {
    if (has_specifier(mark, "extern")) return dynamic_shared(mark);
    std::string text = replacement(mark);
    constexpr std::string_view storage = "static ";
    if (text.starts_with(storage) && has_specifier(mark, "static")) text.erase(0, storage.size());
    unsigned next = behind(mark);
    // nvcc takes `alignas` behind the mark; g++ and clang++ behind `static` do not.
    unsigned at = next;
    while (at < size() && tokens_[at].kind == token_kind::directive) ++at;
    if (declaration_begin(tokens_, mark) == mark && is(at, "alignas") && is(at + 1, "(") &&
        tokens_[at + 1].partner != at + 1) {
      next = tokens_[at + 1].partner + 1;
      out_ += render(at, next) + " ";
      text += newlines(end_of(mark), end_of(at));
    }
    out_ += text;
    return next;
  }

  /// `extern __shared__ T s[]`, with the words before the name in any order.
  unsigned dynamic_shared(unsigned mark) {
    unsigned const begin = declaration_begin(tokens_, mark);
    unsigned end = mark;
    while (end < size() && tokens_[end].text != ";") ++end;
    std::string type;
    std::string_view name;
    unsigned dimensions = end;
    for (unsigned i = begin; i < end; ++i) {
      std::string_view const text = tokens_[i].text;
      if (text == "extern" || text == "static" || tokens_[i].kind == token_kind::directive)
        continue;
      if ((text == "__mockgpu_shared__" || text == "__attribute__" || text == "alignas") &&
          is(i + 1, "(")) {
        i = tokens_[i + 1].partner;
        continue;
      }
      if (text == "<" && i > begin) {
        unsigned const next = skip_template_arguments(tokens_, i);
        for (unsigned k = i; k < next; ++k) type += std::string(tokens_[k].text) + " ";
        if (next != i) i = next - 1;
        continue;
      }
      if (is(i + 1, "[")) {
        name = text;
        dimensions = tokens_[i + 1].partner + 1;
        break;
      }
      type += std::string(text) + " ";
    }
    if (name.empty() || type.empty() || (dimensions < end && !is(dimensions, "[")))
      fail(mark, "a dynamic shared array is declared alone, as in 'extern __shared__ T name[];'");
    std::string rest;
    for (unsigned i = dimensions; i < end; ++i) rest += tokens_[i].text;
    std::string const indirection = rest.empty() ? "*" : "(*";
    std::string const close = rest.empty() ? "" : ")";
    std::string text = type + indirection + " const " + std::string(name) + close + rest +
                       " = static_cast<" + type + indirection + close + rest +
                       ">(::mockgpu_shim::dynamic_shared())" +
                       newlines(begin_of(begin), end_of(end - 1));
    out_.resize(where_[begin]);
    out_ += text;
    return end;
  }

  unsigned launch(unsigned open) {
    if (open == 0) fail(open, "a launch names no kernel");
    auto const [config_end, closing_angles, next] = find_launch_end(open);
    if (!is(next, "(") || tokens_[next].partner == next)
      fail(open, "a launch lacks its arguments in parentheses");
    unsigned last = open - 1;
    while (last > 0 && tokens_[last].kind == token_kind::directive) --last;
    unsigned const callee = find_callee(tokens_, last);
    std::string const text = "(::mockgpu_shim::configuration(" +
                             newlines(end_of(open), begin_of(open + 2)) +
                             render(open + 2, config_end) + std::string(closing_angles, '>') +
                             newlines(end_of(config_end - 1), end_of(next - 1)) + "), ";
    out_.insert(where_[callee], text);
    for (unsigned i = callee; i < open; ++i) where_[i] += text.size();
    after_[tokens_[next].partner] += ")";
    return next;
  }

  struct launch_end {
    unsigned config_end;     ///< behind the configuration's last whole token
    unsigned closing_angles; ///< of its last template arguments, in the same run of ">"
    unsigned next;           ///< behind the ">>>"
  };

  /// Finds the ">>>". A run of ">" may close template arguments first.
  [[nodiscard]] launch_end find_launch_end(unsigned open) const {
    unsigned angles = 0;
    for (unsigned i = open + 2; i < size(); ++i) {
      std::string_view const text = tokens_[i].text;
      if (tokens_[i].kind != token_kind::punctuation) continue;
      if ((text == "(" || text == "[" || text == "{") && tokens_[i].partner != i) {
        i = tokens_[i].partner;
      } else if (text == ";" || text == "}" || text == ")") {
        break;
      } else if (text == "<" && tokens_[i - 1].kind == token_kind::identifier) {
        ++angles;
      } else if (text == ">" || text == ">>") {
        unsigned run = 0;
        unsigned end = i;
        while (end < size() && (is(end, ">") || is(end, ">>")))
          run += static_cast<unsigned>(tokens_[end++].text.size());
        if (run == 3 + angles) return {i, angles, end};
        if (run >= 3 && run != angles && is(end, "(")) return {i, run - 3, end};
        angles -= std::min(angles, run);
        i = end - 1;
      }
    }
    fail(open, "a launch's '<<<' has no '>>>'");
  }

  std::string_view text_;
  token_list tokens_;
  std::vector<std::size_t> where_; ///< where each token's text begins in `out_`
  std::map<unsigned, std::string> before_;
  std::map<unsigned, std::string> after_;
  unsigned statics_ = 0; ///< variables that got a section here
  std::string out_;
};

} // namespace

std::string rewrite_source(std::string_view preprocessed) {
  std::string const joined = join_marked_expansions(preprocessed);
  return rewriter(joined).run();
}

} // namespace mockgpu::tools
