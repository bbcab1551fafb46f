#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/unhooked_code.hpp"

namespace mockgpu {
namespace {

/// A file's bytes, with every look checked against its size: the file may be anything.
class mapped_file {
public:
  explicit mapped_file(std::string const& path) {
    int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat about {};
    if (fstat(file, &about) == 0 && about.st_size > 0) {
      size_ = static_cast<std::size_t>(about.st_size);
      void* const bytes = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (bytes != MAP_FAILED) bytes_ = static_cast<char const*>(bytes);
    }
    close(file);
  }
  ~mapped_file() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }
  mapped_file(mapped_file const&) = delete;
  mapped_file& operator=(mapped_file const&) = delete;

  template <class T> [[nodiscard]] bool read(std::uint64_t offset, T& into) const {
    if (bytes_ == nullptr || offset > size_ || size_ - offset < sizeof(T)) return false;
    std::memcpy(&into, bytes_ + offset, sizeof(T));
    return true;
  }
  /// Up to the zero that ends it.
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (bytes_ == nullptr || offset >= size_) return {};
    return {bytes_ + offset, strnlen(bytes_ + offset, size_ - offset)};
  }

private:
  char const* bytes_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace

elf_contents read_elf(std::string const& path) {
  elf_contents result;
  mapped_file const file(path);
  Elf64_Ehdr header;
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return result;
  auto const section = [&](std::uint64_t index, Elf64_Shdr& into) {
    return file.read(header.e_shoff + index * sizeof(Elf64_Shdr), into);
  };
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr one;
    Elf64_Shdr strings;
    if (!section(i, one) || !section(one.sh_link, strings)) continue;
    if (one.sh_type == SHT_SYMTAB) {
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= one.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        if (!file.read(one.sh_offset + at, symbol)) break;
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE)
          result.units.push_back(file.text(strings.sh_offset + symbol.st_name));
      }
    } else if (one.sh_type == SHT_DYNAMIC) {
      for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= one.sh_size; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        if (!file.read(one.sh_offset + at, entry) || entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_NEEDED)
          result.needed.push_back(file.text(strings.sh_offset + entry.d_un.d_val));
      }
    }
  }
  return result;
}

} // namespace mockgpu
