#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/emit.hpp"
#include "assay/error.hpp"

namespace {

using namespace assay;
using testing::HasSubstr;
using testing::Not;

expression number(std::int64_t value) { return expression::integer(value); }
expression symbol(char const* name) { return expression::name(name); }
expression python(char const* text) { return parse_python_expression(text); }

plan::buffer argument_buffer(char const* name, dtype type, plan::memory_space space) {
  plan::buffer one;
  one.name = one.container = name;
  one.type = type;
  one.space = space;
  return one;
}

sdfg::argument array_argument(char const* name, dtype type) {
  sdfg::argument one;
  one.name = name;
  one.type.kind = sdfg::descriptor_kind::array;
  one.type.type = type;
  return one;
}

sdfg::argument symbol_argument(char const* name, dtype type) {
  sdfg::argument one;
  one.name = name;
  one.is_symbol = true;
  one.type.type = type;
  return one;
}

plan::location at(char const* variable, expression offset) {
  return {variable, false, std::move(offset)};
}

plan::connector scalar_connector(char const* name, dtype type, plan::location where) {
  plan::connector one;
  one.name = name;
  one.type = type;
  one.location = std::move(where);
  return one;
}

/// y[slot] = code's `out`, of the variables in scope.
plan::compute_statement store(std::int64_t slot, char const* code) {
  plan::tasklet one;
  one.label = "store";
  one.outputs.push_back(scalar_connector("out", dtype::int64, at("y", number(slot))));
  one.python = parse_python_code(code);
  return {one};
}

plan::step host(plan::compute_block body) {
  return {plan::host_compute{"host", std::move(body), {}}, {}};
}
plan::step assign(std::vector<std::pair<std::string, expression>> assignments) {
  return {plan::assign{std::move(assignments), {}}, {}};
}
plan::step jump_to(sdfg::jump kind) { return {plan::jump{kind}, {}}; }
plan::step when(char const* condition, plan::step_list body) {
  plan::branch one;
  one.arms.push_back({python(condition), std::move(body)});
  return {one, {}};
}

plan::program host_program() {
  plan::program program;
  program.name = "walk";
  program.settings.target = target::cpu;
  program.buffers.push_back(argument_buffer("y", dtype::int64, plan::memory_space::host));
  program.signature.arguments.push_back(array_argument("y", dtype::int64));
  for (char const* name : {"i", "j", "k"}) program.symbols.push_back({name, dtype::int64});
  return program;
}

std::filesystem::path scratch_folder(std::string const& name) {
  auto const folder = std::filesystem::path(testing::TempDir()) / ("assay_emit_" + name);
  std::filesystem::remove_all(folder);
  for (auto const* part : {"src/cpu", "src/cuda/hip", "include"})
    std::filesystem::create_directories(folder / part);
  return folder;
}

std::filesystem::path write(std::vector<generated_file> const& files, std::string const& name) {
  auto const folder = scratch_folder(name);
  for (auto const& file : files) std::ofstream(folder / file.path) << file.text;
  return folder;
}

std::string text_of(std::vector<generated_file> const& files, std::string const& path) {
  for (auto const& file : files)
    if (file.path == path) return file.text;
  ADD_FAILURE() << "no file " << path;
  return {};
}

bool run(std::string const& command) { return std::system(command.c_str()) == 0; }

/// Builds a CPU program, calls it with `y` filled with 100, and returns y.
std::array<long long, 8> result_of(plan::program const& program, std::string const& name) {
  std::array<long long, 8> y{};
  auto const files = emit(program);
  auto const folder = write(files, name);
  std::ofstream(folder / "main.cpp")
      << "#include \"src/cpu/walk.cpp\"\n#include <cstdio>\n"
         "int main() {\n"
         "  long long y[8] = {100, 100, 100, 100, 100, 100, 100, 100};\n"
         "  auto* state = __dace_init_walk();\n"
         "  __program_walk(state, y);\n"
         "  for (long long v : y) std::printf(\"%lld\\n\", v);\n"
         "  return __dace_exit_walk(state);\n"
         "}\n";
  auto const source = (folder / "main.cpp").string(), binary = (folder / "main").string();
  EXPECT_TRUE(run(
      std::string(ASSAY_TEST_CXX) +
      " -std=c++20 -O1 -fsanitize=undefined,address -fno-sanitize-recover=all -I" ASSAY_TEST_INCLUDE
      " " +
      source + " -o " + binary))
      << text_of(files, "src/cpu/walk.cpp");
  EXPECT_TRUE(run(binary + " > " + (folder / "out.txt").string()));
  std::ifstream out(folder / "out.txt");
  for (auto& value : y) out >> value;
  EXPECT_TRUE(out.good());
  return y;
}

TEST(HostPrograms, EvaluateAllRightSidesBeforeTheFirstAssignment) {
  auto program = host_program();
  program.body = {assign({{"i", number(1)}, {"j", number(2)}}),
                  assign({{"i", symbol("j")}, {"j", symbol("i")}}),
                  host({store(0, "out = i"), store(1, "out = j")})};
  EXPECT_THAT(result_of(program, "swap"), testing::ElementsAre(2, 1, 100, 100, 100, 100, 100, 100));
}

TEST(HostPrograms, RunLoopsWithContinueAndBreakInEveryForm) {
  auto program = host_program();
  auto const body = [](std::int64_t slot) {
    auto const code = "out = i * 10 + k";
    return plan::step_list{when("k == 1", {jump_to(sdfg::jump::continue_loop)}),
                           when("k == 4", {jump_to(sdfg::jump::break_loop)}),
                           assign({{"i", python(code + 6)}}), host({store(slot, "out = i")})};
  };
  plan::loop counted; // for k = 0; k < 6; k++, with a step before each test
  counted.init = parse_python_code("k = 0");
  counted.update = parse_python_code("k = k + 1");
  counted.condition = python("k < 6");
  counted.prepare = {assign({{"j", python("j + 1")}})};
  counted.body = body(0);
  plan::loop inverted; // do ... while, the update first
  inverted.inverted = true;
  inverted.init = parse_python_code("k = 0");
  inverted.update = parse_python_code("k = k + 1");
  inverted.condition = python("k < 3");
  inverted.body = body(2);
  plan::loop late = inverted; // do ... while, the test first
  late.update_before_condition = false;
  late.body = body(3);
  plan::loop once = inverted; // runs although its condition is false
  once.condition = python("k < 0");
  once.body = body(4);
  program.body = {assign({{"i", number(0)}, {"j", number(0)}}),
                  {counted, {}},
                  host({store(1, "out = j")}),
                  assign({{"i", number(0)}}),
                  {inverted, {}},
                  assign({{"i", number(0)}}),
                  {late, {}},
                  assign({{"i", number(7)}}),
                  {once, {}}};
  EXPECT_THAT(result_of(program, "loops"), testing::ElementsAre(23, 5, 2, 23, 70, 100, 100, 100));
}

TEST(HostPrograms, ReturnGivesBackWhatTheCallHolds) {
  auto program = host_program();
  auto held = argument_buffer("t", dtype::float64, plan::memory_space::host);
  held.provision = plan::provision::call;
  held.element_count = number(16);
  program.buffers.push_back(held);
  program.body = {
      assign({{"i", number(3)}}),
      {plan::allocate{plan::buffer_id{1}, {}}, {}},
      when("i == 3", {host({store(0, "out = 1")}), jump_to(sdfg::jump::return_program)}),
      {plan::release{plan::buffer_id{1}, {}}, {}},
      host({store(1, "out = 1")})};
  // The address sanitizer of the run is what would see the leak.
  EXPECT_THAT(result_of(program, "return"),
              testing::ElementsAre(1, 100, 100, 100, 100, 100, 100, 100));
}

TEST(HostPrograms, RunNestedComputeStatements) {
  auto program = host_program();
  plan::for_range down{.parameter = "p", .range = {number(6), number(0), number(-3)}, .body = {}};
  down.body.push_back(store(0, "out = p")); // 6, 3, 0: the last one stays
  plan::compute_loop loop;
  loop.init = parse_python_code("k = 0");
  loop.update = parse_python_code("k = k + 1");
  loop.condition = python("k < 5");
  loop.inverted = true;
  plan::compute_branch skip;
  skip.branches.emplace_back(python("k == 2"),
                             plan::compute_block{{plan::compute_jump{sdfg::jump::continue_loop}}});
  loop.body = {{skip}, {plan::assign_symbols{{{"i", python("i + k")}}}}};
  plan::compute_copy copy;
  copy.type = dtype::int64;
  copy.source = at("a", number(1));
  copy.target = at("y", number(3));
  copy.dimensions = {{number(2), number(2), number(1)}};
  plan::compute_branch choice;
  choice.branches.emplace_back(python("i > 100"), plan::compute_block{store(2, "out = 1")});
  choice.branches.emplace_back(std::nullopt, plan::compute_block{store(2, "out = 2")});
  plan::tasklet fill;
  fill.label = "fill */ \n # evil";
  plan::connector whole = scalar_connector("o", dtype::int64, at("a", number(0)));
  whole.is_pointer = true;
  whole.strides = {number(1)};
  whole.unit = {false};
  fill.outputs = {whole};
  fill.python = parse_python_code("for q in range(4):\n  o[q] = q * q");
  program.body = {host({{plan::declare_local{"a", dtype::int64, number(4), true}},
                        {fill},
                        {down},
                        {plan::assign_symbols{{{"i", number(0)}}}},
                        {loop},
                        store(1, "out = i"), // 0 + 1 + 3 + 4
                        {choice},
                        {copy}})};
  EXPECT_THAT(result_of(program, "compute"), testing::ElementsAre(0, 8, 2, 1, 9, 100, 100, 100));
}

TEST(HostPrograms, BindPlacesBeforeAConnectorHidesTheirNames) {
  auto program = host_program();
  plan::tasklet shift;
  shift.label = "shift";
  // The input is called y, like the array that it and the output are read from and written to.
  shift.inputs = {scalar_connector("y", dtype::int64, at("y", number(1)))};
  shift.outputs = {scalar_connector("i", dtype::int64, at("y", symbol("i")))};
  shift.python = parse_python_code("i = y + 5");
  program.body = {assign({{"i", number(4)}}), host({{shift}})};
  EXPECT_THAT(result_of(program, "hidden"),
              testing::ElementsAre(100, 100, 100, 100, 105, 100, 100, 100));
}

TEST(HostPrograms, LeaveAnElementAloneThatOnlySomePathsAssign) {
  auto program = host_program();
  auto const conditional = [](std::int64_t slot, char const* code, plan::reduction kind) {
    auto statement = store(slot, code);
    std::get<plan::tasklet>(statement.content).outputs[0].resolution.kind = kind;
    return statement;
  };
  program.body = {
      assign({{"i", number(4)}}),
      host({conditional(0, "if i > 9:\n  out = 1", plan::reduction::none),
            conditional(1, "if i > 2:\n  out = 1", plan::reduction::none),
            conditional(2, "if i > 9:\n  out = 1", plan::reduction::sum),
            conditional(3, "if i > 2:\n  out = 1", plan::reduction::sum),
            conditional(4, "if i > 2:\n  out = 1\nelse:\n  out = 2", plan::reduction::max),
            conditional(5, "out = 7", plan::reduction::min)})};
  EXPECT_THAT(result_of(program, "partial"),
              testing::ElementsAre(100, 1, 100, 101, 100, 7, 100, 100));
}

// ---- GPU
// -------------------------------------------------------------------------------------------------

plan::resolution resolution(plan::reduction kind) {
  plan::resolution one;
  one.kind = kind;
  one.atomic = true;
  one.left = "l";
  one.right = "r";
  one.combine = python("l if l > r else r");
  return one;
}

/// A program with every step and every kind of statement that a GPU target prints.
plan::program gpu_program(target which, memory_mode mode) {
  plan::program program;
  program.name = "walk";
  program.settings.target = which;
  program.settings.mode = mode;
  program.settings.own_streams = 2;
  program.stream_count = 2;
  program.event_count = 1;
  struct typed {
    char const* name;
    dtype type;
  };
  std::vector<typed> const arrays{{"b1", dtype::boolean}, {"d8", dtype::float64},
                                  {"f4", dtype::float32}, {"i1", dtype::int8},
                                  {"i4", dtype::int32},   {"i8", dtype::int64},
                                  {"u2", dtype::uint16},  {"u8", dtype::uint64}};
  plan::kernel kernel;
  kernel.name = "walk_all";
  for (auto const& [name, type] : arrays) {
    program.buffers.push_back(argument_buffer(name, type, plan::memory_space::device));
    program.signature.arguments.push_back(array_argument(name, type));
    kernel.arguments.push_back(
        {name, type, true, false, static_cast<plan::buffer_id>(program.buffers.size() - 1)});
  }
  program.buffers.push_back(argument_buffer("h", dtype::float64, plan::memory_space::host));
  program.signature.arguments.push_back(array_argument("h", dtype::float64));
  auto const host_id = plan::buffer_id{8}, temporary_id = plan::buffer_id{9};
  auto temporary = argument_buffer("t", dtype::float64, plan::memory_space::device);
  temporary.provision = mode == memory_mode::pool         ? plan::provision::call_pool
                        : mode == memory_mode::persistent ? plan::provision::persistent
                        : mode == memory_mode::external   ? plan::provision::external
                                                          : plan::provision::call;
  temporary.element_count = symbol("N") * symbol("N");
  temporary.start_offset = number(2);
  program.buffers.push_back(temporary);
  auto pinned = argument_buffer("p", dtype::float64, plan::memory_space::pinned);
  pinned.provision = plan::provision::call;
  pinned.element_count = symbol("N");
  program.buffers.push_back(pinned);
  for (auto* list : {&program.signature.arguments, &program.signature.init})
    list->push_back(symbol_argument("N", dtype::int32));
  kernel.arguments.push_back({"N", dtype::int32, false, false, std::nullopt});
  if (mode == memory_mode::external)
    program.workspaces.push_back(
        {"GPU_Global", 256, {{temporary_id, number(0), number(8)}}, number(8)});

  auto const last = symbol("N") - number(1);
  kernel.dimensions = {{"a", {number(0), last, number(1)}},
                       {"b", {number(1), last, number(2)}},
                       {"c", {last, number(0), number(-1)}},
                       {"d", {number(0), last, number(1)}}};
  kernel.block = {32, 2, 2};
  for (auto const& [name, type] : arrays)
    for (auto const kind :
         {plan::reduction::sum, plan::reduction::product, plan::reduction::min,
          plan::reduction::max, plan::reduction::logical_and, plan::reduction::logical_or,
          plan::reduction::bitwise_and, plan::reduction::bitwise_or, plan::reduction::bitwise_xor,
          plan::reduction::custom}) {
      bool const bitwise = kind == plan::reduction::bitwise_and ||
                           kind == plan::reduction::bitwise_or ||
                           kind == plan::reduction::bitwise_xor;
      if (bitwise && is_floating(type)) continue;
      plan::tasklet one;
      one.label = "combine";
      one.inputs = {scalar_connector("v", type, at(name, symbol("a")))};
      one.outputs = {scalar_connector("o", type, at(name, symbol("d")))};
      one.outputs[0].resolution = resolution(kind);
      one.python = parse_python_code("o = v");
      kernel.body.push_back({one});
    }
  plan::tasklet math;
  math.label = "math";
  math.inputs = {scalar_connector("v", dtype::float64, at("d8", symbol("c")))};
  math.outputs = {scalar_connector("o", dtype::float64, at("d8", symbol("b")))};
  math.python =
      parse_python_code("r = math.sqrt(v) + math.exp(v) * math.sin(v) ** 2 - math.atan2(v, 2)\n"
                        "r = r if r > 0 else math.nan\n"
                        "s = max(r, 1, 2.5) + min(r, a) + abs(r) + r // 2 + a % 3 + a // 2 + "
                        "round(r) + math.erf(r) + a ** b\n"
                        "if math.isnan(r) and not a > b or math.isinf(r):\n  s = math.inf\n"
                        "for q in range(3):\n  s += q / 2\n"
                        "o = s");
  kernel.body.push_back({math});
  plan::tasklet verbatim;
  verbatim.label = "verbatim";
  verbatim.language = sdfg::language::cpp;
  verbatim.outputs = {scalar_connector("o", dtype::int64, at("i8", symbol("a")))};
  verbatim.cpp = "o = a > 1 ? 2 : 3;";
  kernel.body.push_back({verbatim});
  kernel.body.push_back({plan::declare_local{"w", dtype::float32, number(4), true}});
  kernel.body.push_back({plan::let_pointer{"view", dtype::float64, true, at("d8", symbol("a"))}});
  kernel.body.push_back(
      {plan::let_reference{"element", dtype::float32, false, at("w", number(2))}});
  kernel.body.push_back({plan::let_symbol{"twice", dtype::int64, symbol("a") * number(2)}});
  plan::compute_copy copy;
  copy.type = dtype::float32;
  copy.source = at("w", number(0));
  copy.target = at("f4", symbol("twice"));
  copy.dimensions = {{number(2), number(2), number(1)}};
  kernel.body.push_back({copy});
  program.kernels.push_back(kernel);

  plan::stream_id const first{0}, second{1};
  auto const device_id = plan::buffer_id{1};
  std::vector<plan::copy_dimension> const dense{{symbol("N"), number(1), number(1)}};
  std::vector<plan::copy_dimension> const rows{{symbol("N"), number(64), symbol("N")},
                                               {number(5), number(1), number(1)}};
  std::vector<plan::copy_dimension> const box{{number(3), number(900), number(800)},
                                              {symbol("N"), number(64), symbol("N")},
                                              {number(5), number(1), number(1)}};
  std::vector<plan::copy_dimension> const column{{symbol("N"), symbol("N"), number(1)}};
  program.body = {
      {plan::allocate{temporary_id, first}, {}},
      {plan::allocate{plan::buffer_id{10}, first}, {}},
      {plan::fill_zero{temporary_id, first}, {}},
      {plan::launch{plan::kernel_id{0}, first, {}, false}, {}},
      {plan::record{plan::event_id{0}, first}, {}},
      {plan::stream_wait{second, plan::event_id{0}}, {}},
      {plan::copy{device_id, host_id, number(0), number(0), {}, second, {}}, {}},
      {plan::copy{host_id, device_id, number(0), symbol("N"), dense, second, {}}, {}},
      {plan::copy{device_id, temporary_id, number(0), number(0), rows, second, {}}, {}},
      {plan::copy{device_id, temporary_id, number(0), number(0), box, second, {}}, {}},
      {plan::copy{device_id, plan::buffer_id{10}, number(0), number(0), column, second, {}}, {}},
      {plan::synchronise{second, plan::wait_reason::host_read}, {}},
      {plan::release{plan::buffer_id{10}, first}, {}},
      {plan::release{temporary_id, second}, {}}};
  return program;
}

TEST(GpuPrograms, PrintTheSameTextForTheSamePlan) {
  auto const one = emit(gpu_program(target::cuda, memory_mode::pool));
  auto const two = emit(gpu_program(target::cuda, memory_mode::pool));
  ASSERT_EQ(one.size(), 3u);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].path, two[i].path);
    EXPECT_EQ(one[i].text, two[i].text);
  }
  EXPECT_EQ(one[0].path, "src/cpu/walk.cpp");
  EXPECT_EQ(one[1].path, "src/cuda/walk_cuda.cu");
  EXPECT_EQ(one[2].path, "include/walk.h");
  EXPECT_EQ(emit(gpu_program(target::hip, memory_mode::pool))[1].path,
            "src/cuda/hip/walk_cuda.cpp");
}

