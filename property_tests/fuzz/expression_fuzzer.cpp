// libFuzzer's side of fuzzing::parse_text.
#include <cstddef>
#include <cstdint>

#include "fuzz/entries.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  assay::fuzzing::parse_text({reinterpret_cast<char const*>(data), size});
  return 0;
}
