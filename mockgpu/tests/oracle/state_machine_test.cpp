// Random programs over streams, events, copies, memory of all kinds, host code and two devices: in
// every schedule the checker says exactly what the model says, byte by byte.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include <gtest/gtest.h>

#include "twin_program.hpp"

namespace mockgpu::tests {
namespace {

struct shares {
  int programs = 0, runs = 0, racy = 0, three_streams = 0, sub_word = 0, re_records = 0,
      releases = 0, reuses = 0, copies = 0, queries = 0, other_devices = 0, use_after_free = 0,
      use_before_alloc = 0, undefined = 0, host_races = 0;

  void count(coverage const& done, std::set<byte_fault> const& faults) {
    auto const has = [&](char const* kind) {
      return std::ranges::any_of(faults,
                                 [&](byte_fault const& one) { return std::get<0>(one) == kind; });
    };
    ++programs;
    racy += has("stream-race") || has("host-race");
    host_races += has("host-race");
    use_after_free += has("use-after-free") || has("use-after-free-issue");
    use_before_alloc += has("use-before-alloc");
    undefined += has("undefined-read");
    three_streams += done.streams.size() >= 3;
    sub_word += done.sub_word_touches != 0;
    re_records += done.re_records != 0;
    releases += done.releases != 0;
    reuses += done.reuses != 0;
    copies += done.copies != 0;
    queries += done.queries != 0;
    other_devices += done.other_devices != 0;
  }
};

struct dialect_twin {
  char const* name;
  model_rules rules;
};
// D8, as the model states it.
constexpr dialect_twin dialects[] = {
    {"cuda-13", {}},
    {"hip-6",
     {.free_waits_for_device = true,
      .pool_free_waits_for_device = true,
      .host_free_waits_for_device = true,
      .default_stream_wait_covers_blocking_streams = true}},
    {"hip-7",
     {.free_waits_for_device = true,
      .pool_free_waits_for_device = false,
      .host_free_waits_for_device = true,
      .default_stream_wait_covers_blocking_streams = true}},
};

std::set<byte_fault> without_undefined_reads(std::set<byte_fault> faults) {
  std::erase_if(faults, [](byte_fault const& one) { return std::get<0>(one) == "undefined-read"; });
  return faults;
}

std::string difference(std::set<byte_fault> const& expected, std::set<byte_fault> const& found) {
  std::set<byte_fault> missed, invented;
  std::ranges::set_difference(expected, found, std::inserter(missed, missed.end()));
  std::ranges::set_difference(found, expected, std::inserter(invented, invented.end()));
  return "missed:\n" + text_of(missed) + "invented:\n" + text_of(invented);
}

void judge_in_every_schedule(std::vector<command> const& commands, std::uint64_t seed,
                             dialect_twin const& vendor, shares& seen) {
  for (schedule_kind const kind :
       {schedule_kind::eager, schedule_kind::lazy, schedule_kind::random, schedule_kind::pct}) {
    options chosen;
    chosen.dialect = vendor.name;
    chosen.schedule = kind;
    chosen.seed = seed;
    chosen.device_count = twin_program::device_count;
    twin_program run(chosen, vendor.rules);
    for (command const& c : commands) run.perform(c);
    order_model::verdict const expected = run.expected();
    bool const all = !expected.undefined_bytes_copied;
    auto const wanted = all ? expected.faults : without_undefined_reads(expected.faults);
    auto found = run.found();
    if (!all) found = without_undefined_reads(std::move(found));
    ++seen.runs;
    if (found != wanted)
      RC_FAIL(std::string(vendor.name) + ", schedule " + std::to_string(int(kind)) + "\n" +
              difference(wanted, found));
    if (kind == schedule_kind::eager) seen.count(run.done(), wanted);
  }
}

TEST(StateMachine, TheCheckerSaysExactlyWhatTheModelSays) {
  // A tenth of the nightly run's programs, the same ones each time.
  auto const variable = [](char const* name, char const* otherwise) {
    char const* const value = std::getenv(name);
    return std::string(value != nullptr ? value : otherwise);
  };
  std::string const programs_text = variable("MOCKGPU_ORACLE_PROGRAMS", "1000");
  int const programs = std::stoi(programs_text);
  std::string const parameters =
      "seed=" + variable("MOCKGPU_ORACLE_SEED", "20") + " max_size=80 max_success=" + programs_text;
  setenv("RC_PARAMS", parameters.c_str(), 0); // a failure prints parameters that reproduce it
  shares seen;
  EXPECT_TRUE(rc::check("the checker says exactly what the model says", [&seen] {
    auto const commands = *rc::gen::container<std::vector<command>>(any_command());
    auto const seed = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(1, 1000));
    auto const vendor =
        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(0, std::size(dialects)));
    judge_in_every_schedule(commands, seed, dialects[vendor], seen);
  }));
  std::cout << seen.programs << " programs in " << seen.runs << " runs; racy " << seen.racy
            << ", with the host " << seen.host_races << ", use after free " << seen.use_after_free
            << ", before allocation " << seen.use_before_alloc << ", undefined " << seen.undefined
            << "; on three streams " << seen.three_streams << ", sub-word " << seen.sub_word
            << ", re-records " << seen.re_records << ", releases " << seen.releases << ", reuse "
            << seen.reuses << ", copies " << seen.copies << ", queries " << seen.queries
            << ", second device " << seen.other_devices << "\n";
  EXPECT_GE(seen.programs, programs);
  // At least so many in a hundred, or the agreement means little.
  EXPECT_GE(seen.racy * 100, seen.programs * 30);
  EXPECT_LT(seen.racy, seen.programs);
  EXPECT_GE(seen.three_streams * 100, seen.programs * 50);
  EXPECT_GE(seen.sub_word * 100, seen.programs * 50);
  EXPECT_GE(seen.re_records * 100, seen.programs * 30);
  EXPECT_GE(seen.releases * 100, seen.programs * 30);
  EXPECT_GE(seen.reuses * 100, seen.programs * 20);
  EXPECT_GE(seen.copies * 100, seen.programs * 50);
  EXPECT_GE(seen.use_after_free * 100, seen.programs * 5);
  EXPECT_GE(seen.use_before_alloc * 100, seen.programs * 5);
  EXPECT_GE(seen.undefined * 100, seen.programs * 5);
  EXPECT_GE(seen.host_races * 100, seen.programs * 10);
  EXPECT_GE(seen.other_devices * 100, seen.programs * 30);
}

} // namespace
} // namespace mockgpu::tests
