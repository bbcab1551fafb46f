// Runs one library of DaCe's under the checker: loads it, makes device buffers with the mock's run
// time, calls it through its ABI, compares with the expected arrays and prints what was found as
// JSON lines.
//
// Usage: run_program LIBRARY CALL_FILE. The call file holds one entry per line:
//   program NAME
//   init TYPE NAME VALUE              an argument of __dace_init_NAME
//   scalar TYPE NAME VALUE            the arguments of __program_NAME, in order
//   array TYPE NAME FILE.npy EXPECTED.npy|-
// The last line printed is a summary. Exit code 0: the program ran, whatever was found.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <ffi.h>

#include <cuda_runtime_api.h>
#include <mockgpu/annotate.h>
#include <mockgpu/control.hpp>

namespace {

/// A value as libffi takes it.
struct argument {
  ffi_type* type = &ffi_type_pointer;
  std::uint64_t bits = 0;
};

argument parse_scalar(std::string const& type, std::string const& text) {
  argument result;
  if (type == "int") {
    auto const value = static_cast<std::int32_t>(std::stol(text));
    result.type = &ffi_type_sint32;
    std::memcpy(&result.bits, &value, sizeof value);
  } else if (type == "int64_t") {
    auto const value = static_cast<std::int64_t>(std::stoll(text));
    result.type = &ffi_type_sint64;
    std::memcpy(&result.bits, &value, sizeof value);
  } else if (type == "double") {
    double const value = std::stod(text);
    result.type = &ffi_type_double;
    std::memcpy(&result.bits, &value, sizeof value);
  } else {
    throw std::runtime_error("argument type '" + type + "' is not handled");
  }
  return result;
}

/// The data of a .npy file of doubles (format version 1 and 2: magic, header length, header, data).
std::vector<double> read_npy(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  if (text.size() < 12 || text.compare(0, 6, "\x93NUMPY") != 0)
    throw std::runtime_error("'" + path + "' is not a .npy file");
  bool const version_1 = text[6] == 1;
  std::size_t header_bytes = 0;
  std::memcpy(&header_bytes, text.data() + 8, version_1 ? 2 : 4);
  std::size_t const begin = (version_1 ? 10 : 12) + header_bytes;
  if (text.substr(0, begin).find("'<f8'") == text.npos)
    throw std::runtime_error("'" + path + "' does not hold doubles");
  std::vector<double> values((text.size() - begin) / sizeof(double));
  std::memcpy(values.data(), text.data() + begin, values.size() * sizeof(double));
  return values;
}

void require(cudaError_t status, char const* what) {
  if (status != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

struct array {
  std::string name;
  void* device = nullptr;
  std::size_t count = 0;
  std::string expected;
};

struct call {
  std::string program;
  std::vector<argument> init;
  std::vector<argument> arguments;
  std::vector<array> arrays;
};

array upload(std::string const& name, std::string const& path, std::string const& expected) {
  std::vector<double> const values = read_npy(path);
  array result{name, nullptr, values.size(), expected == "-" ? "" : expected};
  require(cudaMalloc(&result.device, values.size() * sizeof(double)), "cudaMalloc");
  mockgpu_name_memory(result.device, values.size() * sizeof(double), name.c_str());
  require(cudaMemcpy(result.device, values.data(), values.size() * sizeof(double),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
  return result;
}

call read_call(std::string const& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  call result;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, type, name, value, expected;
    words >> kind;
    if (kind == "program") {
      words >> result.program;
    } else if (kind == "init" || kind == "scalar") {
      words >> type >> name >> value;
      (kind == "init" ? result.init : result.arguments).push_back(parse_scalar(type, value));
    } else if (kind == "array") {
      words >> type >> name >> value >> expected;
      if (type != "double") throw std::runtime_error("array type '" + type + "' is not handled");
      array const uploaded = upload(name, value, expected);
      argument pointer;
      pointer.bits = reinterpret_cast<std::uint64_t>(uploaded.device);
      result.arguments.push_back(pointer);
      result.arrays.push_back(uploaded);
    } else {
      throw std::runtime_error("'" + line + "' is no entry of a call file");
    }
  }
  return result;
}

std::uint64_t invoke(void* function, ffi_type* result_type, std::vector<argument> arguments) {
  std::vector<ffi_type*> types;
  std::vector<void*> values;
  for (argument& one : arguments) {
    types.push_back(one.type);
    values.push_back(&one.bits);
  }
  ffi_cif interface;
  if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), result_type,
                   types.data()) != FFI_OK)
    throw std::runtime_error("libffi does not take the signature");
  ffi_arg result = 0;
  ffi_call(&interface, reinterpret_cast<void (*)()>(function), &result, values.data());
  return result;
}

void* symbol(void* library, std::string const& name) {
  void* const found = dlsym(library, name.c_str());
  if (found == nullptr) throw std::runtime_error("the library lacks '" + name + "'");
  return found;
}

/// Empty, or the first difference.
std::string compare(array const& one) {
  std::vector<double> const expected = read_npy(one.expected);
  std::vector<double> actual(one.count);
  require(cudaMemcpy(actual.data(), one.device, one.count * sizeof(double), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  if (expected.size() != actual.size()) return one.name + ": the sizes differ";
  for (std::size_t i = 0; i < actual.size(); ++i)
    if (!(std::fabs(actual[i] - expected[i]) <= 1e-12 + 1e-10 * std::fabs(expected[i])))
      return one.name + "[" + std::to_string(i) + "]: " + std::to_string(actual[i]) +
             " instead of " + std::to_string(expected[i]);
  return {};
}

int run(char const* library_path, char const* call_path) {
  mockgpu::set_sink(
      [](mockgpu::finding const& one) { std::cout << mockgpu::to_json(one) << std::endl; });
  call const wanted = read_call(call_path);
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  void* const library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  argument state;
  state.bits =
      invoke(symbol(library, "__dace_init_" + wanted.program), &ffi_type_pointer, wanted.init);
  if (state.bits == 0) throw std::runtime_error("__dace_init_" + wanted.program + " failed");
  std::vector<argument> arguments = wanted.arguments;
  arguments.insert(arguments.begin(), state);
  invoke(symbol(library, "__program_" + wanted.program), &ffi_type_void, arguments);
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");

  std::string difference;
  for (array const& one : wanted.arrays)
    if (difference.empty() && !one.expected.empty()) difference = compare(one);
  auto const exit_code = static_cast<std::int32_t>(
      invoke(symbol(library, "__dace_exit_" + wanted.program), &ffi_type_sint32, {state}));
  for (array const& one : wanted.arrays) require(cudaFree(one.device), "cudaFree");
  (void)mockgpu::finish();
  auto const counts = mockgpu::current_statistics();
  std::cout << "{\"summary\": true, \"difference\": \"" << difference
            << "\", \"exit_code\": " << exit_code << ", \"operations\": " << counts.operations
            << ", \"accesses\": " << counts.accesses << "}" << std::endl;
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: run_program LIBRARY CALL_FILE\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (std::exception const& problem) {
    std::fprintf(stderr, "run_program: error: %s\n", problem.what());
    return 1;
  }
}