TEST(GpuPrograms, DifferBetweenVendorsInNamesAlone) {
  for (auto const mode :
       {memory_mode::scoped, memory_mode::pool, memory_mode::persistent, memory_mode::external}) {
    auto const cuda = emit(gpu_program(target::cuda, mode)),
               hip = emit(gpu_program(target::hip, mode));
    auto const renamed = [](std::string text) {
      for (auto const& [from, to] : std::vector<std::pair<std::string, std::string>>{
               {"cuda_runtime_api.h", "hip/hip_runtime_api.h"},
               {"cuda_runtime.h", "hip/hip_runtime.h"},
               {"cudaMallocHost", "hipHostMalloc"},
               {"cudaFreeHost", "hipHostFree"},
               {"cuda", "hip"}}) {
        for (std::size_t found = text.find(from); found != std::string::npos;
             found = text.find(from, found + to.size())) {
          bool const exported =
              from == "cuda" && found > 0 && text[found - 1] == '_'; // __dace_init_cuda
          if (!exported) text.replace(found, from.size(), to);
        }
      }
      return text;
    };
    EXPECT_EQ(renamed(cuda[0].text), hip[0].text);
    EXPECT_EQ(renamed(cuda[1].text), hip[1].text);
    EXPECT_NE(cuda[1].text, hip[1].text);
  }
}

