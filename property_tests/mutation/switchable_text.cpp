#include "mutation/switchable_text.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace assay::fuzz {
namespace {

/// The checker must not see the choice: it is no part of the program.
constexpr std::string_view chooser = R"(
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
namespace assay_mutation {{
#define ASSAY_UNSEEN [[maybe_unused, gnu::noinline, gnu::no_sanitize("thread")]] static
ASSAY_UNSEEN void note(char what) {{
  static bool done[2];
  if (done[what == 'e']) return;
  done[what == 'e'] = true;
  char const* const file = getenv("ASSAY_MUTANT_TRACE");
  if (file == nullptr) return;
  int const descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) return;
  if (write(descriptor, &what, 1) == 1) close(descriptor);
}}
ASSAY_UNSEEN bool is(int number) {{
  static int chosen = -1;
  if (chosen < 0) {{
    char const* const text = getenv("ASSAY_MUTANT");
    chosen = text == nullptr ? 0 : atoi(text);
  }}
  if (chosen != number) return false;
  note('r');
  return true;
}}
ASSAY_UNSEEN bool instead(bool mutated, bool original) {{
  if (mutated != original) note('e');
  return mutated;
}}
template <class Call> auto on_other_device(Call const& call) {{
  (void){0}SetDevice(1);
  auto const status = call();
  (void){0}SetDevice(0);
  return status;
}}
template <class T, class V> T plain_add(T* p, V v) {{
  T const old = *p;
  *p = old + v;
  return old;
}}
}}
)";

/// On one line, so that what follows keeps its own.
std::string in_one_line(std::string text) {
  if (text.find("//") == std::string::npos) std::ranges::replace(text, '\n', ' ');
  return text;
}

} // namespace

void switchable_text::replace(token_range expression, int number, std::string instead) {
  alternatives_.push_back({expression, number, in_one_line(std::move(instead)), false});
}
void switchable_text::replace_condition(token_range expression, int number, std::string instead) {
  alternatives_.push_back({expression, number, in_one_line(std::move(instead)), true});
}
void switchable_text::insert(unsigned token, int number, std::string statement) {
  insertions_.push_back({token, fmt::format("if (assay_mutation::is({})) {{ {} }} ", number,
                                            in_one_line(std::move(statement)))});
}

std::string switchable_text::rendered(token_range range, ordered& alternatives,
                                      bool is_nested) const {
  auto& [all, next] = alternatives;
  std::string result;
  for (unsigned i = range.begin; i < range.end;) {
    // At the begin of an expression they stand in front of all of it.
    if (!is_nested || i != range.begin)
      for (insertion const& each : insertions_)
        if (each.token == i) result += each.text;
    if (next < all.size() && all[next].range.begin == i) {
      alternative const& one = all[next++];
      std::string const original = rendered(one.range, alternatives, /*is_nested=*/true);
      result +=
          one.is_condition
              ? fmt::format("(assay_mutation::is({}) ? assay_mutation::instead({}, {}) : ({}))",
                            one.number, one.text, source_.text_of(one.range), original)
              : fmt::format("(assay_mutation::is({}) ? ({}) : ({}))", one.number, one.text,
                            original);
      i = one.range.end;
    } else {
      result += source_.tokens()[i].text;
      ++i;
    }
    // What stands between two tokens stays, but for the end of the range.
    if (i < range.end) {
      std::size_t const gap = source_.offset_of(i - 1) + source_.tokens()[i - 1].text.size();
      result += source_.text().substr(gap, source_.offset_of(i) - gap);
    }
  }
  return result;
}

std::string switchable_text::text(std::string const& vendor) const {
  ordered alternatives{alternatives_};
  std::ranges::sort(alternatives.all, {}, [](alternative const& one) {
    return std::tuple(one.range.begin, ~one.range.end, one.number);
  });
  auto const count = static_cast<unsigned>(source_.tokens().size());
  unsigned first = 0;
  for (unsigned i = 0; i < count; ++i)
    if (source_.tokens()[i].text.starts_with("#include")) first = i + 1;
  std::string result = rendered({0, first}, alternatives, false);
  result += fmt::format(chooser, vendor);
  // Reports name the lines of the text as it was.
  result += fmt::format("#line {}\n", source_.line_of(first));
  result += rendered({first, count}, alternatives, false);
  return result + "\n";
}

} // namespace assay::fuzz
