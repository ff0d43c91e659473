// What must hold for every command line: the driver ends in time, with one of its exit codes, a reason on
// stderr if it is not 0, and the files that it was given as input unchanged.
#pragma once
#include <random>
#include <string>
#include <vector>

namespace sigrel::fuzz {

class CommandLines {
 public:
  /// `program`: the driver. Works in a temporary folder, which it removes at the end.
  explicit CommandLines(std::string program);
  ~CommandLines();
  CommandLines(const CommandLines&) = delete;
  CommandLines& operator=(const CommandLines&) = delete;

  std::vector<std::string> generate(std::minstd_rand& random) const;
  /// Executes the driver with these arguments. What does not hold; empty: everything does.
  std::string run(const std::vector<std::string>& arguments);
  /// The same, beside a file `document.json` with this text.
  std::string run_with_document(const std::vector<std::string>& arguments, const std::string& text);

 private:
  struct Option {
    std::string name;
    bool takes_value = false;
  };
  struct Subcommand {
    std::string name;
    std::vector<Option> options;
  };
  struct Ended {
    int status = -1;  // of waitpid
    bool in_time = false;
    std::string out, err;
  };
  Ended execute(const std::vector<std::string>& arguments) const;
  void write_inputs();
  std::vector<Option> options_of(const std::string& subcommand) const;

  std::string program_, folder_;
  std::vector<Subcommand> subcommands_;
};

}  // namespace sigrel::fuzz
