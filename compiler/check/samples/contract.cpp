#include "compiler/check/samples/contract.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compiler/graph/matching.h"

namespace sigrel::check {
namespace {

std::string column_text(const ast::Expr* e) {
  switch (e->kind) {
    case ast::ExprKind::Variable:
      return std::string(text(static_cast<const ast::VariableExpr*>(e)->name.ident.name));
    case ast::ExprKind::Field: {
      auto* f = static_cast<const ast::FieldExpr*>(e);
      return column_text(f->base) + "." + std::string(text(f->field.name));
    }
    case ast::ExprKind::Index: {
      auto* i = static_cast<const ast::IndexExpr*>(e);
      std::string parts;
      for (auto& part : i->parts) {
        parts += (parts.empty() ? "" : ", ") + column_text(part.first);
        if (part.last) parts += " .. " + column_text(part.last);
      }
      return column_text(i->base) + "[" + parts + "]";
    }
    case ast::ExprKind::Int: return std::to_string(static_cast<const ast::IntExpr*>(e)->value);
    default: return "…";
  }
}

std::string contract_text(const ast::StructuralAnnotation& s) {
  if (s.form == ast::StructuralAnnotation::Count) return fmt::format("{{#{}}}", s.count);
  if (s.form == ast::StructuralAnnotation::Like) return "like " + std::string(text(s.like.ident.name));
  std::string rows;
  for (auto& row : s.rows) {
    std::vector<std::string> columns;
    for (std::uint32_t bit : row.bits) columns.push_back(bit ? "1" : "0");
    for (const ast::Expr* e : row.columns) columns.push_back(column_text(e));
    rows += fmt::format("{}{}", rows.empty() ? "" : "; ", fmt::join(columns, " "));
  }
  return "{" + rows + "}";
}

}  // namespace

std::optional<std::uint32_t> Contracts::scalar_count(Type* type) const {
  constexpr std::int64_t kMost = 100'000;
  type = find(type);
  auto sum = [&](std::size_t count, auto part) -> std::optional<std::uint32_t> {
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto n = scalar_count(part(i));
      if (!n) return std::nullopt;
      total += *n;
      if (total > kMost) return std::nullopt;
    }
    return total;
  };
  if (type->kind == TypeKind::Tuple)
    return sum(type->args.size(), [&](std::size_t i) { return type->args[i]; });
  if (type->kind == TypeKind::Vector) {
    Linear size;
    size.add(type->args[1], {1, 1});
    auto element = scalar_count(type->args[0]);
    if (!element || size.unknown || !size.terms.empty() || !size.constant[0].integral()) return std::nullopt;
    const std::int64_t count = size.constant[0].num;
    if (count < 0 || count > kMost || *element * count > kMost) return std::nullopt;
    return *element * static_cast<std::uint32_t>(count);
  }
  if (type->kind != TypeKind::Constructor) return std::nullopt;
  if (type->constructor->kind == NominalKind::Record)
    return sum(type->constructor->fields.size(), [&](std::size_t i) {
      return unifier_.field_type(*type->constructor, static_cast<std::uint32_t>(i), type);
    });
  return 1;
}

void Contracts::attach(Type* relation, const ast::StructuralAnnotation& written) {
  relation->contract_text = intern(contract_text(written));
  if (auto at = contract_of_.find(&written); at != contract_of_.end()) {  // the definition is inferred again
    relation->contract = at->second;
    return;
  }
  relation->contract = contract_of_[&written] = core::ContractId(program_.contracts.size());
  program_.contracts.push_back({});
  program_.contracts.back().span = written.span;
  unresolved_.push_back({*relation->contract, &written, relation});
}

// The parts of the interface that a column names: `p.v`, `x[2 .. 3]`, a whole `p`. Nothing after a report, or
// where a size is not known.
std::optional<std::vector<Contracts::Part>> Contracts::column(const ast::Expr* e, Type* relation) const {
  switch (e->kind) {
    case ast::ExprKind::Variable:
      return variable_column(static_cast<const ast::VariableExpr*>(e)->name.ident, relation);
    case ast::ExprKind::Field: return field_column(*static_cast<const ast::FieldExpr*>(e), relation);
    case ast::ExprKind::Index: return index_column(*static_cast<const ast::IndexExpr*>(e), relation);
    default: return std::nullopt;
  }
}

