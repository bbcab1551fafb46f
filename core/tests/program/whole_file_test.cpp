// Files that appear whole or not at all, whatever lies at their place.
#include "program/whole_file.hpp"

#include <iterator>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_text.hpp"
#include "program/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

struct WholeFile : testing::Test {
  temporary_folder folder;
  fs::path const file = folder.path() / "report.txt";

  static std::string text_of(fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
  }
};

TEST_F(WholeFile, IsThereOnceWritten) {
  whole_file(file).write("all of it\n");
  EXPECT_EQ(text_of(file), "all of it\n");
  EXPECT_EQ(entries(), 1u) << "nothing is left aside";
}

TEST_F(WholeFile, LeavesWhatWasThereUntilItIsWritten) { // twin: IsThereOnceWritten
  whole_file(file).write("old");
  {
    whole_file const never_written(file);
    EXPECT_EQ(text_of(file), "old");
  }
  EXPECT_EQ(text_of(file), "old");
  EXPECT_EQ(entries(), 1u) << "nothing is left aside";
}

TEST_F(WholeFile, LinksStayLinks) {
  fs::path const target = folder.path() / "target.txt", link = folder.path() / "link.txt";
  fs::create_symlink("target.txt", link); // of a file that is not there yet
  whole_file(link).write("new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(target), "new");
}

TEST_F(WholeFile, PipesStayPipes) {
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  std::string read;
  {
    std::jthread const reader([&] { read = text_of(file); });
    whole_file(file).write("through");
  }
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(file));
}

TEST_F(WholeFile, SaysAtOnceWhereItCannotBe) {
  EXPECT_EQ(error_text([&] { whole_file{folder.path()}; }), "2: output is a folder");
  EXPECT_EQ(error_text([&] { whole_file{folder.path() / "no" / "file"}; }),
            "2: output cannot be written: No such file or directory");
}

TEST_F(WholeFile, SaysThatTheDeviceIsFull) {
  whole_file full("/dev/full");
  EXPECT_EQ(error_text([&] { full.write(std::string(1 << 16, 'x')); }),
            "4: output cannot be written: No space left on device");
}

} // namespace
} // namespace assay
