// Exclusion by a file: between threads, between processes, and after a holder that was killed.
#include "program/file_lock.hpp"

#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(FileLock, LetsOneInAtATime) {
  temporary_folder const folder;
  fs::path const file = folder.path() / "lock";
  std::atomic<int> inside{0}, most{0}, entered{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 100; ++k) {
          file_lock const held(file);
          int const now = ++inside;
          for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
          }
          ++entered;
          --inside;
        }
      });
  }
  EXPECT_EQ(entered, 800);
  EXPECT_EQ(most, 1);
  EXPECT_FALSE(fs::exists(file)) << "the last holder removes it";
}

TEST(FileLock, DoesNotExcludeHoldersOfOtherFiles) { // twin: LetsOneInAtATime
  temporary_folder const folder;
  file_lock const one(folder.path() / "one"), other(folder.path() / "other");
  EXPECT_TRUE(fs::exists(folder.path() / "one"));
  EXPECT_TRUE(fs::exists(folder.path() / "other"));
}

TEST(FileLock, EndsWithAHolderThatIsKilled) {
  temporary_folder const folder;
  fs::path const file = folder.path() / "lock";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t const holder = fork();
  if (holder == 0) {
    file_lock const held(file);
    static_cast<void>(!write(ready[1], "x", 1));
    pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  std::atomic<bool> is_in{false};
  std::jthread const waiter([&] {
    file_lock const held(file);
    is_in = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(is_in) << "its holder lives";
  EXPECT_TRUE(fs::exists(file));
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  for (int k = 0; k < 5000 && !is_in; ++k)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_in);
  close(ready[0]);
  close(ready[1]);
}

TEST(FileLock, NamesTheFolderItCannotBeIn) {
  EXPECT_EQ(error_text([] { file_lock const none("/proc/none/lock"); }),
            "4: cannot write there: No such file or directory");
}

} // namespace
} // namespace assay
