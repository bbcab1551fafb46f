#pragma GCC system_header
/* CUB, as far as reductions and scans go. Included by cub/cub.cuh and hipcub/hipcub.hpp, which
 * define MOCKGPU_CUB (the namespace), MOCKGPU_CUB_VENDOR, MOCKGPU_CUB_ERROR and MOCKGPU_CUB_STREAM.
 *
 * Device-wide calls keep the vendors' protocol: with a null temporary storage they say how much they
 * need; with too little they fail; else their kernels run on the stream and use it. */
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "mockgpu/device.h"

namespace MOCKGPU_CUB {

/* Copied member by member: what lies between them is not read. */
template <class Key_, class Value_> struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
  KeyValuePair() = default;
  KeyValuePair(Key const& k, Value const& v) : key(k), value(v) {}
  KeyValuePair(KeyValuePair const& from) : key(from.key), value(from.value) {}
  KeyValuePair& operator=(KeyValuePair const& from) {
    key = from.key;
    value = from.value;
    return *this;
  }
};

struct Sum {
  template <class T, class U> auto operator()(T const& a, U const& b) const -> decltype(a + b) {
    return a + b;
  }
};
struct Min {
  template <class T, class U>
  typename std::common_type<T, U>::type operator()(T const& a, U const& b) const {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T, class U>
  typename std::common_type<T, U>::type operator()(T const& a, U const& b) const {
    return a < b ? b : a;
  }
};

/* Iterators that make up their values. */
template <class T, class Offset = ptrdiff_t> class CountingInputIterator {
public:
  using value_type = T;
  using difference_type = Offset;
  using reference = T;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;
  explicit CountingInputIterator(T first) : first_(first) {}
  T operator*() const { return first_; }
  template <class N> T operator[](N n) const { return first_ + static_cast<T>(n); }
  template <class N> CountingInputIterator operator+(N n) const {
    return CountingInputIterator(first_ + static_cast<T>(n));
  }

private:
  T first_;
};
template <class T, class Offset = ptrdiff_t> class ConstantInputIterator {
public:
  using value_type = T;
  using difference_type = Offset;
  using reference = T;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;
  explicit ConstantInputIterator(T value, Offset = 0) : value_(value) {}
  T operator*() const { return value_; }
  template <class N> T operator[](N) const { return value_; }
  template <class N> ConstantInputIterator operator+(N) const { return *this; }

private:
  T value_;
};
template <class T, class Function, class Input, class Offset = ptrdiff_t>
class TransformInputIterator {
public:
  using value_type = T;
  using difference_type = Offset;
  using reference = T;
  using pointer = T*;
  using iterator_category = std::random_access_iterator_tag;
  TransformInputIterator(Input input, Function function) : input_(input), function_(function) {}
  T operator*() const { return function_(*input_); }
  template <class N> T operator[](N n) const { return function_(input_[n]); }
  template <class N> TransformInputIterator operator+(N n) const {
    return TransformInputIterator(input_ + n, function_);
  }

private:
  Input input_;
  Function function_;
};

namespace mockgpu_detail {

template <class Input> using value_of = typename std::iterator_traits<Input>::value_type;
/* What a reduction adds up in: the operator's result, whatever the type of the first value is. */
template <class Operation, class Initial, class Input>
using accumulator_of = typename std::decay<decltype(std::declval<Operation&>()(
    std::declval<Initial>(), std::declval<value_of<Input>>()))>::type;

constexpr long long parts = 64;

/* Thread t of one block combines every 64th item, from item t on. */
template <class T, class Input, class Operation>
MOCKGPU_KERNEL void reduce_parts(Input input, T* part, long long count, Operation operation) {
  long long const first = threadIdx.x;
  T sum = input[first];
  for (long long i = first + parts; i < count; i += parts)
    sum = operation(sum, static_cast<T>(input[i]));
  part[first] = sum;
}
template <class T, class Output, class Operation>
MOCKGPU_KERNEL void combine_parts(T const* part, Output output, long long used,
                                  Operation operation, T initial, bool with_initial) {
  T sum = used == 0 || with_initial ? initial : part[0];
  for (long long i = used == 0 || with_initial ? 0 : 1; i < used; ++i)
    sum = operation(sum, part[i]);
  *output = sum;
}
/* One thread for each segment. */
template <class T, class Input, class Output, class Begins, class Ends, class Operation>
MOCKGPU_KERNEL void reduce_segments(Input input, Output output, int segments, Begins begins,
                                    Ends ends, Operation operation, T initial, char* scratch) {
  int const segment = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (segment == 0) *scratch = 0;
  if (segment >= segments) return;
  T sum = initial;
  auto const end = ends[segment];
  for (auto i = begins[segment]; i < end; ++i) sum = operation(sum, static_cast<T>(input[i]));
  output[segment] = sum;
}
template <class T, class Input, class Output, class Operation>
MOCKGPU_KERNEL void scan_all(Input input, Output output, long long count, Operation operation,
                             T initial, bool exclusive, char* scratch) {
  *scratch = 0;
  T sum = initial;
  for (long long i = 0; i < count; ++i) {
    T const item = input[i];
    T const next = !exclusive && i == 0 ? item : operation(sum, item);
    output[i] = exclusive ? sum : next;
    sum = next;
  }
}

template <class Input> struct numbered {
  using value_type = KeyValuePair<int, value_of<Input>>;
  using difference_type = ptrdiff_t;
  using reference = value_type;
  using pointer = value_type*;
  using iterator_category = std::random_access_iterator_tag;
  Input input;
  template <class N> value_type operator[](N n) const {
    return value_type{static_cast<int>(n), input[n]};
  }
};
struct arg_min {
  template <class Pair> Pair operator()(Pair a, Pair b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct arg_max {
  template <class Pair> Pair operator()(Pair a, Pair b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
template <class T> constexpr T lowest() { return std::numeric_limits<T>::lowest(); }
template <class T> constexpr T highest() { return std::numeric_limits<T>::max(); }

using error = MOCKGPU_CUB_ERROR;
using stream = MOCKGPU_CUB_STREAM;

/* Whether the call does its work now; else `result` is what it answers. */
MOCKGPU_NO_HOOKS inline bool has_storage(void* storage, size_t& size_bytes, size_t needed_bytes,
                                         error& result) {
  result = static_cast<error>(0);
  if (storage == nullptr) {
    size_bytes = needed_bytes;
    return false;
  }
  if (size_bytes < needed_bytes) result = static_cast<error>(1); /* invalid value */
  return size_bytes >= needed_bytes;
}

template <class... Parameters>
MOCKGPU_NO_HOOKS error run(char const* name, void (*kernel)(Parameters...), unsigned blocks,
                           unsigned threads, stream on, Parameters... values) {
  void* addresses[] = {static_cast<void*>(&values)...};
  return ::mockgpu_shim::launch<::mockgpu_shim::MOCKGPU_CUB_VENDOR>(
      ::mockgpu_shim::launch_site{name, name, nullptr, 0}, kernel, dim3(blocks), dim3(threads),
      addresses, 0, on);
}

template <class T, class Input, class Output, class Operation>
error reduce(char const* name, void* storage, size_t& size_bytes, Input input, Output output,
             long long count, Operation operation, T initial, bool with_initial, stream on) {
  error result;
  if (!has_storage(storage, size_bytes, parts * sizeof(T) + alignof(T), result)) return result;
  size_t const address = reinterpret_cast<size_t>(storage);
  T* const part = reinterpret_cast<T*>((address + alignof(T) - 1) / alignof(T) * alignof(T));
  long long const used = count < parts ? count : parts;
  if (used > 0)
    result = run<Input, T*, long long, Operation>(
        name, &reduce_parts<T, Input, Operation>, 1, static_cast<unsigned>(used), on, input, part,
        count, operation);
  if (result != static_cast<error>(0)) return result;
  return run<T const*, Output, long long, Operation, T, bool>(
      name, &combine_parts<T, Output, Operation>, 1, 1, on, part, output, used, operation, initial,
      with_initial);
}
template <class T, class Input, class Output, class Begins, class Ends, class Operation>
error reduce_segmented(char const* name, void* storage, size_t& size_bytes, Input input,
                       Output output, int segments, Begins begins, Ends ends, Operation operation,
                       T initial, stream on) {
  error result;
  if (!has_storage(storage, size_bytes, 1, result) || segments <= 0) return result;
  return run<Input, Output, int, Begins, Ends, Operation, T, char*>(
      name, &reduce_segments<T, Input, Output, Begins, Ends, Operation>,
      static_cast<unsigned>((segments + 127) / 128), 128, on, input, output, segments, begins, ends,
      operation, initial, static_cast<char*>(storage));
}
template <class T, class Input, class Output, class Operation>
error scan(char const* name, void* storage, size_t& size_bytes, Input input, Output output,
           long long count, Operation operation, T initial, bool exclusive, stream on) {
  error result;
  if (!has_storage(storage, size_bytes, 1, result) || count <= 0) return result;
  return run<Input, Output, long long, Operation, T, bool, char*>(
      name, &scan_all<T, Input, Output, Operation>, 1, 1, on, input, output, count, operation,
      initial, exclusive, static_cast<char*>(storage));
}

} // namespace mockgpu_detail

#define MOCKGPU_CUB_TEXT_(name) #name
#define MOCKGPU_CUB_TEXT(name) MOCKGPU_CUB_TEXT_(name)
#define MOCKGPU_CUB_NAME(call) MOCKGPU_CUB_TEXT(MOCKGPU_CUB) "::" call

struct DeviceReduce {
  using error = mockgpu_detail::error;
  using stream = mockgpu_detail::stream;
  template <class Input, class Output, class Count, class Operation, class T>
  static error Reduce(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                      Operation operation, T initial, stream on = nullptr) {
    using accumulated = mockgpu_detail::accumulator_of<Operation, T, Input>;
    return mockgpu_detail::reduce<accumulated>(MOCKGPU_CUB_NAME("DeviceReduce::Reduce"), storage,
                                               size_bytes, input, output, count, operation,
                                               static_cast<accumulated>(initial), true, on);
  }
  template <class Input, class Output, class Count>
  static error Sum(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                   stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    return mockgpu_detail::reduce<T>(MOCKGPU_CUB_NAME("DeviceReduce::Sum"), storage, size_bytes,
                                     input, output, count, MOCKGPU_CUB::Sum(), T(0), true, on);
  }
  template <class Input, class Output, class Count>
  static error Min(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                   stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    return mockgpu_detail::reduce<T>(MOCKGPU_CUB_NAME("DeviceReduce::Min"), storage, size_bytes,
                                     input, output, count, MOCKGPU_CUB::Min(),
                                     mockgpu_detail::highest<T>(), true, on);
  }
  template <class Input, class Output, class Count>
  static error Max(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                   stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    return mockgpu_detail::reduce<T>(MOCKGPU_CUB_NAME("DeviceReduce::Max"), storage, size_bytes,
                                     input, output, count, MOCKGPU_CUB::Max(),
                                     mockgpu_detail::lowest<T>(), true, on);
  }
  template <class Input, class Output, class Count>
  static error ArgMin(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                      stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    using pair = KeyValuePair<int, T>;
    return mockgpu_detail::reduce<pair>(
        MOCKGPU_CUB_NAME("DeviceReduce::ArgMin"), storage, size_bytes,
        mockgpu_detail::numbered<Input>{input}, output, count, mockgpu_detail::arg_min(),
        pair{1, mockgpu_detail::highest<T>()}, false, on);
  }
  template <class Input, class Output, class Count>
  static error ArgMax(void* storage, size_t& size_bytes, Input input, Output output, Count count,
                      stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    using pair = KeyValuePair<int, T>;
    return mockgpu_detail::reduce<pair>(
        MOCKGPU_CUB_NAME("DeviceReduce::ArgMax"), storage, size_bytes,
        mockgpu_detail::numbered<Input>{input}, output, count, mockgpu_detail::arg_max(),
        pair{1, mockgpu_detail::lowest<T>()}, false, on);
  }
};

struct DeviceSegmentedReduce {
  using error = mockgpu_detail::error;
  using stream = mockgpu_detail::stream;
  template <class Input, class Output, class Begins, class Ends, class Operation, class T>
  static error Reduce(void* storage, size_t& size_bytes, Input input, Output output, int segments,
                      Begins begins, Ends ends, Operation operation, T initial,
                      stream on = nullptr) {
    using accumulated = mockgpu_detail::accumulator_of<Operation, T, Input>;
    return mockgpu_detail::reduce_segmented<accumulated>(
        MOCKGPU_CUB_NAME("DeviceSegmentedReduce::Reduce"), storage, size_bytes, input, output,
        segments, begins, ends, operation, static_cast<accumulated>(initial), on);
  }
#define MOCKGPU_SEGMENTED(name, operation, initial)                                                \
  template <class Input, class Output, class Begins, class Ends>                                   \
  static error name(void* storage, size_t& size_bytes, Input input, Output output, int segments,   \
                    Begins begins, Ends ends, stream on = nullptr) {                               \
    using T = mockgpu_detail::value_of<Input>;                                                     \
    return mockgpu_detail::reduce_segmented<T>(MOCKGPU_CUB_NAME("DeviceSegmentedReduce::" #name),  \
                                               storage, size_bytes, input, output, segments,       \
                                               begins, ends, operation, initial, on);              \
  }
  MOCKGPU_SEGMENTED(Sum, MOCKGPU_CUB::Sum(), T(0))
  MOCKGPU_SEGMENTED(Min, MOCKGPU_CUB::Min(), mockgpu_detail::highest<T>())
  MOCKGPU_SEGMENTED(Max, MOCKGPU_CUB::Max(), mockgpu_detail::lowest<T>())
#undef MOCKGPU_SEGMENTED
};

struct DeviceScan {
  using error = mockgpu_detail::error;
  using stream = mockgpu_detail::stream;
  template <class Input, class Output, class Operation, class T, class Count>
  static error ExclusiveScan(void* storage, size_t& size_bytes, Input input, Output output,
                             Operation operation, T initial, Count count, stream on = nullptr) {
    return mockgpu_detail::scan<T>(MOCKGPU_CUB_NAME("DeviceScan::ExclusiveScan"), storage,
                                   size_bytes, input, output, count, operation, initial, true, on);
  }
  template <class Input, class Output, class Operation, class Count>
  static error InclusiveScan(void* storage, size_t& size_bytes, Input input, Output output,
                             Operation operation, Count count, stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    return mockgpu_detail::scan<T>(MOCKGPU_CUB_NAME("DeviceScan::InclusiveScan"), storage,
                                   size_bytes, input, output, count, operation, T(), false, on);
  }
  template <class Input, class Output, class Count>
  static error ExclusiveSum(void* storage, size_t& size_bytes, Input input, Output output,
                            Count count, stream on = nullptr) {
    using T = mockgpu_detail::value_of<Input>;
    return ExclusiveScan(storage, size_bytes, input, output, MOCKGPU_CUB::Sum(), T(0), count, on);
  }
  template <class Input, class Output, class Count>
  static error InclusiveSum(void* storage, size_t& size_bytes, Input input, Output output,
                            Count count, stream on = nullptr) {
    return InclusiveScan(storage, size_bytes, input, output, MOCKGPU_CUB::Sum(), count, on);
  }
};

} // namespace MOCKGPU_CUB

#include "mockgpu/cub_block.h"
#undef MOCKGPU_CUB_TEXT_
#undef MOCKGPU_CUB_TEXT
#undef MOCKGPU_CUB_NAME
