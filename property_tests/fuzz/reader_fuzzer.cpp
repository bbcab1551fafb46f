// libFuzzer's side of fuzzing::read_sdfg.
#include <cstddef>
#include <cstdint>

#include "fuzz/entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  assay::fuzzing::read_sdfg({reinterpret_cast<char const*>(data), size});
  return 0;
}
