#include "mockgpu/explore.hpp"

#include <chrono>
#include <iostream>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "order_counter.hpp"
#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using kind = scripted_call::kind;
constexpr std::size_t cell_bytes = 8;

/// Gives the calls to the engine.
void perform(scripted_run& run, std::vector<scripted_call> const& program, int streams, int cells) {
  std::vector<cudaStream_t> made;
  for (int i = 0; i < streams; ++i)
    made.push_back(run.add_stream(("s" + std::to_string(i)).c_str()));
  std::vector<cudaEvent_t> events = {run.add_event(), run.add_event(), run.add_event()};
  region const memory = run.allocate_pinned(std::size_t(cells) * cell_bytes);
  run.host_writes(memory.base, memory.size_bytes);
  auto const part = [&](scripted_call::cell const& one) {
    std::size_t const begin = std::size_t(one.index) * cell_bytes;
    return memory.part(begin, begin + cell_bytes);
  };
  for (scripted_call const& call : program) {
    cudaStream_t const on = made[std::size_t(call.stream)];
    switch (call.what) {
    case kind::kernel: {
      std::vector<touch> script;
      for (auto const& one : call.cells)
        script.push_back(one.write ? writes(part(one)) : reads(part(one)));
      run.kernel(on, script);
      break;
    }
    case kind::record:
      run.record(events[std::size_t(call.event)], on);
      break;
    case kind::wait:
      run.wait(on, events[std::size_t(call.event)]);
      break;
    case kind::host_access:
      for (auto const& one : call.cells)
        one.write ? run.host_writes(part(one).base, cell_bytes)
                  : run.host_reads(part(one).base, cell_bytes);
      break;
    case kind::synchronize:
      run.synchronize(on);
      break;
    }
  }
  mark_baseline();
}

explored explore_program(std::vector<scripted_call> const& program, int streams, int cells) {
  set_sink([](finding const&) {});
  // A run of its own would reset the mock, which exploration has done; and it lives until the queue
  // is empty.
  std::unique_ptr<scripted_run> run;
  return explore({}, [&] {
    run = std::make_unique<scripted_run>(scripted_run::joined);
    perform(*run, program, streams, cells);
  });
}

std::vector<scripted_call> writers(int streams, int kernels) {
  std::vector<scripted_call> program;
  for (int i = 0; i < kernels; ++i)
    for (int s = 0; s < streams; ++s) program.push_back({kind::kernel, s, 0, {{0, true}}});
  return program;
}

TEST(Explore, RunsAProgramWithoutRacesOnce) {
  std::vector<scripted_call> const program = {{kind::kernel, 0, 0, {{0, true}}},
                                              {kind::record, 0, 0, {}},
                                              {kind::wait, 1, 0, {}},
                                              {kind::kernel, 1, 0, {{0, true}}},
                                              {kind::kernel, 2, 0, {{1, true}}},
                                              {kind::synchronize, 1, 0, {}},
                                              {kind::host_access, 0, 0, {{0, false}}}};
  explored const result = explore_program(program, 3, 2);
  EXPECT_EQ(result.orders, 1u);
  EXPECT_EQ(result.redundant_runs, 0u);
  EXPECT_TRUE(result.findings.empty());
  EXPECT_GT(result.accesses, 0u);
  EXPECT_GT(count_orders(program).all, 1u);
}

TEST(Explore, RunsBothOrdersOfARace) {
  explored const result = explore_program(writers(2, 1), 2, 1);
  EXPECT_EQ(result.orders, 2u);
  EXPECT_EQ(kinds(result.findings), std::vector<std::string>{"stream-race"});
  EXPECT_EQ(result.findings.front().token.front(), 'x');
}

TEST(Explore, RunsEveryOrderOfAHostAccessAndTheWorkThatItRacesWith) {
  std::vector<scripted_call> const program = {{kind::kernel, 0, 0, {{0, true}}},
                                              {kind::kernel, 0, 0, {{1, true}}},
                                              {kind::host_access, 0, 0, {{0, false}, {1, false}}},
                                              {kind::kernel, 1, 0, {{0, false}}}};
  EXPECT_EQ(explore_program(program, 2, 2).orders, count_orders(program).inequivalent);
}

