#include "kernel/shared_memory.hpp"

#include <cstring>
#include <new>

#include <sys/mman.h>

#include "mockgpu/assert.h"
#include "order/thread_order.hpp"

namespace mockgpu {
namespace {

// Room before and behind each block's memory, so that a stray index finds nothing else.
constexpr std::size_t margin_bytes = std::size_t{256} << 10;
constexpr std::size_t room_bytes = std::size_t{1} << 20;
constexpr std::size_t rooms = 16 * 1024; // as many as there are stacks
// Filling all static variables of a library for each of many blocks would take longer than they
// run.
constexpr std::size_t poison_always_bytes = std::size_t{16} << 10;

std::uintptr_t range_begin = 0;

// One grid runs at a time.
shared_layout const* running_statics = nullptr;
std::size_t running_dynamic_bytes = 0;

std::byte* room(unsigned number) {
  if (range_begin == 0) {
    void* const range = mmap(nullptr, rooms * room_bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    range_begin = reinterpret_cast<std::uintptr_t>(range);
  }
  return reinterpret_cast<std::byte*>(range_begin + number * room_bytes + margin_bytes);
}

bool in_rooms(std::uintptr_t address) noexcept {
  return range_begin != 0 && address - range_begin < rooms * room_bytes;
}

/// How many bytes such an address lies behind the begin of a block's dynamic shared memory.
std::ptrdiff_t offset_in_room(std::uintptr_t address) noexcept {
  return std::ptrdiff_t((address - range_begin) % room_bytes) - std::ptrdiff_t(margin_bytes);
}

} // namespace

bool inside_shared_memory(std::uintptr_t address, std::size_t size_bytes) noexcept {
  if (in_rooms(address)) {
    std::ptrdiff_t const offset = offset_in_room(address);
    return offset >= 0 && std::size_t(offset) + size_bytes <= running_dynamic_bytes;
  }
  return running_statics != nullptr && running_statics->holds(address, size_bytes);
}

bool near_shared_memory(std::uintptr_t address) noexcept {
  return in_rooms(address) ||
         (running_statics != nullptr && running_statics->near(address) != nullptr);
}

shared_target find_shared_target(std::uintptr_t address) noexcept {
  if (in_rooms(address)) return {nullptr, offset_in_room(address), running_dynamic_bytes};
  mockgpu_variable_record const* const one =
      running_statics == nullptr ? nullptr : running_statics->near(address);
  MOCKGPU_ASSERT((one != nullptr) && "only addresses near shared memory have a target");
  return {one, std::ptrdiff_t(address - reinterpret_cast<std::uintptr_t>(one->address)),
          one->size_bytes};
}

shared_memory_of_grid::shared_memory_of_grid(std::size_t dynamic_bytes,
                                             shared_layout const* static_variables)
    : dynamic_bytes_(dynamic_bytes) {
  running_statics = static_variables;
  running_dynamic_bytes = dynamic_bytes;
  if (static_variables == nullptr) return;
  static_begin_ = static_variables->begin();
  static_bytes_ = static_variables->size_bytes();
  thread_order::shared_memory(static_begin_, static_bytes_);
}

shared_memory_of_grid::~shared_memory_of_grid() {
  running_statics = nullptr;
  running_dynamic_bytes = 0;
}

shared_memory_of_grid::place shared_memory_of_grid::begin_block() {
  place chosen = places_;
  if (!idle_.empty()) {
    chosen = idle_.back();
    idle_.pop_back();
  } else {
    if (places_ == rooms) throw std::bad_alloc();
    ++places_;
    if (dynamic_bytes_ != 0) tell_dynamic(chosen);
  }
  if (dynamic_bytes_ != 0) dynamic_ = room(chosen);
  poison(/*first=*/true);
  return chosen;
}

void shared_memory_of_grid::tell_dynamic(place number) {
  thread_order::shared_memory(room(number), dynamic_bytes_);
}

void shared_memory_of_grid::begin_next_block_in_place() { poison(/*first=*/false); }

void shared_memory_of_grid::poison(bool first) {
  if (dynamic_bytes_ != 0) std::memset(dynamic_, shared_poison_byte, dynamic_bytes_);
  if (static_bytes_ != 0 && (first || static_bytes_ <= poison_always_bytes))
    std::memset(static_begin_, shared_poison_byte, static_bytes_);
}

void shared_memory_of_grid::leave(place number) {
  if (static_bytes_ == 0) return;
  if (saved_.size() <= number) saved_.resize(number + std::size_t{1});
  if (!saved_[number]) saved_[number] = std::make_unique<std::byte[]>(static_bytes_);
  std::memcpy(saved_[number].get(), static_begin_, static_bytes_);
}

void shared_memory_of_grid::enter(place number) {
  if (dynamic_bytes_ != 0) dynamic_ = room(number);
  if (number < saved_.size() && saved_[number])
    std::memcpy(static_begin_, saved_[number].get(), static_bytes_);
}

void* shared_memory_of_grid::dynamic() const { return dynamic_ != nullptr ? dynamic_ : room(0); }

void shared_memory_of_grid::end_block(place number) { idle_.push_back(number); }

} // namespace mockgpu
