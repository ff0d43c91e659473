// Programs with a single mistake, for a number of seconds: mistakes SECONDS SEED FILE… Each is a process of
// its own, with limits of time and memory. Prints those that lead to more than three errors, or to a fault,
// and writes their texts to found-mistake-N.sr.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "compiler/base/sanitized.h"
#include "tests/fuzz/mistake.h"

using namespace sigrel::fuzz;

namespace {

constexpr rlim_t kSeconds = 20, kMemory = 4'000'000'000;  // processor time, bytes of address space
enum Ended : int { kAccepted, kRefused, kTooMany, kEndings };

int check_in_child(const std::string& path, const std::string& text) {
  const rlimit time{kSeconds, kSeconds}, memory{kMemory, kMemory}, core{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  const std::vector<std::string> errors = errors_of_check(path, text);
  if (errors.size() <= kErrorsOfOneMistake) return errors.empty() ? kAccepted : kRefused;
  std::printf("%zu errors\n", errors.size());
  for (const std::string& error : errors) std::printf("  %s\n", error.substr(0, error.find('\n')).c_str());
  std::fflush(stdout);
  return kTooMany;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::vector<Program> programs;
  for (int k = 3; k < argc; ++k) {
    programs.emplace_back(argv[k]);
    if (!errors_of_check(argv[k], programs.back().text()).empty()) programs.pop_back();  // it is one already
  }
  if (programs.empty()) return 2;
  std::minstd_rand random(static_cast<unsigned>(std::atoi(argv[2])));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  int counts[kEndings] = {}, found = 0, faults = 0;
  while (std::chrono::steady_clock::now() < end) {
    const Program& program = programs[random() / 7 % programs.size()];
    const Program::Mistake mistake = program.make_mistake(random);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(check_in_child(program.path(), mistake.text));
    int status = 0;
    waitpid(child, &status, 0);
    const bool exited = WIFEXITED(status) && WEXITSTATUS(status) < kEndings;
    exited ? ++counts[WEXITSTATUS(status)] : ++faults;
    if (exited && WEXITSTATUS(status) != kTooMany) continue;
    if (!exited) std::printf("signal %d, code %d\n", WTERMSIG(status), WEXITSTATUS(status));
    const std::string file = "found-mistake-" + std::to_string(++found) + ".sr";
    std::ofstream(file) << mistake.text;
    std::printf("  %s: %s: %s\n", file.c_str(), program.path().c_str(), mistake.what.c_str());
  }
  std::printf("%d accepted, %d refused, %d with more than %zu errors, %d with a fault\n", counts[kAccepted],
              counts[kRefused], counts[kTooMany], kErrorsOfOneMistake, faults);
  return found > 0 ? 1 : 0;
}
