#include "compiler/doc/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/parse/tokens.h"
#include "compiler/pipeline/modules.h"

namespace sigrel::doc {
namespace {

constexpr int kLongestChain = 32;  // of synonyms; the checker reports cycles

class Reader {
 public:
  Reader(const pipeline::Modules& modules, const SourceMap& sources, const Session& session)
      : tree_(modules.modules.back()), sources_(sources) {
    for (const core::Global* global : session.definitions()) {
      std::string name(sigrel::text(global->name));
      types_[name] = global->type;
      structures_[name] = session.structural_type(*global);
    }
    for (const ast::Module& module : modules.modules)
      for (const ast::Decl* decl : module.decls)
        if (decl->kind == ast::DeclKind::TypeSynonym) {
          const auto& synonym = *static_cast<const ast::TypeSynonymDecl*>(decl);
          synonyms_[synonym.name.name.value] = synonym.type;
        }
    // The synonyms of all modules are known here, and with them their units.
    for (const ast::Module& module : modules.modules)
      for (const ast::Decl* decl : module.decls)
        if (decl->kind == ast::DeclKind::TypeSynonym) {
          const auto& synonym = *static_cast<const ast::TypeSynonymDecl*>(decl);
          if (std::string u = unit(synonym.type); !u.empty())
            named_units_[std::string(sigrel::text(synonym.name.name))] = "[" + u + "]";
        } else if (decl->kind == ast::DeclKind::Record) {
          const auto& record = *static_cast<const ast::RecordDecl*>(decl);
          named_units_[std::string(sigrel::text(record.name.name))] = units_of_fields(record);
        }
  }

  Module read() {
    Module module;
    module.name = sigrel::text(tree_.name.name);
    module.text = module_text();
    for (const ast::Decl* decl : tree_.decls) declaration(module, decl);
    return module;
  }

 private:
  /// The source text on one line, without line comments.
  std::string written(Span span) const {
    std::string out;
    std::string_view text = sources_.text(span);
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      char c = text[i];
      if (c == '"' && !(in_string && text[i - 1] == '\\')) in_string = !in_string;
      if (!in_string && text.substr(i, 2) == "--") {
        i = std::min(text.find('\n', i), text.size());
        c = ' ';
      }
      bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
      if (!blank || in_string)
        out += c;
      else if (!out.empty() && out.back() != ' ')
        out += ' ';
    }
    while (out.ends_with(' ')) out.pop_back();
    return out;
  }

  /// The text of a type argument. The span of a parenthesised type excludes the parentheses.
  std::string argument(const ast::Type* type) const {
    bool atom = type->kind != ast::TypeKind::Function && type->kind != ast::TypeKind::Relation;
    if (type->kind == ast::TypeKind::Named) atom = static_cast<const ast::NamedType*>(type)->args.empty();
    std::string text = written(type->span);
    return atom ? text : "(" + text + ")";
  }

  std::string module_text() const {
    Diagnostics known;
    std::string out;
    std::uint32_t line = 0;
    for (const SourceToken& t : tokens(tree_.file, sources_, known).tokens) {
      std::string_view text = sources_.text(t.span);
      if (t.kind != TokenKind::LineComment) {
        if (t.kind == TokenKind::BlockComment) continue;
        return text == "module" ? out : std::string{};
      }
      text.remove_prefix(2);
      if (text.starts_with(' ')) text.remove_prefix(1);
      while (text.ends_with(' ') || text.ends_with('\r')) text.remove_suffix(1);
      if (line != 0 && t.line == line + 1) {
        out += "\n";
        out += text;
        line = t.line;
      } else if (text.starts_with('|')) {
        text.remove_prefix(1);
        out = text.starts_with(' ') ? text.substr(1) : text;
        line = t.line;
      }
    }
    return {};
  }

  std::string names(std::span<ast::Ident> idents) const {
    std::string out;
    for (const ast::Ident& ident : idents)
      out += (out.empty() ? "" : " ") + std::string(sigrel::text(ident.name));
    return out;
  }

  std::string unit(const ast::Type* type) const {
    for (int i = 0; i < kLongestChain && type; ++i) {
      if (type->kind == ast::TypeKind::Power) {
        type = static_cast<const ast::PowerType*>(type)->element;
        continue;
      }
      if (type->kind != ast::TypeKind::Named) return {};
      const auto& named = *static_cast<const ast::NamedType*>(type);
      if (named.unit) {
        std::string text = written(named.unit->span);
        if (text.starts_with('<')) text.erase(0, 1);
        if (text.ends_with('>')) text.pop_back();
        return text;
      }
      auto synonym = synonyms_.find(named.name.ident.name.value);
      type = synonym == synonyms_.end() ? nullptr : synonym->second;
    }
    return {};
  }

  /// The units of the fields of a record: "v [V], i [A]".
  std::string units_of_fields(const ast::RecordDecl& record) const {
    std::string out;
    for (const ast::RecordField& f : record.fields)
      if (std::string u = unit(f.type); !u.empty())
        out += fmt::format("{}{} [{}]", out.empty() ? "" : ", ", sigrel::text(f.name.name), u);
    return out;
  }

  /// The units of the types in a signature, in order: "Resistance [Ohm]; Pin: v [V], i [A]".
  std::string units_in(std::string_view signature) const {
    std::string out;
    std::set<std::string> told;
    bool in_unit = false;
    for (std::size_t i = 0; i < signature.size();) {
      const char c = signature[i];
      if (c == '<') in_unit = true;
      if (c == '>' && (i == 0 || signature[i - 1] != '-')) in_unit = false;
      std::size_t end = i;
      while (end < signature.size() &&
             (std::isalnum(static_cast<unsigned char>(signature[end])) || signature[end] == '_'))
        ++end;
      if (end == i) {
        ++i;
        continue;
      }
      std::string name(signature.substr(i, end - i));
      i = end;
      auto found = named_units_.find(name);
      if (in_unit || found == named_units_.end() || found->second.empty() || !told.insert(name).second)
        continue;
      out += fmt::format("{}{}{} {}", out.empty() ? "" : "; ", name,
                         found->second.starts_with('[') ? "" : ":", found->second);
    }
    return out;
  }

