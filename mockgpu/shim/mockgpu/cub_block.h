/* CUB's collectives of a block and of a warp. Included by mockgpu/cub.h, once for each vendor's
 * namespace. Each keeps its values in the temporary storage and meets at barriers as the vendors'
 * do, so that a storage that is used again without a barrier in between is a race here too. */
namespace MOCKGPU_CUB {

namespace mockgpu_detail {
/* Room for values, without running a constructor: it lies in shared memory. */
template <class T, int Count> struct raw_values {
  alignas(T) unsigned char bytes[sizeof(T) * Count];
  MOCKGPU_NO_HOOKS T* data() { return reinterpret_cast<T*>(bytes); }
};
} // namespace mockgpu_detail

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE
};

/* The result is thread 0's; that of other threads means nothing. */
template <class T, int ThreadsX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int ThreadsY = 1, int ThreadsZ = 1, int = 0>
class BlockReduce {
  static constexpr int threads = ThreadsX * ThreadsY * ThreadsZ;

public:
  using TempStorage = mockgpu_detail::raw_values<T, threads>;
  explicit BlockReduce(TempStorage& storage) : values_(storage.data()) {}

  template <class Operation> T Reduce(T input, Operation operation, int valid = threads) {
    int const self = static_cast<int>(::mockgpu_shim::linear_thread());
    values_[self] = input;
    __syncthreads();
    T result = input;
    if (self == 0)
      for (int i = 1; i < valid; ++i) result = operation(result, values_[i]);
    return result;
  }
  template <class Operation, int Items> T Reduce(T (&inputs)[Items], Operation operation) {
    T own = inputs[0];
    for (int i = 1; i < Items; ++i) own = operation(own, inputs[i]);
    return Reduce(own, operation);
  }
  T Sum(T input, int valid = threads) { return Reduce(input, MOCKGPU_CUB::Sum(), valid); }
  template <int Items> T Sum(T (&inputs)[Items]) { return Reduce(inputs, MOCKGPU_CUB::Sum()); }

private:
  T* values_;
};

template <class T, int ThreadsX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int ThreadsY = 1,
          int ThreadsZ = 1, int = 0>
class BlockScan {
  static constexpr int threads = ThreadsX * ThreadsY * ThreadsZ;

public:
  using TempStorage = mockgpu_detail::raw_values<T, threads>;
  explicit BlockScan(TempStorage& storage) : values_(storage.data()) {}

  template <class Operation>
  void InclusiveScan(T input, T& output, Operation operation, T& aggregate) {
    int const self = prefix(input, operation);
    output = values_[self];
    aggregate = values_[threads - 1];
  }
  template <class Operation> void InclusiveScan(T input, T& output, Operation operation) {
    output = values_[prefix(input, operation)];
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation, T& aggregate) {
    int const self = prefix(input, operation);
    output = self == 0 ? initial : operation(initial, values_[self - 1]);
    aggregate = values_[threads - 1];
  }
  template <class Operation>
  void ExclusiveScan(T input, T& output, T initial, Operation operation) {
    int const self = prefix(input, operation);
    output = self == 0 ? initial : operation(initial, values_[self - 1]);
  }
  void InclusiveSum(T input, T& output) { InclusiveScan(input, output, MOCKGPU_CUB::Sum()); }
  void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, MOCKGPU_CUB::Sum(), aggregate);
  }
  void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T(0), MOCKGPU_CUB::Sum()); }
  void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T(0), MOCKGPU_CUB::Sum(), aggregate);
  }
  template <int Items> void InclusiveSum(T (&inputs)[Items], T (&outputs)[Items]) {
    T before = sum_before(inputs);
    for (int i = 0; i < Items; ++i) outputs[i] = before = before + inputs[i];
  }
  template <int Items> void ExclusiveSum(T (&inputs)[Items], T (&outputs)[Items]) {
    T before = sum_before(inputs);
    for (int i = 0; i < Items; ++i) {
      T const next = before + inputs[i];
      outputs[i] = before;
      before = next;
    }
  }

