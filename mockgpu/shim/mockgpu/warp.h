#ifndef MOCKGPU_SHIM_WARP_H
#define MOCKGPU_SHIM_WARP_H
#pragma GCC system_header
/* Warp operations of both vendors: CUDA's take a mask of lanes, HIP's older forms take those that
 * are there. */
#include "mockgpu/launch.h"
#include "mockgpu/sync.h"

#ifdef __HIP_PLATFORM_AMD__
typedef unsigned long long mockgpu_lanes; /* warps of up to 64 lanes */
#else
typedef unsigned mockgpu_lanes;
#endif

namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  /* Every bit of a mask that is all ones names a lane of the warp, however wide that is: programs
   * write 0xffffffff, or ~0. */
  MOCKGPU_NO_HOOKS inline unsigned linear_thread() {
    mockgpu_index_state const& self = mockgpu_indices;
    return self.thread[0] +
           self.block_dim[0] * (self.thread[1] + self.block_dim[1] * self.thread[2]);
  }
  MOCKGPU_NO_HOOKS inline unsigned lane_id() { return linear_thread() % mockgpu_indices.warp_size; }
  MOCKGPU_NO_HOOKS inline int warp_width() { return static_cast<int>(mockgpu_indices.warp_size); }

  MOCKGPU_NO_HOOKS inline unsigned source_of_shuffle(int lane, int width) {
    int const self = static_cast<int>(lane_id());
    return static_cast<unsigned>((self & ~(width - 1)) + (lane & (width - 1)));
  }
  MOCKGPU_NO_HOOKS inline unsigned source_of_shuffle_up(unsigned delta, int width) {
    int const self = static_cast<int>(lane_id()), from = self - static_cast<int>(delta);
    return static_cast<unsigned>(from < (self & ~(width - 1)) ? self : from);
  }
  MOCKGPU_NO_HOOKS inline unsigned source_of_shuffle_down(unsigned delta, int width) {
    unsigned const self = lane_id(), group = static_cast<unsigned>(width - 1);
    return (self & group) + delta > group ? self : self + delta;
  }
  MOCKGPU_NO_HOOKS inline unsigned source_of_shuffle_xor(int mask, int width) {
    int const self = static_cast<int>(lane_id()), from = self ^ mask;
    /* Into a later group of lanes: the own value. Into an earlier one is allowed. */
    return static_cast<unsigned>(from >= (self & ~(width - 1)) + width ? self : from);
  }

  /* A value of any size, eight bytes at a time. */
  template <class T>
  MOCKGPU_INLINE T shuffle(unsigned long long lanes, T value, unsigned source, char const* file,
                           unsigned line) {
    struct words {
      unsigned long long word[(sizeof(T) + 7) / 8];
    } all;
    if constexpr (sizeof(T) == 8) {
      all.word[0] = __builtin_bit_cast(unsigned long long, value);
      return __builtin_bit_cast(
          T, mockgpu_warp(mockgpu_warp_shuffle, lanes, all.word[0], source, file, line));
    } else if constexpr (sizeof(T) == 4) {
      return __builtin_bit_cast(
          T, static_cast<unsigned>(mockgpu_warp(mockgpu_warp_shuffle, lanes,
                                                __builtin_bit_cast(unsigned, value), source, file,
                                                line)));
    } else {
      __builtin_memcpy(&all, &value, sizeof value);
      for (unsigned long long& word : all.word)
        word = mockgpu_warp(mockgpu_warp_shuffle, lanes, word, source, file, line);
      __builtin_memcpy(&value, &all, sizeof value);
      return value;
    }
  }

  /* The values of a gather, as numbers of type T. */
  template <class T, class Combine>
  MOCKGPU_NO_HOOKS inline T reduce(unsigned long long lanes, T value, Combine combine,
                                   char const* file, unsigned line) {
    unsigned long long const bits = static_cast<unsigned long long>(value);
    unsigned long long here = mockgpu_warp(mockgpu_warp_gather, lanes, bits, 0, file, line);
    unsigned long long const* const values = mockgpu_warp_values();
    T result = value;
    bool first = true;
    for (unsigned lane = 0; here != 0; ++lane, here >>= 1) {
      if ((here & 1) == 0) continue;
      T const one = static_cast<T>(values[lane]);
      result = first ? one : combine(result, one);
      first = false;
    }
    return result;
  }
  template <class T> MOCKGPU_NO_HOOKS inline unsigned long long bits_of(T value) {
    static_assert(sizeof value <= 8, "mockgpu: a value of more than 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
  }
  struct matches {
    unsigned long long here, same;
  };
  MOCKGPU_NO_HOOKS inline matches match(unsigned long long lanes, unsigned long long bits,
                                        char const* file, unsigned line) {
    matches result = {mockgpu_warp(mockgpu_warp_gather, lanes, bits, 0, file, line), 0};
    unsigned long long const* const values = mockgpu_warp_values();
    for (unsigned lane = 0; lane < 64; ++lane)
      if ((result.here >> lane & 1) != 0 && values[lane] == bits) result.same |= 1ull << lane;
    return result;
  }

} // namespace )

