// One function for every form in which a program touches memory. The drivers compile this text with
// the flags of a build and demand the hooks that are named before each function: all of them, in
// any order.
// `|` separates hooks of which one suffices. "hooks g++" is demanded of that compiler only.
typedef decltype(sizeof 0) size_type;
extern "C" {

// hooks: __tsan_read1
char canary_read1(char* p) { return *p; }
// hooks: __tsan_read2
short canary_read2(short* p) { return *p; }
// hooks: __tsan_read4
int canary_read4(int* p) { return *p; }
// hooks: __tsan_read8
double canary_read8(double* p) { return *p; }
// hooks: __tsan_write1
void canary_write1(char* p) { *p = 1; }
// hooks: __tsan_write2
void canary_write2(short* p) { *p = 1; }
// hooks: __tsan_write4
void canary_write4(float* p) { *p = 1; }
// hooks: __tsan_write8
void canary_write8(long* p) { *p = 1; }

// hooks: __tsan_read16|__tsan_unaligned_read16|__tsan_read8
// hooks: __tsan_write16|__tsan_unaligned_write16|__tsan_write8
void canary_access16(__int128* to, __int128 const* from) { *to = *from; }

struct __attribute__((packed)) canary_packed {
  char tag;
  double value;
};
// hooks: __tsan_read_range|__tsan_unaligned_read8
double canary_unaligned_read(canary_packed* p) { return p->value; }
// hooks: __tsan_write_range|__tsan_unaligned_write8
void canary_unaligned_write(canary_packed* p) { p->value = 1; }

struct canary_fields {
  unsigned low : 5, high : 11;
};
// hooks: __tsan_write1|__tsan_write2|__tsan_write4
void canary_bit_field(canary_fields* p) { p->high = 3; }

// hooks: __tsan_read8 __tsan_write8
void canary_update(double* p) { p[0] += 1; }

struct canary_triple {
  double values[3];
};
// hooks: __tsan_read_range|memcpy|__tsan_memcpy
// hooks: __tsan_write_range|memcpy|__tsan_memcpy
void canary_structure(canary_triple* to, canary_triple const* from) { *to = *from; }

void* memcpy(void*, void const*, size_type);
void* memset(void*, int, size_type);
void* memmove(void*, void const*, size_type);
// hooks: memcpy|__tsan_memcpy
void canary_memcpy(void* to, void const* from) { memcpy(to, from, 24); }
// hooks: memset|__tsan_memset
void canary_memset(void* to) { memset(to, 0, 32); }
// hooks: memmove|__tsan_memmove
void canary_memmove(void* to, void const* from) { memmove(to, from, 24); }
// Of other sizes than those above: equal bodies may become one.
// hooks: memcpy|__tsan_memcpy
void canary_builtin_memcpy(void* to, void const* from) { __builtin_memcpy(to, from, 40); }
// hooks: memset|__tsan_memset
void canary_builtin_memset(void* to) { __builtin_memset(to, 0, 48); }

// hooks: __tsan_volatile_read4|__tsan_read4
int canary_volatile_read(int volatile* p) { return *p; }
// hooks: __tsan_volatile_write4|__tsan_write4
void canary_volatile_write(int volatile* p) { *p = 1; }

// hooks: __tsan_atomic32_load
int canary_atomic_load(int* p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
// hooks: __tsan_atomic32_fetch_add
void canary_atomic_add(int* p) { __atomic_fetch_add(p, 1, __ATOMIC_RELAXED); }
// hooks: __tsan_atomic64_compare_exchange_strong|__tsan_atomic64_compare_exchange_val
bool canary_atomic_exchange(long* p, long old) {
  return __atomic_compare_exchange_n(p, &old, 5, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// A loop that the optimiser may vectorise.
// hooks: __tsan_read4|__tsan_read16|__tsan_unaligned_read16|__tsan_read_range
// hooks: __tsan_write4|__tsan_write16|__tsan_unaligned_write16|__tsan_write_range
void canary_loop(float* __restrict__ y, float const* __restrict__ x, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}

void canary_escape(int*);
// clang 14 asks whether the address of the element escapes, where the array's matters, and leaves
// the read out: a host local that an asynchronous copy fills is then not seen. One reason why g++
// is the default. hooks g++: __tsan_read4
int canary_stack_after_escape(int i) {
  int values[8];
  canary_escape(values);
  return values[i & 7];
}
}
