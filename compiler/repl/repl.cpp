#include "compiler/repl/repl.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/diagnostics/display.h"
#include "compiler/explain/event_log.h"
#include "compiler/repl/input.h"
#include "compiler/repl/lines.h"

namespace sigrel::repl {
namespace {

constexpr std::size_t kCompleted = 5'000;      // result names that completion considers
constexpr std::size_t kEventText = 64 * 1024;  // characters of events that `:events` lists

}  // namespace

bool Repl::talk(const std::string& file) {
  report();
  std::unique_ptr<Lines> lines;
  if (host_.terminal)
    lines = terminal_lines(history_file(), [this](std::string_view before, std::string_view word) {
      return complete(before, word);
    });
  bool prompting = lines != nullptr;
  if (!lines) lines = plain_lines(stdin);
  if (prompting) print("Sigrel REPL. `:help` lists the commands, `:quit` quits.\n");
  if (!file.empty()) {
    load({}, file);
    report();
  }

  std::optional<std::string> pending;  // a line of the next input
  for (bool going = true; going;) {
    Input input;
    bool given_up = false;
    for (;;) {
      host_.flush();
      std::optional<std::string> line =
          pending ? std::exchange(pending, std::nullopt) : lines->next(input.empty());
      if (lines->abandoned()) {
        given_up = true;
        break;
      }
      if (!line) {
        going = false;
        break;
      }
      Input::Next next = input.add(*line);
      if (next == Input::Next::Ended) {
        pending = std::move(line);
        break;
      }
      if (next == Input::Next::Complete) {
        // In a pipe, the following line may continue a definition: indented, or another clause.
        const std::string* ahead =
            prompting || line->empty() || !input.may_go_on() ? nullptr : lines->ahead();
        if (!ahead || !input.goes_on(*ahead)) break;
      }
    }
    if (given_up || input.text().empty()) continue;
    lines->remember(input.text());
    if (!answer(input.text())) break;
  }
  return !failed_;
}

bool Repl::answer(const std::string& text) {
  module_.diagnostics().clear();
  module_.timings().clear();
  host_.interrupted->store(false);
  bool go_on = true;
  std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return true;
  if (text[start] == ':')
    go_on = command(text);
  else
    definitions_or_expression(text);
  report();
  if (times_) show_times();
  return go_on;
}

void Repl::definitions_or_expression(const std::string& text) {
  using Answer = session::Interactive::Answer;
  Answer answer = module_.enter(text);
  switch (answer.kind) {
    case Answer::Failed: break;
    case Answer::Definitions:
      for (const session::Interactive::Defined& d : answer.defined)
        print("{}\n", d.type.empty() ? "defined " + d.name : d.name + " :: " + d.type);
      break;
    case Answer::Value:
      print("{}\n", answer.value == "<function>" ? "<function :: " + answer.type + ">" : answer.value);
      break;
    case Answer::Relation: print("<relation :: {}>\n", answer.type); break;
    case Answer::Experiment: {
      std::string shown = text.substr(text.find_first_not_of(" \n"));
      shown.erase(shown.find_last_not_of(" \n") + 1);
      if (shown.find('\n') != std::string::npos) shown = "…";
      print("<{} :: {}>   `:run {}` runs it\n", answer.type == "Experiment" ? "experiment" : "relation",
            answer.type, shown);
      break;
    }
  }
}

void Repl::report() {
  Diagnostics& found = module_.diagnostics();
  host_.flush();
  failed_ |= found.has_errors();
  if (!found.all().empty()) host_.report(found, module_.sources());
  found.clear();
}

void Repl::show_times() {
  double total = 0;
  std::string parts;
  for (const pipeline::Timing& t : module_.timings()) {
    if (t.part) continue;
    total += t.seconds;
    if (t.seconds >= 1e-5)
      parts += fmt::format("{}{} {:.2f}", parts.empty() ? "" : ", ", t.stage, 1e3 * t.seconds);
  }
  print("{:.2f} ms{}\n", 1e3 * total, parts.empty() ? "" : " (" + parts + ")");
}

/// Compiles the expression to run, with the parameters that are set.
bool Repl::compile() {
  std::shared_ptr<Compiled> model = module_.compile(expression_, settings_);
  if (!model) return false;
  model_ = std::move(model);
  model_version_ = module_.version();
  return true;
}

void Repl::simulate() {
  RunOptions request = request_;
  request.plot_something = true;
  request.cancel = host_.interrupted;
  request.progress = host_.progress;
  for (const auto& [name, value] : settings_) {
    auto it = std::ranges::find(model_->system.named_parameters, name, &system::NamedParameter::name);
    if (it != model_->system.named_parameters.end() && !it->structural) request.set.emplace_back(name, value);
  }
  std::string text;
  bool all = true;
  explain::EventLog events(
      *model_, module_.sources(),
      [&](std::string_view event) {
        if ((all = all && text.size() < kEventText)) text += event;
      },
      request.set);
  request.event_observer = &events;
  request.structure_changed = [&](const Compiled& next) { events.follow(next); };
  Run run = module_.run(*model_, request);
  if (host_.end_progress) host_.end_progress();
  if (!run.valid) return;
  run_ = std::move(run);
  event_text_ = std::move(text);
  event_counts_ = events.counts();
  all_events_ = all;
  if (run_.trajectory.rows() > 1) host_.plot(run_);
  bool stopped = run_.outcome.status == runtime::Outcome::Cancelled;
  print("{}t = {:.9g} s\n", stopped ? "interrupted at " : "", run_.outcome.reached);
  std::uint32_t width = 0;
  const std::vector<std::string> plotted = run_.plotted();
  for (const std::string& name : plotted) width = std::max(width, display_width(name));
  for (const std::string& name : plotted)
    if (auto value = run_.value(name))
      print("  {}{} = {}\n", name, std::string(width - display_width(name), ' '),
            pipeline::value_text(run_.description(name), *value));
}

std::vector<std::string> Repl::complete(std::string_view before, std::string_view word) const {
  std::vector<std::string> found;
  auto offer = [&](std::string_view candidate) {
    if (candidate.starts_with(word) && candidate.size() >= word.size()) found.emplace_back(candidate);
  };
  std::string_view command = before.substr(0, before.find(' '));
  if (before.size() == command.size() && before.starts_with(":")) {
    for (const Command& c : commands()) offer(c.name);
    if (found.empty())  // the word does not include its colon
      for (const Command& c : commands())
        if (std::string_view name = c.name.substr(1); name.starts_with(word)) found.emplace_back(name);
    return found;
  }
  if (command == ":load") {
    namespace fs = std::filesystem;
    std::string_view path = before.substr(before.find_last_of(' ') + 1);
    fs::path folder = fs::path(path).parent_path();
    std::string start = fs::path(path).filename().string(), shown(path.substr(0, path.size() - start.size()));
    std::error_code error;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
         it.increment(error)) {
      std::string name = it->path().filename().string();
      bool is_folder = it->is_directory(error);
      if (!name.starts_with(start) || (name.starts_with('.') && start.empty())) continue;
      if (!is_folder && !name.ends_with(".sr")) continue;
      // Only the part from the start of the word is replaced.
      std::string whole = shown + name + (is_folder ? "/" : "");
      found.push_back(whole.substr(path.size() - word.size()));
    }
    std::ranges::sort(found);
    return found;
  }
  bool results = command == ":plot" || command == ":why" || command == ":set";
  if (results && model_) {
    if (command == ":set")
      for (const system::NamedParameter& p : model_->system.named_parameters) offer(p.name);
    std::size_t seen = 0;
    pipeline::Results(model_->system, model_->dae).each([&](const std::string& name, runtime::Column) {
      offer(name);
      return ++seen < kCompleted;
    });
  } else {
    for (const std::string& name : module_.names()) offer(name);
  }
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

}  // namespace sigrel::repl
