#pragma once
/// \file What every issue number stands for: eight bytes per call, for as long as the process
/// lives.
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "order/clock.hpp"

namespace mockgpu {

/// A place that calls the runtime.
struct call_site {
  char const* what = "call";  ///< "kernel", "copy", ...: a literal
  std::string name;           ///< kernel or entry point
  char const* file = nullptr; ///< where the launch macro knows it
  unsigned line = 0;
  void const* return_address = nullptr; ///< in the caller
  bool operator==(call_site const&) const = default;
};

using stream_serial = std::uint32_t; ///< streams in order of creation; 0 is the host

class issue_log {
public:
  /// Gives a call the next number.
  issue_number add(call_site const&, stream_serial);
  [[nodiscard]] issue_number last() const noexcept { return issue_number(records_.size()); }
  [[nodiscard]] call_site const& site(issue_number issue) const {
    return sites_[record(issue).site];
  }
  /// Of the site's kind, name and line: equal in every process that runs the program.
  [[nodiscard]] std::uint64_t site_name_hash(issue_number issue) const {
    return name_hashes_[record(issue).site];
  }
  /// Equal numbers: the same place in the program.
  [[nodiscard]] std::uint32_t site_index(issue_number issue) const { return record(issue).site; }
  [[nodiscard]] stream_serial stream_of(issue_number issue) const { return record(issue).stream; }

  /// From the next call on, calls belong to a use of the program of that name; empty: to none.
  void mark_use(std::string program);
  struct use_mark {
    issue_number from = 0;
    std::string program;
  };
  /// The use that a call belongs to, or null. Equal pointers: the same use.
  [[nodiscard]] use_mark const* use_of(issue_number) const;

  /// The name of a stream in reports.
  void name_stream(stream_serial, std::string);
  [[nodiscard]] std::string const& stream_name(stream_serial) const;
  void set_legacy(stream_serial, int device);
  void set_non_blocking(stream_serial, int device);
  /// One is the legacy default stream and the other a non-blocking stream of the same device.
  [[nodiscard]] bool exempt_from_legacy_barrier(stream_serial, stream_serial) const;

private:
  struct entry {
    std::uint32_t site;
    stream_serial stream;
  };
  struct stream_entry {
    std::string name;
    int device = -1; ///< of a legacy or non-blocking stream
    bool legacy = false, non_blocking = false;
  };
  [[nodiscard]] entry const& record(issue_number issue) const { return records_[issue - 1]; }
  stream_entry& stream(stream_serial);
  std::deque<entry> records_;
  std::deque<call_site> sites_;
  std::vector<std::uint64_t> name_hashes_; // of the sites
  std::unordered_multimap<std::uint64_t, std::uint32_t> site_by_hash_;
  std::deque<stream_entry> streams_;
  std::deque<use_mark> uses_; // by their first call
};

} // namespace mockgpu
