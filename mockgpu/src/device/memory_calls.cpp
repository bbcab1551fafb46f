#include <algorithm>

#include "device/engine.hpp"
#include "device/handles.hpp"
#include "order/hand_back.hpp"
#include "order/rules.hpp"

namespace mockgpu {
namespace {

/// The moment of a stream-ordered free.
class free_work final : public work {
public:
  free_work(checker& judge, allocation& block, std::deque<allocation*>& pending)
      : judge_(judge), block_(block), pending_(pending) {}
  void run() override {
    judge_.check_free(block_, judge_.operation_point());
    pending_.push_back(&block_);
  }

private:
  checker& judge_;
  allocation& block_;
  std::deque<allocation*>& pending_;
};

} // namespace

allocation* engine::new_block(memory_space space, int device, std::size_t size_bytes,
                              issue_number issue) {
  allocation* const block = memory_.allocate(space, device, size_bytes);
  if (block != nullptr) block->issue = issue;
  return block;
}

status engine::allocate(call_site const& site, void** pointer, std::size_t size_bytes) {
  issue_number const issue = note_call(site);
  ++statistics_.allocation_calls;
  hand_back<void*>(pointer, nullptr);
  if (size_bytes == 0) return status::success;
  allocation* const block = new_block(memory_space::device, current_device(), size_bytes, issue);
  if (block == nullptr) return status::out_of_memory;
  hand_back(pointer, reinterpret_cast<void*>(block->begin));
  return status::success;
}

status engine::allocate_pinned(call_site const& site, void** pointer, std::size_t size_bytes,
                               unsigned flags) {
  issue_number const issue = note_call(site);
  hand_back<void*>(pointer, nullptr);
  if (size_bytes == 0) return status::success;
  allocation* const block = new_block(memory_space::pinned, current_device(), size_bytes, issue);
  if (block == nullptr) return status::out_of_memory;
  block->flags = flags;
  hand_back(pointer, reinterpret_cast<void*>(block->begin));
  return status::success;
}

status engine::allocate_async(call_site const& site, void** pointer, std::size_t size_bytes,
                              void* pool_handle, void* stream_handle) {
  stream* const on = find_stream(site, stream_handle);
  if (on == nullptr) return gone();
  pool* const from = pool_handle == nullptr ? devices_[std::size_t(on->device)].current_pool
                                            : find_pool(site, pool_handle);
  if (from == nullptr) return status::invalid_handle;
  ++statistics_.allocation_calls;
  hand_back<void*>(pointer, nullptr);
  if (size_bytes == 0) {
    static_cast<void>(note_call(site));
    return status::success;
  }
  bool const too_much =
      from->most_bytes != 0 &&
      (size_bytes > from->most_bytes || from->accounts.used() > from->most_bytes - size_bytes);
  allocation* const block =
      too_much ? nullptr
               : new_block(memory_space::device, from->device, size_bytes, log_.last() + 1);
  if (block == nullptr) {
    static_cast<void>(note_call(site));
    return status::out_of_memory;
  }
  block->pool = from->serial;
  block->chain = on->chain;
  hand_back(pointer, reinterpret_cast<void*>(block->begin));
  static_cast<void>(enqueue(*on, site, nullptr));
  from->accounts.allocate(
      size_bytes, on->last(),
      {.follow_event_dependencies = from->reuse[0] != 0,
       .opportunistic = from->reuse[1] != 0,
       .internal_dependencies = from->reuse[2] != 0},
      [this](chain_index chain, issue_number freed) { return scheduler_.done(chain, freed); });
  return status::success;
}

void engine::count_release(allocation const& block, order_point const& place) {
  if (block.space == memory_space::device) ++statistics_.release_calls;
  if (block.pool != 0)
    if (auto const found = pools_.find(make_handle(pool_handles, block.pool));
        found != pools_.end())
      found->second->accounts.release(block.size_bytes, place);
}

/// The frees that take place in the host's order.
status engine::release_block(call_site const& site, void* pointer, memory_space space) {
  issue_number const issue = note_call(site);
  allocation* const block = memory_.find(to_number(pointer));
  bool const managed = block != nullptr && block->managed;
  memory_space const kept_in =
      managed && space == memory_space::device ? memory_space::pinned : space;
  bool const of_this_kind = block != nullptr && block->begin == to_number(pointer) &&
                            block->space == kept_in && !block->variable &&
                            (!managed || space == memory_space::device);
  if (!of_this_kind) {
    checker_.report({.kind = kind::invalid_handle,
                     .rule = rule::live_handle,
                     .message = "'" + site.name +
                                "' was given a pointer that no allocation of this kind begins at",
                     .second = issue,
                     .second_access = "free",
                     .block = block,
                     .once_per_site = true});
    return status::invalid_value;
  }
  if (block->free_issue != 0) {
    checker_.report({.kind = kind::double_free,
                     .rule = rule::double_free,
                     .message = "'" + site.name + "' frees memory that '" +
                                log_.site(block->free_issue).name + "' has freed already",
                     .first = block->free_issue,
                     .second = issue,
                     .first_access = "free",
                     .second_access = "free",
                     .block = block});
    return status::invalid_value;
  }
  count_release(*block, {host_chain, issue, {}});
  bool const of_pool = block->pool != 0;
  rule_id const waits = space == memory_space::pinned ? rule_id::host_free_synchronises
                        : of_pool                     ? rule_id::pool_free_synchronises
                                                      : rule_id::free_synchronises;
  if (dialect_.guarantees(waits)) synchronize_all(block->device);
  block->free_issue = issue;
  block->free_chain = host_chain;
  block->rule = of_pool ? free_rule::host_ordered : free_rule::orders_block;
  order_point const free{host_chain, issue, host_base_};
  if (of_pool)
    checker_.check_free(*block, free);
  else if (options_.advice)
    checker_.advise_free(*block, free);
  pending_frees_.push_back(block);
  release_pending();
  return status::success;
}

/// A block stays until all work that was issued before its free has run: what such work does there
/// is judged alike whether it runs before or after the free.
void engine::release_pending() {
  issue_number const oldest = scheduler_.oldest_queued();
  for (; !pending_frees_.empty() && pending_frees_.front()->free_issue <= oldest;
       pending_frees_.pop_front())
    checker_.retire(*pending_frees_.front());
}

status engine::release(call_site const& site, void* pointer) {
  if (pointer == nullptr) {
    static_cast<void>(note_call(site));
    return status::success;
  }
  return release_block(site, pointer, memory_space::device);
}

status engine::release_pinned(call_site const& site, void* pointer) {
  if (pointer == nullptr) {
    static_cast<void>(note_call(site));
    return status::success;
  }
  return release_block(site, pointer, memory_space::pinned);
}

status engine::release_async(call_site const& site, void* pointer, void* stream_handle) {
  stream* const on = find_stream(site, stream_handle);
  if (on == nullptr) return gone();
  if (pointer == nullptr) {
    static_cast<void>(note_call(site));
    return dialect_.guarantees(rule_id::null_async_free_is_invalid) ? status::invalid_value
                                                                    : status::success;
  }
  allocation* const block = memory_.find(to_number(pointer));
  if (block == nullptr || block->begin != to_number(pointer) || block->free_issue != 0)
    return release_block(site, pointer, memory_space::device); // says what is wrong
  if (block->pool == 0) {
    checker_.report({.kind = kind::invalid_handle,
                     .rule = rule::live_handle,
                     .message = "'" + site.name + "' was given memory of '" +
                                log_.site(block->issue).name + "', which is not stream-ordered",
                     .first = block->issue,
                     .second = note_call(site),
                     .first_access = "alloc",
                     .second_access = "free",
                     .block = block,
                     .once_per_site = true});
    return status::invalid_value;
  }
  count_release(*block, {on->chain, log_.last() + 1, {}});
  block->free_chain = on->chain;
  block->free_issue = log_.last() + 1;
  block->rule = free_rule::stream_ordered;
  static_cast<void>(
      enqueue(*on, site, std::make_unique<free_work>(checker_, *block, pending_frees_)));
  return status::success;
}

pointer_space engine::space_of(void const* pointer) {
  std::uintptr_t const address = to_number(pointer);
  if (!has_shadow(pointer))
    return registered(pointer) != nullptr ? pointer_space::pinned : pointer_space::pageable;
  allocation const* block = memory_.find(address);
  if (block == nullptr) block = memory_.nearest(address);
  return block != nullptr && block->space == memory_space::pinned ? pointer_space::pinned
                                                                  : pointer_space::device;
}

allocation const* engine::live_block(void const* pointer) {
  allocation const* const block = memory_.find(to_number(pointer));
  return block == nullptr || block->free_issue != 0 ? nullptr : block;
}

void engine::memory_info(std::size_t& free_bytes, std::size_t& total_bytes) const {
  total_bytes = memory::capacity_bytes;
  free_bytes = total_bytes - memory_.used_bytes(current_device());
}

} // namespace mockgpu
