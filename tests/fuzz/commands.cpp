// Random command lines, or commands that read damaged JSON documents, for a number of seconds: commands
// PROGRAM SECONDS SEED [json]. Prints those that have a fault.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/command_lines.h"
#include "tests/fuzz/json_documents.h"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool json = argc > 4 && std::string_view(argv[4]) == "json";
  sigrel::fuzz::CommandLines commands(argv[1]);
  std::minstd_rand random(static_cast<unsigned>(std::atoi(argv[3])));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  int count = 0, found = 0;
  while (std::chrono::steady_clock::now() < end) {
    const sigrel::fuzz::JsonDocument next = json ? sigrel::fuzz::generate_json_document(random)
                                                 : sigrel::fuzz::JsonDocument{commands.generate(random), ""};
    const std::string fault = commands.run_with_document(next.arguments, next.text);
    ++count;
    if (fault.empty()) continue;
    ++found;
    for (const std::string& argument : next.arguments) std::printf("'%s' ", argument.c_str());
    std::printf("\n%s%s  %s\n", next.text.c_str(), json ? "\n" : "", fault.c_str());
    std::fflush(stdout);
  }
  std::printf("%d %s, %d with a fault\n", count, json ? "documents" : "command lines", found);
  return found > 0 ? 1 : 0;
}
