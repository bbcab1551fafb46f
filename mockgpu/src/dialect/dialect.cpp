#include "dialect/dialect.hpp"

#include <stdexcept>
#include <string>

namespace mockgpu {
namespace {

constexpr dialect dialects[] = {
    {.name = "cuda-13",
     .free_synchronises_device = false,
     .free_of_pool_memory_synchronises_device = false,
     .host_free_synchronises_device = false,
     .default_stream_synchronise_covers_blocking = false,
     .last_error_is_last_status = false,
     .null_async_free_is_invalid = false,
     .runtime_version = 13000,
     .warp_size = 32},
    {.name = "hip-6",
     .free_synchronises_device = true,
     .free_of_pool_memory_synchronises_device = true,
     .host_free_synchronises_device = true,
     .default_stream_synchronise_covers_blocking = true,
     .last_error_is_last_status = true,
     .null_async_free_is_invalid = true,
     .runtime_version = 60000000,
     .warp_size = 64},
    {.name = "hip-7",
     .free_synchronises_device = true,
     .free_of_pool_memory_synchronises_device = false,
     .host_free_synchronises_device = true,
     .default_stream_synchronise_covers_blocking = true,
     .last_error_is_last_status = false,
     .null_async_free_is_invalid = true,
     .runtime_version = 70000000,
     .warp_size = 64},
};

} // namespace

dialect const& find_dialect(std::string_view name) {
  for (dialect const& one : dialects)
    if (one.name == name) return one;
  throw std::invalid_argument("unknown dialect '" + std::string(name) +
                              "': expected cuda-13, hip-6 or hip-7");
}

} // namespace mockgpu
