#pragma once
/// \file What the hooks of plain loads and stores do. For plain.cpp alone, and without names
/// outside of it: its functions are called otherwise than all others (keep_registers.hpp).
#include <cstddef>
#include <cstdint>

#include "hooks/keep_registers.hpp"
#include "order/access.hpp"

namespace mockgpu {
namespace {

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
/// Functions of their own, so that the hooks save no registers.
template <unsigned SizeBytes, bool Write>
__attribute__((noinline)) void access_in_arenas(operation_context* context, std::uintptr_t address,
                                                access_place* place,
                                                void const* return_address) noexcept {
  if (!settle_in_arenas<SizeBytes, Write>(*context, address - context->arenas.begin, place,
                                          return_address))
    mockgpu_check_access(address, SizeBytes, Write, return_address);
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
__attribute__((noinline)) bool access_two_words(operation_context* context, std::uintptr_t offset,
                                                access_place* place,
                                                void const* return_address) noexcept {
  access_place none; // in no list
  access_place& met = place != nullptr ? *place : none;
  if (place != nullptr) context->use(*place, 16);
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
template <unsigned SizeBytes, bool Write>
__attribute__((noinline)) void access_elsewhere(access_context* context, std::uintptr_t address,
                                                access_place* place,
                                                void const* return_address) noexcept {
  auto* const by = static_cast<operation_context*>(context);
  if (place != nullptr) by->use(*place, SizeBytes);
  if (context->checks != quick_checks::none &&
      (address - shadow.stacks_begin < shadow.stacks_span || in_grid_sizes(address)))
    count(*context, {0, SizeBytes, Write, return_address, place});
  else if (!access_beside_arenas(*by, address, SizeBytes, Write, return_address, place))
    mockgpu_check_access(address, SizeBytes, Write, return_address);
}

/// The hook for a load or store, which demands the alignment of its size.
/// \param place what the code keeps of its loads or stores there, or null
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) void access(std::uintptr_t address, access_place* place,
                                                  void const* return_address) noexcept {
  access_context* const context = current_context;
  if constexpr (SizeBytes == 16) {
    if (context != nullptr && access_wide<Write>(context, address, place, return_address)) return;
  } else if constexpr (SizeBytes >= 4) {
    if (context != nullptr &&
        access_arenas<SizeBytes, Write>(context, address, place, return_address)) [[likely]]
      return;
  }
  constexpr bool of_words = SizeBytes == 8 || SizeBytes == 4;
  bool const word = of_words && address % SizeBytes == 0;
  std::uintptr_t const offset = address - shadow.begin;
  if (offset < shadow.span) {
    if (context != nullptr && context->checks == quick_checks::states) {
      if (!word) {
        if (access_known_state(*context, offset, SizeBytes,
                               Write ? access_kind::write : access_kind::read))
          return;
      } else if (change_state(*context, shadow_cell(offset), offset, SizeBytes, Write)) {
        count_settled(*context, SizeBytes, return_address);
        return;
      }
    }
  } else if (context == nullptr || context->host_code) {
    // Host code in its own memory: of interest only where an operation in flight uses it too.
    if (address + SizeBytes - shadow.watch_begin >= shadow.watch_span + SizeBytes &&
        address - shadow.variables_begin >= shadow.variables_span)
      return;
  } else if (word) {
    if constexpr (of_words)
      access_elsewhere<SizeBytes, Write>(context, address, place, return_address);
    return;
  }
  mockgpu_check_access(address, SizeBytes, Write, return_address);
}

template <unsigned SizeBytes, bool Write>
__attribute__((noinline)) void access_at_slowly(std::uintptr_t address, access_place& place,
                                                void const* return_address) noexcept {
  access<SizeBytes, Write>(address, &place, return_address);
}
/// The same for 4, 8 or 16 bytes where the code has a place, and has looked at the shadow of depth
/// `ops` itself. \param index the address in the arenas, in units of the size; past their end where
/// it is not aligned. Of no meaning at depth `ops` and for 16 bytes.
template <unsigned SizeBytes, bool Write>
inline __attribute__((always_inline)) void access_at(std::uintptr_t address, access_place& place,
                                                     std::uintptr_t index,
                                                     void const* return_address) noexcept {
  if constexpr (SizeBytes == 16) {
    access<SizeBytes, Write>(address, &place, return_address);
    return;
  } else {
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
}

} // namespace
} // namespace mockgpu
