#pragma once
/// \file What a hook does for one load or store: a range compare, a shadow load and a compare with
/// what the running operation has done before. Everything else is in `check_access`.
#include <cstddef>
#include <cstdint>

#include "order/access_context.hpp"
#include "order/grid_access.hpp"

extern "C" constinit thread_local mockgpu::inline_view mockgpu_inline_view
    __attribute__((tls_model("initial-exec")));

namespace mockgpu {

/// What an access does to bytes.
enum class access_kind : std::uint8_t {
  read,
  write,
  atomic,          ///< reads and writes, and never races with another atomic access
  atomic_store,    ///< atomic; the old content is not used, or only handed on
  copy_read,       ///< by a copy: undefined bytes are passed on, not used
  write_undefined, ///< by a copy of undefined bytes
  compare_swap,    ///< atomic; what it demands to find is in `access_context::expected`
  atomic_load,     ///< atomic, without a write: it publishes nothing
};

/// The shadow: one 32-bit cell per 8 bytes of the mock's own memory (device arenas and pinned
/// memory). A cell holds the number of an interned state; 0 says to look the address up.
struct shadow_view {
  std::uintptr_t begin = 0; ///< first address of the mock's memory
  std::uintptr_t span = 0;  ///< bytes; 0 before the first allocation
  std::uint32_t* cells = nullptr;
  std::size_t stride = 1; ///< cell i lies at cells[i * stride]: 4 where it is part of a record
  std::uintptr_t watch_begin = 0; ///< hull of the pageable ranges that are watched
  std::uintptr_t watch_span = 0;
  std::uintptr_t variables_begin = 0; ///< hull of the program's variables that are device memory
  std::uintptr_t variables_span = 0;
  std::uintptr_t stacks_begin = 0; ///< stacks of device threads: nobody else's memory
  std::uintptr_t stacks_span = 0;
};
extern shadow_view shadow;
// Constant initialisation, by its name: a variable that might need code first is reached by a call.
extern constinit thread_local access_context* current_context
    __attribute__((tls_model("initial-exec")));

/// Checks one access before it is made; any size, any address. May not return: see
/// `bad_access_exit_code`. \param aligned_to the alignment that a device demands, in bytes; 1 for
/// accesses without a demand.
void check_access(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                  unsigned aligned_to, void const* return_address) noexcept;

/// Exit code of a process whose kernel is about to access memory that is not there.
inline constexpr int bad_access_exit_code = 70;

/// True while the calling thread runs an operation (kernel, copy, host function); false in host
/// code.
[[nodiscard]] inline bool in_operation() noexcept {
  return current_context != nullptr && current_context->operation;
}

[[nodiscard]] inline std::uint64_t memo_key(access_context const& context, std::uint32_t state,
                                            unsigned mask, access_kind kind) noexcept {
  return context.epoch_bits | std::uint64_t(kind) << 40 | std::uint64_t(mask) << 32 | state;
}
[[nodiscard]] inline unsigned memo_slot(std::uint64_t key) noexcept {
  return unsigned(key * 0x9E3779B97F4A7C15u >> (64 - access_context::memo_bits));
}

/// The cell of an address in the mock's own memory, by its offset.
[[nodiscard]] inline std::uint32_t& shadow_cell(std::uintptr_t offset) noexcept {
  return shadow.cells[(offset >> 3) * shadow.stride];
}

/// Accesses that the memo of states settles: of any kind, inside of one cell.
inline bool access_known_state(access_context& context, std::uintptr_t offset, unsigned size_bytes,
                               access_kind kind) noexcept {
  unsigned const byte = unsigned(offset & 7);
  if (byte + size_bytes > 8) return false;
  std::uint32_t& cell = shadow_cell(offset);
  std::uint32_t const state = cell;
  std::uint64_t const key = memo_key(context, state, ((1u << size_bytes) - 1) << byte, kind);
  memo_entry const& known = context.memo[memo_slot(key)];
  if (known.key != key) return false;
  if (known.next != state) cell = known.next;
  ++context.accesses;
  context.bytes += size_bytes;
  return true;
}

/// An aligned access of a kernel to the arenas that is not the commonest of its place, or the
/// first. False, with nothing changed, where the whole way has to be gone.
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) bool
settle_in_arenas(operation_context& context, std::uintptr_t offset, access_place* place,
                 void const* return_address) noexcept {
  if (context.arenas.records)
    return access_record(context, static_cast<shadow_record*>(context.arenas.shadow)[offset / 8],
                         {offset, SizeBytes, Write, return_address, place}, grid_view.past_end,
                         /*shared=*/false);
  std::uint32_t& cell = static_cast<std::uint32_t*>(context.arenas.shadow)[offset / 8];
  unsigned const half = SizeBytes == 8 ? 0 : unsigned(offset / 4 % 2);
  quick_entry const known =
      context.quick[quick_class(SizeBytes == 8 ? 0 : 1 + half, Write)][cell % quick_states];
  if (known.state != cell) return false;
  if (known.next != cell) cell = known.next;
  if (place != nullptr) place->met[half] = known;
  count(context, {offset, SizeBytes, Write, return_address, place});
  return true;
}
/// Functions of their own, so that the hooks save no registers: each compiled object has its own,
/// under names that no library shares.
template <unsigned SizeBytes, bool Write>
__attribute__((noinline, visibility("hidden"))) void
access_in_arenas(operation_context* context, std::uintptr_t address, access_place* place,
                 void const* return_address) noexcept {
  if (!settle_in_arenas<SizeBytes, Write>(*context, address - context->arenas.begin, place,
                                          return_address))
    check_access(address, SizeBytes, Write ? access_kind::write : access_kind::read, SizeBytes,
                 return_address);
}
/// True if the access is one of a kernel to the arenas, and aligned: then it has been checked.
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) bool
access_arenas(access_context* context, std::uintptr_t address, access_place* place,
              void const* return_address) noexcept {
  constexpr unsigned shift = SizeBytes == 8 ? 3 : 2;
  // What a misaligned address has below goes to the top, past the end.
  std::uintptr_t const offset = address - context->arenas.begin;
  std::uintptr_t const index = offset >> shift | offset << (64 - shift);
  if (index >= (SizeBytes == 8 ? context->arenas.words : context->arenas.half_words)) [[unlikely]]
    return false;
  auto* const by = static_cast<operation_context*>(context);
  if (place != nullptr) by->use(*place, SizeBytes);
  access_in_arenas<SizeBytes, Write>(by, address, place, return_address);
  return true;
}
/// The same for 16 bytes, which are two words. False, with nothing counted, where the whole way has
/// to be gone: an access that its thread repeats changes nothing.
template <bool Write>
__attribute__((noinline, visibility("hidden"))) bool
access_two_words(operation_context* context, std::uintptr_t offset, access_place* place,
                 void const* return_address) noexcept {
  access_place none;
  none.size_bytes = 16; // no part of the list
  access_place& met = place != nullptr ? *place : none;
  context->use(met, 16);
  std::uint64_t const before = met.count;
  bool known = true;
  for (std::uintptr_t at = offset; known && at <= offset + 8; at += 8)
    known = settle_in_arenas<8, Write>(*context, at, &met, return_address);
  met.count = before; // each word would be an access of its own
  if (!known) return false;
  if (place != nullptr)
    ++place->count;
  else
    count_settled(*context, 16, return_address);
  return true;
}
template <bool Write>
inline __attribute__((always_inline)) bool access_wide(access_context* context,
                                                       std::uintptr_t address, access_place* place,
                                                       void const* return_address) noexcept {
  std::uintptr_t const offset = address - context->arenas.begin;
  return address % 16 == 0 && offset / 8 < context->arenas.words &&
         access_two_words<Write>(static_cast<operation_context*>(context), offset, place,
                                 return_address);
}
/// The sizes of the running grid: g++ hooks kernels' reads of them.
[[nodiscard]] inline bool in_grid_sizes(std::uintptr_t address) noexcept {
  auto const inside = [address](unsigned const(&sizes)[3]) {
    return address - reinterpret_cast<std::uintptr_t>(sizes) < sizeof sizes;
  };
  return inside(mockgpu_block_dim) || inside(mockgpu_grid_dim);
}

