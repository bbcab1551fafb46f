#include "order/issue_log.hpp"

#include <algorithm>
#include <iterator>

#include <functional>

#include "mockgpu/assert.h"

namespace mockgpu {
namespace {

std::uint64_t hash(call_site const& site) {
  auto h = std::uint64_t(std::hash<std::string>{}(site.name));
  for (std::uint64_t part :
       {reinterpret_cast<std::uintptr_t>(site.return_address),
        reinterpret_cast<std::uintptr_t>(site.file), std::uintptr_t(site.line)})
    h = (h ^ part) * 0x9E3779B97F4A7C15u;
  return h;
}

/// FNV-1a: no library's hash, whose seed may change.
std::uint64_t name_hash(call_site const& site) {
  std::uint64_t h = 0xCBF29CE484222325u;
  auto const add = [&h](char const* text) {
    for (; *text != '\0'; ++text) h = (h ^ static_cast<unsigned char>(*text)) * 0x100000001B3u;
  };
  add(site.what);
  add(site.name.c_str());
  return (h ^ site.line) * 0x100000001B3u;
}

} // namespace

issue_number issue_log::add(call_site const& site, stream_serial stream) {
  MOCKGPU_ASSERT((records_.size() < UINT32_MAX - 1) && "issue numbers have 32 bits");
  std::uint64_t const h = hash(site);
  std::uint32_t index = UINT32_MAX;
  for (auto [it, end] = site_by_hash_.equal_range(h); it != end; ++it)
    if (sites_[it->second] == site) index = it->second;
  if (index == UINT32_MAX) {
    index = std::uint32_t(sites_.size());
    sites_.push_back(site);
    name_hashes_.push_back(name_hash(site));
    site_by_hash_.emplace(h, index);
  }
  records_.push_back({index, stream});
  return last();
}

void issue_log::mark_use(std::string program) { uses_.push_back({last() + 1, std::move(program)}); }

issue_log::use_mark const* issue_log::use_of(issue_number issue) const {
  auto const after =
      std::upper_bound(uses_.begin(), uses_.end(), issue,
                       [](issue_number wanted, use_mark const& one) { return wanted < one.from; });
  if (after == uses_.begin() || std::prev(after)->program.empty()) return nullptr;
  return &*std::prev(after);
}

issue_log::stream_entry& issue_log::stream(stream_serial serial) {
  if (streams_.size() <= serial) streams_.resize(serial + std::size_t{1});
  return streams_[serial];
}
void issue_log::name_stream(stream_serial serial, std::string name) {
  stream(serial).name = std::move(name);
}
std::string const& issue_log::stream_name(stream_serial serial) const {
  return streams_[serial].name;
}
void issue_log::set_legacy(stream_serial serial, int device) {
  stream(serial).legacy = true;
  stream(serial).device = device;
}
void issue_log::set_non_blocking(stream_serial serial, int device) {
  stream(serial).non_blocking = true;
  stream(serial).device = device;
}
bool issue_log::exempt_from_legacy_barrier(stream_serial a, stream_serial b) const {
  stream_entry const &first = streams_[a], &second = streams_[b];
  return first.device == second.device &&
         ((first.legacy && second.non_blocking) || (first.non_blocking && second.legacy));
}

} // namespace mockgpu
