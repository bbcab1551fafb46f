#ifndef MOCKGPU_SHIM_LAUNCH_H
#define MOCKGPU_SHIM_LAUNCH_H
#pragma GCC system_header
/* Launches without a device compiler: the vendors' launch calls become macros that drop the cast to
 * void*, so that the kernel's parameters can be deduced from its type. Included by the API headers.
 */
#include "mockgpu/abi.h"
#include "mockgpu/types_common.h"

/* Code of the shim itself carries no hooks: what it reads is not an access of the program. */
#define MOCKGPU_NO_HOOKS __attribute__((no_sanitize("thread")))

extern "C++" {
/* Hidden, so that each library keeps its own copies and can be unloaded. */
namespace mockgpu_shim __attribute__((visibility("hidden"))) {

  struct launch_site {
    char const* entry_point;
    char const* text;
    char const* file;
    unsigned line;
    bool cooperative = false;
  };

  constexpr size_t round_up(size_t value, size_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
  }

  /* Where the parameters of a kernel lie in a closure. */
  template <class... Parameters> struct closure_layout {
    static constexpr size_t count = sizeof...(Parameters);
    struct table {
      mockgpu_argument entries[count + 1]; /* the last one holds the total size as its offset */
    };
    static constexpr table make() {
      table result{};
      size_t const sizes[] = {sizeof(Parameters)..., 0};
      size_t const alignments[] = {alignof(Parameters)..., 1};
      size_t offset = 0;
      for (size_t i = 0; i < count; ++i) {
        offset = round_up(offset, alignments[i]);
        result.entries[i] = {offset, sizes[i]};
        offset += sizes[i];
      }
      result.entries[count] = {offset, 0};
      return result;
    }
    static constexpr table value = make();
    static_assert(((alignof(Parameters) <= 64) && ... && true),
                  "mockgpu: a kernel parameter is aligned to more than 64 bytes");
  };

  /* Before C++17 a member that is used has to be defined. */
  template <class... Parameters>
  constexpr typename closure_layout<Parameters...>::table closure_layout<Parameters...>::value;

  template <size_t... Index> struct indices {};
  template <size_t Count, size_t... Index>
  struct make_indices : make_indices<Count - 1, Count - 1, Index...> {};
  template <size_t... Index> struct make_indices<0, Index...> { using type = indices<Index...>; };

  /* Steps to the block's next thread, x first. False when the block is done, or when a barrier has
   * handed the threads that are left to another loop. */
  MOCKGPU_NO_HOOKS inline bool next_thread(unsigned loop) {
    mockgpu_index_state& self = mockgpu_indices;
    if (self.loop != loop) return false;
    self.slot = ++self.fresh_slot;
    if (++self.thread[0] < self.block_dim[0]) return true;
    self.thread[0] = 0;
    if (++self.thread[1] < self.block_dim[1]) return true;
    self.thread[1] = 0;
    return ++self.thread[2] < self.block_dim[2];
  }

  /* g++ keeps `__restrict__` in the parameter types of a template's instance, and takes no pointer
   * to such a type. */
  template <class T> struct without_restrict { using type = T; };
  template <class T> struct without_restrict<T* __restrict__> { using type = T*; };

  template <class... Parameters, size_t... Index>
  MOCKGPU_NO_HOOKS inline void run_threads(void (*kernel)(Parameters...), char* closure,
                                           indices<Index...>) {
    using layout = closure_layout<Parameters...>;
    unsigned const loop = mockgpu_indices.loop;
    (void)closure; /* a kernel may have no parameters */
    do
      kernel(*reinterpret_cast<typename without_restrict<Parameters>::type*>(
          closure + layout::value.entries[Index].offset)...);
    while (next_thread(loop));
  }

  template <class... Parameters>
  MOCKGPU_NO_HOOKS void run_block(void (*entry)(void), void* closure) {
    run_threads(reinterpret_cast<void (*)(Parameters...)>(entry), static_cast<char*>(closure),
                typename make_indices<sizeof...(Parameters)>::type{});
  }

  template <class Vendor, class... Parameters>
  MOCKGPU_NO_HOOKS typename Vendor::error launch(
      launch_site const& site, void (*kernel)(Parameters...), dim3 grid, dim3 block,
      void** arguments, size_t shared_bytes = 0, typename Vendor::stream stream = nullptr) {
    using layout = closure_layout<Parameters...>;
    mockgpu_launch const request = {site.entry_point,
                                    site.text,
                                    site.file,
                                    site.line,
                                    {grid.x, grid.y, grid.z},
                                    {block.x, block.y, block.z},
                                    shared_bytes,
                                    Vendor::meant(stream),
                                    reinterpret_cast<void (*)(void)>(kernel),
                                    &run_block<Parameters...>,
                                    arguments,
                                    layout::value.entries,
                                    static_cast<unsigned>(layout::count),
                                    layout::value.entries[layout::count].offset,
                                    site.cooperative};
    return static_cast<typename Vendor::error>(mockgpu_launch_kernel(&request));
  }

  /* A kernel in a void*, or in a pointer to a function of another type than its own. */
  template <class Vendor>
  MOCKGPU_NO_HOOKS typename Vendor::error launch(
      launch_site const& site, void const* kernel, dim3 grid, dim3 block, void** arguments,
      size_t shared_bytes = 0, typename Vendor::stream stream = nullptr) {
    mockgpu_launch const request = {site.entry_point,
                                    site.text,
                                    site.file,
                                    site.line,
                                    {grid.x, grid.y, grid.z},
                                    {block.x, block.y, block.z},
                                    shared_bytes,
                                    Vendor::meant(stream),
                                    reinterpret_cast<void (*)(void)>(const_cast<void*>(kernel)),
                                    nullptr,
                                    arguments,
                                    nullptr,
                                    0,
                                    0,
                                    site.cooperative};
    return static_cast<typename Vendor::error>(mockgpu_launch_untyped(&request));
  }

  /* hipLaunchKernelGGL and the like: arguments by value, converted to the kernel's parameters. */
  template <class Vendor, class... Parameters, class... Arguments>
  MOCKGPU_NO_HOOKS typename Vendor::error launch_values(
      launch_site const& site, void (*kernel)(Parameters...), dim3 grid, dim3 block,
      size_t shared_bytes, typename Vendor::stream stream, Arguments&&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                  "mockgpu: the launch and the kernel differ in their number of arguments");
    return [&](Parameters... values) MOCKGPU_NO_HOOKS {
      void* addresses[] = {const_cast<void*>(static_cast<void const volatile*>(&values))...,
                           nullptr};
      return launch<Vendor>(site, kernel, grid, block, addresses, shared_bytes, stream);
    }(static_cast<Arguments&&>(arguments)...);
  }

  /* `<<<...>>>`, as the drivers rewrite it: `(configuration(...), kernel(arguments))`. The kernel
   * takes the configuration when it is called; one left over at the end of the expression means
   * that something else was called. An exception from an argument takes it back. */
  template <class Vendor> class launch_configuration {
  public:
    MOCKGPU_NO_HOOKS launch_configuration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                          typename Vendor::stream stream = nullptr,
                                          char const* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE())
        : mine_{Vendor::launch_name,
                file,
                line,
                {grid.x, grid.y, grid.z},
                {block.x, block.y, block.z},
                shared_bytes,
                Vendor::meant(stream),
                nullptr},
          outer_(mockgpu_pending_launch) {
      mockgpu_pending_launch = &mine_;
    }
    MOCKGPU_NO_HOOKS ~launch_configuration() {
      if (mockgpu_pending_launch == &mine_) mockgpu_refuse_call(&mine_);
      mockgpu_pending_launch = outer_;
    }
    launch_configuration(launch_configuration const&) = delete;
    launch_configuration& operator=(launch_configuration const&) = delete;

  private:
    mockgpu_configuration mine_;
    mockgpu_configuration* outer_;
  };

  /* Whether a kernel's entry was called by a launch. Read as the indices are, without a hook. */
  inline __attribute__((always_inline)) bool is_launched() {
    mockgpu_configuration* pending;
    __asm__("movq %1, %0" : "=r"(pending) : "m"(mockgpu_pending_launch));
    return pending != nullptr;
  }
  MOCKGPU_NO_HOOKS inline bool is_asked() { return mockgpu_pending_launch->question != nullptr; }

  /* The two things that a kernel's first statement does when the kernel was called by a launch. By
   * value: a parameter whose address is taken would be hooked throughout the kernel. */
  template <class... Parameters>
  MOCKGPU_NO_HOOKS __attribute__((noinline)) void launch_itself(void (*entry)(void),
                                                                Parameters... values) {
    using layout = closure_layout<Parameters...>;
    mockgpu_configuration const& by = *mockgpu_pending_launch;
    mockgpu_pending_launch = nullptr;
    void* addresses[] = {const_cast<void*>(static_cast<void const volatile*>(&values))..., nullptr};
    mockgpu_launch const request = {by.entry_point,
                                    nullptr,
                                    by.file,
                                    by.line,
                                    {by.grid[0], by.grid[1], by.grid[2]},
                                    {by.block[0], by.block[1], by.block[2]},
                                    by.shared_bytes,
                                    by.stream,
                                    entry,
                                    &run_block<Parameters...>,
                                    addresses,
                                    layout::value.entries,
                                    static_cast<unsigned>(layout::count),
                                    layout::value.entries[layout::count].offset};
    mockgpu_launch_kernel(&request);
  }

  /* By a function's type, from which the language takes qualifiers of the parameters themselves. */
  template <class... Parameters>
  MOCKGPU_NO_HOOKS void describe_kernel(void (*entry)(void), void (*)(Parameters...)) {
    using layout = closure_layout<Parameters...>;
    mockgpu_launch& answer = *mockgpu_pending_launch->question;
    answer.entry = entry;
    answer.run_block = &run_block<Parameters...>;
    answer.layout = layout::value.entries;
    answer.argument_count = static_cast<unsigned>(layout::count);
    answer.closure_bytes = layout::value.entries[layout::count].offset;
  }

} // namespace )
} // extern "C++"

