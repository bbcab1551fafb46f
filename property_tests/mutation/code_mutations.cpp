#include "mutation/code_mutations.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "mutation/runtime_calls.hpp"
#include "mutation/switchable_text.hpp"

namespace assay::fuzz {
namespace {

using mockgpu::tools::token_kind;

bool is_source(std::string_view path) {
  return path.ends_with(".cu") || path.ends_with(".cpp") || path.ends_with(".hip");
}

/// Everything that is done to one file.
class file_mutator {
public:
  file_mutator(generated_file const& file, std::vector<code_mutant>& mutants)
      : file_(file), source_(file.text), switchable_(source_), mutants_(mutants) {
    for (function const& each : source_.functions()) {
      own_functions_.insert(each.name);
      for (call const& one : source_.calls_in(each.body)) find_handles(one);
      for (auto const& parts : configurations(each.body))
        if (parts.size() == 4) streams_.push_back(parts.back());
    }
    // What another file of the program defines is declared here.
    for (unsigned i = 0; i + 1 < source_.tokens().size(); ++i)
      if (source_.tokens()[i].text.starts_with("__dace_runkernel")) own_functions_.insert(token(i));
  }

  generated_file run() {
    for (function const& each : source_.functions()) {
      if (each.is_kernel) {
        mutate_kernel(each);
        continue;
      }
      for (call const& one : source_.calls_in(each.body)) {
        std::string_view const name = runtime_call(token(one.name));
        if (name.empty())
          mutate_own_call(each, one);
        else
          mutate_runtime_call(each, one, name);
      }
      for (auto const& parts : configurations(each.body))
        if (parts.size() == 4) mutate_stream(each, parts.back(), {});
      mutate_workspace(each);
    }
    return {file_.path, switchable_.text(vendor_)};
  }

private:
  [[nodiscard]] std::string_view token(unsigned i) const { return source_.tokens()[i].text; }
  [[nodiscard]] std::string text(token_range range) const {
    return std::string(source_.text_of(range));
  }

  /// Without its labels, so that it can stand twice.
  [[nodiscard]] std::string unlabelled(token_range statement) const {
    while (statement.begin + 1 < statement.end && token(statement.begin + 1) == ":" &&
           source_.tokens()[statement.begin].kind == token_kind::identifier)
      statement.begin += 2;
    return text(statement);
  }

  int add(code_fault fault, token_range where, std::string_view call = {}) {
    std::string shown = text(where);
    std::ranges::replace(shown, '\n', ' ');
    std::string_view const path = file_.path;
    std::string_view const file_name = path.substr(path.rfind('/') + 1);
    if (shown.size() > 100) shown = shown.substr(0, 97) + "...";
    mutants_.push_back(
        {static_cast<int>(mutants_.size()) + 1, fault,
         fmt::format("{}:{}: {}", file_.path, source_.line_of(where.begin), shown),
         call.empty() ? std::string()
                      : fmt::format("{} ({}:{})", call, file_name, source_.line_of(where.begin))});
    return mutants_.back().number;
  }

  /// Streams and events that the file's calls name.
  void find_handles(call const& one) {
    std::string_view const vendor = vendor_of(token(one.name));
    if (vendor.empty()) return;
    vendor_ = vendor;
    std::string_view const name = runtime_call(token(one.name));
    auto const note = [&](std::optional<std::size_t> number, std::vector<token_range>& into) {
      if (!number || *number >= one.arguments.size()) return;
      token_range const argument = one.arguments[*number];
      auto const same = [&](token_range other) { return text(other) == text(argument); };
      if (std::ranges::none_of(into, same)) into.push_back(argument);
    };
    note(stream_argument(name), streams_);
    note(event_argument(name), events_);
  }

  /// What `<<<...>>>` of a launch holds, one range for each part, by launch.
  [[nodiscard]] std::vector<std::vector<token_range>> configurations(token_range body) const {
    std::vector<std::vector<token_range>> found;
    for (unsigned i = body.begin; i + 1 < body.end; ++i) {
      if (token(i) != "<<" || token(i + 1) != "<") continue;
      std::vector<token_range> parts;
      unsigned begin = i + 2;
      for (unsigned k = begin; k + 1 < body.end; ++k) {
        bool const is_end = token(k) == ">>" && token(k + 1) == ">";
        if (is_end || token(k) == ",") {
          parts.push_back({begin, k});
          begin = k + 1;
        } else if (source_.tokens()[k].partner > k) {
          k = source_.tokens()[k].partner;
        }
        if (!is_end) continue;
        found.push_back(std::move(parts));
        break;
      }
    }
    return found;
  }

