#include "commands.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "explanations/examples.hpp"
#include "mockgpu/findings.hpp"

namespace assay::tool {
namespace {

struct explanation {
  std::string_view kind, meaning, cure;
};

constexpr explanation explanations[] = {
    {"stream-race",
     "Two operations touch the same bytes, at least one writes, and nothing orders their streams.",
     "Record an event after the first and let the second's stream wait for it."},
    {"host-race", "The host touches bytes that a queued operation may still read or write.",
     "Wait for the stream (or an event in it) before the host's access."},
    {"thread-race",
     "Two threads of one kernel touch the same bytes without a barrier or an atomic.",
     "Use an atomic, or a barrier between the accesses."},
    {"barrier-divergence", "Some threads of a block wait at a barrier that others never reach.",
     "Let every thread of the block reach the same barrier."},
    {"use-before-alloc", "An operation may run before the stream-ordered allocation of its memory.",
     "Use the memory on the allocating stream, or after an event recorded there."},
    {"use-after-free",
     "An operation touches memory that was freed before it in happens-before order, or may be.",
     "Free after the last use, on a stream that is ordered after it."},
    {"use-after-free-issue",
     "An operation was issued after the call that frees its memory had returned.",
     "Issue the last use before the free: the address may be given to somebody else at once."},
    {"double-free", "Memory is freed that was freed already.",
     "Free once; set the pointer to null."},
    {"leak", "Memory, a stream or an event was not given back when the program ended.",
     "Free it in the program's exit function."},
    {"out-of-bounds", "An access is outside its allocation, or outside the sub-array of a slab.",
     "Correct the range, or the size of the workspace."},
    {"subarray-overlap", "Two arrays that are in use together share bytes of one slab.",
     "Compute offsets with the sizes of this call."},
    {"misaligned",
     "An access, or the base of an array, is not aligned as its type or its declaration asks.",
     "Round offsets up; GPUs fault on such accesses."},
    {"undefined-read", "A kernel or the host reads bytes that nothing wrote.",
     "Write or clear the memory first."},
    {"host-touches-device", "Host code dereferences device memory.", "Copy to the host first."},
    {"device-touches-host", "A kernel touches host memory that no device can reach.",
     "Copy to device memory, or use pinned memory."},
    {"wrong-copy-direction", "The direction given to a copy contradicts the kinds of its pointers.",
     "Give the direction that the pointers have."},
    {"wrong-stream", "A program queues work on another stream than its caller's.",
     "Queue on the caller's stream: nothing orders other streams with the caller's work."},
    {"invalid-handle", "A stream or event is used that does not exist (any more).",
     "Destroy after the last use."},
    {"kernel-fault",
     "A kernel ended before its threads did: by a trap, a failed assertion, or because its threads "
     "poll memory that nobody writes.",
     "Let the threads that others wait for run; check what is asserted."},
    {"wrong-device", "A handle or memory of one device is used on another.",
     "Set the device of the stream first."},
    {"workspace-unset",
     "A kernel runs on a null or nearly null pointer: its workspace was never installed.",
     "Install the workspace before the first call."},
    {"workspace-unordered", "Two programs use one workspace on streams that nothing orders.",
     "Run them on one stream, or let b wait for a."},
    {"ignored-error", "A failed call was not looked at before the program went on.",
     "Check the status of every call."},
    {"foreign-error", "An error that was pending before the program is charged to it.",
     "Drain pending errors at the entry."},
    {"superfluous-wait", "Advice: a wait that orders nothing which was not ordered already.",
     "Leave it out."},
    {"implicit-free-order", "Advice: a free relies on the vendor's wait for work in flight.",
     "Wait for the stream before the free, or use stream-ordered memory."},
};

} // namespace

int run_explain(std::string const& kind) {
  auto const known = mockgpu::finding_kinds();
  if (kind.empty()) {
    for (explanation const& each : explanations)
      if (std::ranges::find(known, each.kind) != known.end())
        fmt::print("{:<22}{}\n", each.kind, each.meaning);
    return 0;
  }
  auto const found = std::ranges::find(explanations, kind, &explanation::kind);
  if (found == std::end(explanations) || std::ranges::find(known, kind) == known.end()) {
    std::string list;
    for (std::string_view each : known) list += fmt::format("{}{}", list.empty() ? "" : ", ", each);
    throw error(errc::invalid_input,
                fmt::format("unknown kind of finding '{}' (one of {})", kind, list));
  }
  fmt::print("{}\n\n{}\nCure: {}\n\nExample, a whole program; with -DCURED it holds:\n\n{}",
             found->kind, found->meaning, found->cure, example_of(kind));
  return 0;
}

} // namespace assay::tool