/* MOCKGPU_UNCAST(list) removes a cast from the front of an argument list: "(void*)k, g, b" becomes
 * "k, g, b". A parenthesised first argument, "(f ? k1 : k2), g, b", is left alone. The preprocessor
 * cannot tell a type from an expression; that nothing follows the parenthesis before the comma can.
 */
#define MOCKGPU_DROP(...)
#define MOCKGPU_CAT(a, b) MOCKGPU_CAT_(a, b)
#define MOCKGPU_CAT_(a, b) a##b
#define MOCKGPU_FIRST(...) MOCKGPU_FIRST_(__VA_ARGS__, ~)
#define MOCKGPU_FIRST_(first, ...) first
#define MOCKGPU_SECOND(...) MOCKGPU_SECOND_(__VA_ARGS__, ~, ~)
#define MOCKGPU_SECOND_(first, second, ...) second
#define MOCKGPU_PAREN_PROBE(...) ~, 1,
#define MOCKGPU_BEGINS_WITH_PAREN(...) MOCKGPU_IS_PAREN(MOCKGPU_FIRST(__VA_ARGS__))
#define MOCKGPU_IS_PAREN(first) MOCKGPU_SECOND(MOCKGPU_PAREN_PROBE first, 0)
#define MOCKGPU_IS_NOT_EMPTY(...) MOCKGPU_SECOND(__VA_OPT__(~, 1, ) 0, 0)
#define MOCKGPU_UNCAST(...)                                                                        \
  MOCKGPU_CAT(MOCKGPU_UNCAST_PAREN_, MOCKGPU_BEGINS_WITH_PAREN(__VA_ARGS__))(__VA_ARGS__)
