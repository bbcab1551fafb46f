// From races between threads to findings: which threads, which lines, what would order them.
#include <algorithm>

#include "mockgpu/abi.h"
#include "order/checker.hpp"
#include "order/rules.hpp"
#include "report/source_lookup.hpp"

namespace mockgpu {
namespace {

std::string triple(std::uint64_t linear, unsigned const (&sizes)[3]) {
  std::uint64_t const x = std::max(sizes[0], 1u), y = std::max(sizes[1], 1u);
  return "(" + std::to_string(linear % x) + "," + std::to_string(linear / x % y) + "," +
         std::to_string(linear / x / y) + ")";
}

bool is_copy(thread_place const& place) {
  return place.thread != unknown_thread && place.thread >= first_copier;
}

std::string name_of(thread_place const& place) {
  auto const& grid = mockgpu_indices;
  std::string const block = "block " + triple(place.block, grid.grid_dim);
  if (place.thread == unknown_thread) return block + ", another thread";
  if (is_copy(place))
    return block + ", copy by thread " + triple(place.thread - first_copier, grid.block_dim);
  return block + ", thread " + triple(place.thread, grid.block_dim);
}

char const* text_of(thread_access access) {
  return access == thread_access::read    ? "read"
         : access == thread_access::write ? "write"
                                          : "atomic";
}

std::string line_of(operation_ref const& side) {
  if (side.location.line == 0) return {};
  std::string const& file = side.location.file;
  std::size_t const slash = file.rfind('/');
  return file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" +
         std::to_string(side.location.line);
}

std::string words_for(operation_ref const& side) {
  std::string const line = line_of(side);
  return side.thread + " (" + side.access + (line.empty() ? "" : " at " + line) + ")";
}

std::string cure_for(finding const& one, bool same_block, bool with_copy) {
  std::string const first = line_of(one.first), second = line_of(one.second);
  std::string const between = first.empty() || second.empty() || first == second
                                  ? ""
                                  : " between " + first + " and " + second;
  if (with_copy)
    return "the copy goes on until somebody has waited for it: wait (consumer_wait() of the "
           "pipeline, wait() of the barrier, cooperative_groups::wait())" +
           between + ", and meet other threads behind that";
  if (one.rule == rule::atomic_scope)
    return "threads of different blocks use it: give both atomics the scope of the device "
           "(atomicAdd() instead of atomicAdd_block(), thread_scope_device)";
  if (one.rule == rule::atomic_and_plain) {
    operation_ref const& plain = one.first.access == "atomic" ? one.second : one.first;
    return "make the " + plain.access + (line_of(plain).empty() ? "" : " at " + line_of(plain)) +
           " atomic too, or order it: __syncthreads() inside of a block, __threadfence() on both "
           "sides of an atomic across blocks";
  }
  if (same_block)
    return "insert __syncthreads()" + between +
           " (__syncwarp() where both threads are of one warp), or make both accesses atomic";
  return "threads of different blocks: make both accesses atomic, split the kernel in two, or let "
         "the first block publish (__threadfence(), then an atomic) and the second one learn of it "
         "(an atomic, then __threadfence())";
}

} // namespace

void checker::flush_threads() {
  order_point const& where = operation_.where;
  std::string const kernel = log_.site(where.issue).name;
  auto const side = [&](thread_race::side const& from) {
    operation_ref ref = refer(where.chain, where.issue, side_access::none, from.return_address);
    ref.access = text_of(from.access);
    ref.thread = name_of(from.place);
    return ref;
  };
  auto const place = [&](finding& one, std::uint32_t allocation, std::uintptr_t shared_begin,
                         violation const& bytes) {
    one.ranges = bytes.ranges;
    normalise(one.ranges);
    one.byte_begin = one.ranges.front().begin;
    one.byte_end = one.ranges.back().end;
    if (allocation != 0) {
      one.memory = refer(memory_.at(allocation), one.ranges.front());
      return;
    }
    one.memory.name = "shared memory of '" + kernel + "'";
    one.memory.space = "shared";
    one.memory.address = shared_begin;
  };

  // Places that are one line of source are one finding.
  struct line_race {
    finding found;
    bool same_block, with_copy;
  };
  std::map<std::string, line_race> batch;
  for (auto const& [key, race] : races_->take_races()) {
    finding one;
    one.kind = kind::thread_race;
    one.first = side(race.first);
    one.second = side(race.second);
    bool const first_atomic = is_atomic(race.first.access),
               second_atomic = is_atomic(race.second.access);
    one.rule = first_atomic && second_atomic   ? rule::atomic_scope
               : first_atomic || second_atomic ? rule::atomic_and_plain
               : race.same_block               ? rule::block_order
                                               : rule::grid_order;
    one.advice = race.same_value;
    place(one, key.allocation, key.shared_begin, race.bytes);
    std::string lines[2] = {line_of(one.first) + one.first.access,
                            line_of(one.second) + one.second.access};
    std::sort(std::begin(lines), std::end(lines));
    std::string const identity = kernel + "|" + lines[0] + "|" + lines[1] + "|" +
                                 std::to_string(key.allocation) + "|" + one.memory.name + "|" +
                                 (key.allocation == 0 ? std::to_string(key.shared_begin) : "");
    auto const [known, fresh] = batch.try_emplace(
        identity,
        line_race{one,
                  one.rule != rule::grid_order && race.first.place.block == race.second.place.block,
                  is_copy(race.first.place) || is_copy(race.second.place)});
    if (!fresh) {
      finding& into = known->second.found;
      into.ranges.insert(into.ranges.end(), one.ranges.begin(), one.ranges.end());
      normalise(into.ranges);
      into.byte_begin = into.ranges.front().begin;
      into.byte_end = into.ranges.back().end;
      into.advice = into.advice && one.advice;
    }
  }
  for (auto& [identity, race] : batch) {
    finding& one = race.found;
    // A kernel that is launched again and again says it once; what was advice may become worse.
    if (!reported_races_.insert(identity + (one.advice ? "|advice" : "")).second) continue;
    one.message = "two threads of kernel '" + kernel + "' access bytes " +
                  std::to_string(one.byte_begin) + " to " + std::to_string(one.byte_end) + " of '" +
                  one.memory.name + "' and nothing orders them: " + words_for(one.first) + " and " +
                  words_for(one.second);
    if (one.advice) one.message += "; all write the value that is there already";
    one.edge_words = cure_for(one, race.same_block, race.with_copy);
    emit(finding(one));
  }

  for (auto const& [key, read] : races_->take_undefined_reads()) {
    finding one;
    one.kind = kind::undefined_read;
    one.rule = rule::defined_content;
    one.second = refer(where.chain, where.issue, side_access::read, read.return_address);
    one.second.thread = name_of(read.place);
    place(one, 0, key.first, read.bytes);
    std::string const identity = kernel + "|undefined|" + line_of(one.second) + "|" +
                                 std::to_string(key.first) + "|" +
                                 (line_of(one.second).empty() ? std::to_string(key.second) : "");
    if (!reported_races_.insert(identity).second) continue;
    one.message = one.second.thread + " of kernel '" + kernel + "' reads bytes " +
                  std::to_string(one.byte_begin) + " to " + std::to_string(one.byte_end) +
                  " of shared memory" +
                  (line_of(one.second).empty() ? "" : " at " + line_of(one.second)) +
                  ", which no thread of its block has written";
    emit(std::move(one));
  }
}

} // namespace mockgpu