  /// Another handle that can be named where `argument` stands.
  [[nodiscard]] std::string other_handle(function const& within, token_range argument,
                                         std::vector<token_range> const& known) const {
    for (token_range const other : known) {
      if (text(other) == text(argument)) continue;
      bool is_visible = token(other.begin) != "nullptr" && token(other.begin) != "0";
      for (unsigned i = other.begin; i < other.end; ++i) {
        if (source_.tokens()[i].kind != token_kind::identifier) continue;
        if (i > other.begin && token(i - 1) == "[") is_visible = false; // a counter of a loop
        if (i > other.begin && (token(i - 1) == "->" || token(i - 1) == ".")) continue;
        is_visible &= source_.mentions(within.parameters, token(i)) ||
                      source_.mentions({within.body.begin, argument.begin}, token(i));
      }
      if (is_visible) return text(other);
    }
    return {};
  }

  void mutate_stream(function const& within, token_range argument, std::string_view call) {
    if (auto const other = other_handle(within, argument, streams_); !other.empty())
      switchable_.replace(argument, add(code_fault::swap_stream, argument, call), other);
    if (token(argument.begin) != "nullptr" && text(argument) != "0")
      switchable_.replace(argument, add(code_fault::null_stream, argument, call), "nullptr");
  }

  /// A function of the program's that is handed a stream.
  void mutate_own_call(function const& within, call const& one) {
    for (token_range const argument : one.arguments)
      if (std::ranges::any_of(streams_, [&](token_range s) { return text(s) == text(argument); }) &&
          argument.end - argument.begin > 1)
        mutate_stream(within, argument, {});
  }

  void mutate_runtime_call(function const& within, call const& one, std::string_view name) {
    std::string const success = vendor_ + "Success";
    std::string const called(token(one.name));
    auto const leave_out = [&](code_fault fault) {
      switchable_.replace(one.whole, add(fault, one.whole, called), success);
    };
    auto const argument = [&](std::optional<std::size_t> number) {
      return number && *number < one.arguments.size() ? one.arguments[*number] : token_range();
    };
    if (is_wait(name)) {
      leave_out(code_fault::drop_wait);
      move_behind_work(one, called);
      move_behind_read(within, one, called);
      token_range const event = argument(event_argument(name));
      token_range const handle = event.empty() ? argument(stream_argument(name)) : event;
      if (!handle.empty())
        if (auto const other = other_handle(within, handle, event.empty() ? streams_ : events_);
            !other.empty())
          switchable_.replace(handle, add(code_fault::redirect_wait, one.whole, called), other);
    } else if (token_range const stream = argument(stream_argument(name)); !stream.empty()) {
      mutate_stream(within, stream, called);
    }
    if (name == "EventRecord") leave_out(code_fault::drop_record);
    if (token_range const size = argument(size_argument(name)); !size.empty())
      switchable_.replace(size, add(code_fault::shorten_memory, one.whole, called),
                          fmt::format("({}) / 2", text(size)));
    if (is_release(name)) {
      free_early(one, called);
      free_twice(one, called);
    }
    if (is_release(name) || is_destruction(name)) leave_out(code_fault::skip_free);
    if (is_fill(name)) leave_out(code_fault::skip_fill);
    if (is_launch(name) || is_copy(name)) leave_out(code_fault::skip_work);
    // Stream-ordered calls are for the stream's device, whichever is the current one.
    if ((is_allocation(name) && stream_argument(name) == std::nullopt) || is_launch(name) ||
        name.starts_with("StreamCreate"))
      switchable_.replace(
          one.whole, add(code_fault::wrong_device, one.whole, called),
          fmt::format("assay_mutation::on_other_device([&] {{ return {}; }})", text(one.whole)));
    if (has_status(name))
      switchable_.replace(one.whole, add(code_fault::skip_check, one.whole, called),
                          fmt::format("(void)({}), {}", text(one.whole), success));
  }

  /// Whether it asks the device for something, by itself or through the program's functions.
  [[nodiscard]] bool is_work(token_range statement) const {
    return std::ranges::any_of(source_.calls_in(statement), [&](call const& one) {
      return !runtime_call(token(one.name)).empty() || own_functions_.contains(token(one.name));
    });
  }
  [[nodiscard]] bool is_jump(token_range statement) const {
    return source_.mentions(statement, "return") || source_.mentions(statement, "break") ||
           source_.mentions(statement, "continue");
  }