TEST(Explore, RunsAllOrdersOfTwelveConflictingKernelsOnThreeStreams) {
  // 12! / (4! 4! 4!): nothing can be left out.
  explored const result = explore_program(writers(3, 4), 3, 1);
  EXPECT_EQ(result.orders, 34650u);
  EXPECT_EQ(result.redundant_runs, 0u);
}

TEST(Explore, CoversThreeStreamsOfFourOperationsWithTwoEvents) {
  std::vector<scripted_call> const program = {{kind::kernel, 0, 0, {{0, true}}},
                                              {kind::kernel, 1, 0, {{1, true}}},
                                              {kind::kernel, 2, 0, {{0, false}}},
                                              {kind::record, 0, 0, {}},
                                              {kind::wait, 1, 0, {}},
                                              {kind::kernel, 2, 0, {{1, false}}},
                                              {kind::kernel, 1, 0, {{0, true}}},
                                              {kind::record, 1, 1, {}},
                                              {kind::kernel, 0, 0, {{1, true}}},
                                              {kind::wait, 2, 1, {}},
                                              {kind::kernel, 0, 0, {{0, false}}},
                                              {kind::kernel, 2, 0, {{0, true}, {1, true}}}};
  auto const start = std::chrono::steady_clock::now();
  explored const result = explore_program(program, 3, 2);
  std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
  order_count const expected = count_orders(program);
  std::cout << result.orders << " of " << expected.all << " orders, " << seconds.count() << " s\n";
  EXPECT_EQ(result.orders, expected.inequivalent);
  EXPECT_GT(result.orders, 10u);
  EXPECT_LT(seconds.count(), 20);
}

TEST(Explore, FailsLoudlyPastItsBound) {
  options chosen;
  chosen.max_orders = 5;
  std::unique_ptr<scripted_run> run;
  auto const program = [&] {
    run = std::make_unique<scripted_run>(scripted_run::joined);
    perform(*run, writers(2, 3), 2, 1);
  };
  set_sink([](finding const&) {});
  try {
    static_cast<void>(explore(chosen, program));
    FAIL() << "no bound";
  } catch (std::runtime_error const& error) {
    EXPECT_STREQ(error.what(), "more than 5 orders: the exploration is not complete");
  }
  chosen.max_orders = 20; // exactly as many as there are
  EXPECT_EQ(explore(chosen, program).orders, 20u);
}

TEST(Explore, RefusesAProgramThatDependsOnMoreThanTheOrder) {
  set_sink([](finding const&) {});
  int runs = 0;
  std::unique_ptr<scripted_run> run;
  try {
    static_cast<void>(explore({}, [&] {
      run = std::make_unique<scripted_run>(scripted_run::joined);
      // Every other run begins with a fill.
      std::vector<scripted_call> program = writers(2, 2);
      if (++runs % 2 == 0) program.insert(program.begin(), {kind::record, 0, 0, {}});
      perform(*run, program, 2, 1);
    }));
    FAIL() << "accepted";
  } catch (std::runtime_error const& error) {
    EXPECT_EQ(std::string(error.what()).rfind("nondeterministic program: point ", 0), 0u)
        << error.what();
  }
}

