#ifndef MOCKGPU_SHIM_COOPERATIVE_GROUPS_H
#define MOCKGPU_SHIM_COOPERATIVE_GROUPS_H
#pragma GCC system_header
/* Cooperative groups: the grid, the block, tiles of a warp, and the lanes that are here together. */
#include "mockgpu/device.h"

namespace cooperative_groups {

#define MOCKGPU_IN_GROUP MOCKGPU_NO_HOOKS inline

class thread_group {
public:
  enum class kind { grid, block, lanes };
  MOCKGPU_IN_GROUP void sync(MOCKGPU_HERE) const {
    if (kind_ == kind::grid)
      mockgpu_grid_barrier(file, line);
    else if (kind_ == kind::block)
      mockgpu_block_barrier(0, file, line);
    else
      mockgpu_warp(mockgpu_warp_sync, lanes_, 0, 0, file, line);
  }
  MOCKGPU_IN_GROUP unsigned long long size() const {
    mockgpu_index_state const& now = mockgpu_indices;
    unsigned long long const block =
        1ull * now.block_dim[0] * now.block_dim[1] * now.block_dim[2];
    if (kind_ == kind::block) return block;
    if (kind_ == kind::grid)
      return block * now.grid_dim[0] * now.grid_dim[1] * now.grid_dim[2];
    return static_cast<unsigned long long>(__builtin_popcountll(lanes_));
  }
  MOCKGPU_IN_GROUP unsigned long long num_threads() const { return size(); }
  MOCKGPU_IN_GROUP unsigned long long thread_rank() const {
    mockgpu_index_state const& now = mockgpu_indices;
    unsigned const in_block = ::mockgpu_shim::linear_thread();
    if (kind_ == kind::block) return in_block;
    if (kind_ == kind::lanes)
      return static_cast<unsigned long long>(
          __builtin_popcountll(lanes_ & ((1ull << ::mockgpu_shim::lane_id()) - 1)));
    unsigned long long const block =
        now.block[0] + 1ull * now.grid_dim[0] * (now.block[1] + 1ull * now.grid_dim[1] * now.block[2]);
    return block * now.block_dim[0] * now.block_dim[1] * now.block_dim[2] + in_block;
  }

protected:
  MOCKGPU_IN_GROUP thread_group(kind which, unsigned long long lanes) : kind_(which), lanes_(lanes) {}
  kind kind_;
  unsigned long long lanes_; /* of the warp; for groups of lanes */
};

class grid_group : public thread_group {
public:
  MOCKGPU_IN_GROUP grid_group() : thread_group(kind::grid, 0) {}
  MOCKGPU_IN_GROUP bool is_valid() const { return true; }
  MOCKGPU_IN_GROUP dim3 group_dim() const { return gridDim; }
  MOCKGPU_IN_GROUP dim3 dim_blocks() const { return gridDim; }
  MOCKGPU_IN_GROUP dim3 block_index() const { return blockIdx; }
  MOCKGPU_IN_GROUP unsigned long long num_blocks() const {
    mockgpu_index_state const& now = mockgpu_indices;
    return 1ull * now.grid_dim[0] * now.grid_dim[1] * now.grid_dim[2];
  }
  MOCKGPU_IN_GROUP unsigned long long block_rank() const {
    mockgpu_index_state const& now = mockgpu_indices;
    return now.block[0] +
           1ull * now.grid_dim[0] * (now.block[1] + 1ull * now.grid_dim[1] * now.block[2]);
  }
};

class thread_block : public thread_group {
public:
  MOCKGPU_IN_GROUP thread_block() : thread_group(kind::block, 0) {}
  MOCKGPU_IN_GROUP dim3 group_index() const { return blockIdx; }
  MOCKGPU_IN_GROUP dim3 thread_index() const { return threadIdx; }
  MOCKGPU_IN_GROUP dim3 group_dim() const { return blockDim; }
  MOCKGPU_IN_GROUP dim3 dim_threads() const { return blockDim; }
};

MOCKGPU_IN_GROUP grid_group this_grid() { return {}; }
MOCKGPU_IN_GROUP thread_block this_thread_block() { return {}; }

/* Some lanes of one warp, numbered by rank. */
class mockgpu_lane_group : public thread_group {
public:
  MOCKGPU_IN_GROUP unsigned size() const { return static_cast<unsigned>(thread_group::size()); }
  MOCKGPU_IN_GROUP unsigned num_threads() const { return size(); }
  MOCKGPU_IN_GROUP unsigned thread_rank() const {
    return static_cast<unsigned>(thread_group::thread_rank());
  }
  template <class T> MOCKGPU_IN_GROUP T shfl(T value, int rank, MOCKGPU_HERE) const {
    return at(value, static_cast<unsigned>(rank) % size(), file, line);
  }
  template <class T> MOCKGPU_IN_GROUP T shfl_down(T value, unsigned delta, MOCKGPU_HERE) const {
    unsigned const self = thread_rank();
    return at(value, self + delta < size() ? self + delta : self, file, line);
  }
  template <class T> MOCKGPU_IN_GROUP T shfl_up(T value, unsigned delta, MOCKGPU_HERE) const {
    unsigned const self = thread_rank();
    return at(value, self >= delta ? self - delta : self, file, line);
  }
  template <class T> MOCKGPU_IN_GROUP T shfl_xor(T value, unsigned mask, MOCKGPU_HERE) const {
    unsigned const self = thread_rank(), from = self ^ mask;
    return at(value, from < size() ? from : self, file, line);
  }
  MOCKGPU_IN_GROUP int any(int predicate, MOCKGPU_HERE) const {
    return vote(predicate != 0, file, line) != 0;
  }
  MOCKGPU_IN_GROUP int all(int predicate, MOCKGPU_HERE) const {
    return vote(predicate == 0, file, line) == 0;
  }
  MOCKGPU_IN_GROUP mockgpu_lanes ballot(int predicate, MOCKGPU_HERE) const {
    return by_rank(vote(predicate != 0, file, line));
  }
  template <class T> MOCKGPU_IN_GROUP mockgpu_lanes match_any(T value, MOCKGPU_HERE) const {
    return by_rank(
        ::mockgpu_shim::match(lanes_, ::mockgpu_shim::bits_of(value), file, line).same);
  }
  template <class T>
  MOCKGPU_IN_GROUP mockgpu_lanes match_all(T value, int& all_same, MOCKGPU_HERE) const {
    auto const found = ::mockgpu_shim::match(lanes_, ::mockgpu_shim::bits_of(value), file, line);
    all_same = found.same == found.here;
    return all_same ? by_rank(found.here) : 0;
  }

