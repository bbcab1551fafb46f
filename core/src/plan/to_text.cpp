#include <string>

#include <fmt/format.h>

#include "assay/plan.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {


class printer {
public:
  explicit printer(program const& p) : plan_(p) {}

  std::string run() {
    line("program {} (mode {}, target {}, layout {}, call {}, own streams {})", plan_.name,
         name(plan_.settings.mode), name(plan_.settings.target), name(plan_.settings.layout),
         name(plan_.settings.call), plan_.settings.own_streams);
    for (auto const& b : plan_.buffers)
      line("buffer {}: {} {}[{}] {} {}{}", b.name, name(b.type), b.by_value ? "value " : "",
           to_text(b.element_count), space(b.space), provided(b.provision), b.zero_fill ? " zeroed" : "");
    for (auto const& s : plan_.symbols) line("symbol {}: {}", s.name, name(s.type));
    for (auto const& w : plan_.workspaces) {
      line("workspace {}: {} bytes, aligned to {}", w.storage, to_text(w.size_bytes), w.alignment_bytes);
      for (auto const& e : w.entries)
        line("  {} at {}, {} bytes", buffer_name(e.buffer), to_text(e.offset_bytes), to_text(e.size_bytes));
    }
    for (auto const& k : plan_.kernels) {
      std::string arguments, dimensions;
      for (auto const& a : k.arguments)
        arguments += fmt::format("{}{}{} {}", arguments.empty() ? "" : ", ", name(a.type),
                                 a.is_pointer ? (a.is_const ? " const*" : "*") : "", a.name);
      for (auto const& d : k.dimensions)
        dimensions += fmt::format("{}{}={}:{}", dimensions.empty() ? "" : ", ", d.parameter,
                                  to_text(d.range.begin), to_text(d.range.end));
      line("kernel {}({}) over [{}], block {}x{}x{}", k.name, arguments, dimensions, k.block[0], k.block[1],
           k.block[2]);
    }
    line("body");
    list(plan_.body);
    return text_;
  }

private:
  program const& plan_;
  std::string text_;
  int depth_ = 0;

  template <typename... Arguments> void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_.append(static_cast<std::size_t>(2 * depth_), ' ');
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }

  static char const* space(memory_space s) {
    return s == memory_space::device ? "device" : s == memory_space::host ? "host" : "pinned";
  }
  static char const* provided(provision p) {
    switch (p) {
    case provision::argument: return "argument";
    case provision::call: return "per call";
    case provision::call_pool: return "per call from the pool";
    case provision::persistent: return "persistent";
    case provision::external: return "external";
    case provision::state_value: return "in the state";
    }
    return "";
  }
  static char const* reason(wait_reason r) {
    switch (r) {
    case wait_reason::host_read: return "host read";
    case wait_reason::host_write: return "host write";
    case wait_reason::host_release: return "host release";
    case wait_reason::timer: return "timer";
    case wait_reason::call_end: return "end of call";
    }
    return "";
  }
  [[nodiscard]] std::string const& buffer_name(buffer_id id) const { return plan_.buffers[index(id)].name; }

  void list(step_list const& steps) {
    ++depth_;
    for (auto const& s : steps) std::visit([this](auto const& x) { print(x); }, s.content);
    --depth_;
  }
  void print(allocate const& x) { line("allocate {} on stream {}", buffer_name(x.buffer), index(x.stream)); }
  void print(release const& x) { line("release {} on stream {}", buffer_name(x.buffer), index(x.stream)); }
  void print(fill_zero const& x) { line("fill {} with zero on stream {}", buffer_name(x.buffer), index(x.stream)); }
  void print(launch const& x) {
    line("launch {} on stream {}", plan_.kernels[index(x.kernel)].name, index(x.stream));
  }
  void print(copy const& x) {
    std::string shape;
    for (auto const& d : x.dimensions)
      shape += fmt::format(" {}({}->{})", to_text(d.count), to_text(d.source_stride), to_text(d.target_stride));
    line("copy {}[{}] to {}[{}]{} on stream {}", buffer_name(x.source), to_text(x.source_offset),
         buffer_name(x.target), to_text(x.target_offset), shape, index(x.stream));
  }
  void print(record const& x) { line("record event {} on stream {}", index(x.event), index(x.stream)); }
  void print(stream_wait const& x) { line("stream {} waits for event {}", index(x.stream), index(x.event)); }
  void print(synchronise const& x) { line("wait for stream {} ({})", index(x.stream), reason(x.reason)); }
  void print(host_compute const& x) { line("host: {}", x.label); }
  void print(timer_start const& x) { line("start timer {}", buffer_name(x.start)); }
  void print(timer_stop const& x) { line("stop timer {} into {}", buffer_name(x.start), buffer_name(x.duration)); }
  void print(assign const& x) {
    for (auto const& [symbol, value] : x.assignments) line("{} = {}", symbol, to_text(value));
  }
  void print(branch const& x) {
    for (auto const& arm : x.arms) {
      if (arm.condition)
        line("if {}", to_text(*arm.condition));
      else
        line("else");
      list(arm.body);
    }
  }
  void print(loop const& x) {
    for (auto const& s : x.init) line("{} = {}", to_text(s.target), to_text(s.value));
    line("{} {}", x.inverted ? "do-while" : "while", x.condition ? to_text(*x.condition) : "True");
    if (!x.prepare.empty()) {
      ++depth_;
      line("before the condition");
      list(x.prepare);
      --depth_;
    }
    list(x.body);
    ++depth_;
    for (auto const& s : x.update)
      line("{} {}= {}", to_text(s.target), s.augmented, to_text(s.value));
    --depth_;
  }
  void print(jump const& x) {
    line("{}", x.kind == sdfg::jump::break_loop ? "break" : x.kind == sdfg::jump::continue_loop ? "continue" : "return");
  }
};

} // namespace

std::string to_text(program const& p) { return printer(p).run(); }

} // namespace assay::plan
