#ifndef MOCKGPU_ABI_H
#define MOCKGPU_ABI_H
#pragma GCC system_header
/* The seam between compiled code and the mock: what objects built by the compiler drivers call
 * besides the vendors' entry points. C ABI; no call throws. The memory hooks themselves
 * (`__mockgpu_read8` and so on) take the compiler's own signatures and are listed in
 * src/hooks/hook_names.def. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Where one kernel parameter lies in a closure, in bytes from its beginning. */
struct mockgpu_argument {
  size_t offset;
  size_t size_bytes;
};

/* One launch as compiled code hands it over. Everything it points to has to live until the call
 * returns only, except strings, `layout`, `entry` and `run`, which live as long as their library.
 * The engine copies the arguments at the call, as the vendors do. */
struct mockgpu_launch {
  char const* entry_point; /* vendor call: "cudaLaunchKernel", "hipLaunchKernel", ... */
  char const*
      text; /* source text of the call's arguments, or null; see src/kernel/kernel_name.hpp */
  char const* file; /* source file of the call, or null */
  unsigned line;
  unsigned grid[3];    /* blocks in x, y, z */
  unsigned block[3];   /* threads of a block in x, y, z */
  size_t shared_bytes; /* dynamic shared memory of a block */
  void* stream;        /* the vendor's handle */
  void (*entry)(void); /* the kernel; never called as this type */
  /* Runs the threads of one block, from the one in `mockgpu_indices` on (src/kernel/grid.hpp). */
  void (*run_block)(void (*entry)(void), void* closure);
  void* const* arguments; /* address of each argument; read by the host at the call */
  struct mockgpu_argument const* layout;
  unsigned argument_count;
  size_t closure_bytes; /* room for all arguments, laid out at alignments of up to 64 bytes */
  unsigned cooperative; /* not 0: all blocks have to be resident, since they may meet */
};

/* Queues the launch. Returns the vendor's status; those of a launch have equal numbers in CUDA and
 * HIP. */
int mockgpu_launch_kernel(struct mockgpu_launch const*);

/* A launch whose kernel has lost its type, as in a table of void*: the mock asks the kernel for its
 * parameters; run_block, layout, argument_count and closure_bytes are not read. What is no kernel
 * of a driver's is refused by name with "not supported". */
int mockgpu_launch_untyped(struct mockgpu_launch const*);

/* Says by name that what a launch names is no kernel; returns "not supported". */
int mockgpu_refuse_launch(char const* entry_point, void const* entry, char const* text,
                          char const* file, unsigned line);

/* What `<<<>>>` says of a launch. It lies on the launching thread's stack while the kernel's
 * arguments are evaluated and the kernel's entry is called. */
struct mockgpu_configuration {
  char const* entry_point; /* as in mockgpu_launch */
  char const* file;
  unsigned line;
  unsigned grid[3];
  unsigned block[3];
  size_t shared_bytes;
  void* stream;
  /* Set by the mock to ask a kernel for its parameters instead of launching it: the kernel fills
   * in entry, run_block, layout, argument_count and closure_bytes. */
  struct mockgpu_launch* question;
};

/* The launch that the next kernel called on this thread belongs to, or null: then a kernel's entry
 * runs the kernel. Null while a grid runs. */
extern __thread struct mockgpu_configuration* mockgpu_pending_launch
    __attribute__((tls_model("initial-exec")));

/* A configuration whose kernel did not take it: what was called is no kernel that a driver built.
 * Says so by source place and aborts, unless an exception from an argument is on its way. */
void mockgpu_refuse_call(struct mockgpu_configuration const*);

/* One kernel of a library, as the assembler of the drivers records it. */
struct mockgpu_kernel_record {
  void (*entry)(void);
  char const* symbol; /* mangled */
};

/* Makes a library's kernels known, and forgets them. Called when the library is loaded and before
 * it is unloaded. */
void mockgpu_add_kernels(struct mockgpu_kernel_record const* begin,
                         struct mockgpu_kernel_record const* end);
void mockgpu_remove_kernels(struct mockgpu_kernel_record const* begin);

/* The same for the names of a library's compile units that have hooks, each ended by a zero. */
void mockgpu_add_units(char const* begin, char const* end);
/* Ends the process if the caller's hooks were compiled for other data than this library has: hooks
   and compiled kernels reach some of it without a call. */
void mockgpu_require_layout(char const* layout);
void mockgpu_remove_units(char const* begin);

/* One variable of a library that is no memory of the host, as the assembler of the drivers records
 * it. */
enum mockgpu_variable_kind {
  mockgpu_shared_variable,  /* of each block: static __shared__ */
  mockgpu_device_variable,  /* __device__ */
  mockgpu_constant_variable, /* __constant__: kernels do not write it */
  mockgpu_managed_variable   /* __managed__: the host's too */
};
struct mockgpu_variable_record {
  void* address;
  size_t size_bytes;
  char const* symbol; /* mangled */
  size_t kind;        /* a mockgpu_variable_kind */
};

