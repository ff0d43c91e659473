// sigrel list: the available modules, and the contents of a module.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "compiler/diagnostics/display.h"
#include "compiler/doc/markup.h"
#include "compiler/doc/module.h"
#include "compiler/driver/command.h"
#include "compiler/pipeline/modules.h"

namespace sigrel::driver {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string module, name;
};

/// The first sentence of a comment.
std::string one_line(std::string_view text) {
  std::string line(doc::first_sentence(text));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

/// The current folder, the folders of --path, and the library.
std::vector<std::string> folders_of(const SessionOptions& options) {
  std::vector<std::string> folders = {"."};
  folders.insert(folders.end(), options.path.folders.begin(), options.path.folders.end());
  folders.push_back(options.path.library);
  return folders;
}

std::optional<doc::Module> read(const Globals& globals, const SessionOptions& options,
                                const std::string& file) {
  Session session(options);
  auto module = doc::read_module(file, options, session);
  if (!module) print_diagnostics(globals, session);
  return module;
}

/// Each module with the first sentence of its documentation. Subfolders of the current folder are not
/// searched.
int list_modules(const Globals& globals, const SessionOptions& options) {
  std::vector<std::string> folders = folders_of(options);
  std::vector<std::string> names = pipeline::available_modules({folders.begin() + 1, folders.end()});
  std::uint32_t width = 0;
  for (const std::string& name : names) width = std::max(width, display_width(name));
  for (const std::string& name : names) {
    auto file = pipeline::find_module(name, folders);
    auto module = file ? read(globals, options, *file) : std::nullopt;
    fmt::print("{}{}  {}\n", name, std::string(width - display_width(name), ' '),
               module ? one_line(module->text) : "");
  }
  fmt::print("\n`sigrel list MODULE` shows the contents of a module\n");
  return kSuccess;
}

void print_head(const doc::Entry& entry) {
  fmt::print("{}", entry.name);
  if (!entry.parameters.empty()) fmt::print(" {}", entry.parameters);
  switch (entry.kind) {
    case doc::Entry::Kind::Definition:
    case doc::Entry::Kind::Foreign: fmt::print(" :: {}", entry.signature); break;
    case doc::Entry::Kind::Type: fmt::print(" = {}", entry.signature); break;
    case doc::Entry::Kind::Data:
      for (std::size_t k = 0; k < entry.constructors.size(); ++k)
        fmt::print(" {} {}", k ? "|" : "=", entry.constructors[k]);
      break;
    case doc::Entry::Kind::Record: {
      fmt::print(" = {{");
      for (std::size_t k = 0; k < entry.fields.size(); ++k) {
        const doc::Field& f = entry.fields[k];
        fmt::print("{} {}{} :: {}", k ? "," : "",
                   f.flow       ? "flow "
                   : f.rotation ? "rotation "
                                : "",
                   f.name, f.type);
      }
      fmt::print(" }}");
      break;
    }
  }
  fmt::print("\n");
}

/// A structural type on at most two lines; of a longer one its first rows, and how to see the others.
std::string folded(const std::string& structure, const std::string& command) {
  constexpr std::size_t kLines = 2 * 100;
  if (structure.size() <= kLines) return structure;
  const std::size_t row = structure.rfind("; ", kLines - 2);
  std::string shown = structure.substr(0, row == std::string::npos ? kLines : row + 1);
  return fmt::format("{} … (`{}` shows all of it)", shown, command);
}

void print_entry(const doc::Entry& entry, const std::string& module) {
  fmt::print("  ");
  print_head(entry);
  if (!entry.application.empty()) fmt::print("      {}\n", entry.application);
  if (!entry.structure.empty())
    fmt::print("      {}\n", folded(entry.structure, fmt::format("sigrel list {} {}", module, entry.name)));
  if (std::string line = one_line(entry.text); !line.empty()) fmt::print("      {}\n", line);
}

void print_group(const char* title, const doc::Module& module, bool (*belongs)(const doc::Entry&)) {
  bool any = false;
  for (const doc::Entry& entry : module.entries) {
    if (!belongs(entry)) continue;
    if (!any) fmt::print("\n{}\n", title);
    any = true;
    print_entry(entry, module.name);
  }
}

/// A long structural type on lines of its own, broken between its rows and between its cases.
std::string wrapped(const std::string& structure) {
  constexpr std::size_t kWidth = 100;
  if (structure.size() <= kWidth) return structure;
  std::string out, line;
  for (std::size_t at = 0; at < structure.size();) {
    const std::size_t end = std::min(structure.find("; ", at), structure.size() - 1) + 1;
    const std::string row = structure.substr(at, end - at);
    if (!line.empty() && line.size() + row.size() > kWidth) {
      out += "\n  " + line;
      line.clear();
    }
    line += (line.empty() ? "" : " ") + row;
    at = end + 1;
  }
  return out + "\n  " + line;
}

/// The documentation of one definition: its comment with picture and example, units, structural type.
int list_name(const Globals& globals, const doc::Module& module, const std::string& name) {
  auto entry = std::ranges::find(module.entries, name, &doc::Entry::name);
  if (entry == module.entries.end()) {
    Diagnostics diagnostics;
    Diagnostic& d = diagnostics.report(Code::UnknownName, "`" + name + "` is not defined in " + module.name);
    std::vector<std::string_view> names;
    for (const doc::Entry& e : module.entries) names.push_back(e.name);
    if (auto near = did_you_mean(name, names))
      d.help("did you mean `" + std::string(*near) + "`?");
    else
      d.help("`sigrel list " + module.name + "` shows the definitions");
    print_diagnostics(globals, diagnostics, SourceMap{});
    return kUserError;
  }
  print_head(*entry);
  if (!entry->application.empty()) fmt::print("arguments: {}\n", entry->application);
  if (!entry->units.empty()) fmt::print("units: {}\n", entry->units);
  if (!entry->structure.empty()) fmt::print("structural type: {}\n", wrapped(entry->structure));
  if (!entry->text.empty()) fmt::print("\n{}\n", entry->text);
  return kSuccess;
}

int list_module(const Globals& globals, const SessionOptions& options, const std::string& name,
                const std::string& entry) {
  std::error_code error;
  const std::vector<std::string> folders = folders_of(options);
  std::optional<std::string> file =
      fs::is_regular_file(name, error) ? std::optional(name) : pipeline::find_module(name, folders);
  if (!file) {
    Diagnostics diagnostics;
    Diagnostic& d = diagnostics.report(Code::ModuleNotFound, "there is no module `" + name + "`");
    const std::vector<std::string> names = pipeline::available_modules({folders.begin() + 1, folders.end()});
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (auto near = did_you_mean(name, views))
      d.help("did you mean `" + std::string(*near) + "`?");
    else
      d.help("`sigrel list` shows the available modules; or give a file");
    print_diagnostics(globals, diagnostics, SourceMap{});
    return kUserError;
  }
  auto module = read(globals, options, *file);
  if (!module) return kUserError;
  if (!entry.empty()) return list_name(globals, *module, entry);
  fmt::print("{}{}{}\n", module->name, module->text.empty() ? "" : ": ", one_line(module->text));
  print_group("relations", *module, [](const doc::Entry& e) { return e.is_relation(); });
  print_group("values and functions", *module,
              [](const doc::Entry& e) { return !e.is_type() && !e.is_relation(); });
  print_group("types", *module, [](const doc::Entry& e) { return e.is_type(); });
  fmt::print("\n`sigrel list {} NAME` shows the full documentation of a definition\n", module->name);
  return kSuccess;
}

}  // namespace

void add_list(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("list",
                         "List the available modules, or the relations, functions and types of "
                         "a module");
  command->add_option("module", options->module, "Name of a module, or its file")->type_name("MODULE");
  command->add_option("name", options->name, "Show the full documentation of this definition")
      ->type_name("NAME");
  command->callback([&globals, &exit_code, options] {
    const SessionOptions session = globals.session_options();
    exit_code = options->module.empty() ? list_modules(globals, session)
                                        : list_module(globals, session, options->module, options->name);
  });
}

}  // namespace sigrel::driver
