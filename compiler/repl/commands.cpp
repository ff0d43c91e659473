// The commands of the REPL, one function each.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "compiler/explain/structure_report.h"
#include "compiler/explain/why_report.h"
#include "compiler/repl/repl.h"

namespace sigrel::repl {
namespace {

std::string_view trim(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!(text = trim(text)).empty()) {
    std::size_t end = std::min(text.find_first_of(" \t,"), text.size());
    if (end > 0) found.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The expression with blanks in place of the command, so that columns in messages are those of the line.
std::string in_place(const std::string& line, std::string_view expression) {
  std::size_t at = line.find(expression);
  return std::string(at == std::string::npos ? 0 : at, ' ') + std::string(expression);
}

constexpr std::string_view kRunSettings[] = {"start",   "stop",   "steps",  "tolerance",
                                             "maxStep", "solver", "events", "from"};

}  // namespace

const std::vector<Repl::Command>& Repl::commands() {
  static const std::vector<Command> all = {
      {":load", "FILE", "replace all definitions by those of a file", &Repl::load},
      {":reload", "", "read the file again; keep other definitions", &Repl::reload},
      {":type", "EXPR", "show the type of an expression", &Repl::type},
      {":info", "NAME", "show the definition of a name and its location", &Repl::info},
      {":structure", "NAME", "show the type and structural type of a relation", &Repl::structure},
      {":run", "[EXPR] [stop=T …]",
       "run `main` or an expression; also start=, steps=, tolerance=, maxStep=, solver=, events=True|False, "
       "from=FILE.csv[@t]",
       &Repl::run},
      {":plot", "NAME …", "plot variables of the last run; `*` matches any characters", &Repl::plot},
      {":set", "[NAME=VALUE …]", "change parameters and run again", &Repl::set},
      {":why", "NAME", "show where a variable is declared and what determines it", &Repl::why},
      {":events", "", "list the events of the last run, and how often each condition changed", &Repl::events},
      {":time", "on|off", "show how long each input takes", &Repl::time},
      {":help", "", "show this list", &Repl::help},
      {":quit", "", "quit (also Ctrl-D)", &Repl::quit},
  };
  return all;
}

bool Repl::command(const std::string& line) {
  std::string_view text = trim(line);
  std::string_view name = text.substr(0, std::min(text.find_first_of(" \t"), text.size()));
  std::string_view rest = trim(text.substr(name.size()));
  const Command* chosen = nullptr;
  int matching = 0;
  for (const Command& c : commands()) {
    if (c.name == name) return (this->*c.run)(line, rest);
    if (name.size() > 1 && c.name.starts_with(name)) {
      chosen = &c;
      ++matching;
    }
  }
  if (name == ":r" || name == ":t") {  // the usual abbreviations
    const auto& run = name == ":r" ? &Repl::reload : &Repl::type;
    return (this->*run)(line, rest);
  }
  if (matching == 1) return (this->*chosen->run)(line, rest);
  Diagnostic& d = module_.diagnostics().report(
      Code::SyntaxError,
      matching > 1 ? fmt::format("`{}` is ambiguous", name) : fmt::format("there is no command `{}`", name));
  if (matching > 1) {
    std::string some;
    for (const Command& c : commands())
      if (c.name.starts_with(name)) some += fmt::format("{}`{}`", some.empty() ? "" : ", ", c.name);
    d.help("write one of " + some);
    return true;
  }
  std::vector<std::string_view> names;
  for (const Command& c : commands()) names.push_back(c.name);
  if (auto near = did_you_mean(name, names))
    d.help(fmt::format("did you mean `{}`?", *near));
  else
    d.help("`:help` lists the commands");
  return true;
}

void Repl::needs(std::string_view command, std::string_view what) {
  module_.diagnostics().report(Code::SyntaxError, fmt::format("`{}` needs {}", command, what));
}

bool Repl::has_run(std::string_view what) {
  if (model_) return true;
  module_.diagnostics()
      .report(Code::NothingToRun, fmt::format("there is no run yet {}", what))
      .help("`:run` runs `main`; `:run EXPR` runs an experiment or a relation without interface");
  return false;
}

bool Repl::load(const std::string&, std::string_view rest) {
  if (rest.empty()) {
    needs(":load", "the name of a file");
    return true;
  }
  if (!module_.load(std::string(rest))) return true;
  expression_.reset();
  settings_.clear();
  request_ = {};
  model_.reset();
  run_ = {};
  print("loaded {}\n", rest);
  return true;
}

bool Repl::reload(const std::string&, std::string_view) {
  if (module_.reload()) print("loaded {}\n", module_.file());
  return true;
}

bool Repl::type(const std::string& line, std::string_view rest) {
  if (rest.empty())
    needs(":type", "an expression");
  else if (auto type = module_.type_of(in_place(line, rest)))
    print("{} :: {}\n", rest, *type);
  return true;
}

bool Repl::info(const std::string& line, std::string_view rest) {
  if (rest.empty()) {
    needs(":info", "a name");
    return true;
  }
  std::vector<const ast::Decl*> found = module_.declarations(rest);
  bool is_type =
      !found.empty() && (found[0]->kind == ast::DeclKind::TypeSynonym ||
                         found[0]->kind == ast::DeclKind::Record || found[0]->kind == ast::DeclKind::Data);
  if (is_type) {
    print("{}\n", module_.sources().text(found[0]->span));
  } else {
    auto type = module_.type_of(in_place(line, rest));
    if (!type) return true;
    print("{} :: {}\n", rest, *type);
  }
  if (found.empty()) {
    if (!is_type) print("  built in\n");
    return true;
  }
  for (const ast::Decl* decl : found)
    if (!decl->doc.empty()) {
      print("  {}\n", trim(decl->doc));
      break;
    }
  print("  defined at {}\n", explain::place(module_.sources(), found[0]->span));
  return true;
}

bool Repl::structure(const std::string& line, std::string_view rest) {
  if (rest.empty()) {
    needs(":structure", "a relation");
    return true;
  }
  auto type = module_.type_of(in_place(line, rest));
  if (!type) return true;
  if (type->find("SR ") == std::string::npos) {
    module_.diagnostics()
        .report(Code::NotARelation, fmt::format("`{}` is not a relation", rest))
        .note("its type is " + *type);
    return true;
  }
  auto structure = module_.structural_type_of(in_place(line, rest));
  if (!structure) return true;
  print("{} :: {}{}{}\n", rest, *type, structure->empty() ? "" : " ", *structure);
  if (structure->empty())
    print("  no structural type: which unknowns it determines depends on its arguments\n");
  return true;
}

bool Repl::run_setting(std::string_view key, std::string_view value) {
  auto refuse = [&](std::string_view what) {
    module_.diagnostics().report(Code::BadExperiment, fmt::format("`{}={}` is not {}", key, value, what));
    return false;
  };
  if (key == "solver") {
    request_.solver = std::string(value);
    return true;
  }
  if (key == "from") {
    request_.init_from = std::string(value);
    return true;
  }
  if (key == "events") {
    if (value != "True" && value != "False") return refuse("`True` or `False`");
    request_.events = value == "True";
    return true;
  }
  std::optional<double> x = number(value);
  if (!x)
    return refuse("a number: write, for example, `" + std::string(key) +
                  (key == "steps" ? "=100`" : "=0.5`"));
  if (key == "steps") {
    if (*x < 1 || *x > 1e9 || *x != static_cast<std::uint32_t>(*x)) return refuse("a positive whole number");
    request_.steps = static_cast<std::uint32_t>(*x);
    return true;
  }
  (key == "start"     ? request_.start
   : key == "stop"    ? request_.stop
   : key == "maxStep" ? request_.max_step
                      : request_.tolerance) = *x;
  return true;
}

bool Repl::run(const std::string& line, std::string_view rest) {
  RunOptions before = request_;
  std::vector<std::pair<std::string_view, std::string_view>> given;
  for (;;) {  // the settings are the last words
    std::size_t at = rest.find_last_of(" \t");
    std::string_view word = at == std::string_view::npos ? rest : rest.substr(at + 1);
    std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 >= word.size()) break;
    std::string_view key = word.substr(0, equals);
    if (std::ranges::find(kRunSettings, key) == std::end(kRunSettings)) {
      if (!std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == 'S'; })) break;
      Diagnostic& d =
          module_.diagnostics().report(Code::BadExperiment, fmt::format("unknown setting `{}`", key));
      std::vector<std::string_view> all(std::begin(kRunSettings), std::end(kRunSettings));
      if (auto near = did_you_mean(key, all))
        d.help(fmt::format("did you mean `{}`?", *near));
      else
        d.help(
            "the settings are start, stop, steps, tolerance, maxStep, solver, events and from; `:set` "
            "changes "
            "parameters of "
            "the model");
      return true;
    }
    given.emplace_back(key, word.substr(equals + 1));
    rest = at == std::string_view::npos ? std::string_view{} : trim(rest.substr(0, at));
  }
  auto expression_before = expression_;
  Settings settings_before = settings_;
  if (!rest.empty()) {
    expression_ = in_place(line, rest);
    if (rest == "main") expression_.reset();
    settings_.clear();
    request_ = {};
  }
  bool fine = true;
  for (const auto& [key, value] : given) fine &= run_setting(key, value);
  if (fine) fine = compile();
  if (!fine) {  // restores the previous settings
    request_ = before;
    expression_ = expression_before;
    settings_ = settings_before;
    return true;
  }
  simulate();
  return true;
}