TEST(GpuPrograms, SpreadTheMapOverTheGrid) {
  auto const text =
      text_of(emit(gpu_program(target::cuda, memory_mode::pool)), "src/cuda/walk_cuda.cu");
  EXPECT_THAT(text, HasSubstr("__launch_bounds__(128) walk_all("));
  EXPECT_THAT(text, HasSubstr("long long const d = __assay_x;"));
  EXPECT_THAT(text, HasSubstr("long long const c = ((long long)N - 1) + __assay_y * (-1);"));
  EXPECT_THAT(text, HasSubstr("long long const b = 1 + (__assay_z % __assay_count1) * 2;"));
  EXPECT_THAT(text, HasSubstr("long long const a = (__assay_z / (__assay_count1));"));
}

TEST(GpuPrograms, PrintAPlantedNullStreamOnThatLaunchOnly) {
  auto program = gpu_program(target::hip, memory_mode::scoped);
  auto const sound = emit(program)[0].text;
  EXPECT_THAT(sound, Not(HasSubstr(", nullptr);")));
  std::get<plan::launch>(program.body[3].content).null_stream = true;
  auto const planted = emit(program)[0].text;
  EXPECT_THAT(
      planted,
      HasSubstr("__dace_runkernel_walk_all(__state, b1, d8, f4, i1, i4, i8, u2, u8, N, nullptr);"));
  EXPECT_EQ(planted.size() + std::string("__state->gpu_context->streams[0]").size(),
            sound.size() + std::string("nullptr").size());
}

