// The conversation in a terminal: editing, completion, history, Ctrl-C, Ctrl-D; and the transcript of the
// language's reference.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <utility>

#include "process.h"

namespace {

/// `sigrel repl` at the other end of a pseudo-terminal.
class Terminal {
 public:
  explicit Terminal(const std::string& state_folder) {
    master_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(master_ >= 0);
    REQUIRE(grantpt(master_) == 0);
    REQUIRE(unlockpt(master_) == 0);
    std::string slave = ptsname(master_);
    child_ = fork();
    if (child_ == 0) {
      setsid();
      int fd = open(slave.c_str(), O_RDWR);
      winsize size{24, 80, 0, 0};
      ioctl(fd, TIOCSWINSZ, &size);
      ioctl(fd, TIOCSCTTY, 0);
      for (int to : {0, 1, 2}) dup2(fd, to);
      setenv("XDG_STATE_HOME", state_folder.c_str(), 1);
      setenv("TERM", "dumb", 1);
      execl(SIGREL_EXECUTABLE, SIGREL_EXECUTABLE, "--color", "never", "repl", nullptr);
      _exit(127);
    }
  }
  ~Terminal() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Keys for the editor, as soon as it reads them: before, the terminal edits lines itself.
  void type(const std::string& keys) {
    termios mode{};
    for (int k = 0; k < 3000 && tcgetattr(master_, &mode) == 0 && (mode.c_lflag & ICANON); ++k) {
      pollfd poller{master_, POLLIN, 0};
      if (poll(&poller, 1, 10) > 0 && !read_some()) break;
    }
    INFO(screen);
    REQUIRE(!(mode.c_lflag & ICANON));
    send(keys);
  }
  /// Ctrl-C during a computation: the terminal makes a signal of it.
  void interrupt() { send("\x03"); }

  /// What appears until the text is seen, after what was read before.
  bool see(const std::string& text, int seconds = 30) {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (screen.find(text, seen_) == std::string::npos) {
      pollfd poller{master_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > end) return false;
      if (poll(&poller, 1, 100) > 0 && !read_some()) return screen.find(text, seen_) != std::string::npos;
    }
    seen_ = screen.find(text, seen_) + text.size();
    return true;
  }
  /// Types a line and waits for the next prompt: `more` after an input that is open.
  void line(const std::string& text, bool open = false) {
    type(text + "\r");
    INFO(screen);
    REQUIRE(see("\n"));
    REQUIRE(see(open ? "      | " : "sigrel> "));
  }
  int end() {
    while (read_some()) {}
    int status = 0;
    waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string screen;

 private:
  void send(const std::string& keys) {
    REQUIRE(write(master_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  bool read_some() {
    char chunk[4096];
    ssize_t n = read(master_, chunk, sizeof chunk);
    if (n > 0) screen.append(chunk, static_cast<std::size_t>(n));
    return n > 0;
  }
  int master_ = -1;
  pid_t child_ = -1;
  std::size_t seen_ = 0;
};

std::string state_folder(const std::string& name) {
  std::string path = temporary(name);
  std::filesystem::create_directories(path);
  return path;
}

/// What a reader sees: no carriage returns, progress bars or blanks at ends of lines.
std::string plain(const std::string& screen) {
  std::string text, typed;
  std::istringstream in(screen);
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (std::size_t at = line.rfind('\r'); at != std::string::npos) line = line.substr(at + 1);
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\033' && i + 1 < line.size() && line[i + 1] == '[') {
        i = std::min(line.find_first_of("ABCDHJKmhl", i), line.size());
        continue;
      }
      out += line[i];
    }
    out.resize(out.find_last_not_of(' ') + 1);
    if (!typed.empty() && out == typed) continue;  // typed ahead: the terminal's own echo
    typed = out.starts_with("sigrel> ") ? out.substr(8) : "";
    for (std::size_t at; (at = out.find(SIGREL_SOURCE_DIR "/")) != std::string::npos;)
      out.erase(at, sizeof(SIGREL_SOURCE_DIR));
    text += out + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("terminal: completion of commands, of names in scope and of results; history; Ctrl-C and Ctrl-D") {
  std::string state = state_folder("state");
  {
    Terminal t(state);
    REQUIRE(t.see("sigrel> "));
    t.line("import Electrical");
    t.type(":ty\tsineV\t\r");  // ":type sineVoltage "
    INFO(t.screen);
    CHECK(t.see("-> (frequency :: Frequency) -> SR (p :: Pin, n :: Pin)"));
    REQUIRE(t.see("sigrel> "));
    t.line("decay = sigrel () where", true);
    t.line("  local level :: Real", true);
    t.line("  der level = -level", true);
    t.line("  initially level = 1.0", true);
    t.line("");
    t.line(":run decay");
    t.type(":why lev\t\r");
    CHECK(t.see("`level` is a state"));
    REQUIRE(t.see("sigrel> "));
    t.type("1 + 41 +\x03");  // given up
    REQUIRE(t.see("^C"));
    REQUIRE(t.see("sigrel> "));
    t.type(":run decay stop=1.0e12 steps=900000000\r");
    REQUIRE(t.see(" %  "));  // the progress bar: it runs
    t.interrupt();
    CHECK(t.see("interrupted at t ="));
    REQUIRE(t.see("sigrel> "));
    t.line("1 + 41");
    t.type("\x04");
    CHECK(t.end() == 0);
    CHECK(t.screen.find("42") != std::string::npos);
  }
  Terminal t(state);  // another conversation: the last line is still there
  REQUIRE(t.see("sigrel> "));
  t.type("\x10\r");
  CHECK(t.see("42"));
  REQUIRE(t.see("sigrel> "));
  t.type(":quit\r");
  CHECK(t.end() == 0);
}

TEST_CASE("terminal: the transcript in the language's reference is what a terminal shows") {
  Terminal t(state_folder("transcript_state"));
  REQUIRE(t.see("sigrel> "));
  t.line("import Electrical");
  for (const char* line : {"charge r = sigrel () where", "  source: constantVoltage 5.0 <> (a, g)",
                           "  r1: resistor r <> (a, b)", "  c1: capacitor 1.0e-3 <> (b)"})
    t.line(line, true);
  t.line("");
  for (const char* line :
       {"charge r = sigrel () where", "  source: constantVoltage 5.0 <> (a, g)", "  r1: resistor r <> (a, b)",
        "  c1: capacitor 1.0e-3 <> (b, g)", "  ground <> g", "  initially c1.u = 0.0"})
    t.line(line, true);
  t.line("");
  t.line(":run charge 100.0 stop=0.5");
  t.line(":plot r1.p.i");
  t.line(":set r1.r=400");
  t.type(":quit\r");
  CHECK(t.end() == 0);
  std::string shown = plain(t.screen);
  std::string page = read(SIGREL_SOURCE_DIR "/grammar/README.md");
  std::size_t begin = page.find("```text\nsigrel> import Electrical\n");
  REQUIRE(begin != std::string::npos);
  begin += 8;
  std::string transcript = page.substr(begin, page.find("```", begin) - begin);
  // To renew it: the reporter `-r xml` shows the whole expansion, to paste into the page.
  std::size_t start = shown.find("sigrel> import");
  REQUIRE(start != std::string::npos);
  CHECK(shown.substr(start) == transcript);
}
