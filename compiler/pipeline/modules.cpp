#include "compiler/pipeline/modules.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <unordered_map>

#include "compiler/ir/core.h"
#include "compiler/parse/parse.h"
#include "compiler/pipeline/files.h"
#include "compiler/pipeline/library_index.h"

namespace sigrel::pipeline {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kPrelude = "Prelude";
// Bytes of the program: a larger one takes so long that the library does not matter, and so long that it
// should not be parsed again where an error asks for the whole library.
constexpr std::size_t kSmallProgram = 64 * 1024;

/// "Electrical.Analog" -> "Electrical/Analog.sr".
fs::path file_of(std::string_view module) {
  std::string path(module);
  std::ranges::replace(path, '.', '/');
  return fs::path(path + ".sr");
}

class Loader {
 public:
  Loader(const SearchPath& path, SourceMap& sources, Diagnostics& diagnostics, LibraryPart part)
      : path_(path), sources_(sources), diagnostics_(diagnostics), part_(part) {}

  Modules load(std::string name, std::string text, const std::string& folder) {
    Visit root = parse_text(name, std::move(text));
    check_root_name(root.module, fs::path(name).filename().string());
    root_ = name;
    folders_ = {base_of(root.module, folder)};
    folders_.insert(folders_.end(), path_.folders.begin(), path_.folders.end());
    if (!path_.library.empty()) folders_.push_back(path_.library);
    result_.folder = folder;
    result_.folders = folders_;
    if (const auto file = in_library(root.module.name.name)) root.library = is_same_file(name, *file);

    bool is_prelude = sigrel::text(root.module.name.name) == kPrelude;
    if (!is_prelude && !path_.library.empty()) {
      const std::string file = (fs::path(path_.library) / file_of(kPrelude)).string();
      if (auto text = read_timed(file)) {
        states_[intern(kPrelude)] = {State::Open, true};
        visit(library_module(intern(kPrelude), file, std::move(*text)));
      } else {  // without the Prelude, checking would report errors everywhere
        diagnostics_
            .report(Code::FileNotFound, "the standard library was not found: `" + file + "` cannot be read")
            .note(text.error())
            .help("it is installed next to the executable; name another folder with `--path DIR`");
        result_.complete = false;
        library_missing_ = true;
      }
    }
    states_[root.module.name.name] = {State::Open, root.library};
    visit(std::move(root));
    parse_listed();
    return std::move(result_);
  }

 private:
  enum class State : std::uint8_t { Open, Done, Failed };

  struct Known {
    State state = State::Open;
    bool library = false;
  };

  struct Visit {
    ast::Module module;
    bool library = false;  // of the standard library, whose modules import each other and nothing else
    std::size_t next = 0;  // declaration
    const ast::ImportDecl* importing = nullptr;
    std::optional<ListedModule> listed = {};  // the module has no declarations yet, except imports
  };

  /// The folder in which imports are searched first: for `module A.B where` in src/A/B.sr it is src. A header
  /// that the path does not end with leads nowhere else.
  static std::string base_of(const ast::Module& module, const std::string& folder) {
    fs::path base = folder;
    if (module.has_header) {
      const fs::path inner = file_of(sigrel::text(module.name.name)).parent_path();
      const auto depth = std::distance(inner.begin(), inner.end());
      std::error_code error;
      const fs::path whole = fs::absolute(folder.empty() ? "." : folder, error).lexically_normal() / "";
      const fs::path end = inner / "";
      if (depth > 0 && whole.string().ends_with("/" + end.string()))
        for (auto k = depth; k > 0; --k) base /= "..";
    }
    return base.empty() ? "." : base.lexically_normal().string();
  }

  std::optional<std::string> in_library(Name name) const {
    if (path_.library.empty()) return std::nullopt;
    const fs::path file = fs::path(path_.library) / file_of(sigrel::text(name));
    std::error_code error;
    return fs::exists(file, error) ? std::optional(file.string()) : std::nullopt;
  }

  static bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || fs::equivalent(a, b, error);
  }

  tl::expected<std::string, std::string> read_timed(const std::string& path) {
    auto start = Clock::now();
    auto text = read_file(path);
    result_.read_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    return text;
  }