TEST(GpuPrograms, CompileWithTheVendorsCompilers) {
  bool const required = std::getenv("ASSAY_REQUIRE_TOOLCHAINS") != nullptr;
  int compiled = 0;
  std::string missing;
  auto const compile = [&](target which, std::string const& compiler,
                           std::string const& device_flags, std::string const& host_flags,
                           memory_mode mode) {
    if (!run("command -v " + compiler + " > /dev/null 2>&1")) {
      missing += compiler + " ";
      return;
    }
    auto const files = emit(gpu_program(which, mode));
    auto const folder = write(files, std::string("gpu_") + std::string(name(which)));
    auto const device = (folder / files[1].path).string(), object = (folder / "out.o").string();
    EXPECT_TRUE(run(compiler + " -std=c++20 " + device_flags + " -I" ASSAY_TEST_INCLUDE " -c " +
                    device + " -o " + object))
        << files[1].text;
    EXPECT_TRUE(run(std::string(ASSAY_TEST_CXX) + " -std=c++20 -fsyntax-only " + host_flags +
                    " -I" ASSAY_TEST_INCLUDE " " + (folder / files[0].path).string()))
        << files[0].text;
    ++compiled;
  };
  auto const* const cuda_home = std::getenv("CUDA_HOME");
  compile(target::cuda, "nvcc", "-arch=sm_80",
          std::string("-I") + (cuda_home ? cuda_home : "/usr/local/cuda") + "/include",
          memory_mode::pool);
  compile(target::hip, "hipcc", "--offload-arch=gfx90a", "-D__HIP_PLATFORM_AMD__",
          memory_mode::persistent);
  if (!missing.empty() && !required) GTEST_SKIP() << "not found: " << missing;
  EXPECT_EQ(compiled, 2) << "not found: " << missing;
}

