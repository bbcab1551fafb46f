#include <algorithm>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

class forget_content final : public work {
public:
  forget_content(checker& judge, std::uintptr_t begin, std::size_t size_bytes)
      : judge_(judge), begin_(begin), size_bytes_(size_bytes) {}
  void run() override { judge_.mark_undefined(begin_, size_bytes_); }

private:
  checker& judge_;
  std::uintptr_t begin_;
  std::size_t size_bytes_;
};

} // namespace

void engine::name_memory(void const* pointer, std::size_t size_bytes, char const* name) {
  if (allocation* const block = memory_.find(to_number(pointer)))
    block->name = name;
  else
    checker_.name_host_memory(to_number(pointer), size_bytes, name);
}

void engine::name_stream(void* handle, char const* name) {
  auto const found = streams_.find(to_number(handle));
  if (found == streams_.end()) return;
  std::uint32_t const serial = found->second->serial;
  log_.name_stream(serial, "stream " + std::to_string(serial - std::uint32_t(device_count())) +
                               " (" + name + ")");
}

/// Sub-arrays hold for operations that are issued from now on: what is queued keeps its layout.
void engine::add_layout(allocation& block, std::optional<sub_array> part) {
  checker_.judge_each_access();
  issue_number const next = log_.last() + 1;
  auto& layouts = block.layouts;
  if (layouts.empty() || layouts.back().from != next) {
    // Layouts that no queued operation can ask for any more go.
    issue_number const oldest = std::min(scheduler_.oldest_queued(), next);
    while (layouts.size() > 1 && layouts[1].from <= oldest) layouts.erase(layouts.begin());
    layouts.push_back({next, layouts.empty() ? std::vector<sub_array>() : layouts.back().parts});
  }
  auto& parts = layouts.back().parts;
  if (!part) {
    parts.clear();
    return;
  }
  std::erase_if(parts, [&](sub_array const& old) {
    return old.name == part->name && old.begin == part->begin;
  });
  parts.insert(
      std::upper_bound(parts.begin(), parts.end(), *part,
                       [](sub_array const& a, sub_array const& b) { return a.begin < b.begin; }),
      *part);
}

void engine::declare_sub_array(void const* pointer, std::size_t size_bytes,
                               std::size_t alignment_bytes, char const* name) {
  allocation* const block = memory_.find(to_number(pointer));
  if (block == nullptr || size_bytes == 0) return;
  std::size_t const begin = to_number(pointer) - block->begin;
  std::size_t const end = begin + size_bytes;
  if (auto const* const layout = block->layout_at(log_.last() + 1))
    for (sub_array const& other : layout->parts) {
      if (other.end <= begin || end <= other.begin || (other.name == name && other.begin == begin))
        continue;
      checker_.report({.kind = kind::subarray_overlap,
                       .rule = rule::sub_array_disjoint,
                       .message = "sub-arrays '" + other.name + "' and '" + name +
                                  "' share bytes of their slab",
                       .block = block,
                       .bytes = byte_range{std::int64_t(std::max(begin, other.begin)),
                                           std::int64_t(std::min(end, other.end))},
                       .memory_name = name,
                       .once_per_site = true});
    }
  // An access cannot lie past the block itself, which is checked apart.
  add_layout(*block, sub_array{begin, end, alignment_bytes, name});
  if (alignment_bytes > 1 && to_number(pointer) % alignment_bytes != 0)
    checker_.report({.kind = kind::misaligned,
                     .rule = rule::sub_array_alignment,
                     .message = std::string("sub-array '") + name + "' begins at byte " +
                                std::to_string(begin) +
                                " of its slab, an address that is not a multiple of " +
                                std::to_string(alignment_bytes),
                     .block = block,
                     .bytes = byte_range{std::int64_t(begin), std::int64_t(begin + size_bytes)},
                     .memory_name = name,
                     .once_per_site = true});
}

void engine::clear_sub_arrays(void const* pointer) {
  allocation* const block = memory_.find(to_number(pointer));
  if (block != nullptr && !block->layouts.empty()) add_layout(*block, std::nullopt);
}

void engine::mark_undefined(void const* pointer, std::size_t size_bytes) {
  // In a use it happens in the order of the use's stream: work of an earlier use may still be
  // queued.
  if (use_)
    if (stream* const on = look_up_stream(use_->handle)) {
      static_cast<void>(
          enqueue(*on, {.what = "annotation", .name = "mark_undefined"},
                  std::make_unique<forget_content>(checker_, to_number(pointer), size_bytes)));
      return;
    }
  checker_.mark_undefined(to_number(pointer), size_bytes);
}

void engine::host_access(void const* pointer, std::size_t size_bytes, bool write,
                         void const* return_address) {
  checker_.access(pointer, size_bytes, write ? access_kind::write : access_kind::read,
                  return_address);
}

void engine::open_use(char const* program, void* handle, bool check_stream) {
  use one;
  one.program = program;
  one.handle = handle;
  one.opened = log_.last();
  one.calls_before = faults_.calls();
  log_.mark_use(program);
  one.check_stream = check_stream;
  if (stream const* const on = look_up_stream(handle))
    one.serial = on->serial;
  else
    bad_handle({.what = "call", .name = program}, "a stream for its use that is not live");
  use_ = one;
}

void engine::close_use() {
  use_.reset();
  log_.mark_use({});
}

} // namespace mockgpu
