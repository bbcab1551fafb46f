#include "device/faults.hpp"

#include <charconv>
#include <stdexcept>

namespace mockgpu {
namespace {

/// The whole text as a number, or false.
bool read_number(std::string_view text, std::uint64_t& into) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

bool is_sticky(status error) {
  return error == status::launch_failure || error == status::illegal_address;
}

} // namespace

fault_plan::fault_plan(std::string const& text) {
  auto const fail = [&] {
    throw std::invalid_argument(
        "'" + text +
        "' is no fault: expected ERROR@WHICH with ERROR of out-of-memory, invalid-value, "
        "launch-failure, sticky, any, and WHICH a call's number, NAME, NAME:N or seed:S");
  };
  std::size_t const at = text.find('@');
  if (at == std::string::npos) fail();
  std::string_view const error = std::string_view(text).substr(0, at);
  std::string_view const wanted = std::string_view(text).substr(at + 1);
  if (error == "out-of-memory")
    error_ = status::out_of_memory;
  else if (error == "invalid-value")
    error_ = status::invalid_value;
  else if (error == "launch-failure")
    error_ = status::launch_failure;
  else if (error == "sticky")
    error_ = status::illegal_address;
  else if (error == "any")
    any_ = true;
  else
    fail();
  if (read_number(wanted, number_)) {
    which_ = which::number;
    if (number_ == 0) fail();
    return;
  }
  std::size_t const colon = wanted.find(':');
  name_ = wanted.substr(0, colon);
  if (name_.empty()) fail();
  which_ = which::name;
  if (colon == std::string_view::npos) return;
  which_ = name_ == "seed" ? which::seed : which::name_and_number;
  if (!read_number(wanted.substr(colon + 1), number_)) fail();
  if (which_ == which::name_and_number && number_ == 0) fail();
}

bool fault_plan::is_due(std::string_view entry_point) {
  ++calls_;
  switch (which_) {
  case which::none:
    return false;
  case which::number:
    return calls_ == number_;
  case which::name:
    return entry_point == name_;
  case which::name_and_number:
    return entry_point == name_ && ++calls_of_name_ == number_;
  case which::seed:
    return draw(number_) % 16 == 0;
  }
  return false;
}

std::optional<status> fault_plan::next(std::string_view what, std::string_view entry_point) {
  bool const due = is_due(entry_point);
  if (sticky_ != status::success) return sticky_;
  if (!due) return std::nullopt;
  ++injected_;
  if (any_)
    return what == "alloc" || what == "kernel" ? status::out_of_memory : status::invalid_value;
  if (!is_sticky(error_)) return error_;
  sticky_ = error_;
  // A kernel fails on the device, after its launch has returned.
  return what == "kernel" ? status::success : error_;
}

} // namespace mockgpu
