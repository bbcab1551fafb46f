// Random small kernels: the engine reports races on exactly the bytes on which the oracle sees
// them.
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "mockgpu/abi.h"
#include "thread_oracle.hpp"
#include "thread_script.hpp"

namespace mockgpu::tests {
namespace {

constexpr std::size_t memory_bytes = 24;
constexpr unsigned warp_threads = 3;

/// What one thread does between two points where threads may meet.
struct step {
  int block = 0, thread = 0;
  int what = 0; ///< mostly accesses
  int begin = 0, size_exponent = 0;
};
/// A stretch of a kernel, and what ends it.
struct stretch {
  std::vector<step> steps;
  int meeting = 0; ///< the block, or lanes of the warps, or nobody
  int lanes = 0;
};
std::ostream& operator<<(std::ostream& out, step const& s) {
  return out << "{b" << s.block << " t" << s.thread << " what " << s.what << " at " << s.begin
             << "+" << (1 << s.size_exponent) << "}";
}
void showValue(stretch const& s, std::ostream& out) {
  for (step const& one : s.steps) out << one;
  out << " meeting " << s.meeting << " lanes " << s.lanes;
}

rc::Gen<stretch> any_stretch() {
  auto const below = [](int bound) { // the whole range at every size
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, bound));
  };
  auto const any_step = rc::gen::build<step>(
      rc::gen::set(&step::block, below(3)), rc::gen::set(&step::thread, below(6)),
      rc::gen::set(&step::what, below(21)), rc::gen::set(&step::begin, below(int(memory_bytes))),
      rc::gen::set(&step::size_exponent, below(4)));
  return rc::gen::build<stretch>(
      rc::gen::set(&stretch::steps, rc::gen::container<std::vector<step>>(any_step)),
      rc::gen::set(&stretch::meeting, below(6)), rc::gen::set(&stretch::lanes, below(8)));
}

int order_number(bool acquires, bool releases) {
  if (acquires) return releases ? __ATOMIC_ACQ_REL : __ATOMIC_ACQUIRE;
  return releases ? __ATOMIC_RELEASE : __ATOMIC_RELAXED;
}

/// Executes the kernel block by block, warp by warp or stretch by stretch, and writes down what
/// happens. `with_fences` false: fences and warp barriers are left out.
class execution {
public:
  execution(std::vector<stretch> const& kernel, unsigned blocks, unsigned threads, bool with_fences,
            char* memory)
      : kernel_(kernel), threads_(threads), with_fences_(with_fences), memory_(memory) {
    run_threads(blocks, threads, [this](device_thread const& self) {
      if (self.thread == 0) run_block(self.block);
    });
  }
  std::vector<kernel_event> events;

private:
  void become(unsigned thread) {
    mockgpu_indices.thread[0] = thread;
    thread_order::switch_thread();
  }
  void run_block(unsigned block) {
    if (with_fences_) { // readers before the first fence of a kernel are not told apart
      become(0);
      perform({int(block), 0, 14, 0, 0}, block);
    }
    for (stretch const& part : kernel_) {
      for (unsigned thread = 0; thread < threads_; ++thread) {
        become(thread);
        for (step const& one : part.steps)
          if (unsigned(one.block) == block && unsigned(one.thread) == thread) perform(one, block);
      }
      meet(part, block);
    }
    become(threads_ - 1); // the loop over threads is at its end
  }
  void meet(stretch const& part, unsigned block) {
    kernel_event event;
    event.block = block;
    if (part.meeting == 0) {
      event.what = kernel_event::kind::block_barrier;
      for (unsigned thread = 0; thread < threads_; ++thread) event.threads.insert(thread);
      events.push_back(event);
      thread_order::block_barrier();
    } else if (part.meeting <= 2 && with_fences_) {
      for (unsigned first = 0; first < threads_; first += warp_threads) {
        event.what = kernel_event::kind::warp_barrier;
        event.threads.clear();
        std::uint64_t const lanes = part.meeting == 1 ? 7u : unsigned(part.lanes);
        for (unsigned lane = 0; lane < warp_threads && first + lane < threads_; ++lane)
          if ((lanes >> lane & 1) != 0) event.threads.insert(first + lane);
        if (event.threads.empty()) continue;
        events.push_back(event);
        thread_order::warp_barrier(first, lanes);
      }
    }
  }
  void perform(step const& one, unsigned block) {
    kernel_event event;
    event.block = block;
    event.thread = unsigned(one.thread);
    std::size_t const size = std::size_t{1} << one.size_exponent;
    event.begin = std::size_t(one.begin) / size * size;
    event.end = event.begin + size;
    bool const fence = one.what >= 14 && one.what < 18;
    if (one.what >= 14 && with_fences_) {
      event.acquires = one.what != 16 && one.what != 18;
      event.releases = one.what != 17 && one.what != 19;
    }
    if (fence) {
      if (!with_fences_) return;
      bool const device = one.what != 15;
      event.what = device ? kernel_event::kind::device_fence : kernel_event::kind::block_fence;
      thread_order::fence(device ? thread_order::fence_scope::device
                                 : thread_order::fence_scope::block,
                          {event.acquires, event.releases});
    } else {
      access_kind kind = access_kind::read;
      event.what = kernel_event::kind::read;
      if (one.what >= 5) event.what = kernel_event::kind::write, kind = access_kind::write;
      if (one.what >= 9) {
        event.what = kernel_event::kind::atomic, kind = access_kind::atomic;
        event.begin = event.begin / 8 * 8; // few addresses, so that threads meet there
        event.end = event.begin + 4;
        bool const acquires = event.acquires && !event.releases;
        if (one.what == 13 || (acquires && one.begin % 2 == 0))
          event.writes = false, kind = access_kind::atomic_load;
      }
      current_context->order = order_number(event.acquires, event.releases);
      access(reinterpret_cast<std::uintptr_t>(memory_) + event.begin,
             unsigned(event.end - event.begin), kind, nullptr);
      current_context->order = __ATOMIC_RELAXED;
    }
    events.push_back(event);
  }