/// Builds both files against a runtime that fails its n-th call, for every n, and returns what the
/// sweep printed.
std::string swept(memory_mode mode, bool checked, std::string const& name) {
  auto files = emit(gpu_program(target::cuda, mode));
  if (!checked) { // the twin: one status is dropped
    auto& text = files[0].text;
    auto const at_call = text.find("if (!__gpu.ok(cudaEventRecord(");
    EXPECT_NE(at_call, std::string::npos);
    auto const end = text.find(")) goto __failed;", at_call);
    text.replace(end, std::string(")) goto __failed;").size(), ";");
    text.replace(at_call, std::string("if (!__gpu.ok(").size(), "");
  }
  auto const folder = write(files, name);
  std::string const install =
      mode == memory_mode::external
          ? "static char slab[1 << 12]; __dace_set_external_memory_GPU_Global(state, slab, 4);"
          : "(void)state;";
  std::ofstream(folder / "device.cpp") << "#include \"" << files[1].path << "\"\n";
  std::ofstream(folder / "main.cpp") << "#include \"src/cpu/walk.cpp\"\n"
                                        "extern \"C\" int __dace_gpu_last_error(walk_state_t*);\n"
                                        "#include \"sweep.hpp\"\n"
                                        "int main() { return sweep([](walk_state_t* state) { "
                                     << install << " }); }\n";
  auto const binary = (folder / "main").string();
  EXPECT_TRUE(run(
      std::string(ASSAY_TEST_CXX) +
      " -std=c++20 -O0 -fsanitize=address -I" ASSAY_TEST_INCLUDE " -I" ASSAY_TEST_RUNTIME " " +
      (folder / "main.cpp").string() + " " + (folder / "device.cpp").string() + " -o " + binary));
  auto const succeeded = run(binary + " > " + (folder / "out.txt").string());
  std::stringstream out;
  out << std::ifstream(folder / "out.txt").rdbuf() << (succeeded ? "right" : "wrong");
  return out.str();
}

