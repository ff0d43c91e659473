// Whole runs of mutants, for a number of seconds: mutants SEEDS SECONDS [SEED]. Each is a process of its own,
// with limits of time and memory, so that what is found does not end the search. Prints what has a fault, and
// writes its text to found-mutant-N.sr.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "compiler/base/sanitized.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/whole_run.h"

using namespace sigrel::fuzz;

namespace {

constexpr rlim_t kSeconds = 20, kMemory = 4'000'000'000;  // processor time, bytes of address space
enum Ended : int { kRefused, kFailed, kCompleted, kFault, kEndings };

int run_in_child(const std::string& text) {
  const rlimit time{kSeconds, kSeconds}, memory{kMemory, kMemory}, core{0, 0};
  setrlimit(RLIMIT_CPU, &time);
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &core);
  const WholeRun run = whole_run(text);
  if (run.fault.empty()) return run.completed ? kCompleted : run.compiled ? kFailed : kRefused;
  std::printf("%s\n%s\n", run.fault.c_str(), run.errors.c_str());
  std::fflush(stdout);
  return kFault;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (seeds.back().size() > 6000) seeds.pop_back();
  }
  if (seeds.empty()) return 2;
  Random random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1u);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  int counts[kEndings] = {}, found = 0;
  while (std::chrono::steady_clock::now() < end) {
    const std::string& seed = seeds[random() / 7 % seeds.size()];
    const std::string text = random() / 7 % 4 == 0 ? mutate(seed, seeds[random() / 7 % seeds.size()], random)
                                                   : change_values(seed, random);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(run_in_child(text));
    int status = 0;
    waitpid(child, &status, 0);
    const bool exited = WIFEXITED(status) && WEXITSTATUS(status) < kEndings;
    const int how = exited ? WEXITSTATUS(status) : static_cast<int>(kFault);
    ++counts[how];
    if (how != kFault) continue;
    if (!exited) std::printf("signal %d, code %d\n", WTERMSIG(status), WEXITSTATUS(status));
    const std::string file = "found-mutant-" + std::to_string(++found) + ".sr";
    std::ofstream(file) << text;
    std::printf("  %s\n", file.c_str());
  }
  std::printf("%d refused, %d failed, %d completed, %d with a fault\n", counts[kRefused], counts[kFailed],
              counts[kCompleted], counts[kFault]);
  return found > 0 ? 1 : 0;
}