  Visit parse_text(std::string name, std::string text) {
    program_size_ += text.size();
    FileId file = sources_.add(std::move(name), std::move(text));
    return {parse_timed(file, {})};
  }

  ast::Module parse_timed(FileId file, std::span<const SkippedText> skipped) {
    auto start = Clock::now();
    ast::Module module = parse(file, sources_, diagnostics_, skipped);
    result_.parse_seconds += std::chrono::duration<double>(Clock::now() - start).count();
    return module;
  }

  /// Of the folder of the library. One that is listed is parsed when all others have been.
  Visit library_module(Name name, std::string path, std::string text) {
    const auto listed =
        part_ == LibraryPart::Mentioned ? listed_module(sigrel::text(name), text) : std::nullopt;
    if (!listed) {
      Visit visit = parse_text(std::move(path), std::move(text));
      visit.library = true;
      return visit;
    }
    Visit visit;
    visit.library = true;
    visit.listed = listed;
    visit.module.file = sources_.add(std::move(path), std::move(text));
    visit.module.name.name = name;
    for (std::string_view imported : listed_imports(*listed)) {
      auto* decl = visit.module.arena->make<ast::ImportDecl>();
      decl->kind = ast::DeclKind::Import;
      decl->module.name = intern(imported);
      visit.module.decls.push_back(decl);
    }
    return visit;
  }

