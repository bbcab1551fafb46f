#ifndef MOCKGPU_SHIM_VECTOR_TYPES_H
#define MOCKGPU_SHIM_VECTOR_TYPES_H
#pragma GCC system_header
/* The vendors' short vectors. Those of two and four elements are aligned as a whole, to at most 16
 * bytes; a device loads and stores them at once. */

#ifdef __cplusplus
#define MOCKGPU_MAKE(type, parameters, ...)                                                        \
  static inline constexpr type make_##type parameters { return type{__VA_ARGS__}; }
#else
#define MOCKGPU_MAKE(type, parameters, ...)
#endif

#define MOCKGPU_VECTORS(name, element, align2, align4)                                             \
  struct name##1 {                                                                                 \
    element x;                                                                                     \
  };                                                                                               \
  struct __attribute__((aligned(align2))) name##2 {                                                \
    element x, y;                                                                                  \
  };                                                                                               \
  MOCKGPU_VECTOR_3(name, element)                                                                  \
  struct __attribute__((aligned(align4))) name##4 {                                                \
    element x, y, z, w;                                                                            \
  };                                                                                               \
  typedef struct name##1 name##1;                                                                  \
  typedef struct name##2 name##2;                                                                  \
  typedef struct name##3 name##3;                                                                  \
  typedef struct name##4 name##4;                                                                  \
  MOCKGPU_MAKE(name##1, (element x), x)                                                            \
  MOCKGPU_MAKE(name##2, (element x, element y), x, y)                                              \
  MOCKGPU_MAKE(name##3, (element x, element y, element z), x, y, z)                                \
  MOCKGPU_MAKE(name##4, (element x, element y, element z, element w), x, y, z, w)

#define MOCKGPU_VECTOR_3(name, element)                                                            \
  struct name##3 {                                                                                 \
    element x, y, z;                                                                               \
  };
MOCKGPU_VECTORS(char, signed char, 2, 4)
MOCKGPU_VECTORS(uchar, unsigned char, 2, 4)
MOCKGPU_VECTORS(short, short, 4, 8)
MOCKGPU_VECTORS(ushort, unsigned short, 4, 8)
MOCKGPU_VECTORS(int, int, 8, 16)
MOCKGPU_VECTORS(uint, unsigned int, 8, 16)
MOCKGPU_VECTORS(long, long, 16, 16)
MOCKGPU_VECTORS(ulong, unsigned long, 16, 16)
MOCKGPU_VECTORS(longlong, long long, 16, 16)
MOCKGPU_VECTORS(ulonglong, unsigned long long, 16, 16)
MOCKGPU_VECTORS(float, float, 8, 16)
MOCKGPU_VECTORS(double, double, 16, 16)
#undef MOCKGPU_VECTORS
#undef MOCKGPU_VECTOR_3
#undef MOCKGPU_MAKE

/* HIP's vectors also calculate, element by element. */
#if defined(__cplusplus) && defined(__HIP_PLATFORM_AMD__)
#define MOCKGPU_OPERATOR(type, element, op, two, three, four)                                      \
  static inline constexpr type##2 operator op(type##2 a, type##2 b) { return two; }                \
  static inline constexpr type##3 operator op(type##3 a, type##3 b) { return three; }              \
  static inline constexpr type##4 operator op(type##4 a, type##4 b) { return four; }               \
  static inline type##2 & operator op##=(type##2 & a, type##2 b) { return a = a op b; }            \
  static inline type##3 & operator op##=(type##3 & a, type##3 b) { return a = a op b; }            \
  static inline type##4 & operator op##=(type##4 & a, type##4 b) { return a = a op b; }
#define MOCKGPU_OPERATORS_OF(type, element, op)                                                    \
  MOCKGPU_OPERATOR(type, element, op, (type##2 {element(a.x op b.x), element(a.y op b.y)}),        \
                   (type##3 {element(a.x op b.x), element(a.y op b.y), element(a.z op b.z)}),      \
                   (type##4 {element(a.x op b.x), element(a.y op b.y), element(a.z op b.z),        \
                             element(a.w op b.w)}))
#define MOCKGPU_OPERATORS(type, element)                                                           \
  MOCKGPU_OPERATORS_OF(type, element, +)                                                           \
  MOCKGPU_OPERATORS_OF(type, element, -)                                                           \
  MOCKGPU_OPERATORS_OF(type, element, *)                                                           \
  MOCKGPU_OPERATORS_OF(type, element, /)
MOCKGPU_OPERATORS(int, int)
MOCKGPU_OPERATORS(uint, unsigned)
MOCKGPU_OPERATORS(float, float)
MOCKGPU_OPERATORS(double, double)
#undef MOCKGPU_OPERATOR
#undef MOCKGPU_OPERATORS_OF
#undef MOCKGPU_OPERATORS
#endif
#endif
