// Local scopes, and the messages about names.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {
namespace {

/// What a word of another language is called here.
std::optional<std::string_view> our_word(std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"true", "True"},    {"false", "False"}, {"and", "&&"},        {"or", "||"},       {"Double", "Real"},
      {"Float", "Real"},   {"double", "Real"}, {"float", "Real"},    {"Integer", "Int"}, {"Boolean", "Bool"},
      {"int", "Int"},      {"bool", "Bool"},   {"string", "String"}, {"Str", "String"},  {"ln", "log"},
      {"ceil", "ceiling"}, {"arctan", "atan"}, {"arcsin", "asin"},   {"arccos", "acos"}};
  for (auto& [theirs, ours] : kWords)
    if (theirs == word) return ours;
  return std::nullopt;
}

}  // namespace

core::LocalId Checker::new_local(Name name) {
  core::Global& global = program_.globals[current_.value];
  global.local_names.push_back(name);
  return core::LocalId(global.local_count++);
}

void Checker::push_local(Local* local) {
  std::uint32_t index = local->name.value;
  if (index >= locals_.size()) locals_.resize(index + index / 2 + 64);
  local->shadowed = locals_[index];
  locals_[index] = local;
  trail_.push_back(local);
}

void Checker::release(std::size_t mark) {
  while (trail_.size() > mark) {
    locals_[trail_.back()->name.value] = trail_.back()->shadowed;
    trail_.pop_back();
  }
}

Local* Checker::bind_as(Local::Kind kind, Name name, Type* type, Span span, core::LocalId id) {
  auto* local = type_arena_.make<Local>();
  local->kind = kind;
  local->name = name;
  local->id = id;
  local->type = type;
  local->span = span;
  local->relation = relation_;
  push_local(local);
  return local;
}

Local* Checker::bind(Local::Kind kind, Name name, Type* type, Span span) {
  return bind_as(kind, name, type, span, new_local(name));
}

