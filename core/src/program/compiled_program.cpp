#include "assay/compiled_program.hpp"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <ffi.h>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "assay/error.hpp"
#include "assay/settings.hpp"

namespace assay {
namespace {

// DaCe's storage names that can hold an external array.
constexpr std::string_view storages[] = {"GPU_Global", "CPU_Heap", "CPU_Pinned", "Default"};

ffi_type* complex_type(ffi_type& part) {
  // Passed as a struct of two parts: the same classes as the C++ struct in generated code.
  struct holder {
    ffi_type* elements[3];
    ffi_type type{};
    explicit holder(ffi_type& p) : elements{&p, &p, nullptr} {
      type.type = FFI_TYPE_STRUCT;
      type.elements = elements;
    }
  };
  static holder single(ffi_type_float), twice(ffi_type_double);
  return &part == &ffi_type_float ? &single.type : &twice.type;
}

ffi_type* native_type(dtype type) {
  switch (type) {
  case dtype::boolean:
  case dtype::uint8:
    return &ffi_type_uint8;
  case dtype::int8:
    return &ffi_type_sint8;
  case dtype::int16:
    return &ffi_type_sint16;
  case dtype::uint16:
  case dtype::float16:
    return &ffi_type_uint16;
  case dtype::int32:
    return &ffi_type_sint32;
  case dtype::uint32:
    return &ffi_type_uint32;
  case dtype::int64:
    return &ffi_type_sint64;
  case dtype::uint64:
    return &ffi_type_uint64;
  case dtype::float32:
    return &ffi_type_float;
  case dtype::float64:
    return &ffi_type_double;
  case dtype::complex64:
    return complex_type(ffi_type_float);
  case dtype::complex128:
    return complex_type(ffi_type_double);
  }
  ASSAY_ASSERT(!"a dtype outside the enum");
}

ffi_type* native_type(sdfg::argument const& argument) {
  return argument.type.kind == sdfg::descriptor_kind::scalar ? native_type(argument.type.type)
                                                             : &ffi_type_pointer;
}

/// Largest result of a function with an integral or pointer result.
union result_value {
  ffi_arg integer;
  void* pointer;
};

result_value call_function(void* function, ffi_type* result, std::vector<ffi_type*> types,
                           std::vector<void*> values) {
  ffi_cif interface;
  ASSAY_ASSERT(ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()),
                            result, types.data()) == FFI_OK);
  result_value out{};
  ffi_call(&interface, FFI_FN(function), &out, values.data());
  return out;
}

template <typename Integer> bool fits(std::int64_t value) {
  if constexpr (std::is_same_v<Integer, std::uint64_t>)
    return value >= 0;
  else
    return value >= std::numeric_limits<Integer>::min() &&
           value <= std::numeric_limits<Integer>::max();
}

std::uint16_t half_bits(double value) {
  _Float16 const half = static_cast<_Float16>(value);
  std::uint16_t bits = 0;
  std::memcpy(&bits, &half, sizeof bits);
  return bits;
}

} // namespace

argument_value argument_value::pointer(void const* value) noexcept {
  argument_value made;
  std::memcpy(made.bytes_.data(), &value, sizeof value);
  return made;
}

argument_value argument_value::integer(dtype type, std::int64_t value) {
  argument_value made;
  auto const put = [&]<typename Integer>(Integer) {
    if (!fits<Integer>(value))
      throw error(errc::invalid_input, fmt::format("{} is no {}", value, assay::name(type)));
    Integer const narrow = static_cast<Integer>(value);
    std::memcpy(made.bytes_.data(), &narrow, sizeof narrow);
    return made;
  };
  switch (type) {
  case dtype::boolean:
    if (value != 0 && value != 1)
      throw error(errc::invalid_input, fmt::format("{} is no bool", value));
    return put(std::uint8_t{});
  case dtype::int8:
    return put(std::int8_t{});
  case dtype::int16:
    return put(std::int16_t{});
  case dtype::int32:
    return put(std::int32_t{});
  case dtype::int64:
    return put(std::int64_t{});
  case dtype::uint8:
    return put(std::uint8_t{});
  case dtype::uint16:
    return put(std::uint16_t{});
  case dtype::uint32:
    return put(std::uint32_t{});
  case dtype::uint64:
    return put(std::uint64_t{});
  default:
    return real(type, static_cast<double>(value));
  }
}

