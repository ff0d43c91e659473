#include "tests/fuzz/command_lines.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "compiler/base/sanitized.h"

namespace sigrel::fuzz {
namespace {

constexpr int kSeconds = 20;               // of processor time: a command that takes longer is a fault
constexpr int kWaiting = 120;              // of time, on a machine with other work
constexpr rlim_t kMemory = 6'000'000'000;  // bytes of address space
constexpr rlim_t kFileSize = 200'000'000;  // bytes of one file

// The inputs: they are the same after every command.
const std::map<std::string, std::string> kInputs = {
    {"model.sr",
     "decay :: Real -> SR ()\ndecay rate = sigrel () where\n  local x, y :: Real\n  der x = -rate * x\n"
     "  y = 2.0 * x\n  initially x = 1.0\n\nmain = simulate (decay 1.5) with { stop = 1.0, plot = [\"x\"] "
     "}\n"},
    {"events.sr",
     "main = sigrel () where\n  local x :: Real\n  discrete n :: Int = 0\n  der x = 1.0\n  initially x = "
     "0.0\n"
     "  when x > 0.5 do\n    n := pre n + 1\n"},
    {"wrong.sr", "main = sigrel () where\n  x = y +\n"},
    {"results.csv", "time,x,y\n0,1,2\n1,0.5,1\n"},
    {"ragged.csv", "time,x\n0,1,2\nabc\n"},
    {"empty", ""},
    {"bytes.mat", std::string("\0\0\1\0\377\376 not results", 18)},
};

const char* const kValues[] = {"model.sr",
                               "events.sr",
                               "wrong.sr",
                               "results.csv",
                               "ragged.csv",
                               "empty",
                               "bytes.mat",
                               "no such file",
                               ".",
                               "folder",
                               "folder/out.csv",
                               "missing/out.csv",
                               "/dev/full",
                               "/dev/null",
                               "out.csv",
                               "out.mat",
                               "out.svg",
                               "out.png",
                               "link.sr",
                               "0",
                               "1",
                               "-1",
                               "1e-6",
                               "1e308",
                               "1e-320",
                               "nan",
                               "inf",
                               "-inf",
                               "9223372036854775807",
                               "-9223372036854775808",
                               "18446744073709551616",
                               "",
                               " ",
                               "x",
                               "y",
                               "x,y",
                               "der(x)",
                               "*",
                               "der*",
                               "nothing",
                               "rate=2",
                               "rate=",
                               "=1",
                               "rate=nan",
                               "rate=1:2:3",
                               "rate=1:10:0",
                               "x=0:1",
                               "cvode",
                               "adams",
                               "ida",
                               "qss",
                               "auto",
                               "text",
                               "json",
                               "never",
                               "on",
                               "off",
                               "decay",
                               "decay 2.0",
                               "main",
                               "(",
                               "\xff\xfe",
                               "--",
                               "-",
                               "results.csv@0.5",
                               "results.csv@nan",
                               "SR0101",
                               "SR9999",
                               "tokens",
                               "dae",
                               "plan"};

/// Whether the file is named by options for outputs, and by nothing else: then it may be replaced.
bool is_output(const std::vector<std::string>& arguments, const std::string& file) {
  static const std::set<std::string> kOptions = {"-o",    "--output",     "--plot",      "--svg",
                                                 "--dot", "--checkpoint", "--log-events"};
  bool output = false;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& argument = arguments[k];
    if (argument != file && !(argument == "link.sr" && file == "model.sr")) continue;
    if (k == 0 || !kOptions.contains(arguments[k - 1])) return false;
    output = true;
  }
  return output;
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

CommandLines::CommandLines(std::string program) : program_(std::move(program)) {
  std::string folder = (std::filesystem::temp_directory_path() / "sigrel-commands-XXXXXX").string();
  if (mkdtemp(folder.data())) folder_ = folder;
  write_inputs();
  std::istringstream help(execute({"--help"}).out);
  const std::regex subcommand("^  ([a-z]+) .*");
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line.find("ubcommands:") != std::string::npos || line.find("SUBCOMMANDS:") != std::string::npos)
      listed = true;
    std::smatch match;
    if (listed && std::regex_match(line, match, subcommand) && match[1] != "repl")
      subcommands_.push_back({match[1], options_of(match[1])});
  }
}

CommandLines::~CommandLines() {
  std::error_code error;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, error);
}

