// Random command lines, for a number of seconds: commands PROGRAM SECONDS [SEED]. Prints those that have a
// fault.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/command_lines.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sigrel::fuzz::CommandLines commands(argv[1]);
  std::minstd_rand random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1u);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  int count = 0, found = 0;
  while (std::chrono::steady_clock::now() < end) {
    const std::vector<std::string> arguments = commands.generate(random);
    const std::string fault = commands.run(arguments);
    ++count;
    if (fault.empty()) continue;
    ++found;
    for (const std::string& argument : arguments) std::printf("'%s' ", argument.c_str());
    std::printf("\n  %s\n", fault.c_str());
    std::fflush(stdout);
  }
  std::printf("%d command lines, %d with a fault\n", count, found);
  return found > 0 ? 1 : 0;
}
