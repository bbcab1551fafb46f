#pragma once
/// \file Text with indentation.
#include <string>
#include <string_view>

#include "assay/error.hpp"

namespace assay::emission {

/// Collects lines; a block indents what is inside it by two spaces.
class writer {
public:
  void line(std::string_view text) {
    if (!text.empty()) text_.append(indent_, ' ').append(text);
    text_ += '\n';
  }
  void blank() { text_ += '\n'; }
  /// "head {"
  void open(std::string_view head) {
    line(head.empty() ? std::string("{") : std::string(head) + " {");
    indent_ += 2;
  }
  void close(std::string_view tail = "}") {
    ASSAY_ASSERT(indent_ >= 2);
    indent_ -= 2;
    line(tail);
  }
  /// "} else {"
  void reopen(std::string_view between) {
    ASSAY_ASSERT(indent_ >= 2);
    indent_ -= 2;
    line(between);
    indent_ += 2;
  }
  /// A label stands left of its block.
  void label(std::string_view name) { text_.append(name).append(":\n"); }
  /// Lines of foreign code, kept as they are.
  void verbatim(std::string_view code) {
    text_ += code;
    if (!code.empty() && code.back() != '\n') text_ += '\n';
  }
  void append(writer const& other) { text_ += other.text_; }

  [[nodiscard]] std::size_t indentation() const noexcept { return indent_; }
  void set_indentation(std::size_t spaces) noexcept { indent_ = spaces; }
  [[nodiscard]] std::string const& text() const noexcept { return text_; }
  [[nodiscard]] std::string take() noexcept { return std::move(text_); }

private:
  std::string text_;
  std::size_t indent_ = 0;
};

} // namespace assay::emission
