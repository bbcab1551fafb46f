#include "line_markers.hpp"

#include <charconv>

namespace mockgpu::tools {

line_marker read_line_marker(std::string_view line) {
  line_marker result;
  if (!line.starts_with("# ")) return result;
  char const* const end = line.data() + line.size();
  auto const [rest, error] = std::from_chars(line.data() + 2, end, result.line);
  std::size_t const open = line.find('"');
  std::size_t const close = line.rfind('"');
  if (error != std::errc() || open == line.npos || close == open) return {};
  result.file = line.substr(open + 1, close - open - 1);
  result.system = line.find(" 3", close) != line.npos;
  return result;
}

namespace {

class joiner {
public:
  explicit joiner(std::string_view text) : text_(text) {}

  std::string run() {
    out_.reserve(text_.size());
    bool closes = false; // the next marker is the one behind an expansion
    while (at_ < text_.size()) {
      std::string_view const line = take_line();
      line_marker const marker = read_line_marker(line);
      if (marker.line == 0) {
        out_ += line;
        ++next_;
        continue;
      }
      bool const opens = marker.system && expansion_follows();
      bool const joined = (opens || closes) && marker.file == file_ && go_to(marker.line);
      if (!joined) {
        out_ += line;
        next_ = marker.line;
        file_ = marker.file;
      }
      closes = opens && joined;
    }
    return std::move(out_);
  }

private:
  [[nodiscard]] std::string_view line_at(std::size_t at) const {
    std::size_t const end = text_.find('\n', at);
    return text_.substr(at, (end == text_.npos ? text_.size() : end + 1) - at);
  }
  std::string_view take_line() {
    std::string_view const line = line_at(at_);
    at_ += line.size();
    return line;
  }

  /// One line with a mark, and then a marker.
  [[nodiscard]] bool expansion_follows() const {
    std::string_view const line = line_at(at_);
    return line.find("__mockgpu_") != line.npos &&
           read_line_marker(line_at(at_ + line.size())).line != 0;
  }

  /// Lets the next text stand on a line of the current file. False where only a marker can.
  bool go_to(unsigned line) {
    if (line + 1 == next_ && out_.ends_with('\n')) {
      out_.back() = ' ';
      next_ = line;
      return true;
    }
    if (line < next_ || line > next_ + 16) return false;
    for (; next_ < line; ++next_) out_ += '\n';
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string out_;
  unsigned next_ = 1; ///< number of the line that `out_` goes on with
  std::string_view file_;
};

} // namespace

std::string join_marked_expansions(std::string_view preprocessed) {
  return joiner(preprocessed).run();
}

} // namespace mockgpu::tools