/* Makes a library's variables known, and forgets them; at the same times as its kernels. */
void mockgpu_add_variables(struct mockgpu_variable_record const* begin,
                           struct mockgpu_variable_record const* end);
void mockgpu_remove_variables(struct mockgpu_variable_record const* begin);

/* The indices of the running thread, read by kernels without a hook. One grid runs at a time. */
struct mockgpu_index_state {
  unsigned thread[3];
  unsigned block[3];
  unsigned block_dim[3];
  unsigned grid_dim[3];
  unsigned loop; /* which loop over threads owns `thread`; a barrier passes it on to a new loop */
  unsigned warp_size; /* lanes of a warp: 32 or 64, by dialect */
  unsigned slot; /* the running thread's place in the order of threads (src/order/thread_slots.hpp) */
  unsigned fresh_slot; /* the place of the newest thread of the block when it started */
};
extern struct mockgpu_index_state mockgpu_indices;
/* The sizes of the running grid again, for kernels: x, y, z. */
extern unsigned mockgpu_block_dim[3], mockgpu_grid_dim[3];

/* Barrier of the block (__syncthreads and its counting forms), written at a place of the program:
 * barriers at two places are two barriers. Returns the number of threads that
 * arrived with a predicate other than zero, in the lower half, and of all that arrived, in the
 * upper half. Threads that have ended do not count. */
unsigned long long mockgpu_block_barrier(int predicate, char const* file, unsigned line);
/* Barrier of the grid, for cooperative launches. */
void mockgpu_grid_barrier(char const* file, unsigned line);

/* What the lanes of a warp do together. */
enum mockgpu_warp_operation {
  mockgpu_warp_sync,    /* __syncwarp: orders memory among the lanes */
  mockgpu_warp_active,  /* the lanes that are here (__activemask) */
  mockgpu_warp_ballot,  /* the lanes whose value is not zero */
  mockgpu_warp_shuffle, /* the value of lane `source`; a visibly wrong one where it is not here */
  mockgpu_warp_gather   /* the values of all lanes: see mockgpu_warp_values */
};
/* One warp operation by the running lane, with the lanes of `lanes` (bit i is lane i of the warp).
 * `lanes` 0: with those that reach this place together, as warps without independent threads do. */
unsigned long long mockgpu_warp(enum mockgpu_warp_operation, unsigned long long lanes,
                                unsigned long long value, unsigned source, char const* file,
                                unsigned line);
/* After a gather: the value of each lane, by its number, until the running lane's next warp
 * operation. */
unsigned long long const* mockgpu_warp_values(void);

/* A fence by the running thread; `scope` 0 is the block, 1 the device, 2 the system; `order` is one
 * of the compilers' __ATOMIC_ numbers. */
void mockgpu_fence(int scope, int order);
/* A copy that the running thread begins and does not wait for. `owner` says what it waits by. So
 * many bytes of zero follow in the target. `aligned_to` is what a device demands of both ends. */
void mockgpu_copy_async(void const* owner, void* to, void const* from, size_t size_bytes,
                        size_t zero_bytes, unsigned aligned_to);
/* What the thread has begun for the owner so far is one more batch; all batches but the newest
 * `keep` are over. */
void mockgpu_copies_commit(void const* owner);
void mockgpu_copies_complete(void const* owner, unsigned keep);
/* What the thread has begun for one owner it waits for by another from now on. */
void mockgpu_copies_move(void const* from_owner, void const* to_owner);
/* The next atomic access of the running thread is one of its block only. */
void mockgpu_block_scope(void);
/* The clock of the device: each look at it takes some time, each pause what it asks for; both take
 * longer in a grid that has often looked. */
long long mockgpu_clock(void);
/* Whether the calling thread runs a kernel, rather than host code. */
int mockgpu_on_device(void);
/* The running thread polls, and lets others go on. */
void mockgpu_yield(void);
/* It lets others go on, and time passes. */
void mockgpu_sleep(unsigned long long ticks);
/* Host code finds the same value again and again: it waits for somebody. */
void mockgpu_host_polls(void);
/* Host code is about to change an atomic or volatile object, or has looked at it. */
void mockgpu_host_publishes(void const volatile* object);
void mockgpu_host_looks_at(void const volatile* object);
/* Ends the running kernel: a failed assertion, or a trap. Return in host code only. */
void mockgpu_device_assertion(char const* condition, char const* file, unsigned line,
                              char const* function);
void mockgpu_device_trap(char const* what);
/* Memory of the device's heap, for the running kernel; null when the heap is used up. */
void* mockgpu_heap_allocate(size_t size_bytes);
void mockgpu_heap_free(void*);
/* The dynamic shared memory of the running block. */
void* mockgpu_dynamic_shared(void);

#ifdef __cplusplus
}
#endif
#endif
