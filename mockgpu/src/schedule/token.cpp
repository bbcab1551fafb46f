#include "schedule/token.hpp"

#include <charconv>
#include <stdexcept>

namespace mockgpu {
namespace {

constexpr std::uint64_t most_blocks = 32;
constexpr unsigned digit_base = 35; // 'z' is not a digit: it adds `digit_base` to the next one
constexpr unsigned check_digits = 3;

class reader {
public:
  explicit reader(std::string_view text) : whole_(text), rest_(text) {}

  [[noreturn]] void fail() const {
    throw std::invalid_argument("'" + std::string(whole_) + "' is no token of a run");
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  char next() {
    if (rest_.empty()) fail();
    char const c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void expect(char wanted) {
    if (next() != wanted) fail();
  }
  template <class Number> Number number() {
    Number value{};
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(std::size_t(end - rest_.data()));
    return value;
  }
  unsigned check() {
    if (rest_.size() < check_digits) fail();
    unsigned value = 0;
    auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + check_digits, value, 16);
    if (error != std::errc() || end != rest_.data() + check_digits) fail();
    rest_.remove_prefix(check_digits);
    return value;
  }

private:
  std::string_view whole_, rest_;
};

std::string decision_text(unsigned value) {
  std::string text(value / digit_base, 'z');
  unsigned const digit = value % digit_base;
  return text + char(digit < 10 ? '0' + digit : 'a' + (digit - 10));
}

std::vector<unsigned> read_decisions(reader& from) {
  std::vector<unsigned> all;
  for (unsigned carried = 0;;) {
    char const c = from.next();
    if (c == '-' && carried == 0) return all;
    if (c == 'z') {
      carried += digit_base;
      continue;
    }
    bool const digit = c >= '0' && c <= '9';
    if (!digit && (c < 'a' || c > 'y')) from.fail();
    all.push_back(carried + unsigned(digit ? c - '0' : c - 'a' + 10));
    carried = 0;
  }
}

} // namespace

std::uint64_t block_steps(std::uint64_t steps) noexcept {
  std::uint64_t size = 1;
  while ((steps + size - 1) / size > most_blocks) size *= 2;
  return size;
}

std::string to_text(run_token const& token) {
  std::string text;
  switch (token.schedule) {
  case schedule_kind::eager:
    text = "e" + std::to_string(token.seed);
    break;
  case schedule_kind::lazy:
    text = "l" + std::to_string(token.seed);
    break;
  case schedule_kind::random:
    text = "r" + std::to_string(token.seed);
    break;
  case schedule_kind::pct:
    text = "p" + std::to_string(token.seed) + "d" + std::to_string(token.depth);
    break;
  case schedule_kind::exhaustive:
  case schedule_kind::replay:
    text = "x";
    for (unsigned const one : token.decisions) text += decision_text(one);
    break;
  }
  text += "-" + std::to_string(token.steps) + "-";
  for (unsigned const check : token.checks)
    for (unsigned shift = 4 * check_digits; shift != 0; shift -= 4)
      text += "0123456789abcdef"[check >> (shift - 4) & 15];
  return text;
}

run_token parse_token(std::string_view text) {
  reader from(text);
  run_token token;
  switch (from.next()) {
  case 'e':
    token.seed = from.number<std::uint64_t>();
    break;
  case 'l':
    token.schedule = schedule_kind::lazy;
    token.seed = from.number<std::uint64_t>();
    break;
  case 'r':
    token.schedule = schedule_kind::random;
    token.seed = from.number<std::uint64_t>();
    break;
  case 'p':
    token.schedule = schedule_kind::pct;
    token.seed = from.number<std::uint64_t>();
    from.expect('d');
    token.depth = from.number<unsigned>();
    break;
  case 'x':
    token.schedule = schedule_kind::exhaustive;
    token.decisions = read_decisions(from);
    break;
  default:
    from.fail();
  }
  if (token.schedule != schedule_kind::exhaustive) from.expect('-');
  token.steps = from.number<std::uint64_t>();
  from.expect('-');
  while (!from.at_end()) token.checks.push_back(from.check());
  std::uint64_t const size = block_steps(token.steps);
  if (token.checks.size() != (token.steps + size - 1) / size) from.fail();
  return token;
}

} // namespace mockgpu
