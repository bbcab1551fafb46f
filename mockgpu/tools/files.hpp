#pragma once
/// \file Files and child processes, as the drivers need them.
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mockgpu::tools {

/// \throws std::runtime_error naming a file that cannot be read.
[[nodiscard]] std::string read_file(std::filesystem::path const&);

/// FNV-1a, 64 bits: tells builds apart; not meant against forgery.
class hash {
public:
  void add(std::string_view bytes) noexcept;
  [[nodiscard]] std::string hexadecimal() const;

private:
  std::uint64_t value_ = 14695981039346656037u;
};

struct process_result {
  int exit_code = 0; ///< 128 + signal when it was killed
  std::string output;
};

/// Runs a program found along PATH, without a shell. \param capture whether standard output is
/// collected. \throws std::runtime_error naming a program that cannot be started.
process_result run_process(std::vector<std::string> const& arguments, bool capture);

} // namespace mockgpu::tools