std::optional<std::vector<Contracts::Part>> Contracts::variable_column(const ast::Ident& name,
                                                                       Type* relation) const {
  Type* interface = find(relation->args[0]);
  bool tuple = interface->kind == TypeKind::Tuple && relation->interface.size() != 1;
  std::uint32_t first = 0;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < relation->interface.size(); ++i) {
    Type* type = tuple ? interface->args[i] : interface;
    if (relation->interface[i].named && relation->interface[i].name == name.name) return {{{type, first}}};
    if (relation->interface[i].named) names.push_back(text(relation->interface[i].name));
    auto count = scalar_count(type);
    if (!count) return std::nullopt;
    first += *count;
  }
  Diagnostic& d =
      diagnostics_.report(Code::ContractMisfit, name.span,
                          fmt::format("`{}` is not a variable of this interface", text(name.name)));
  if (names.empty())
    d.help("name its variables, `SR (p :: Pin, …)`, or write rows of 0 and 1 with a column for each scalar");
  else
    d.help(fmt::format("its variables are `{}`", fmt::join(names, "`, `")));
  return std::nullopt;
}

std::optional<std::vector<Contracts::Part>> Contracts::field_column(const ast::FieldExpr& e,
                                                                    Type* relation) const {
  auto base = column(e.base, relation);
  if (!base) return std::nullopt;
  std::vector<Part> result;
  for (Part part : *base) {
    Type* type = find(part.type);
    auto index = is_record(type) ? field_index(*type->constructor, e.field.name) : std::nullopt;
    if (!index) {
      diagnostics_
          .report(Code::ContractMisfit, e.field.span,
                  fmt::format("`{}` has no part `{}`", column_text(e.base), text(e.field.name)))
          .note("its type is " + messages_.print(type));
      return std::nullopt;
    }
    for (std::uint32_t i = 0; i < *index; ++i) {
      auto count = scalar_count(unifier_.field_type(*type->constructor, i, type));
      if (!count) return std::nullopt;
      part.first += *count;
    }
    result.push_back({unifier_.field_type(*type->constructor, *index, type), part.first});
  }
  return result;
}

std::optional<std::vector<Contracts::Part>> Contracts::index_column(const ast::IndexExpr& e,
                                                                    Type* relation) const {
  auto parts = column(e.base, relation);
  if (!parts) return std::nullopt;
  auto number = [&](const ast::Expr* bound) -> std::optional<std::int64_t> {
    if (bound->kind == ast::ExprKind::Int) return static_cast<const ast::IntExpr*>(bound)->value;
    diagnostics_.report(Code::ContractMisfit, bound->span, "an index in a contract is a number")
        .help("`{#2}` says only how many equations there are");
    return std::nullopt;
  };
  for (auto& written : e.parts) {
    auto from = number(written.first), to = written.last ? number(written.last) : from;
    if (!from || !to) return std::nullopt;
    std::vector<Part> elements;
    for (const Part& part : *parts) {
      Type* type = find(part.type);
      if (type->kind != TypeKind::Vector) {
        diagnostics_
            .report(Code::ContractMisfit, e.span, fmt::format("`{}` is not a vector", column_text(e.base)))
            .note("its type is " + messages_.print(type));
        return std::nullopt;
      }
      auto all = scalar_count(type), element = scalar_count(type->args[0]);
      if (!all || !element) return std::nullopt;
      std::int64_t size = *element ? *all / *element : 0;
      if (*from < 1 || *to > size || *from > *to) {
        diagnostics_.report(Code::ContractMisfit, e.span,
                            fmt::format("`{}` has {} elements", column_text(e.base), size));
        return std::nullopt;
      }
      for (std::int64_t k = *from; k <= *to; ++k)
        elements.push_back({type->args[0], part.first + static_cast<std::uint32_t>(k - 1) * *element});
    }
    parts = std::move(elements);
  }
  return parts;
}

void Contracts::resolve() {
  for (const Unresolved& contract : unresolved_) resolve(contract);
  unresolved_.clear();
}

void Contracts::resolve(const Unresolved& unresolved) {
  core::Contract& contract = program_.contracts[unresolved.id.value];
  switch (unresolved.written->form) {
    case ast::StructuralAnnotation::Count: return resolve_count(contract, unresolved);
    case ast::StructuralAnnotation::Like: return resolve_like(contract, unresolved);
    case ast::StructuralAnnotation::Rows: {
      auto scalars = scalar_count(unresolved.relation->args[0]);
      if (auto read = rows(*unresolved.written, unresolved.relation, scalars)) {
        contract.form = core::Contract::Rows;
        contract.rows = std::move(*read);
      }
      return;
    }
  }
}

void Contracts::resolve_count(core::Contract& contract, const Unresolved& unresolved) {
  auto scalars = scalar_count(unresolved.relation->args[0]);
  const std::uint32_t count = unresolved.written->count;
  if (scalars && count > *scalars) {
    diagnostics_
        .report(Code::ContractMisfit, unresolved.written->span,
                fmt::format("{} equations are promised for {} unknown{}", count, *scalars,
                            *scalars == 1 ? "" : "s"))
        .help("an interface has as many unknowns as scalars; no more equations can determine them");
    return;
  }
  contract.form = core::Contract::Count;
  contract.count = count;
}

