#include "sdfg/inflate.hpp"

#include "assay/error.hpp"

#include <zlib.h>

#include <array>
#include <limits>

namespace assay::sdfg {

bool is_gzip(std::string_view bytes) noexcept { return bytes.starts_with("\x1f\x8b"); }

std::string inflated(std::string_view bytes) {
  constexpr std::size_t most_bytes = std::size_t{1} << 30; // a few bytes can stand for any amount
  if (bytes.size() > std::numeric_limits<uInt>::max())
    throw error(errc::invalid_input, "compressed file is larger than 4 GiB");
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&stream, gzip_only) != Z_OK)
    throw error(errc::environment, "cannot start the decompression");
  struct guard {
    z_stream& stream;
    ~guard() { inflateEnd(&stream); }
  } const release{stream};

  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); // zlib only reads it
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 1 << 16> chunk;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_out != 0 && stream.avail_in == 0))
      throw error(errc::invalid_input, "truncated gzip data");
    if (status != Z_OK && status != Z_STREAM_END)
      throw error(errc::invalid_input, "damaged gzip data");
    text.append(chunk.data(), chunk.size() - stream.avail_out);
    if (text.size() > most_bytes)
      throw error(errc::invalid_input, "compressed file holds more than 1 GiB of text");
  }
  return text;
}

} // namespace assay::sdfg