  std::vector<stretch> const& kernel_;
  unsigned threads_;
  bool with_fences_;
  char* memory_;
};

std::set<std::size_t> bytes_of(std::vector<finding> const& all, bool with_atomic) {
  std::set<std::size_t> bytes;
  for (finding const& one : all) {
    if (one.kind != "thread-race") ADD_FAILURE() << to_text(one);
    if ((one.rule == "atomic-and-plain") != with_atomic) continue;
    for (byte_range const& range : one.ranges)
      for (auto at = range.begin; at < range.end; ++at) bytes.insert(std::size_t(at));
  }
  return bytes;
}

template <class... Sets>
std::set<std::size_t> together(std::set<std::size_t> all, Sets const&... more) {
  (all.insert(more.begin(), more.end()), ...);
  return all;
}

int cases() {
  char const* const given = std::getenv("MOCKGPU_PROPERTY_CASES");
  return given != nullptr ? std::atoi(given) : 1500;
}

void check(bool with_fences) {
  int racy = 0, silent = 0, done = 0;
  for (int i = 0; i < cases(); ++i) {
    rc::Random random(std::uint64_t(i) * 2 + (with_fences ? 1 : 0));
    auto const kernel =
        rc::gen::container<std::vector<stretch>>(any_stretch())(random, 4 + i % 16).value();
    auto const blocks = unsigned(1 + i % 3), threads = unsigned(1 + i / 3 % 6);
    options chosen = with_threads();
    chosen.advice = true;
    scripted_run run(chosen);
    auto* const memory = static_cast<char*>(run.allocate(memory_bytes).base);
    execution const executed(kernel, blocks, threads, with_fences, memory);
    racy_bytes const expected = find_racy_bytes(executed.events);
    auto const found = run.finish();
    std::set<std::size_t> const plain = bytes_of(found, false), atomic = bytes_of(found, true);
    // The first race on a byte is found for sure: which others on it, is not said.
    auto const all_found = together(plain, atomic),
               all_expected = together(expected.plain, expected.with_atomic);
    std::string text;
    for (auto const& part : kernel) {
      std::ostringstream out;
      showValue(part, out);
      text += out.str() + "\n";
    }
    text = "case " + std::to_string(i) + ", " + std::to_string(blocks) + " blocks of " +
           std::to_string(threads) + "\n" + text;
    if (!with_fences) {
      ASSERT_EQ(all_found, all_expected) << text;
    } else {
      // An atomic that publishes counts as ordered before whoever learns of it: the oracle does not
      // know that mercy.
      ASSERT_TRUE(std::includes(all_expected.begin(), all_expected.end(), all_found.begin(),
                                all_found.end()))
          << text;
      ASSERT_TRUE(std::includes(all_found.begin(), all_found.end(), expected.plain.begin(),
                                expected.plain.end()))
          << text;
    }
    (all_expected.empty() ? silent : racy) += 1;
    ++done;
  }
  EXPECT_GE(racy * 10, done * 3);
  EXPECT_GE(silent * 10, done);
}

TEST(ThreadProperty, RacesAreThoseOfTheClosureWhereOnlyBarriersOrder) { check(false); }

TEST(ThreadProperty, RacesAreThoseOfTheClosureWithWarpsAndFences) { check(true); }

} // namespace
} // namespace mockgpu::tests
