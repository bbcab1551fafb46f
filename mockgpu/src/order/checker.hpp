#pragma once
/// \file The checker: judges every access by happens-before, never by what the executor happened to
/// do.
#include <atomic>
#include <functional>
#include <set>
#include <span>
#include <unordered_map>

#include "memory/memory.hpp"
#include "mockgpu/control.hpp"
#include "order/access.hpp"
#include "order/host_ranges.hpp"
#include "order/issue_log.hpp"
#include "order/pending.hpp"
#include "order/thread_races.hpp"
#include "order/touch_observer.hpp"

namespace mockgpu {

class checker {
public:
  checker(memory&, issue_log&, options const&);

  /// One at a time, around the execution of an operation that is no host function.
  void begin_operation(order_point);
  void end_operation();
  /// The calling thread runs a host function until `end_host_function` for the same context, which
  /// any thread may call then. Other operations may run meanwhile.
  access_context& begin_host_function(order_point);
  /// \returns what is ordered before the function's end besides its place.
  clock_ref end_host_function(access_context&);
  /// The place of the host function that the calling thread runs, or of the host.
  [[nodiscard]] order_point own_place();
  /// That host function comes after all of `order`, from now on.
  void learn(clock_ref const& order);
  /// Host memory that the running operation may access: where its arguments are kept.
  void allow(void const* begin, std::size_t size_bytes);
  /// The host is at another place: a runtime call has begun, or it has learnt of an order.
  void move_host(order_point now);
  /// The place of the operation that runs.
  [[nodiscard]] order_point const& operation_point() const noexcept { return operation_.where; }

  /// One access of the running operation, or of the host. See `check_access`.
  void access(access_context&, std::uintptr_t address, std::size_t size_bytes, access_kind kind,
              unsigned aligned_to, void const* return_address);
  /// The same for ranges of the calling context, without a demand on alignment.
  void access(void const* begin, std::size_t size_bytes, access_kind kind,
              void const* return_address);
  /// One contiguous piece of a copy by the running operation: reads, writes, and hands undefined
  /// bytes on. \param undefined what of a pageable source was undefined when the copy was issued;
  /// whether its content is taken then or later must not decide what is reported.
  void transfer(void* target, void const* source, std::size_t size_bytes,
                std::span<host_ranges::undefined_range const> undefined);
  /// The undefined parts of a pageable range now.
  [[nodiscard]] std::vector<host_ranges::undefined_range> undefined_parts(void const*,
                                                                          std::size_t size_bytes);

  /// Which blocks of device memory the running operation may touch, up to its end; without a call,
  /// all. \param device the operation's, for reports
  void limit_reach(int device, std::function<bool(allocation const&)> reaches);

  /// A stream-ordered or host-ordered free takes place: it is a write of all bytes.
  void check_free(allocation&, order_point const& free);
  /// A free that is ordered after earlier work on its block: advice where nothing else orders it.
  void advise_free(allocation&, order_point const& free);
  /// Gives the memory of a freed block back.
  void retire(allocation&);
  /// An operation will read or write a pageable range between its issue and the host's wait for it.
  void watch(host_watch);
  /// Whether an operation in flight writes some of these pageable bytes.
  [[nodiscard]] bool is_written(void const* begin, std::size_t size_bytes) const;
  /// The running copy finds other bytes in its pageable source than its call did. Code without
  /// hooks has written them, or the end of a function has given them to another.
  void source_has_changed(void const* begin, std::size_t size_bytes);
  /// Registered host memory, which kernels may access from now on.
  void allow_device_access(std::uintptr_t begin, std::size_t size_bytes);
  void forbid_device_access(std::uintptr_t begin);
  /// The content of these bytes is undefined from here on.
  void mark_undefined(std::uintptr_t address, std::size_t size_bytes);

  /// A finding that is no access. Bytes are offsets in `block`, where there is one.
  struct incident {
    char const* kind;
    char const* rule;
    std::string message;
    issue_number first = 0, second = 0; ///< calls; 0 is none
    char const* first_access = "";
    char const* second_access = "";
    allocation const* block = nullptr;
    std::optional<byte_range> bytes = std::nullopt;
    std::string memory_name = {}; ///< where there is no block
    bool once_per_site = false;   ///< the same from the same place of the program is not said again
    void const* second_pc = nullptr; ///< of the access; otherwise the place of the call is shown
  };
  void report(incident const&);

  /// Says what the host was caught doing since the last call, and, after a crash, the running
  /// operation.
  void flush();
  /// Tells `one` of every access. Accesses are no longer told apart from what is remembered of
  /// them, which is slow: for explorations of small programs.
  void observe_touches(touch_observer& one) {
    touches_ = &one;
    judge_each_access();
  }
  /// From now on what an access does to bytes that its operation has accessed before may matter:
  /// where there are sub-arrays, say.
  void judge_each_access() noexcept {
    if (races_) races_->judge_each_access();
  }
  /// The observer, or null.
  [[nodiscard]] touch_observer* touches() const noexcept { return touches_; }
  void set_sink(std::function<void(finding const&)> sink) { sink_ = std::move(sink); }
  /// What gives the token of the run so far, for findings.
  void set_token_source(std::function<std::string()> source) { token_ = std::move(source); }
  [[nodiscard]] std::vector<finding> const& findings() const noexcept { return findings_; }
  void name_host_memory(std::uintptr_t begin, std::size_t size_bytes, std::string name);

private:
  struct actor {
    order_point where;
    bool host_code = true;
    pending_violations pending;
  };
  struct layout_cache {
    std::uint32_t allocation = 0;
    slab_layout const* layout = nullptr;
    sub_array const* part = nullptr;
  };

