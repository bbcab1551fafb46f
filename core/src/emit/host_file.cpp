#include <algorithm>

#include <fmt/format.h>

#include "emit/compute.hpp"
#include "emit/program_text.hpp"

namespace assay::emission {
namespace {

/// Host memory is aligned like DaCe's: enough for vector instructions and a cache line.
constexpr std::int64_t host_alignment_bytes = 64;

std::string host_alignment(plan::buffer const& buffer) {
  return fmt::format("std::align_val_t{{{}}}",
                     buffer.alignment_bytes > 0 ? buffer.alignment_bytes : host_alignment_bytes);
}

/// The functions that allocate, use and release, in the host file.
class host_printer {
public:
  host_printer(writer& out, program_text const& program)
      : out_(out), program_(program), plan_(program.plan),
        code_(names_, fmt::format("program '{}'", plan_.name), false) {
    program.declare_constants(names_);
    for (auto const& argument : plan_.signature.arguments)
      if (argument.is_symbol) names_.declare(argument.name, {.type = argument.type.type});
    for (auto const& symbol : plan_.symbols) names_.declare(symbol.name, {.type = symbol.type});
    for (auto const& buffer : plan_.buffers)
      names_.declare(buffer.name, {.type = buffer.type, .is_pointer = !buffer.by_value});
    for (auto const& buffer : plan_.buffers)
      if (is_of_call(buffer)) allocated_on_[buffer.name] = {};
    find_allocation_streams(plan_.body);
  }

  void print_body() {
    out_.open(fmt::format("static void __program_{}_internal({}* __state{})", plan_.name,
                          program_.state_type,
                          program_text::after_state(program_.call_parameters)));
    out_.line(has_gpu() ? "auto& __gpu = *__state->gpu_context;"
                        : "auto& __gpu = __state->errors;");
    print_workspace_checks();
    print_names();
    auto const outer = out_.indentation();
    writer body;
    body.set_indentation(outer);
    std::swap(out_, body);
    out_.open("");
    print_steps(plan_.body);
    out_.close();
    std::swap(out_, body);
    out_.append(body);
    print_cleanup();
    out_.close();
    out_.blank();
  }

private:
  [[nodiscard]] bool has_gpu() const { return program_.vendor != nullptr; }
  [[nodiscard]] plan::buffer const& buffer(plan::buffer_id id) const {
    return plan_.buffers.at(plan::index(id));
  }
  /// Memory that the body allocates: a pointer that is null while nothing is held.
  [[nodiscard]] static bool is_of_call(plan::buffer const& one) {
    return !one.by_value &&
           (one.provision == plan::provision::call || one.provision == plan::provision::call_pool);
  }
  [[nodiscard]] std::string stream(plan::stream_id id) const {
    return fmt::format("__state->gpu_context->streams[{}]", plan::index(id));
  }
  [[nodiscard]] static std::string event(plan::event_id id) {
    return fmt::format("__state->gpu_context->events[{}]", plan::index(id));
  }
  /// A runtime call whose failure ends the call of the program.
  void checked(std::string const& call) {
    out_.line(fmt::format("if (!__gpu.ok({})) goto __failed;", call));
    fails_ = true;
  }

  void find_allocation_streams(plan::step_list const& steps) {
    for (auto const& one : steps) {
      if (auto const* allocate = std::get_if<plan::allocate>(&one.content))
        allocated_on_[buffer(allocate->buffer).name] = allocate->stream;
      if (auto const* branch = std::get_if<plan::branch>(&one.content))
        for (auto const& arm : branch->arms) find_allocation_streams(arm.body);
      if (auto const* loop = std::get_if<plan::loop>(&one.content))
        find_allocation_streams(loop->body);
    }
  }

