#pragma once
/// \file Variables of the device and of blocks, as they appear in assembly text.
#include <string>
#include <string_view>

namespace mockgpu::tools {

/// Follows a compiler's assembly text line by line. The shim puts each variable of the device, and
/// each static shared array, into a section named after its kind and a number
/// (`mockgpu_device_7`), since g++ does not let variables of inline functions share one with
/// others. Here they come together in one section for each kind, with a margin around each, and
/// each gets a record of its address, size and name in the section `mockgpu_variables`
/// (`mockgpu_variable_record`), dropped together with it.
class variable_records {
public:
  /// \param word the line's first word. \param group the section group of the section that the
  /// line begins or belongs to, or empty. \returns whether the line begins a section of ours; then
  /// `out` has got it by its common name.
  bool read(std::string& out, std::string_view line, std::string_view word, std::string_view group);
  /// The records of all variables seen.
  [[nodiscard]] std::string const& text() const noexcept { return records_; }

private:
  bool guard(std::string& out, std::string_view line, std::string_view word);
  void common(std::string& out, std::string_view line);
  /// Of a variable in the current section.
  void record(std::string_view symbol, std::string_view size);

  std::string_view section_; ///< common name of the section that is being read, if it is ours
  std::string_view group_;
  std::string_view alignment_; ///< the newest line of the section that aligns
  bool holds_one_ = false;     ///< the section has got a variable
  bool in_guard_ = false;      ///< the section is that of a shared variable's guard
  std::string records_;
  unsigned count_ = 0;
};

} // namespace mockgpu::tools
