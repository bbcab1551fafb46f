#pragma once
/// \file Happens-before from scratch: every call is a node, every guaranteed order an edge, and all
/// pairs of accesses are compared along paths. Quadratic, and shares no code with the engine, which
/// it judges.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace mockgpu::tests {

/// A racing pair on one byte: each side is "chain/access", sorted.
using byte_race =
    std::tuple<std::string /*memory*/, std::size_t /*byte*/, std::string, std::string>;

class order_oracle {
public:
  static constexpr int legacy = 0; ///< stream number of the default stream

  /// Streams are numbered from 1.
  void add_stream(std::string name, bool blocking);
  struct access {
    std::string memory;
    std::size_t begin = 0, end = 0; ///< bytes
    char kind = 'r';                ///< r, w or a (atomic)
  };
  void operation(int stream, std::vector<access>);
  void host_access(access);
  void record(int event, int stream);
  void wait(int stream, int event);
  void synchronize_stream(int stream);
  void synchronize_event(int event);
  void synchronize_device();

  [[nodiscard]] std::set<byte_race> races() const;

private:
  struct node {
    std::string chain;
    std::vector<std::size_t> after;
    std::vector<access> accesses;
  };
  struct stream {
    std::string name;
    bool blocking = true;
    std::vector<std::size_t> operations;
  };
  std::size_t host_step(std::vector<std::size_t> after = {});
  std::size_t enqueue(int stream, std::vector<std::size_t> after = {});

  std::vector<node> nodes_;
  std::vector<stream> streams_{{"default stream", true, {}}};
  std::map<int, std::size_t> recorded_;
  std::vector<std::size_t> host_;
};

} // namespace mockgpu::tests