  void parse_listed() {
    std::vector<ListedModule> modules;
    for (const auto& [at, module] : listed_) modules.push_back(module);
    std::vector<std::vector<SkippedText>> skipped(modules.size());
    if (program_size_ <= kSmallProgram && !modules.empty()) {
      skipped = unmentioned(modules);
      result_.part = LibraryPart::Mentioned;
    }
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      ast::Module& module = result_.modules[listed_[i].first];
      module = parse_timed(module.file, skipped[i]);
    }
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
        if (std::optional<Visit> imported = import(*top.importing, top.library))
          stack_.push_back(std::move(*imported));
        continue;
      }
      states_[top.module.name.name].state = State::Done;
      if (top.listed) listed_.emplace_back(result_.modules.size(), *top.listed);
      result_.modules.push_back(std::move(top.module));
      stack_.pop_back();
    }
  }

  /// The file of an imported module, and whether it is of the library. Modules of the library see no other
  /// folder.
  std::optional<std::pair<std::string, bool>> find(Name name, bool by_library) const {
    const std::optional<std::string> library = in_library(name);
    if (by_library) return library ? std::optional(std::pair(*library, true)) : std::nullopt;
    const fs::path file = file_of(sigrel::text(name));
    for (const std::string& folder : folders_) {
      std::string path = folder == "." ? file.string() : (fs::path(folder) / file).string();
      std::error_code error;
      if (fs::exists(path, error)) return std::pair(path, library && is_same_file(path, *library));
    }
    return std::nullopt;
  }

  /// The module to visit for an import; nullopt if it is loaded already or an error was reported.
  std::optional<Visit> import(const ast::ImportDecl& decl, bool by_library) {
    const Name name = decl.module.name;
    const auto known = states_.find(name);
    const bool is_known = known != states_.end();
    if (is_known && known->second.state == State::Failed) return std::nullopt;
    const auto found = find(name, by_library);
    if (found && !found->second && in_library(name)) {
      report_hidden(decl, found->first);
      return failed(name);
    }
    if (is_known && (!found || found->second == known->second.library)) {
      if (known->second.state == State::Open) {
        result_.complete = false;
        report_circle(decl);
      }
      return std::nullopt;
    }
    if (is_known) {  // the root has the name, and a module of the library imports that of the library
      report_hidden(decl, root_);
      return failed(name);
    }
    if (!found) {
      if (!library_missing_) report_missing(decl);  // else the module may be in the library
      return failed(name);
    }
    return open(decl, found->first, found->second);
  }

  std::nullopt_t failed(Name name) {
    result_.complete = false;
    states_[name].state = State::Failed;
    return std::nullopt;
  }

  std::optional<Visit> open(const ast::ImportDecl& decl, const std::string& path, bool library) {
    const Name name = decl.module.name;
    if (!library && is_outside(path)) {
      report_outside(decl, path);
      return failed(name);
    }
    std::error_code error;
    const bool special = fs::is_other(path, error);  // a pipe or a device: reading it may never end
    auto text = special ? tl::unexpected(std::string("it is not a file")) : read_timed(path);
    if (!text) {
      diagnostics_.report(Code::FileNotFound, decl.module.span, "`" + path + "` cannot be read")
          .note(text.error());
      return failed(name);
    }
    Visit visit = library ? library_module(name, path, std::move(*text)) : parse_text(path, std::move(*text));
    if (visit.module.has_header && visit.module.name.name != name) {
      diagnostics_
          .report(Code::ModuleNameMismatch, decl.module.span,
                  "the file of module `" + std::string(sigrel::text(name)) + "` declares module `" +
                      std::string(sigrel::text(visit.module.name.name)) + "`")
          .label("imported from " + path)
          .also(visit.module.name.span, "declared here")
          .help("the file name follows from the module name: module `A.B` is in A/B.sr");
      return failed(name);
    }
    visit.module.name.name = name;
    visit.library = library;
    states_[name] = {State::Open, library};
    return visit;
  }

  /// Whether a file is, links resolved, below none of the folders in which modules are searched.
  bool is_outside(const std::string& path) {
    if (real_folders_.empty())
      for (const std::string& folder : folders_) {
        std::error_code error;
        const fs::path real = fs::canonical(folder, error) / "";
        if (!error) real_folders_.push_back(real.string());
      }
    std::error_code error;
    const std::string real = fs::canonical(path, error).string();
    return !error && std::ranges::none_of(
                         real_folders_, [&](const std::string& folder) { return real.starts_with(folder); });
  }

  void report_outside(const ast::ImportDecl& decl, const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    diagnostics_
        .report(Code::ModuleOutside, decl.module.span,
                "the file of module `" + std::string(sigrel::text(decl.module.name)) +
                    "` is outside the folders of the program")
        .note("`" + path + "` is a link to `" + real.string() + "`")
        .help("if it belongs to the program, name its folder: `--path " + real.parent_path().string() + "`");
  }

  void report_hidden(const ast::ImportDecl& decl, const std::string& own) {
    const std::string name(sigrel::text(decl.module.name));
    diagnostics_
        .report(Code::LibraryModuleHidden, decl.module.span,
                "there are two modules `" + name + "`: one of the standard library, and one of this program")
        .note("of this program: `" + own + "`")
        .note("of the standard library: `" + in_library(decl.module.name).value_or("") + "`")
        .help("give the module of this program another name: rename its file, and `module " + name +
              " where` in it");
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
    if (name.starts_with("Modelica"))
      d.help("the library is another one: `import Electrical`, for example; `sigrel list` shows its modules");
    else if (auto near = did_you_mean(name, views))
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
  LibraryPart part_;
  std::size_t program_size_ = 0;                              // of the modules that are not listed
  std::vector<std::pair<std::size_t, ListedModule>> listed_;  // by the place in result_.modules
  std::vector<std::string> folders_;
  std::vector<std::string> real_folders_;  // those of folders_, links resolved, with a slash at the end
  std::string root_;                       // the file of the root
  std::unordered_map<Name, Known> states_;
  std::vector<Visit> stack_;
  bool library_missing_ = false;
  Modules result_;
};

}  // namespace

std::optional<Modules> load_modules(const std::string& root, const SearchPath& path, SourceMap& sources,
                                    Diagnostics& diagnostics, LibraryPart part) {
  auto text = read_file(root);
  if (!text) {
    diagnostics.report(Code::FileNotFound, "`" + root + "` cannot be read").note(text.error());
    return std::nullopt;
  }
  return load_modules(root, std::move(*text), fs::path(root).parent_path().string(), path, sources,
                      diagnostics, part);
}

Modules load_modules(std::string name, std::string text, const std::string& folder, const SearchPath& path,
                     SourceMap& sources, Diagnostics& diagnostics, LibraryPart part) {
  return Loader(path, sources, diagnostics, part).load(std::move(name), std::move(text), folder);
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
