// What a process may find at its start: closed standard files, a small stack, a pipe without room.
#include <sys/wait.h>
#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include "process.h"

namespace {

/// The exit code of a command of the shell, in which $PROGRAM is `sigrel`.
int shell(const std::string& command) {
  setenv("PROGRAM", SIGREL_EXECUTABLE, 1);
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a closed standard error: the exit code remains, and no file gets the messages") {
  const std::string wrong = temporary("wrong.sr", "x = y\n");
  CHECK(shell("$PROGRAM check " + wrong + " 2>&-") == 1);
  CHECK(shell("$PROGRAM check " + wrong + " 2>/dev/full") == 1);
  const std::string model = temporary("model.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real\n"
                                      "  der x = 1.0\n");  // a note on the initial value
  const std::string results = temporary("results.csv");
  CHECK(shell("$PROGRAM run " + model + " --no-plot -o " + results + " 2>&- >/dev/null") == 0);
  CHECK(read(results).starts_with("time,x\n"));
  CHECK(read(results).find("SR0403") == std::string::npos);
}

TEST_CASE("a closed or full standard output is an error") {
  const std::string model = temporary("model.sr", "x = 1.0\n");
  const std::string messages = temporary("messages.txt");
  CHECK(shell("$PROGRAM check " + model + " >&- 2>" + messages) == 1);
  CHECK(read(messages).find("error[SR0611]: cannot write to standard output") != std::string::npos);
  CHECK(shell("$PROGRAM check " + model + " >/dev/full 2>" + messages) == 1);
  CHECK(read(messages).find("No space left") != std::string::npos);
}

TEST_CASE("a file that reaches its largest size is an error that keeps the rows that fit") {
  const std::string model = temporary("model.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real\n"
                                      "  x = time\n");
  const std::string results = temporary("results.csv"), messages = temporary("messages.txt");
  // Units of 512 bytes.
  CHECK(shell("ulimit -f 8; $PROGRAM run " + model + " --no-plot --steps 100000 -o " + results +
              " >/dev/null 2>" + messages) == 1);
  CHECK(read(messages).find("error[SR0611]: the results cannot be written to") != std::string::npos);
  CHECK(read(messages).find("File too large") != std::string::npos);
  const std::string rows = read(results);
  CHECK(rows.size() > 3000);
  CHECK(rows.ends_with("\n"));
}

TEST_CASE("the deepest source needs no large stack") {
  std::string open, close;
  for (int i = 0; i < 990; ++i) open += "(", close += ")";
  const std::string deep = temporary("deep.sr", "x = " + open + "1.0" + close + "\n");
  CHECK(shell("ulimit -s 256; $PROGRAM check " + deep + " >/dev/null") == 0);
  // A thread that generates code has the same room.
  const std::string model = temporary("model.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real\n"
                                      "  der x = sin x\n"
                                      "  initially x = 1.0\n");
  CHECK(shell("ulimit -s 256; $PROGRAM --no-cache run " + model + " --no-plot >/dev/null") == 0);
}

TEST_CASE("a source without end is refused") {
  const Finished f = sigrel({"check", "/dev/zero"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0001]: `/dev/zero` cannot be read") != std::string::npos);
  CHECK(f.err.find("does not end") != std::string::npos);
}
