#pragma once
/// \file The one source of choices. Whatever the mock may do in more than one way is drawn here, so
/// a run is repeated by its token.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mockgpu/control.hpp"
#include "schedule/step_record.hpp"
#include "schedule/token.hpp"

namespace mockgpu {

/// What a choice is about (recorded in tokens by number: new ones go to the end). Where the
/// alternatives are "at once" and "late", 0 is at once.
enum class choice : std::uint8_t {
  next_operation, ///< which of the operations that could run
  host_goes_on,   ///< whether the host goes on (1) or something runs first (0)
  may_wait,       ///< a call that may synchronise does so (0) or does not (1)
  staging,        ///< the content of a pageable source is taken at the call (0) or by the copy (1)
  priority,       ///< of a chain, in pct
  direction,      ///< in which the blocks of a grid start: up (0) or down (1)
  first_block,    ///< of a grid to start, in parts of it
  preemption,     ///< which threads of a grid let others go first: a seed
};

/// Exit code of a process that was to repeat a run and did something else.
inline constexpr int nondeterministic_exit_code = 71;

class choices {
public:
  /// \throws std::invalid_argument for a token that is none.
  explicit choices(options const&);

  /// The kind of the schedule that is in force: that of the token, where one is replayed.
  [[nodiscard]] schedule_kind schedule() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] unsigned depth() const noexcept { return depth_; }

  /// One of the numbers from 0 to `alternatives` - 1. Eager never waits for its own good: "at once"
  /// where `choice` has it; lazy says "late". All else is drawn by seed, or decided one by one.
  [[nodiscard]] unsigned draw(choice, unsigned alternatives);

  /// An operation is run. \param name of the operation, equal in every process.
  void note_operation(std::uint64_t issue, std::uint64_t name,
                      std::function<std::string()> const& words);
  /// The run is over: a token that has more steps does not fit.
  void close();

  /// The token of the run so far.
  [[nodiscard]] std::string token() const;

  /// Decides where decisions are explored; without it they come from the token, then are 0.
  using decider = std::function<unsigned(choice, unsigned alternatives)>;
  void decide_by(decider one) { decider_ = std::move(one); }

private:
  [[nodiscard]] std::uint64_t random() noexcept;
  [[nodiscard]] unsigned decide(choice, unsigned alternatives);
  [[nodiscard]] std::string what_it_is() const;
  [[noreturn]] void differs(std::string const& last) const;

  schedule_kind kind_;
  std::uint64_t seed_, state_;
  unsigned depth_;
  std::vector<unsigned> decisions_; // given, or made
  std::size_t decided_ = 0;
  decider decider_;
  step_record record_;
};

} // namespace mockgpu
