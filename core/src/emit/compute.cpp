#include "emit/compute.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::emission {
namespace {

/// The step where it is a number in the file.
std::optional<std::int64_t> constant_integer(expression const& e) {
  if (e->kind == expression_kind::integer) return e->integer_value;
  if (e->kind == expression_kind::unary && e->text == "-" &&
      e->arguments.at(0)->kind == expression_kind::integer)
    return -e->arguments[0]->integer_value;
  return std::nullopt;
}

/// Whether `parameter` has not left the range, whose step may be of either sign.
std::string range_test(code_printer const& code, std::string const& parameter,
                       sdfg::range const& range) {
  auto const end = code.symbolic(range.end);
  if (auto const constant = constant_integer(range.step))
    return fmt::format("{} {} {}", parameter, *constant > 0 ? "<=" : ">=", end);
  return fmt::format("{0} > 0 ? {1} <= {2} : {1} >= {2}", code.symbolic(range.step), parameter,
                     end);
}

/// Whether `name` occurs as an identifier in C++ text.
bool mentions(std::string_view text, std::string_view name) {
  auto const word = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    bool const starts = at == 0 || !word(text[at - 1]);
    bool const ends = at + name.size() >= text.size() || !word(text[at + name.size()]);
    if (starts && ends) return true;
  }
  return false;
}

/// Whether Python code assigns `name` on every path.
bool always_assigns(std::vector<statement> const& code, std::string const& name) {
  return std::any_of(code.begin(), code.end(), [&](statement const& one) {
    if (one.what == statement::kind::assign)
      return one.target->kind == expression_kind::name && one.target->text == name;
    return one.what == statement::kind::if_else && always_assigns(one.body, name) &&
           always_assigns(one.otherwise, name);
  });
}

/// Opens what the first thread of a block does alone.
constexpr auto first_thread = "if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)";

class block_printer {
public:
  explicit block_printer(compute_context& context)
      : context_(context), out_(context.out), names_(context.names),
        code_(context.names, context.where, context.in_kernel) {}

  void print(plan::compute_block const& block) {
    for (auto const& one : block)
      std::visit([this](auto const& content) { print_one(content); }, one.content);
  }

private:
  void nested(plan::compute_block const& block) {
    scope::block const inside(names_);
    print(block);
  }

  void print_one(plan::declare_local const& local) {
    auto const type = (local.shared ? "__shared__ " : "") + cpp_type(local.type);
    if (!local.element_count) {
      out_.line(fmt::format("{} {}{};", type, local.name, local.zero_fill ? "{}" : ""));
      names_.declare(local.name, {.type = local.type});
      return;
    }
    auto const count = constant_integer(*local.element_count);
    if (!count) {
      ASSAY_ASSERT(!local.shared && !local.zero_fill); // lowering refuses the first, never asks for the second
      out_.line(fmt::format("assay::gen::local_array<{}> const __assay_memory_{}({});", type, local.name,
                            code_.bare_symbolic(*local.element_count)));
      out_.line(fmt::format("{0}* const {1} = __assay_memory_{1}.data;", type, local.name));
      names_.declare(local.name, {.type = local.type, .is_pointer = true});
      return;
    }
    out_.line(fmt::format("{} {}[{}]{};", type, local.name, std::max<std::int64_t>(*count, 1),
                          local.zero_fill ? " = {}" : ""));
    names_.declare(local.name, {.type = local.type, .is_pointer = true});
  }

  void print_one(plan::let_symbol const& let) {
    out_.line(fmt::format("{} const {} = {};", cpp_type(let.type), let.name,
                          code_.symbol_value(let.value, let.type)));
    names_.declare(let.name, {.type = let.type});
  }

  void print_one(plan::let_pointer const& let) {
    out_.line(fmt::format("{} {}* const {} = {};", cpp_type(let.type), let.is_const ? "const" : "",
                          let.name, code_.address(let.base)));
    names_.declare(let.name, {.type = let.type, .is_pointer = true});
  }

  void print_one(plan::let_reference const& let) {
    out_.line(fmt::format("{} {}& {} = {};", cpp_type(let.type), let.is_const ? "const" : "",
                          let.name, code_.element(let.base)));
    names_.declare(let.name, {.type = let.type});
  }

