#include "compiler/pipeline/modules.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "compiler/ir/core.h"
#include "compiler/parse/parse.h"
#include "compiler/pipeline/files.h"

namespace sigrel::pipeline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPrelude = "Prelude";

/// "Electrical.Analog" -> "Electrical/Analog.sr".
fs::path file_of(std::string_view module) {
  std::string path(module);
  std::ranges::replace(path, '.', '/');
  return fs::path(path + ".sr");
}

class Loader {
 public:
  Loader(const SearchPath& path, SourceMap& sources, Diagnostics& diagnostics)
      : path_(path), sources_(sources), diagnostics_(diagnostics) {}

  Modules load(std::string name, std::string text, const std::string& folder) {
    const std::string file_name = fs::path(name).filename().string();
    Visit root = parse_text(std::move(name), std::move(text));
    check_root_name(root.module, file_name);
    // `module A.B where` in src/A/B.sr: its imports are searched in src.
    fs::path base = folder;
    if (root.module.has_header)
      for (char c : std::string(sigrel::text(root.module.name.name)))
        if (c == '.') base /= "..";
    folders_ = {base.empty() ? "." : base.lexically_normal().string()};
    folders_.insert(folders_.end(), path_.folders.begin(), path_.folders.end());
    if (!path_.library.empty()) folders_.push_back(path_.library);

    bool is_prelude = sigrel::text(root.module.name.name) == kPrelude;
    if (!is_prelude && !path_.library.empty()) {
      const std::string file = (fs::path(path_.library) / file_of(kPrelude)).string();
      if (auto text = read_timed(file)) {
        states_[intern(kPrelude)] = State::Open;
        visit(parse_text(file, std::move(*text)));
      } else {  // without the Prelude, checking would report errors everywhere
        diagnostics_
            .report(Code::FileNotFound, "the standard library was not found: `" + file + "` cannot be read")
            .note(text.error())
            .help("it is installed next to the executable; name another folder with `--path DIR`");
        result_.complete = false;
        library_missing_ = true;
      }
    }
    states_[root.module.name.name] = State::Open;
    visit(std::move(root));
    return std::move(result_);
  }

 private:
  enum class State : std::uint8_t { Open, Done, Failed };

  struct Visit {
    ast::Module module;
    std::size_t next = 0;  // declaration
    const ast::ImportDecl* importing = nullptr;
  };

  tl::expected<std::string, std::string> read_timed(const std::string& path) {
    auto start = Clock::now();
    auto text = read_file(path);
    result_.read_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    return text;
  }

  Visit parse_text(std::string name, std::string text) {
    FileId file = sources_.add(std::move(name), std::move(text));
    auto start = Clock::now();
    Visit visit{parse(file, sources_, diagnostics_)};
    result_.parse_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    return visit;
  }

