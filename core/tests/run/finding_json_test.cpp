#include "finding_json.hpp"

#include <gtest/gtest.h>

namespace assay::tool {
namespace {

mockgpu::finding example() {
  mockgpu::finding one;
  one.kind = "stream-race";
  one.rule = "stream-order";
  one.message = "both write \"x\"\n";
  one.first = {"kernel", "produce", "stream 1", 4, "write", {"a.cu", 10, "produce"}};
  one.first.thread = "block (0,0,0), thread (3,0,0)";
  one.second = {"kernel", "consume", "stream 2", 6, "read", {"b.cu", 20, "consume"}};
  one.memory = {"x", "part", "device 0", 1ull << 63, 64, 3, "cudaMalloc, issue 2"};
  one.ranges = {{-8, 8}, {16, 24}};
  one.byte_begin = -8;
  one.byte_end = 24;
  one.edge = mockgpu::missing_edge{mockgpu::missing_edge::kind::stream_wait, 4, 6};
  one.edge_words = "wait for it";
  return one;
}

TEST(FindingJson, ReadsEverythingThatIsWritten) {
  std::string const written = mockgpu::to_json(example());
  auto const read = parse_finding(written);
  ASSERT_TRUE(read);
  EXPECT_EQ(mockgpu::to_json(*read), written);
  EXPECT_EQ(mockgpu::to_text(*read), mockgpu::to_text(example()));
}

TEST(FindingJson, ReadsAFindingWithOneSideAndNoEdge) {
  mockgpu::finding one = example();
  one.first = {};
  one.edge.reset();
  std::string const written = mockgpu::to_json(one);
  auto const read = parse_finding(written);
  ASSERT_TRUE(read);
  EXPECT_EQ(mockgpu::to_json(*read), written);
}

TEST(FindingJson, TakesOtherLinesForNoFinding) {
  EXPECT_FALSE(parse_finding("{\"begin\":{\"process\":1}}"));
  EXPECT_FALSE(parse_finding(mockgpu::to_json(example()).substr(0, 100)));
  EXPECT_FALSE(parse_finding(""));
}

TEST(FindingJson, GroupsOneFaultOfSeveralRuns) {
  mockgpu::finding other = example();
  other.memory.generation = 9;
  other.first.issue = 5;
  EXPECT_EQ(to_core(example()).group, to_core(other).group);
  other.second.name = "another";
  EXPECT_NE(to_core(example()).group, to_core(other).group);
}

} // namespace
} // namespace assay::tool
