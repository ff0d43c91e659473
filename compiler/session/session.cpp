#include "compiler/session/session.h"

#include <algorithm>

#include "compiler/data/files.h"
#include "compiler/explain/structural_types.h"
#include "compiler/structural_types/picture.h"

namespace sigrel {

using pipeline::LibraryPart;

Session::Session(SessionOptions options)
    : options_(std::move(options)), compiler_(pipeline::make_compiler(options_.code)) {}

bool Session::load(const std::string& path) {
  return load_with([=, this](SourceMap& sources, Diagnostics& diagnostics, LibraryPart part) {
    return pipeline::load_modules(path, options_.path, sources, diagnostics, part);
  });
}

bool Session::load_text(std::string name, std::string text, const std::string& folder) {
  return load_with([=, this](SourceMap& sources, Diagnostics& diagnostics, LibraryPart part) {
    return std::optional(
        pipeline::load_modules(name, text, folder, options_.path, sources, diagnostics, part));
  });
}

bool Session::load_with(Loading loading) {
  loading_ = std::move(loading);
  loaded_ = loading_(sources_, diagnostics_, options_.library_part);
  if (mentioned_only() && !diagnostics_.all().empty()) load_whole_library();
  return !diagnostics_.has_errors();
}

bool Session::mentioned_only() const { return loaded_ && loaded_->part == LibraryPart::Mentioned; }

/// Messages name definitions that the program does not mention: those that it may have meant.
void Session::load_whole_library() {
  sources_ = {};
  diagnostics_ = {};
  loaded_ = loading_(sources_, diagnostics_, LibraryPart::Whole);
}

bool Session::check(const std::optional<std::string>& expression) {
  if (mentioned_only() && expression) load_whole_library();  // it may mention others
  const bool partly = mentioned_only();
  pipeline::Context context = this->context(diagnostics_);
  checked_ = pipeline::front_end(std::move(loaded_), expression, context);
  loaded_.reset();
  if (partly && !diagnostics_.all().empty()) {
    timings_.clear();
    load_whole_library();
    checked_ = pipeline::front_end(std::move(loaded_), expression, context);
    loaded_.reset();
  }
  return checked_.has_value();
}

bool Session::check_structure() {
  if (!checked_) return false;
  std::size_t before = diagnostics_.error_count();
  structural_types_ = pipeline::timed(timings_, "structure", [&] {
    return std::make_shared<explain::StructuralTypes>(
        explain::structural_types(checked_->program, diagnostics_));
  });
  return diagnostics_.error_count() == before;
}

bool Session::check_main() {
  if (!checked_ || !checked_->program.main) return checked_.has_value();
  Diagnostics found;
  pipeline::Context context = this->context(found);
  elaborate::Options options;
  options.libraries = options_.libraries;
  options.load_libraries = false;
  options.limits = options_.limits;
  const auto model = pipeline::back_end(checked_->program, options, Backend::None, context);
  const auto is_incomplete = [](const Diagnostic& d) { return d.code == Code::NothingToRun; };
  if (std::ranges::any_of(found.all(), is_incomplete)) return true;
  const std::size_t before = diagnostics_.error_count();
  // What the check of the definitions has found is not reported again for the model.
  found.erase_if([&](const Diagnostic& d) {
    return std::ranges::any_of(diagnostics_.all(), [&](const Diagnostic& known) {
      return known.code == d.code && known.primary && d.primary && known.primary->span == d.primary->span;
    });
  });
  diagnostics_.append(found);
  if (model) {
    Panes panes;
    experiment(*model, {});
    choose_columns(*model, {}, panes);
  }
  return diagnostics_.error_count() == before;
}

std::string Session::structural_type(const core::Global& global) const {
  return structural_types_
             ? structural_types_->text(core::GlobalId(&global - checked_->program.globals.data()))
             : std::string();
}

std::vector<structural_types::Picture> Session::structure_pictures(const core::Global& global) const {
  if (!structural_types_) return {};
  const explain::StructuralTypes& types = *structural_types_;
  auto at = types.components.find(core::GlobalId(&global - checked_->program.globals.data()));
  if (at == types.components.end()) return {};
  return structural_types::pictures(types.library, types.checked.types, at->second, sources_);
}

std::shared_ptr<Compiled> Session::compile(const Settings& set, Backend backend, StartPolicy start,
                                           std::vector<std::string> inputs,
                                           std::optional<double> start_time) {
  if (!checked_) return nullptr;
  elaborate::Options options;
  options.libraries = options_.libraries;
  options.limits = options_.limits;
  for (const auto& [name, value] : set) options.set.push_back({name, value});
  Diagnostics diagnostics;  // errors of an earlier compilation or run do not stop this one
  pipeline::Context context = this->context(diagnostics);
  context.start = start;
  context.inputs = std::move(inputs);
  context.start_time = start_time;
  std::shared_ptr<Compiled> model = pipeline::back_end(checked_->program, options, backend, context);
  diagnostics_.append(diagnostics);
  return model;
}

std::optional<std::vector<elaborate::Argument>> Session::arguments() {
  if (!checked_) return std::nullopt;
  elaborate::Options options;
  options.libraries = options_.libraries;
  options.limits = options_.limits;
  options.arguments = true;
  auto elaborated = elaborate::elaborate(checked_->program, options, diagnostics_);
  if (!elaborated) return std::nullopt;
  return std::move(elaborated->arguments);
}

std::optional<std::string> Session::dump_loaded(const std::optional<std::string>& expression,
                                                pipeline::Dump stage, bool json) {
  pipeline::DumpRequest request{stage, json};
  pipeline::Context context = this->context(diagnostics_);
  context.dump = &request;
  auto checked = pipeline::front_end(std::move(loaded_), expression, context);
  loaded_.reset();
  if (checked)
    pipeline::back_end(checked->program, {.libraries = options_.libraries, .limits = options_.limits},
                       Backend::Interpreter, context);
  if (request.text.empty()) return std::nullopt;
  return std::move(request.text);
}

std::vector<data::UsedFile> Session::data_files() const {
  return checked_ && checked_->program.data ? checked_->program.data->used() : std::vector<data::UsedFile>{};
}

std::vector<const core::Global*> Session::definitions() const {
  std::vector<const core::Global*> found;
  if (!checked_) return found;
  FileId root = checked_->root().file;
  for (const core::Global& global : checked_->program.globals)
    if (global.span.file == root &&
        text(global.name).find('.') == std::string_view::npos)  // no default value
      found.push_back(&global);
  std::ranges::stable_sort(found, {}, [](const core::Global* g) { return g->span.begin; });
  return found;
}

}  // namespace sigrel
