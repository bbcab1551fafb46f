#include "schedule/choices.hpp"

#include <algorithm>
#include <cstdio>

#include "mockgpu/assert.h"
#include "order/process_memory.hpp"

namespace mockgpu {
namespace {

char const* name_of(choice what) noexcept {
  switch (what) {
  case choice::next_operation:
    return "the next operation";
  case choice::host_goes_on:
    return "whether the host goes on";
  case choice::may_wait:
    return "whether a call waits";
  case choice::staging:
    return "when a pageable source is read";
  case choice::priority:
    return "a priority";
  case choice::direction:
    return "the direction in which blocks start";
  case choice::first_block:
    return "the first block";
  case choice::preemption:
    return "which threads let others go first";
  }
  return "";
}

run_token token_of(options const& chosen) {
  if (chosen.schedule == schedule_kind::replay) return parse_token(chosen.token);
  run_token token;
  token.schedule = chosen.schedule;
  token.seed = chosen.seed;
  token.depth = chosen.schedule == schedule_kind::pct ? chosen.depth : 0;
  return token;
}

} // namespace

choices::choices(options const& chosen) {
  run_token token = token_of(chosen);
  kind_ = token.schedule;
  seed_ = state_ = token.seed;
  depth_ = token.depth;
  decisions_ = std::move(token.decisions);
  record_ = step_record(token.steps, std::move(token.checks));
}

std::uint64_t choices::random() noexcept {
  // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

unsigned choices::decide(choice what, unsigned alternatives) {
  unsigned taken = 0;
  if (decider_) {
    taken = decider_(what, alternatives);
    MOCKGPU_ASSERT((taken < alternatives) && "a decision is one of the alternatives");
    decisions_.push_back(taken);
  } else if (decided_ < decisions_.size()) {
    taken = decisions_[decided_];
    if (taken >= alternatives)
      differs("decision " + std::to_string(decided_) + " is about " + name_of(what) + " with " +
              std::to_string(alternatives) + " alternatives, the token takes number " +
              std::to_string(taken));
  }
  ++decided_;
  return taken;
}

unsigned choices::draw(choice what, unsigned alternatives) {
  MOCKGPU_ASSERT((alternatives != 0) && "there is something to choose from");
  if (alternatives == 1) return 0;
  // Lazy does what a program expects least; eager what it expects.
  bool const at_once_or_late =
      what == choice::may_wait || what == choice::staging || what == choice::direction;
  unsigned taken = 0;
  if (kind_ == schedule_kind::exhaustive)
    taken = decide(what, alternatives);
  else if (at_once_or_late && kind_ == schedule_kind::eager)
    taken = 0;
  else if (at_once_or_late && kind_ == schedule_kind::lazy)
    taken = 1;
  else
    taken = unsigned(random() % alternatives);
  std::uint64_t const step =
      std::uint64_t(what) << 60 | std::uint64_t(alternatives) << 28 | std::uint64_t(taken);
  if (!record_.add(step))
    differs(what_it_is() + "a choice of " + name_of(what) + " among " +
            std::to_string(alternatives) + " alternatives");
  return taken;
}

void choices::note_operation(std::uint64_t issue, std::uint64_t name,
                             std::function<std::string()> const& words) {
  if (!record_.add(issue * 0x9E3779B97F4A7C15u ^ name)) differs(what_it_is() + words());
}

void choices::close() {
  if (record_.steps() < record_.expected_steps())
    differs("the program ended after step " + std::to_string(record_.steps()) +
            ", the token has more");
}

std::string choices::token() const {
  run_token token;
  token.schedule = kind_;
  token.seed = seed_;
  token.depth = depth_;
  if (kind_ == schedule_kind::exhaustive) {
    token.decisions.assign(decisions_.begin(),
                           decisions_.begin() +
                               std::ptrdiff_t(std::min(decided_, decisions_.size())));
    // What is not decided any more is 0.
    while (!token.decisions.empty() && token.decisions.back() == 0) token.decisions.pop_back();
  }
  token.steps = record_.steps();
  token.checks = record_.checks();
  return to_text(token);
}

std::string choices::what_it_is() const {
  return record_.steps() - record_.block_begin() == 1 ? "it is " : "the last of them is ";
}

void choices::differs(std::string const& what) const {
  std::uint64_t const end = record_.steps(), begin = record_.block_begin() + 1;
  std::string steps = "step " + std::to_string(end);
  if (begin < end)
    steps = "one of the steps " + std::to_string(begin) + " to " + std::to_string(end);
  std::fprintf(stderr,
               "mockgpu: error: nondeterministic program: %s of %llu differs from what the token "
               "recorded: %s\n",
               steps.c_str(), static_cast<unsigned long long>(record_.expected_steps()),
               what.c_str());
  end_process(nondeterministic_exit_code);
}

} // namespace mockgpu