  /* The group's lanes whose predicate is, or is not, zero. */
  MOCKGPU_IN_GROUP unsigned long long mockgpu_lanes_that(bool holds, char const* file,
                                                         unsigned line) const {
    unsigned long long const yes = vote(holds, file, line);
    return holds ? yes : lanes_ & ~yes;
  }

protected:
  using thread_group::thread_group;

private:
  /* The lane of a rank: the position of its bit among the lanes. */
  MOCKGPU_IN_GROUP unsigned lane_of(unsigned rank) const {
    unsigned long long rest = lanes_;
    while (rank-- > 0) rest &= rest - 1;
    return rest == 0 ? 64u : static_cast<unsigned>(__builtin_ctzll(rest));
  }
  MOCKGPU_IN_GROUP mockgpu_lanes by_rank(unsigned long long bits) const {
    mockgpu_lanes result = 0;
    unsigned rank = 0;
    for (unsigned long long rest = lanes_; rest != 0; rest &= rest - 1, ++rank)
      if ((bits & rest & -rest) != 0) result |= mockgpu_lanes{1} << rank;
    return result;
  }
  MOCKGPU_IN_GROUP unsigned long long vote(bool predicate, char const* file, unsigned line) const {
    return mockgpu_warp(mockgpu_warp_ballot, lanes_, predicate, 0, file, line);
  }
  template <class T>
  MOCKGPU_IN_GROUP T at(T value, unsigned rank, char const* file, unsigned line) const {
    return ::mockgpu_shim::shuffle(lanes_, value, lane_of(rank), file, line);
  }
};

template <unsigned Size, class Parent = void> class thread_block_tile : public mockgpu_lane_group {
  static_assert(Size != 0 && (Size & (Size - 1)) == 0 && Size <= 64,
                "mockgpu: a tile has 1, 2, 4, ... lanes of one warp");

public:
  MOCKGPU_IN_GROUP thread_block_tile() : mockgpu_lane_group(kind::lanes, tile_lanes()) {}
  template <class Other>
  MOCKGPU_IN_GROUP thread_block_tile(thread_block_tile<Size, Other> const&) : thread_block_tile() {}
  MOCKGPU_IN_GROUP unsigned meta_group_rank() const {
    return ::mockgpu_shim::linear_thread() / Size;
  }
  MOCKGPU_IN_GROUP unsigned meta_group_size() const {
    mockgpu_index_state const& now = mockgpu_indices;
    return (now.block_dim[0] * now.block_dim[1] * now.block_dim[2] + Size - 1) / Size;
  }

private:
  MOCKGPU_NO_HOOKS static unsigned long long tile_lanes() {
    unsigned long long const first = ::mockgpu_shim::lane_id() / Size * Size;
    unsigned long long const all = Size == 64 ? ~0ull : (1ull << Size % 64) - 1;
    return all << first;
  }
};
template <unsigned Size, class Group>
MOCKGPU_IN_GROUP thread_block_tile<Size, Group> tiled_partition(Group const&) {
  return {};
}

class coalesced_group : public mockgpu_lane_group {
public:
  MOCKGPU_IN_GROUP explicit coalesced_group(unsigned long long lanes)
      : mockgpu_lane_group(kind::lanes, lanes) {}
};
MOCKGPU_INLINE coalesced_group coalesced_threads(MOCKGPU_HERE) {
  return coalesced_group(mockgpu_warp(mockgpu_warp_active, 0, 0, 0, file, line));
}

/* The lanes of a group that say the same. */
template <class Group>
MOCKGPU_IN_GROUP coalesced_group binary_partition(Group const& group, bool predicate,
                                                  MOCKGPU_HERE) {
  return coalesced_group(group.mockgpu_lanes_that(predicate, file, line));
}

template <class T> struct plus {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return a + b; }
};
template <class T> struct less {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T> struct greater {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T> struct bit_and {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return a & b; }
};
template <class T> struct bit_or {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return a | b; }
};
template <class T> struct bit_xor {
  MOCKGPU_NO_HOOKS T operator()(T a, T b) const { return a ^ b; }
};

/* The combination of all lanes' values, in every lane. */
template <class Group, class T, class Combine>
MOCKGPU_IN_GROUP T reduce(Group const& group, T value, Combine combine, MOCKGPU_HERE) {
  T result = group.shfl(value, 0, file, line);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    result = combine(result, group.shfl(value, static_cast<int>(rank), file, line));
  return result;
}

template <class Group> MOCKGPU_INLINE void sync(Group const& group, MOCKGPU_HERE) {
  group.sync(file, line);
}

} // namespace cooperative_groups
#endif
