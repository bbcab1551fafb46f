#include "command_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "files.hpp"

namespace mockgpu::tools {
namespace {

using strings = std::initializer_list<std::string_view>;

bool one_of(std::string_view text, strings values) {
  return std::find(values.begin(), values.end(), text) != values.end();
}

bool starts_with_one_of(std::string_view text, strings values) {
  return std::any_of(values.begin(), values.end(), [&](auto v) { return text.starts_with(v); });
}

std::string extension_of(std::string const& path) {
  return std::filesystem::path(path).extension().string();
}

/// The words of a response file: separated by white space, with quotes and backslashes as in a
/// shell.
std::vector<std::string> split_words(std::string const& text) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote)
      quote = 0;
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size())
      words.back() += text[++i];
    else
      words.back() += c;
  }
  return words;
}

/// nvcc's long names for what all compilers call by a short one.
std::string short_name(std::string const& option) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"--compile", "-c"},
      {"--preprocess", "-E"},
      {"--output-file", "-o"},
      {"--include-path", "-I"},
      {"--system-include", "-isystem"},
      {"--define-macro", "-D"},
      {"--undefine-macro", "-U"},
      {"--pre-include", "-include"},
      {"--library", "-l"},
      {"--library-path", "-L"},
      {"--linker-options", "-Xlinker"},
      {"--optimize", "-O"},
      {"--debug", "-g"},
      {"--profile", "-pg"},
      {"--disable-warnings", "-w"},
      {"--generate-dependencies", "-M"},
      {"--generate-nonsystem-dependencies", "-MM"},
      {"--generate-dependencies-with-compile", "-MD"},
      {"--generate-nonsystem-dependencies-with-compile", "-MMD"},
      {"--generate-dependency-targets", "-MP"},
      {"--dependency-output", "-MF"},
      {"--dependency-target-name", "-MT"},
      {"-V", "--version"},
      {"-optf", "--options-file"},
      {"--language", "-x"},
      {"--x", "-x"}};
  std::size_t const end = std::min(option.find('='), option.size());
  for (auto const& [from, to] : names)
    if (std::string_view(option).substr(0, end) == from)
      return std::string(to) + option.substr(end);
  return option;
}

class reader {
public:
  reader(driver_kind kind, std::vector<std::string> const& arguments)
      : kind_(kind), arguments_(arguments) {}

  command read() {
    while (next_ < arguments_.size()) {
      std::string const argument = arguments_[next_++];
      if (argument.size() > 1 && argument.front() == '@')
        insert_file(argument.substr(1));
      else if (argument.size() > 1 && argument.front() == '-')
        option(kind_ == driver_kind::nvcc ? short_name(argument) : argument);
      else
        input(argument);
    }
    return std::move(result_);
  }

private:
  /// The value of an option that may stand in the next argument or behind '='.
  std::string value_of(std::string const& option) {
    if (std::size_t const equals = option.find('='); equals != option.npos)
      return option.substr(equals + 1);
    if (next_ == arguments_.size()) throw usage_error("option '" + option + "' needs a value");
    return arguments_[next_++];
  }

  void insert_file(std::string const& path) {
    if (++files_read_ > 100) throw usage_error("option files include one another");
    auto const words = split_words(read_file(path));
    arguments_.insert(arguments_.begin() + static_cast<std::ptrdiff_t>(next_), words.begin(),
                      words.end());
  }

  /// True when `option` is one of `names`, alone or followed by '='.
  static bool named(std::string const& option, strings names) {
    return one_of(std::string_view(option).substr(0, option.find('=')), names);
  }

  void keep(std::vector<std::string>& list, std::string const& option, bool separate_value) {
    list.push_back(option);
    if (separate_value) list.push_back(value_of(option));
  }

  static void append_pair(std::vector<std::string>& list, std::string const& option,
                          std::string const& value) {
    list.push_back(option);
    list.push_back(value);
  }