  void print_workspace_checks() {
    for (auto const& workspace : plan_.workspaces) {
      // Over an empty domain nothing is needed, and callers give nothing.
      out_.open(fmt::format("if (!__state->{} && {} > 0)", program_text::workspace_flag(workspace),
                            code_.wide(workspace.size_bytes)));
      out_.line("// The caller has not given the memory.");
      out_.line("__gpu.ok(assay::gen::invalid_value);");
      out_.line("return;");
      out_.close();
    }
  }

  void print_names() {
    for (auto const& symbol : plan_.symbols) {
      bool const is_argument =
          std::any_of(plan_.signature.arguments.begin(), plan_.signature.arguments.end(),
                      [&](auto const& argument) { return argument.name == symbol.name; });
      if (!is_argument) out_.line(fmt::format("{} {}{{}};", cpp_type(symbol.type), symbol.name));
    }
    for (auto const& one : plan_.buffers) {
      auto const type = cpp_type(one.type);
      switch (one.provision) {
      case plan::provision::argument:
        break;
      case plan::provision::call:
      case plan::provision::call_pool:
        out_.line(one.by_value ? fmt::format("{} {}{{}};", type, one.name)
                               : fmt::format("{}* {} = nullptr;", type, one.name));
        break;
      case plan::provision::persistent:
      case plan::provision::external: {
        auto const field = "__state->" + program_text::field(one);
        if (one.by_value)
          out_.line(fmt::format("{}& {} = *{};", type, one.name, field));
        else
          out_.line(fmt::format(
              "{}* const {} = {}{};", type, one.name, field,
              one.start_offset.is_integer(0) ? "" : " + " + code_.symbolic(one.start_offset)));
        break;
      }
      case plan::provision::state_value:
        out_.line(fmt::format("{}& {} = __state->{};", type, one.name, program_text::field(one)));
        break;
      }
    }
  }

  /// What follows the body: the ways out before its end, which give back what is still held.
  void print_cleanup() {
    if (!fails_ && !returns_) return;
    std::vector<plan::buffer const*> held;
    for (auto const& one : plan_.buffers)
      if (is_of_call(one)) held.push_back(&one);
    bool const quiet_return = held.empty();
    out_.line("return;");
    if (fails_) {
      out_.label("__failed");
      if (has_gpu()) {
        out_.line("// What was queued may still use the memory, and host variables of this call.");
        out_.line("for (int i = 0; i < __gpu.num_streams; ++i)");
        out_.line(
            fmt::format("  __gpu.ok({}(__gpu.streams[i]));", program_.api("StreamSynchronize")));
      } else if (quiet_return && !returns_) {
        out_.line("return;");
      }
    }
    if (returns_) out_.label("__return");
    for (auto const* one : held) {
      out_.open(fmt::format("if ({} != nullptr)", one->name));
      print_release(*one, allocated_on_.at(one->name));
      forget(*one);
      out_.close();
    }
    if (quiet_return) out_.line("return;");
  }

  // ---- memory -----------------------------------------------------------------------------------

  [[nodiscard]] std::string base(plan::buffer const& one) {
    if (one.start_offset.is_integer(0)) return one.name;
    return fmt::format("({} - {})", one.name, code_.symbolic(one.start_offset));
  }
  void advance(plan::buffer const& one) {
    if (one.start_offset.is_integer(0)) return;
    out_.line(fmt::format("{} += {};", one.name, code_.symbolic(one.start_offset)));
  }

  void print_one(plan::allocate const& step) {
    auto const& one = buffer(step.buffer);
    if (!is_of_call(one)) return;
    print_allocation(out_, program_, code_, one, one.name, stream(step.stream), "goto __failed;");
    fails_ = true;
    advance(one);
  }

  void print_one(plan::release const& step) {
    auto const& one = buffer(step.buffer);
    if (!is_of_call(one)) return;
    print_release(one, step.stream);
    if (!step.keeps_pointer) forget(one);
    if (has_gpu() && one.space != plan::memory_space::host) {
      out_.line("if (__gpu.call_failed) goto __failed;");
      fails_ = true;
    }
  }