/* An object, since the vendors' device properties have a member of this name. */
namespace mockgpu_shim __attribute__((visibility("hidden"))) {
  struct warp_size_value {
    MOCKGPU_INLINE operator int() const { return warp_width(); }
  };
} // namespace )
static constexpr ::mockgpu_shim::warp_size_value warpSize __attribute__((unused)) = {};

MOCKGPU_INLINE void __syncwarp(mockgpu_lanes lanes = ~mockgpu_lanes{0}, MOCKGPU_HERE) {
  mockgpu_warp(mockgpu_warp_sync, lanes, 0, 0, file, line);
}
MOCKGPU_INLINE mockgpu_lanes __activemask(MOCKGPU_HERE) {
  return static_cast<mockgpu_lanes>(mockgpu_warp(mockgpu_warp_active, 0, 0, 0, file, line));
}
MOCKGPU_INLINE mockgpu_lanes __ballot_sync(mockgpu_lanes lanes, int predicate, MOCKGPU_HERE) {
  return static_cast<mockgpu_lanes>(
      mockgpu_warp(mockgpu_warp_ballot, lanes, predicate != 0, 0, file, line));
}
MOCKGPU_INLINE int __any_sync(mockgpu_lanes lanes, int predicate, MOCKGPU_HERE) {
  return mockgpu_warp(mockgpu_warp_ballot, lanes, predicate != 0, 0, file, line) != 0;
}
MOCKGPU_INLINE int __all_sync(mockgpu_lanes lanes, int predicate, MOCKGPU_HERE) {
  return mockgpu_warp(mockgpu_warp_ballot, lanes, predicate == 0, 0, file, line) == 0;
}
template <class T>
MOCKGPU_INLINE mockgpu_lanes __match_any_sync(mockgpu_lanes lanes, T value, MOCKGPU_HERE) {
  return static_cast<mockgpu_lanes>(
      ::mockgpu_shim::match(lanes, ::mockgpu_shim::bits_of(value), file, line).same);
}
template <class T>
MOCKGPU_INLINE mockgpu_lanes __match_all_sync(mockgpu_lanes lanes, T value, int* all_same,
                                              MOCKGPU_HERE) {
  ::mockgpu_shim::matches const found =
      ::mockgpu_shim::match(lanes, ::mockgpu_shim::bits_of(value), file, line);
  *all_same = found.same == found.here;
  return found.same == found.here ? static_cast<mockgpu_lanes>(found.here) : 0;
}

template <class T>
MOCKGPU_INLINE T __shfl_sync(mockgpu_lanes lanes, T value, int lane, int width = warpSize,
                             MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(lanes, value, ::mockgpu_shim::source_of_shuffle(lane, width), file,
                                 line);
}
template <class T>
MOCKGPU_INLINE T __shfl_up_sync(mockgpu_lanes lanes, T value, unsigned delta, int width = warpSize,
                                MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(lanes, value, ::mockgpu_shim::source_of_shuffle_up(delta, width),
                                 file, line);
}
template <class T>
MOCKGPU_INLINE T __shfl_down_sync(mockgpu_lanes lanes, T value, unsigned delta,
                                  int width = warpSize, MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(lanes, value, ::mockgpu_shim::source_of_shuffle_down(delta, width),
                                 file, line);
}
template <class T>
MOCKGPU_INLINE T __shfl_xor_sync(mockgpu_lanes lanes, T value, int mask, int width = warpSize,
                                 MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(lanes, value, ::mockgpu_shim::source_of_shuffle_xor(mask, width),
                                 file, line);
}