  /// A list separated by commas, of which a backslash makes a letter.
  static std::vector<std::string> split_list(std::string const& list) {
    std::vector<std::string> result(1);
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',')
        result.back() += list[++i];
      else if (list[i] == ',')
        result.emplace_back();
      else
        result.back() += list[i];
    }
    std::erase(result, "");
    return result;
  }

  void input(std::string const& path) {
    std::string const extension = extension_of(path);
    std::string language = language_;
    bool device = false;
    if (language == "cu" || language == "hip") {
      device = true;
      language = "c++";
    } else if (language.empty() || language == "none") {
      if (extension == ".cu" ||
          one_of(extension, {".cpp", ".cc", ".cxx", ".C", ".hip", ".c++", ".cp"})) {
        language = "c++";
        device = extension == ".cu" ? kind_ != driver_kind::cxx : kind_ == driver_kind::hipcc;
      } else if (extension == ".c") {
        language = "c";
      } else if (extension == ".S" || extension == ".s") {
        language = extension == ".S" ? "assembler-with-cpp" : "assembler";
      } else {
        result_.link_inputs.push_back(path);
        return;
      }
    }
    if (extension == ".cu" && kind_ == driver_kind::cxx)
      throw usage_error("'" + path + "' is device code; mockgpu-nvcc compiles it");
    result_.sources.push_back({path, language, device});
  }

  void option(std::string const& o) {
    // nvcc gives some spellings that begin like a host compiler's a meaning of its own.
    bool const known = kind_ == driver_kind::nvcc
                           ? nvcc(o) || common(o) || (forwards_unknown_ && host(o))
                       : kind_ == driver_kind::hipcc ? common(o) || hipcc(o)
                                                     : common(o) || host(o);
    if (!known) throw usage_error("unknown option '" + o + "'");
  }

  /// What all three take with one meaning.
  bool common(std::string const& o) {
    auto& r = result_;
    if (o == "--print-identity")
      r.what = command::action::print_identity;
    else if (o == "--version")
      r.what = command::action::print_version;
    else if (o == "-c")
      r.what = command::action::compile;
    else if (o == "-E")
      r.what = command::action::preprocess;
    else if (o == "-v" || o == "--verbose")
      r.show_commands = true;
    else if (o == "-###")
      r.show_commands = r.dry_run = true;
    else if (starts_with_one_of(o, {"-dump", "-print-"}) && kind_ != driver_kind::nvcc) {
      r.what = command::action::ask_host;
      r.code_flags.push_back(o);
    } else if (named(o, {"-o"}))
      r.output = value_of(o);
    else if (named(o, {"-x"}))
      language_ = value_of(o);
    else if (o.starts_with("-x") && o.size() > 2)
      language_ = o.substr(2);
    else if (o == "-shared" || o == "--shared") {
      r.shared = true;
      r.link_flags.emplace_back("-shared");
    } else if (starts_with_one_of(o, {"-I=", "-isystem=", "-include=", "-D=", "-U="})) {
      std::size_t const equals = o.find('=');
      append_pair(r.preprocess_flags, o.substr(0, equals), o.substr(equals + 1));
    } else if (one_of(o, {"-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter",
                          "-imacros"}))
      keep(r.preprocess_flags, o, true);
    else if (starts_with_one_of(o, {"-I", "-D", "-U", "-isystem", "-iquote"}))
      r.preprocess_flags.push_back(o);
    else if (named(o, {"-MF", "-MT", "-MQ"}))
      append_pair(r.dependency_flags, o.substr(0, 3), value_of(o));
    else if (one_of(o, {"-M", "-MD", "-MM", "-MMD", "-MP"})) {
      r.dependency_flags.push_back(o);
      if (o == "-M" || o == "-MM") r.what = command::action::preprocess;
    } else if (named(o, {"-l", "-L"}))
      link_library(o.substr(0, 2) + value_of(o));
    else if (starts_with_one_of(o, {"-l", "-L"}))
      link_library(o);
    else if (named(o, {"-Xlinker"})) {
      std::string const value = value_of(o);
      if (kind_ == driver_kind::nvcc)
        for (std::string const& one : split_list(value)) append_pair(r.link_flags, "-Xlinker", one);
      else
        append_pair(r.link_flags, "-Xlinker", value);
    } else if (o.starts_with("-Wl,") ||
               one_of(o, {"-rdynamic", "-static-libgcc", "-static-libstdc++", "-no-pie", "-pie"}))
      r.link_flags.push_back(o);
    else if (o == "-std" || o == "--std")
      r.code_flags.push_back("-std=" + value_of(o));
    else if (o.starts_with("-std=") || o.starts_with("--std="))
      r.code_flags.push_back("-std=" + value_of(o));
    else if (named(o, {"-O"}) && (kind_ == driver_kind::nvcc || o != "-O"))
      r.code_flags.push_back("-O" + value_of(o));
    else if (o.starts_with("-O") || one_of(o, {"-g", "-w", "-pipe", "-pg"}))
      r.code_flags.push_back(o);
    else if (one_of(o, {"-pthread", "-fopenmp", "-fPIC", "-fpic", "-fPIE"})) {
      r.code_flags.push_back(o);
      r.link_flags.push_back(o);
    } else
      return false;
    return true;
  }

  void link_library(std::string const& option) {
    // The mock stands in for the vendors' run-time libraries.
    if (!one_of(option, {"-lcudart", "-lcudart_static", "-lcudadevrt", "-lcuda", "-lamdhip64"}))
      result_.link_inputs.push_back(option);
  }

  /// An option of the host compiler.
  bool host(std::string const& o) {
    auto& r = result_;
    if (o.starts_with("-fsanitize"))
      throw usage_error("option '" + o +
                        "': the memory hooks of mockgpu take the sanitizer's place");
    if (o.starts_with("-flto"))
      throw usage_error("option '" + o + "': the memory hooks are placed before link time");
    if (o == "-masm=intel")
      throw usage_error("option '" + o + "': the memory hooks are placed in AT&T syntax");
    if (o == "--coverage" || o == "-coverage" ||
        starts_with_one_of(o, {"-fprofile-arcs", "-fprofile-generate"}))
      throw usage_error("option '" + o +
                        "': its counters are memory of the host, which kernels would touch");
    if (o == "-ccbin")
      r.compiler = value_of(o);
    else if (o == "--param" || o == "-isysroot" || o == "--sysroot" || o == "-Xpreprocessor" ||
             o == "-Xassembler")
      keep(r.code_flags, o, true);
    else if (starts_with_one_of(o, {"-f", "-m", "-W", "-g", "-pedantic", "-ansi",
                                    "--param=", "--sysroot=", "-nostd"}))
      r.code_flags.push_back(o);
    else
      return false;
    return true;
  }

  /// Host options behind -Xcompiler: separated by commas, or by spaces within quotes.
  void host_list(std::string const& list) {
    bool value = false; // belongs to the option before it
    for (std::string const& part : split_list(list))
      for (std::string const& o : split_words(part)) { // nvcc hands the list to a shell
        if (value || one_of(o, {"--param", "-isystem", "-include"})) {
          value = !value;
          result_.code_flags.push_back(o);
        } else if (!common(o) && !host(o)) {
          throw usage_error("unknown option '" + o + "' behind -Xcompiler");
        }
      }
  }

  bool nvcc(std::string const& o) {
    auto& r = result_;
    if (named(o, {"-Xcompiler", "--compiler-options"}))
      host_list(value_of(o));
    else if (named(o, {"-ccbin", "--compiler-bindir"}))
      r.compiler = value_of(o);
    else if (named(o, {"--options-file"}))
      for (std::string const& file : split_list(value_of(o))) insert_file(file);
    else if (one_of(o, {"-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler",
                        "-forward-unknown-opts", "--forward-unknown-opts"}))
      forwards_unknown_ = true;
    else if (o == "-dryrun" || o == "--dryrun")
      r.show_commands = r.dry_run = true;
    else if (one_of(o, {"-dc", "--device-c", "-dw", "--device-w"}))
      r.what = command::action::compile;
    else if (o == "-dlink" || o == "--device-link")
      r.what = command::action::device_link;
    else if (o == "-lib" || o == "--lib")
      r.what = command::action::archive;
    else if (o == "-link" || o == "--link")
      r.what = command::action::link;
    else if (one_of(o, {"-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", "-optix-ir",
                        "--optix-ir", "-ltoir", "--ltoir", "-cuda", "--cuda"}))
      throw usage_error("option '" + o +
                        "': there is no device code to write; kernels become host code");
    else if (named(o, {"-default-stream", "--default-stream"})) {
      std::string const which = value_of(o);
      if (which == "per-thread")
        r.preprocess_flags.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      else if (which != "legacy" && which != "null")
        throw usage_error("option '" + o + "': '" + which + "' is no default stream");
    } else if (named(o, {"-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode",
                         "--generate-code"})) {
      note_architectures(value_of(o));
    } else if (nvcc_ignored(o)) {
      // About device code generation, of which there is none, or about nvcc's own work.
    } else if (one_of(o, {"-noeh", "--no-exceptions"}))
      r.code_flags.emplace_back("-fno-exceptions");
    else
      return false;
    return true;
  }

  /// "sm_80", "arch=compute_80,code=[sm_80,sm_86]", or words for what there is.
  void note_architectures(std::string const& text) {
    constexpr unsigned of_the_mock = 90;
    unsigned& highest = result_.cuda_architecture;
    if (one_of(text, {"native", "all", "all-major"})) highest = std::max(highest, of_the_mock);
    for (std::string_view const prefix : {"sm_", "compute_"})
      for (std::size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
        unsigned number = 0;
        std::from_chars(text.data() + at + prefix.size(), text.data() + text.size(), number);
        highest = std::max(highest, number);
      }
  }

  bool nvcc_ignored(std::string const& o) {
    if (named(o, {"-Xptxas",
                  "--ptxas-options",
                  "-maxrregcount",
                  "--maxrregcount",
                  "-cudart",
                  "--cudart",
                  "-cudadevrt",
                  "--cudadevrt",
                  "-t",
                  "--threads",
                  "-split-compile",
                  "--split-compile",
                  "-diag-suppress",
                  "--diag-suppress",
                  "-diag-error",
                  "--diag-error",
                  "-diag-warn",
                  "--diag-warn",
                  "-Xcudafe",
                  "-Xfatbin",
                  "-Xnvlink",
                  "--nvlink-options",
                  "-Xarchive",
                  "--archive-options",
                  "-rdc",
                  "--relocatable-device-code",
                  "-ftz",
                  "--ftz",
                  "-prec-div",
                  "--prec-div",
                  "-prec-sqrt",
                  "--prec-sqrt",
                  "-fmad",
                  "--fmad",
                  "--keep-dir",
                  "-keep-dir",
                  "-Werror",
                  "--Werror",
                  "-m",
                  "--machine",
                  "-std-device",
                  "-time",
                  "--time",
                  "-target-dir",
                  "--target-directory",
                  "-ldir",
                  "--libdevice-directory",
                  "-brief-diag",
                  "--brief-diagnostics",
                  "-static-global-template-stub",
                  "--static-global-template-stub"})) {
      static_cast<void>(value_of(o));
      return true;
    }
    return starts_with_one_of(o, {"-Wno-", "-Wreorder", "-Wdefault-stream-launch",
                                  "-Wmissing-launch-bounds", "-Wext-lambda-captures-this"}) ||
           one_of(o, {"-lineinfo",
                      "--generate-line-info",
                      "-G",
                      "--device-debug",
                      "--expt-relaxed-constexpr",
                      "-expt-relaxed-constexpr",
                      "--extended-lambda",
                      "-extended-lambda",
                      "--expt-extended-lambda",
                      "-expt-extended-lambda",
                      "-restrict",
                      "--restrict",
                      "-m64",
                      "-use_fast_math",
                      "--use_fast_math",
                      "-extra-device-vectorization",
                      "--extra-device-vectorization",
                      "-keep",
                      "--keep",
                      "-save-temps",
                      "--save-temps",
                      "-res-usage",
                      "--resource-usage",
                      "-allow-unsupported-compiler",
                      "--allow-unsupported-compiler",
                      "-dopt",
                      "--dopt",
                      "-dlto",
                      "--dlink-time-opt",
                      "-display-error-number",
                      "--display-error-number",
                      "-no-display-error-number",
                      "--no-display-error-number",
                      "-nohdinitlist",
                      "-noprof",
                      "--no-profile",
                      "-src-in-ptx",
                      "--source-in-ptx",
                      "-forward-unknown-to-host-linker",
                      "--forward-unknown-to-host-linker",
                      "-forward-slash-prefix-opts",
                      "-nodlink",
                      "-clean",
                      "-err-no"});
  }

  bool hipcc(std::string const& o) {
    if (one_of(o, {"--genco", "--offload-device-only", "--cuda-device-only", "-emit-llvm"}))
      throw usage_error("option '" + o +
                        "': there is no device code to write; kernels become host code");
    if (one_of(o, {"-fgpu-default-stream=per-thread"}))
      result_.preprocess_flags.emplace_back("-DHIP_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (starts_with_one_of(o, {"--offload-arch", "--amdgpu-target"})) {
      for (std::string const& one : split_list(value_of(o)))
        result_.hip_architectures.push_back(one.substr(0, one.find(':'))); // without its features
    } else if (starts_with_one_of(o, {"--rocm-path", "--rocm-device-lib-path", "--hip-path",
                                      "--hip-device-lib-path", "--hip-version"}))
      (void)value_of(o);
    else if (one_of(o, {"-fgpu-rdc", "-fno-gpu-rdc", "--hip-link", "-munsafe-fp-atomics",
                        "-fhip-new-launch-api", "--cuda-host-only", "--offload-host-only",
                        "-fgpu-default-stream=legacy", "-fgpu-approx-transcendentals",
                        "-fgpu-sanitize", "-fno-gpu-sanitize", "-fgpu-flush-denormals-to-zero",
                        "-fcuda-flush-denormals-to-zero", "--hipstdpar", "-no-hip-rt"}))
      return true;
    else
      return host(o);
    return true;
  }

  driver_kind kind_;
  std::vector<std::string> arguments_;
  std::size_t next_ = 0;
  int files_read_ = 0;
  bool forwards_unknown_ = false; ///< nvcc: to the host compiler
  std::string language_;
  command result_;
};

} // namespace

command parse_command_line(driver_kind kind, std::vector<std::string> const& arguments) {
  return reader(kind, arguments).read();
}

} // namespace mockgpu::tools
