#pragma once
/// \file The runtime in neutral terms: what the vendors' entry points call, one method each.
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/faults.hpp"
#include "device/pool_accounts.hpp"
#include "device/requests.hpp"
#include "device/status.hpp"
#include "device/stream.hpp"
#include "dialect/dialect.hpp"
#include "kernel/watchdog.hpp"
#include "memory/memory.hpp"
#include "mockgpu/control.hpp"
#include "order/checker.hpp"
#include "schedule/choices.hpp"
#include "schedule/scheduler.hpp"

namespace mockgpu {

/// One per process. Calls are serialised by the caller (api/call.hpp); an operation runs on the
/// thread whose call needs it. Handles are numbers that are never given out twice.
class engine {
public:
  explicit engine(options const&);
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  /// Counts the call. \returns what it must return instead of doing anything, if it must.
  [[nodiscard]] std::optional<status> injected_fault(call_site const&);
  /// Calls so far, the current one included.
  [[nodiscard]] std::uint64_t calls() const noexcept { return faults_.calls(); }
  /// Of the thread that keeps `slot`, which is 0 at first. Threads end before the closing look.
  [[nodiscard]] pending_error& pending_error_of(std::uint32_t& slot);
  /// The program asks for its last error: a finding if a use is charged with what was pending
  /// before it.
  void note_error_read(call_site const& reader, pending_error const& origin, status);
  /// The program ends with a last error that it never asked for.
  void note_error_left(pending_error const& origin, status);
  /// Around every runtime call.
  void begin_call();
  void end_call();

  // Host threads and host functions (host/order.hpp). As in a call, the caller holds the guard.
  /// What the host knows, its own place included.
  [[nodiscard]] clock_ref host_order() const;
  /// The host comes after all of this.
  void learn(clock_ref const& order);
  /// A host thread waits for something: what can run without it does.
  void make_progress();

  // Failures of the device, which stay until the process ends.
  void fail_sticky(status);
  [[nodiscard]] status sticky_error() const noexcept { return sticky_; }
  /// The same where the running call has waited for the device, so that it must say so.
  [[nodiscard]] status failure_seen() const noexcept { return waited_ ? sticky_ : status::success; }
  /// Says on standard error that a call is not supported, once for each.
  void say_unsupported(std::string const& name);

  // Devices.
  [[nodiscard]] int device_count() const noexcept { return options_.device_count; }
  [[nodiscard]] variable_copies& variables() noexcept { return memory_.variables; }
  [[nodiscard]] kernel_limits limits_of_kernels() const noexcept {
    return {options_.step_limit, options_.kernel_seconds};
  }
  [[nodiscard]] int current_device() const noexcept;
  status set_device(int device);
  [[nodiscard]] bool is_device(int device) const noexcept;
  [[nodiscard]] unsigned device_flags() const;
  status set_device_flags(unsigned flags);
  /// Limits have the vendors' numbers, which are equal.
  status limit(int which, std::size_t& value) const;
  status set_limit(int which, std::size_t value);
  status can_access_peer(int& can, int device, int peer) const;
  status enable_peer_access(int peer); ///< for the current device
  /// Whether kernels of a device may touch a block of device memory.
  [[nodiscard]] bool reaches(int device, allocation const&) const;
  status disable_peer_access(int peer);
  /// \param attribute from 0, in the order of the vendors' lists.
  status peer_attribute(int& value, int attribute, int device, int peer) const;
  status synchronize_device(call_site const&);
  status reset_device(call_site const&);

  // Streams. Handles 0 and 1 are the legacy default stream of the current device, 2 is the default
  // stream of the calling thread on it.
  status create_stream(call_site const&, void** handle, bool non_blocking, int priority);
  status destroy_stream(call_site const&, void* handle);
  status query_stream(call_site const&, void* handle);
  status synchronize_stream(call_site const&, void* handle);
  status wait_event(call_site const&, void* stream_handle, void* event_handle);
  status stream_is_blocking(call_site const&, void* handle, bool& blocking);
  status stream_priority(call_site const&, void* handle, int& priority);
  status stream_device(call_site const&, void* handle, int& device);
  /// A number that no other stream has, for programs that want to tell streams apart.
  status stream_id(call_site const&, void* handle, unsigned long long& id);
  [[nodiscard]] bool is_stream(call_site const& site, void* handle) {
    return find_stream(site, handle) != nullptr;
  }
  /// \param on_error it is called, with the status, after the device has failed too.
  status host_function(call_site const&, void* handle, bool on_error, std::function<void(status)>);
  /// A host thread ends: its default streams get no more work.
  void end_thread(std::uint32_t thread);

