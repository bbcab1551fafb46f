/// \file Properties of random programs as files.
#include <gtest/gtest.h>

#include <iostream>

#include "arbitrary.hpp"
#include "assay/plan.hpp"
#include "fuzz/draw.hpp"
#include "fuzz/generate.hpp"
#include "fuzz/write.hpp"

namespace assay::fuzz {
namespace {

/// The plan's text without the places, which are pointers into a file.
std::string plan_text(sdfg::graph const& graph, settings const& chosen) {
  return plan::to_text(plan::lower(graph, chosen));
}

TEST(ProgramFile, IsReadBackAsTheProgramThatWasWritten) {
  auto const result = check("files", 150, [](case_spec const& c) {
    auto const program = build(c.program);
    std::string const text = to_file_text(program.graph);
    sdfg::graph const read = sdfg::read_text(text);
    sdfg::verify(read);
    if (to_file_text(read) != text) throw violation{"the second writing differs"};
    if (plan_text(read, c.run.chosen) != plan_text(program.graph, c.run.chosen))
      throw violation{"the plan differs:\n" + plan_text(read, c.run.chosen) + "\nfrom\n" +
                      plan_text(program.graph, c.run.chosen)};
  });
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.cases, 150);
}

TEST(SmallerPrograms, AreSmallerAndEndInTheSmallestThatHasWhatIsWanted) {
  int found = 0;
  for (std::uint64_t index = 0; index < 100; ++index) {
    random_source random(1, "program", index);
    program_spec spec = draw_program(random);
    auto const has_loop = [](program_spec const& s) { return build(s).has.loop; };
    if (!has_loop(spec)) continue;
    ++found;
    for (bool again = true; again;) {
      again = false;
      for (program_spec const& each : smaller(spec)) {
        ASSERT_LT(weight(each), weight(spec));
        if (!has_loop(each)) continue;
        spec = each;
        again = true;
        break;
      }
    }
    EXPECT_EQ(spec.blocks.size(), 1u);
    EXPECT_TRUE(spec.blocks.front().body.empty());
  }
  EXPECT_GE(found, 15);
}

} // namespace
} // namespace assay::fuzz
