#ifndef MOCKGPU_SHIM_BITS_H
#define MOCKGPU_SHIM_BITS_H
#pragma GCC system_header
/* Bits of numbers, and integers of 24, 32 and 64 bits. */
#include "mockgpu/sync.h"

MOCKGPU_INLINE int __float_as_int(float value) { return __builtin_bit_cast(int, value); }
MOCKGPU_INLINE unsigned __float_as_uint(float value) { return __builtin_bit_cast(unsigned, value); }
MOCKGPU_INLINE float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
MOCKGPU_INLINE float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
MOCKGPU_INLINE long long __double_as_longlong(double value) {
  return __builtin_bit_cast(long long, value);
}
MOCKGPU_INLINE double __longlong_as_double(long long bits) {
  return __builtin_bit_cast(double, bits);
}
MOCKGPU_INLINE int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
MOCKGPU_INLINE int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
MOCKGPU_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}
MOCKGPU_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
MOCKGPU_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
MOCKGPU_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
MOCKGPU_INLINE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
MOCKGPU_INLINE int __ffs(int x) { return __builtin_ffs(x); }
MOCKGPU_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
MOCKGPU_INLINE unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
MOCKGPU_INLINE unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
MOCKGPU_INLINE unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  unsigned long long const bytes = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xFF) << 8 * i;
  return result;
}
MOCKGPU_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(
      ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
MOCKGPU_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
/* Of shifts past 32 bits: 32. */
MOCKGPU_INLINE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
MOCKGPU_INLINE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
MOCKGPU_INLINE unsigned short __nv_bswap16(unsigned short x) { return __builtin_bswap16(x); }
MOCKGPU_INLINE unsigned __nv_bswap32(unsigned x) { return __builtin_bswap32(x); }
MOCKGPU_INLINE unsigned long long __nv_bswap64(unsigned long long x) {
  return __builtin_bswap64(x);
}
MOCKGPU_INLINE int __mul24(int a, int b) {
  return static_cast<int>(static_cast<unsigned>((a << 8) >> 8) *
                          static_cast<unsigned>((b << 8) >> 8));
}
MOCKGPU_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
MOCKGPU_INLINE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
MOCKGPU_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
MOCKGPU_INLINE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
MOCKGPU_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
MOCKGPU_INLINE unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? static_cast<unsigned>(a) - static_cast<unsigned>(b)
                    : static_cast<unsigned>(b) - static_cast<unsigned>(a));
}
MOCKGPU_INLINE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
MOCKGPU_INLINE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
MOCKGPU_INLINE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
MOCKGPU_INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a > b ? a - b : b - a);
}
MOCKGPU_INLINE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
#endif
