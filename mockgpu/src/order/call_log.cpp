#include "order/call_log.hpp"

namespace mockgpu {

std::uint32_t call_log::intern(std::string_view text) {
  auto const [found, is_new] =
      ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(found->first);
  return found->second;
}

std::uint64_t call_log::begin(std::string_view entry_point, void const* return_address) {
  call_record record;
  record.what = intern("call");
  record.name = intern(entry_point);
  record.return_address = return_address;
  records_.push_back(record);
  return last();
}

void call_log::set_operation(std::uint64_t call, std::string_view what, std::string_view name, chain_id chain) {
  auto& record = records_[call];
  record.what = intern(what);
  if (!name.empty()) record.name = intern(name);
  record.chain = static_cast<std::uint32_t>(index(chain)) + 1;
}

void call_log::set_place(std::uint64_t call, char const* file, unsigned line) {
  records_[call].file = file;
  records_[call].line = line;
}

} // namespace mockgpu