  void print_one(plan::tasklet const& original) {
    auto tasklet = original;
    // What is stored on some paths only is written through: the other paths leave the element as it
    // is.
    if (tasklet.language == sdfg::language::python)
      for (auto& output : tasklet.outputs)
        if (!always_assigns(tasklet.python, output.name)) output.is_pointer = true;
    for (auto const& output : tasklet.outputs)
      if (output.is_pointer && output.by_one_thread)
        throw error(
            errc::unsupported,
            fmt::format("tasklet '{}' in {} writes '{}', which a block's threads share, on some "
                        "paths only, beside values of their own",
                        tasklet.label, context_.where, output.name));
    auto const where = fmt::format("tasklet '{}' in {}", tasklet.label, context_.where);
    code_printer code(names_, where, context_.in_kernel);
    out_.open("");
    scope::block const inside(names_);
    out_.line("// " + comment_text(tasklet.label));

    // A connector may have the name of a variable that another connector's place mentions. Then all
    // places are bound to names of ours first, outside the block that declares the connectors.
    std::vector<std::string> places;
    for (auto const& input : tasklet.inputs)
      places.push_back(input.is_pointer ? code.address(input.location)
                                        : code.element(input.location));
    for (auto const& output : tasklet.outputs)
      places.push_back(output.is_pointer ? code.address(output.location)
                                         : code.element(output.location));
    auto const hides = [&](plan::connector const& connector) {
      return std::any_of(places.begin(), places.end(),
                         [&](auto const& place) { return mentions(place, connector.name); });
    };
    bool const hidden = std::any_of(tasklet.inputs.begin(), tasklet.inputs.end(), hides) ||
                        std::any_of(tasklet.outputs.begin(), tasklet.outputs.end(), hides);
    if (hidden) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        auto const bound = fmt::format("__assay_place{}", i);
        bool const is_pointer = i < tasklet.inputs.size()
                                    ? tasklet.inputs[i].is_pointer
                                    : tasklet.outputs[i - tasklet.inputs.size()].is_pointer;
        out_.line(fmt::format("auto{} {} = {};", is_pointer ? " const" : "&", bound, places[i]));
        places[i] = bound;
      }
      out_.open("");
    }

    // The vendor's calls, and upstream's functions around them, take pointers that are not const.
    bool const for_calls = !context_.in_kernel && tasklet.language == sdfg::language::cpp;
    for (std::size_t i = 0; i < tasklet.inputs.size(); ++i) {
      auto const& input = tasklet.inputs[i];
      auto const pointer = for_calls ? "* const " : "const* const ";
      out_.line(fmt::format("{} {}{} = {};", cpp_type(input.type), input.is_pointer ? pointer : "",
                            input.name, places[i]));
      names_.declare(input.name, {.type = input.type,
                                  .is_pointer = input.is_pointer,
                                  .strides = input.strides,
                                  .unit = input.unit,
                                  .resolution = {}});
    }
    for (std::size_t i = 0; i < tasklet.outputs.size(); ++i) {
      auto const& output = tasklet.outputs[i];
      auto const& place = places[tasklet.inputs.size() + i];
      bool const also_input =
          std::any_of(tasklet.inputs.begin(), tasklet.inputs.end(),
                      [&](auto const& input) { return input.name == output.name; });
      if (also_input)
        throw error(errc::unsupported,
                    where + " has an input and an output connector of one name: " + output.name);
      out_.line(output.is_pointer
                    ? fmt::format("{}* const {} = {};", cpp_type(output.type), output.name, place)
                    : fmt::format("{} {};", cpp_type(output.type), output.name));
      if (output.is_pointer && output.resolution.kind != plan::reduction::none &&
          tasklet.language == sdfg::language::cpp)
        throw error(errc::unsupported,
                    where + " combines elements of the array '" + output.name + "' from C++ code");
      names_.declare(output.name,
                     {.type = output.type,
                      .is_pointer = output.is_pointer,
                      .strides = output.strides,
                      .unit = output.unit,
                      .resolution = output.is_pointer ? output.resolution : plan::resolution{}});
    }

    if (tasklet.language == sdfg::language::cpp) {
      out_.open("");
      out_.verbatim(tasklet.cpp);
      out_.close();
    } else {
      code.statements(out_, tasklet.python);
    }

    for (std::size_t i = 0; i < tasklet.outputs.size(); ++i) {
      auto const& output = tasklet.outputs[i];
      if (output.is_pointer) continue;
      if (output.by_one_thread) out_.open(first_thread);
      out_.line(code.store(places[tasklet.inputs.size() + i], output.type, output.name,
                           output.resolution));
      if (output.by_one_thread) out_.close();
    }
    if (hidden) out_.close();
    out_.close();
  }

  void print_one(plan::compute_copy const& copy) {
    scope::block const inside(names_);
    out_.open("");
    std::string source = copy.source.is_value ? "" : code_.bare_symbolic(copy.source.offset);
    std::string target = copy.target.is_value ? "" : code_.bare_symbolic(copy.target.offset);
    std::size_t depth = 0, loops = 0;
    if (copy.by_block) open_dealt_copy(copy.dimensions, loops);
    for (auto const& dimension : copy.dimensions) {
      if (dimension.count.is_integer(1)) continue;
      auto const index = fmt::format("__assay_c{}", depth++);
      if (!copy.by_block) {
        out_.open(fmt::format("for (long long {0} = 0; {0} < {1}; ++{0})", index,
                              code_.symbolic(dimension.count)));
        ++loops;
      }
      auto const add = [&](std::string& offset, expression const& stride) {
        if (stride.is_integer(0)) return;
        offset += " + " + index;
        if (!stride.is_integer(1)) offset += " * " + code_.symbolic(stride);
      };
      add(source, dimension.source_stride);
      add(target, dimension.target_stride);
    }
    auto const read =
        copy.source.is_value ? copy.source.variable : copy.source.variable + "[" + source + "]";
    auto const written =
        copy.target.is_value ? copy.target.variable : copy.target.variable + "[" + target + "]";
    out_.line(code_.store(written, copy.type, read, copy.resolution));
    for (; loops > 0; --loops) out_.close();
    out_.close();
  }

  /// The elements in turn to the threads of the block; declares the index of each dimension.
  void open_dealt_copy(std::vector<plan::copy_dimension> const& dimensions, std::size_t& loops) {
    std::vector<std::string> counts;
    for (auto const& dimension : dimensions)
      if (!dimension.count.is_integer(1)) counts.push_back(code_.symbolic(dimension.count));
    if (counts.empty()) {
      out_.open(first_thread);
      ++loops;
      return;
    }
    out_.open(fmt::format("for (long long __assay_e = threadIdx.x + blockDim.x * (threadIdx.y + "
                          "1LL * blockDim.y * threadIdx.z); __assay_e < {}; __assay_e += 1LL * "
                          "blockDim.x * blockDim.y * blockDim.z)",
                          fmt::join(counts, " * ")));
    ++loops;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      std::string position = "__assay_e";
      for (std::size_t below = k + 1; below < counts.size(); ++below)
        position = fmt::format("{} / {}", position, counts[below]);
      if (k != 0) position = fmt::format("{} % {}", position, counts[k]);
      out_.line(fmt::format("long long const __assay_c{} = {};", k, position));
    }
  }

  void print_one(plan::thread_range const& range) {
    ASSAY_ASSERT(range.axis < 3);
    scope::block const inside(names_);
    char const axis = "xyz"[range.axis];
    auto const begin = code_.symbolic(range.range.begin);
    auto const step =
        range.range.step.is_integer(1) ? std::string() : " * " + code_.symbolic(range.range.step);
    auto const head = fmt::format(
        "for (long long {0} = {1} + 1LL * threadIdx.{2}{3}; {4}; {0} += 1LL * blockDim.{2}{3})",
        range.parameter, begin, axis, step, range_test(code_, range.parameter, range.range));
    names_.declare(range.parameter, {.type = dtype::int64});
    out_.open(head);
    print(range.body);
    out_.close();
  }

  void print_one(plan::one_thread const& once) {
    out_.open(first_thread);
    nested(once.body);
    out_.close();
  }

  void print_one(plan::barrier const&) { out_.line("__syncthreads();"); }

  void print_one(plan::for_range const& loop) {
    scope::block const inside(names_);
    auto const head = loop_head(code_, loop.parameter, loop.range);
    names_.declare(loop.parameter, {.type = dtype::int64});
    if (loop.unroll) out_.line("#pragma unroll");
    out_.open(head);
    print(loop.body);
    out_.close();
  }

  void print_one(plan::compute_loop const& loop) {
    // Names of the init statements stay visible: they are symbols that were declared before.
    code_.symbol_statements(out_, loop.init);
    auto const update = code_.comma_list(loop.update);
    auto const test = loop.condition ? code_.condition(*loop.condition) : std::string("true");
    if (!loop.inverted && update) {
      out_.open(update->empty() ? fmt::format("while ({})", test)
                                : fmt::format("for (; {}; {})", test, *update));
      continue_labels_.push_back("");
      nested(loop.body);
      continue_labels_.pop_back();
      out_.close();
      return;
    }
    ASSAY_ASSERT(context_.next_label != nullptr);
    auto const label = fmt::format("__assay_continue_{}", (*context_.next_label)++);
    out_.open("for (;;)");
    if (!loop.inverted) out_.line(fmt::format("if (!({})) break;", test));
    out_.open("");
    continue_labels_.push_back(label);
    nested(loop.body);
    continue_labels_.pop_back();
    out_.close();
    if (jumped_to_.erase(label) != 0) out_.label(label);
    out_.open("");
    if (loop.inverted && !loop.update_before_condition)
      out_.line(fmt::format("if (!({})) break;", test));
    code_.symbol_statements(out_, loop.update);
    if (loop.inverted && loop.update_before_condition)
      out_.line(fmt::format("if (!({})) break;", test));
    out_.close();
    out_.close();
  }

  void print_one(plan::compute_branch const& branch) {
    bool first = true;
    for (auto const& [condition, body] : branch.branches) {
      auto const head =
          condition ? fmt::format("if ({})", code_.condition(*condition)) : std::string();
      if (first)
        out_.open(condition ? head : "if (true)");
      else
        out_.reopen(condition ? "} else " + head + " {" : "} else {");
      first = false;
      nested(body);
    }
    if (!first) out_.close();
  }

  void print_one(plan::declare_symbol const& symbol) {
    out_.line(fmt::format("{} {};", cpp_type(symbol.type), symbol.name));
    names_.declare(symbol.name, {.type = symbol.type});
  }

  void print_one(plan::assign_symbols const& assign) {
    print_assignments(out_, code_, assign.assignments);
  }

  void print_one(plan::compute_scope const& inner) {
    out_.open("");
    nested(inner.body);
    out_.close();
  }

  void print_one(plan::compute_jump const& jump) {
    switch (jump.kind) {
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
      out_.line(context_.return_statement);
      break;
    }
  }

