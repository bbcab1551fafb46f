#pragma once
/// \file The engine behind both vendors' entry points, in neutral terms. One per process.
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/operation.hpp"
#include "mockgpu/abi.h"
#include "mockgpu/control.hpp"
#include "order/checker.hpp"
#include "schedule/scheduler.hpp"

namespace mockgpu {

/// Status numbers that CUDA and HIP share.
enum class status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  invalid_configuration = 9,
  invalid_device_pointer = 17,
  invalid_copy_direction = 21,
  invalid_device = 101,
  invalid_handle = 400,
  not_ready = 600,
  illegal_address = 700,
  not_permitted = 800,
  not_supported = 801,
};

/// A host thread that has called the runtime.
struct host_thread {
  chain_id chain{};
  std::uint64_t calls = 0;
  clock_base known;
  status last_error = status::success;
  int device = 0;
  accessor access;
  /// Where the thread stands: after all its calls so far.
  [[nodiscard]] position here() const { return {chain, calls, chain, calls, known}; }
};

struct memory_pool {
  int device = 0;
  bool is_default = false;
  bool destroyed = false;
  std::map<int, std::uint64_t> attributes;
  std::uint64_t used = 0, used_high = 0;
};

enum class copy_kind : int { host_to_host, host_to_device, device_to_host, device_to_device, automatic };

struct copy_request {
  void* target = nullptr;
  void const* source = nullptr;
  std::size_t target_pitch = 0, source_pitch = 0; ///< bytes
  std::size_t width_bytes = 0, rows = 1;
  copy_kind kind = copy_kind::automatic;
  bool async = false;
};

class runtime {
public:
  runtime();

  void configure(options const&);
  void reset(options const&);
  [[nodiscard]] options const& chosen() const noexcept { return options_; }
  checker check;

  // Calls. All take the scope of the call (below) first.
  class call;
  status malloc(call&, void** pointer, std::size_t size_bytes);
  status free(call&, void* pointer);
  status malloc_host(call&, void** pointer, std::size_t size_bytes);
  status free_host(call&, void* pointer);
  status malloc_async(call&, void** pointer, std::size_t size_bytes, void* stream, void* pool);
  status free_async(call&, void* pointer, void* stream);
  status copy(call&, copy_request const&, void* stream);
  status fill(call&, void* target, std::size_t pitch, int byte, std::size_t width_bytes, std::size_t rows,
              bool async, void* stream);
  status create_stream(call&, void** stream, bool blocking, int priority);
  status destroy_stream(call&, void* stream);
  status synchronise_stream(call&, void* stream);
  status query_stream(call&, void* stream);
  status wait_event(call&, void* stream, void* event);
  status host_function(call&, void* stream, std::function<void()>);
  status create_event(call&, void** event, bool timing);
  status destroy_event(call&, void* event);
  status record(call&, void* event, void* stream);
  status query_event(call&, void* event);
  status synchronise_event(call&, void* event);
  status elapsed(call&, float* milliseconds, void* start, void* stop);
  status synchronise_device(call&);
  status set_device(call&, int device);
  status launch(call&, mockgpu_launch const&);
  status default_pool(call&, void** pool, int device);
  status create_pool(call&, void** pool, int device);
  status destroy_pool(call&, void* pool);
  status trim_pool(call&, void* pool);
  status set_pool_attribute(call&, void* pool, int attribute, std::uint64_t value);
  status pool_attribute(call&, void* pool, int attribute, std::uint64_t* value);
  status stream_flags(call&, void* stream, bool* blocking, int* priority);

  [[nodiscard]] int device_count() const noexcept { return options_.device_count; }
  [[nodiscard]] host_thread& this_thread();
  [[nodiscard]] accessor& host_accessor();
  [[nodiscard]] std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }

  /// The allocation, live or freed, that holds the pointer; null for memory of the host.
  [[nodiscard]] allocation* memory_at(void const* pointer);
  [[nodiscard]] static void* pool_handle(std::size_t number);

  // Annotations.
  void name_memory(void const*, std::size_t size_bytes, std::string name);
  void name_stream(void*, std::string name);
  void sub_array(void const*, std::size_t size_bytes, std::size_t alignment_bytes, std::string name);
  void clear_sub_arrays(void const*);
  void open_use(std::string program, void* stream, bool check_stream);
  void close_use();
  [[nodiscard]] bool use_is_open() const noexcept { return use_.has_value(); }

  std::vector<finding> finish();
  void mark_baseline();
  [[nodiscard]] statistics current_statistics() const;

  /// Ends the process after a finding that the program cannot survive. Findings are out by then.
  [[noreturn]] void stop_program();

private:
  friend class call;
  std::recursive_mutex mutex_;
  options options_;
  bool used_ = false;
  std::unique_ptr<scheduler> scheduler_;
  std::vector<std::unique_ptr<stream>> streams_; ///< by handle index; the first of each device is its legacy stream
  std::vector<std::unique_ptr<event>> events_;
  std::vector<std::unique_ptr<memory_pool>> pools_;
  std::map<void const*, stream*> stream_handles_;
  std::map<void const*, event*> event_handles_;
  std::map<void const*, memory_pool*> pool_handles_;
  std::vector<std::string> chains_; ///< names; empty: made from the number
  std::vector<bool> host_chains_;
  std::vector<std::unique_ptr<host_thread>> threads_;
  std::vector<arena_region> regions_;
  std::map<std::string, std::string> named_ranges_;
  std::vector<operation_ptr> edge_sources_; ///< operations that extra edges start from
  statistics statistics_;
  std::uint64_t generation_ = 0; ///< of the runtime; thread records of an earlier one are stale

  struct use {
    std::string program;
    stream* expected = nullptr;
  };
  std::optional<use> use_;

  void start();
  chain_id new_chain(std::string name, bool host);
  stream* find_stream(void* handle);
  event* find_event(void* handle);
  stream& legacy(int device) { return *streams_[static_cast<std::size_t>(device)]; }
  operation& enqueue(call&, stream&, std::string_view what, std::string_view name, std::function<void()> run,
                     std::vector<operation_ptr> after = {});
  void order_after(stream&, position&, std::vector<operation_ptr>&, operation_ptr const& before);
  void host_waits_for(host_thread&, operation_ptr const&);
  void add_extra_waits(call&);
  status bad_handle(call&, std::string_view what, void* handle);
  void run_copy(operation&, copy_request const&);
  void watch_rows(operation&, void const*, std::size_t pitch, copy_request const&, access_kind);
  status new_memory(call&, void** pointer, std::size_t size_bytes, memory_space, position const&);
  status double_free(call&, allocation&);
  accessor& accessor_of(operation&);
};

/// The scope of one runtime call: takes the lock, numbers the call, and lets the scheduler act at its end.
class runtime::call {
public:
  call(char const* entry_point, void const* return_address);
  ~call();
  call(call const&) = delete;
  call& operator=(call const&) = delete;

  runtime& owner;
  host_thread& host;
  std::uint64_t number = 0;
  char const* entry_point;
  /// Records the status as the thread's last error, unless it is success or "not ready".
  int finish(status) noexcept;

private:
  std::unique_lock<std::recursive_mutex> lock_;
};

[[nodiscard]] runtime& the_runtime();

} // namespace mockgpu