  // Events.
  status create_event(call_site const&, void** handle, bool timing);
  status destroy_event(call_site const&, void* handle);
  status record_event(call_site const&, void* event_handle, void* stream_handle);
  status query_event(call_site const&, void* handle);
  status synchronize_event(call_site const&, void* handle);
  /// Deterministic: the distance of the two records in issue order, as microseconds.
  status elapsed_time(call_site const&, float& milliseconds, void* start, void* stop);

  // Memory. Sizes in bytes; a request of none gives null.
  status allocate(call_site const&, void** pointer, std::size_t size_bytes);
  status allocate_pinned(call_site const&, void** pointer, std::size_t size_bytes, unsigned flags);
  /// \param pool null: the current pool of the stream's device.
  status allocate_async(call_site const&, void** pointer, std::size_t size_bytes, void* pool,
                        void* stream);
  /// Memory that both sides may touch; freed by `release`. Judged like pinned memory.
  status allocate_managed(call_site const&, void** pointer, std::size_t size_bytes, unsigned flags);
  /// Advice and prefetches are about speed: they order nothing but their place in a stream.
  /// \param device -1 is the host.
  status advise_managed(call_site const&, void const* pointer, std::size_t size_bytes, int device);
  /// \param size_bytes all of the block, or 0 for it.
  status attach_managed(call_site const&, void* stream, void const* pointer,
                        std::size_t size_bytes);
  status prefetch_managed(call_site const&, void const* pointer, std::size_t size_bytes, int device,
                          void* stream);
  status release(call_site const&, void* pointer);
  status release_pinned(call_site const&, void* pointer);
  status release_async(call_site const&, void* pointer, void* stream);
  [[nodiscard]] pointer_space space_of(void const* pointer);
  /// The live block that holds the address, or null.
  [[nodiscard]] allocation const* live_block(void const* pointer);
  void memory_info(std::size_t& free_bytes, std::size_t& total_bytes) const;

  // Host memory that the device can reach.
  status register_host(call_site const&, void* pointer, std::size_t size_bytes, unsigned flags);
  status unregister_host(call_site const&, void* pointer);
  /// What a kernel calls pinned or registered memory.
  status device_address(call_site const&, void** device, void* host);
  status pinned_flags(call_site const&, unsigned& flags, void* host);
  [[nodiscard]] pointer_facts facts_of(void const* pointer);

  // Variables of the device; a symbol is their address.
  status symbol_part(call_site const&, void const* symbol, std::size_t offset_bytes,
                     std::size_t size_bytes, void*& part);
  status symbol_size(call_site const&, std::size_t& size_bytes, void const* symbol);

  // Kernels as objects.
  status set_function_attribute(void const* kernel, int which, int value);
  [[nodiscard]] std::size_t dynamic_shared_limit(void const* kernel) const; ///< bytes of a block
  /// Blocks of a launch that a multiprocessor holds at once.
  status resident_blocks(void const* kernel, int threads, std::size_t shared_bytes,
                         int& blocks) const;

  // Pools. Attributes have the vendors' numbers, which are equal.
  status default_pool(int device, void** pool);
  status current_pool(int device, void** pool);
  status set_current_pool(int device, void* pool);
  /// \param most_bytes that may be in use at a time; 0: no limit
  status create_pool(int device, std::size_t most_bytes, void** pool);
  status destroy_pool(call_site const&, void* pool);
  status set_pool_attribute(call_site const&, void* pool, int attribute, void const* value);
  status get_pool_attribute(call_site const&, void* pool, int attribute, void* value);
  status trim_pool(call_site const&, void* pool, std::uint64_t kept_bytes);
  /// Access flags: 0 none, 1 reading, 3 both.
  status set_pool_access(call_site const&, void* pool, int device, int flags);
  status pool_access(call_site const&, void* pool, int device, int& flags);

