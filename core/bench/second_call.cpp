// What core itself costs in a call that changes no symbol: the program called does next to nothing.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>

#include "assay/compiled_program.hpp"

namespace {

using namespace assay;

sdfg::argument symbol(std::string name) {
  sdfg::argument made;
  made.name = std::move(name);
  made.type.kind = sdfg::descriptor_kind::scalar;
  made.type.type = dtype::int64;
  made.is_symbol = true;
  return made;
}

void second_call(benchmark::State& state) {
  std::vector<sdfg::argument> const symbols{symbol("N"), symbol("gt_external_gpu_stream")};
  compiled_program program(ASSAY_LIFE_PROGRAM, {"life", {symbols, symbols}, 256, false}, nullptr);
  argument_values const values{{"N", argument_value::integer(dtype::int64, 0)}};
  program.set_external_gpu_stream(0);
  program.initialise(values);
  program.install_unchecked({}); // nothing is needed, and nothing is asked again
  program.call(values);
  for (auto _ : state) program.call(values);
}
BENCHMARK(second_call);

/// Twelve arrays, four scalars: what a program of a weather model takes.
void second_call_of_many_arguments(benchmark::State& state) {
  std::vector<sdfg::argument> const symbols{symbol("N"), symbol("gt_external_gpu_stream")};
  std::vector<sdfg::argument> arguments;
  argument_values values{{"N", argument_value::integer(dtype::int64, 0)}};
  for (char const letter : std::string_view("abcdefghijkl")) {
    sdfg::argument array;
    array.name = std::string("__array_of_the_model_") + letter;
    array.type.kind = sdfg::descriptor_kind::array;
    arguments.push_back(array);
    values.emplace(array.name, argument_value::pointer(&state));
  }
  for (auto const& s : symbols) arguments.push_back(s);
  compiled_program program(ASSAY_LIFE_PROGRAM, {"many", {arguments, symbols}, 256, false}, nullptr);
  program.set_external_gpu_stream(0);
  program.initialise(values);
  program.install_unchecked({}); // nothing is needed, and nothing is asked again
  program.call(values);
  for (auto _ : state) program.call(values);
}
BENCHMARK(second_call_of_many_arguments);

} // namespace

BENCHMARK_MAIN();