const Entry<Value>* Checker::lookup_value(const ast::QualifiedIdent& name, bool report) {
  const Entry<Value>* found = nullptr;
  if (!name.qualified) {
    found = scope_->value(name.ident.name);
  } else {
    auto at = scope_->qualifiers.find(name.qualifier);
    if (at == scope_->qualifiers.end()) {
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

const Entry<Value>* Checker::lookup_constructor(const ast::QualifiedIdent& name) {
  const Entry<Value>* found = lookup_value(name, true);
  return found && found->meaning.kind == Value::Global ? nullptr : found;
}

const Entry<TypeName>* Checker::lookup_type(const ast::QualifiedIdent& name) {
  const Entry<TypeName>* found = nullptr;
  const ModuleScope* searched = scope_;
  if (!name.qualified) {
    found = scope_->type(name.ident.name);
  } else {
    auto at = scope_->qualifiers.find(name.qualifier);
    if (at == scope_->qualifiers.end()) {
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
    if (scope_->incomplete) return nullptr;
    // One message per name and definition.
    std::uint64_t key = (std::uint64_t(current_.value) << 32) | name.ident.name.value;
    if (!reported_types_.insert(key).second) return nullptr;
    auto& d = diagnostics_.report(Code::UnknownType, name.ident.span, "there is no type `" + n + "`");
    if (auto ours = our_word(n)) {
      d.fix("it is called `" + std::string(*ours) + "` here", name.ident.span, std::string(*ours));
      return nullptr;
    }
    std::vector<Name> candidates;
    for (auto& [candidate, entry] : searched->types) candidates.push_back(candidate);
    suggest(d, name.ident.name, name.ident.span, candidates);
  } else if (found->ambiguous) {
    diagnostics_.report(Code::AmbiguousName, name.ident.span,
                        "the type `" + n + "` is imported from both " + std::string(text(found->module)) +
                            " and " + std::string(text(found->other_module)));
    return nullptr;
  }
  return found;
}

// The nearest candidate; ties go to the first by text, so that the order of the tables does not show.
void Checker::suggest(Diagnostic& diagnostic, Name name, Span span, const std::vector<Name>& candidates) {
  if (text(name).size() < 2) return;  // every other letter is as near
  if (++suggestions_ > 100) return;   // a file in the wrong language: each search reads all names
  std::vector<std::string_view> texts;
  for (Name candidate : candidates) texts.push_back(text(candidate));
  std::ranges::sort(texts);
  auto near = did_you_mean(text(name), texts);
  if (!near) return;
  Name found = intern(*near);
  std::string where;
  if (!lookup_local(found))
    if (auto* entry = scope_->value(found); entry && entry->priority != Priority::Own)
      where = " (from " + std::string(text(entry->module)) + ")";
  diagnostic.fix("did you mean `" + std::string(*near) + "`?" + where, span, std::string(*near));
}

std::vector<Name> Checker::names_in_scope(bool upper) const {
  std::vector<Name> names;
  for (const Local* local : trail_) names.push_back(local->name);
  for (auto& [name, entry] : scope_->values) names.push_back(name);
  std::erase_if(names, [upper](Name n) {
    std::string_view t = text(n);
    return t.empty() || (t[0] >= 'A' && t[0] <= 'Z') != upper;
  });
  return names;
}

void Checker::unknown_value(const ast::QualifiedIdent& name) {
  if (scope_->incomplete) return;
  // One message per name and definition.
  std::uint64_t key = (std::uint64_t(current_.value) << 32) | name.ident.name.value;
  if (!reported_names_.insert(key).second) return;
  std::string n(text(name.ident.name));
  bool upper = !n.empty() && n[0] >= 'A' && n[0] <= 'Z';
  std::string shown = name.qualified ? std::string(text(name.qualifier)) + "." + n : n;
  auto& d = diagnostics_.report(upper ? Code::UnknownConstructor : Code::UnknownName, name.ident.span,
                                "`" + shown + "` is not defined");
  if (auto ours = name.qualified ? std::nullopt : our_word(n)) {
    d.fix("it is written `" + std::string(*ours) + "` here", name.ident.span, std::string(*ours));
    return;
  }
  std::vector<Name> candidates;
  if (name.qualified) {
    for (const ModuleScope* module : scope_->qualifiers.at(name.qualifier))
      for (auto& [candidate, entry] : module->values) candidates.push_back(candidate);
  } else {
    candidates = names_in_scope(upper);
  }
  std::size_t helps = d.helps.size();
  suggest(d, name.ident.name, name.ident.span, candidates);
  if (d.helps.size() != helps || name.qualified) return;
  if (upper && scope_->type(name.ident.name))
    d.help("`" + n + "` is a type; a value of it needs a constructor");
  else if (relation_ && !upper)
    d.help("a signal is declared with `local " + n +
           "`; without that, a name is a local only where it is an argument of "
           "`<>` or `connect`");
}

void Checker::unknown_qualifier(const ast::QualifiedIdent& name) {
  if (scope_->incomplete) return;
  std::string q(text(name.qualifier));
  auto& d = diagnostics_.report(Code::UnknownModule, name.ident.span, "no module is imported as `" + q + "`");
  std::vector<Name> candidates;
  for (auto& [candidate, module] : scope_->qualifiers) candidates.push_back(candidate);
  std::size_t helps = d.helps.size();
  suggest(d, name.qualifier, name.ident.span, candidates);
  if (d.helps.size() == helps) d.help("add `import " + q + "`");
}

void Checker::duplicate(const ast::Ident& name, Span first, std::string_view what) {
  auto& d =
      diagnostics_.report(Code::DuplicateName, name.span,
                          std::string(what) + " `" + std::string(text(name.name)) + "` is defined twice");
  d.label("again here").also(first, "first here");
}

}  // namespace sigrel::check
