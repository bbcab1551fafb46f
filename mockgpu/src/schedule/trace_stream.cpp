#include "schedule/trace_stream.hpp"

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {

class number_reader {
public:
  explicit number_reader(std::span<std::uint64_t const> from) : rest_(from) {}
  std::uint64_t next() {
    MOCKGPU_ASSERT((!rest_.empty()) && "a point is read as it was written");
    std::uint64_t const value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }

private:
  std::span<std::uint64_t const> rest_;
};

void put(std::vector<std::uint64_t>& to, std::vector<touched_range> const& ranges) {
  to.push_back(ranges.size());
  for (touched_range const& one : ranges) {
    to.push_back(one.begin);
    to.push_back(one.end);
  }
}

} // namespace

std::vector<std::uint64_t> to_numbers(trace_point const& point) {
  transition const& step = point.step;
  std::vector<std::uint64_t> to = {std::uint64_t(point.what),
                                   point.alternatives,
                                   point.taken,
                                   step.chain,
                                   step.name,
                                   step.issue,
                                   step.host_step};
  to.push_back(point.candidates.size());
  to.insert(to.end(), point.candidates.begin(), point.candidates.end());
  to.push_back(step.after.size());
  to.insert(to.end(), step.after.begin(), step.after.end());
  put(to, step.touched.reads());
  put(to, step.touched.writes());
  return to;
}

trace_point point_of(std::span<std::uint64_t const> numbers) {
  number_reader from(numbers);
  trace_point point;
  point.what = choice(from.next());
  point.alternatives = std::uint32_t(from.next());
  point.taken = std::uint32_t(from.next());
  point.step.chain = chain_index(from.next());
  point.step.name = from.next();
  point.step.issue = from.next();
  point.step.host_step = std::uint32_t(from.next());
  for (std::uint64_t left = from.next(); left != 0; --left)
    point.candidates.push_back(chain_index(from.next()));
  for (std::uint64_t left = from.next(); left != 0; --left)
    point.step.after.push_back(std::uint32_t(from.next()));
  for (bool const write : {false, true})
    for (std::uint64_t left = from.next(); left != 0; --left) {
      std::uint64_t const begin = from.next(), end = from.next();
      write ? point.step.touched.write({begin, end}) : point.step.touched.read({begin, end});
    }
  point.step.touched.close();
  return point;
}

} // namespace mockgpu
