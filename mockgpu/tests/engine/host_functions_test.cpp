// Host functions beside the program's threads: what orders the two, and that neither waits for the
// other where a device would let both go on.
#include <gmock/gmock.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <semaphore.h>

#include "scripted_run.hpp"

namespace mockgpu::tests {
namespace {

using ::testing::IsEmpty;

/// What two sides share, made anew for each run.
struct meeting {
  std::mutex guard;
  std::condition_variable changed;
  bool done = false;
  sem_t semaphore;
  region memory;
  std::thread thread;
  std::function<void(meeting&)> function;

  meeting() { sem_init(&semaphore, 0, 0); }
  void signal() {
    std::lock_guard const lock(guard);
    done = true;
    changed.notify_one();
  }
  void wait() {
    std::unique_lock lock(guard);
    changed.wait(lock, [this] { return done; });
  }
  void write() {
    access_range(reinterpret_cast<std::uintptr_t>(memory.base), memory.size_bytes,
                 access_kind::write, nullptr);
  }
};

void call(scripted_run& run, cudaStream_t on, meeting& at, std::function<void(meeting&)> function) {
  static_cast<void>(run);
  at.function = std::move(function);
  ASSERT_EQ(cudaLaunchHostFunc(
                on,
                [](void* data) {
                  auto& given = *static_cast<meeting*>(data);
                  given.function(given);
                },
                &at),
            cudaSuccess);
}

TEST(HostFunctions, AConditionThatOneSignalsOrdersTheHost) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                meeting at;
                at.memory = run.allocate_pinned(64);
                call(run, a, at, [](meeting& one) {
                  one.write();
                  one.signal();
                });
                at.wait();
                run.host_reads(at.memory.base, 64);
              }),
              IsEmpty());
}

TEST(HostFunctions, ReportsAReadBesideTheSignal) { // twin of the above
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a");
    meeting at;
    at.memory = run.allocate_pinned(64);
    call(run, a, at, [](meeting& one) {
      one.write();
      one.signal();
    });
    run.host_reads(at.memory.base, 64);
    at.wait();
  });
  EXPECT_THAT(kinds(found), testing::Contains("host-race"));
}

TEST(HostFunctions, AnotherOnesSignalOrdersNothing) {
  auto const found = in_every_schedule([](scripted_run& run) {
    auto const a = run.add_stream("a"), b = run.add_stream("b");
    meeting at, other;
    at.memory = run.allocate_pinned(64);
    call(run, a, at, [](meeting& one) {
      one.write();
      sem_post(&one.semaphore);
    });
    call(run, b, other, [](meeting& one) { sem_post(&one.semaphore); });
    sem_wait(&other.semaphore);
    run.host_reads(at.memory.base, 64);
    sem_wait(&at.semaphore);
  });
  EXPECT_THAT(kinds(found), testing::Contains("host-race"));
}

TEST(HostFunctions, AThreadThatOneStartsComesAfterIt) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                meeting at;
                at.memory = run.allocate_pinned(64);
                call(run, a, at, [&run](meeting& one) {
                  one.write();
                  one.thread = std::thread([&run, &one] {
                    run.host_reads(one.memory.base, 64);
                    sem_post(&one.semaphore);
                  });
                });
                sem_wait(&at.semaphore);
                at.thread.join();
              }),
              IsEmpty());
}

TEST(HostFunctions, OneThatWaitsForTheHostHoldsUpItsStreamOnly) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a"), b = run.add_stream("b");
                region const x = run.allocate(64), y = run.allocate(64, "y"),
                             p = run.allocate_pinned(64);
                meeting gate;
                call(run, a, gate, [](meeting& one) { one.wait(); });
                run.copy(x, p, cudaMemcpyHostToDevice, a);
                run.write(b, y);
                run.synchronize(b);
                EXPECT_EQ(cudaStreamQuery(a), cudaErrorNotReady);
                static_cast<void>(cudaGetLastError());
                run.host_writes(p.base, 64); // the copy comes after the gate
                gate.signal();
                run.synchronize(a);
              }),
              IsEmpty());
}

TEST(HostFunctions, AMutexThatTheCallerHoldsDoesNotStopTheProgram) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                region const x = run.allocate(64);
                meeting at;
                {
                  std::lock_guard const lock(at.guard);
                  call(run, a, at, [](meeting& one) {
                    std::lock_guard const inside(one.guard);
                    one.done = true;
                  });
                  run.write(a, x);
                }
                run.synchronize(a);
                EXPECT_TRUE(at.done);
              }),
              IsEmpty());
}

TEST(HostFunctions, RunOnAThreadOfTheirOwn) {
  EXPECT_THAT(in_every_schedule([](scripted_run& run) {
                auto const a = run.add_stream("a");
                run.write(a, run.allocate(64));
                meeting at;
                static std::thread::id where;
                call(run, a, at, [](meeting&) { where = std::this_thread::get_id(); });
                run.synchronize(a);
                EXPECT_NE(where, std::this_thread::get_id());
              }),
              IsEmpty());
}

TEST(HostFunctions, ThreadsGoOnBesideTheMocksOwnLocks) { // which are no business of the program's
  options lazy;
  lazy.schedule = schedule_kind::lazy;
  scripted_run run(lazy);
  auto const a = run.add_stream("a");
  meeting at;
  call(run, a, at, [](meeting& one) { one.signal(); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&run, p = run.allocate_pinned(4096), x = run.allocate(64), a] {
      for (int round = 0; round < 50; ++round) {
        for (std::size_t byte = 0; byte < p.size_bytes; byte += 8)
          run.host_writes(p.part(byte, byte + 4).base, 4);
        ASSERT_EQ(cudaMemsetAsync(x.base, 0, 64, a), cudaSuccess);
      }
    });
  for (std::thread& one : threads) one.join();
  at.wait();
  run.synchronize(a);
  EXPECT_GT(current_statistics().accesses, 4u * 50u * 512u);
  EXPECT_THAT(run.finish(), IsEmpty());
}

} // namespace
} // namespace mockgpu::tests
