#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "emit/compute.hpp"
#include "emit/program_text.hpp"

namespace assay::emission {
namespace {

constexpr std::array<char, 3> axes{'x', 'y', 'z'};

/// The vendors' limits of a grid, along x and along the other two; dim3 would cut a larger number
/// silently.
constexpr std::int64_t most_blocks_along_x = 2147483647, most_blocks = 65535;

/// How a kernel's map lies on the grid: the last dimension on x, the one before on y, the rest on
/// z.
struct grid_shape {
  struct axis {
    char letter = 'x';
    std::vector<std::size_t> dimensions; ///< of the map, outermost first
    std::int64_t threads = 1;            ///< of a block
    std::int64_t per_block = 1;          ///< iterations that one block takes
    bool takes_turns = false;            ///< the grid may have fewer blocks than iterations need
  };
  std::vector<axis> axes_used;
  std::int64_t threads = 1; ///< of a whole block

  explicit grid_shape(plan::kernel const& kernel) {
    auto const rank = kernel.dimensions.size();
    ASSAY_ASSERT(rank > 0);
    for (std::size_t i = 0; i < std::min<std::size_t>(rank, 3); ++i) {
      axis one{.letter = axes[i],
               .dimensions = {},
               .threads = std::max<std::int64_t>(kernel.block[i], 1)};
      one.per_block = kernel.by_block ? 1 : one.threads;
      if (i < 2)
        one.dimensions.push_back(rank - 1 - i);
      else
        for (std::size_t d = 0; d + 2 < rank; ++d) one.dimensions.push_back(d);
      one.takes_turns = i > 0 && !fits(kernel, one);
      threads *= one.threads;
      axes_used.push_back(std::move(one));
    }
    // Maps over the threads of a block may use more axes than the map over the blocks.
    for (std::size_t i = rank; kernel.by_block && i < 3; ++i) {
      axes_used.push_back({.letter = axes[i], .dimensions = {}, .threads = kernel.block[i]});
      threads *= kernel.block[i];
    }
  }

