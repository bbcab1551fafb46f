#pragma once
/// \file From generated text to a shared library, through a cache that concurrent builders share.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "assay/emit.hpp"

namespace assay {

/// The compilers of one target. Commands are argument lists, never shell text.
struct toolchain {
  std::vector<std::string> host_compiler;   ///< compiles src/cpu/*
  std::vector<std::string> device_compiler; ///< compiles all other sources
  std::vector<std::string> linker;          ///< takes objects and `-shared -o FILE`
  std::vector<std::string> flags;           ///< for each compilation
  std::vector<std::filesystem::path> include_directories;
  std::string identity; ///< changes whenever compilers or their headers do; part of the cache key
};

struct built_library {
  std::filesystem::path library; ///< absolute: <cache>/<key>/lib<name>.so
  std::string key;               ///< hash of everything that decides the library
  bool was_cached = false;
};

/// The cache key of these files under this toolchain, without building.
[[nodiscard]] std::string library_key(std::span<generated_file const>, toolchain const&);

/// Builds lib<name>.so, or finds it in the cache. Half-built libraries are never visible: work is
/// done aside and renamed into place. Processes and threads that want the same text at once wait for
/// the first of them, or for the next one where that dies.
/// \throws error{environment} with the compiler's first error line, or naming the folder that
/// cannot be written.
[[nodiscard]] built_library build(std::span<generated_file const>, std::string const& name,
                                  toolchain const&, std::filesystem::path const& cache);

/// Writes generated files below `directory`, making folders. \throws error{environment} naming the
/// file.
void write_files(std::span<generated_file const>, std::filesystem::path const& directory);

} // namespace assay
