#include <algorithm>

#include "assay/error.hpp"
#include "plan/passes.hpp"
#include "plan/walk.hpp"

namespace assay::plan {
namespace {

bool contains(std::set<std::string> const& names, std::set<std::string> const& searched) {
  return std::ranges::any_of(searched, [&](std::string const& name) { return names.contains(name); });
}

bool jumps_out(step_list const& list) {
  return std::ranges::any_of(list, [](step const& s) {
    if (std::holds_alternative<jump>(s.content)) return true;
    if (auto const* choice = std::get_if<branch>(&s.content))
      return std::ranges::any_of(choice->arms, [](auto const& arm) { return jumps_out(arm.body); });
    return false;
  });
}

class placement {
public:
  placement(program& p, buffer_id id) : plan_(p), id_(id) {
    size_symbols_ = free_names(plan_.buffers[index(id)].element_count);
  }

  void place_in(step_list& list) {
    std::vector<std::size_t> users;
    for (std::size_t k = 0; k < list.size(); ++k)
      if (touched_buffers(list[k]).contains(id_)) users.push_back(k);
    if (users.empty()) return;
    if (users.size() == 1)
      if (auto* inner = inner_place(list[users.front()])) {
        place_in(*inner);
        return;
      }
    auto const& b = plan_.buffers[index(id_)];
    bool const owned = b.provision == provision::call || b.provision == provision::call_pool;
    auto const first = static_cast<std::ptrdiff_t>(users.front());
    auto const last = static_cast<std::ptrdiff_t>(users.back());
    for (auto k = static_cast<std::size_t>(first) + 1; k <= static_cast<std::size_t>(last); ++k)
      if (contains(assigned_symbols(list[k - 1]), size_symbols_))
        throw error(errc::unsupported,
                    "container '" + b.container + "' changes its size while it is in use", b.place);
    if (owned && jumps_out({list.begin() + first, list.begin() + last + 1}))
      throw error(errc::unsupported, "container '" + b.container + "' lives across a break or continue",
                  b.place);
    if (owned) list.insert(list.begin() + last + 1, step{release{id_, {}}, b.place});
    if (b.zero_fill) list.insert(list.begin() + first, step{fill_zero{id_, {}}, b.place});
    if (owned) list.insert(list.begin() + first, step{allocate{id_, {}}, b.place});
  }

private:
  program& plan_;
  buffer_id id_;
  std::set<std::string> size_symbols_;

  /// The one list inside a step that may hold the whole life of the buffer.
  step_list* inner_place(step& s) const {
    if (auto* choice = std::get_if<branch>(&s.content)) {
      step_list* only = nullptr;
      for (auto& arm : choice->arms) {
        bool const uses = std::ranges::any_of(
            arm.body, [this](step const& x) { return touched_buffers(x).contains(id_); });
        if (uses && only != nullptr) return nullptr;
        if (uses) only = &arm.body;
      }
      bool const in_condition = std::ranges::any_of(
          choice->footprints, [this](footprint const& p) { return p.buffer == id_; });
      return in_condition ? nullptr : only;
    }
    if (auto* repeat = std::get_if<loop>(&s.content))
      if (contains(assigned_symbols(s), size_symbols_)) return &repeat->body;
    return nullptr;
  }
};

} // namespace

void place_memory(program& p) {
  for (std::size_t b = 0; b < p.buffers.size(); ++b) {
    auto const& candidate = p.buffers[b];
    if (candidate.provision == provision::argument) continue;
    if (candidate.provision == provision::state_value && !candidate.zero_fill) continue;
    placement(p, static_cast<buffer_id>(b)).place_in(p.body);
  }
}

} // namespace assay::plan