#define MOCKGPU_REDUCE(name, type, expression)                                                     \
  MOCKGPU_INLINE type __reduce_##name##_sync(mockgpu_lanes lanes, type value, MOCKGPU_HERE) {      \
    return ::mockgpu_shim::reduce(                                                                 \
        lanes, value,                                                                              \
        [](type a, type b) MOCKGPU_NO_HOOKS { return static_cast<type>(expression); }, file,       \
        line);                                                                                     \
  }
#define MOCKGPU_REDUCE_NUMBERS(type)                                                               \
  MOCKGPU_REDUCE(add, type, a + b)                                                                 \
  MOCKGPU_REDUCE(min, type, b < a ? b : a)                                                         \
  MOCKGPU_REDUCE(max, type, a < b ? b : a)
#define MOCKGPU_REDUCE_BITS(type)                                                                  \
  MOCKGPU_REDUCE(and, type, a& b)                                                                  \
  MOCKGPU_REDUCE(or, type, a | b)                                                                  \
  MOCKGPU_REDUCE(xor, type, a ^ b)
MOCKGPU_REDUCE_NUMBERS(int)
MOCKGPU_REDUCE_NUMBERS(unsigned)
MOCKGPU_REDUCE_BITS(unsigned)
#ifdef __HIP_PLATFORM_AMD__
MOCKGPU_REDUCE_NUMBERS(long long)
MOCKGPU_REDUCE_NUMBERS(unsigned long long)
MOCKGPU_REDUCE_BITS(int)
MOCKGPU_REDUCE_BITS(long long)
MOCKGPU_REDUCE_BITS(unsigned long long)

/* Forms without a mask: the lanes that reach the place together. */
MOCKGPU_INLINE unsigned long long __ballot(int predicate, MOCKGPU_HERE) {
  return mockgpu_warp(mockgpu_warp_ballot, 0, predicate != 0, 0, file, line);
}
MOCKGPU_INLINE int __any(int predicate, MOCKGPU_HERE) {
  return mockgpu_warp(mockgpu_warp_ballot, 0, predicate != 0, 0, file, line) != 0;
}
MOCKGPU_INLINE int __all(int predicate, MOCKGPU_HERE) {
  return mockgpu_warp(mockgpu_warp_ballot, 0, predicate == 0, 0, file, line) == 0;
}
template <class T> MOCKGPU_INLINE T __shfl(T value, int lane, int width = warpSize, MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(0, value, ::mockgpu_shim::source_of_shuffle(lane, width), file,
                                 line);
}
template <class T>
MOCKGPU_INLINE T __shfl_up(T value, unsigned delta, int width = warpSize, MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(0, value, ::mockgpu_shim::source_of_shuffle_up(delta, width), file,
                                 line);
}
template <class T>
MOCKGPU_INLINE T __shfl_down(T value, unsigned delta, int width = warpSize, MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(0, value, ::mockgpu_shim::source_of_shuffle_down(delta, width),
                                 file, line);
}
template <class T>
MOCKGPU_INLINE T __shfl_xor(T value, int mask, int width = warpSize, MOCKGPU_HERE) {
  return ::mockgpu_shim::shuffle(0, value, ::mockgpu_shim::source_of_shuffle_xor(mask, width), file,
                                 line);
}
MOCKGPU_INLINE unsigned __lane_id() { return ::mockgpu_shim::lane_id(); }
#endif
#undef MOCKGPU_REDUCE
#undef MOCKGPU_REDUCE_NUMBERS
#undef MOCKGPU_REDUCE_BITS
#endif