private:
  /* Leaves the inclusive prefixes of all threads in the storage. \returns the thread's number. */
  template <class Operation> int prefix(T input, Operation operation) {
    int const self = static_cast<int>(::mockgpu_shim::linear_thread());
    values_[self] = input;
    __syncthreads();
    if (self == 0)
      for (int i = 1; i < threads; ++i) values_[i] = operation(values_[i - 1], values_[i]);
    __syncthreads();
    return self;
  }
  template <int Items> T sum_before(T (&inputs)[Items]) {
    T own = inputs[0], before{};
    for (int i = 1; i < Items; ++i) own = own + inputs[i];
    ExclusiveSum(own, before);
    return before;
  }

  T* values_;
};

/* Of `Lanes` neighbouring lanes; the result is the first one's. */
template <class T, int Lanes = MOCKGPU_CUB_WARP, int = 0> class WarpReduce {
public:
  struct TempStorage {
    unsigned char unused;
  };
  explicit WarpReduce(TempStorage&) {}

  template <class Operation> T Reduce(T input, Operation operation, int valid = Lanes) {
    unsigned const lane = ::mockgpu_shim::lane_id();
    unsigned const first = lane / Lanes * Lanes, self = lane - first;
    unsigned const in_block = blockDim.x * blockDim.y * blockDim.z;
    unsigned const left = in_block - (::mockgpu_shim::linear_thread() - self);
    unsigned const here = left < Lanes ? left : Lanes;
    unsigned const used = static_cast<unsigned>(valid) < here ? static_cast<unsigned>(valid) : here;
    unsigned long long const lanes = (here == 64 ? ~0ull : (1ull << here) - 1) << first;
    T result = input;
    for (unsigned offset = 1; offset < Lanes; offset *= 2) {
      unsigned const from = self + offset < here ? self + offset : self;
      T const other = ::mockgpu_shim::shuffle(lanes, result, first + from, __FILE__, __LINE__);
      if (self + offset < used && self % (2 * offset) == 0) result = operation(result, other);
    }
    return result;
  }
  T Sum(T input, int valid = Lanes) { return Reduce(input, MOCKGPU_CUB::Sum(), valid); }
};

/* Thread t has items t * Items and following; STRIPED ones lie a block apart. */
template <class T, int ThreadsX, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT,
          int ThreadsY = 1, int ThreadsZ = 1, int = 0>
class BlockLoad {
  static constexpr int threads = ThreadsX * ThreadsY * ThreadsZ;

public:
  struct TempStorage {
    unsigned char unused;
  };
  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}
  template <class Input> void Load(Input from, T (&items)[Items], int valid = threads * Items) {
    for (int i = 0; i < Items; ++i)
      if (int const at = place(i); at < valid) items[i] = from[at];
  }
  template <class Input, class Default>
  void Load(Input from, T (&items)[Items], int valid, Default otherwise) {
    for (T& item : items) item = otherwise;
    Load(from, items, valid);
  }

private:
  static int place(int item) {
    int const self = static_cast<int>(::mockgpu_shim::linear_thread());
    return Algorithm == BLOCK_LOAD_STRIPED ? item * threads + self : self * Items + item;
  }
};
template <class T, int ThreadsX, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT,
          int ThreadsY = 1, int ThreadsZ = 1, int = 0>
class BlockStore {
  static constexpr int threads = ThreadsX * ThreadsY * ThreadsZ;

public:
  struct TempStorage {
    unsigned char unused;
  };
  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}
  template <class Output> void Store(Output to, T (&items)[Items], int valid = threads * Items) {
    int const self = static_cast<int>(::mockgpu_shim::linear_thread());
    for (int i = 0; i < Items; ++i) {
      int const at = Algorithm == BLOCK_STORE_STRIPED ? i * threads + self : self * Items + i;
      if (at < valid) to[at] = items[i];
    }
  }
};

} // namespace MOCKGPU_CUB