void CommandLines::write_inputs() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    std::filesystem::remove_all(entry, error);
  for (const auto& [name, text] : kInputs) std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  std::filesystem::create_directory(folder_ + "/folder", error);
  std::filesystem::create_symlink("model.sr", folder_ + "/link.sr", error);
}

std::vector<CommandLines::Option> CommandLines::options_of(const std::string& subcommand) const {
  std::vector<Option> options;
  std::istringstream help(execute({subcommand, "--help"}).out);
  const std::regex option("^ +(-[a-zA-Z], ?)?(-[a-zA-Z]|--[a-z-]+)( [A-Z].*)?.*");
  for (std::string line; std::getline(help, line);) {
    std::smatch match;
    if (std::regex_match(line, match, option) && match[2] != "--help")
      options.push_back({match[2], match[3].length() > 0});
  }
  return options;
}

std::vector<std::string> CommandLines::generate(std::minstd_rand& random) const {
  auto below = [&](std::size_t n) { return random() / 7 % n; };
  auto value = [&] { return std::string(kValues[below(std::size(kValues))]); };
  std::vector<std::string> arguments;
  if (subcommands_.empty()) return arguments;
  const Subcommand& chosen = subcommands_[below(subcommands_.size())];
  arguments.push_back(chosen.name);
  if (below(10) > 0) arguments.push_back(below(4) > 0 ? "model.sr" : value());
  for (std::size_t k = below(5); k-- > 0 && !chosen.options.empty();) {
    const Option& option = chosen.options[below(chosen.options.size())];
    arguments.push_back(option.name);
    if (option.takes_value != (below(20) == 0)) arguments.push_back(value());
  }
  if (below(8) == 0) arguments.push_back(value());
  return arguments;
}

CommandLines::Ended CommandLines::execute(const std::vector<std::string>& arguments) const {
  // Beside the folder, so that no command sees them.
  const std::string out = folder_ + ".out", err = folder_ + ".err";
  std::vector<char*> argv{const_cast<char*>(program_.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    auto limit = [](__rlimit_resource what, rlim_t value) {
      const rlimit both{value, value};
      setrlimit(what, &both);
    };
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, kSeconds);
    if (!kSanitized) limit(RLIMIT_AS, kMemory);
    limit(RLIMIT_FSIZE, kFileSize);
    setenv("SIGREL_CACHE", (folder_ + "/folder").c_str(), 1);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (chdir(folder_.c_str()) != 0 || dup2(open("/dev/null", O_RDONLY), 0) < 0 ||
        dup2(open(out.c_str(), flags, 0600), 1) < 0 || dup2(open(err.c_str(), flags, 0600), 2) < 0)
      _exit(99);
    execv(argv[0], argv.data());
    _exit(99);
  }
  Ended ended;
  const auto begin = std::chrono::steady_clock::now();
  while (!ended.in_time && std::chrono::steady_clock::now() - begin < std::chrono::seconds(kWaiting)) {
    ended.in_time = waitpid(child, &ended.status, WNOHANG) != 0;
    if (!ended.in_time) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!ended.in_time) {
    kill(child, SIGKILL);
    waitpid(child, &ended.status, 0);
  }
  ended.out = read_all(out);
  ended.err = read_all(err);
  unlink(out.c_str());
  unlink(err.c_str());
  return ended;
}

std::string CommandLines::run_with_document(const std::vector<std::string>& arguments,
                                            const std::string& text) {
  std::ofstream(folder_ + "/document.json", std::ios::binary) << text;
  return run(arguments);
}

std::string CommandLines::run(const std::vector<std::string>& arguments) {
  const Ended ended = execute(arguments);
  std::string fault;
  if (!ended.in_time)
    fault = "does not end";
  else if (WIFSIGNALED(ended.status))
    fault = "ends with signal " + std::to_string(WTERMSIG(ended.status));
  else if (const int code = WEXITSTATUS(ended.status); code > 2)
    fault = "ends with code " + std::to_string(code);
  else if (code != 0 && ended.err.empty() && ended.out.empty())
    fault = "fails without a reason";
  for (const auto& [name, text] : kInputs)
    if (read_all(folder_ + "/" + name) != text && !is_output(arguments, name))
      fault += (fault.empty() ? "" : "; ") + ("changes its input " + name);
  // `fmt` is asked to change a file, `new` to make one.
  if (!arguments.empty() && (arguments[0] == "fmt" || arguments[0] == "new") && fault.starts_with("changes"))
    fault.clear();
  write_inputs();
  return fault.empty() ? fault : fault + "\n" + ended.err.substr(0, 2000);
}

}  // namespace sigrel::fuzz
