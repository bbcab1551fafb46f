// From what the checker noticed to findings: names, places, missing edges.
#include <algorithm>
#include <cstdlib>

#include "order/checker.hpp"
#include "order/checker_guard.hpp"
#include "order/rules.hpp"
#include "report/source_lookup.hpp"

namespace mockgpu {
namespace {

char const* text_of(side_access access) {
  switch (access) {
  case side_access::none:
    break;
  case side_access::read:
    return "read";
  case side_access::write:
    return "write";
  case side_access::atomic:
    return "atomic";
  case side_access::alloc:
    return "alloc";
  case side_access::free:
    return "free";
  }
  return "";
}

std::string place_of(source_location const& location) {
  if (location.line == 0) return {};
  std::size_t const slash = location.file.rfind('/');
  return location.file.substr(slash == std::string::npos ? 0 : slash + 1) + ":" +
         std::to_string(location.line);
}

/// "kernel 'produce' (issue 3, stream 1)".
std::string words_for(operation_ref const& side) {
  std::string text = side.what;
  if (!side.name.empty()) text += " '" + side.name + "'";
  text += side.what == "host access" ? " (" + side.chain
                                     : " (issue " + std::to_string(side.issue) + ", " + side.chain;
  if (std::string const place = place_of(side.location); !place.empty()) text += ", " + place;
  return text + ")";
}

source_location place_of_call(call_site const& site) {
  if (site.file != nullptr) return {site.file, site.line, {}};
  return locate(site.return_address);
}

std::string bytes_text(byte_range hull) {
  return "bytes " + std::to_string(hull.begin) + " to " + std::to_string(hull.end);
}

/// Removes what is reported already, and notes the rest. Both sorted and merged.
std::vector<byte_range> take_new(std::vector<byte_range>& known,
                                 std::vector<byte_range> const& found) {
  std::vector<byte_range> fresh;
  for (byte_range part : found) {
    for (byte_range const& old : known) {
      if (old.end <= part.begin) continue;
      if (old.begin >= part.end) break;
      if (old.begin > part.begin) fresh.push_back({part.begin, old.begin});
      part.begin = std::min(part.end, old.end);
    }
    if (part.begin < part.end) fresh.push_back(part);
  }
  known.insert(known.end(), fresh.begin(), fresh.end());
  normalise(known);
  return fresh;
}

} // namespace

operation_ref checker::refer(chain_index chain, issue_number issue, side_access access,
                             void const* pc) const {
  operation_ref side;
  side.access = text_of(access);
  bool const call = access == side_access::alloc || access == side_access::free;
  if (chain == host_chain && !call) {
    side.what = "host access";
    side.chain = "host thread 0";
    side.issue = issue - 1;
    // The host reads inside a call too: launch arguments, and the source of a synchronous copy.
    if (pc == nullptr && issue <= log_.last()) {
      call_site const& site = log_.site(issue);
      side.name = site.name;
      side.location = place_of_call(site);
    } else {
      side.location = locate(pc);
    }
    return side;
  }
  call_site const& site = log_.site(issue);
  side.what = site.what;
  side.name = site.name;
  side.issue = issue;
  side.chain = chain == host_chain ? "host thread 0" : log_.stream_name(log_.stream_of(issue));
  side.location = pc != nullptr ? locate(pc) : place_of_call(site);
  return side;
}

memory_ref checker::refer(allocation const& block, byte_range bytes) const {
  memory_ref ref;
  ref.name = block.name.empty() ? "allocation " + std::to_string(block.index) : block.name;
  ref.space = block.managed                         ? "managed"
              : block.space == memory_space::pinned ? "pinned host"
                                                  : "device " + std::to_string(block.device);
  if (block.pool != 0) ref.space += " pool";
  ref.address = block.begin;
  ref.size_bytes = block.size_bytes;
  ref.generation = block.index;
  ref.allocated_by = block.variable ? "a variable of the program"
                                    : log_.site(block.issue).name + ", issue " +
                                          std::to_string(block.issue);
  if (!block.layouts.empty())
    for (sub_array const& part : block.layouts.back().parts)
      if (std::int64_t(part.begin) <= bytes.begin && bytes.begin < std::int64_t(part.end)) {
        ref.sub_array = part.name;
        break;
      }
  return ref;
}

memory_ref checker::refer_host(std::uintptr_t base, issue_number used_by) const {
  memory_ref ref;
  ref.space = "pageable host";
  ref.address = base;
  ref.name = "host memory";
  if (used_by != 0) ref.name += " of '" + log_.site(used_by).name + "'";
  auto after = host_names_.upper_bound(base);
  if (after != host_names_.begin()) {
    auto const& [begin, named] = *std::prev(after);
    if (base - begin < named.first) {
      ref.name = named.second;
      ref.address = begin;
      ref.size_bytes = named.first;
    }
  }
  return ref;
}

issue_number checker::first_conflict_after(issue_number after, allocation const* block,
                                           chain_index chain, side_access access,
                                           issue_number otherwise) const {
  if (block == nullptr) return otherwise;
  issue_number first = otherwise;
  for (access_site const& site : block->sites)
    if (site.chain == chain && site.issue > after && site.issue < first &&
        std::string_view(text_of(access)) == (site.kind == history_kind::read    ? "read"
                                              : site.kind == history_kind::write ? "write"
                                                                                 : "atomic"))
      first = site.issue;
  return first;
}

/// The edge goes from the earlier issued side to the first operation of the later side's chain that
/// touches the memory so: the operation that happened to be caught may not have been the first.
void checker::propose_edge(finding& about, actor const& by, violation_key const& key) const {
  chain_index const chain = by.where.chain;
  issue_number const issue = by.where.issue;
  allocation const* const block = key.allocation == 0 ? nullptr : &memory_.at(key.allocation);
  struct end {
    chain_index chain;
    issue_number issue;
    side_access access;
  } from{key.other.chain, key.other.issue, key.other.access}, to{chain, issue, key.access};
  if (from.issue > to.issue || (from.issue == to.issue && from.chain == host_chain))
    std::swap(from, to);
  if (from.chain == host_chain) return; // the host's past is ordered before every call
  bool const call = to.access == side_access::alloc || to.access == side_access::free;
  if (!call) to.issue = first_conflict_after(from.issue, block, to.chain, to.access, to.issue);

  call_site const& source = log_.site(from.issue);
  std::string const vendor = vendor_prefix();
  std::string const stream = log_.stream_name(log_.stream_of(from.issue));
  std::string const after = source.what + std::string(" '") + source.name + "' (issue " +
                            std::to_string(from.issue) + ")";
  if (to.chain == host_chain) {
    about.edge = missing_edge{missing_edge::kind::host_wait, from.issue, to.issue - 1};
    about.edge_words = "let the host wait for " + after + " before it goes on after issue " +
                       std::to_string(to.issue - 1) + ": " + vendor + "StreamSynchronize(<" +
                       stream + ">)";
    return;
  }
  call_site const& target = log_.site(to.issue);
  about.edge = missing_edge{missing_edge::kind::stream_wait, from.issue, to.issue};
  about.edge_words = "record an event after " + after + " and wait for it before " + target.what +
                     " '" + target.name + "' (issue " + std::to_string(to.issue) + "): " + vendor +
                     "EventRecord(e, <" + stream + ">); " + vendor + "StreamWaitEvent(<" +
                     log_.stream_name(log_.stream_of(to.issue)) + ">, e, 0)";
}

finding checker::describe(actor const& by, violation_key const& key, violation const& found) const {
  finding result;
  result.kind = key.kind;
  result.rule = key.rule;
  result.advice = key.kind == kind::implicit_free_order;
  result.ranges = found.ranges;
  allocation* const block = key.allocation == 0 ? nullptr : &memory_.at(key.allocation);

  void const* other_pc = nullptr;
  if (block != nullptr)
    for (access_site const& site : block->sites)
      if (site.chain == key.other.chain && site.issue == key.other.issue &&
          std::string_view(text_of(key.other.access)) == (site.kind == history_kind::read ? "read"
                                                          : site.kind == history_kind::write
                                                              ? "write"
                                                              : "atomic"))
        other_pc = site.return_address;
  operation_ref const self =
      refer(by.where.chain, by.where.issue, key.access, found.return_address);
  bool const alone = key.other.access == side_access::none;
  if (alone) {
    result.second = self;
  } else {
    operation_ref const other = refer(key.other.chain, key.other.issue, key.other.access, other_pc);
    bool const other_first = key.other.issue <= by.where.issue;
    result.first = other_first ? other : self;
    result.second = other_first ? self : other;
  }

  std::int64_t const shift =
      key.kind == kind::device_touches_host ? result.ranges.front().begin : 0;
  if (block != nullptr) {
    result.memory = refer(*block, result.ranges.front());
  } else if (key.kind == kind::device_touches_host) {
    // Addresses of host memory differ from run to run; offsets from the first byte do not.
    result.memory = refer_host(std::uintptr_t(shift), 0);
    for (byte_range& range : result.ranges) range.begin -= shift, range.end -= shift;
  } else if (key.base != 0) {
    result.memory = refer_host(key.base, key.other.issue);
    std::int64_t const named = std::int64_t(key.base - result.memory.address);
    for (byte_range& range : result.ranges) range.begin += named, range.end += named;
  }
  byte_range const hull{result.ranges.front().begin, result.ranges.back().end};
  result.byte_begin = hull.begin;
  result.byte_end = hull.end;

  std::string const where = bytes_text(hull) + " of '" + result.memory.name + "'";
  std::string const verb = key.access == side_access::read    ? "reads "
                           : key.access == side_access::write ? "writes "
                           : key.access == side_access::free  ? "frees "
                                                              : "updates ";
  if (key.kind == kind::stream_race || key.kind == kind::host_race) {
    result.message = words_for(result.second) + " and " + words_for(result.first) + " access " +
                     where + " (" + result.second.access + " and " + result.first.access +
                     ") and nothing orders them";
    if (key.kind == kind::stream_race && block != nullptr && !block->layouts.empty()) {
      auto const* const one = log_.use_of(result.first.issue);
      auto const* const other = log_.use_of(result.second.issue);
      if (one != nullptr && other != nullptr && one != other) {
        result.kind = kind::workspace_unordered;
        result.rule = rule::ordered_uses;
        result.message = "uses of one workspace by '" + one->program + "' and '" + other->program +
                         "' are not ordered: " + result.message;
      }
    }
  } else if (key.kind == kind::use_before_alloc) {
    result.message = words_for(self) + " " + verb + where +
                     " without being ordered after its stream-ordered "
                     "allocation by " +
                     words_for(result.first.access == "alloc" ? result.first : result.second);
  } else if (key.kind == kind::use_after_free || key.kind == kind::use_after_free_issue) {
    operation_ref const& free = result.first.access == "free" ? result.first : result.second;
    operation_ref const& use = result.first.access == "free" ? result.second : result.first;
    result.message = words_for(use) + " accesses " + where +
                     (key.kind == kind::use_after_free_issue ? ", and was issued after "
                      : use.issue > free.issue               ? " after "
                                                             : " without being ordered before ") +
                     words_for(free) +
                     (use.issue > free.issue ? " had freed it" : ", which frees it");
  } else if (key.kind == kind::out_of_bounds) {
    result.message = words_for(self) + " " + verb + bytes_text(hull);
    if (block == nullptr)
      result.message += ", an address that is no memory";
    else if (key.rule == rule::sub_array_bounds)
      result.message += " of '" + result.memory.name + "', which lie in no single sub-array of it";
    else
      result.message += ", outside of '" + result.memory.name + "' of " +
                        std::to_string(block->size_bytes) + " bytes";
  } else if (key.kind == kind::misaligned) {
    result.message = words_for(self) + " " + verb + where +
                     " at an address that is not a multiple of the access's size";
  } else if (key.kind == kind::undefined_read) {
    result.message =
        words_for(self) + " " + verb + where + ", which nothing that is ordered before has defined";
  } else if (key.kind == kind::host_touches_device) {
    result.message = words_for(self) + " " + verb + where + ", which is device memory";
  } else if (key.kind == kind::device_touches_host) {
    result.message =
        words_for(self) + " " + verb + where + ", which is host memory that a device cannot access";
  } else if (key.kind == kind::workspace_unset) {
    result.message = words_for(self) + " " + verb + "at address " + std::to_string(hull.begin) +
                     ": its base is null, as of a workspace that was never set";
  } else if (key.kind == kind::kernel_fault) {
    result.message = words_for(self) + " " + verb + where + ", which is constant for kernels";
  } else if (key.kind == kind::implicit_free_order) {
    result.message =
        words_for(result.second) + " relies on the free to wait for " + words_for(result.first);
  }
  if (!alone && key.kind != kind::use_after_free_issue &&
      !(key.kind == kind::use_after_free && result.first.access == "free"))
    propose_edge(result, by, key);
  return result;
}

void checker::flush(actor& by) {
  // Pointers order the map; findings come out by what they say.
  std::vector<finding> batch;
  pending_violations pending;
  pending.swap(by.pending);
  for (auto& [key, found] : pending) {
    normalise(found.ranges);
    auto const site = [this](chain_index chain, issue_number issue, side_access access) {
      bool const call = access == side_access::alloc || access == side_access::free;
      if (access == side_access::none || (chain == host_chain && !call)) return std::string("-");
      return std::to_string(log_.stream_of(issue)) + ":" + std::to_string(log_.site_index(issue));
    };
    std::string const identity =
        std::string(key.kind) + "|" + key.rule + "|" + std::to_string(key.allocation) + "|" +
        std::to_string(key.base) + "|" + site(by.where.chain, by.where.issue, key.access) +
        text_of(key.access) + "|" + site(key.other.chain, key.other.issue, key.other.access) +
        text_of(key.other.access);
    found.ranges = take_new(reported_[identity], found.ranges);
    if (!found.ranges.empty()) batch.push_back(describe(by, key, found));
  }
  std::stable_sort(batch.begin(), batch.end(), [](finding const& a, finding const& b) {
    return std::tie(a.first.issue, a.second.issue, a.kind, a.rule, a.memory.generation,
                    a.byte_begin, a.first.access, a.second.access) <
           std::tie(b.first.issue, b.second.issue, b.kind, b.rule, b.memory.generation,
                    b.byte_begin, b.first.access, b.second.access);
  });
  for (finding& one : batch) emit(std::move(one));
}

void checker::flush() {
  flush(operation_);
  if (races_ && !races_->empty()) flush_threads();
  flush(host_);
}

void checker::emit(finding&& one) {
  if (one.advice && !options_.advice) return;
  if (token_) one.token = token_();
  findings_.push_back(std::move(one));
  if (sink_) sink_(findings_.back());
}

void checker::report(incident const& what) {
  std::lock_guard const lock(checker_guard()); // kernels' incidents come in the middle of calls
  finding result;
  result.kind = what.kind;
  result.rule = what.rule;
  result.message = what.message;
  result.advice = std::string_view(what.kind) == kind::superfluous_wait;
  auto const side = [this](issue_number issue, char const* access, void const* pc) {
    operation_ref ref;
    if (issue == 0) return ref;
    stream_serial const stream = log_.stream_of(issue);
    ref = refer(stream == 0 ? host_chain : chain_index(1), issue, side_access::alloc, pc);
    ref.access = access;
    return ref;
  };
  if (what.once_per_site) {
    std::string key = std::string(what.kind) + "|" + what.message;
    for (issue_number issue : {what.first, what.second})
      if (issue != 0)
        key += "|" + std::to_string(log_.site_index(issue)) + ":" +
               std::to_string(log_.stream_of(issue));
    if (!incidents_.insert(key).second) return;
  }
  result.first = side(what.first, what.first_access, nullptr);
  result.second = side(what.second, what.second_access, what.second_pc);
  result.memory.name = what.memory_name;
  byte_range bytes;
  if (what.block != nullptr) bytes = {0, std::int64_t(what.block->size_bytes)};
  if (what.bytes) bytes = *what.bytes;
  if (what.block != nullptr) result.memory = refer(*what.block, bytes);
  if (bytes.begin != bytes.end) result.ranges = {bytes};
  result.byte_begin = bytes.begin;
  result.byte_end = bytes.end;
  emit(std::move(result));
}

void checker::name_host_memory(std::uintptr_t begin, std::size_t size_bytes, std::string name) {
  host_names_[begin] = {size_bytes, std::move(name)};
}

} // namespace mockgpu
