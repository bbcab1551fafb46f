#include "fuzz/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <sys/stat.h>

#include "assay/error.hpp"
#include "program/hash.hpp"
#include "program/temporary_folder.hpp"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

campaign const one{7, 100, "0.1", "print"};

slot_result slot(std::uint64_t number, std::string const& text = {}) {
  slot_result s;
  s.slot = number;
  s.cases = 16;
  s.held = text.empty() ? 16 : 15;
  s.accesses = number * 10;
  if (!text.empty()) s.failed.push_back({number * 16, "findings", "stream-race", "a b", "t", text});
  return s;
}

std::string read(fs::path const& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write(fs::path const& file, std::string const& text) {
  std::ofstream(file, std::ios::binary) << text;
}
std::string message_of(std::function<void()> const& act) {
  try {
    act();
  } catch (error const& e) {
    return fs::path(e.file()).filename().string() + ": " + e.what();
  }
  return "no error";
}

class Journal : public testing::Test {
protected:
  temporary_folder folder_;
  fs::path file_ = folder_.path() / "a.jsonl", other_ = folder_.path() / "b.jsonl";
  void fill(fs::path const& file, std::vector<slot_result> slots, campaign const& what = one) {
    journal j(file, what);
    for (slot_result& s : slots) j.add(std::move(s));
  }
};

TEST_F(Journal, GoesOnWhereItWas) {
  fill(file_, {slot(0), slot(2, "text\nof two lines \xff")});
  {
    journal j(file_, one);
    EXPECT_EQ(j.content().slots.size(), 2u);
    j.add(slot(1));
  }
  record const all = read_record(file_);
  EXPECT_EQ(all.what, one);
  EXPECT_EQ(all.slots.size(), 3u);
  EXPECT_EQ(all.slots.at(2).failed.at(0).number, 32u);
}

TEST_F(Journal, LosesNothingButTheTornLineWhereverAProcessWasKilled) {
  fill(file_, {slot(0), slot(1, "found"), slot(2)});
  std::string const whole = read(file_);
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; (at = whole.find('\n', at)) != std::string::npos; ++at)
    ends.push_back(at + 1);
  ASSERT_EQ(ends.size(), 4u);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    write(file_, whole.substr(0, size));
    std::size_t lines = 0;
    for (std::size_t const end : ends) lines += end <= size;
    {
      journal j(file_, one);
      ASSERT_EQ(j.content().slots.size(), lines == 0 ? 0 : lines - 1) << size;
      for (std::uint64_t k = j.content().slots.size(); k < 3; ++k)
        j.add(k == 1 ? slot(1, "found") : slot(k));
    }
    ASSERT_EQ(read(file_), whole) << size;
  }
}

TEST_F(Journal, RefusesAChangedLineAnotherCampaignAndASecondProcess) {
  fill(file_, {slot(0), slot(1)});
  campaign other = one;
  other.seed = 8;
  EXPECT_EQ(message_of([&] { journal(file_, other); }),
            "a.jsonl: the folder holds another campaign: seed 7 instead of 8");
  {
    journal const open(file_, one);
    EXPECT_EQ(message_of([&] { journal(file_, one); }),
              "a.jsonl: another campaign has the file open");
  }
  std::string text = read(file_);
  text.replace(text.find("\"held\":16"), 9, "\"held\":15");
  write(file_, text);
  EXPECT_EQ(message_of([&] { journal(file_, one); }),
            "a.jsonl: line 2 was changed: its checksum differs");
  write(file_, "hello\n");
  EXPECT_EQ(message_of([&] { journal(file_, one); }),
            "a.jsonl: the file is no record of a campaign");
}

TEST_F(Journal, RefusesOtherFormatsAndOtherSharesOfCompiledPrograms) {
  campaign compiled = one;
  compiled.compile_every = 200;
  fill(file_, {slot(0)});
  EXPECT_EQ(message_of([&] { journal(file_, compiled); }),
            "a.jsonl: the folder holds another campaign: one program of 0 is compiled, instead of "
            "one of 200");
  std::string const before = R"({"cases":100,"format":"assay-campaign-1","seed":7})";
  write(file_, hash_text(before) + " " + before + "\n");
  EXPECT_EQ(message_of([&] { journal(file_, one); }),
            "a.jsonl: the record has the format 'assay-campaign-1', not 'assay-campaign-2'");
}

TEST_F(Journal, MergesShardsInAnyOrderAndAsOftenAsOneLikes) {
  fill(file_, {slot(0), slot(2)});
  fill(other_, {slot(1, "found"), slot(3)});
  record const all = merged({file_, other_});
  EXPECT_EQ(all.slots.size(), 4u);
  fs::path const first = folder_.path() / "all.jsonl", second = folder_.path() / "again.jsonl";
  write_record(first, all);
  write_record(second, merged({other_, first, file_, first}));
  EXPECT_EQ(read(first), read(second));
}

TEST_F(Journal, RefusesToMergeWhatIsTornForeignOrDifferent) {
  fill(file_, {slot(0)});
  fill(other_, {slot(0)}, {7, 100, "0.1", "other"});
  EXPECT_EQ(message_of([&] {
              static_cast<void>(merged({file_, other_}));
            }),
            "b.jsonl: the file is of another campaign than " + file_.string() +
                ": other programs or options");
  fs::remove(other_);
  fill(other_, {slot(0)}, {7, 100, "0.2", "print"});
  EXPECT_EQ(message_of([&] {
              static_cast<void>(merged({file_, other_}));
            }),
            "b.jsonl: the file is of another campaign than " + file_.string() +
                ": version 0.2 instead of 0.1");
  fs::remove(other_);
  fill(other_, {slot(0, "found")});
  EXPECT_EQ(message_of([&] {
              static_cast<void>(merged({file_, other_}));
            }),
            "b.jsonl: slot 0 differs from that of another file");
  std::string const text = read(other_);
  write(other_, text.substr(0, text.size() - 5));
  EXPECT_EQ(message_of([&] {
              static_cast<void>(merged({file_, other_}));
            }),
            "b.jsonl: the last line is torn: the campaign that wrote it was stopped or still runs");
  EXPECT_EQ(message_of([&] { static_cast<void>(merged({folder_.path() / "none"})); }),
            "none: cannot open the file: No such file or directory");
}

TEST_F(Journal, IsNoDeviceAndNoPipe) {
  fs::create_symlink("/dev/null", file_);
  EXPECT_EQ(message_of([&] { journal j(file_, one); }),
            "a.jsonl: the record of a campaign is no plain file");
  EXPECT_EQ(mkfifo(other_.c_str(), 0600), 0);
  EXPECT_EQ(message_of([&] { journal j(other_, one); }),
            "b.jsonl: the record of a campaign is no plain file");
}

TEST_F(Journal, IsMergedIntoWhatALinkNamesAndNeverReplacesADevice) { // twin
  fill(file_, {slot(0)});
  fs::path const link = folder_.path() / "link";
  fs::create_symlink(other_, link);
  write_record(link, merged({file_}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read(other_), read(file_));
  write_record("/dev/null", merged({file_}));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(message_of([&] { write_record("/dev/full", merged({file_})); }),
            "full: output cannot be written: No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_EQ(message_of([&] { write_record(folder_.path() / "no" / "file", merged({file_})); }),
            "file: output cannot be written: No such file or directory");
}

} // namespace
} // namespace assay::fuzz
