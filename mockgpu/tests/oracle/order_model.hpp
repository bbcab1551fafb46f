#pragma once
/// \file What programs over streams, events and memory do wrong, from scratch: every call is a
/// node, every guaranteed order an edge, and all pairs of accesses are compared along paths.
/// Quadratic, and shares no code with the engine, which it judges.
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace mockgpu::tests {

/// One fault on one byte. Each side is "chain/access", sorted; an undefined read has one side.
using byte_fault = std::tuple<std::string /*kind*/, std::string /*rule*/, std::string /*memory*/,
                              std::size_t /*byte*/, std::string, std::string>;

/// Where the vendors differ; all off is CUDA.
struct model_rules {
  bool free_waits_for_device = false;      ///< hipFree of hipMalloc memory
  bool pool_free_waits_for_device = false; ///< hipFree of stream-ordered memory
  bool host_free_waits_for_device = false; ///< hipHostFree
  bool default_stream_wait_covers_blocking_streams = false;
};

class order_model {
public:
  /// Stream numbers below `device_count` are the devices' legacy default streams.
  order_model(int device_count, model_rules const&);

  /// \param name as findings spell the chain. \returns the stream's number.
  int add_stream(std::string name, int device, bool blocking);
  [[nodiscard]] int device_of(int which) const { return streams_[std::size_t(which)].device; }

  // Memory.
  enum class space { device, pinned, pageable };
  /// Memory that is there at once. \returns the block's number.
  int add_block(std::string name, space, int device);
  int add_stream_ordered_block(std::string name, int on_stream, std::size_t size_bytes);
  void free(int block);
  void free_async(int block, int stream);

  // Work.
  struct access {
    int block = 0;
    std::size_t begin = 0, end = 0; ///< bytes
    char kind = 'r';                ///< r read, w write, a atomic, c a copy's read
    std::size_t element_bytes = 0;  ///< of one load or store; 0: the whole range at once
  };
  void operation(int stream, std::vector<access>);
  void host(std::vector<access>);
  /// A copy from pageable memory may read its source at the call, by the host.
  void host_reads_for_copy(std::vector<access>);

  // Orders.
  void record(int event, int stream);
  void forget_event(int event);
  void wait(int stream, int event);
  void synchronize_stream(int stream);
  void wait_for_last_of(int stream); ///< what a synchronous copy waits for
  void synchronize_event(int event);
  void synchronize_device(int device);

  /// \param undefined_reads said only where no copy handed undefined bytes on: which of two
  /// unordered definitions such a byte then has is not a question of order.
  struct verdict {
    std::set<byte_fault> faults;
    bool undefined_bytes_copied = false;
  };
  [[nodiscard]] verdict judge() const;

private:
  struct node {
    std::string chain;
    int stream = -1; ///< -1: the host
    std::vector<std::size_t> after;
    std::vector<access> accesses;
  };
  struct stream {
    std::string name;
    int device = 0;
    bool blocking = true;
    std::vector<std::size_t> operations;
  };
  struct block {
    std::string name;
    space where = space::device;
    int device = 0;
    bool stream_ordered = false;
    std::size_t allocated = 0;
    std::optional<std::size_t> freed;
    std::size_t size_bytes = 0; ///< of stream-ordered memory
  };
  class reachability;

  std::size_t host_step(std::vector<std::size_t> after = {});
  std::size_t enqueue(int stream, std::vector<std::size_t> after = {});
  void judge_lifetime(access const&, std::size_t user, reachability const&, verdict&) const;
  void judge_content(access const&, std::size_t user, std::size_t index, reachability const&,
                     verdict&) const;
  void judge_pair(access const&, std::size_t earlier, access const&, std::size_t later,
                  verdict&) const;
  [[nodiscard]] bool gone(access const& one, std::size_t user) const;
  void add(verdict&, char const* kind, char const* rule, access const&, std::string first,
           std::string second) const;
  [[nodiscard]] std::string side(std::size_t node, char kind) const;

  model_rules rules_;
  std::vector<node> nodes_;
  std::vector<stream> streams_;
  std::vector<block> blocks_;
  std::map<int, std::size_t> recorded_;
  std::optional<std::size_t> host_;
};

} // namespace mockgpu::tests
