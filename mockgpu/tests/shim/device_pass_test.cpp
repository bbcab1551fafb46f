// Sources that host and device code see differently, made one text.
#include "device_pass.hpp"

#include "rewrite.hpp"
#include "sequence_diff.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace mockgpu::tools;
using ::testing::HasSubstr;
using ::testing::Not;

std::string const device = "__mockgpu_device__(M) ", host = "__mockgpu_host__() ",
                  global = "__mockgpu_global__(K) ";

/// Line markers aside, white space as single spaces.
std::string words(std::string const& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::string const line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("# ")) continue;
    for (char const c : line + " ")
      if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

TEST(DevicePass, GivesBodiesOfDeviceFunctionsAsTheDeviceSeesThem) {
  EXPECT_EQ(words(merge_passes(device + "int f() {\n return 1;\n}\nint g() {\n return 1;\n}\n",
                               device + "int f() {\n return 2;\n}\nint g() {\n return 2;\n}\n")),
            device + "int f() { return 2; } int g() { return 1; }");
  EXPECT_EQ(words(merge_passes(global + "void k(int* p) { *p = 1; }\n",
                               global + "void k(int* p) { if (p) { *p = 2; } }\n")),
            global + "void k(int* p) { if (p) { *p = 2; } }");
}

TEST(DevicePass, GivesBothBodiesToAFunctionOfBoth) {
  EXPECT_EQ(words(merge_passes(host + device + "int f() { return 1; }\nint x;\n",
                               host + device + "int f() { return 2; }\nint x;\n")),
            device +
                "int f() { if (!__builtin_is_constant_evaluated() && ::mockgpu_shim::on_device()) "
                "{ return 2; } else { return 1; } } int x;");
}

TEST(DevicePass, LeavesDeclarationsForTheDeviceToTheDevice) {
  // The guide's own atomicAdd, which a host pass sees and a newer device does not.
  EXPECT_EQ(words(merge_passes("int a;\n" + device +
                                   "double add(double* p) {\n  return *p;\n}\n"
                                   "int b;\n",
                               "int a;\nint b;\n")),
            "int a; int b;");
  EXPECT_EQ(words(merge_passes("int a;\nint b;\n",
                               "int a;\n" + device + "int c;\nstruct s {\n int x;\n};\nint b;\n")),
            "int a; " + device + "int c; struct s { int x; }; int b;");
  EXPECT_EQ(words(merge_passes("int a;\nint f() { return 1; }\nint b;\n",
                               "int a;\n" + device + "int g() { return 2; }\nint b;\n")),
            "int a; int f() { return 1; } " + device + "int g() { return 2; } int b;");
}

TEST(DevicePass, TakesMarksWithOtherNumbersForTheSame) {
  std::string const one = "__mockgpu_device__(section(1)) ",
                    two = "__mockgpu_device__(section(2)) ";
  EXPECT_EQ(words(merge_passes("int a;\n" + one + "int b;\n" + one + "int f() { return 1; }\n",
                               "int a;\n" + two + "int b;\n" + two + "int f() { return 2; }\n")),
            "int a; " + one + "int b; " + one + "int f() { return 2; }");
}

TEST(DevicePass, PairsFunctionsByTheirHeadsNotByLinesThatLookAlike) {
  std::string const kernel = global + "void k(int* p)\n{\n", other = "int f()\n{\n  return 1;\n}\n";
  std::string const helper =
      "template <class T>\n" + device + "T twice(T x)\n{\n  return 2 * x;\n}\n";
  EXPECT_EQ(words(merge_passes("namespace n {\n" + kernel + "}\n" + other + "}\n",
                               "namespace n {\n" + helper + kernel + "  *p = twice(1);\n}\n" +
                                   other + "}\n")),
            "namespace n { template <class T> " + device + "T twice(T x) { return 2 * x; } " +
                global + "void k(int* p) { *p = twice(1); } int f() { return 1; } }");
}

TEST(DevicePass, MergesMembersOfClassesAndLambdasOfTheHost) {
  std::string const member = host + device + "int f() const ", lambda = "auto g = [=] " + device;
  EXPECT_EQ(words(merge_passes("struct s : t {\n" + member + "{ return 1; }\nint x{3};\n};\n",
                               "struct s : t {\n" + member + "{ return 2; }\nint x{3};\n};\n")),
            "struct s : t { " + device +
                "int f() const { if (!__builtin_is_constant_evaluated() && "
                "::mockgpu_shim::on_device()) { return 2; } else { return 1; } } int x{3}; };");
  EXPECT_EQ(words(merge_passes("void h() {\n" + lambda + "() { return 1; };\nint x = 1;\n}\n",
                               "void h() {\n" + lambda + "() { return 2; };\nint x = 2;\n}\n")),
            "void h() { " + lambda + "() { return 2; } ; int x = 1; }");
}