#define MOCKGPU_UNCAST_PAREN_0(...) __VA_ARGS__
#define MOCKGPU_UNCAST_PAREN_1(...)                                                                \
  MOCKGPU_CAT(MOCKGPU_UNCAST_REST_, MOCKGPU_IS_NOT_EMPTY(MOCKGPU_FIRST(MOCKGPU_DROP __VA_ARGS__))) \
  (__VA_ARGS__)
#define MOCKGPU_UNCAST_REST_0(...) __VA_ARGS__
#define MOCKGPU_UNCAST_REST_1(...) MOCKGPU_DROP __VA_ARGS__

#define MOCKGPU_LAUNCH(vendor, entry_point, text, ...)                                             \
  ::mockgpu_shim::launch<::mockgpu_shim::vendor>(                                                  \
      ::mockgpu_shim::launch_site{entry_point, text, __FILE__, __LINE__},                          \
      MOCKGPU_UNCAST(__VA_ARGS__))
#define MOCKGPU_LAUNCH_COOPERATIVE(vendor, entry_point, text, ...)                                 \
  ::mockgpu_shim::launch<::mockgpu_shim::vendor>(                                                  \
      ::mockgpu_shim::launch_site{entry_point, text, __FILE__, __LINE__, true},                    \
      MOCKGPU_UNCAST(__VA_ARGS__))
#endif
