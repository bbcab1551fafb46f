// Findings as values and as text.
#include <gmock/gmock.h>

#include <algorithm>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

finding example() {
  finding one;
  one.kind = "stream-race";
  one.rule = "stream-order";
  one.message = "both write \"x\"";
  one.first = {"kernel", "produce", "stream 1", 4, "write", {"a.cu", 10, "produce"}};
  one.second = {"kernel", "consume", "stream 2", 6, "read", {"b.cu", 20, "consume"}};
  one.memory = {"x", "", "device 0", 4096, 64, 3, "cudaMalloc, issue 2"};
  one.ranges = {{0, 8}, {16, 24}};
  one.byte_begin = 0;
  one.byte_end = 24;
  one.edge = missing_edge{missing_edge::kind::stream_wait, 4, 6};
  one.edge_words = "wait for it";
  return one;
}

TEST(Findings, TextNamesBothSidesMemoryBytesRuleAndCure) {
  EXPECT_EQ(to_text(example()), "stream-race: both write \"x\"\n"
                                "  first : write by kernel produce on stream 1, issue 4\n"
                                "         at a.cu:10 in produce\n"
                                "  second: read by kernel consume on stream 2, issue 6\n"
                                "         at b.cu:20 in consume\n"
                                "  memory: x (device 0, 64 bytes, from cudaMalloc, issue 2)\n"
                                "  bytes : 0-8,16-24\n"
                                "  rule  : stream-order\n"
                                "  cure  : wait for it  [wait:4:6]");
}

TEST(Findings, JsonIsOneLineWithEscapes) {
  std::string const text = to_json(example());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
  EXPECT_THAT(text, HasSubstr("\"message\":\"both write \\\"x\\\"\""));
  EXPECT_THAT(text, HasSubstr("\"ranges\":[[0,8],[16,24]]"));
  EXPECT_THAT(text, HasSubstr("\"edge\":\"wait:4:6\""));
}

TEST(Findings, IdentityDependsOnChainsAndBytesAndNotOnOperationsOrSides) {
  finding one = example(), other = example();
  other.first.issue = 5;
  other.first.location.line = 11;
  EXPECT_EQ(identity(one), identity(other));
  std::swap(other.first, other.second);
  EXPECT_EQ(identity(one), identity(other));
  other.ranges = {{0, 8}};
  EXPECT_NE(identity(one), identity(other));
  other = example();
  other.second.chain = "stream 3";
  EXPECT_NE(identity(one), identity(other));
}

TEST(Findings, CoalesceUnitesTheBytesOfOneChainAndKind) {
  finding left = example(), right = example();
  left.ranges = {{0, 8}};
  right.ranges = {{8, 16}, {32, 40}};
  right.second.issue = 9;
  auto const united = coalesce({right, left});
  ASSERT_EQ(united.size(), 1u);
  EXPECT_EQ(united[0].ranges, (std::vector<byte_range>{{0, 16}, {32, 40}}));
  EXPECT_EQ(united[0].second.issue, 6u);
  EXPECT_EQ(united[0].byte_end, 40);
}

TEST(Findings, KindsAreSorted) {
  auto const all = finding_kinds();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_EQ(all.size(), 26u);
}

TEST(Findings, ComeOutAtOnceAndOnceForEachPlaceInTheProgram) {
  scripted_run run;
  std::vector<std::string> seen;
  set_sink([&](finding const& one) { seen.push_back(one.kind); });
  auto const a = run.add_stream("a"), b = run.add_stream("b");
  region const x = run.allocate(64);
  run.write(a, x);
  EXPECT_THAT(seen, ElementsAre());
  run.write(b, x);
  EXPECT_THAT(seen, ElementsAre("stream-race"));
  set_sink([](finding const&) {});
}

} // namespace
} // namespace mockgpu::tests