  void print_release(plan::buffer const& one, plan::stream_id on) {
    if (one.space == plan::memory_space::host)
      out_.line(fmt::format("::operator delete[]({}, {});", base(one), host_alignment(one)));
    else if (one.space == plan::memory_space::pinned)
      out_.line(fmt::format("__gpu.ok({}({}));", program_.vendor->free_pinned, base(one)));
    else if (one.provision == plan::provision::call_pool)
      out_.line(
          fmt::format("__gpu.ok({}({}, {}));", program_.api("FreeAsync"), base(one), stream(on)));
    else
      out_.line(fmt::format("__gpu.ok({}({}));", program_.api("Free"), base(one)));
  }

  /// Lets the way out of a failure see that the memory is gone.
  void forget(plan::buffer const& one) { out_.line(fmt::format("{} = nullptr;", one.name)); }

  void print_one(plan::fill_zero const& step) {
    auto const& one = buffer(step.buffer);
    if (one.by_value) {
      out_.line(fmt::format("{} = 0;", one.name));
      return;
    }
    auto const bytes = fmt::format("assay::gen::array_bytes({}, sizeof({}))",
                                   code_.bare_symbolic(one.element_count), cpp_type(one.type));
    if (one.space != plan::memory_space::device)
      out_.line(fmt::format("std::memset({}, 0, {});", base(one), bytes));
    else
      checked(fmt::format("{}({}, 0, {}, {})", program_.api("MemsetAsync"), base(one), bytes,
                          stream(step.stream)));
  }

  // ---- work -------------------------------------------------------------------------------------

  void print_one(plan::launch const& step) {
    auto const& kernel = plan_.kernels.at(plan::index(step.kernel));
    std::string arguments = "__state";
    for (auto const& argument : kernel.arguments) arguments += ", " + argument.name;
    out_.line(fmt::format("__dace_runkernel_{}({}, {});", kernel.name, arguments,
                          step.null_stream ? "nullptr" : stream(step.stream)));
    out_.line("if (__gpu.call_failed) goto __failed;");
    fails_ = true;
  }