  void declaration(Module& module, const ast::Decl* decl) {
    Entry entry;
    entry.text = decl->doc;
    switch (decl->kind) {
      case ast::DeclKind::Import: {
        const auto& d = *static_cast<const ast::ImportDecl*>(decl);
        std::string line = written(d.span);
        module.imports.push_back({std::string(sigrel::text(d.module.name)), line.substr(line.find(' ') + 1)});
        return;
      }
      case ast::DeclKind::TypeSynonym: {
        const auto& d = *static_cast<const ast::TypeSynonymDecl*>(decl);
        entry.kind = Entry::Kind::Type;
        entry.name = sigrel::text(d.name.name);
        entry.parameters = names(d.parameters);
        entry.signature = written(d.type->span);
        break;
      }
      case ast::DeclKind::Record: {
        const auto& d = *static_cast<const ast::RecordDecl*>(decl);
        entry.kind = Entry::Kind::Record;
        entry.name = sigrel::text(d.name.name);
        entry.parameters = names(d.parameters);
        for (const ast::RecordField& f : d.fields)
          entry.fields.push_back({std::string(sigrel::text(f.name.name)), written(f.type->span), unit(f.type),
                                  f.default_value ? written(f.default_value->span) : "", f.flow, f.rotation});
        break;
      }
      case ast::DeclKind::Data: {
        const auto& d = *static_cast<const ast::DataDecl*>(decl);
        entry.kind = Entry::Kind::Data;
        entry.name = sigrel::text(d.name.name);
        entry.parameters = names(d.parameters);
        for (const ast::DataConstructor& c : d.constructors) {
          std::string text(sigrel::text(c.name.name));
          for (const ast::Type* t : c.args) text += " " + argument(t);
          entry.constructors.push_back(text);
        }
        break;
      }
      case ast::DeclKind::Foreign: {
        const auto& d = *static_cast<const ast::ForeignDecl*>(decl);
        entry.kind = Entry::Kind::Foreign;
        entry.name = sigrel::text(d.name.name);
        entry.signature = written(d.type->span);
        break;
      }
      case ast::DeclKind::Signature: {
        const auto& d = *static_cast<const ast::SignatureDecl*>(decl);
        for (const ast::Ident& ident : d.names) definition(module, entry, sigrel::text(ident.name));
        return;
      }
      case ast::DeclKind::Binding: return;  // in a `let` only
      case ast::DeclKind::Clause: {
        const auto& d = *static_cast<const ast::ClauseDecl*>(decl);
        entry.application = application(d);
        definition(module, entry, sigrel::text(d.name.name));
        return;
      }
    }
    module.entries.push_back(std::move(entry));
  }

  /// Whether a signature tells what its parameters are: `(period :: Real<u>) -> …`.
  static bool names_parameters(std::string_view signature) {
    const std::size_t name = signature.find(" :: ");
    return signature.starts_with('(') && name != std::string_view::npos &&
           signature.substr(1, name - 1).find_first_of(" (),") == std::string_view::npos;
  }

  /// "wrap period x". Empty for fewer than two arguments, and where one of them is not given by name.
  static std::string application(const ast::ClauseDecl& clause) {
    if (clause.parameters.size() < 2) return {};
    std::string out(sigrel::text(clause.name.name));
    for (const ast::Pattern* pattern : clause.parameters) {
      if (pattern->kind != ast::PatternKind::Variable) return {};
      out += ' ';
      out += sigrel::text(static_cast<const ast::VariablePattern*>(pattern)->name.name);
    }
    return out;
  }

  /// A definition has its entry at the first occurrence: its signature or its first clause.
  void definition(Module& module, Entry entry, std::string_view name) {
    entry.kind = Entry::Kind::Definition;
    entry.name = name;
    auto [seen, fresh] = seen_.try_emplace(entry.name, module.entries.size());
    if (!fresh) {
      Entry& earlier = module.entries[seen->second];
      if (earlier.text.empty()) earlier.text = entry.text;
      if (earlier.application.empty() && !names_parameters(earlier.signature))
        earlier.application = entry.application;
      return;
    }
    if (auto type = types_.find(entry.name); type != types_.end()) entry.signature = type->second;
    if (auto structure = structures_.find(entry.name); structure != structures_.end())
      entry.structure = structure->second;
    entry.units = units_in(entry.signature);
    module.entries.push_back(std::move(entry));
  }

  const ast::Module& tree_;
  const SourceMap& sources_;
  std::map<std::string, std::string> types_, structures_;
  std::map<std::string, std::string>
      named_units_;  // of types: "[V]" for a synonym, "v [V], i [A]" for a record
  std::map<std::uint32_t, const ast::Type*> synonyms_;
  std::map<std::string, std::size_t> seen_;
};

}  // namespace

std::optional<Module> read_module(const std::string& path, const SessionOptions& options, Session& session) {
  session.load(path);
  if (!session.check() || !session.check_structure()) return std::nullopt;
  SourceMap sources;
  Diagnostics known;  // ignored: the session has reported them
  auto modules = pipeline::load_modules(path, options.path, sources, known);
  if (!modules || known.has_errors()) return std::nullopt;
  return Reader(*modules, sources, session).read();
}

}  // namespace sigrel::doc