void Contracts::resolve_like(core::Contract& contract, const Unresolved& unresolved) {
  const ast::QualifiedIdent& like = unresolved.written->like;
  const Entry<Value>* entry = scopes_.lookup_value(like, true);
  if (!entry) return;
  std::string name(text(like.ident.name));
  Type* scheme = entry->meaning.kind == Value::Global ? globals_[entry->meaning.global].scheme : nullptr;
  if (entry->meaning.kind == Value::Global && (!scheme || is_error(scheme))) return;
  Type* type = scheme ? find(scheme) : nullptr;
  while (type && type->kind == TypeKind::Function) type = find(type->args[1]);
  if (!type || type->kind != TypeKind::Relation) {
    diagnostics_
        .report(Code::ContractMisfit, unresolved.written->span,
                "`" + name + "` is not a relation, and does not return one")
        .help("`like` names a definition with the structural type that is meant: `like resistor`");
    return;
  }
  Type* interface = unresolved.relation->args[0];
  if (!find(type->args[0])->generic && !find(interface)->generic &&
      !unifier_.unify(type->args[0], interface)) {
    diagnostics_
        .report(Code::ContractMisfit, unresolved.written->span, "`" + name + "` has another interface")
        .note(name + " :: " + messages_.print(scheme));
    return;
  }
  contract.form = core::Contract::Like;
  contract.like = entry->meaning.global;
}

std::optional<Contracts::Rows> Contracts::rows(const ast::StructuralAnnotation& written, Type* relation,
                                               std::optional<std::uint32_t> scalars) const {
  Rows rows;
  for (auto& row : written.rows) {
    auto& columns = rows.emplace_back();
    if (scalars && row.columns.empty() && row.bits.size() != *scalars) {
      diagnostics_
          .report(
              Code::ContractMisfit, row.span,
              fmt::format("this row has {} columns, the interface has {} scalars", row.bits.size(), *scalars))
          .help(
              "a row has a 0 or 1 for each scalar of the interface, in order; or write names: `{p.v n.v; p.i "
              "n.i}`");
      return std::nullopt;
    }
    for (std::uint32_t i = 0; i < row.bits.size(); ++i)
      if (row.bits[i]) columns.push_back(i);
    for (const ast::Expr* e : row.columns) {
      auto parts = column(e, relation);
      if (!parts) return std::nullopt;
      for (const Part& part : *parts) {
        auto count = scalar_count(part.type);
        if (!count) return std::nullopt;
        for (std::uint32_t k = 0; k < *count; ++k) columns.push_back(part.first + k);
      }
    }
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
  }
  if (!scalars) return std::nullopt;
  graph::Bipartite incidence;
  incidence.columns = *scalars;
  for (auto& columns : rows) {
    incidence.targets.insert(incidence.targets.end(), columns.begin(), columns.end());
    incidence.end_row();
  }
  graph::Matching matching = graph::maximum_matching(incidence);
  std::uint32_t matched = matching.size();
  if (matched < rows.size()) {
    diagnostics_
        .report(Code::ContractMisfit, written.span,
                fmt::format("no relation has these {} equations: they determine only {} unknown{}",
                            rows.size(), matched, matched == 1 ? "" : "s"))
        .help("each row stands for an equation that can determine an unknown of its own");
    return std::nullopt;
  }
  return rows;
}

core::Expr* Contracts::claim(core::Expr* e, Type* expected, bool argument, Span span) {
  Type* type = find(expected);
  std::size_t arity = 0;
  for (; type->kind == TypeKind::Function; type = find(type->args[1])) ++arity;
  if (type->kind != TypeKind::Relation || !type->contract || type == own_result_) return e;
  // The literal of a definition: others may refer to the definition before it is evaluated.
  if (e->kind == core::ExprKind::Sigrel && !argument) {
    static_cast<core::SigrelExpr*>(e)->relation->contract = type->contract;
    return e;
  }
  auto claim = [&](core::Expr* value) {
    auto* number = core_.integer(static_cast<std::int64_t>(type->contract->value), span);
    return core_.primitive(core::Primitive::Claim, {number, value}, span);
  };
  if (arity == 0) return claim(e);
  core::LocalId function = core_.new_local(intern("function"));
  std::vector<core::LocalId> parameters;
  std::vector<core::Expr*> arguments;
  for (std::size_t i = 0; i < arity; ++i) {
    parameters.push_back(core_.new_local(intern("argument")));
    arguments.push_back(core_.local(parameters.back(), span));
  }
  core::Expr* body = claim(core_.apply(core_.local(function, span), arguments, span));
  core::Expr* lambda = core_.lambda(parameters, body, span);
  core::Binding binding{function, intern("function"), e};
  return core_.make(core::LetExpr{{core::ExprKind::Let, span}, core_.copy(std::vector{binding}), lambda});
}

}  // namespace sigrel::check
