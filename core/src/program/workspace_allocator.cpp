#include "assay/workspace_allocator.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "assay/error.hpp"

namespace assay {
namespace {

constexpr std::size_t base_alignment_bytes = 256;

struct source_register {
  std::mutex lock;
  std::map<std::string, workspace_source, std::less<>> sources;
};
source_register& all_sources() {
  static source_register one;
  return one;
}

} // namespace

void register_workspace_source(std::string const& name, workspace_source source) {
  if (name.empty()) throw error(errc::invalid_input, "a workspace allocator needs a name");
  if (!source)
    throw error(errc::invalid_input, fmt::format("workspace allocator '{}' is no callable", name));
  auto& known = all_sources();
  std::scoped_lock const hold(known.lock);
  if (!known.sources.emplace(name, std::move(source)).second)
    throw error(errc::invalid_input,
                fmt::format("workspace allocator '{}' is registered already", name));
}

void unregister_workspace_source(std::string_view name) {
  auto& known = all_sources();
  std::scoped_lock const hold(known.lock);
  if (auto const found = known.sources.find(name); found != known.sources.end())
    known.sources.erase(found);
}

workspace_source find_workspace_source(std::string_view name) {
  auto& known = all_sources();
  std::scoped_lock const hold(known.lock);
  if (auto const found = known.sources.find(name); found != known.sources.end())
    return found->second;
  std::string names;
  for (auto const& [each, source] : known.sources) names += (names.empty() ? "" : ", ") + each;
  throw error(errc::invalid_input,
              fmt::format("no workspace allocator is registered as '{}' (known: {})", name,
                          names.empty() ? "none" : names));
}

slab_allocator::slab_allocator(memory from, std::size_t size_bytes)
    : memory_(std::move(from)), size_bytes_(size_bytes) {}

slab_allocator::~slab_allocator() {
  if (!memory_.release) return;
  for (auto const& [device, buffer] : slabs_) {
    try {
      memory_.release(device, buffer.base);
    } catch (...) { // a destructor has nobody to tell
    }
  }
}

workspace_buffer slab_allocator::slab(workspace_device const& device, std::size_t size_bytes) {
  auto const object = fmt::format("workspace of {} on device {}", device.storage, device.device);
  auto const too_small = [&](std::size_t has) {
    return error(errc::invalid_input,
                 fmt::format("{}: {} bytes asked, the slab has {}", object, size_bytes, has));
  };
  std::scoped_lock const hold(lock_);
  if (auto const found = slabs_.find(device); found != slabs_.end()) {
    if (found->second.size_bytes < size_bytes) throw too_small(found->second.size_bytes);
    return found->second;
  }
  if (size_bytes_ != 0 && size_bytes_ < size_bytes) throw too_small(size_bytes_);
  std::size_t const made_bytes = size_bytes_ != 0 ? size_bytes_ : size_bytes;
  void* const base = memory_.allocate(device, made_bytes);
  if (base == nullptr)
    throw error(errc::environment, fmt::format("{}: no memory of {} bytes", object, made_bytes));
  if (reinterpret_cast<std::uintptr_t>(base) % base_alignment_bytes != 0) {
    if (memory_.release) memory_.release(device, base);
    throw error(errc::environment, fmt::format("{}: base {} is not aligned to {} bytes", object,
                                               fmt::ptr(base), base_alignment_bytes));
  }
  return slabs_.emplace(device, workspace_buffer{base, made_bytes}).first->second;
}

workspace_source slab_allocator::source() {
  return [this](workspace_device const& device, std::size_t size_bytes) {
    return slab(device, size_bytes);
  };
}

} // namespace assay
