#include "compiler/session/interactive.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "compiler/check/builtins.h"
#include "compiler/check/check.h"
#include "compiler/evaluate/show.h"
#include "compiler/parse/parse.h"
#include "compiler/session/structural_types.h"

namespace sigrel::session {
namespace {

/// What a declaration defines: values and types are separate worlds.
struct Names {
  std::unordered_set<Name> clauses, signatures, types;

  void add(const ast::Decl* decl) {
    switch (decl->kind) {
      case ast::DeclKind::Import: break;
      case ast::DeclKind::TypeSynonym:
        types.insert(static_cast<const ast::TypeSynonymDecl*>(decl)->name.name);
        break;
      case ast::DeclKind::Record: types.insert(static_cast<const ast::RecordDecl*>(decl)->name.name); break;
      case ast::DeclKind::Data: types.insert(static_cast<const ast::DataDecl*>(decl)->name.name); break;
      case ast::DeclKind::Foreign:
        clauses.insert(static_cast<const ast::ForeignDecl*>(decl)->name.name);
        break;
      case ast::DeclKind::Signature:
        for (const ast::Ident& name : static_cast<const ast::SignatureDecl*>(decl)->names)
          signatures.insert(name.name);
        break;
      case ast::DeclKind::Binding: break;
      case ast::DeclKind::Clause: clauses.insert(static_cast<const ast::ClauseDecl*>(decl)->name.name); break;
    }
  }
};

Names names_of(const ast::Module& module) {
  Names names;
  for (const ast::Decl* decl : module.decls) names.add(decl);
  return names;
}

/// The declarations that stay when `fresh` ones are added. A new definition replaces the old signature too; a
/// new signature alone replaces just that.
std::vector<ast::Decl*> surviving(const ast::Module& old, const Names& fresh, Arena& arena) {
  std::vector<ast::Decl*> kept;
  for (ast::Decl* decl : old.decls) {
    if (decl->kind == ast::DeclKind::Signature) {
      auto* signature = static_cast<ast::SignatureDecl*>(decl);
      std::vector<ast::Ident> names;
      for (const ast::Ident& name : signature->names)
        if (!fresh.clauses.contains(name.name) && !fresh.signatures.contains(name.name))
          names.push_back(name);
      if (names.empty()) continue;
      if (names.size() != signature->names.size()) {
        signature = arena.make<ast::SignatureDecl>(*signature);
        signature->names = arena.copy(names);
      }
      kept.push_back(signature);
      continue;
    }
    Names own;
    own.add(decl);
    bool replaced = std::ranges::any_of(own.clauses, [&](Name n) { return fresh.clauses.contains(n); }) ||
                    std::ranges::any_of(own.types, [&](Name n) { return fresh.types.contains(n); });
    if (!replaced) kept.push_back(decl);
  }
  return kept;
}

/// Whether a text that is neither declarations nor an expression was meant as the former: a `=` or `::`
/// outside brackets in its first line, or a keyword of declarations.
bool looks_like_declaration(std::string_view text) {
  std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return true;
  text.remove_prefix(start);
  for (std::string_view word : {"import ", "type ", "record ", "data ", "module ", "foreign "})
    if (text.starts_with(word)) return true;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0) continue;
    if (c == '-' && next == '-') return false;
    if (c == ':' && next == ':') return true;
    bool operator_before = i > 0 && std::string_view("=<>/!:").find(text[i - 1]) != std::string_view::npos;
    if (c == '=' && next != '=' && !operator_before) return true;
    if (c == '\\' || text.substr(i).starts_with(" where")) return false;
  }
  return false;
}

/// The module of an expression.
void define_expression(ast::Module& module, ast::Expr* body) {
  auto* clause = module.arena->make<ast::ClauseDecl>();
  clause->kind = ast::DeclKind::Clause;
  clause->span = body->span;
  clause->name = {intern(core::kExpression), body->span};
  clause->body = body;
  module.decls.push_back(clause);
}

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
    : options_(options), runner_(std::move(options)), compiler_(make_compiler()) {
  own_.name = {intern("Main"), {}};
  Modules start = load_modules("<start>", "", folder_, options_.path, sources_, diagnostics_);
  add_libraries(start, libraries_);
}

