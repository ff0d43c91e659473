#include "compiler/session/interactive.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <unordered_set>

#include "compiler/check/check.h"
#include "compiler/check/names/builtins.h"
#include "compiler/data/files.h"
#include "compiler/evaluate/show.h"
#include "compiler/explain/structural_types.h"
#include "compiler/parse/parse.h"
#include "compiler/pipeline/library_index.h"
#include "compiler/session/declared_names.h"

namespace sigrel::session {
namespace {

const core::Global* find_global(const core::Program& program, Name module, Name name) {
  for (auto global = program.globals.rbegin(); global != program.globals.rend(); ++global)
    if (global->module == module && global->name == name) return &*global;
  return nullptr;
}

/// `a -> b` outside brackets.
bool is_function_type(std::string_view type) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < type.size(); ++i) {
    if (type[i] == '(' || type[i] == '[' || type[i] == '{') ++depth;
    if (type[i] == ')' || type[i] == ']' || type[i] == '}') --depth;
    if (depth == 0 && type[i] == '-' && type[i + 1] == '>') return true;
  }
  return false;
}

}  // namespace

Interactive::Interactive(SessionOptions options)
    : options_(options), runner_(std::move(options)), compiler_(pipeline::make_compiler(options_.code)) {
  own_.name = {intern("Main"), {}};
  pipeline::Modules start =
      pipeline::load_modules("<start>", "", folder_, options_.path, sources_, diagnostics_);
  folders_ = start.folders;
  add_libraries(start, libraries_);
}

/// Adds modules that are not loaded yet, except the last one, the root.
bool Interactive::add_libraries(pipeline::Modules& loaded, std::vector<ast::Module>& libraries) {
  timings_.push_back({"read", loaded.read_seconds});
  timings_.push_back({"parse", loaded.parse_seconds});
  for (std::size_t i = 0; i + 1 < loaded.modules.size(); ++i) {
    Name name = loaded.modules[i].name.name;
    if (std::ranges::any_of(libraries, [&](const ast::Module& m) { return m.name.name == name; })) continue;
    arenas_.push_back(loaded.modules[i].arena);
    libraries.push_back(std::move(loaded.modules[i]));
  }
  return loaded.complete;
}

std::optional<core::Program> Interactive::check(const std::vector<ast::Module>& libraries,
                                                const ast::Module& own, const ast::Module* expression) {
  std::vector<ast::Module> modules = libraries;
  modules.push_back(own);
  if (expression) modules.push_back(*expression);
  Diagnostics found;
  const bool has_expression = expression != nullptr;
  // A changed file is read again.
  auto files = std::make_shared<data::Files>(sources_, own.file, folder_, folders_);
  if (data_) files->take_unchanged(*data_);
  core::Program program = pipeline::timed(timings_, "check", [&] {
    return check::check(modules, found,
                        {.last_sees_previous = has_expression,
                         .samples = has_expression,
                         .modules_with = pipeline::modules_with,
                         .limits = options_.limits,
                         .data = files.get()});
  });
  program.data = files;
  data_ = files;
  bool fine = !found.has_errors();
  // The whole module is checked with each input: a warning of an earlier one is not told again.
  found.erase_if([&](const Diagnostic& d) {
    return d.severity != Severity::Error && d.primary && !told_.emplace(d.code, d.primary->span).second;
  });
  diagnostics_.append(found);
  if (!fine) return std::nullopt;
  return program;
}

bool Interactive::load(const std::string& path) {
  wanted_path_ = path;
  std::size_t errors = diagnostics_.error_count();
  std::optional<pipeline::Modules> loaded =
      pipeline::load_modules(path, options_.path, sources_, diagnostics_);
  if (!loaded || !loaded->complete || diagnostics_.error_count() != errors) return false;
  std::vector<ast::Module> libraries;
  ast::Module own = loaded->modules.back();
  add_libraries(*loaded, libraries);
  const auto before = std::pair(folder_, folders_);
  std::tie(folder_, folders_) = std::pair(loaded->folder, loaded->folders);
  if (!check(libraries, own, nullptr)) {
    std::tie(folder_, folders_) = before;
    return false;
  }
  arenas_.push_back(own.arena);
  libraries_ = std::move(libraries);
  own_ = std::move(own);
  path_ = path;
  ++version_;
  return true;
}

bool Interactive::reload() {
  if (wanted_path_.empty()) {
    diagnostics_.report(Code::FileNotFound, "no file was loaded").help("load one with `:load FILE`");
    return false;
  }
  if (wanted_path_ != path_) return load(wanted_path_);
  std::size_t errors = diagnostics_.error_count();
  std::optional<pipeline::Modules> loaded =
      pipeline::load_modules(path_, options_.path, sources_, diagnostics_);
  if (!loaded || !loaded->complete || diagnostics_.error_count() != errors) return false;

  // Inputs remain, except definitions of names that the file defines.
  ast::Module own = loaded->modules.back();
  const DeclaredNames fresh = names_of(own);
  FileId old_file = own_.file;
  ast::Module entered = own_;
  std::erase_if(entered.decls, [&](const ast::Decl* decl) { return decl->span.file == old_file; });
  std::vector<ast::Decl*> kept = remaining(entered, fresh, *own.arena);
  own.decls.insert(own.decls.end(), kept.begin(), kept.end());
  std::vector<ast::Module> libraries;
  add_libraries(*loaded, libraries);
  for (const ast::Module& module : libraries_)  // imported by inputs
    if (std::ranges::none_of(libraries,
                             [&](const ast::Module& m) { return m.name.name == module.name.name; }))
      libraries.push_back(module);
  if (!check(libraries, own, nullptr)) return false;
  arenas_.push_back(own.arena);
  libraries_ = std::move(libraries);
  own_ = std::move(own);
  ++version_;
  return true;
}