argument_value argument_value::real(dtype type, double value) {
  argument_value made;
  auto const put = [&](auto narrow) {
    std::memcpy(made.bytes_.data(), &narrow, sizeof narrow);
    return made;
  };
  switch (type) {
  case dtype::float16:
    return put(half_bits(value));
  case dtype::float32:
  case dtype::complex64:
    return put(static_cast<float>(value));
  case dtype::float64:
  case dtype::complex128:
    return put(value);
  default:
    throw error(errc::invalid_input, fmt::format("{} is no {}", value, assay::name(type)));
  }
}

struct compiled_program::implementation {
  program_interface interface;
  gpu_runtime* gpu = nullptr;
  void* library = nullptr;
  void* init = nullptr;
  void* exit = nullptr;
  void* program = nullptr;
  void* last_error = nullptr; ///< absent on target cpu
  struct storage_functions {
    std::string storage;
    void* size = nullptr;
    void* set = nullptr;
  };
  std::vector<storage_functions> workspace;

  program_state state = program_state::loaded;
  void* handle = nullptr;
  argument_values init_values; ///< exactly the init symbols, of the last initialise or call
  workspace_buffers installed;

  [[nodiscard]] void* symbol(std::string const& name) const { return dlsym(library, name.c_str()); }
  [[nodiscard]] void* required(std::string const& name) const {
    void* const found = symbol(name);
    if (found == nullptr)
      throw error(errc::environment,
                  fmt::format("library of program '{}' lacks {}", interface.name, name));
    return found;
  }

  [[nodiscard]] argument_values pick(std::vector<sdfg::argument> const& wanted,
                                     argument_values const& from) const {
    argument_values picked;
    for (sdfg::argument const& argument : wanted) {
      auto const found = from.find(argument.name);
      if (found == from.end())
        throw error(errc::invalid_input, fmt::format("argument '{}' of program '{}' is missing",
                                                     argument.name, interface.name));
      picked.emplace(*found);
    }
    return picked;
  }

  /// Calls function(first..., wanted arguments...).
  result_value invoke(void* function, ffi_type* result, std::vector<void*> first,
                      std::vector<sdfg::argument> const& wanted,
                      argument_values const& from) const {
    std::vector<ffi_type*> types(first.size(), &ffi_type_pointer);
    std::vector<void*> values;
    for (void*& value : first) values.push_back(&value);
    for (sdfg::argument const& argument : wanted) {
      types.push_back(native_type(argument));
      values.push_back(const_cast<void*>(from.find(argument.name)->second.data()));
    }
    return call_function(function, result, std::move(types), std::move(values));
  }

  void require_initialised() const {
    if (state == program_state::loaded)
      throw error(errc::invalid_input,
                  fmt::format("program '{}' is not initialised", interface.name));
  }

  void initialise(argument_values const& values) {
    argument_values picked = pick(interface.signature.init, values);
    void* const made =
        invoke(init, &ffi_type_pointer, {}, interface.signature.init, picked).pointer;
    if (made == nullptr)
      throw error(errc::environment,
                  fmt::format("initialising program '{}' failed", interface.name));
    handle = made;
    init_values = std::move(picked);
    installed.clear();
    state = program_state::initialised;
  }

  [[nodiscard]] std::vector<workspace_need> needs(argument_values const& values) const {
    std::vector<workspace_need> result;
    for (storage_functions const& functions : workspace) {
      result_value const size =
          invoke(functions.size, &ffi_type_uint64, {handle}, interface.signature.init, values);
      result.push_back({functions.storage, static_cast<std::size_t>(size.integer),
                        interface.workspace_alignment_bytes});
    }
    return result;
  }

  void set(workspace_buffers const& buffers) {
    for (storage_functions const& functions : workspace) {
      auto const found = buffers.find(functions.storage);
      void* const base = found == buffers.end() ? nullptr : found->second.base;
      static_cast<void>(invoke(functions.set, &ffi_type_void, {handle, base},
                               interface.signature.init, init_values));
    }
    installed = buffers;
    state = program_state::ready;
  }

