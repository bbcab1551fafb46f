// Lowers the program that the argument names: core alone, without any GPU runtime.
#include <cstdio>

#include <assay/emit.hpp>
#include <assay/error.hpp>
#include <assay/plan.hpp>

int main(int, char** arguments) {
  try {
    assay::settings chosen;
    chosen.mode = assay::memory_mode::external;
    auto const graph = assay::sdfg::read(arguments[1]);
    auto const plan = assay::plan::lower(graph, chosen);
    std::printf("%zu files, %zu workspace\n", assay::emit(plan).size(), plan.workspaces.size());
    static_cast<void>(assay::sdfg::read("none.sdfg"));
  } catch (assay::error const& problem) {
    std::printf("%d\n", static_cast<int>(problem.code()));
  }
}