  void print_one(plan::copy const& step) {
    auto const& source = buffer(step.source);
    auto const& target = buffer(step.target);
    auto const type = cpp_type(target.type);
    bool const from_device = source.space == plan::memory_space::device;
    bool const to_device = target.space == plan::memory_space::device;
    auto const kind =
        program_.api(from_device ? (to_device ? "MemcpyDeviceToDevice" : "MemcpyDeviceToHost")
                                 : (to_device ? "MemcpyHostToDevice" : "MemcpyHostToHost"));
    auto dimensions = step.dimensions;
    // Dimensions that follow each other without a gap on both sides are one.
    std::erase_if(dimensions, [](auto const& one) { return one.count.is_integer(1); });
    auto const is_dense = [](plan::copy_dimension const& one) {
      return one.source_stride.is_integer(1) && one.target_stride.is_integer(1);
    };
    auto const dense = std::find_if(dimensions.begin(), dimensions.end(), is_dense);
    if (dense != dimensions.end()) std::rotate(dense, dense + 1, dimensions.end());
    for (std::size_t i = dimensions.size(); i-- > 1;) {
      auto& inner = dimensions[i];
      auto& outer = dimensions[i - 1];
      if (!(simplified(inner.count * inner.source_stride) == simplified(outer.source_stride)) ||
          !(simplified(inner.count * inner.target_stride) == simplified(outer.target_stride)))
        continue;
      outer = {simplified(inner.count * outer.count), inner.source_stride, inner.target_stride};
      dimensions.erase(dimensions.begin() + static_cast<std::ptrdiff_t>(i));
    }

    auto from = source.by_value ? "&" + source.name : with_offset(source.name, step.source_offset);
    auto to = target.by_value ? "&" + target.name : with_offset(target.name, step.target_offset);
    bool const row = !dimensions.empty() && is_dense(dimensions.back());
    // Elements of a row, then at most one strided dimension per call; the outer ones are loops.
    std::size_t const per_call = std::min<std::size_t>(dimensions.size(), row ? 2 : 1);
    std::size_t const loops = dimensions.size() - per_call;
    for (std::size_t i = 0; i < loops; ++i) {
      auto const index = fmt::format("__assay_c{}", i);
      out_.open(fmt::format("for (long long {0} = 0; {0} < {1}; ++{0})", index,
                            code_.symbolic(dimensions[i].count)));
      from += fmt::format(" + {} * {}", index, code_.symbolic(dimensions[i].source_stride));
      to += fmt::format(" + {} * {}", index, code_.symbolic(dimensions[i].target_stride));
    }
    auto const bytes = [&](expression const& count) {
      return fmt::format("assay::gen::array_bytes({}, sizeof({}))", code_.bare_symbolic(count),
                         type);
    };
    if (dimensions.empty()) {
      checked(fmt::format("{}({}, {}, sizeof({}), {}, {})", program_.api("MemcpyAsync"), to, from,
                          type, kind, stream(step.stream)));
    } else if (row && per_call == 1) {
      checked(fmt::format("{}({}, {}, {}, {}, {})", program_.api("MemcpyAsync"), to, from,
                          bytes(dimensions.back().count), kind, stream(step.stream)));
    } else {
      auto const& strided = dimensions[loops];
      auto const width = row ? bytes(dimensions.back().count) : fmt::format("sizeof({})", type);
      checked(fmt::format("{}({}, {}, {}, {}, {}, assay::gen::array_bytes({}, 1), {}, {})",
                          program_.api("Memcpy2DAsync"), to, bytes(strided.target_stride), from,
                          bytes(strided.source_stride), width, code_.symbolic(strided.count), kind,
                          stream(step.stream)));
    }
    for (std::size_t i = 0; i < loops; ++i) out_.close();
  }

  [[nodiscard]] std::string with_offset(std::string const& name, expression const& offset) {
    return offset.is_integer(0) ? name : fmt::format("{} + {}", name, code_.symbolic(offset));
  }

  void print_one(plan::record const& step) {
    checked(fmt::format("{}({}, {})", program_.api("EventRecord"), event(step.event),
                        stream(step.stream)));
  }
  void print_one(plan::stream_wait const& step) {
    checked(fmt::format("{}({}, {}, 0)", program_.api("StreamWaitEvent"), stream(step.stream),
                        event(step.event)));
  }
  void print_one(plan::synchronise const& step) {
    checked(fmt::format("{}({})", program_.api("StreamSynchronize"), stream(step.stream)));
  }

  void print_one(plan::host_compute const& step) {
    out_.open("");
    out_.line("// " + comment_text(step.label));
    scope::block const inside(names_);
    compute_context context{.out = out_,
                            .names = names_,
                            .where = fmt::format("program '{}'", plan_.name),
                            .in_kernel = false,
                            .return_statement = "goto __return;",
                            .next_label = &next_label_};
    auto const before = out_.text().size();
    print_block(context, step.body);
    if (out_.text().find(context.return_statement, before) != std::string::npos) returns_ = true;
    out_.close();
  }

  void print_one(plan::timer_start const& step) {
    auto const& start = buffer(step.start);
    out_.line(fmt::format("{} = assay::gen::now_ns();",
                          start.by_value ? start.name : start.name + "[0]"));
  }
  void print_one(plan::timer_stop const& step) {
    auto const& start = buffer(step.start);
    auto const& duration = buffer(step.duration);
    out_.line(fmt::format("{} = static_cast<double>(assay::gen::now_ns() - {}) * 1.0e-9;",
                          duration.by_value ? duration.name : duration.name + "[0]",
                          start.by_value ? start.name : start.name + "[0]"));
  }

  // ---- control flow -----------------------------------------------------------------------------