/// Adds the modules that are not there yet; the last one, the root, is left to the caller.
bool Interactive::add_libraries(Modules& loaded, std::vector<ast::Module>& libraries) {
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
  auto start = std::chrono::steady_clock::now();
  std::vector<ast::Module> modules = libraries;
  modules.push_back(own);
  if (expression) modules.push_back(*expression);
  Diagnostics found;
  core::Program program = check::check(
      modules, found, {.last_sees_previous = expression != nullptr, .samples = expression != nullptr});
  timings_.push_back(
      {"check", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  bool fine = !found.has_errors();
  diagnostics_.append(found);
  if (!fine) return std::nullopt;
  return program;
}

bool Interactive::load(const std::string& path) {
  wanted_path_ = path;
  std::size_t errors = diagnostics_.error_count();
  std::optional<Modules> loaded = load_modules(path, options_.path, sources_, diagnostics_);
  if (!loaded || !loaded->complete || diagnostics_.error_count() != errors) return false;
  std::vector<ast::Module> libraries;
  ast::Module own = loaded->modules.back();
  add_libraries(*loaded, libraries);
  if (!check(libraries, own, nullptr)) return false;
  arenas_.push_back(own.arena);
  libraries_ = std::move(libraries);
  own_ = std::move(own);
  path_ = path;
  folder_ = std::filesystem::path(path).parent_path().string();
  ++version_;
  return true;
}

bool Interactive::reload() {
  if (wanted_path_.empty()) {
    diagnostics_.report(Code::FileNotFound, "no file was loaded, so there is none to read again")
        .help("load one with `:load FILE`");
    return false;
  }
  if (wanted_path_ != path_) return load(wanted_path_);
  std::size_t errors = diagnostics_.error_count();
  std::optional<Modules> loaded = load_modules(path_, options_.path, sources_, diagnostics_);
  if (!loaded || !loaded->complete || diagnostics_.error_count() != errors) return false;

  // What was entered since stays, where the file does not define the same.
  ast::Module own = loaded->modules.back();
  Names fresh = names_of(own);
  FileId old_file = own_.file;
  ast::Module entered = own_;
  std::erase_if(entered.decls, [&](const ast::Decl* decl) { return decl->span.file == old_file; });
  std::vector<ast::Decl*> kept = surviving(entered, fresh, *own.arena);
  own.decls.insert(own.decls.end(), kept.begin(), kept.end());
  std::vector<ast::Module> libraries;
  add_libraries(*loaded, libraries);
  for (const ast::Module& module : libraries_)  // imported by an input
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
  ast::Module module;
  module.file = file;
  module.name = {intern(name), {file, 0, 0}};
  Diagnostics as_expression;
  ast::Expr* body = parse_expression(file, sources_, module, as_expression);
  if (!body) {
    diagnostics_.append(looks_like_declaration(text) ? as_module : as_expression);
    return {};
  }
  define_expression(module, body);
  arenas_.push_back(module.arena);
  Expression expression{std::move(module), {}};
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
    Modules loaded = load_modules(name, text, folder_, options_.path, sources_, diagnostics_);
    input = loaded.modules.back();
    if (!add_libraries(loaded, libraries) || diagnostics_.error_count() != errors) return {};
  }
  Names fresh = names_of(input);
  ast::Module own = own_;
  own.decls = surviving(own_, fresh, *input.arena);
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
    Names defined;
    defined.add(decl);
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
  // The type as a tree tells values apart that look alike.
  FileId file = sources_.add("<type>", "it :: " + main.type);
  Diagnostics ignored;
  ast::Module signature = parse(file, sources_, ignored);
  const ast::Type* type = nullptr;
  if (!signature.decls.empty() && signature.decls[0]->kind == ast::DeclKind::Signature)
    type = static_cast<const ast::SignatureDecl*>(signature.decls[0])->type;
  std::vector<ast::Module> modules = libraries_;
  modules.push_back(own_);
  auto start = std::chrono::steady_clock::now();
  std::optional<std::string> value =
      evaluate::show_value(program, *program.main, type, modules, diagnostics_);
  timings_.push_back(
      {"evaluate", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
  if (!value) return {};
  answer.kind = Answer::Value;
  answer.value = std::move(*value);
  return answer;
}

std::optional<Interactive::Expression> Interactive::expression(const std::string& text) {
  std::string name = next_input();
  FileId file = sources_.add(name, text);
  ast::Module module;
  module.file = file;
  module.name = {intern(name), {file, 0, 0}};
  ast::Expr* body = parse_expression(file, sources_, module, diagnostics_);
  if (!body) return std::nullopt;
  define_expression(module, body);
  arenas_.push_back(module.arena);
  std::optional<core::Program> program = check(libraries_, own_, &module);
  if (!program) return std::nullopt;
  return Expression{std::move(module), std::move(*program)};
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
  StructuralTypes types = structural_types(found->program, diagnostics_);
  if (diagnostics_.error_count() != errors) return std::nullopt;
  return types.text(*found->program.main);
}

std::shared_ptr<Compiled> Interactive::compile(const std::optional<std::string>& text, const Settings& set) {
  std::optional<core::Program> program;
  if (text) {
    if (std::optional<Expression> found = expression(*text)) program = std::move(found->program);
  } else {
    program = check(libraries_, own_, nullptr);
  }
  if (!program) return nullptr;
  elaborate::Options options;
  options.libraries = options_.libraries;
  for (const auto& [name, value] : set) options.set.push_back({name, value});
  Diagnostics found;
  Context context{sources_, found, timings_, *compiler_, options_.verify, options_.why, {}, false, {}};
  std::shared_ptr<Compiled> model = back_end(*program, options, Backend::Jit, context);
  diagnostics_.append(found);
  return model;
}

Run Interactive::run(const Compiled& model, const RunOptions& options) {
  runner_.diagnostics().clear();
  std::size_t before = runner_.timings().size();
  Run run = runner_.run(model, options);
  for (std::size_t i = before; i < runner_.timings().size(); ++i) timings_.push_back(runner_.timings()[i]);
  diagnostics_.append(runner_.diagnostics());
  return run;
}

std::vector<const ast::Decl*> Interactive::declarations(std::string_view name) const {
  if (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot + 1 < name.size())
    name.remove_prefix(dot + 1);
  Name wanted = intern(name);
  auto in = [&](const ast::Module& module) {
    std::vector<const ast::Decl*> found;
    for (const ast::Decl* decl : module.decls) {
      Names names;
      names.add(decl);
      bool defines =
          names.clauses.contains(wanted) || names.signatures.contains(wanted) || names.types.contains(wanted);
      if (decl->kind == ast::DeclKind::Data)
        for (const ast::DataConstructor& c : static_cast<const ast::DataDecl*>(decl)->constructors)
          defines |= c.name.name == wanted;
      if (defines) found.push_back(decl);
    }
    return found;
  };
  std::vector<const ast::Decl*> found = in(own_);
  for (auto module = libraries_.rbegin(); found.empty() && module != libraries_.rend(); ++module)
    found = in(*module);
  return found;
}

bool Interactive::defines(std::string_view name) const {
  Name wanted = intern(name);
  return std::ranges::any_of(own_.decls, [&](const ast::Decl* decl) {
    Names names;
    names.add(decl);
    return names.clauses.contains(wanted);
  });
}

std::vector<std::string> Interactive::names() const {
  std::set<std::string> found;
  auto add_all = [&](const ast::Module& module, const std::string& prefix,
                     const std::unordered_set<Name>& hidden) {
    Names names = names_of(module);
    for (const auto& world : {names.clauses, names.types})
      for (Name name : world)
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