template <unsigned SizeBytes, bool Write>
__attribute__((noinline, visibility("hidden"))) void
access_elsewhere(access_context* context, std::uintptr_t address, access_place* place,
                 void const* return_address) noexcept {
  auto* const by = static_cast<operation_context*>(context);
  if (place != nullptr) by->use(*place, SizeBytes);
  if (context->checks != quick_checks::none &&
      (address - shadow.stacks_begin < shadow.stacks_span || in_grid_sizes(address)))
    count(*context, {0, SizeBytes, Write, return_address, place});
  else if (!access_beside_arenas(*by, address, SizeBytes, Write, return_address, place))
    check_access(address, SizeBytes, Write ? access_kind::write : access_kind::read, SizeBytes,
                 return_address);
}

/// The hook for a load or store of 1, 2, 4, 8 or 16 bytes, a constant, which demands that
/// alignment. \param place what the code keeps of its loads or stores there, or null
inline __attribute__((always_inline)) void access(std::uintptr_t address, unsigned size_bytes,
                                                  access_kind kind, void const* return_address,
                                                  access_place* place = nullptr) noexcept {
  access_context* const context = current_context;
  bool const write = kind == access_kind::write;
  bool const plain = write || kind == access_kind::read;
  if (plain && size_bytes >= 4 && context != nullptr) [[likely]] {
    if (size_bytes == 8   ? write ? access_arenas<8, true>(context, address, place, return_address)
                                  : access_arenas<8, false>(context, address, place, return_address)
          : size_bytes == 4 ? write ? access_arenas<4, true>(context, address, place, return_address)
                                    : access_arenas<4, false>(context, address, place, return_address)
          : write ? access_wide<true>(context, address, place, return_address)
                          : access_wide<false>(context, address, place, return_address)) [[likely]]
      return;
  }
  bool const word = (size_bytes == 8 || size_bytes == 4) && (address & (size_bytes - 1)) == 0;
  std::uintptr_t const offset = address - shadow.begin;
  if (offset < shadow.span) {
    if (context != nullptr && context->checks == quick_checks::states) {
      if (!plain || !word) {
        if (access_known_state(*context, offset, size_bytes, kind)) return;
      } else if (change_state(*context, shadow_cell(offset), offset, size_bytes, write)) {
        count_settled(*context, size_bytes, return_address);
        return;
      }
    } else if (!plain && word && context != nullptr && context->checks == quick_checks::grid &&
               !context->block_scope && context->order == __ATOMIC_RELAXED &&
               atomic_changes_nothing(grid_view.global.records[offset / 8], offset, size_bytes,
                                      grid_view.past_end) &&
               access_known_state(*context, offset, size_bytes, kind)) {
      return;
    }
  } else if (context == nullptr || context->host_code) {
    // Host code in its own memory: of interest only where an operation in flight uses it too.
    if (address + size_bytes - shadow.watch_begin >= shadow.watch_span + size_bytes &&
        address - shadow.variables_begin >= shadow.variables_span)
      return;
  } else if (plain && word) {
    if (size_bytes == 8)
      return write ? access_elsewhere<8, true>(context, address, place, return_address)
                   : access_elsewhere<8, false>(context, address, place, return_address);
    return write ? access_elsewhere<4, true>(context, address, place, return_address)
                 : access_elsewhere<4, false>(context, address, place, return_address);
  } else if (!plain && word &&
             atomic_beside_arenas(*context, address, size_bytes, return_address)) {
    return;
  }
  check_access(address, size_bytes, kind, size_bytes, return_address);
}