  void access_shadow(access_context&, std::uintptr_t address, std::size_t size_bytes, access_kind,
                     unsigned aligned_to, void const* pc);
  /// The same in the order of the running grid's threads.
  void note_thread(std::uintptr_t address, std::size_t size_bytes, access_kind, void const* pc);
  void check_reach(allocation const&, access_kind, void const* pc);
  /// What the names of the vendor's calls begin with.
  [[nodiscard]] char const* vendor_prefix() const noexcept {
    return options_.dialect.starts_with("hip") ? "hip" : "cuda";
  }
  void access_cell(access_context&, std::uintptr_t cell_address, unsigned mask, access_kind kind,
                   std::uintptr_t address, std::size_t size_bytes, bool remember_it,
                   void const* pc);
  /// The state after an access; says in `clean` whether there was nothing to report, and in
  /// `remember_it` where the same access is not to be taken for granted the next time.
  state_id next_state(state_id, std::uintptr_t cell_address, unsigned mask, access_kind kind,
                      unsigned unit_bytes, void const* pc, bool& clean, bool& remember_it);
  /// The running operation compares and swaps these bytes: its plain reads of them were guesses,
  /// whose conflicts are the exchange's or none. \returns whether a conflict of theirs is dropped.
  bool drop_guesses(cell_state&, allocation const&, std::uintptr_t cell_address, unsigned mask);
  /// The undefined bytes of a cell that a read uses (padding.hpp).
  [[nodiscard]] unsigned beyond_padding(unsigned undefined, std::uintptr_t cell_address,
                                        unsigned unit_bytes, order_point const& now);
  bool inside_sub_array(allocation&, std::uintptr_t address, std::size_t size_bytes, unsigned mask,
                        std::uintptr_t cell_address, access_kind kind, void const* pc);
  void bad_address(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                   void const* pc);
  void foreign_address(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                       void const* pc);
  [[nodiscard]] bool is_registered(std::uintptr_t address) const noexcept;
  void registered_access(std::uintptr_t begin, std::uintptr_t end, bool write, void const* pc);
  [[nodiscard]] bool near_variable(std::uintptr_t address);
  [[nodiscard]] allocation const* constant_written(access_context const&, std::uintptr_t address,
                                                   access_kind, void const* pc);
  void past_shared_memory(std::uintptr_t address, std::size_t size_bytes, access_kind kind,
                          void const* pc);
  void host_memory_access(std::uintptr_t begin, std::uintptr_t end, bool write, bool use,
                          void const* pc);
  void access_after_free(allocation const&, std::uintptr_t cell_address, unsigned mask, side_access,
                         void const* pc);
  void add_mask(violation_key const&, allocation const&, std::uintptr_t cell_address, unsigned mask,
                void const* pc);
  void add(violation_key const&, byte_range, void const* pc);
  void note_site(allocation&, order_point const&, history_kind, void const* pc);
  [[nodiscard]] state_id fresh_state(allocation&, std::uintptr_t cell_address);
  void collect_states();

  void flush(actor&);
  void flush_threads();
  [[nodiscard]] finding describe(actor const&, violation_key const&, violation const&) const;
  void emit(finding&&);
  [[nodiscard]] operation_ref refer(chain_index, issue_number, side_access, void const* pc) const;
  [[nodiscard]] memory_ref refer(allocation const&, byte_range) const;
  [[nodiscard]] memory_ref refer_host(std::uintptr_t base, issue_number watched_by) const;
  void propose_edge(finding&, actor const&, violation_key const&) const;
  [[nodiscard]] issue_number first_conflict_after(issue_number, allocation const*, chain_index,
                                                  side_access, issue_number otherwise) const;
  [[nodiscard]] actor& actor_of(access_context const&) noexcept;
  [[nodiscard]] access_context& context();

  memory& memory_;
  issue_log& log_;
  options const& options_;
  state_table states_;
  std::size_t collect_at_ = std::size_t{1} << 20;
  host_ranges host_ranges_;
  actor host_, operation_;
  operation_context operation_context_;
  access_context* interrupted_ = nullptr; // the host's, while an operation runs
  std::uint64_t epoch_ = 0;
  layout_cache layout_;
  issue_number past_shared_said_in_ = 0;   ///< launch
  std::set<std::string> past_shared_said_; ///< variables of that launch
  std::unique_ptr<thread_races> races_;    // null at depth `ops`
  std::set<std::string> reported_races_;
  std::uintptr_t allowed_begin_ = 0;
  std::size_t allowed_bytes_ = 0;
  std::function<bool(allocation const&)> reaches_; // by the running operation; null: all blocks
  int device_of_kernel_ = 0;
  std::map<std::uintptr_t, std::pair<std::size_t, std::string>> host_names_;
  std::map<std::uintptr_t, std::size_t> registered_; ///< sizes of registered ranges, by begin
  std::map<std::string, std::vector<byte_range>> reported_;
  std::set<std::string> incidents_;
  std::vector<finding> findings_;
  std::function<void(finding const&)> sink_;
  std::function<std::string()> token_;
  touch_observer* touches_ = nullptr;
};

/// The checker of this process, or null before the first runtime call.
extern std::atomic<checker*> active_checker;

/// Sums over all contexts, and forgets them for a new engine.
struct access_totals {
  std::uint64_t accesses = 0, bytes = 0;
};
[[nodiscard]] access_totals total_accesses();
void reset_contexts();

} // namespace mockgpu