private:
  compute_context& context_;
  writer& out_;
  scope& names_;
  code_printer code_;
  std::vector<std::string> continue_labels_; ///< innermost last; empty: `continue` does
  std::set<std::string> jumped_to_;
};

} // namespace

void print_block(compute_context& context, plan::compute_block const& block) {
  block_printer(context).print(block);
}

void print_assignments(writer& out, code_printer const& code,
                       std::vector<std::pair<std::string, expression>> const& assignments) {
  bool const independent =
      std::none_of(assignments.begin(), assignments.end(), [&](auto const& read) {
        return std::any_of(assignments.begin(), assignments.end(), [&](auto const& written) {
          return &read != &written && free_names(read.second).contains(written.first);
        });
      });
  if (independent) {
    for (auto const& [name, value] : assignments)
      out.line(fmt::format("{} = {};", name, code.assigned_value(name, value)));
    return;
  }
  out.open("");
  for (std::size_t i = 0; i < assignments.size(); ++i)
    out.line(
        fmt::format("auto const __assay_v{} = {};", i,
                    code.assigned_value(assignments[i].first, assignments[i].second)));
  for (std::size_t i = 0; i < assignments.size(); ++i)
    out.line(fmt::format("{} = __assay_v{};", assignments[i].first, i));
  out.close();
}

std::string loop_head(code_printer const& code, std::string const& parameter,
                      sdfg::range const& range) {
  auto const step = code.symbolic(range.step), begin = code.bare_symbolic(range.begin);
  if (range.step.is_integer(1)) {
    auto const stop = code.symbolic(simplified(range.end + expression::integer(1)));
    return fmt::format("for (long long {0} = {1}; {0} < {2}; ++{0})", parameter, begin, stop);
  }
  return fmt::format("for (long long {0} = {1}; {2}; {0} += {3})", parameter, begin,
                     range_test(code, parameter, range), step);
}

} // namespace assay::emission
