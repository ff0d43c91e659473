#include "process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

const std::filesystem::path& folder() {
  struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("sigrel_driver_" + std::to_string(getpid()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static Folder f;
  return f.path;
}

/// The processes do not write into the cache of who runs the tests.
const bool own_cache = setenv("SIGREL_CACHE", (folder() / "cache").c_str(), 1) == 0;

}  // namespace

std::string temporary(const std::string& name) { return (folder() / name).string(); }

std::string temporary(const std::string& name, const std::string& text) {
  std::ofstream(temporary(name), std::ios::binary) << text;
  return temporary(name);
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace {

/// Waits until the file is larger than a header of results; not longer than 60 s, and not once the process
/// has ended.
void await_rows(const std::string& file, pid_t child) {
  constexpr std::uintmax_t kHeader = 1000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  std::error_code none;
  for (siginfo_t ended{}; std::chrono::steady_clock::now() < end && ended.si_pid == 0;) {
    const std::uintmax_t size = std::filesystem::file_size(file, none);
    if (!none && size > kHeader) return;
    waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Finished sigrel(const std::vector<std::string>& arguments, const std::string& interrupt_when_written) {
  std::string out = temporary("stdout"), err = temporary("stderr");
  std::vector<std::string> words = {SIGREL_EXECUTABLE};
  words.insert(words.end(), arguments.begin(), arguments.end());
  pid_t child = fork();
  if (child == 0) {
    int o = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600),
        e = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(o, STDOUT_FILENO);
    dup2(e, STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(SIGREL_EXECUTABLE, argv.data());
    _exit(127);
  }
  if (!interrupt_when_written.empty()) {
    await_rows(interrupt_when_written, child);
    kill(child, SIGINT);
  }
  int status = 0;
  waitpid(child, &status, 0);
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, read(out), read(err)};
}
