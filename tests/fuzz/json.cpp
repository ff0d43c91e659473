// Damaged JSON documents, for a number of seconds: json PROGRAM SECONDS [SEED]. Prints those that have a
// fault.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/command_lines.h"
#include "tests/fuzz/json_documents.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  sigrel::fuzz::CommandLines commands(argv[1]);
  std::minstd_rand random(argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1u);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  int count = 0, found = 0;
  while (std::chrono::steady_clock::now() < end) {
    const sigrel::fuzz::JsonDocument document = sigrel::fuzz::generate_json_document(random);
    const std::string fault = commands.run_with_document(document.arguments, document.text);
    ++count;
    if (fault.empty()) continue;
    ++found;
    std::printf("%s\n  %s\n", document.text.c_str(), fault.c_str());
    std::fflush(stdout);
  }
  std::printf("%d documents, %d with a fault\n", count, found);
  return found > 0 ? 1 : 0;
}