TEST(DevicePass, KnowsABodyBeforeASemicolonAndAFunctionOfAStructure) {
  std::string const member = device + "int f() const ";
  EXPECT_EQ(words(merge_passes("struct s {\n" + member + "{ return 1; };\nint x;\n};\n",
                               "struct s {\n" + member + "{ return 2; };\nint x;\n};\n")),
            "struct s { " + member + "{ return 2; } ; int x; };");
  std::string const head = device + "struct pair f(bool x) ";
  EXPECT_EQ(words(merge_passes(head + "{ if (x) { one(); } }\n", head + "{ if (x) { two(); } }\n")),
            head + "{ if (x) { two(); } }");
  std::string const aligned = "struct alignas(16) s {\n";
  EXPECT_EQ(
      words(merge_passes(aligned + "int x;\n};\n", aligned + "int x;\n" + member + "{}\n};\n")),
      "struct alignas(16) s { int x; " + member + "{} };");
}

TEST(DevicePass, KeepsFilesAndLines) {
  std::string const merged =
      merge_passes("# 1 \"a.cu\"\nint a;\n" + device + "int f() {\n\n\n return 1;\n}\nint b;\n",
                   "# 1 \"a.cu\"\nint a;\n" + device + "int f() {\n return 2;\n\n\n}\nint b;\n");
  EXPECT_THAT(merged, HasSubstr("# 2 \"a.cu\"\n{\n return 2;"));
  EXPECT_THAT(merged, HasSubstr("# 7 \"a.cu\"\nint b;"));
}

TEST(DevicePass, RefusesByPlaceWhatIsNoWholeDeclaration) {
  try {
    static_cast<void>(merge_passes("# 1 \"a.cu\"\nint a[] = {\n1,\n2\n};\n",
                                   "# 1 \"a.cu\"\nint a[] = {\n3,\n2\n};\n"));
    FAIL() << "no error";
  } catch (rewrite_error const& error) {
    EXPECT_STREQ(error.what(), "a.cu:1: error: what differs here between host and device code is "
                               "neither in a function's body nor whole declarations");
  }
}

TEST(DevicePass, TakesMarksOfTheHostAway) {
  EXPECT_THAT(without_host_marks(host + device + "int f();"), Not(HasSubstr("host")));
}

/// The number of elements that are in one of the sequences only, by the table of all prefixes.
std::size_t distance(std::vector<std::uint64_t> const& a, std::vector<std::uint64_t> const& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t k = 0; k < b.size(); ++k) {
      std::size_t const shorter = 1 + std::min(row[k], row[k + 1]);
      diagonal = std::exchange(row[k + 1], a[i] == b[k] ? diagonal : shorter);
    }
  }
  return row.back();
}

TEST(SequenceDiff, IsTheShortestAndTurnsOneIntoTheOther) {
  std::mt19937 random(7);
  std::size_t differences = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<std::uint64_t> a(random() % 12), b(random() % 12);
    for (auto* const one : {&a, &b})
      for (std::uint64_t& x : *one) x = random() % 3;
    auto const found = find_differences(a, b, 24);
    ASSERT_TRUE(found.has_value());
    std::vector<std::uint64_t> rebuilt;
    std::size_t at = 0, alone = 0;
    for (difference const& one : *found) {
      rebuilt.insert(rebuilt.end(), a.begin() + long(at), a.begin() + long(one.first_begin));
      rebuilt.insert(rebuilt.end(), b.begin() + long(one.second_begin),
                     b.begin() + long(one.second_end));
      at = one.first_end;
      alone += one.first_end - one.first_begin + one.second_end - one.second_begin;
    }
    rebuilt.insert(rebuilt.end(), a.begin() + long(at), a.end());
    ASSERT_EQ(rebuilt, b);
    ASSERT_EQ(alone, distance(a, b));
    differences += found->size();
  }
  EXPECT_GT(differences, 500u);
}

TEST(SequenceDiff, HasNoAnswerPastItsLimit) {
  std::vector<std::uint64_t> const a = {1, 2, 3}, b = {4, 5, 6};
  EXPECT_FALSE(find_differences(a, b, 5).has_value());
  EXPECT_TRUE(find_differences(a, b, 6).has_value());
}

} // namespace