  // Work.
  status copy(call_site const&, copy_request const&);
  status fill(call_site const&, fill_request const&);
  status launch(call_site const&, launch_request const&, std::unique_ptr<work>);

  // The heap of the device, for the kernel that runs. Null when it is used up.
  [[nodiscard]] void* heap_allocate(std::size_t size_bytes);
  void heap_free(void* pointer);
  /// What the vendors give by default.
  static constexpr std::size_t heap_limit_bytes = std::size_t{8} << 20;

  // Annotations.
  void name_memory(void const* pointer, std::size_t size_bytes, char const* name);
  void name_stream(void* handle, char const* name);
  void declare_sub_array(void const* pointer, std::size_t size_bytes, std::size_t alignment_bytes,
                         char const* name);
  void clear_sub_arrays(void const* pointer);
  void mark_undefined(void const* pointer, std::size_t size_bytes);
  void host_access(void const* pointer, std::size_t size_bytes, bool write,
                   void const* return_address);
  void open_use(char const* program, void* stream, bool check_stream);
  void close_use();

  // Control.
  void mark_baseline();
  std::vector<finding> finish();
  [[nodiscard]] statistics counts() const;
  [[nodiscard]] checker& judge() noexcept { return checker_; }
  [[nodiscard]] dialect const& rules() const noexcept { return dialect_; }
  [[nodiscard]] issue_log const& log() const noexcept { return log_; }
  /// Every choice of this process is drawn here, but for faults, which `options::fault` names.
  [[nodiscard]] choices& decisions() noexcept { return choices_; }
  /// This run is one of an exploration; before the first call. `by` lives as long as the engine.
  void explore(run_recorder& by);

private:
  struct pool {
    std::uint32_t serial = 0;
    int device = 0;
    bool is_default = false;
    int reuse[3] = {1, 1, 1}; ///< follow event dependencies, opportunistic, internal dependencies
    std::uint64_t release_threshold = 0;
    std::uint64_t most_bytes = 0; ///< 0: no limit
    pool_accounts accounts;
    std::map<int, int> access; ///< flags of other devices
  };
  struct device_state {
    std::unique_ptr<stream> legacy;
    std::vector<stream*> since_legacy; ///< blocking streams used since the last legacy operation
    pool* default_pool = nullptr;
    pool* current_pool = nullptr;
    unsigned flags = 0;
    std::vector<std::size_t> limits;
    std::set<int> peers; ///< whose memory its kernels may reach
  };
  struct use {
    std::string program;
    stream_serial serial = 0;
    void* handle = nullptr;
    bool check_stream = false;
    issue_number opened = 0; ///< last issue before
    std::uint64_t calls_before = 0;
  };

  struct registered_range {
    std::size_t size_bytes = 0;
    unsigned flags = 0;
  };

