// Random programs over streams, events, waits, copies and host accesses: the engine reports exactly
// the races that the oracle sees, byte by byte, in every schedule.
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "mockgpu/annotate.h"
#include "order_oracle.hpp"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

constexpr int stream_count = 4; // two blocking, two not, beside the default stream
constexpr int event_count = 3;
constexpr std::size_t memory_bytes = 32;

struct command {
  int what = 0;
  int stream = 0, event = 0;
  bool pinned = false;
  int kind = 0, second_kind = 0;
  std::size_t begin = 0, size_bytes = 1, second_begin = 0;
};

std::ostream& operator<<(std::ostream& out, command const& c) {
  return out << "{" << c.what << " stream " << c.stream << " event " << c.event << " pinned "
             << c.pinned << " kind " << c.kind << "," << c.second_kind << " bytes " << c.begin
             << "+" << c.size_bytes << "," << c.second_begin << "}";
}
void showValue(command const& c, std::ostream& out) { out << c; }

rc::Gen<command> any_command() {
  auto const below = [](int bound) { return rc::gen::inRange(0, bound); };
  return rc::gen::build<command>(
      rc::gen::set(&command::what, below(16)),
      rc::gen::set(&command::stream, below(stream_count + 1)),
      rc::gen::set(&command::event, below(event_count)), rc::gen::set(&command::pinned),
      rc::gen::set(&command::kind, below(3)), rc::gen::set(&command::second_kind, below(3)),
      rc::gen::set(&command::begin, rc::gen::inRange<std::size_t>(0, memory_bytes)),
      rc::gen::set(&command::size_bytes, rc::gen::inRange<std::size_t>(1, 12)),
      rc::gen::set(&command::second_begin, rc::gen::inRange<std::size_t>(0, memory_bytes)));
}

struct shares {
  int cases = 0, racy = 0, three_streams = 0;
};

/// One program, given to the engine and to the oracle alike.
class twin_run {
public:
  explicit twin_run(options const& chosen) : run_(chosen) {
    for (int i = 1; i <= stream_count; ++i) {
      bool const blocking = i % 2 == 0;
      std::string const name = "s" + std::to_string(i);
      streams_.push_back(run_.add_stream(name.c_str(), blocking));
      oracle_.add_stream("stream " + std::to_string(i) + " (" + name + ")", blocking);
    }
    for (int i = 0; i < event_count; ++i) events_.push_back(run_.add_event());
    device_ = run_.allocate(memory_bytes, "device");
    pinned_ = run_.allocate_pinned(memory_bytes);
    mockgpu_name_memory(pinned_.base, memory_bytes, "pinned");
    run_.host_writes(pinned_.base, memory_bytes);
    oracle_.host_access({"pinned", 0, memory_bytes, 'w'});
  }

