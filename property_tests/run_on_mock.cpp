#include "run_on_mock.hpp"

#include "assay/runtime_factory.hpp"

namespace assay::fuzz {

std::string checked_run::report() const {
  std::string text;
  for (auto const& f : findings) text += mockgpu::to_text(f) + "\n";
  return text;
}

checked_run run_on_mock(plan::program const& p, symbol_values const& symbols,
                        std::map<std::string, words> initial, run_spec const& how,
                        std::size_t withheld_bytes, bool with_oracle) {
  mockgpu::options chosen;
  chosen.schedule = static_cast<mockgpu::schedule_kind>(how.schedule % 3);
  chosen.seed = how.seed;
  mockgpu::reset(chosen);
  mockgpu::set_sink([](mockgpu::finding const&) {}); // they come back from finish
  checked_run run;
  {
    auto const runtime = make_gpu_runtime();
    auto const watcher = make_observer();
    if (with_oracle) {
      order_oracle oracle;
      watched_runtime watched(*runtime, oracle);
      watched_observer listening(*watcher, oracle);
      run.result =
          run_plan(p, symbols, std::move(initial), how, watched, listening, withheld_bytes);
      run.races = oracle.races();
    } else {
      run.result =
          run_plan(p, symbols, std::move(initial), how, *runtime, *watcher, withheld_bytes);
    }
  }
  run.findings = mockgpu::finish();
  run.statistics = mockgpu::current_statistics();
  return run;
}

} // namespace assay::fuzz
