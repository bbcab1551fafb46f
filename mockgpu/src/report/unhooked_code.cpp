#include "report/unhooked_code.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>

#include <link.h>

#include "mockgpu/abi.h"
#include "mockgpu/control.hpp"

namespace mockgpu {
namespace {

struct registry {
  std::mutex guard;
  std::map<char const*, char const*> units; // begin and end of each library's names
  std::vector<void const*> exempt;
};

// Never destroyed: libraries leave it from their own destructors.
registry& all() {
  static registry& instance = *new registry;
  return instance;
}

struct loaded_object {
  std::string path;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> segments;

  [[nodiscard]] bool holds(void const* address) const {
    auto const a = reinterpret_cast<std::uintptr_t>(address);
    return std::any_of(segments.begin(), segments.end(),
                       [a](auto const& one) { return a >= one.first && a < one.second; });
  }
};

/// The program first, then its libraries.
std::vector<loaded_object> loaded_objects() {
  std::vector<loaded_object> result;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        auto& list = *static_cast<std::vector<loaded_object>*>(into);
        loaded_object one;
        one.path = info->dlpi_name;
        if (list.empty()) {
          std::error_code failed;
          one.path = std::filesystem::read_symlink("/proc/self/exe", failed).string();
        }
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          auto const& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_LOAD)
            one.segments.emplace_back(info->dlpi_addr + segment.p_vaddr,
                                      info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
        }
        list.push_back(std::move(one));
        return 0;
      },
      &result);
  return result;
}

bool is_of_the_system(std::string const& path) {
  return path.find('/') == path.npos || path.starts_with("/lib") || path.starts_with("/usr/") ||
         path.starts_with("/bin/");
}

std::vector<std::string> marked_units(loaded_object const& object) {
  std::vector<std::string> names;
  for (auto const& [begin, end] : all().units) {
    if (!object.holds(begin)) continue;
    for (char const* at = begin; at < end;) {
      std::string name(at);
      at += name.size() + 1;
      names.push_back(std::move(name));
    }
  }
  return names;
}

std::string base_name(std::string const& path) { return path.substr(path.rfind('/') + 1); }

} // namespace

std::vector<std::string> find_unmarked(std::vector<std::string> units,
                                       std::vector<std::string> marked) {
  // Parts of the C and C++ run-time libraries that every link takes from an archive.
  static constexpr std::array<std::string_view, 6> everywhere = {
      "crtstuff.c", "crtbegin.c", "crtend.c", "elf-init.c", "atexit.c", "libgcc2.c"};
  for (auto* const list : {&units, &marked}) {
    for (std::string& name : *list) name = base_name(name);
    std::sort(list->begin(), list->end());
  }
  std::vector<std::string> result;
  std::set_difference(units.begin(), units.end(), marked.begin(), marked.end(),
                      std::back_inserter(result));
  std::erase_if(result, [](std::string const& name) {
    // The linker names start files by their object, and its own symbols by nothing.
    return name.empty() || name.ends_with(".o") ||
           std::find(everywhere.begin(), everywhere.end(), name) != everywhere.end();
  });
  return result;
}

void exempt_from_hooks(void const* address) noexcept {
  auto& known = all();
  std::lock_guard const lock(known.guard);
  known.exempt.push_back(address);
}

std::vector<std::string> unhooked_code() {
  auto& known = all();
  std::lock_guard const lock(known.guard);
  std::vector<loaded_object> const objects = loaded_objects();
  bool const program_has_hooks = !objects.empty() && !marked_units(objects.front()).empty();
  std::vector<std::string> result;
  for (loaded_object const& object : objects) {
    bool const exempt = std::any_of(known.exempt.begin(), known.exempt.end(),
                                    [&](void const* at) { return object.holds(at); });
    if (exempt || object.holds(&known) ||
        object.holds(reinterpret_cast<void const*>(&unhooked_code)))
      continue;
    std::vector<std::string> const marked = marked_units(object);
    if (marked.empty() && is_of_the_system(object.path)) continue;
    elf_contents const contents = read_elf(object.path);
    if (!marked.empty()) {
      for (std::string& name : find_unmarked(contents.units, marked))
        result.push_back(base_name(object.path) + "(" + name + ")");
    } else if (program_has_hooks || std::any_of(contents.needed.begin(), contents.needed.end(),
                                                [](std::string const& name) {
                                                  return name.starts_with("libmockgpu.so");
                                                })) {
      result.push_back(base_name(object.path));
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace mockgpu

extern "C" {

void mockgpu_add_units(char const* begin, char const* end) {
  if (begin == nullptr) return;
  auto& known = mockgpu::all();
  std::lock_guard const lock(known.guard);
  known.units[begin] = end;
}

void mockgpu_remove_units(char const* begin) {
  auto& known = mockgpu::all();
  std::lock_guard const lock(known.guard);
  known.units.erase(begin);
}
}