Interactive::Answer Interactive::enter(const std::string& text) {
  std::string name = next_input();
  FileId file = sources_.add(name, text);
  Diagnostics as_module;
  ast::Module input = parse(file, sources_, as_module);
  if (!as_module.has_errors()) {
    diagnostics_.append(as_module);
    return define(std::move(input), name, text);
  }
  Diagnostics as_expression;
  std::optional<ast::Module> module =
      pipeline::expression_module(file, intern(name), sources_, as_expression);
  if (!module) {
    diagnostics_.append(looks_like_declaration(text) ? as_module : as_expression);
    return {};
  }
  arenas_.push_back(module->arena);
  Expression expression{std::move(*module), {}};
  std::optional<core::Program> program = check(libraries_, own_, &expression.module);
  if (!program) return {};
  expression.program = std::move(*program);
  return evaluate(expression);
}

Interactive::Answer Interactive::define(ast::Module input, const std::string& name, const std::string& text) {
  std::vector<ast::Module> libraries = libraries_;
  bool imports =
      std::ranges::any_of(input.decls, [](const ast::Decl* d) { return d->kind == ast::DeclKind::Import; });
  if (imports) {
    std::size_t errors = diagnostics_.error_count();
    pipeline::Modules loaded =
        pipeline::load_modules(name, text, folder_, options_.path, sources_, diagnostics_);
    input = loaded.modules.back();
    if (!add_libraries(loaded, libraries) || diagnostics_.error_count() != errors) return {};
  }
  const DeclaredNames fresh = names_of(input);
  ast::Module own = own_;
  own.decls = remaining(own_, fresh, *input.arena);
  own.decls.insert(own.decls.end(), input.decls.begin(), input.decls.end());
  arenas_.push_back(input.arena);
  std::optional<core::Program> program = check(libraries, own, nullptr);
  if (!program) return {};
  libraries_ = std::move(libraries);
  own_ = std::move(own);
  if (!input.decls.empty()) ++version_;

  Answer answer;
  answer.kind = Answer::Definitions;
  std::unordered_set<Name> shown;
  for (const ast::Decl* decl : input.decls) {
    const DeclaredNames defined = names_of(decl);
    for (Name type : defined.types) answer.defined.push_back({std::string(sigrel::text(type)), {}});
    for (const auto& values : {defined.clauses, defined.signatures})
      for (Name value : values)
        if (shown.insert(value).second)
          if (const core::Global* global = find_global(*program, own_.name.name, value))
            answer.defined.push_back({std::string(sigrel::text(value)), global->type});
  }
  return answer;
}

Interactive::Answer Interactive::evaluate(Expression& expression) {
  const core::Program& program = expression.program;
  Answer answer;
  const core::Global& main = program.globals[program.main->value];
  answer.type = main.type;
  if (main.type == "Experiment" || main.type == "SR ()") {
    answer.kind = Answer::Experiment;
    return answer;
  }
  if (is_function_type(main.type)) {
    answer.kind = Answer::Value;
    answer.value = "<function>";
    return answer;
  }
  if (program.main_is_relation) {
    answer.kind = Answer::Relation;
    return answer;
  }
  // Values with the same representation are shown by their types.
  FileId file = sources_.add("<type>", "it :: " + main.type);
  Diagnostics ignored;
  ast::Module signature = parse(file, sources_, ignored);
  const ast::Type* type = nullptr;
  if (!signature.decls.empty() && signature.decls[0]->kind == ast::DeclKind::Signature)
    type = static_cast<const ast::SignatureDecl*>(signature.decls[0])->type;
  std::vector<ast::Module> modules = libraries_;
  modules.push_back(own_);
  std::optional<std::string> value = pipeline::timed(timings_, "evaluate", [&] {
    return evaluate::show_value(program, *program.main, type, modules, diagnostics_);
  });
  if (!value) return {};
  answer.kind = Answer::Value;
  answer.value = std::move(*value);
  return answer;
}

std::optional<Interactive::Expression> Interactive::expression(const std::string& text) {
  std::string name = next_input();
  FileId file = sources_.add(name, text);
  std::optional<ast::Module> module = pipeline::expression_module(file, intern(name), sources_, diagnostics_);
  if (!module) return std::nullopt;
  arenas_.push_back(module->arena);
  std::optional<core::Program> program = check(libraries_, own_, &*module);
  if (!program) return std::nullopt;
  return Expression{std::move(*module), std::move(*program)};
}

