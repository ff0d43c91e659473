// sigrel gallery: HTML pages of the models in a folder, with plots of their runs.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "compiler/animate/animate.h"
#include "compiler/doc/gallery.h"
#include "compiler/driver/command.h"
#include "compiler/driver/pages.h"
#include "compiler/driver/report.h"
#include "runtime/results/plot_svg.h"

namespace sigrel::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kValues = 8;
constexpr std::size_t kNamed = 4;  // curves with a legend in a small plot

struct Options {
  std::string source, folder;
};

/// Runs the `main` of a file, and adds the files that it reads to `inputs`. Nullopt after errors.
std::optional<doc::Example> run_example(const Globals& globals, const std::string& path, SourceMap& sources,
                                        std::vector<NamedFile>& inputs) {
  Session session(globals.session_options());
  std::optional<doc::Example> example;
  session.load(path);
  std::shared_ptr<Compiled> model = session.check() ? session.compile() : nullptr;
  if (model) {
    RunOptions options;
    options.all_outputs = false;
    options.plot_something = true;
    const Run run = session.run(*model, options);
    if (run.completed()) {
      example.emplace();
      example->file = fs::path(path).filename().string();
      example->path = fs::path(path).lexically_normal().generic_string();
      example->source = sources.add(path, session.sources().file(session.root()).text);
      std::vector<runtime::Plot> panes = plots_of(run, {});
      runtime::SvgOptions size;
      size.height = height_of(panes.size());
      example->plot = runtime::plot_svg(panes, size);
      for (runtime::Plot& plot : panes)
        if (plot.curves.size() * panes.size() > kNamed)
          for (runtime::Curve& curve : plot.curves) curve.name.clear();  // a legend would fill the small plot
      example->small_plot = runtime::plot_svg(panes, {440, 280});
      example->end = run.outcome.reached;
      const std::string title = doc::example_title(example->file, sources.file(example->source).text);
      constexpr double kStill = 0.6;  // of the run
      if (auto rendered =
              animate::render(session, *model, globals.session_options().path.library, title, kStill)) {
        example->animation = std::move(rendered->page);
        example->still = std::move(rendered->still);
      }
      for (std::size_t c = 0; c < std::min(kValues, run.columns.size()); ++c)
        example->values.emplace_back(run.columns.names[c],
                                     pipeline::value_text(run.descriptions[c], run.final_values[c], 6));
    }
  }
  for (NamedFile& input : inputs_of(globals, session)) inputs.push_back(std::move(input));
  if (!example) print_diagnostics(globals, session);
  return example;
}

int gallery(const Globals& globals, const Options& options) {
  Diagnostics diagnostics;
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(options.source, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sr") files.push_back(at->path().string());
  if (error || files.empty())
    diagnostics
        .report(Code::FileNotFound, error ? "`" + options.source + "` cannot be read"
                                          : "`" + options.source + "` contains no Sigrel files")
        .help("name a folder of models that define `main`");
  std::ranges::sort(files);
  SourceMap sources;
  std::vector<doc::Example> examples;
  std::vector<NamedFile> inputs;
  for (const std::string& file : files)
    if (auto example = run_example(globals, file, sources, inputs)) examples.push_back(std::move(*example));
  // A model that does not run has been reported, and has no page; the others have theirs.
  if (!examples.empty()) write_pages(options.folder, doc::gallery(examples, sources), inputs, diagnostics);
  print_diagnostics(globals, diagnostics, SourceMap{});
  if (examples.empty() || diagnostics.has_errors()) return kUserError;
  fmt::print("{} models in {}\n", examples.size(), (fs::path(options.folder) / "index.html").string());
  if (examples.size() == files.size()) return kSuccess;
  fmt::print(stderr, "{} of {} files gave no page, because of errors\n", files.size() - examples.size(),
             files.size());
  return kUserError;
}

}  // namespace

void add_gallery(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "gallery",
      "Run the models in a folder and write HTML pages with header, plot, final values and source");
  command->add_option("source", options->source, "Folder of models")->required()->type_name("FOLDER");
  command->add_option("-o,--output", options->folder, "Output folder")->required()->type_name("DIR");
  command->callback([&globals, &exit_code, options] { exit_code = gallery(globals, *options); });
}

}  // namespace sigrel::driver
