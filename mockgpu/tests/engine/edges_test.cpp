// The missing edge of a finding: inserted, that finding vanishes and no other appears.
#include <gmock/gmock.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The program's only finding, and then nothing once its edge is there, in every schedule.
finding cured(program const& body, options base = {}) {
  auto const found = in_every_schedule(body, base);
  EXPECT_EQ(found.size(), 1u) << text_of(found);
  if (found.empty() || !found[0].edge) {
    ADD_FAILURE() << "no edge";
    return {};
  }
  base.extra_edges = {*found[0].edge};
  EXPECT_THAT(text_of(in_every_schedule(body, base)), IsEmpty()) << to_text(*found[0].edge);
  return found[0];
}

TEST(MissingEdge, OrdersTwoStreams) {
  finding const one = cured([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    run.write(a, x);
    run.write(b, x);
  });
  EXPECT_EQ(one.edge->how, missing_edge::kind::stream_wait);
  EXPECT_EQ(one.edge->from, one.first.issue);
  EXPECT_EQ(one.edge->to, one.second.issue);
  EXPECT_THAT(one.edge_words, HasSubstr("cudaStreamWaitEvent(<stream 2 (b)>, e, 0)"));
}

TEST(MissingEdge, GoesToTheFirstOfSeveralLaterOperations) {
  cured([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    run.write(a, x);
    for (int i = 0; i < 3; ++i) run.write(b, x);
  });
}

TEST(MissingEdge, ComesFromTheLastOfSeveralEarlierOperations) {
  cured([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate(64);
    for (int i = 0; i < 3; ++i) run.write(a, x);
    run.write(b, x);
  });
}

TEST(MissingEdge, MakesTheHostWait) {
  static char target[64];
  finding const one = cured([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate(64);
    run.copy({target, 64}, x, cudaMemcpyDeviceToHost, a);
    run.record(a);
    run.host_reads(target, 64);
  });
  EXPECT_EQ(one.edge->how, missing_edge::kind::host_wait);
  EXPECT_EQ(one.edge->to, one.second.issue);
  EXPECT_THAT(one.edge_words, HasSubstr("cudaStreamSynchronize(<stream 1 (a)>)"));
}

TEST(MissingEdge, MakesTheHostWaitBeforeTheFirstOfSeveralAccesses) {
  cured([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const p = run.allocate_pinned(64);
    run.host_writes(p.base, 64);
    run.write(a, p);
    run.host_reads(p.base, 64);
    run.record(a);
    run.host_reads(p.base, 64);
  });
}

TEST(MissingEdge, OrdersAFreeAfterAUse) {
  cured([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a);
    run.wait(b, run.record(a));
    run.write(b, x);
    ASSERT_EQ(cudaFreeAsync(x.base, a), cudaSuccess);
  });
}

TEST(MissingEdge, OrdersAFreeByTheHostAfterAUse) {
  finding const one = cured([](scripted_run& run) {
    auto const a = run.add_stream("a");
    region const x = run.allocate_async(64, a);
    run.write(a, x);
    ASSERT_EQ(cudaFree(x.base), cudaSuccess);
  });
  EXPECT_EQ(one.edge->how, missing_edge::kind::host_wait);
}

TEST(MissingEdge, OrdersAUseAfterTheAllocation) {
  cured([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    region const x = run.allocate_async(64, a);
    run.write(b, x);
  });
}

TEST(MissingEdge, SpeaksTheDialect) {
  options hip;
  hip.dialect = "hip-7";
  finding const one = cured(
      [](scripted_run& run) {
        region const x = run.allocate(64);
        run.write(run.add_stream("a"), x);
        run.write(run.add_stream("b"), x);
      },
      hip);
  EXPECT_THAT(one.edge_words, HasSubstr("hipStreamWaitEvent"));
}

TEST(MissingEdge, AnUnrelatedEdgeCuresNothing) {
  options base;
  base.extra_edges = {{missing_edge::kind::stream_wait, 1, 2}};
  EXPECT_THAT(kinds(in_every_schedule(
                  [](scripted_run& run) {
                    region const x = run.allocate(64);
                    run.write(run.add_stream("a"), x);
                    run.write(run.add_stream("b"), x);
                  },
                  base)),
              ElementsAre("stream-race"));
}

TEST(MissingEdge, IsReadBackFromItsText) {
  missing_edge const wait{missing_edge::kind::stream_wait, 3, 7},
      host{missing_edge::kind::host_wait, 4, 5};
  EXPECT_EQ(to_text(wait), "wait:3:7");
  EXPECT_EQ(parse_missing_edge(to_text(wait)), wait);
  EXPECT_EQ(parse_missing_edge(to_text(host)), host);
}

TEST(MissingEdge, RefusesWhatIsNoEdge) {
  for (char const* const text :
       {"", "wait:", "wait:3", "wait:3:", "wait:0:7", "wait:3:7x", "stay:3:7", "host:-1:2"}) {
    try {
      static_cast<void>(parse_missing_edge(text));
      ADD_FAILURE() << text;
    } catch (std::invalid_argument const& problem) {
      EXPECT_EQ(problem.what(),
                "'" + std::string(text) +
                    "' is no edge: expected wait:FROM:TO or host:FROM:TO with issue numbers");
    }
  }
}

} // namespace
} // namespace mockgpu::tests
