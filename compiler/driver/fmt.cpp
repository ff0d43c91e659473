// sigrel fmt: formats source files.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "compiler/driver/command.h"
#include "compiler/format/format.h"
#include "compiler/pipeline/files.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {
namespace {

struct FmtOptions {
  std::vector<std::string> files;
  bool check = false;
  bool to_stdout = false;
};

int format_files(const Globals& globals, const FmtOptions& options) {
  int exit_code = kSuccess;
  for (const std::string& path : options.files) {
    SourceMap sources;
    Diagnostics diagnostics;
    if (auto text = pipeline::read_file(path); !text) {
      diagnostics.report(Code::FileNotFound, "`" + path + "` cannot be read").note(text.error());
    } else {
      FileId file = sources.add(path, std::move(*text));
      if (auto formatted = format::format(file, sources, diagnostics)) {
        bool changed = *formatted != sources.file(file).text;
        if (options.to_stdout) {
          fmt::print("{}", *formatted);
        } else if (changed && options.check) {
          fmt::print("{}\n", path);
        } else if (changed) {
          std::string reason = runtime::write_file(path, *formatted);
          if (!reason.empty())
            diagnostics
                .report(Code::ResultNotWritten, "the formatted text cannot be written to `" + path + "`")
                .note(reason)
                .note("the file is unchanged");
        }
        if (changed && options.check) exit_code = kUserError;
      }
    }
    if (diagnostics.has_errors()) exit_code = kUserError;
    print_diagnostics(globals, diagnostics, sources);
  }
  return exit_code;
}

}  // namespace

void add_fmt(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<FmtOptions>();
  CLI::App* command = app.add_subcommand("fmt", "Format spacing and indentation; line breaks are kept");
  command->add_option("files", options->files, "Input files")->required()->type_name("FILE");
  CLI::Option* check = command->add_flag(
      "--check", options->check,
      "List the files that would change without writing them; exit with 1 if there are any");
  command->add_flag("--stdout", options->to_stdout, "Write to standard output instead of the files")
      ->excludes(check);
  command->callback([&globals, &exit_code, options] { exit_code = format_files(globals, *options); });
}

}  // namespace sigrel::driver
