// Lines of a terminal, edited with libedit. Ctrl-C cancels the line: the terminal sends no signal for it
// while a line is edited, so that no handler has to jump out of the library.
#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "compiler/repl/lines.h"

namespace sigrel::repl {
namespace {

constexpr int kRemembered = 2000;
constexpr std::size_t kListed = 200;

class TerminalLines final : public Lines {
 public:
  TerminalLines(std::string file, Completer completer)
      : file_(std::move(file)), completer_(std::move(completer)) {
    edit_ = el_init("sigrel", stdin, stdout, stderr);
    if (!edit_) return;
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_SIGNAL, 0);
    el_set(edit_, EL_PROMPT, &TerminalLines::prompt);
    el_set(edit_, EL_SETTY, "-d", "-isig", nullptr);
    el_set(edit_, EL_ADDFN, "sigrel-complete", "complete a name", &TerminalLines::complete);
    el_set(edit_, EL_BIND, "^I", "sigrel-complete", nullptr);
    el_set(edit_, EL_ADDFN, "sigrel-abandon", "cancel the line", &TerminalLines::abandon);
    el_set(edit_, EL_BIND, "^C", "sigrel-abandon", nullptr);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    history_ = history_init();
    if (!history_) return;
    HistEvent event;
    history(history_, &event, H_SETSIZE, kRemembered);
    history(history_, &event, H_SETUNIQUE, 1);
    if (!file_.empty()) history(history_, &event, H_LOAD, file_.c_str());
    el_set(edit_, EL_HIST, history, history_);
  }
  ~TerminalLines() override {
    if (history_) history_end(history_);
    if (edit_) el_end(edit_);
  }
  TerminalLines(const TerminalLines&) = delete;
  TerminalLines& operator=(const TerminalLines&) = delete;

  bool usable() const { return edit_ != nullptr; }

  std::optional<std::string> next(bool first) override {
    first_ = first;
    abandoned_ = false;
    int count = 0;
    const char* line = el_gets(edit_, &count);
    if (abandoned_) {
      fmt::print("^C\n");
      std::fflush(stdout);
      return std::string();
    }
    if (!line || count <= 0) {
      fmt::print("\n");
      return std::nullopt;
    }
    std::string text(line, static_cast<std::size_t>(count));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (history_ && text.find_first_not_of(" \t") != std::string::npos) {
      HistEvent event;
      history(history_, &event, H_ENTER, text.c_str());
    }
    return text;
  }

  bool abandoned() override { return abandoned_; }

  void remember(const std::string&) override {
    if (!history_ || file_.empty()) return;
    HistEvent event;
    history(history_, &event, H_SAVE,
            file_.c_str());  // failures to save the history are ignored
  }

 private:
  static TerminalLines& self(EditLine* edit) {
    void* data = nullptr;
    el_get(edit, EL_CLIENTDATA, &data);
    return *static_cast<TerminalLines*>(data);
  }
  static char* prompt(EditLine* edit) {
    static char first[] = "sigrel> ", more[] = "      | ";
    return self(edit).first_ ? first : more;
  }
  static unsigned char abandon(EditLine* edit, int) {
    self(edit).abandoned_ = true;
    return CC_EOF;
  }
  static unsigned char complete(EditLine* edit, int) {
    const LineInfo* info = el_line(edit);
    std::string_view before(info->buffer, static_cast<std::size_t>(info->cursor - info->buffer));
    if (before.find_first_not_of(' ') == std::string_view::npos) {  // indent
      el_insertstr(edit, "  ");
      return CC_REFRESH;
    }
    std::string word(before.substr(word_start(before)));
    std::vector<std::string> words = self(edit).completer_(before, word);
    if (words.empty()) return CC_ERROR;
    std::string shared = words.front();
    for (const std::string& w : words)
      shared.resize(static_cast<std::size_t>(std::ranges::mismatch(shared, w).in1 - shared.begin()));
    if (shared.size() > word.size()) {
      std::string rest =
          shared.substr(word.size()) + (words.size() == 1 && !shared.ends_with('/') ? " " : "");
      el_insertstr(edit, rest.c_str());
      return CC_REFRESH;
    }
    if (words.size() == 1) return CC_ERROR;
    fmt::print("\n");
    std::size_t width = 0, column = 0;
    for (const std::string& w : words) width = std::max(width, w.size() + 2);
    for (std::size_t i = 0; i < words.size() && i < kListed; ++i) {
      if (column > 0 && column + width > 80) {
        fmt::print("\n");
        column = 0;
      }
      fmt::print("{:<{}}", words[i], width);
      column += width;
    }
    fmt::print("{}\n", words.size() > kListed ? fmt::format("\nand {} more", words.size() - kListed) : "");
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  std::string file_;
  Completer completer_;
  EditLine* edit_ = nullptr;
  History* history_ = nullptr;
  bool first_ = true, abandoned_ = false;
};

}  // namespace

std::unique_ptr<Lines> terminal_lines(const std::string& history_file, Completer completer) {
  auto lines = std::make_unique<TerminalLines>(history_file, std::move(completer));
  if (!lines->usable()) return nullptr;
  return lines;
}

std::string history_file() {
  namespace fs = std::filesystem;
  fs::path folder;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
    folder = state;
  else if (const char* home = std::getenv("HOME"); home && *home == '/')
    folder = fs::path(home) / ".local" / "state";
  else
    return {};
  folder /= "sigrel";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return {};
  return (folder / "history").string();
}

}  // namespace sigrel::repl