  void print_steps(plan::step_list const& steps) {
    for (auto const& one : steps) {
      try {
        std::visit([this](auto const& content) { print_one(content); }, one.content);
      } catch (error const& failure) {
        if (!failure.place().empty() || one.place.empty()) throw;
        throw error(failure.code(), failure.what(), one.place);
      }
    }
  }

  void print_one(plan::assign const& step) { print_assignments(out_, code_, step.assignments); }

  void print_one(plan::branch const& step) {
    bool first = true;
    for (auto const& arm : step.arms) {
      auto const head = arm.condition ? fmt::format("if ({})", code_.condition(*arm.condition))
                                      : std::string("if (true)");
      if (first)
        out_.open(head);
      else
        out_.reopen(arm.condition ? "} else " + head + " {" : "} else {");
      first = false;
      print_steps(arm.body);
    }
    if (!first) out_.close();
  }

  void print_one(plan::loop const& step) {
    code_.symbol_statements(out_, step.init);
    auto const update = code_.comma_list(step.update);
    auto const test = step.condition ? code_.condition(*step.condition) : std::string("true");
    if (!step.inverted && update) {
      if (step.prepare.empty() && update->empty())
        out_.open(fmt::format("while ({})", test));
      else if (step.prepare.empty())
        out_.open(fmt::format("for (; {}; {})", test, *update));
      else {
        out_.open(fmt::format("for (;; {})", *update));
        print_steps(step.prepare);
        out_.line(fmt::format("if (!({})) break;", test));
      }
      continue_labels_.emplace_back();
      print_steps(step.body);
      continue_labels_.pop_back();
      out_.close();
      return;
    }
    auto const label = fmt::format("__assay_continue_{}", next_label_++);
    auto const leave_unless_test = [&] {
      print_steps(step.prepare);
      out_.line(fmt::format("if (!({})) break;", test));
    };
    out_.open("for (;;)");
    if (!step.inverted) leave_unless_test();
    out_.open("");
    continue_labels_.push_back(label);
    print_steps(step.body);
    continue_labels_.pop_back();
    out_.close();
    if (jumped_to_.erase(label) != 0) out_.label(label);
    out_.open("");
    if (step.inverted && !step.update_before_condition) leave_unless_test();
    code_.symbol_statements(out_, step.update);
    if (step.inverted && step.update_before_condition) leave_unless_test();
    out_.close();
    out_.close();
  }