  void finish() {
    if (state == program_state::loaded) return;
    void* const ending = handle;
    handle = nullptr;
    state = program_state::loaded;
    installed.clear();
    int const status = static_cast<int>(invoke(exit, &ffi_type_sint, {ending}, {}, {}).integer);
    if (status != 0)
      throw error(errc::environment, fmt::format("finishing program '{}' failed with GPU status {}",
                                                 interface.name, status));
  }

  /// Follows a change of an init symbol: new sizes, validated; or a whole new state.
  void follow_symbols(argument_values const& values) {
    argument_values picked = pick(interface.signature.init, values);
    if (picked == init_values) return;
    auto const stream = picked.find(external_stream_symbol);
    if (stream != picked.end() &&
        !(stream->second == init_values.find(external_stream_symbol)->second))
      throw error(
          errc::invalid_input,
          fmt::format("the stream of program '{}' cannot change after initialise", interface.name));
    workspace_buffers const buffers = installed;
    bool const was_ready = state == program_state::ready;
    if (interface.sizes_fixed_at_init) {
      finish();
      initialise(values);
    } else if (was_ready) {
      validate_workspace(needs(picked), buffers, gpu);
    }
    init_values = std::move(picked);
    if (was_ready) set(buffers);
  }
};

compiled_program::compiled_program(std::filesystem::path const& library,
                                   program_interface interface, gpu_runtime* gpu)
    : self_(std::make_unique<implementation>()) {
  self_->interface = std::move(interface);
  self_->gpu = gpu;
  // Lazy binding would resolve a missing function in the middle of a call.
  self_->library = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (self_->library == nullptr)
    throw error(errc::environment, fmt::format("cannot load the library: {}", dlerror()), {},
                library.string());
  std::string const& name = self_->interface.name;
  self_->init = self_->required("__dace_init_" + name);
  self_->exit = self_->required("__dace_exit_" + name);
  self_->program = self_->required("__program_" + name);
  self_->last_error = self_->symbol("__dace_gpu_last_error");
  for (std::string_view storage : storages)
    if (void* const size =
            self_->symbol(fmt::format("__dace_get_external_memory_size_{}", storage)))
      self_->workspace.push_back(
          {std::string(storage), size,
           self_->required(fmt::format("__dace_set_external_memory_{}", storage))});
}

compiled_program::~compiled_program() {
  try {
    self_->finish();
  } catch (error const&) {
    // The caller who wants to know calls finish().
  }
  // The library stays loaded: a checker looks up source lines of its code until the process ends.
}

program_state compiled_program::state() const noexcept { return self_->state; }

void compiled_program::initialise(argument_values const& values) {
  if (self_->state != program_state::loaded)
    throw error(errc::invalid_input,
                fmt::format("program '{}' is initialised already", self_->interface.name));
  self_->initialise(values);
}

std::vector<workspace_need> compiled_program::workspace_needs() const {
  self_->require_initialised();
  return self_->needs(self_->init_values);
}

void compiled_program::install(workspace_buffers const& buffers) {
  self_->require_initialised();
  validate_workspace(self_->needs(self_->init_values), buffers, self_->gpu);
  self_->set(buffers);
}

void compiled_program::install_unchecked(workspace_buffers const& buffers) {
  self_->require_initialised();
  self_->set(buffers);
}

void compiled_program::call(argument_values const& values) {
  self_->require_initialised();
  self_->follow_symbols(values);
  // Before the argument vector is built: a program without its workspace would run on null
  // pointers.
  if (self_->state != program_state::ready)
    for (workspace_need const& need : self_->needs(self_->init_values))
      if (need.size_bytes != 0)
        throw error(errc::invalid_input,
                    fmt::format("workspace for {}: not installed, {} bytes needed", need.storage,
                                need.size_bytes));
  argument_values const picked = self_->pick(self_->interface.signature.arguments, values);
  static_cast<void>(self_->invoke(self_->program, &ffi_type_void, {self_->handle},
                                  self_->interface.signature.arguments, picked));
  if (self_->last_error == nullptr) return;
  int const status = static_cast<int>(
      self_->invoke(self_->last_error, &ffi_type_sint, {self_->handle}, {}, {}).integer);
  if (status != 0) {
    self_->installed.clear();
    self_->state = program_state::initialised;
    throw error(errc::environment, fmt::format("program '{}' failed with GPU status {}",
                                               self_->interface.name, status));
  }
}

void compiled_program::finish() { self_->finish(); }

} // namespace assay
