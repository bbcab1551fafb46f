#include "arbitrary.hpp"

#include <cstdlib>
#include <ctime>
#include <random>
#include <sstream>
#include <stdexcept>

#include <rapidcheck.h>

#include "fuzz/draw.hpp"

namespace assay::fuzz {
namespace {

constexpr int nominal_size = 100; // inRange shrinks its range with the size

/// The programs of the campaigns, shrunk as there.
rc::Gen<program_spec> any_program() {
  return [](rc::Random const& random, int) {
    rc::Random own = random;
    random_source source(own.next());
    return rc::shrinkable::shrinkRecur(draw_program(source), [](program_spec const& spec) {
      return rc::seq::fromContainer(smaller(spec));
    });
  };
}

rc::Gen<settings> any_settings() {
  return rc::gen::map(rc::gen::resize(nominal_size, rc::gen::inRange<std::uint32_t>(0, 1u << 16)),
                      [](std::uint32_t bits) {
                        settings s;
                        s.mode = static_cast<memory_mode>(bits % 4);
                        s.call = static_cast<call_kind>(bits / 4 % 2);
                        // Half of the layouts share bytes.
                        s.layout = bits / 8 % 2 == 0      ? workspace_layout::reuse
                                   : bits / 4096 % 2 == 0 ? workspace_layout::aligned
                                                          : workspace_layout::packed;
                        std::uint32_t const streams = bits / 16 % 8;
                        // Five of eight have two and more streams; one in sixteen runs on the CPU.
                        s.own_streams = streams < 2    ? 0
                                        : streams == 2 ? 1
                                        : streams == 7 ? settings::as_needed
                                                       : 2 + static_cast<int>(streams) % 3;
                        s.target = bits / 128 % 2 == 0 ? target::cuda : target::hip;
                        if (bits / 256 % 16 == 0) {
                          s.target = target::cpu;
                          s.own_streams = 0;
                        }
                        return s;
                      });
}

rc::Gen<run_spec> any_run() {
  auto const below = [](int count) {
    return rc::gen::resize(nominal_size, rc::gen::inRange(0, count));
  };
  return rc::gen::build<run_spec>(
      rc::gen::set(&run_spec::chosen, any_settings()),
      rc::gen::set(&run_spec::stream,
                   rc::gen::map(below(3), [](int k) { return static_cast<caller_stream>(k); })),
      rc::gen::set(&run_spec::larger_workspace,
                   rc::gen::map(below(2), [](int k) { return k == 1; })),
      rc::gen::set(&run_spec::calls, rc::gen::map(below(2), [](int k) { return k + 1; })),
      rc::gen::set(
          &run_spec::seed,
          rc::gen::map(below(1 << 20), [](int k) { return static_cast<std::uint64_t>(k) + 1; })),
      rc::gen::set(&run_spec::schedule,
                   rc::gen::map(below(3), [](int k) { return static_cast<std::uint8_t>(k); })));
}

rc::Gen<case_spec> any_case() {
  return rc::gen::build<case_spec>(rc::gen::set(&case_spec::program, any_program()),
                                   rc::gen::set(&case_spec::run, any_run()));
}

std::uint64_t chosen_seed() {
  char const* const text = std::getenv("ASSAY_PROPERTY_SEED");
  if (text == nullptr || *text == '\0') return 20261130;
  if (std::string(text) == "random") return std::random_device{}();
  return std::stoull(text);
}

int chosen_scale() {
  char const* const text = std::getenv("ASSAY_PROPERTY_SCALE");
  return text == nullptr || *text == '\0' ? 1 : std::stoi(text);
}

} // namespace

std::ostream& operator<<(std::ostream& out, run_spec const& r) {
  return out << "mode " << name(r.chosen.mode) << ", target " << name(r.chosen.target)
             << ", layout " << name(r.chosen.layout) << ", call " << name(r.chosen.call)
             << ", own streams " << r.chosen.own_streams << ", caller's stream "
             << static_cast<int>(r.stream) << (r.larger_workspace ? ", larger workspace" : "")
             << ", calls " << r.calls << ", seed " << r.seed << ", schedule "
             << static_cast<int>(r.schedule);
}
std::ostream& operator<<(std::ostream& out, case_spec const& c) {
  return out << c.program << "\nrun: " << c.run;
}

check_result check(std::string const& name, int cases,
                   std::function<void(case_spec const&)> const& property) {
  check_result result;
  result.seed = chosen_seed();
  result.cases = cases * chosen_scale();
  rc::detail::TestMetadata metadata;
  metadata.id = metadata.description = name;
  rc::detail::TestParams parameters;
  parameters.seed = result.seed;
  parameters.maxSuccess = result.cases;
  auto const generator = any_case();
  auto const start = std::clock();
  auto const outcome = rc::detail::checkTestable(
      [&] {
        case_spec const c = *generator;
        try {
          property(c);
        } catch (violation const& v) {
          RC_FAIL(v.message);
        }
      },
      metadata, parameters);
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!outcome.template is<rc::detail::SuccessResult>()) {
    std::ostringstream text;
    rc::detail::printResultMessage(outcome, text);
    result.failure = text.str();
  }
  return result;
}

} // namespace assay::fuzz