bool Repl::plot(const std::string&, std::string_view rest) {
  if (!has_run("to plot")) return true;
  std::vector<std::string> names;
  for (std::string_view word : words(rest)) names.emplace_back(word);
  if (names.empty()) {
    host_.plot(run_);
    return true;
  }
  pipeline::Columns chosen =
      pipeline::Results(model_->system, model_->dae).select(names, ":plot", {}, module_.diagnostics());
  if (module_.diagnostics().has_errors()) return true;
  const std::vector<std::string>& kept = run_.trajectory.names();
  bool all = std::ranges::all_of(
      chosen.names, [&](const std::string& n) { return std::ranges::find(kept, n) != kept.end(); });
  if (!all) {  // a large model records only its states: run again to record these
    std::vector<std::string> outputs = request_.outputs;
    request_.outputs = chosen.names;
    simulate();
    request_.outputs = std::move(outputs);
  }
  run_.panes = {chosen.names};
  if (run_.trajectory.rows() > 1) host_.plot(run_);
  return true;
}

bool Repl::set(const std::string&, std::string_view rest) {
  if (rest.empty()) {
    if (settings_.empty()) print("no parameter is set\n");
    for (const auto& [name, value] : settings_) print("{} = {:.10g}\n", name, value);
    return true;
  }
  if (!has_run("whose parameters could be set")) return true;
  Settings changed = settings_;
  std::string assignments(rest);  // accept `a = 1`
  for (std::size_t at; (at = assignments.find(" =")) != std::string::npos;) assignments.erase(at, 1);
  for (std::size_t at; (at = assignments.find("= ")) != std::string::npos;) assignments.erase(at + 1, 1);
  for (std::string_view word : words(assignments)) {
    std::size_t equals = std::min(word.find('='), word.size());
    std::optional<double> value = equals < word.size() ? number(word.substr(equals + 1)) : std::nullopt;
    if (!value || equals == 0) {
      module_.diagnostics()
          .report(Code::UnknownParameter, fmt::format("`{}` is not NAME=VALUE with a number", word))
          .help("write, for example, `:set r1.r=47`; values are in SI units");
      return true;
    }
    std::string name(word.substr(0, equals));
    auto it = std::ranges::find(changed, name, &std::pair<std::string, double>::first);
    if (it == changed.end())
      changed.emplace_back(name, *value);
    else
      it->second = *value;
  }
  // A named numeric parameter of the model changes without compilation; anything else requires it.
  bool numeric = model_version_ == module_.version() && !module_.data_may_have_changed();
  for (const auto& setting : changed) {
    if (std::ranges::find(settings_, setting) != settings_.end()) continue;
    auto it =
        std::ranges::find(model_->system.named_parameters, setting.first, &system::NamedParameter::name);
    numeric &= it != model_->system.named_parameters.end() && !it->structural;
  }
  Settings before = std::exchange(settings_, changed);
  if (!numeric && !compile()) {
    settings_ = before;
    return true;
  }
  simulate();
  return true;
}

