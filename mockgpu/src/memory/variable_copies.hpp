#pragma once
/// \file Variables of the device where there are several devices: each has a copy of its own.
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace mockgpu {

/// The program's code knows one address of a variable. What lies there is device 0's; every other
/// device has a copy in its own memory, which takes the place at that address while a kernel of
/// that device runs. One kernel runs at a time, and no host code looks at such variables.
///
/// A kernel that also gets a copy's address (cudaGetSymbolAddress) and writes by one address what
/// it reads by the other would read the old value: the two are brought together where it ends.
class variable_copies {
public:
  /// \param begin the address that the code knows. \param copies of the devices from 1 on, filled
  /// already.
  void add(std::uintptr_t begin, std::size_t size_bytes, std::vector<std::uintptr_t> copies);
  void remove(std::uintptr_t begin);
  [[nodiscard]] bool empty() const noexcept { return variables_.empty(); }

  /// The address of a variable's bytes on a device; other addresses are returned as they are.
  [[nodiscard]] std::uintptr_t on_device(std::uintptr_t address, int device) const noexcept;
  /// The same for the device whose kernel runs, of a variable or beside one.
  [[nodiscard]] std::uintptr_t seen_by_kernel(std::uintptr_t address) const noexcept {
    return device_ == 0 ? address : translate(address);
  }

  /// Where the bytes of a block are while that kernel runs: the other way round.
  [[nodiscard]] std::uintptr_t content_of(std::uintptr_t address) const noexcept {
    return device_ == 0 ? address : translate_back(address);
  }

  /// A kernel of a device begins, and ends.
  void enter(int device);
  void leave();

private:
  struct variable {
    std::size_t size_bytes = 0;
    std::vector<std::uintptr_t> copies; ///< of the devices from 1 on
  };
  [[nodiscard]] std::uintptr_t translate(std::uintptr_t address) const noexcept;
  [[nodiscard]] std::uintptr_t translate_back(std::uintptr_t address) const noexcept;

  std::map<std::uintptr_t, variable> variables_;
  int device_ = 0;                     ///< whose copies are in place
  std::vector<std::byte> of_device_0_; ///< meanwhile, one variable behind the other
  std::vector<std::byte> before_;      ///< what the kernel found
};

/// While it lives, a kernel of the device runs.
class device_variables {
public:
  device_variables(variable_copies& all, int device) : all_(all) { all_.enter(device); }
  ~device_variables() { all_.leave(); }
  device_variables(device_variables const&) = delete;
  device_variables& operator=(device_variables const&) = delete;

private:
  variable_copies& all_;
};

} // namespace mockgpu