  void perform(command const& c) {
    auto const [region_of, name] =
        c.pinned ? std::pair(pinned_, "pinned") : std::pair(device_, "device");
    std::size_t const end = std::min(memory_bytes, c.begin + c.size_bytes);
    switch (c.what) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4: { // a kernel with two touches
      std::size_t const second_end = std::min(memory_bytes, c.second_begin + c.size_bytes);
      run_.kernel(streams_[std::size_t(c.stream)],
                  {touch_of(c.kind, region_of.part(c.begin, end)),
                   touch_of(c.second_kind, device_.part(c.second_begin, second_end))});
      oracle_.operation(c.stream, {{name, c.begin, end, kinds_[c.kind]},
                                   {"device", c.second_begin, second_end, kinds_[c.second_kind]}});
      return;
    }
    case 5: { // a copy between the two memories
      region const to = c.pinned ? pinned_ : device_, from = c.pinned ? device_ : pinned_;
      run_.copy(to.part(c.begin, end), from.part(c.begin, end), cudaMemcpyDefault,
                streams_[std::size_t(c.stream)]);
      oracle_.operation(c.stream, {{name, c.begin, end, 'w'},
                                   {c.pinned ? "device" : "pinned", c.begin, end, 'r'}});
      return;
    }
    case 6: { // a fill
      region const to = region_of.part(c.begin, end);
      EXPECT_EQ(cudaMemsetAsync(to.base, 1, to.size_bytes, streams_[std::size_t(c.stream)]),
                cudaSuccess);
      oracle_.operation(c.stream, {{name, c.begin, end, 'w'}});
      return;
    }
    case 7:
    case 8:
    case 9:
      run_.record(events_[std::size_t(c.event)], streams_[std::size_t(c.stream)]);
      oracle_.record(c.event, c.stream);
      return;
    case 10:
    case 11:
    case 12:
      run_.wait(streams_[std::size_t(c.stream)], events_[std::size_t(c.event)]);
      oracle_.wait(c.stream, c.event);
      return;
    case 13: // host code in pinned memory
      if (c.kind == 0)
        run_.host_reads(static_cast<char*>(pinned_.base) + c.begin, end - c.begin);
      else
        run_.host_writes(static_cast<char*>(pinned_.base) + c.begin, end - c.begin);
      oracle_.host_access({"pinned", c.begin, end, c.kind == 0 ? 'r' : 'w'});
      return;
    case 14:
      if (c.pinned) {
        run_.poll(streams_[std::size_t(c.stream)]);
      } else {
        run_.synchronize(streams_[std::size_t(c.stream)]);
      }
      oracle_.synchronize_stream(c.stream);
      return;
    default:
      if (c.pinned && c.kind == 0) {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        oracle_.synchronize_device();
      } else {
        EXPECT_EQ(cudaEventSynchronize(events_[std::size_t(c.event)]), cudaSuccess);
        oracle_.synchronize_event(c.event);
      }
    }
  }

  [[nodiscard]] std::set<byte_race> expected() const { return oracle_.races(); }

  [[nodiscard]] std::set<byte_race> found() {
    std::set<byte_race> result;
    for (finding const& one : run_.finish()) {
      if (one.kind != "stream-race" && one.kind != "host-race") {
        result.emplace(one.kind, 0, "", ""); // there is nothing else to find
        continue;
      }
      std::string first = one.first.chain + "/" + one.first.access,
                  second = one.second.chain + "/" + one.second.access;
      if (second < first) std::swap(first, second);
      for (byte_range const& range : one.ranges)
        for (std::int64_t byte = range.begin; byte < range.end; ++byte)
          result.emplace(one.memory.name, std::size_t(byte), first, second);
    }
    return result;
  }

private:
  touch touch_of(int kind, region where) const {
    return {kind == 0   ? access_kind::read
            : kind == 1 ? access_kind::write
                        : access_kind::atomic,
            where, 1};
  }
  static constexpr char kinds_[] = {'r', 'w', 'a'};
  scripted_run run_;
  order_oracle oracle_;
  std::vector<cudaStream_t> streams_ = {nullptr};
  std::vector<cudaEvent_t> events_;
  region device_, pinned_;
};

std::string text_of(std::set<byte_race> const& races) {
  std::string text;
  for (auto const& [memory, byte, first, second] : races)
    text += memory + "[" + std::to_string(byte) + "] " + first + " and " + second + "\n";
  return text;
}

TEST(OrderProperty, TheEngineReportsExactlyTheRacesThatTheOracleSees) {
  // The same cases in every run; RC_PARAMS changes them.
  setenv("RC_PARAMS", "seed=20 max_success=300 max_size=60", 0);
  shares seen;
  bool const holds = rc::check("races of the engine and of the oracle are equal", [&seen] {
    auto const commands = *rc::gen::container<std::vector<command>>(any_command());
    auto const seed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    std::set<int> streams;
    for (command const& c : commands)
      if (c.what <= 6) streams.insert(c.stream);
    std::size_t races = 0;
    for (schedule_kind const kind :
         {schedule_kind::eager, schedule_kind::lazy, schedule_kind::random, schedule_kind::pct}) {
      options chosen;
      chosen.schedule = kind;
      chosen.seed = seed;
      twin_run run(chosen);
      for (command const& c : commands) run.perform(c);
      auto const expected = run.expected(), found = run.found();
      races = expected.size();
      if (found != expected) {
        std::set<byte_race> missed, invented;
        std::ranges::set_difference(expected, found, std::inserter(missed, missed.end()));
        std::ranges::set_difference(found, expected, std::inserter(invented, invented.end()));
        RC_FAIL("schedule " + std::to_string(int(kind)) + "\nmissed:\n" + text_of(missed) +
                "invented:\n" + text_of(invented));
      }
    }
    ++seen.cases;
    seen.racy += races != 0;
    seen.three_streams += streams.size() >= 3;
  });
  EXPECT_TRUE(holds);
  std::cout << seen.cases << " cases, " << seen.racy << " racy, " << seen.three_streams
            << " on three streams and more\n";
  EXPECT_GE(seen.cases, 300);
  EXPECT_GE(seen.racy * 10, seen.cases * 3);
  EXPECT_LT(seen.racy, seen.cases);
  EXPECT_GE(seen.three_streams * 10, seen.cases * 3);
}

} // namespace
} // namespace mockgpu::tests
