// The assembler that compilers find through -B when a mockgpu driver runs them: rewrites the text
// (assembly.hpp) and hands it to the real assembler, with the same arguments.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assembly.hpp"

extern char** environ;

namespace {

bool takes_value(std::string const& option) {
  return option == "-o" || option == "-I" || option == "--defsym" || option == "--debug-prefix-map";
}

int assemble(std::vector<std::string> arguments, std::string const& text) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  pid_t child = 0;
  int const failure = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (failure != 0) {
    std::fprintf(stderr, "mockgpu assembler: error: cannot run '%s': %s\n", argv[0],
                 std::strerror(failure));
    close(ends[1]);
    return 1;
  }
  signal(SIGPIPE, SIG_IGN); // the assembler's own message says why it stopped reading
  for (std::size_t done = 0; done < text.size();) {
    ssize_t const count = write(ends[1], text.data() + done, text.size() - done);
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments = {"as"};
  std::string input = "-";
  for (int i = 1; i < argc; ++i) {
    std::string const argument = argv[i];
    if (takes_value(argument) && i + 1 < argc) {
      arguments.push_back(argument);
      arguments.emplace_back(argv[++i]);
    } else if (argument.starts_with('-') && argument != "-") {
      arguments.push_back(argument);
    } else {
      input = argument;
    }
  }
  std::string text;
  if (input == "-") {
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream file(input, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "mockgpu assembler: error: cannot read '%s'\n", input.c_str());
      return 1;
    }
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto const rewritten = mockgpu::tools::rewrite_assembly(text);
  if (!rewritten.refusal.empty()) {
    std::fprintf(stderr, "mockgpu: error: %s\n", rewritten.refusal.c_str());
    return 1;
  }
  arguments.emplace_back("-");
  return assemble(std::move(arguments), rewritten.text);
}
