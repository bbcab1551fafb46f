#pragma once
/// \file What the cases of a property contained: the counters that gate coverage.
#include <ostream>

#include "assay/plan.hpp"
#include "fuzz/generate.hpp"

namespace assay::fuzz {

/// Shares are of the cases counted so far. A property that never saw a construct has not tested it.
class shares {
public:
  void count(features const& has, plan::program const& plan) {
    ++cases_;
    joined_streams_ += has.parallel_join && joins_streams(plan);
    device_conditions_ += has.device_read_condition;
    loops_ += has.loop;
    renamed_ += has.renamed_symbol;
    zero_sizes_ += has.zero_size;
    jumps_ += has.jump;
    host_transients_ += has.host_transient;
    operations_ += has.operations;
  }
  [[nodiscard]] double joined_streams() const { return share(joined_streams_); }
  [[nodiscard]] double device_conditions() const { return share(device_conditions_); }
  [[nodiscard]] double loops() const { return share(loops_); }
  [[nodiscard]] double renamed() const { return share(renamed_); }
  [[nodiscard]] double zero_sizes() const { return share(zero_sizes_); }
  [[nodiscard]] double jumps() const { return share(jumps_); }
  [[nodiscard]] double host_transients() const { return share(host_transients_); }

  friend std::ostream& operator<<(std::ostream& out, shares const& s) {
    return out << s.cases_ << " cases, "
               << (s.cases_ == 0 ? 0 : static_cast<double>(s.operations_) / s.cases_)
               << " operations each; streams that join " << s.joined_streams()
               << ", device-read condition " << s.device_conditions() << ", loop " << s.loops()
               << ", renamed symbol " << s.renamed() << ", zero-size array " << s.zero_sizes()
               << ", break or continue " << s.jumps() << ", host transient " << s.host_transients();
  }

private:
  int cases_ = 0, joined_streams_ = 0, device_conditions_ = 0, loops_ = 0, renamed_ = 0,
      zero_sizes_ = 0, jumps_ = 0, host_transients_ = 0;
  long operations_ = 0;

  [[nodiscard]] double share(int count) const {
    return cases_ == 0 ? 0 : static_cast<double>(count) / cases_;
  }
  static bool waits_in(plan::step_list const& list) {
    for (auto const& s : list) {
      if (std::holds_alternative<plan::stream_wait>(s.content)) return true;
      if (auto const* b = std::get_if<plan::branch>(&s.content))
        for (auto const& arm : b->arms)
          if (waits_in(arm.body)) return true;
      if (auto const* l = std::get_if<plan::loop>(&s.content))
        if (waits_in(l->prepare) || waits_in(l->body)) return true;
    }
    return false;
  }
  static bool joins_streams(plan::program const& p) {
    return p.stream_count > 1 && waits_in(p.body);
  }
};

} // namespace assay::fuzz
