// Lookup in the local and the module scope, and the messages about names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "compiler/check/names/library_names.h"
#include "compiler/check/names/scopes.h"
#include "compiler/check/relations/relation_context.h"

namespace sigrel::check {
std::optional<std::string_view> our_word(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"true", "True"},    {"false", "False"}, {"and", "&&"},        {"or", "||"},       {"Double", "Real"},
      {"Float", "Real"},   {"double", "Real"}, {"float", "Real"},    {"Integer", "Int"}, {"Boolean", "Bool"},
      {"int", "Int"},      {"bool", "Bool"},   {"string", "String"}, {"Str", "String"},  {"ln", "log"},
      {"ceil", "ceiling"}, {"arctan", "atan"}, {"arcsin", "asin"},   {"arccos", "acos"}, {"D", "der"},
      {"ddt", "der"},      {"diff", "der"},    {"Der", "der"}};
  for (auto& [theirs, ours] : kWords)
    if (theirs == word) return ours;
  return std::nullopt;
}

namespace {

constexpr std::string_view kParameterWords[] = {"parameter", "param", "constant", "const"};

bool is_parameter_word(std::string_view word) {
  return std::ranges::find(kParameterWords, word) != std::end(kParameterWords);
}

/// Whether `word` is that of another language for something that Sigrel writes in another way.
bool is_other_word(std::string_view word) {
  return our_word(word) || word == "sample" || is_parameter_word(word);
}

void explain_other_word(Diagnostic& d, std::string_view word, Span span) {
  if (auto ours = our_word(word))
    d.fix("it is written `" + std::string(*ours) + "` here", span, std::string(*ours));
  else if (word == "sample")
    d.help("a clock is written `every dt do`, with the assignments at its ticks below");
  else
    d.help(
        "a parameter is an argument of the relation: `motor :: Real -> SR ()`, `motor r = sigrel () where`; "
        "a value that never changes is `let k = 1.0`");
}

}  // namespace

const Entry<Value>* Scopes::lookup_value(const ast::QualifiedIdent& name, bool report) {
  const Entry<Value>* found = nullptr;
  if (!name.qualified) {
    found = module_->value(name.ident.name);
  } else {
    auto at = module_->qualifiers.find(name.qualifier);
    if (at == module_->qualifiers.end()) {
      if (report) unknown_qualifier(name);
      return nullptr;
    }
    for (const ModuleScope* module : at->second)
      if ((found = module->value(name.ident.name))) break;
  }
  if (!report) return found;
  if (!found) {
    unknown_value(name);
  } else if (found->ambiguous) {
    std::string n(text(name.ident.name));
    diagnostics_
        .report(Code::AmbiguousName, name.ident.span,
                "`" + n + "` is imported from both " + std::string(text(found->module)) + " and " +
                    std::string(text(found->other_module)))
        .help("write `" + std::string(text(found->module)) + "." + n + "` after `import " +
              std::string(text(found->module)) + "`, or hide one: `import " +
              std::string(text(found->other_module)) + " hiding (" + n + ")`");
    return nullptr;
  }
  return found;
}

const Entry<Value>* Scopes::lookup_constructor(const ast::QualifiedIdent& name) {
  const Entry<Value>* found = lookup_value(name, true);
  return found && found->meaning.kind == Value::Global ? nullptr : found;
}

const Entry<TypeName>* Scopes::lookup_type(const ast::QualifiedIdent& name) {
  const Entry<TypeName>* found = nullptr;
  const ModuleScope* searched = module_;
  if (!name.qualified) {
    found = module_->type(name.ident.name);
  } else {
    auto at = module_->qualifiers.find(name.qualifier);
    if (at == module_->qualifiers.end()) {
      unknown_qualifier(name);
      return nullptr;
    }
    for (const ModuleScope* module : at->second) {
      searched = module;
      if ((found = module->type(name.ident.name))) break;
    }
  }
  std::string n(text(name.ident.name));
  if (!found) {
    unknown_type(name, *searched);
  } else if (found->ambiguous) {
    diagnostics_.report(Code::AmbiguousName, name.ident.span,
                        "the type `" + n + "` is imported from both " + std::string(text(found->module)) +
                            " and " + std::string(text(found->other_module)));
    return nullptr;
  }
  return found;
}

