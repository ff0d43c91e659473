// Whole conversations through a pipe: what goes in, what comes out, and how it ends.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

/// A REPL as a process; its stdout and stderr are read together.
class Conversation {
 public:
  explicit Conversation(std::vector<std::string> arguments = {}) {
    int in[2], out[2];
    REQUIRE(pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(pipe2(out, O_CLOEXEC) == 0);
    std::vector<std::string> words = {SIGREL_EXECUTABLE, "--no-cache", "repl"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    child_ = fork();
    if (child_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      dup2(out[1], STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      execv(SIGREL_EXECUTABLE, argv.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Conversation() {
    if (to_ < 0) return;
    kill(child_, SIGKILL);
    finish();
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  void say(const std::string& text) {
    REQUIRE(write(to_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  void interrupt() { kill(child_, SIGINT); }

  /// Reads until the text was seen; false after `seconds`, or at the end.
  bool wait_for(const std::string& text, std::chrono::milliseconds time = std::chrono::seconds(20)) {
    auto end = std::chrono::steady_clock::now() + time;
    while (output.find(text) == std::string::npos) {
      pollfd poller{from_, POLLIN, 0};
      if (std::chrono::steady_clock::now() > end) return false;
      if (poll(&poller, 1, 10) > 0 && !read_some()) return false;
    }
    return true;
  }

  /// Until all signals are handled and the process sleeps; false after 20 s.
  bool waits_for_input() const {
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      std::ifstream status("/proc/" + std::to_string(child_) + "/status");
      bool sleeps = false, pending = false;
      for (std::string line; std::getline(status, line);) {
        sleeps = sleeps || line.starts_with("State:\tS");
        if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"))
          pending = pending || line.find_first_of("123456789abcdef", 7) != std::string::npos;
      }
      if (sleeps && !pending) return true;
      std::this_thread::yield();
    }
    return false;
  }

  /// Ends the input and waits for the exit code; 128 + n after signal n.
  int finish() {
    close(to_);
    to_ = -1;
    while (read_some()) {}
    close(from_);
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  bool has(const std::string& text) const { return output.find(text) != std::string::npos; }
  std::string output;

 private:
  bool read_some() {
    char chunk[4096];
    ssize_t n = read(from_, chunk, sizeof chunk);
    if (n > 0) output.append(chunk, static_cast<std::size_t>(n));
    return n > 0;
  }
  pid_t child_ = -1;
  int to_ = -1, from_ = -1;
};

struct Said {
  int code;
  std::string output;
  bool has(const std::string& text) const { return output.find(text) != std::string::npos; }
};

Said say(const std::string& text, std::vector<std::string> arguments = {}) {
  Conversation c(std::move(arguments));
  c.say(text);
  int code = c.finish();
  return {code, c.output};
}

std::string temporary(const std::string& name, const std::string& text) {
  static const std::filesystem::path folder = [] {
    auto path = std::filesystem::temp_directory_path() / ("sigrel_repl_" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    std::atexit([] {
      std::filesystem::remove_all(std::filesystem::temp_directory_path() /
                                  ("sigrel_repl_" + std::to_string(getpid())));
    });
    return path;
  }();
  std::ofstream(folder / name) << text;
  return (folder / name).string();
}

const char* kDecay = R"(
decay :: Real -> SR ()
decay k = sigrel () where
  local x :: Real
  der x = -k * x
  initially x = 1.0

main = simulate (decay 1.0) with { stop = 1.0 }
)";

const char* kFilter = R"(import Electrical
lowPass :: Resistance -> SR ()
lowPass r = sigrel () where
  source: constantVoltage 5.0 <> (a, g)
  r1: resistor r <> (a, b)
  c1: capacitor 1.0e-6 <> (b, g)
  ground <> g
  initially c1.u = 0.0
)";

}  // namespace

TEST_CASE("values") {
  Said s =
      say("1 + 2\n2.0 * 2.5\n[1, 2, 3]\nJust (-3)\n[Left 1, Right \"a\"]\n(1.5, True)\n\\x -> x + "
          "1\n[]\n[Just [1], Nothing]\n");
  CHECK(s.code == 0);
  CHECK(s.output ==
        "3\n5.0\n[1, 2, 3]\nJust (-3)\n[Left 1, Right \"a\"]\n(1.5, True)\n<function :: Int -> "
        "Int>\n[]\n[Just [1], Nothing]\n");
}

TEST_CASE("data and records of the conversation") {
  Said s = say(
      "data Tree a = Leaf | Node (Tree a) a (Tree a)\nNode Leaf (Just 1) (Node Leaf Nothing Leaf)\n"
      "record R = { a :: Int = 3, b :: Real }\nR { b = 2.0 }\ntype T = Maybe R\n[Just (R { b = 0.5 })]\n");
  CHECK(s.code == 0);
  CHECK(s.has("Node Leaf (Just 1) (Node Leaf Nothing Leaf)\n"));
  CHECK(s.has("R { a = 3, b = 2.0 }\n"));
  CHECK(s.has("[Just R { a = 3, b = 0.5 }]\n"));
}

TEST_CASE("a definition replaces one of its name; an error changes nothing") {
  Said s = say("x = 1\ny = x + 1\ny\nx = 10\ny\nx = True\ny\n");
  CHECK(s.code == 1);
  CHECK(s.has("y :: Int\n2\n"));
  CHECK(s.has("x :: Int\n11\n"));
  CHECK(s.has("error[SR0202]"));
  CHECK(s.output.ends_with("\n11\n"));
}

TEST_CASE("clauses, signatures and layout") {
  Said s =
      say("fac :: Int -> Int\nfac 0 = 1\nfac n = n * fac (n - 1)\nfac 5\n"
          "f x =\n  let y = 2 * x\n  in y + 1\nf 4\n:{\na = b\n\nb = 7\n:}\na\n[1,\n 2]\n");
  CHECK(s.code == 0);
  CHECK(s.has("120\n"));
  CHECK(s.has("\n9.0\n"));
  CHECK(s.has("\n7\n"));
  CHECK(s.output.ends_with("[1, 2]\n"));
}

TEST_CASE("errors point into the input that was typed, and end nothing") {
  Said s = say("x = 1.0\ny = x +\n\ny = x + True\nundefined' 3\n(1\n\n)\nx\n");
  CHECK(s.code == 1);
  CHECK(s.has("--> <input 3>:1:9"));
  CHECK(s.has("error[SR0105]"));
  CHECK(s.output.ends_with("1.0\n"));
}

TEST_CASE("a warning is told once, not with every input that follows") {
  const Said s =
      say("low :: SR ()\nlow = sigrel () where\n  local x, y\n  der x = -x\n  initially x = 1.0\n\n"
          "1.0 + 1.0\n2.0 + 2.0\n");
  CHECK(s.has("SR0122"));
  CHECK(s.output.find("SR0122") == s.output.rfind("SR0122"));
  CHECK(s.has("4.0"));
}

TEST_CASE("an evaluation that does not end is stopped") {
  Said s = say("f :: Int -> Int\nf n = f (n + 1)\nf 1\n1 + 1\n");
  CHECK(s.code == 1);
  CHECK(s.has("error[SR055"));
  CHECK(s.output.ends_with("2\n"));
}

TEST_CASE("run, plot, set and run again") {
  Said s = say(std::string(kFilter) +
               "lowPass 1.0\n:run lowPass 1000.0 stop=1.0e-3\n:set r1.r=2000\n:set r1.r=4000\n:plot r1.p.i "
               "source.n.v\n");
  CHECK(s.code == 0);
  CHECK(s.has("`:run lowPass 1.0` runs it"));
  CHECK(s.has("t = 0.001 s\n  c1.u = 3.16060"));  // 5 (1 - 1/e)
  CHECK(s.has("c1.u = 1.9673"));                  // 5 (1 - exp(-1/2))
  CHECK(s.has("c1.u = 1.1059"));                  // 5 (1 - exp(-1/4))
  CHECK(s.has("── r1.p.i"));
}

TEST_CASE("a parameter that is a number changes without compiling") {
  Said s = say(std::string(kFilter) +
               ":run lowPass 1000.0 stop=1.0e-3\n:set r1.r=2000\n:time on\n:set r1.r=4000\n");
  CHECK(s.code == 0);
  std::size_t last = s.output.rfind(" ms");
  REQUIRE(last != std::string::npos);
  std::string times = s.output.substr(last);
  CHECK(times.find("elaborate") == std::string::npos);
  CHECK(times.find("code") == std::string::npos);
}

TEST_CASE("a definition that changed is run anew") {
  Said s =
      say("k = 1.0\nm = sigrel () where\n  local x :: Real\n  der x = k\n  initially x = 0.0\n:run m "
          "stop=1.0\nk = 3.0\n:run\n");
  CHECK(s.code == 0);
  CHECK(s.has("x = 1\n"));
  CHECK(s.has("x = 3\n"));
}

TEST_CASE("commands") {
  Said s = say(std::string(kFilter) +
               ":type resistor 1.0\n:info resistor\n:info Pin\n:structure resistor\n:run lowPass 10.0 "
               "stop=1.0e-3\n:why c1.u\n:help\n:quit\nnever\n");
  CHECK(s.code == 0);
  CHECK(s.has("resistor 1.0 :: SR (p :: Pin, n :: Pin)"));
  CHECK(s.has("A linear resistor: `r i = u`."));
  CHECK(s.has("record Pin = {"));
  CHECK(s.has("`c1.u` is a state"));
  CHECK(s.has("c * der u = p.i    (`capacitor` in c1)"));
  CHECK(!s.has("never"));
}

TEST_CASE("events of the last run") {
  const std::string folder = SIGREL_SOURCE_DIR "/examples/";
  Said s = say(":events\n:load " + folder +
               "07_bouncing_ball.sr\n:run stop=1 events=False\n:events\n:run events=0\n");
  CHECK(s.has("there is no run yet whose events could be listed"));
  CHECK(s.has("t = 0.4515236"));
  CHECK(s.has("07_bouncing_ball.sr:19:8  `h < 0.0` fired: `v` = -4.4294"));
  CHECK(s.has("1 event\n"));
  CHECK(s.has("`events=0` is not `True` or `False`"));
}

TEST_CASE("mistakes in commands are diagnostics with a code") {
  Said s = say(
      std::string(kFilter) +
      ":lod x\n:plot x\n:why x\n:set r=1\n:run nothing\n:run\n:reload\n:load nope.sr\n:type\n:structure 1\n"
      ":run lowPass 1.0 stop=x\n:run lowPass 1.0 stopp=1\n:run lowPass 1.0 stop=1.0e-3\n:plot c1.x\n:set "
      "r1.q=1\n:set r1.r=x\n:why c1.x\n:set\n");
  CHECK(s.code == 1);
  for (const char* text :
       {"error[SR0010]: there is no command `:lod`", "did you mean `:load`?", "there is no run yet to plot",
        "`nothing` is not defined", "there is no `main` to run", "error[SR0001]: `nope.sr` cannot be read",
        "no file was loaded", "`:type` needs an expression", "error[SR0205]", "`stop=x` is not a number",
        "did you mean `stop`?", "no variable is named `c1.x`", "did you mean `r1.r`?",
        "`r1.r=x` is not NAME=VALUE", "no parameter is set"}) {
    INFO(text);
    CHECK(s.has(text));
  }
}

TEST_CASE("files") {
  std::string path = temporary("decay.sr", kDecay);
  Said s = say(":run\nhalf = decay 0.5\n:reload\n:run half stop=1.0\n", {path});
  CHECK(s.code == 0);
  CHECK(s.has("x = 0.3678"));
  CHECK(s.has("x = 0.6065"));
  s = say(":load " + path + "\n:run\n");
  CHECK(s.code == 0);
  CHECK(s.has("loaded "));
  std::string bad = temporary("bad.sr", "x = y\n");
  s = say("z = 3\n:load " + bad + "\nz\n");  // after an error everything is as it was
  CHECK(s.code == 1);
  CHECK(s.has("bad.sr:1:5"));
  CHECK(s.output.ends_with("3\n"));
}

TEST_CASE("a run starts where the results of an earlier one are") {
  std::string path = temporary("decay.sr", kDecay), earlier = temporary("earlier.csv", "time,x\n0,3\n1,5\n");
  Said s = say(":run main stop=0 from=" + earlier + "@0.5\n", {path});
  CHECK(s.code == 0);
  CHECK(s.has("x = 4\n"));
}

TEST_CASE("Ctrl-C stops the run and not the conversation") {
  Conversation c;
  c.say(std::string(kDecay) + "\"ready\"\n:run decay 1.0 stop=1.0e12 steps=900000000\n");
  REQUIRE(c.wait_for("ready"));
  // Before the run begins an interrupt changes nothing, as the next test shows.
  bool interrupted = false;
  for (int k = 0; k < 2000 && !interrupted; ++k) {
    c.interrupt();
    interrupted = c.wait_for("interrupted at t =", std::chrono::milliseconds(10));
  }
  REQUIRE(interrupted);
  c.say("1 + 2\n");
  CHECK(c.finish() == 0);
  CHECK(c.output.ends_with("\n3\n"));
}

TEST_CASE("Ctrl-C while nothing runs changes nothing") {
  Conversation c;
  c.say("\"ready\"\n");
  REQUIRE(c.wait_for("ready"));
  c.interrupt();
  REQUIRE(c.waits_for_input());
  c.say("1 + 2\n");
  CHECK(c.finish() == 0);
  CHECK(c.output.ends_with("3\n"));
}

TEST_CASE("a model changes its structure as often as it likes") {
  const std::string path =
      temporary("ramp.sr",
                "ramp :: SR ()\n"
                "ramp = sigrel () where\n  local x :: Real\n  switch A 1.0 where\n"
                "    mode A k where\n      der x = k * 1.0<1/s>\n      until x > 1.0 -> B\n"
                "    mode B where\n      der x = -1.0<1/s>\n      until x < 0.0 -> A 2.0\n"
                "  initially x = 0.0\n");
  const Said s = say(":run ramp stop=4\n:run ramp stop=4\n", {path});
  INFO(s.output);
  CHECK(s.code == 0);
  CHECK(!s.has("error"));
}
