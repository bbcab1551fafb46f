#pragma once
/// \file What reports say of calls, by number. Small: one record per call, texts interned.
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/operation.hpp"

namespace mockgpu {

class call_log {
public:
  call_log() { records_.emplace_back(); }
  [[nodiscard]] std::uint32_t intern(std::string_view text);
  [[nodiscard]] std::string const& text(std::uint32_t id) const { return texts_[id]; }

  /// Starts the next call. \returns its number, from 1.
  std::uint64_t begin(std::string_view entry_point, void const* return_address);
  /// Says what the call queued and on which chain.
  void set_operation(std::uint64_t call, std::string_view what, std::string_view name, chain_id chain);
  void set_place(std::uint64_t call, char const* file, unsigned line);
  [[nodiscard]] std::uint64_t last() const noexcept { return records_.size() - 1; }
  [[nodiscard]] call_record const& operator[](std::uint64_t call) const { return records_[call]; }

private:
  std::vector<call_record> records_;
  std::deque<std::string> texts_{std::string{}};
  std::unordered_map<std::string, std::uint32_t> ids_{{std::string{}, 0}};
};

} // namespace mockgpu