template <unsigned SizeBytes, bool Write>
__attribute__((noinline, visibility("hidden"))) void
access_at_slowly(std::uintptr_t address, access_place& place, void const* return_address) noexcept {
  access(address, SizeBytes, Write ? access_kind::write : access_kind::read, return_address,
         &place);
}
/// The same for 4 or 8 bytes where the code has a place, and has looked at the shadow of depth
/// `ops` itself. \param index the address in the arenas, in units of the size; past their end where
/// it is not aligned. Of no meaning at depth `ops`.
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) void access_at(std::uintptr_t address, access_place& place,
                                                     std::uintptr_t index,
                                                     void const* return_address) noexcept {
  inline_view const& view = mockgpu_inline_view;
  if (index < (SizeBytes == 8 ? view.record_words : view.record_half_words)) [[likely]] {
    auto* const records = static_cast<shadow_record*>(view.records);
    if (place.size_bytes != 0) [[likely]]
      if (access_record_directly<SizeBytes, Write>(records[SizeBytes == 8 ? index : index / 2],
                                                   SizeBytes == 8 ? 0 : index % 2, place))
          [[likely]] {
        ++place.count;
        return;
      }
  }
  access_at_slowly<SizeBytes, Write>(address, place, return_address);
}

/// The hook for a range of any size, and for loads and stores that demand no alignment.
inline void access_range(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                         void const* return_address) noexcept {
  if (address - shadow.begin >= shadow.span &&
      (current_context == nullptr || current_context->host_code) &&
      address + size_bytes - shadow.watch_begin >= shadow.watch_span + size_bytes &&
      address - shadow.variables_begin >= shadow.variables_span)
    return;
  check_access(address, size_bytes, kind, 1, return_address);
}

} // namespace mockgpu
