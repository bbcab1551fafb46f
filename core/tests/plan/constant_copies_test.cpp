// Copies from arrays that are constants of the program.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "assay/error.hpp"
#include "assay/plan.hpp"

namespace assay::plan {
namespace {

std::string lowered(std::string const& text) {
  try {
    settings chosen;
    chosen.target = target::cuda;
    static_cast<void>(lower(sdfg::read_text(text), chosen));
    return "no error";
  } catch (error const& failure) {
    return failure.what();
  }
}

TEST(ConstantCopies, AreNotCombinedWithWhatIsThere) {
  std::ifstream in(ASSAY_EXAMPLES "/../tests/constructs/pairs_and_constants/program.sdfg");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(lowered(text), "no error");
  std::string const memlet = "\"data\": \"C\",";
  auto const at = text.find(memlet); // of the copy's edge; nodes name it without a comma
  ASSERT_NE(at, std::string::npos);
  text.insert(at + memlet.size(), "\"wcr\": \"(lambda x, y: x + y)\",");
  EXPECT_EQ(lowered(text), "copy of the constant array 'C_slice' with conflict resolution");
}

} // namespace
} // namespace assay::plan
