#include "twin_program.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <gtest/gtest.h>

#include "mockgpu/annotate.h"

namespace mockgpu::tests {
namespace {

constexpr std::size_t block_bytes = 48;
constexpr std::size_t pitch_bytes = 12;
constexpr int most_streams = 8, event_count = 4, pageable_blocks = 2;

// Pageable memory that outlives a program: the checker looks at its bytes.
alignas(16) std::array<std::array<char, block_bytes>, pageable_blocks> pageable_bytes;

void require(cudaError_t result, char const* call) {
  EXPECT_EQ(result, cudaSuccess) << call << ": " << cudaGetErrorName(result);
}
#define REQUIRE(call) require(call, #call)

access_kind touch_kind(int kind) {
  return kind % 3 == 0   ? access_kind::read
         : kind % 3 == 1 ? access_kind::write
                         : access_kind::atomic;
}
char model_kind(int kind) { return kind % 3 == 0 ? 'r' : kind % 3 == 1 ? 'w' : 'a'; }

} // namespace

/// What a host function of the program touches.
struct twin_program::host_script {
  scripted_run* run;
  void* base;
  std::size_t size_bytes;
  bool write;

  static void play(void* self) {
    auto const& script = *static_cast<host_script*>(self);
    if (script.write)
      script.run->host_writes(script.base, script.size_bytes);
    else
      script.run->host_reads(script.base, script.size_bytes);
  }
};

struct twin_program::copy_plan {
  memory const* to;
  memory const* from;
  std::size_t to_begin, from_begin, width_bytes, rows;
  bool async, by_kind;
  live_stream const* stream;
};

twin_program::twin_program(options const& chosen, model_rules const& rules)
    : run_(chosen), model_(device_count, rules) {
  for (int device = 0; device < device_count; ++device)
    streams_.push_back({nullptr, device, device});
  for (bool const blocking : {false, true, false}) add_stream(0, blocking);
  add_stream(1, false);
  for (int i = 0; i < event_count; ++i) {
    select(i == event_count - 1 ? 1 : 0);
    events_.push_back({run_.add_event(), current_device_, false});
  }
  select(0);
  add_block(order_model::space::device, 0, true);
  add_block(order_model::space::device, 0, true);
  add_block(order_model::space::pinned, 0, true);
  add_block(order_model::space::device, 1, true);
  for (std::array<char, block_bytes>& bytes : pageable_bytes) {
    bytes.fill(0);
    std::string const name = "pageable " + std::to_string(&bytes - pageable_bytes.data());
    mockgpu_name_memory(bytes.data(), block_bytes, name.c_str());
    blocks_.push_back({{bytes.data(), block_bytes},
                       model_.add_block(name, order_model::space::pageable, 0),
                       order_model::space::pageable,
                       0,
                       false,
                       false});
  }
}

twin_program::~twin_program() = default;

void twin_program::select(int device) {
  if (current_device_ == device) return;
  REQUIRE(cudaSetDevice(device));
  current_device_ = device;
}

void twin_program::add_stream(int device, bool blocking) {
  if (streams_.size() >= most_streams) return;
  select(device);
  std::string const name = "s" + std::to_string(++streams_made_);
  cudaStream_t const handle = run_.add_stream(name.c_str(), blocking);
  streams_.push_back(
      {handle,
       model_.add_stream("stream " + std::to_string(streams_made_) + " (" + name + ")", device,
                         blocking),
       device});
}

void twin_program::add_block(order_model::space space, int device, bool zeroed) {
  select(device);
  std::string const name = "m" + std::to_string(++blocks_made_);
  memory made{{}, model_.add_block(name, space, device), space, device, false, false};
  if (space == order_model::space::pinned) {
    made.where = run_.allocate_pinned(block_bytes);
    mockgpu_name_memory(made.where.base, block_bytes, name.c_str());
    if (zeroed) {
      run_.host_writes(made.where.base, block_bytes);
      model_.host({{made.model, 0, block_bytes, 'w'}});
    }
  } else {
    made.where = run_.allocate_raw(block_bytes, name.c_str());
    if (zeroed) {
      REQUIRE(cudaMemset(made.where.base, 0, block_bytes));
      model_.operation(device, {{made.model, 0, block_bytes, 'w'}});
      REQUIRE(cudaDeviceSynchronize());
      model_.synchronize_device(device);
    }
  }
  blocks_.push_back(made);
}

twin_program::live_stream& twin_program::stream_of(command const& c) {
  live_stream& chosen = streams_[std::size_t(c.stream) % streams_.size()];
  select(chosen.device);
  return chosen;
}

template <class Accept> twin_program::memory* twin_program::pick(int number, Accept accept) {
  std::vector<memory*> candidates;
  for (memory& one : blocks_)
    if (accept(one)) candidates.push_back(&one);
  return candidates.empty() ? nullptr : candidates[std::size_t(number) % candidates.size()];
}

twin_program::memory* twin_program::kernel_operand(int number, int device) {
  return pick(number, [&](memory const& one) {
    return one.space == order_model::space::pinned ||
           (one.space == order_model::space::device && one.device == device);
  });
}

twin_program::part twin_program::part_of(memory const& of, int kind, int begin, int size,
                                         unsigned element_bytes) {
  std::size_t const first = std::size_t(begin) % block_bytes / element_bytes * element_bytes;
  std::size_t const length =
      std::max<std::size_t>(std::size_t(size) / element_bytes, 1) * element_bytes;
  std::size_t const last = std::min(first + length, block_bytes / element_bytes * element_bytes);
  return {{touch_kind(kind), of.where.part(first, last), element_bytes},
          {of.model, first, last, model_kind(kind), element_bytes}};
}

// ---- work --------------------------------------------------------------------------------------

void twin_program::kernel(command const& c) {
  live_stream const& on = stream_of(c);
  std::vector<touch> touches;
  std::vector<order_model::access> accesses;
  int const count = 1 + c.form % 3;
  for (int i = 0; i < count; ++i) {
    memory const* const operand = kernel_operand(i == 0 ? c.block : c.second_block + i, on.device);
    if (operand == nullptr) return;
    unsigned const element_bytes = 1u << (c.form + c.kind + i) % 4;
    part const one = part_of(*operand, c.kind / (i + 1), i == 0 ? c.begin : c.second_begin + 5 * i,
                             c.size, element_bytes);
    touches.push_back(one.on_device);
    accesses.push_back(one.in_model);
    done_.sub_word_touches += element_bytes < 4;
    done_.other_devices += on.device != 0;
  }
  run_.kernel(on.handle, touches);
  model_.operation(on.model, accesses);
  done_.streams.insert(on.model);
}

void twin_program::issue(copy_plan const& plan) {
  bool const from_device = plan.from->space == order_model::space::device,
             to_device = plan.to->space == order_model::space::device;
  cudaMemcpyKind const kind = !plan.by_kind              ? cudaMemcpyDefault
                              : from_device && to_device ? cudaMemcpyDeviceToDevice
                              : from_device              ? cudaMemcpyDeviceToHost
                              : to_device                ? cudaMemcpyHostToDevice
                                                         : cudaMemcpyHostToHost;
  void* const to = static_cast<char*>(plan.to->where.base) + plan.to_begin;
  void const* const from = static_cast<char*>(plan.from->where.base) + plan.from_begin;
  if (plan.rows == 1) {
    REQUIRE(plan.async ? cudaMemcpyAsync(to, from, plan.width_bytes, kind, plan.stream->handle)
                       : cudaMemcpy(to, from, plan.width_bytes, kind));
  } else {
    REQUIRE(plan.async ? cudaMemcpy2DAsync(to, pitch_bytes, from, pitch_bytes, plan.width_bytes,
                                           plan.rows, kind, plan.stream->handle)
                       : cudaMemcpy2D(to, pitch_bytes, from, pitch_bytes, plan.width_bytes,
                                      plan.rows, kind));
  }

  std::vector<order_model::access> read, written;
  for (std::size_t row = 0; row < plan.rows; ++row) {
    std::size_t const r = plan.from_begin + row * pitch_bytes,
                      w = plan.to_begin + row * pitch_bytes;
    read.push_back({plan.from->model, r, r + plan.width_bytes, 'c'});
    written.push_back({plan.to->model, w, w + plan.width_bytes, 'w'});
  }
  // D2: a synchronous copy from pageable memory comes after its stream and may be staged; the
  // source is the host's to read. An asynchronous one may be staged or not.
  bool const from_pageable = plan.from->space == order_model::space::pageable;
  bool const staged = !plan.async && from_pageable && to_device;
  if (staged) model_.wait_for_last_of(plan.stream->model);
  if (from_pageable) model_.host_reads_for_copy(read);
  std::vector<order_model::access> accesses = written;
  if (!staged) accesses.insert(accesses.begin(), read.begin(), read.end());
  model_.operation(plan.stream->model, accesses);
  bool const between_hosts = !from_device && !to_device;
  bool const host_waits = between_hosts || (!plan.async && !staged && !(from_device && to_device));
  if (host_waits) model_.wait_for_last_of(plan.stream->model);
  done_.streams.insert(plan.stream->model);
  ++done_.copies;
}

void twin_program::copy(command const& c) {
  live_stream const& chosen = stream_of(c);
  bool const async = c.form % 3 != 0;
  live_stream const& on = async ? chosen : streams_[std::size_t(current_device_)];
  memory const* const from = pick(c.block, [](memory const&) { return true; });
  memory const* const to = pick(c.second_block, [&](memory const& one) { return &one != from; });
  std::size_t const width = std::size_t(c.size) + 1;
  std::size_t const last = block_bytes - width;
  issue({to, from, std::size_t(c.second_begin) % (last + 1), std::size_t(c.begin) % (last + 1),
         width, 1, async, c.form % 2 == 0, &on});
}

void twin_program::copy_rows(command const& c) {
  live_stream const& chosen = stream_of(c);
  bool const async = c.form % 3 != 0;
  live_stream const& on = async ? chosen : streams_[std::size_t(current_device_)];
  memory const* const from = pick(c.block, [](memory const&) { return true; });
  memory const* const to = pick(c.second_block, [&](memory const& one) { return &one != from; });
  std::size_t const width = std::size_t(c.size) % 9 + 1, slack = pitch_bytes - width;
  issue({to, from, std::size_t(c.second_begin) % (slack + 1), std::size_t(c.begin) % (slack + 1),
         width, 2 + std::size_t(c.kind) % 3, async, c.form % 2 == 0, &on});
}

void twin_program::fill(command const& c) {
  live_stream const& chosen = stream_of(c);
  bool const async = c.form % 3 != 0;
  live_stream const& on = async ? chosen : streams_[std::size_t(current_device_)];
  memory const* const to = kernel_operand(c.block, on.device);
  if (to == nullptr) return;
  part const bytes = part_of(*to, 1, c.begin, c.size, 1);
  region const where = bytes.on_device.where;
  REQUIRE(async ? cudaMemsetAsync(where.base, 1, where.size_bytes, on.handle)
                : cudaMemset(where.base, 1, where.size_bytes));
  model_.operation(on.model, {bytes.in_model});
  if (!async && to->space == order_model::space::pinned) model_.wait_for_last_of(on.model);
  done_.streams.insert(on.model);
}

void twin_program::fill_rows(command const& c) {
  live_stream const& on = stream_of(c);
  memory const* const to = kernel_operand(c.block, on.device);
  if (to == nullptr) return;
  std::size_t const width = std::size_t(c.size) % 9 + 1, rows = 2 + std::size_t(c.kind) % 3;
  std::size_t const begin = std::size_t(c.begin) % (pitch_bytes - width + 1);
  REQUIRE(cudaMemset2DAsync(static_cast<char*>(to->where.base) + begin, pitch_bytes, 1, width, rows,
                            on.handle));
  std::vector<order_model::access> written;
  for (std::size_t row = 0; row < rows; ++row)
    written.push_back(
        {to->model, begin + row * pitch_bytes, begin + row * pitch_bytes + width, 'w'});
  model_.operation(on.model, written);
  done_.streams.insert(on.model);
}

void twin_program::host_function(command const& c) {
  live_stream const& on = stream_of(c);
  memory const* const operand =
      pick(c.block, [](memory const& one) { return one.space == order_model::space::pinned; });
  if (operand == nullptr) return;
  part bytes = part_of(*operand, c.kind % 2, c.begin, c.size, 1);
  bytes.in_model.element_bytes = 0; // one access
  region const where = bytes.on_device.where;
  scripts_.push_back({&run_, where.base, where.size_bytes, c.kind % 2 == 1});
  REQUIRE(cudaLaunchHostFunc(on.handle, host_script::play, &scripts_.back()));
  model_.operation(on.model, {bytes.in_model});
  done_.streams.insert(on.model);
}

void twin_program::host_access(command const& c) {
  memory const* const operand =
      pick(c.block, [](memory const& one) { return one.space != order_model::space::device; });
  part bytes = part_of(*operand, c.kind % 2, c.begin, c.size, 1);
  bytes.in_model.element_bytes = 0; // one access
  region const where = bytes.on_device.where;
  if (c.kind % 2 == 1)
    run_.host_writes(where.base, where.size_bytes);
  else
    run_.host_reads(where.base, where.size_bytes);
  model_.host({bytes.in_model});
}

// ---- memory ------------------------------------------------------------------------------------

void twin_program::release(command const& c) {
  memory* const block = pick(c.block, [](memory const& one) {
    return one.space != order_model::space::pageable && !one.released;
  });
  if (block == nullptr) return;
  REQUIRE(block->space == order_model::space::pinned ? cudaFreeHost(block->where.base)
                                                     : cudaFree(block->where.base));
  model_.free(block->model);
  block->released = true;
  ++done_.releases;
}

void twin_program::release_async(command const& c) {
  live_stream const& on = stream_of(c);
  memory* const block = pick(c.block, [&](memory const& one) {
    return one.stream_ordered && one.device == on.device && !one.released;
  });
  if (block == nullptr) return;
  REQUIRE(cudaFreeAsync(block->where.base, on.handle));
  model_.free_async(block->model, on.model);
  block->released = true;
  ++done_.releases;
}

// ---- all steps ---------------------------------------------------------------------------------

void twin_program::query(command const& c) {
  // An answer depends on the schedule; what it orders does not. The model is told the answer.
  live_stream const& on = stream_of(c);
  cudaError_t const answer = cudaStreamQuery(on.handle);
  static_cast<void>(cudaGetLastError());
  if (answer == cudaSuccess)
    model_.synchronize_stream(on.model);
  else
    EXPECT_EQ(answer, cudaErrorNotReady);
  ++done_.queries;
}

void twin_program::perform(command const& c) {
  live_event& event = events_[std::size_t(c.event) % events_.size()];
  int const event_number = int(std::size_t(c.event) % events_.size());
  switch (c.what) {
  case step::kernel:
    return kernel(c);
  case step::copy:
    return copy(c);
  case step::copy_rows:
    return copy_rows(c);
  case step::fill:
    return fill(c);
  case step::fill_rows:
    return fill_rows(c);
  case step::host_function:
    return host_function(c);
  case step::host_access:
    return host_access(c);
  case step::record: {
    std::vector<live_stream const*> same_device;
    for (live_stream const& one : streams_)
      if (one.device == event.device) same_device.push_back(&one);
    live_stream const& on = *same_device[std::size_t(c.stream) % same_device.size()];
    select(on.device);
    run_.record(event.handle, on.handle);
    model_.record(event_number, on.model);
    done_.re_records += event.recorded;
    event.recorded = true;
    return;
  }
  case step::wait: {
    live_stream const& on = stream_of(c);
    run_.wait(on.handle, event.handle);
    model_.wait(on.model, event_number);
    return;
  }
  case step::replace_event:
    REQUIRE(cudaEventDestroy(event.handle));
    select(event.device);
    event.handle = run_.add_event();
    event.recorded = false;
    model_.forget_event(event_number);
    return;
  case step::synchronize_event:
    REQUIRE(cudaEventSynchronize(event.handle));
    model_.synchronize_event(event_number);
    return;
  case step::query_event: {
    cudaError_t const answer = cudaEventQuery(event.handle);
    static_cast<void>(cudaGetLastError());
    if (answer == cudaSuccess)
      model_.synchronize_event(event_number);
    else
      EXPECT_EQ(answer, cudaErrorNotReady);
    ++done_.queries;
    return;
  }
  case step::synchronize_stream: {
    live_stream const& on = stream_of(c);
    run_.synchronize(on.handle);
    model_.synchronize_stream(on.model);
    return;
  }
  case step::query_stream:
    return query(c);
  case step::poll_stream: {
    live_stream const& on = stream_of(c);
    run_.poll(on.handle);
    model_.synchronize_stream(on.model);
    return;
  }
  case step::synchronize_device:
    REQUIRE(cudaDeviceSynchronize());
    model_.synchronize_device(current_device_);
    return;
  case step::set_device:
    return select(c.form % device_count);
  case step::add_stream:
    return add_stream(c.form % 4 == 0 ? 1 : 0, c.kind % 2 == 0);
  case step::destroy_stream: {
    auto const number = std::size_t(c.stream) % streams_.size();
    if (streams_[number].handle == nullptr) return;
    REQUIRE(cudaStreamDestroy(streams_[number].handle));
    streams_.erase(streams_.begin() + std::ptrdiff_t(number));
    return;
  }
  case step::allocate:
    done_.reuses += done_.releases != 0;
    return add_block(c.form % 4 == 0 ? order_model::space::pinned : order_model::space::device,
                     c.form % 5 == 0 ? 1 : 0, c.kind % 2 == 0);
  case step::allocate_async: {
    live_stream const& on = stream_of(c);
    std::string const name = "m" + std::to_string(++blocks_made_);
    region const where = run_.allocate_async(block_bytes, on.handle);
    mockgpu_name_memory(where.base, block_bytes, name.c_str());
    blocks_.push_back({where, model_.add_stream_ordered_block(name, on.model, block_bytes),
                       order_model::space::device, on.device, true, false});
    done_.reuses += done_.releases != 0;
    return;
  }
  case step::release:
    return release(c);
  case step::release_async:
    return release_async(c);
  }
}

std::set<byte_fault> twin_program::found() {
  std::set<byte_fault> result;
  for (finding const& one : run_.finish()) {
    std::string first = one.first.chain + "/" + one.first.access,
                second = one.second.chain + "/" + one.second.access;
    if (one.kind == "undefined-read" && one.memory.generation != 0)
      first = "/", second = (one.second.chain.empty() ? one.first.chain : one.second.chain) + "/" +
                            (one.second.chain.empty() ? one.first.access : one.second.access);
    if (second < first) std::swap(first, second);
    for (byte_range const& range : one.ranges)
      for (std::int64_t byte = range.begin; byte < range.end; ++byte)
        result.emplace(one.kind, one.rule, one.memory.name, std::size_t(byte), first, second);
    if (one.ranges.empty()) result.emplace(one.kind, one.rule, one.message, 0, first, second);
  }
  return result;
}

std::string text_of(std::set<byte_fault> const& faults) {
  std::string text;
  for (auto const& [kind, rule, memory, byte, first, second] : faults)
    text += "  " + kind + " " + rule + " " + memory + "[" + std::to_string(byte) + "] " + first +
            " and " + second + "\n";
  return text;
}

} // namespace mockgpu::tests