  void move_behind_work(call const& one, std::string const& called) {
    auto const at = source_.position_of(one.name);
    if (at.block == no_block) return;
    auto const& statements = source_.blocks()[at.block].statements;
    for (unsigned s = at.statement + 1; s < statements.size() && !is_jump(statements[s]); ++s)
      if (is_work(statements[s])) {
        int const number = add(code_fault::move_wait, one.whole, called);
        switchable_.replace(one.whole, number, vendor_ + "Success");
        switchable_.insert(statements[s].end, number, unlabelled(statements[at.statement]));
        return;
      }
  }

  /// The last name in an expression: what a pointer is called.
  [[nodiscard]] std::string_view last_name(token_range range) const {
    std::string_view found;
    for (unsigned i = range.begin; i < range.end; ++i)
      if (source_.tokens()[i].kind == token_kind::identifier) found = token(i);
    return found;
  }

  /// Behind the first statement of the host's own that names what a copy before it has written.
  void move_behind_read(function const& within, call const& one, std::string const& called) {
    std::set<std::string_view> written;
    for (call const& before : source_.calls_in({within.body.begin, one.name}))
      if (is_copy(runtime_call(token(before.name))) && !before.arguments.empty())
        written.insert(last_name(before.arguments.front()));
    auto at = source_.position_of(one.name);
    std::string const statement =
        at.block == no_block ? std::string()
                             : unlabelled(source_.blocks()[at.block].statements[at.statement]);
    while (at.block != no_block) {
      auto const& statements = source_.blocks()[at.block].statements;
      for (unsigned s = at.statement + 1; s < statements.size() && !is_jump(statements[s]); ++s) {
        bool const reads = std::ranges::any_of(
            written, [&](std::string_view name) { return source_.mentions(statements[s], name); });
        if (!reads || is_work(statements[s])) continue;
        int const number = add(code_fault::read_before_wait, one.whole, called);
        switchable_.replace(one.whole, number, vendor_ + "Success");
        switchable_.insert(statements[s].end, number, statement);
        return;
      }
      at = {source_.blocks()[at.block].parent, source_.blocks()[at.block].in_statement};
    }
  }

  void free_early(call const& one, std::string const& called) {
    auto const at = source_.position_of(one.name);
    if (at.block == no_block || one.arguments.empty()) return;
    std::string_view const memory = last_name(one.arguments.front());
    auto const& statements = source_.blocks()[at.block].statements;
    for (unsigned s = at.statement; s-- > 0;) {
      if (!source_.mentions(statements[s], memory) || !is_work(statements[s])) continue;
      auto const calls = source_.calls_in(statements[s]);
      if (std::ranges::any_of(
              calls, [&](call const& c) { return is_allocation(runtime_call(token(c.name))); }))
        return;
      int const number = add(code_fault::free_early, one.whole, called);
      switchable_.replace(one.whole, number, vendor_ + "Success");
      switchable_.insert(statements[s].begin, number, fmt::format("(void){};", text(one.whole)));
      return;
    }
  }

  void free_twice(call const& one, std::string const& called) {
    auto const at = source_.position_of(one.name);
    if (at.block == no_block) return;
    switchable_.insert(source_.blocks()[at.block].statements[at.statement].end,
                       add(code_fault::free_twice, one.whole, called),
                       fmt::format("(void){};", text(one.whole)));
  }

  /// A function that puts arrays at offsets from a pointer that it is given, or says how large all
  /// of them are.
  void mutate_workspace(function const& within) {
    std::vector<token_range> targets, values;
    token_range last;
    for (block const& one : source_.blocks())
      for (token_range const statement : one.statements) {
        if (statement.begin < within.body.begin || statement.end > within.body.end) continue;
        if (within.name.find("external_memory_size") != std::string_view::npos &&
            token(statement.begin) == "return") {
          token_range const value{statement.begin + 1, statement.end - 1};
          switchable_.replace(value, add(code_fault::shorten_memory, statement),
                              fmt::format("({}) / 2", text(value)));
        }
        if (auto const base = offset_base(within, statement)) {
          switchable_.replace({*base, *base + 1}, add(code_fault::shift_workspace, statement),
                              fmt::format("{} + 8", token(*base)));
          unsigned const equals = first_equals(statement);
          targets.push_back({statement.begin, equals});
          last = statement;
        }
      }
    for (std::size_t k = 0; targets.size() > 1 && k < targets.size(); ++k) {
      std::string const target = text(targets[k]);
      switchable_.insert(last.end, add(code_fault::share_workspace, targets[k]),
                         fmt::format("{0} = (decltype({0}))({1});", target,
                                     text(targets[(k + 1) % targets.size()])));
    }
  }

  [[nodiscard]] unsigned first_equals(token_range statement) const {
    for (unsigned i = statement.begin; i < statement.end; ++i)
      if (token(i) == "=") return i;
    return statement.end;
  }

