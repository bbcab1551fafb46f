#pragma once
/// \file What a campaign has done, as a file that grows by one checksummed line for each slot of
/// cases: a campaign that is killed goes on where it was, and files of several machines join.
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::fuzz {

/// What must be equal for two files to be parts of one campaign.
struct campaign {
  std::uint64_t seed = 1;
  std::uint64_t cases = 0; ///< of all shards together; 0: until the time is over
  std::string version;     ///< of Assay
  std::string fingerprint; ///< of the programs and options that decide what a case is
  std::uint64_t compile_every = 0; ///< one of so many slots is compiled; 0: none
  friend bool operator==(campaign const&, campaign const&) = default;
};

/// Cases that share a program; the unit that is done or not.
inline constexpr std::uint64_t cases_of_slot = 16;

struct failed_case {
  std::uint64_t number = 0;
  std::string outcome;  ///< "findings", "wrong results", "crash", ...
  std::string group;    ///< equal for failures that look alike
  std::string settings; ///< shrunk
  std::string token;    ///< repeats it
  std::string text;     ///< for people
};

struct slot_result {
  std::uint64_t slot = 0, cases = 0, held = 0;
  std::uint64_t not_applicable = 0; ///< no place for the fault or plant
  std::uint64_t operations = 0, accesses = 0;
  std::vector<failed_case> failed{};
};

/// A file's whole content.
struct record {
  campaign what;
  std::map<std::uint64_t, slot_result> slots;
};

/// \throws error{invalid_input} naming the file: no such file, no campaign, a line that is torn or
/// changed, a slot that is there twice.
[[nodiscard]] record read_record(std::filesystem::path const&);
/// All of them as one; a slot may be in several with one content.
/// \throws error{invalid_input} naming the file that is of another campaign, or disagrees.
[[nodiscard]] record merged(std::vector<std::filesystem::path> const&);
/// The file whole or not at all. \throws error{environment}
void write_record(std::filesystem::path const&, record const&);
/// Whether both came to the same. How many accesses were checked does not count, nor the text of
/// failures: both depend a little on where memory lies.
[[nodiscard]] bool same(slot_result const&, slot_result const&);
/// One line without its end, between the processes of a campaign.
[[nodiscard]] std::string to_text(slot_result const&);
[[nodiscard]] slot_result parse_slot(std::string const&);

/// The growing file. One process at a time has it open.
class journal {
public:
  /// Makes the file, or takes up what is in it, without a last line that is torn.
  /// \throws error{invalid_input} where the file is of another campaign or damaged, and where
  /// another process has it open; error{environment}
  journal(std::filesystem::path file, campaign);
  journal(journal const&) = delete;
  journal& operator=(journal const&) = delete;
  ~journal();

  [[nodiscard]] record const& content() const noexcept { return content_; }
  /// The line is in the file when this returns. \throws error{environment}
  void add(slot_result);

private:
  void write(std::string const& line);

  std::filesystem::path file_;
  record content_;
  int descriptor_ = -1;
};

} // namespace assay::fuzz
