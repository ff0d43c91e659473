#include "compiler/driver/command.h"

#include <CLI/CLI.hpp>

#include <charconv>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "compiler/pipeline/files.h"

namespace sigrel::driver {

SessionOptions Globals::session_options(bool keep_equations) const {
  std::string library = pipeline::library_folder();
  std::error_code error;
  if (!std::filesystem::exists(library, error))
    for (const std::string& folder : path)
      if (std::filesystem::exists(std::filesystem::path(folder) / "Prelude.sr", error)) library = folder;
  return {
      .path = {path, library},
      .verify = verify,
      .keep_equations = keep_equations,
      .libraries = libraries,
      .code = {.wait_until_hot = true, .cache_folder = no_cache ? std::string() : pipeline::cache_folder()},
      .limits = limits};
}

SessionOptions Globals::run_options() const {
  SessionOptions options = session_options();
  options.library_part = pipeline::LibraryPart::Mentioned;
  return options;
}

bool use_color(const Globals& globals, std::FILE* stream) {
  if (globals.color != "auto") return globals.color == "always";
  return isatty(fileno(stream)) == 1;
}

void print_diagnostics(const Globals& globals, const Diagnostics& diagnostics, const SourceMap& sources) {
  if (globals.json()) {
    for (const Diagnostic& d : diagnostics.all()) fmt::print(stderr, "{}\n", render_json(d, sources));
    return;
  }
  bool color = use_color(globals, stderr);
  bool first = true;
  for (const Diagnostic& d : diagnostics.all()) {
    fmt::print(stderr, "{}{}", first ? "" : "\n", render_text(d, sources, color));
    first = false;
  }
  if (diagnostics.error_count() > 1) fmt::print(stderr, "\n{} errors\n", diagnostics.error_count());
}

void print_diagnostics(const Globals& globals, Session& session) {
  print_diagnostics(globals, session.diagnostics(), session.sources());
}

void print_timings(const Globals& globals, const Session& session) {
  if (!globals.timings) return;
  double total = 0;
  for (const pipeline::Timing& t : session.timings())
    if (!t.part) total += t.seconds;
  fmt::print(stderr, "\n{:<16} {:>10} {:>10}\n", "stage", "ms", "peak MB");
  for (const pipeline::Timing& t : session.timings())
    fmt::print(stderr, "{:<16} {:>10.3f}{}\n", (t.part ? "  " : "") + t.stage, 1e3 * t.seconds,
               t.peak > 0 ? fmt::format(" {:>10.1f}", 1e-6 * t.peak) : "");
  fmt::print(stderr, "{:<16} {:>10.3f}\n", "all", 1e3 * total);
}

std::vector<std::string> split_names(std::span<const std::string> texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts)
    for (std::string& name : split_names(text)) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (char c : text) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0)
      names.emplace_back();
    else
      names.back() += c;
  }
  std::erase(names, "");
  return names;
}

Settings parse_settings(const std::vector<std::string>& texts) {
  Settings settings;
  for (const std::string& text : texts) {
    std::size_t equals = text.find('=');
    double value = 0;
    const char* end = text.data() + text.size();
    bool fine = equals != std::string::npos && equals > 0;
    if (fine && (text.substr(equals + 1) == "True" || text.substr(equals + 1) == "False")) {
      value = text[equals + 1] == 'T';
    } else if (fine) {
      auto [stop, error] = std::from_chars(text.data() + equals + 1, end, value);
      fine = error == std::errc{} && stop == end;
    }
    if (!fine)
      throw CLI::ValidationError(
          "--set", "`" + text + "` is not NAME=VALUE with a number, True or False, for example r1.r=47");
    settings.emplace_back(text.substr(0, equals), value);
  }
  return settings;
}

void add_start_options(CLI::App& command, bool& strict_initial, RunOptions& run) {
  CLI::Option* strict =
      command.add_flag("--strict-initial", strict_initial,
                       "Report missing initial equations as an error instead of using guesses");
  command
      .add_option("--init-from", run.init_from,
                  "Take the initial values from results of an earlier run: the last row, or those at time t")
      ->type_name("FILE[@t]")
      ->excludes(strict);
}

StartPolicy start_policy(bool strict_initial, const RunOptions& run) {
  return !run.init_from.empty() ? StartPolicy::Given
         : strict_initial       ? StartPolicy::Strict
                                : StartPolicy::Guesses;
}

}  // namespace sigrel::driver