  /// Whether the file alone tells that the grid has a block for all iterations of y or z.
  static bool fits(plan::kernel const& kernel, axis const& one) {
    double iterations = 1;
    for (auto const d : one.dimensions) {
      auto const& range = kernel.dimensions[d].range;
      auto const count = simplified(range.end - range.begin + expression::integer(1));
      if (count->kind != expression_kind::integer || !range.step.is_integer(1)) return false;
      iterations *= static_cast<double>(count->integer_value);
    }
    return iterations <= static_cast<double>(most_blocks) * static_cast<double>(one.per_block);
  }
};

std::string count_name(std::size_t dimension) { return fmt::format("__assay_count{}", dimension); }

/// Iterations of one dimension; may be negative where the step is 1.
std::string count_text(code_printer const& code, sdfg::range const& range) {
  if (range.step.is_integer(1))
    return code.bare_symbolic(simplified(range.end - range.begin + expression::integer(1)));
  return fmt::format("assay::gen::range_count({}, {}, {})", code.bare_symbolic(range.begin),
                     code.bare_symbolic(range.end), code.bare_symbolic(range.step));
}

void print_kernel(writer& out, program_text const& program, plan::kernel const& kernel) {
  auto const where = fmt::format("kernel '{}'", kernel.name);
  grid_shape const shape(kernel);
  scope names;
  program.declare_constants(names);
  std::string parameters;
  for (auto const& argument : kernel.arguments) {
    if (!parameters.empty()) parameters += ", ";
    auto const type = cpp_type(argument.type);
    if (!argument.is_pointer)
      parameters += fmt::format("{} {}", type, argument.name);
    else
      parameters += fmt::format("{}{} * __restrict__ {}", argument.is_const ? "const " : "", type,
                                argument.name);
    names.declare(argument.name, {.type = argument.type, .is_pointer = argument.is_pointer});
  }
  code_printer const code(names, where, true);

  out.open(fmt::format("__global__ void __launch_bounds__({}) {}({})", shape.threads, kernel.name,
                       parameters));
  int turns = 0;
  for (auto const& axis : shape.axes_used) {
    if (axis.dimensions.empty()) continue;
    auto const position = kernel.by_block ? fmt::format("blockIdx.{}", axis.letter)
                                          : fmt::format("blockIdx.{0} * {1}LL + threadIdx.{0}",
                                                        axis.letter, axis.threads);
    if (!axis.takes_turns)
      out.line(fmt::format("long long const __assay_{} = {};", axis.letter, position));
    std::string total;
    for (auto const dimension : axis.dimensions) {
      out.line(fmt::format("long long const {} = {};", count_name(dimension),
                           count_text(code, kernel.dimensions[dimension].range)));
      if (!total.empty()) total += " * ";
      total += count_name(dimension);
    }
    if (!axis.takes_turns) {
      out.line(fmt::format("if (__assay_{} >= {}) return;", axis.letter, total));
      continue;
    }
    // Grids are short along y and z: what is left is for the same blocks, in further turns.
    auto const stride = axis.per_block == 1 ? "1LL" : fmt::format("{}LL", axis.per_block);
    out.open(fmt::format("for (long long __assay_{0} = {1}; __assay_{0} < {2}; __assay_{0} += "
                         "gridDim.{0} * {3})",
                         axis.letter, position, total, stride));
    ++turns;
  }
  // The map's order, so that a range may use the parameters before it.
  for (std::size_t i = 0; i < kernel.dimensions.size(); ++i) {
    auto const& dimension = kernel.dimensions[i];
    auto const& axis =
        *std::find_if(shape.axes_used.begin(), shape.axes_used.end(), [&](auto const& one) {
          return std::find(one.dimensions.begin(), one.dimensions.end(), i) != one.dimensions.end();
        });
    auto position = fmt::format("__assay_{}", axis.letter);
    if (axis.dimensions.size() > 1) {
      // Dimensions that share an axis: the last of them varies fastest.
      std::string below;
      for (auto const other : axis.dimensions)
        if (other > i) below += (below.empty() ? "" : " * ") + count_name(other);
      if (!below.empty()) position = fmt::format("({} / ({}))", position, below);
      if (i != axis.dimensions.front())
        position = fmt::format("({} % {})", position, count_name(i));
    }
    if (!dimension.range.step.is_integer(1))
      position = fmt::format("{} * {}", position, code.symbolic(dimension.range.step));
    auto const begin =
        dimension.range.begin.is_integer(0) ? "" : code.symbolic(dimension.range.begin) + " + ";
    out.line(fmt::format("long long const {} = {}{};", dimension.parameter, begin, position));
    names.declare(dimension.parameter, {.type = dtype::int64});
  }
  int next_label = 0;
  compute_context context{.out = out, .names = names, .where = where, .next_label = &next_label};
  print_block(context, kernel.body);
  // What the block shares is written anew in its next turn.
  if (turns > 0 && kernel.by_block) out.line("__syncthreads();");
  for (; turns > 0; --turns) out.close();
  out.close();
  out.blank();
}

void print_launch(writer& out, program_text const& program, plan::kernel const& kernel) {
  grid_shape const shape(kernel);
  scope names;
  program.declare_constants(names);
  for (auto const& argument : kernel.arguments)
    names.declare(argument.name, {.type = argument.type, .is_pointer = argument.is_pointer});
  code_printer const code(names, fmt::format("kernel '{}'", kernel.name), true);

  out.open(program.launch_prototype(kernel));
  std::array<std::string, 3> blocks{"1", "1", "1"};
  std::array<std::int64_t, 3> threads{1, 1, 1};
  std::string empty, too_large;
  for (std::size_t i = 0; i < shape.axes_used.size(); ++i) {
    auto const& axis = shape.axes_used[i];
    threads[i] = axis.threads;
    if (axis.dimensions.empty()) continue;
    std::string total;
    for (auto const dimension : axis.dimensions) {
      out.line(fmt::format("long long const {} = {};", count_name(dimension),
                           count_text(code, kernel.dimensions[dimension].range)));
      if (!total.empty()) total += " * ";
      total += count_name(dimension);
      empty += fmt::format("{}{} <= 0", empty.empty() ? "" : " || ", count_name(dimension));
    }
    auto const name = fmt::format("__assay_blocks_{}", axis.letter);
    if (axis.takes_turns) {
      out.line(fmt::format("long long const {} = assay::gen::block_count({}, {}, {});", name, total,
                           axis.per_block, most_blocks));
    } else {
      out.line(fmt::format("long long const {} = assay::gen::block_count({}, {});", name, total,
                           axis.per_block));
      if (i == 0) too_large = fmt::format("{} > {}", name, most_blocks_along_x);
    }
    blocks[i] = fmt::format("static_cast<unsigned int>({})", name);
  }
  out.line(fmt::format("if ({}) return;", empty));
  out.open(fmt::format("if ({})", too_large));
  out.line(fmt::format("__state->gpu_context->ok({});", program.api("ErrorInvalidConfiguration")));
  out.line("return;");
  out.close();
  std::string arguments;
  for (auto const& argument : kernel.arguments) {
    if (!arguments.empty()) arguments += ", ";
    arguments += "(void*)&" + argument.name;
  }
  out.line(fmt::format("void* {}_args[] = {{{}}};", kernel.name,
                       arguments.empty() ? "nullptr" : arguments));
  out.line(fmt::format("__state->gpu_context->ok({}((void*){}, dim3({}, {}, {}), dim3({}, {}, {}), "
                       "{}_args, 0, __assay_stream));",
                       program.api("LaunchKernel"), kernel.name, blocks[0], blocks[1], blocks[2],
                       threads[0], threads[1], threads[2], kernel.name));
  out.close();
  out.blank();
}

void print_init(writer& out, program_text const& program) {
  auto const& plan = program.plan;
  auto const& state = program.state_type;
  auto const api = [&](std::string_view suffix) { return program.api(suffix); };
  bool const owns_streams = plan.settings.own_streams > 0;
  bool const pools =
      std::any_of(plan.buffers.begin(), plan.buffers.end(), [](plan::buffer const& buffer) {
        return buffer.provision == plan::provision::call_pool;
      });
  bool const takes_stream = std::any_of(
      plan.signature.init.begin(), plan.signature.init.end(),
      [](sdfg::argument const& argument) { return argument.name == external_stream_symbol; });

  out.line(fmt::format("extern \"C\" int __dace_exit_cuda({}* __state);", state));
  out.line(fmt::format("extern \"C\" void __dace_gpu_set_all_streams({}* __state, {} stream);",
                       state, api("Stream_t")));
  out.blank();
  out.line("// 0, or a positive number when the program cannot run; then nothing is left behind.");
  out.open(fmt::format("extern \"C\" int __dace_init_cuda({}* __state{})", state,
                       program_text::after_state(program.init_parameters)));
  out.line("int __assay_devices = 0;");
  out.line(fmt::format("if ({}(&__assay_devices) != {}) return 1;", api("GetDeviceCount"),
                       api("Success")));
  out.line("if (__assay_devices == 0) return 2;");
  out.line("// Failures of others that are still pending are not this program's.");
  out.line(fmt::format("(void){}();", api("GetLastError")));
  out.line(fmt::format("__state->gpu_context = assay::gen::gpu_context<{}, {}>::make({}, {});",
                       api("Stream_t"), api("Event_t"), std::max(plan.stream_count, 1),
                       plan.event_count));
  out.line("if (__state->gpu_context == nullptr) return 3;");
  out.line("auto& __gpu = *__state->gpu_context;");
  if (owns_streams) {
    out.open("for (int i = 0; i < __gpu.num_streams; ++i)");
    out.line(fmt::format("if (!__gpu.ok({}(&__gpu.internal_streams[i], {}))) break;",
                         api("StreamCreateWithFlags"), api("StreamNonBlocking")));
    out.line("__gpu.streams[i] = __gpu.internal_streams[i];");
    out.close();
  }
  if (plan.event_count > 0) {
    out.open("for (int i = 0; i < __gpu.num_events; ++i)");
    out.line(fmt::format("if (!__gpu.ok({}(&__gpu.events[i], {}))) break;",
                         api("EventCreateWithFlags"), api("EventDisableTiming")));
    out.close();
  }
  if (pools) {
    out.line("// Freed pool memory stays with the pool between calls.");
    out.line("int __assay_device = 0;");
    out.line(fmt::format("{} __assay_pool{{}};", api("MemPool_t")));
    out.line("unsigned long long __assay_threshold = ~0ull;");
    out.line(fmt::format(
        "if (__gpu.ok({}(&__assay_device)) && __gpu.ok({}(&__assay_pool, __assay_device)))",
        api("GetDevice"), api("DeviceGetDefaultMemPool")));
    out.line(fmt::format("  __gpu.ok({}(__assay_pool, {}, &__assay_threshold));",
                         api("MemPoolSetAttribute"), api("MemPoolAttrReleaseThreshold")));
  }
  if (takes_stream) {
    out.line("// The caller's stream, a run-time value: 0 is the default stream.");
    out.line(fmt::format("__dace_gpu_set_all_streams(__state, reinterpret_cast<{}>({}));",
                         api("Stream_t"), external_stream_symbol));
  }
  out.verbatim(program_text::code_of(plan.init_code, "cuda"));
  out.open("if (__gpu.lasterror != 0)");
  out.line("__dace_exit_cuda(__state);");
  out.line("return 4;");
  out.close();
  out.line("return 0;");
  out.close();
  out.blank();

  out.line("// Gives back what __dace_init_cuda made; streams of the caller's are not touched. "
           "Work on them must be done.");
  out.open(fmt::format("extern \"C\" int __dace_exit_cuda({}* __state)", state));
  out.line("if (__state->gpu_context == nullptr) return 0;");
  out.line("auto& __gpu = *__state->gpu_context;");
  out.verbatim(program_text::code_of(plan.exit_code, "cuda"));
  if (owns_streams) {
    out.open("for (int i = 0; i < __gpu.num_streams; ++i)");
    out.line(fmt::format(
        "if (__gpu.internal_streams[i] != nullptr) __gpu.ok({}(__gpu.internal_streams[i]));",
        api("StreamDestroy")));
    out.close();
  }
  if (plan.event_count > 0) {
    out.open("for (int i = 0; i < __gpu.num_events; ++i)");
    out.line(fmt::format("if (__gpu.events[i] != nullptr) __gpu.ok({}(__gpu.events[i]));",
                         api("EventDestroy")));
    out.close();
  }
  out.line("int const first_error = __gpu.lasterror;");
  out.line("delete __state->gpu_context;");
  out.line("__state->gpu_context = nullptr;");
  out.line("return first_error;");
  out.close();
  out.blank();
}

void print_stream_functions(writer& out, program_text const& program) {
  auto const& state = program.state_type;
  auto const stream = program.api("Stream_t");
  out.line("// The first error since the last question, which is forgotten by it.");
  out.open(fmt::format("extern \"C\" int __dace_gpu_last_error({}* __state)", state));
  out.line("int const first_error = __state->gpu_context->lasterror;");
  out.line("__state->gpu_context->lasterror = 0;");
  out.line("// Nobody else is to be charged with a failure that has been told.");
  out.line(fmt::format("if (first_error != 0) (void){}();", program.api("GetLastError")));
  out.line("return first_error;");
  out.close();
  out.blank();
  out.line("// Drops an error of others that is pending in the runtime.");
  out.open(fmt::format("extern \"C\" void __dace_gpu_drain_error({}* __state)", state));
  out.line("(void)__state;");
  out.line(fmt::format("(void){}();", program.api("GetLastError")));
  out.close();
  out.blank();
  out.open(
      fmt::format("extern \"C\" bool __dace_gpu_set_stream({}* __state, int streamid, {} stream)",
                  state, stream));
  out.line("if (streamid < 0 || streamid >= __state->gpu_context->num_streams) return false;");
  out.line("__state->gpu_context->streams[streamid] = stream;");
  out.line("return true;");
  out.close();
  out.blank();
  out.open(fmt::format("extern \"C\" void __dace_gpu_set_all_streams({}* __state, {} stream)",
                       state, stream));
  out.line("for (int i = 0; i < __state->gpu_context->num_streams; ++i)");
  out.line("  __state->gpu_context->streams[i] = stream;");
  out.close();
  out.blank();
}

} // namespace

std::string device_file(program_text const& program) {
  writer out;
  out.line(fmt::format("#include <{}>", program.vendor->device_include));
  out.blank();
  out.line("#include \"assay/generated/atomic.hpp\"");
  out.line("#include \"assay/generated/context.hpp\"");
  out.line("#include \"assay/generated/math.hpp\"");
  writer head = out;
  out = {};
  program.print_state(out);
  program.print_constants(out, true);
  if (auto const code = program_text::code_of(program.plan.global_code, "cuda"); !code.empty()) {
    out.verbatim(code);
    out.blank();
  }
  print_init(out, program);
  print_stream_functions(out, program);
  for (auto const& kernel : program.plan.kernels) {
    print_kernel(out, program, kernel);
    print_launch(out, program, kernel);
  }
  program_text::print_includes_for(head, out.text());
  head.blank();
  head.append(out);
  return head.take();
}

} // namespace assay::emission