std::optional<std::string> Interactive::type_of(const std::string& text) {
  std::optional<Expression> found = expression(text);
  if (!found) return std::nullopt;
  return found->program.globals[found->program.main->value].type;
}

std::optional<std::string> Interactive::structural_type_of(const std::string& text) {
  std::optional<Expression> found = expression(text);
  if (!found) return std::nullopt;
  std::size_t errors = diagnostics_.error_count();
  explain::StructuralTypes types = explain::structural_types(found->program, diagnostics_);
  if (diagnostics_.error_count() != errors) return std::nullopt;
  return types.text(*found->program.main);
}

std::shared_ptr<Compiled> Interactive::compile(const std::optional<std::string>& text, const Settings& set,
                                               CompileOptions how) {
  struct Kept {
    core::Program program;  // which structures that a run comes to are elaborated from
    std::shared_ptr<Compiled> model{};
  };
  std::shared_ptr<Kept> kept;
  if (text) {
    if (std::optional<Expression> found = expression(*text))
      kept = std::make_shared<Kept>(std::move(found->program));
  } else if (std::optional<core::Program> program = check(libraries_, own_, nullptr)) {
    kept = std::make_shared<Kept>(std::move(*program));
  }
  if (!kept) return nullptr;
  elaborate::Options options;
  options.libraries = options_.libraries;
  options.limits = options_.limits;
  for (const auto& [name, value] : set) options.set.push_back({name, value});
  Diagnostics found;
  pipeline::Context context{.sources = sources_,
                            .diagnostics = found,
                            .timings = timings_,
                            .compiler = *compiler_,
                            .verify = options_.verify,
                            .keep_equations = options_.keep_equations,
                            .limits = options_.limits};
  context.start = how.start;
  context.inputs = std::move(how.inputs);
  kept->model = pipeline::back_end(kept->program, options, how.backend, context);
  diagnostics_.append(found);
  Compiled* model = kept->model.get();
  return model ? std::shared_ptr<Compiled>(std::move(kept), model) : nullptr;
}

Run Interactive::run(const Compiled& model, const RunOptions& options) {
  runner_.diagnostics().clear();
  std::size_t before = runner_.timings().size();
  Run run = runner_.run(model, options);
  for (std::size_t i = before; i < runner_.timings().size(); ++i) timings_.push_back(runner_.timings()[i]);
  diagnostics_.append(runner_.diagnostics());
  return run;
}

bool Interactive::data_may_have_changed() const { return data_ && data_->may_have_changed(); }

std::vector<const ast::Decl*> Interactive::declarations(std::string_view name) const {
  if (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot + 1 < name.size())
    name.remove_prefix(dot + 1);
  Name wanted = intern(name);
  auto in = [&](const ast::Module& module) {
    std::vector<const ast::Decl*> found;
    for (const ast::Decl* decl : module.decls)
      if (session::defines(decl, wanted)) found.push_back(decl);
    return found;
  };
  std::vector<const ast::Decl*> found = in(own_);
  for (auto module = libraries_.rbegin(); found.empty() && module != libraries_.rend(); ++module)
    found = in(*module);
  return found;
}

bool Interactive::defines(std::string_view name) const {
  Name wanted = intern(name);
  return std::ranges::any_of(own_.decls,
                             [&](const ast::Decl* decl) { return names_of(decl).clauses.contains(wanted); });
}

std::vector<std::string> Interactive::names() const {
  std::set<std::string> found;
  auto add_all = [&](const ast::Module& module, const std::string& prefix,
                     const std::unordered_set<Name>& hidden) {
    const DeclaredNames names = names_of(module);
    for (const auto& defined : {names.clauses, names.types})
      for (Name name : defined)
        if (!hidden.contains(name)) found.insert(prefix + std::string(sigrel::text(name)));
    for (const ast::Decl* decl : module.decls)
      if (decl->kind == ast::DeclKind::Data)
        for (const ast::DataConstructor& c : static_cast<const ast::DataDecl*>(decl)->constructors)
          found.insert(prefix + std::string(sigrel::text(c.name.name)));
  };
  for (const check::Builtin& builtin : check::builtins()) found.emplace(builtin.name);
  for (const char* name : {"True", "False", "Real", "Int", "Bool", "String", "Experiment", "SR"})
    found.emplace(name);
  for (const ast::Module& module : libraries_)
    if (sigrel::text(module.name.name) == "Prelude") add_all(module, "", {});
  add_all(own_, "", {});
  for (const ast::Decl* decl : own_.decls) {
    if (decl->kind != ast::DeclKind::Import) continue;
    const auto& import = *static_cast<const ast::ImportDecl*>(decl);
    std::unordered_set<Name> listed;
    for (const ast::Ident& name : import.names) listed.insert(name.name);
    if (import.has_list && !import.hiding)
      for (Name name : listed) found.emplace(sigrel::text(name));
    for (const ast::Module& module : libraries_) {
      if (module.name.name != import.module.name) continue;
      if (import.has_alias)
        add_all(module, std::string(sigrel::text(import.alias.name)) + ".", {});
      else if (!import.has_list || import.hiding)
        add_all(module, "", listed);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace sigrel::session
