#include "kernel/kernel_table.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>

extern "C" {
__thread mockgpu_configuration* mockgpu_pending_launch = nullptr;
}

namespace mockgpu {
namespace {

struct kernel_table {
  std::mutex guard;
  std::map<mockgpu_kernel_record const*, mockgpu_kernel_record const*> libraries; // begin, end
};

// Never destroyed: libraries leave it from their own destructors.
kernel_table& table() {
  static kernel_table& instance = *new kernel_table;
  return instance;
}

} // namespace

char const* find_kernel_symbol(void const* entry) noexcept {
  kernel_table& all = table();
  std::lock_guard const lock(all.guard);
  for (auto const& [begin, end] : all.libraries)
    for (auto const* record = begin; record != end; ++record)
      if (reinterpret_cast<void const*>(record->entry) == entry) return record->symbol;
  return nullptr;
}

bool ask_kernel(void const* entry, mockgpu_launch& answer) noexcept {
  if (find_kernel_symbol(entry) == nullptr) return false;
  mockgpu_configuration question{};
  question.question = &answer;
  mockgpu_configuration* const outer = mockgpu_pending_launch;
  mockgpu_pending_launch = &question;
  // The kernel looks at none of its arguments when it is asked, so it can be called without them.
  reinterpret_cast<void (*)()>(const_cast<void*>(entry))();
  mockgpu_pending_launch = outer;
  return answer.run_block != nullptr;
}

} // namespace mockgpu

extern "C" {

void mockgpu_add_kernels(mockgpu_kernel_record const* begin, mockgpu_kernel_record const* end) {
  auto& all = mockgpu::table();
  std::lock_guard const lock(all.guard);
  all.libraries[begin] = end;
}

void mockgpu_remove_kernels(mockgpu_kernel_record const* begin) {
  auto& all = mockgpu::table();
  std::lock_guard const lock(all.guard);
  all.libraries.erase(begin);
}

void mockgpu_refuse_call(mockgpu_configuration const* by) {
  if (std::uncaught_exceptions() > 0) return;
  std::fprintf(stderr,
               "mockgpu: %s:%u: what this launch called is no kernel that a compiler driver of "
               "mockgpu built\n",
               by->file, by->line);
  std::abort();
}
}