TEST(Explore, TakesBothPathsOfACopyThatMayReadItsSourceAtOnce) {
  set_sink([](finding const&) {});
  std::set<int> seen;
  std::unique_ptr<scripted_run> run;
  static int source = 0; // known to every run by the same address or not: it must not matter
  explored const result = explore({}, [&] {
    run = std::make_unique<scripted_run>(scripted_run::joined);
    auto const x = run->allocate(4);
    auto const on = run->add_stream("on");
    source = 1;
    run->copy(x, {&source, 4}, cudaMemcpyHostToDevice, on);
    run->host_writes(&source, 4);
    source = 2; // not before the stream has been waited for
    run->synchronize(on);
    int back = 0;
    EXPECT_EQ(cudaMemcpy(&back, x.base, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    seen.insert(back);
    mark_baseline();
  });
  EXPECT_EQ(seen, (std::set<int>{1, 2}));
  EXPECT_EQ(kinds(result.findings), std::vector<std::string>{"host-race"});
  EXPECT_GE(result.orders, 2u);
}

TEST(Explore, GivesAQueryBothAnswers) {
  set_sink([](finding const&) {});
  std::set<cudaError_t> answers;
  std::unique_ptr<scripted_run> run;
  explored const result = explore({}, [&] {
    run = std::make_unique<scripted_run>(scripted_run::joined);
    auto const x = run->allocate(4);
    auto const on = run->add_stream("on");
    run->write(on, x);
    answers.insert(cudaStreamQuery(on));
    static_cast<void>(cudaGetLastError());
    mark_baseline();
  });
  EXPECT_EQ(answers, (std::set<cudaError_t>{cudaSuccess, cudaErrorNotReady}));
  EXPECT_EQ(result.orders, 2u);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Explore, EndsAProgramThatPolls) {
  set_sink([](finding const&) {});
  std::unique_ptr<scripted_run> run;
  explored const result = explore({}, [&] {
    run = std::make_unique<scripted_run>(scripted_run::joined);
    auto const x = run->allocate(4);
    auto const on = run->add_stream("on");
    run->write(on, x);
    run->poll(on);
    mark_baseline();
  });
  EXPECT_GE(result.orders, 2u); // as many as there can be refusals, and one
  EXPECT_LE(result.orders, 6u);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Explore, GivesTokensThatReplay) {
  explored const result = explore_program(writers(2, 2), 2, 1);
  ASSERT_FALSE(result.findings.empty());
  for (finding const& one : result.findings) {
    options again;
    again.schedule = schedule_kind::replay;
    again.token = one.token;
    scripted_run run(again);
    perform(run, writers(2, 2), 2, 1);
    std::vector<finding> const found = run.finish();
    EXPECT_TRUE(identities(found).contains(identity(one))) << one.token;
    EXPECT_EQ(current_token(), one.token);
  }
}

TEST(Explore, CountsWhatTryingEveryOrderCounts) {
  std::mt19937 random(7);
  auto const below = [&](int bound) { return int(random() % unsigned(bound)); };
  std::uint64_t racy = 0, most = 0, redundant = 0;
  for (int i = 0; i < 150; ++i) {
    std::vector<scripted_call> program;
    int const calls = 3 + below(5);
    for (int c = 0; c < calls; ++c) {
      scripted_call call;
      int const what = below(10);
      call.what = what < 6   ? kind::kernel
                  : what < 7 ? kind::record
                  : what < 8 ? kind::wait
                  : what < 9 ? kind::host_access
                             : kind::synchronize;
      call.stream = below(3);
      call.event = below(2);
      if (call.what == kind::kernel || call.what == kind::host_access)
        for (int touched = 1 + below(2); touched > 0; --touched)
          call.cells.push_back({below(2), below(2) == 0});
      program.push_back(call);
    }
    order_count const expected = count_orders(program);
    explored const found = explore_program(program, 3, 2);
    std::string text;
    for (auto const& call : program) {
      text += std::to_string(int(call.what)) + " s" + std::to_string(call.stream) + " e" +
              std::to_string(call.event);
      for (auto const& cell : call.cells)
        text += (cell.write ? " w" : " r") + std::to_string(cell.index);
      text += "\n";
    }
    ASSERT_EQ(found.orders, expected.inequivalent) << text;
    racy += found.orders > 1;
    most = std::max(most, found.orders);
    redundant += found.redundant_runs;
  }
  std::cout << racy << " programs with several orders, at most " << most << "; " << redundant
            << " redundant runs\n";
  EXPECT_GE(racy, 50u);
  EXPECT_GE(most, 20u);
}

} // namespace
} // namespace mockgpu::tests