namespace {

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

void Scopes::suggest(Diagnostic& diagnostic, Name name, Span span, const std::vector<Name>& candidates) {
  if (text(name).size() < 2) return;  // every other letter is as near
  if (++suggestions_ > 100) return;   // a file in the wrong language: each search reads all names
  std::vector<std::string_view> texts;
  texts.reserve(candidates.size());
  for (Name candidate : candidates) texts.push_back(text(candidate));
  std::ranges::sort(texts);
  auto near = did_you_mean(text(name), texts);
  // `off` for `Off`
  const bool upper = text(name)[0] >= 'A' && text(name)[0] <= 'Z';
  for (const Name other : names_in_scope(!upper))
    if (same_but_for_case(text(other), text(name))) near = text(other);
  if (!near) return;
  Name found = intern(*near);
  std::string where;
  if (!lookup_local(found))
    if (auto* entry = module_->value(found); entry && entry->priority != Priority::Own)
      where = " (from " + std::string(text(entry->module)) + ")";
  diagnostic.fix("did you mean `" + std::string(*near) + "`?" + where, span, std::string(*near));
}

std::vector<Name> Scopes::names_in_scope(bool upper) const {
  std::vector<Name> names;
  for (const Local* local : trail_) names.push_back(local->name);
  for (auto& [name, entry] : module_->values) names.push_back(name);
  std::erase_if(names, [upper](Name n) {
    std::string_view t = text(n);
    return t.empty() || (t[0] >= 'A' && t[0] <= 'Z') != upper;
  });
  return names;
}

void Scopes::unknown_type(const ast::QualifiedIdent& name, const ModuleScope& searched) {
  if (module_->incomplete) return;
  const auto [span, word] = std::pair(name.ident.span, std::string(text(name.ident.name)));
  const std::string message = "there is no type `" + word + "`";
  const auto ours = our_word(word);
  if (!ours && !name.qualified &&
      undefined_.report_import(Code::UnknownType, name.ident.name, span, core_.current().value, message))
    return;
  Diagnostic* d = undefined_.report(Code::UnknownType, name.ident.name, span, core_.current().value, message);
  if (!d) return;
  if (ours) {
    d->fix("it is called `" + std::string(*ours) + "` here", span, std::string(*ours));
    return;
  }
  std::vector<Name> candidates;
  for (auto& [candidate, entry] : searched.types) candidates.push_back(candidate);
  suggest(*d, name.ident.name, span, candidates);
}

bool Scopes::is_signal(std::string_view name) const {
  const Local* local = is_interned(name) ? lookup_local(intern(name)) : nullptr;
  return local && local->kind == Local::Signal;
}

/// Where another library has a part of this name: what it is called here, first as it is imported.
bool Scopes::explain_library_name(Diagnostic& d, std::string_view name, Span span) const {
  const std::vector<LibraryName> found = library_names(name);
  for (const LibraryName& entry : found)
    if (const Entry<Value>* own = module_->value(intern(entry.ours));
        own && text(own->module) == entry.module) {
      d.fix(fmt::format("the library calls it `{}`", entry.ours), span, std::string(entry.ours));
      return true;
    }
  for (const LibraryName& entry : found)
    d.help(fmt::format("the library calls it `{}`, after `import {}`", entry.ours, entry.module));
  return !found.empty();
}

void Scopes::unknown_value(const ast::QualifiedIdent& name) {
  if (module_->incomplete) return;
  const std::string n(text(name.ident.name));
  const bool upper = !n.empty() && n[0] >= 'A' && n[0] <= 'Z';
  const Code code = upper ? Code::UnknownConstructor : Code::UnknownName;
  if (upper && undefined_.lacks_type()) return;  // it may be of that type
  const std::string message =
      "`" + (name.qualified ? std::string(text(name.qualifier)) + "." + n : n) + "` is not defined";
  const bool other_word = !name.qualified && is_other_word(n);
  if (!name.qualified && !other_word &&
      undefined_.report_import(code, name.ident.name, name.ident.span, core_.current().value, message))
    return;
  Diagnostic* reported =
      undefined_.report(code, name.ident.name, name.ident.span, core_.current().value, message);
  if (!reported) return;
  Diagnostic& d = *reported;
  if (other_word) {
    explain_other_word(d, n, name.ident.span);
    return;
  }
  if (n.ends_with('\'') && !name.qualified && is_signal(n.substr(0, n.size() - 1))) {
    const std::string variable = n.substr(0, n.size() - 1);
    d.fix("the derivative of `" + variable + "` is written `der " + variable + "`", name.ident.span,
          "der " + variable);
    return;
  }
  if (!name.qualified && explain_library_name(d, n, name.ident.span)) return;
  std::vector<Name> candidates;
  if (name.qualified) {
    for (const ModuleScope* module : module_->qualifiers.at(name.qualifier))
      for (auto& [candidate, entry] : module->values) candidates.push_back(candidate);
  } else {
    candidates = names_in_scope(upper);
  }
  std::size_t helps = d.helps.size();
  suggest(d, name.ident.name, name.ident.span, candidates);
  if (d.helps.size() != helps || name.qualified) return;
  if (upper && module_->type(name.ident.name))
    d.help("`" + n + "` is a type; a value of it needs a constructor");
  else if (relation_ && !upper && !is_static())
    d.help("a signal is declared with `local " + n +
           "`; without that, a name is a local only where it is an argument of "
           "`<>` or `connect`");
}

void Scopes::unknown_qualifier(const ast::QualifiedIdent& name) {
  if (module_->incomplete) return;
  std::string q(text(name.qualifier));
  Diagnostic* reported = undefined_.report(Code::UnknownModule, name.qualifier, name.ident.span,
                                           core_.current().value, "no module is imported as `" + q + "`");
  if (!reported) return;
  Diagnostic& d = *reported;
  std::vector<Name> candidates;
  for (auto& [candidate, module] : module_->qualifiers) candidates.push_back(candidate);
  std::size_t helps = d.helps.size();
  // `C2.u` may be meant as a path from an instance with another label.
  if (relation_) {
    const std::string head = q.substr(0, q.find('.'));
    std::vector<std::string_view> labels;
    for (const LabelInfo& label : relation_->labels) labels.push_back(text(label.name));
    if (auto near = did_you_mean(head, labels))
      d.help("did you mean the instance `" + std::string(*near) + "`: `" + std::string(*near) +
             q.substr(head.size()) + "." + std::string(text(name.ident.name)) + "`?");
  }
  if (d.helps.size() == helps) suggest(d, name.qualifier, name.ident.span, candidates);
  if (d.helps.size() == helps) d.help("add `import " + q + "`");
}

void Scopes::misuse(Name name) {
  if (misused_in_ != core_.current()) misused_.clear();
  misused_in_ = core_.current();
  misused_.insert(name);
}

bool Scopes::is_misused(Name name) const { return misused_in_ == core_.current() && misused_.contains(name); }

Diagnostic* Scopes::report_once(Code code, Span span, std::string message) {
  const Name key = intern(message);
  return undefined_.report(code, key, span, core_.current().value, std::move(message));
}

void Scopes::duplicate(const ast::Ident& name, Span first, std::string_view what) {
  auto& d =
      diagnostics_.report(Code::DuplicateName, name.span,
                          std::string(what) + " `" + std::string(text(name.name)) + "` is defined twice");
  d.label("again here").also(first, "first here");
}

void Scopes::duplicate_variable(const ast::Ident& name, Span first) {
  Duplicates& last = duplicates_;
  const bool next =
      last.diagnostic && last.errors == diagnostics_.error_count() && last.definition == core_.current();
  if (!next) {
    last = {&diagnostics_.report(Code::DuplicateName, name.span, ""), core_.current(), 0, {}};
    last.diagnostic->label("again here").also(first, "first here");
    last.errors = diagnostics_.error_count();
  }
  const std::string quoted = "`" + std::string(text(name.name)) + "`";
  if (std::ranges::find(last.names, quoted) == last.names.end()) last.names.push_back(quoted);
  last.diagnostic->message =
      fmt::format("the variable{} {} {} defined twice", last.names.size() > 1 ? "s" : "",
                  fmt::join(last.names, ", "), last.names.size() > 1 ? "are" : "is");
}

void Scopes::release(std::size_t mark) {
  while (trail_.size() > mark) {
    locals_[trail_.back()->name.value] = trail_.back()->shadowed;
    trail_.pop_back();
  }
}

Local* Scopes::bind_as(Local::Kind kind, Name name, Type* type, Span span, core::LocalId id) {
  auto* local = types_.arena().make<Local>();
  local->kind = kind;
  local->name = name;
  local->id = id;
  local->type = type;
  local->span = span;
  local->relation = relation_;
  if (name.value >= locals_.size()) locals_.resize(name.value + name.value / 2 + 64);
  local->shadowed = std::exchange(locals_[name.value], local);
  trail_.push_back(local);
  return local;
}

Local* Scopes::bind(Local::Kind kind, Name name, Type* type, Span span) {
  return bind_as(kind, name, type, span, core_.new_local(name));
}

}  // namespace sigrel::check