  void print_one(plan::jump const& step) {
    switch (step.kind) {
    case sdfg::jump::break_loop:
      out_.line("break;");
      break;
    case sdfg::jump::continue_loop:
      ASSAY_ASSERT(!continue_labels_.empty());
      if (continue_labels_.back().empty())
        out_.line("continue;");
      else {
        out_.line("goto " + continue_labels_.back() + ";");
        jumped_to_.insert(continue_labels_.back());
      }
      break;
    case sdfg::jump::return_program:
      out_.line("goto __return;");
      returns_ = true;
      break;
    }
  }

public:
  /// Allocates into `target`; on failure the statement `on_failure` follows the record of the
  /// error.
  static void print_allocation(writer& out, program_text const& program, code_printer const& code,
                               plan::buffer const& one, std::string const& target,
                               std::string const& stream, std::string const& on_failure) {
    auto const type = cpp_type(one.type);
    auto const count = code.bare_symbolic(one.element_count);
    auto const bytes = fmt::format("assay::gen::allocation_bytes({}, sizeof({}))", count, type);
    if (one.space == plan::memory_space::host) {
      out.line(fmt::format("{} = static_cast<{}*>(::operator new[]({}, {}, std::nothrow));", target,
                           type, bytes, host_alignment(one)));
      out.line(fmt::format("if (!__gpu.ok({} != nullptr ? 0 : assay::gen::out_of_memory)) {}",
                           target, on_failure));
      return;
    }
    std::string call;
    if (one.space == plan::memory_space::pinned)
      call = fmt::format("{}((void**)&{}, {})", program.vendor->malloc_pinned, target, bytes);
    else if (one.provision == plan::provision::call_pool)
      call =
          fmt::format("{}((void**)&{}, {}, {})", program.api("MallocAsync"), target, bytes, stream);
    else
      call = fmt::format("{}((void**)&{}, {})", program.api("Malloc"), target, bytes);
    out.line(fmt::format("if (!__gpu.ok({})) {}", call, on_failure));
  }

private:
  writer& out_;
  program_text const& program_;
  plan::program const& plan_;
  scope names_;
  code_printer code_;
  std::map<std::string, plan::stream_id> allocated_on_;
  std::vector<std::string> continue_labels_;
  std::set<std::string> jumped_to_;
  int next_label_ = 0;
  bool fails_ = false, returns_ = false;
};

void print_life(writer& out, program_text const& program) {
  auto const& plan = program.plan;
  auto const& state = program.state_type;
  scope names;
  program.declare_init_symbols(names);
  code_printer const code(names, fmt::format("program '{}'", plan.name), false);
  bool const has_gpu = program.vendor != nullptr;
  auto const init_parameters = program_text::after_state(program.init_parameters);

  out.line(fmt::format("extern \"C\" int __dace_exit_{}({}* __state);", plan.name, state));
  out.blank();
  out.open(fmt::format("extern \"C\" {}* __dace_init_{}({})", state, plan.name,
                       program.init_parameters));
  out.line(fmt::format("auto* const __state = new (std::nothrow) {}();", state));
  out.line("if (__state == nullptr) return nullptr;");
  if (has_gpu) {
    out.open(fmt::format("if (__dace_init_cuda(__state{}) != 0)",
                         program_text::after_state(program.init_arguments)));
    out.line("delete __state;");
    out.line("return nullptr;");
    out.close();
  }
  out.line(has_gpu ? "auto& __gpu = *__state->gpu_context;" : "auto& __gpu = __state->errors;");
  out.verbatim(program_text::code_of(plan.init_code, "frame"));
  out.verbatim(program_text::code_of(plan.init_code, ""));
  auto const fail = fmt::format("return __dace_exit_{}(__state), nullptr;", plan.name);
  for (auto const& one : plan.buffers)
    if (one.provision == plan::provision::persistent)
      host_printer::print_allocation(out, program, code, one,
                                     "__state->" + program_text::field(one), "", fail);
  out.line(fmt::format("if (__gpu.lasterror != 0) {}", fail));
  out.line("return __state;");
  out.close();
  out.blank();

  out.line("// The first error that nobody has asked for, or 0.");
  out.open(fmt::format("extern \"C\" int __dace_exit_{}({}* __state)", plan.name, state));
  if (has_gpu) {
    out.line("auto& __gpu = *__state->gpu_context;");
    out.line("// Work of the program may still use what is given back here.");
    out.line("for (int i = 0; i < __gpu.num_streams; ++i)");
    out.line(fmt::format("  __gpu.ok({}(__gpu.streams[i]));", program.api("StreamSynchronize")));
  }
  out.verbatim(program_text::code_of(plan.exit_code, "frame"));
  out.verbatim(program_text::code_of(plan.exit_code, ""));
  for (auto const& one : plan.buffers) {
    if (one.provision != plan::provision::persistent) continue;
    auto const field = "__state->" + program_text::field(one);
    if (one.space == plan::memory_space::host)
      out.line(fmt::format("::operator delete[]({}, {});", field, host_alignment(one)));
    else
      out.line(fmt::format("if ({} != nullptr) __gpu.ok({}({}));", field,
                           one.space == plan::memory_space::pinned
                               ? std::string(program.vendor->free_pinned)
                               : program.api("Free"),
                           field));
  }
  out.line(has_gpu ? "int const first_error = __dace_exit_cuda(__state);"
                   : "int const first_error = __state->errors.lasterror;");
  out.line("delete __state;");
  out.line("return first_error;");
  out.close();
  out.blank();

  for (auto const& workspace : plan.workspaces) {
    out.open(fmt::format("extern \"C\" size_t __dace_get_external_memory_size_{}({}* __state{})",
                         workspace.storage, state, init_parameters));
    out.line("(void)__state;");
    out.line(fmt::format("return static_cast<size_t>({});", code.wide(workspace.size_bytes)));
    out.close();
    out.blank();
    out.open(
        fmt::format("extern \"C\" void __dace_set_external_memory_{}({}* __state, char* __base{})",
                    workspace.storage, state, init_parameters));
    for (auto const& entry : workspace.entries) {
      auto const& one = plan.buffers.at(plan::index(entry.buffer));
      out.line(fmt::format("__state->{} = reinterpret_cast<{}*>(__base + static_cast<size_t>({}));",
                           program_text::field(one), cpp_type(one.type),
                           code.wide(entry.offset_bytes)));
    }
    out.line(fmt::format("__state->{} = true;", program_text::workspace_flag(workspace)));
    out.close();
    out.blank();
  }
}

void collect_kinds(plan::step_list const& steps, bool& has_timer) {
  for (auto const& one : steps) {
    if (std::holds_alternative<plan::timer_start>(one.content) ||
        std::holds_alternative<plan::timer_stop>(one.content))
      has_timer = true;
    if (auto const* branch = std::get_if<plan::branch>(&one.content))
      for (auto const& arm : branch->arms) collect_kinds(arm.body, has_timer);
    if (auto const* loop = std::get_if<plan::loop>(&one.content))
      collect_kinds(loop->body, has_timer);
  }
}

} // namespace

std::string host_file(program_text const& program) {
  auto const& plan = program.plan;
  writer out;
  bool has_timer = false;
  collect_kinds(plan.body, has_timer);
  if (program.vendor != nullptr)
    out.line(fmt::format("#include <{}>", program.vendor->host_include));
  out.line("#include <cstring>");
  out.line("#include <new>");
  out.blank();
  out.line("#include \"assay/generated/context.hpp\"");
  out.line("#include \"assay/generated/math.hpp\"");
  out.line("#include \"assay/generated/reduction.hpp\"");
  if (has_timer) out.line("#include \"assay/generated/timer.hpp\"");
  writer head = out;
  out = {};
  program.print_state(out);
  program.print_constants(out, false);
  if (auto const code = program_text::code_of(plan.global_code, "frame") +
                        program_text::code_of(plan.global_code, "");
      !code.empty()) {
    out.verbatim(code);
    out.blank();
  }
  if (program.vendor != nullptr) {
    out.line(fmt::format("extern \"C\" int __dace_init_cuda({}* __state{});", program.state_type,
                         program_text::after_state(program.init_parameters)));
    out.line(fmt::format("extern \"C\" int __dace_exit_cuda({}* __state);", program.state_type));
    for (auto const& kernel : plan.kernels) out.line(program.launch_prototype(kernel) + ";");
    out.blank();
  }
  host_printer(out, program).print_body();
  out.open(fmt::format("extern \"C\" void __program_{}({}* __state{})", plan.name,
                       program.state_type, program_text::after_state(program.call_parameters)));
  if (program.vendor != nullptr) {
    out.line("// An error of others that is pending in the runtime is not this call's.");
    out.line(fmt::format("(void){}();", program.api("GetLastError")));
    out.line("__state->gpu_context->call_failed = false;");
  } else
    out.line("__state->errors.call_failed = false;");
  out.line(fmt::format("__program_{}_internal(__state{});", plan.name,
                       program_text::after_state(program.call_arguments)));
  out.close();
  out.blank();
  print_life(out, program);
  program_text::print_includes_for(head, out.text());
  head.blank();
  head.append(out);
  return head.take();
}

} // namespace assay::emission
