#include "commands.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "mockgpu/findings.hpp"

namespace assay::tool {
namespace {

struct explanation {
  std::string_view kind, meaning, example, cure;
};

constexpr explanation explanations[] = {
    {"stream-race",
     "Two operations touch the same bytes, at least one writes, and nothing orders their streams.",
     "kernel<<<..., a>>>(x);\nother<<<..., b>>>(x);            // b does not wait for a",
     "Record an event after the first and let the second's stream wait for it."},
    {"host-race", "The host touches bytes that a queued operation may still read or write.",
     "cudaMemcpyAsync(&flag, d_flag, 1, cudaMemcpyDeviceToHost, s);\nif (flag) ...                 "
     "   // not waited for",
     "Wait for the stream (or an event in it) before the host's access."},
    {"thread-race",
     "Two threads of one kernel touch the same bytes without a barrier or an atomic.",
     "sum[0] += x[threadIdx.x];", "Use an atomic, or a barrier between the accesses."},
    {"barrier-divergence", "Some threads of a block wait at a barrier that others never reach.",
     "if (threadIdx.x < 16) __syncthreads();",
     "Let every thread of the block reach the same barrier."},
    {"use-before-alloc", "An operation may run before the stream-ordered allocation of its memory.",
     "cudaMallocAsync(&p, n, a);\nkernel<<<..., b>>>(p);           // b does not wait for a",
     "Use the memory on the allocating stream, or after an event recorded there."},
    {"use-after-free",
     "An operation touches memory that was freed before it in happens-before order, or may be.",
     "cudaFreeAsync(p, a);\nkernel<<<..., a>>>(p);",
     "Free after the last use, on a stream that is ordered after it."},
    {"use-after-free-issue",
     "An operation was issued after the call that frees its memory had returned.",
     "cudaFreeAsync(p, a);             // waits for an event\nkernel<<<..., b>>>(p);           // "
     "runs earlier, still wrong",
     "Issue the last use before the free: the address may be given to somebody else at once."},
    {"double-free", "Memory is freed that was freed already.", "cudaFree(p);\ncudaFree(p);",
     "Free once; set the pointer to null."},
    {"leak", "Memory, a stream or an event was not given back when the program ended.",
     "cudaMalloc(&p, n);               // no cudaFree", "Free it in the program's exit function."},
    {"out-of-bounds", "An access is outside its allocation, or outside the sub-array of a slab.",
     "x[n] = 0;                        // x has n elements",
     "Correct the range, or the size of the workspace."},
    {"subarray-overlap", "Two arrays that are in use together share bytes of one slab.",
     "a = slab; b = slab + n * 4;      // a has n doubles",
     "Compute offsets with the sizes of this call."},
    {"misaligned",
     "An access, or the base of an array, is not aligned as its type or its declaration asks.",
     "double* b = (double*)(slab + 1);", "Round offsets up; GPUs fault on such accesses."},
    {"undefined-read", "A kernel or the host reads bytes that nothing wrote.",
     "cudaMalloc(&p, n);\nkernel<<<...>>>(p);              // reads p",
     "Write or clear the memory first."},
    {"host-touches-device", "Host code dereferences device memory.",
     "double* p;\ncudaMalloc(&p, 8);\nreturn *p;", "Copy to the host first."},
    {"device-touches-host", "A kernel touches host memory that no device can reach.",
     "double x;\nkernel<<<...>>>(&x);", "Copy to device memory, or use pinned memory."},
    {"wrong-copy-direction", "The direction given to a copy contradicts the kinds of its pointers.",
     "cudaMemcpyAsync(device, device2, n, cudaMemcpyHostToDevice, s);",
     "Give the direction that the pointers have."},
    {"wrong-stream", "A program queues work on another stream than its caller's.",
     "kernel<<<..., 0>>>(x);           // the caller passed s",
     "Queue on the caller's stream: nothing orders other streams with the caller's work."},
    {"invalid-handle", "A stream or event is used that does not exist (any more).",
     "cudaStreamDestroy(s);\nkernel<<<..., s>>>(x);", "Destroy after the last use."},
    {"kernel-fault",
     "A kernel ended before its threads did: by a trap, a failed assertion, or because its threads "
     "poll memory that nobody writes.",
     "while (*(int volatile*)flag == 0) {}   // no other thread writes it",
     "Let the threads that others wait for run; check what is asserted."},
    {"wrong-device", "A handle or memory of one device is used on another.",
     "cudaSetDevice(1);\nkernel<<<..., stream_of_0>>>(x);", "Set the device of the stream first."},
    {"workspace-unset",
     "A kernel runs on a null or nearly null pointer: its workspace was never installed.",
     "program(state);                  // set_external_memory was not called",
     "Install the workspace before the first call."},
    {"workspace-stale", "A workspace is used with sizes of an earlier call.",
     "set(slab, N); program(state, 2 * N);",
     "Ask the sizes again and install again when a symbol changed."},
    {"workspace-unordered", "Two programs use one workspace on streams that nothing orders.",
     "p(slab, a); q(slab, b);", "Run them on one stream, or let b wait for a."},
    {"ignored-error", "A failed call was not looked at before the program went on.",
     "cudaMalloc(&p, huge);\nkernel<<<...>>>(p);", "Check the status of every call."},
    {"foreign-error", "An error that was pending before the program is charged to it.",
     "earlier(); // fails\nprogram(); cudaGetLastError();", "Drain pending errors at the entry."},
    {"superfluous-wait", "Advice: a wait that orders nothing which was not ordered already.",
     "cudaStreamSynchronize(s);\ncudaStreamSynchronize(s);", "Leave it out."},
    {"implicit-free-order", "Advice: a free relies on the vendor's wait for work in flight.",
     "kernel<<<..., s>>>(p);\ncudaFree(p);",
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
  fmt::print("{}\n\n{}\n\nExample:\n", found->kind, found->meaning);
  for (std::string_view rest = found->example; !rest.empty();) {
    std::size_t const end = std::min(rest.find('\n'), rest.size());
    fmt::print("  {}\n", rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  fmt::print("\nCure: {}\n", found->cure);
  return 0;
}

} // namespace assay::tool
