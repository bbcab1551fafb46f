#pragma once
/// \file One random program, given call by call to the runtime and to the model.
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "command.hpp"
#include "engine/scripted_run.hpp"
#include "order_model.hpp"

namespace mockgpu::tests {

/// What a program did, for the shares that tests demand.
struct coverage {
  std::set<int> streams; ///< that work was queued on
  int sub_word_touches = 0, re_records = 0, releases = 0, reuses = 0, copies = 0, queries = 0,
      other_devices = 0;
  bool operator==(coverage const&) const = default;
};

class twin_program {
public:
  static constexpr int device_count = 2;

  twin_program(options const&, model_rules const&);
  ~twin_program();

  void perform(command const&);
  [[nodiscard]] order_model::verdict expected() const { return model_.judge(); }
  /// What the runtime reported, byte by byte. Ends the program.
  [[nodiscard]] std::set<byte_fault> found();
  [[nodiscard]] coverage const& done() const noexcept { return done_; }

private:
  struct live_stream {
    cudaStream_t handle;
    int model;
    int device;
  };
  struct live_event {
    cudaEvent_t handle;
    int device;
    bool recorded;
  };
  struct memory {
    region where;
    int model;
    order_model::space space;
    int device;
    bool stream_ordered;
    bool released;
  };
  struct host_script;

  void add_stream(int device, bool blocking);
  void add_block(order_model::space, int device, bool zeroed);
  void select(int device);
  [[nodiscard]] live_stream& stream_of(command const&);
  [[nodiscard]] live_event& event_of(command const&, int device);
  /// Among the blocks that `accept` takes, the number-th, counted round; null where there is none.
  template <class Accept> [[nodiscard]] memory* pick(int number, Accept);
  [[nodiscard]] memory* kernel_operand(int number, int device);
  /// Bytes of a block, as a touch of `element_bytes` and as an access of the model.
  struct part {
    touch on_device;
    order_model::access in_model;
  };
  [[nodiscard]] part part_of(memory const&, int kind, int begin, int size, unsigned element_bytes);

  void kernel(command const&);
  void copy(command const&);
  void copy_rows(command const&);
  void fill(command const&);
  void fill_rows(command const&);
  void host_function(command const&);
  void host_access(command const&);
  struct copy_plan;
  void issue(copy_plan const&);
  void release(command const&);
  void release_async(command const&);
  void query(command const&);

  scripted_run run_;
  order_model model_;
  int current_device_ = 0;
  int blocks_made_ = 0, streams_made_ = 0, events_made_ = 0;
  std::vector<live_stream> streams_;
  std::vector<live_event> events_;
  std::deque<memory> blocks_;
  std::deque<host_script> scripts_;
  coverage done_;
};

/// "kind rule memory[byte] first and second", one fault on a line.
[[nodiscard]] std::string text_of(std::set<byte_fault> const&);

} // namespace mockgpu::tests
