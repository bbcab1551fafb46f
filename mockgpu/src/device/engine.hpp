#pragma once
/// \file The runtime in neutral terms: what the vendors' entry points call, one method each.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "device/status.hpp"
#include "device/stream.hpp"
#include "dialect/dialect.hpp"
#include "memory/memory.hpp"
#include "mockgpu/control.hpp"
#include "order/checker.hpp"
#include "schedule/choices.hpp"
#include "schedule/scheduler.hpp"

namespace mockgpu {

/// The vendors' copy kinds, which have equal numbers.
enum class copy_kind : int {
  host_to_host,
  host_to_device,
  device_to_host,
  device_to_device,
  by_address
};

/// A copy of `rows` rows of `width_bytes`; one row for plain copies.
struct copy_request {
  void* target = nullptr;
  std::size_t target_pitch_bytes = 0;
  void const* source = nullptr;
  std::size_t source_pitch_bytes = 0;
  std::size_t width_bytes = 0, rows = 1;
  copy_kind kind = copy_kind::by_address;
  bool async = false;
  void* stream = nullptr;
};

struct fill_request {
  void* target = nullptr;
  std::size_t pitch_bytes = 0;
  int value = 0;
  std::size_t width_bytes = 0, rows = 1;
  bool async = false;
  void* stream = nullptr;
};

/// Where a pointer leads.
enum class pointer_space : std::uint8_t { pageable, pinned, device };

struct launch_request {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::size_t shared_bytes = 0; ///< dynamic shared memory of a block
  void* stream = nullptr;
  struct argument {
    void const* address;
    std::size_t size_bytes;
  };
  std::vector<argument> arguments; ///< read by the host at the call
};

/// One per process. Calls are serialised by the caller (api/call.hpp); an operation runs on the
/// thread whose call needs it. Handles are numbers that are never given out twice.
class engine {
public:
  explicit engine(options const&);
  ~engine();
  engine(engine const&) = delete;
  engine& operator=(engine const&) = delete;

  /// Around every runtime call.
  void begin_call();
  void end_call();

  // Devices.
  [[nodiscard]] int device_count() const noexcept { return options_.device_count; }
  [[nodiscard]] int current_device() const noexcept;
  status set_device(int device);
  status synchronize_device(call_site const&);
  status reset_device(call_site const&);

  // Streams. Handles 0 and 1 are the legacy default stream of the current device.
  status create_stream(call_site const&, void** handle, bool non_blocking, int priority);
  status destroy_stream(call_site const&, void* handle);
  status query_stream(call_site const&, void* handle);
  status synchronize_stream(call_site const&, void* handle);
  status wait_event(call_site const&, void* stream_handle, void* event_handle);
  status stream_is_blocking(call_site const&, void* handle, bool& blocking);
  status stream_priority(call_site const&, void* handle, int& priority);
  status host_function(call_site const&, void* handle, std::function<void()>);

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
  status allocate_pinned(call_site const&, void** pointer, std::size_t size_bytes);
  /// \param pool null: the current pool of the stream's device.
  status allocate_async(call_site const&, void** pointer, std::size_t size_bytes, void* pool,
                        void* stream);
  status release(call_site const&, void* pointer);
  status release_pinned(call_site const&, void* pointer);
  status release_async(call_site const&, void* pointer, void* stream);
  [[nodiscard]] pointer_space space_of(void const* pointer);
  /// The live block that holds the address, or null.
  [[nodiscard]] allocation const* live_block(void const* pointer);
  void memory_info(std::size_t& free_bytes, std::size_t& total_bytes) const;

  // Pools. Attributes have the vendors' numbers, which are equal.
  status default_pool(int device, void** pool);
  status current_pool(int device, void** pool);
  status set_current_pool(int device, void* pool);
  status create_pool(int device, void** pool);
  status destroy_pool(call_site const&, void* pool);
  status set_pool_attribute(call_site const&, void* pool, int attribute, void const* value);
  status get_pool_attribute(call_site const&, void* pool, int attribute, void* value);
  status trim_pool(call_site const&, void* pool);

  // Work.
  status copy(call_site const&, copy_request const&);
  status fill(call_site const&, fill_request const&);
  status launch(call_site const&, launch_request const&, std::unique_ptr<work>);

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
  /// Every choice of this process, injected faults too, is drawn here.
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
    std::uint64_t used = 0, used_high = 0;
  };
  struct device_state {
    std::unique_ptr<stream> legacy;
    std::vector<stream*> since_legacy; ///< blocking streams used since the last legacy operation
    pool* default_pool = nullptr;
    pool* current_pool = nullptr;
  };
  struct use {
    std::string program;
    stream_serial serial = 0;
    void* handle = nullptr;
    bool check_stream = false;
    issue_number opened = 0; ///< last issue before
  };

  void execute(stream&, operation&);
  [[nodiscard]] order_point host_point() const;
  [[nodiscard]] std::uint64_t name_of_operation(issue_number) const;
  void wait_for(order_point const&);
  issue_number enqueue(stream&, call_site const&, std::unique_ptr<work>,
                       clock_ref const& extra = {});
  [[nodiscard]] issue_number note_call(call_site const&);
  /// The stream of a handle; null with a finding where there is none.
  [[nodiscard]] stream* find_stream(call_site const&, void* handle);
  [[nodiscard]] event* find_event(call_site const&, void* handle);
  [[nodiscard]] pool* find_pool(call_site const&, void* handle);
  void bad_handle(call_site const&, std::string const& what);
  std::unique_ptr<stream> make_stream(int device);
  [[nodiscard]] chain_index free_chain();
  allocation* new_block(memory_space, int device, std::size_t size_bytes, issue_number);
  status release_block(call_site const&, void* pointer, memory_space);
  void release_pending();
  void count_release(allocation const&);
  void synchronize_all(int device);
  void add_layout(allocation&, std::optional<sub_array>);
  void report_leaks();

  options options_;
  dialect const& dialect_;
  memory memory_;
  issue_log log_;
  checker checker_;
  choices choices_;
  scheduler scheduler_;
  clock_ref host_base_; ///< what the host has waited for
  std::vector<device_state> devices_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<stream>> streams_;
  std::vector<std::unique_ptr<stream>> destroyed_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<event>> events_;
  std::unordered_map<std::uintptr_t, std::unique_ptr<pool>> pools_;
  std::vector<allocation*> pending_frees_;
  std::map<issue_number, order_point>
      edge_sources_; ///< places of operations that extra edges start from
  chain_index chains_used_ = 1;
  stream_serial streams_made_ = 0;
  std::uint32_t events_made_ = 0, pools_made_ = 0;
  std::optional<use> use_;
  statistics statistics_;
  run_recorder* recorder_ = nullptr;
  bool finished_ = false;
};

} // namespace mockgpu