bool Repl::why(const std::string&, std::string_view rest) {
  if (rest.empty()) {
    needs(":why", "the name of a variable");
    return true;
  }
  if (!has_run("whose variables could be explained")) return true;
  if (auto text = explain::why_text(*model_, rest, module_.sources())) {
    print("{}", *text);
    return true;
  }
  std::vector<std::string> names = {std::string(rest)};
  pipeline::Results(model_->system, model_->dae).select(names, ":why", {}, module_.diagnostics());
  return true;
}

bool Repl::events(const std::string&, std::string_view) {
  if (!has_run("whose events could be listed")) return true;
  print("{}{}{}", event_text_, all_events_ ? "" : "… and later events\n", event_counts_);
  return true;
}

bool Repl::time(const std::string&, std::string_view rest) {
  if (rest == "on" || rest == "off")
    times_ = rest == "on";
  else if (rest.empty())
    times_ = !times_;
  else
    needs(":time", "`on` or `off`");
  if (rest.empty()) print("times are {}\n", times_ ? "on" : "off");
  return true;
}

bool Repl::help(const std::string&, std::string_view) {
  print(
      "Enter an expression to see its value, or a definition to add or replace it.\n"
      "An incomplete input continues until an empty line; `:{{` … `:}}` encloses several lines.\n\n");
  for (const Command& c : commands()) print("  {:<12}{:<19}{}\n", c.name, c.arguments, c.what);
  return true;
}

bool Repl::quit(const std::string&, std::string_view) { return false; }

}  // namespace sigrel::repl