  /// Depth first, with an explicit stack: chains of imports can be long.
  void visit(Visit root) {
    stack_.push_back(std::move(root));
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      top.importing = nullptr;
      while (top.next < top.module.decls.size() && !top.importing)
        if (const ast::Decl* decl = top.module.decls[top.next++]; decl->kind == ast::DeclKind::Import)
          top.importing = static_cast<const ast::ImportDecl*>(decl);
      if (top.importing) {
        if (std::optional<Visit> imported = import(*top.importing)) stack_.push_back(std::move(*imported));
        continue;
      }
      states_[top.module.name.name] = State::Done;
      result_.modules.push_back(std::move(top.module));
      stack_.pop_back();
    }
  }

  /// The module to visit for an import; nullopt if it is loaded already or an error was reported.
  std::optional<Visit> import(const ast::ImportDecl& decl) {
    Name name = decl.module.name;
    if (auto state = states_.find(name); state != states_.end()) {
      if (state->second == State::Open) {
        result_.complete = false;
        report_circle(decl);
      }
      return std::nullopt;
    }
    fs::path file = file_of(sigrel::text(name));
    for (const std::string& folder : folders_) {
      std::string path = folder == "." ? file.string() : (fs::path(folder) / file).string();
      std::error_code error;
      if (!fs::exists(path, error)) continue;
      auto text = read_timed(path);
      if (!text) {
        diagnostics_.report(Code::FileNotFound, decl.module.span, "`" + path + "` cannot be read")
            .note(text.error());
        result_.complete = false;
        states_[name] = State::Failed;
        return std::nullopt;
      }
      Visit visit = parse_text(path, std::move(*text));
      if (visit.module.has_header && visit.module.name.name != name) {
        diagnostics_
            .report(Code::ModuleNameMismatch, decl.module.span,
                    "the file of module `" + std::string(sigrel::text(name)) + "` declares module `" +
                        std::string(sigrel::text(visit.module.name.name)) + "`")
            .label("imported from " + path)
            .also(visit.module.name.span, "declared here")
            .help("the file name follows from the module name: module `A.B` is in A/B.sr");
        result_.complete = false;
        states_[name] = State::Failed;
        return std::nullopt;
      }
      visit.module.name.name = name;
      states_[name] = State::Open;
      return visit;
    }
    if (!library_missing_) report_missing(decl);  // else the module may be in the library
    result_.complete = false;
    states_[name] = State::Failed;
    return std::nullopt;
  }

  /// A file with the name of a module can only be imported if it declares that module. Other files, such as
  /// `03_rod.sr`, may declare any.
  void check_root_name(const ast::Module& module, std::string_view file_name) {
    if (!module.has_header || !file_name.ends_with(".sr") || file_name[0] < 'A' || file_name[0] > 'Z') return;
    const std::string_view expected = file_name.substr(0, file_name.size() - 3);
    const std::string_view full = sigrel::text(module.name.name);
    const std::string_view declared = full.substr(full.rfind('.') + 1);  // npos + 1 is 0
    if (declared == expected) return;
    diagnostics_
        .report(Code::ModuleNameMismatch, module.name.span,
                "`" + std::string(file_name) + "` declares module `" + std::string(full) + "`")
        .label("no import can find this module here")
        .help("call the module `" + std::string(expected) + "`, or the file `" + std::string(declared) +
              ".sr`");
  }

  void report_missing(const ast::ImportDecl& decl) {
    std::string name(sigrel::text(decl.module.name));
    Diagnostic& d =
        diagnostics_.report(Code::ModuleNotFound, decl.module.span, "there is no module `" + name + "`");
    std::string places;
    for (const std::string& folder : folders_) {
      bool library = folder == path_.library;
      places += (places.empty() ? "" : ", ") + (library ? "the standard library" : "`" + folder + "`");
    }
    d.note("searched for " + file_of(name).string() + " in " + places);
    std::vector<std::string> names = available_modules(folders_);
    std::vector<std::string_view> views(names.begin(), names.end());
    if (auto near = did_you_mean(name, views))
      d.fix("did you mean `" + std::string(*near) + "`?", decl.module.span, std::string(*near));
    else
      d.help("name the folder that contains it with `--path`");
  }

  void report_circle(const ast::ImportDecl& decl) {
    auto first =
        std::ranges::find(stack_, decl.module.name, [](const Visit& v) { return v.module.name.name; });
    if (first == stack_.end()) return;  // an import of the Prelude within the Prelude
    std::string circle;
    for (auto it = first; it != stack_.end(); ++it)
      circle += std::string(sigrel::text(it->module.name.name)) + " → ";
    circle += sigrel::text(decl.module.name);
    bool itself = first + 1 == stack_.end();
    Diagnostic& d = diagnostics_.report(
        Code::ImportCircle, decl.module.span,
        itself ? "module `" + std::string(sigrel::text(decl.module.name)) + "` imports itself"
               : "circular imports: " + circle);
    d.label("this import closes the cycle");
    for (auto it = first; it + 1 != stack_.end(); ++it)
      d.also(it->importing->module.span,
             "`" + std::string(sigrel::text(it->module.name.name)) + "` imports it here");
    d.help(itself ? "remove the import: the definitions of a module are visible in it"
                  : "move the shared definitions to a third module that imports neither");
  }

  const SearchPath& path_;
  SourceMap& sources_;
  Diagnostics& diagnostics_;
  std::vector<std::string> folders_;
  std::unordered_map<Name, State> states_;
  std::vector<Visit> stack_;
  bool library_missing_ = false;
  Modules result_;
};

}  // namespace

std::optional<Modules> load_modules(const std::string& root, const SearchPath& path, SourceMap& sources,
                                    Diagnostics& diagnostics) {
  auto text = read_file(root);
  if (!text) {
    diagnostics.report(Code::FileNotFound, "`" + root + "` cannot be read").note(text.error());
    return std::nullopt;
  }
  return load_modules(root, std::move(*text), fs::path(root).parent_path().string(), path, sources,
                      diagnostics);
}

Modules load_modules(std::string name, std::string text, const std::string& folder, const SearchPath& path,
                     SourceMap& sources, Diagnostics& diagnostics) {
  return Loader(path, sources, diagnostics).load(std::move(name), std::move(text), folder);
}

std::optional<ast::Module> expression_module(FileId file, Name name, const SourceMap& sources,
                                             Diagnostics& diagnostics) {
  ast::Module module;
  module.file = file;
  module.name = {name, {file, 0, 0}};
  ast::Expr* body = parse_expression(file, sources, module, diagnostics);
  if (!body) return std::nullopt;
  auto* clause = module.arena->make<ast::ClauseDecl>();
  clause->kind = ast::DeclKind::Clause;
  clause->span = body->span;
  clause->name = {intern(core::kExpression), body->span};
  clause->body = body;
  module.decls.push_back(clause);
  return module;
}

std::vector<std::string> available_modules(const std::vector<std::string>& folders) {
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end;
    for (int seen = 0; !error && it != end && seen < 10'000; it.increment(error), ++seen) {
      if (it.depth() >= 3) it.disable_recursion_pending();
      if (it->path().extension() != ".sr") continue;
      std::string name = it->path().lexically_relative(folder).replace_extension().string();
      std::ranges::replace(name, '/', '.');
      if (!name.empty() && name[0] >= 'A' && name[0] <= 'Z') names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::optional<std::string> find_module(std::string_view name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const fs::path file = fs::path(folder) / file_of(name);
    std::error_code error;
    if (fs::is_regular_file(file, error)) return file.string();
  }
  return std::nullopt;
}

}  // namespace sigrel::pipeline