  void start_devices();
  [[nodiscard]] registered_range const* registered(void const* pointer) const;
  /// The checker follows every byte of it: it needs no watch.
  [[nodiscard]] bool has_shadow(void const* pointer) noexcept;
  /// False where a host function has begun and goes on beside the program.
  [[nodiscard]] bool execute(stream&, operation&);
  [[nodiscard]] bool run_host_function(operation&, order_point);
  void host_function_ended(order_point const& place, access_context&);
  /// `base` and what host functions that it covers have learnt while they ran.
  [[nodiscard]] clock_ref with_late_order(clock_ref base, chain_index, issue_number) const;
  [[nodiscard]] order_point host_point() const;
  [[nodiscard]] std::uint64_t name_of_operation(issue_number) const;
  void wait_for(order_point const&);
  /// Where the streams are that a wait for this one, or a query, is about.
  [[nodiscard]] std::vector<order_point> covered_by_waiting_for(stream const&) const;
  [[nodiscard]] bool host_has_waited_for(order_point const&) const;
  /// What a query of the program answers about an operation.
  [[nodiscard]] bool answers_done(order_point const&);
  issue_number enqueue(stream&, call_site const&, std::unique_ptr<work>,
                       clock_ref const& extra = {});
  [[nodiscard]] issue_number note_call(call_site const&);
  /// The stream of a live handle, or null.
  [[nodiscard]] stream* look_up_stream(void* handle);
  [[nodiscard]] stream* per_thread_stream(int device);
  /// The stream of a handle; null with a finding where there is none.
  [[nodiscard]] stream* find_stream(call_site const&, void* handle);
  /// What most calls return for a stream that is none.
  [[nodiscard]] status gone() const noexcept {
    return dialect_.guarantees(rule_id::dead_stream_is_lost_context) ? status::context_destroyed
                                                                     : status::invalid_handle;
  }
  [[nodiscard]] event* find_event(call_site const&, void* handle);
  [[nodiscard]] pool* find_pool(call_site const&, void* handle);
  /// Advice if none of the waits since `useful_before` ordered anything.
  void advise_wait(call_site const&, std::uint64_t useful_before);
  void bad_handle(call_site const&, std::string const& what);
  std::unique_ptr<stream> make_stream(int device);
  [[nodiscard]] chain_index free_chain();
  allocation* new_block(memory_space, int device, std::size_t size_bytes, issue_number);
  status release_block(call_site const&, void* pointer, memory_space);
  void release_pending();
  void count_release(allocation const&, order_point const& place);
  void synchronize_all(int device);
  void release_unused(); ///< by the pools, after a synchronise
  void add_layout(allocation&, std::optional<sub_array>);
  void report_leaks();
  /// False, with a finding, where a copy claims another direction than its addresses have.
  /// False, with a finding, where a box of a copy or fill cannot be what the program has.
  [[nodiscard]] bool within_reach(call_site const&, void const* begin, std::size_t pitch_bytes,
                                  std::size_t slice_bytes, box_size const&);
  bool right_direction(call_site const&, copy_request const&, pointer_space to, pointer_space from);
  [[nodiscard]] bool source_is_written(copy_request const&) const;
  void watch_host(void const* begin, std::size_t pitch_bytes, std::size_t slice_bytes,
                  box_size const&, bool write, order_point const& by);

  options options_;
  dialect const& dialect_;
  fault_plan faults_;
  std::string first_fault_;
  memory memory_;
  issue_log log_;
  checker checker_;
  choices choices_;
  scheduler scheduler_;
  clock_ref host_base_; ///< what the host has waited for
  /// What a host function has learnt while it ran: a clock that is fixed at issue has not got it.
  struct late_order {
    chain_index chain;
    issue_number issue;
    clock_ref learnt;
  };
  std::vector<late_order> late_orders_;
  std::vector<device_state> devices_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<stream>> streams_;
  std::map<std::pair<std::uint32_t, int>, std::uintptr_t>
      thread_streams_; ///< handles of per-thread default streams, by host thread and device
  std::unordered_map<std::uint32_t, std::size_t> thread_ordinals_; ///< from 1, for reports
  std::vector<std::unique_ptr<stream>> destroyed_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<event>> events_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<pool>> pools_;
  std::deque<allocation*> pending_frees_; ///< in order of issue
  std::map<issue_number, order_point>
      edge_sources_; ///< places of operations that extra edges start from
  chain_index chains_used_ = 1;
  stream_serial streams_made_ = 0;
  std::uint32_t events_made_ = 0, pools_made_ = 0;
  std::map<std::uintptr_t, registered_range> registered_;
  std::unordered_map<void const*, std::size_t> dynamic_shared_;
  std::set<std::string> unsupported_; ///< calls that have been named
  status sticky_ = status::success;
  std::deque<pending_error> pending_errors_;
  std::uint64_t useful_waits_ = 0; ///< that ordered something
  bool waited_ = false; ///< the running call has waited for the device
  std::optional<use> use_;
  std::size_t heap_used_bytes_ = 0;
  statistics statistics_;
  run_recorder* recorder_ = nullptr;
  bool finished_ = false;
};

} // namespace mockgpu