  /// The token that names a `char*` parameter to which the assigned value adds something.
  [[nodiscard]] std::optional<unsigned> offset_base(function const& within,
                                                    token_range statement) const {
    unsigned const equals = first_equals(statement);
    for (unsigned i = equals; i + 1 < statement.end; ++i) {
      if (source_.tokens()[i].kind != token_kind::identifier || token(i + 1) != "+") continue;
      for (unsigned p = within.parameters.begin + 2; p < within.parameters.end; ++p)
        if (token(p) == token(i) && token(p - 1) == "*" && token(p - 2) == "char") return i;
    }
    return std::nullopt;
  }

  void mutate_kernel(function const& kernel) {
    for (unsigned i = kernel.body.begin; i < kernel.body.end; ++i) {
      if (token(i) == "if" || token(i) == "for" || token(i) == "while")
        if (token(i + 1) == "(" && source_.tokens()[i + 1].partner > i)
          widen({i + 2, source_.tokens()[i + 1].partner});
    }
    for (call const& one : source_.calls_in(kernel.body))
      if (token(one.name) == "atomicAdd" && one.arguments.size() == 2)
        switchable_.replace(one.whole, add(code_fault::drop_atomic, one.whole),
                            fmt::format("assay_mutation::plain_add({}, {})", text(one.arguments[0]),
                                        text(one.arguments[1])));
    for (block const& one : source_.blocks())
      for (token_range const statement : one.statements)
        if (kernel.body.begin <= statement.begin && statement.end <= kernel.body.end)
          drop_atomic(statement);
  }

  /// Each upper bound of a condition.
  void widen(token_range condition) {
    auto const ends = [&](unsigned i) {
      return token(i) == "&&" || token(i) == "||" || token(i) == ";";
    };
    for (unsigned i = condition.begin; i < condition.end; ++i) {
      if (source_.tokens()[i].partner > i) {
        i = source_.tokens()[i].partner;
        continue;
      }
      // A template's brackets stand close to its name.
      bool const is_apart = i > condition.begin &&
                            source_.offset_of(i - 1) + token(i - 1).size() < source_.offset_of(i);
      bool const leaves = token(condition.end + 1) == "return" && token(i) == ">=";
      if (!is_apart || (token(i) != "<" && token(i) != "<=" && !leaves)) continue;
      unsigned begin = i, end = i + 1;
      while (begin > condition.begin && !ends(begin - 1)) --begin;
      while (end < condition.end && !ends(end)) ++end;
      token_range const whole{begin, end};
      int const number = add(code_fault::widen_subset, whole);
      switchable_.replace_condition(
          whole, number,
          fmt::format("{} {} 1 + ({})", text({begin, i}), token(i), text({i + 1, end})));
    }
  }

  void drop_atomic(token_range statement) {
    // Innermost statements only: what holds a block holds statements of its own.
    for (unsigned i = statement.begin; i < statement.end; ++i) {
      if (token(i) == "{") return;
      std::string plain = text(statement);
      if (!plain.ends_with(';')) return;
      std::string_view const name = token(i);
      std::string_view instead;
      if (name == "reduce_atomic" || name == "atomic_reduce") instead = "reduce";
      if (instead.empty()) continue;
      std::size_t const offset = source_.offset_of(i) - source_.offset_of(statement.begin);
      plain.replace(offset, name.size(), instead);
      plain.pop_back();
      switchable_.replace({statement.begin, statement.end - 1},
                          add(code_fault::drop_atomic, statement), plain);
      return;
    }
  }

  generated_file const& file_;
  source_structure source_;
  switchable_text switchable_;
  std::vector<code_mutant>& mutants_;
  std::set<std::string_view> own_functions_;
  std::vector<token_range> streams_, events_;
  std::string vendor_ = "cuda";
};

} // namespace

std::string_view name(code_fault fault) noexcept {
  constexpr std::array<std::string_view, code_fault_count> names{
      "drop a wait",           "move a wait",         "read before a wait", "redirect a wait",
      "drop a record",         "swap streams",        "default stream",     "shorten memory",
      "shift in slab",         "share in slab",       "free early",         "free twice",
      "skip a free",           "drop an atomic",      "widen a subset",     "skip a zero fill",
      "skip a launch or copy", "skip an error check", "wrong device"};
  return names[static_cast<std::size_t>(fault)];
}

mutated_code with_mutants(std::span<generated_file const> files) {
  mutated_code result;
  for (generated_file const& file : files)
    result.files.push_back(is_source(file.path) ? file_mutator(file, result.mutants).run() : file);
  return result;
}

} // namespace assay::fuzz
