// Writes the lines that a cell would write, then ends in the way that the first argument names.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

void say(std::string const& line) { static_cast<void>(!write(3, line.data(), line.size())); }

constexpr char const* finding =
    R"({"finding":"host-race","advice":false,"edge":"host:1:2","group":"g",)"
    R"("text":"finding: host-race","json":"{\"kind\":\"host-race\"}","order":""})"
    "\n";
constexpr char const* result = R"({"outputs":"equal","failure":"","operations":3,"accesses":5,)"
                               R"("order":"","failed_call":"","unhooked":[],"program_calls":[],)"
                               R"("memory_calls":[0,0,0,0,0,0],"again":""})"
                               "\n";

} // namespace

int main(int count, char** arguments) {
  std::string const how = count > 1 ? arguments[1] : "";
  char buffer[4096];
  std::size_t input = 0;
  for (ssize_t got; (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
    input += static_cast<std::size_t>(got);
  if (how == "echo") {
    say("input " + std::to_string(input) + "\n");
    return 0;
  }
  if (how == "unhooked") {
    std::string text = result;
    text.replace(text.find("[]"), 2, "[\"liblegacy.so\"]");
    say(text);
    return 0;
  }
  if (how == "well") {
    say(result);
    return 0;
  }
  if (how == "sanitized" || how == "quiet sanitizer") {
    say(result);
    std::fputs(how == "sanitized" ? "========= COMPUTE-SANITIZER\n"
                                    "========= Invalid __global__ write of size 8 bytes\n"
                                    "=========     at kernel(double *)+0xb0 in k.cu:6\n"
                                    "=========     by thread (3,0,0) in block (0,0,0)\n"
                                    "========= \n"
                                    "========= ERROR SUMMARY: 1 error\n"
                                  : "========= COMPUTE-SANITIZER\n"
                                    "========= ERROR SUMMARY: 0 errors\n",
               stderr);
    return how == "sanitized" ? 86 : 0;
  }
  if (how == "checker") return 70;
  say(finding);
  std::fputs("a last word\n", stderr);
  if (how == "finding") say(result);
  if (how == "torn") say("{\"outputs\":");
  if (how == "exit") return 7;
  if (how == "crash") {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (how == "hang") pause();
  if (how == "deaf") { // a child of its own holds the pipes open
    if (fork() == 0) sleep(600);
    say(result);
    return 0;
  }
  if (how == "eat") {
    std::vector<char*> kept;
    for (;;) {
      kept.push_back(static_cast<char*>(std::malloc(1 << 20)));
      std::memset(kept.back(), 1, 1 << 20);
      usleep(500);
    }
  }
  return 0;
}