TEST(FailingRuntime, EveryCallThatFailsEndsTheCallReportsItAndLeavesNothingBehind) {
  // Scoped: 4 calls of init, 16 of the call, 5 of exit. The pool's threshold is 3 more in init;
  // persistent memory moves one allocation and one release; external memory has neither.
  EXPECT_EQ(swept(memory_mode::scoped, true, "sweep_scoped"), "25 failures injected\nright");
  EXPECT_EQ(swept(memory_mode::pool, true, "sweep_pool"), "28 failures injected\nright");
  EXPECT_EQ(swept(memory_mode::persistent, true, "sweep_persistent"),
            "25 failures injected\nright");
  EXPECT_EQ(swept(memory_mode::external, true, "sweep_external"), "23 failures injected\nright");
}

TEST(FailingRuntime, AStatusThatNobodyChecksIsSeen) { // twin of the above
  auto const printed = swept(memory_mode::scoped, false, "sweep_unchecked");
  EXPECT_THAT(printed, HasSubstr("the call does not report it"));
  EXPECT_THAT(printed, HasSubstr("the call goes on with StreamWaitEvent"));
  EXPECT_THAT(printed, testing::EndsWith("wrong"));
}

TEST(GpuPrograms, IncludeTheNumberTypesThatTheyName) {
  auto const plain = gpu_program(target::cuda, memory_mode::scoped);
  for (auto const& file : emit(plain))
    EXPECT_THAT(file.text, Not(HasSubstr("assay/generated/complex.hpp"))) << file.path;
  auto program = plain;
  program.buffers[0].type = dtype::complex128;
  program.kernels[0].arguments[0].type = dtype::complex128;
  program.signature.arguments[0].type.type = dtype::complex128;
  auto const files = emit(program);
  for (char const* path : {"src/cpu/walk.cpp", "src/cuda/walk_cuda.cu"})
    EXPECT_THAT(text_of(files, path), HasSubstr("#include \"assay/generated/complex.hpp\"\n"))
        << path;
}

TEST(GpuPrograms, IncludeTheHeadersThatTheCodeOfTheFileCalls) {
  auto program = gpu_program(target::cuda, memory_mode::scoped);
  EXPECT_THAT(text_of(emit(program), "src/cuda/walk_cuda.cu"), Not(HasSubstr("<cstdio>")));
  program.global_code["cuda"] = "inline void show() { printf(\"here\"); }";
  EXPECT_THAT(text_of(emit(program), "src/cuda/walk_cuda.cu"), HasSubstr("#include <cstdio>\n"));
}

} // namespace
