// Runs `sigrel` as a process of its own.
#pragma once
#include <string>
#include <vector>

struct Finished {
  int code = -1;    // exit code; 128 + n after signal n
  std::string out;  // stdout
  std::string err;  // stderr
};

/// `arguments` as given to the process, without a shell. It gets SIGINT as soon as it has written rows to the
/// file `interrupt_when_written`, if one is named.
Finished sigrel(const std::vector<std::string>& arguments, const std::string& interrupt_when_written = {});

/// A file in a folder of this test process, with its path.
std::string temporary(const std::string& name, const std::string& text);
std::string temporary(const std::string& name);  // its path alone
std::string read(const std::string& path);
