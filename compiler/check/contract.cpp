// Written structural types: `{p.v n.v; p.i n.i}`, `{1 1 0; 0 1 1}`, `{#2}`, `like resistor`. They are no part
// of type equality: what has to keep one is noted where an expression meets a type that has one
// (Primitive::Claim), and for the result of a definition in its sample.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/check/checker.h"
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

/// How many scalars a signal of this type has, if every size is known; nothing beyond what contracts are
/// compared for.
std::optional<std::uint32_t> Checker::scalar_count(Type* type) {
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
      return field_type(*type->constructor, static_cast<std::uint32_t>(i), type);
    });
  return 1;
}

void Checker::promise(Type* relation, const ast::StructuralAnnotation& written) {
  relation->contract_text = intern(contract_text(written));
  if (auto at = contract_of_.find(&written); at != contract_of_.end()) {  // the definition is inferred again
    relation->contract = at->second;
    return;
  }
  relation->contract = contract_of_[&written] = core::ContractId(program_.contracts.size());
  program_.contracts.push_back({});
  program_.contracts.back().span = written.span;
  waiting_contracts_.push_back({*relation->contract, &written, relation});
}

// The scalars of the interface that a column names: `p.v`, `x[2 .. 3]`, a whole `p`. Nothing after a report,
// or where a size is not known.
std::optional<std::vector<Checker::ContractPart>> Checker::contract_column(const ast::Expr* e,
                                                                           Type* relation) {
  auto unknown = [&](Span span, std::string message) -> Diagnostic& {
    return diagnostics_.report(Code::ContractMisfit, span, std::move(message));
  };
  if (e->kind == ast::ExprKind::Variable) {
    const ast::Ident& name = static_cast<const ast::VariableExpr*>(e)->name.ident;
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
    Diagnostic& d = unknown(name.span, fmt::format("`{}` is no variable of this interface", text(name.name)));
    if (names.empty())
      d.help(
          "name its variables, `SR (p :: Pin, …)`, or write rows of 0 and 1 with a column for each scalar");
    else
      d.help(fmt::format("its variables are `{}`", fmt::join(names, "`, `")));
    return std::nullopt;
  }
  std::vector<ContractPart> result;
  if (e->kind == ast::ExprKind::Field) {
    auto* f = static_cast<const ast::FieldExpr*>(e);
    auto base = contract_column(f->base, relation);
    if (!base) return std::nullopt;
    for (ContractPart part : *base) {
      Type* type = find(part.type);
      bool record = type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record;
      auto index = record ? field_index(*type->constructor, f->field.name) : std::nullopt;
      if (!index) {
        unknown(f->field.span,
                fmt::format("`{}` has no part `{}`", column_text(f->base), text(f->field.name)))
            .note("its type is " + print(type));
        return std::nullopt;
      }
      for (std::uint32_t i = 0; i < *index; ++i) {
        auto count = scalar_count(field_type(*type->constructor, i, type));
        if (!count) return std::nullopt;
        part.first += *count;
      }
      result.push_back({field_type(*type->constructor, *index, type), part.first});
    }
    return result;
  }
  if (e->kind != ast::ExprKind::Index) return std::nullopt;
  auto* index = static_cast<const ast::IndexExpr*>(e);
  auto parts = contract_column(index->base, relation);
  if (!parts) return std::nullopt;
  for (auto& written : index->parts) {
    auto number = [&](const ast::Expr* bound) -> std::optional<std::int64_t> {
      if (bound->kind == ast::ExprKind::Int) return static_cast<const ast::IntExpr*>(bound)->value;
      unknown(bound->span, "an index in a contract is a number")
          .help("`{#2}` says only how many equations there are");
      return std::nullopt;
    };
    auto from = number(written.first), to = written.last ? number(written.last) : from;
    if (!from || !to) return std::nullopt;
    result.clear();
    for (const ContractPart& part : *parts) {
      Type* type = find(part.type);
      if (type->kind != TypeKind::Vector) {
        unknown(index->span, fmt::format("`{}` is no vector", column_text(index->base)))
            .note("its type is " + print(type));
        return std::nullopt;
      }
      auto all = scalar_count(type), element = scalar_count(type->args[0]);
      if (!all || !element) return std::nullopt;
      std::int64_t size = *element ? *all / *element : 0;
      if (*from < 1 || *to > size || *from > *to) {
        unknown(index->span, fmt::format("`{}` has {} elements", column_text(index->base), size));
        return std::nullopt;
      }
      for (std::int64_t k = *from; k <= *to; ++k)
        result.push_back({type->args[0], part.first + static_cast<std::uint32_t>(k - 1) * *element});
    }
    parts = result;
  }
  return result;
}

// When all definitions of a module have their types.
void Checker::resolve_contracts() {
  for (auto& [id, written, relation] : waiting_contracts_) {
    core::Contract& contract = program_.contracts[id.value];
    auto scalars = scalar_count(relation->args[0]);
    using ast::StructuralAnnotation;
    if (written->form == StructuralAnnotation::Count) {
      if (scalars && written->count > *scalars) {
        diagnostics_
            .report(Code::ContractMisfit, written->span,
                    fmt::format("{} equations are promised for {} unknown{}", written->count, *scalars,
                                *scalars == 1 ? "" : "s"))
            .help("an interface has as many unknowns as scalars; no more equations can determine them");
        continue;
      }
      contract.form = core::Contract::Count;
      contract.count = written->count;
    } else if (written->form == StructuralAnnotation::Like) {
      const Entry<Value>* entry = lookup_value(written->like, true);
      if (!entry) continue;
      std::string name = "`" + std::string(text(written->like.ident.name)) + "`";
      Type* type = entry->meaning.kind == Value::Global && globals_[entry->meaning.global.value].scheme
                       ? find(globals_[entry->meaning.global.value].scheme)
                       : types_.error();
      if (type->kind == TypeKind::Error && entry->meaning.kind == Value::Global) continue;
      while (type->kind == TypeKind::Function) type = find(type->args[1]);
      if (type->kind != TypeKind::Relation) {
        diagnostics_.report(Code::ContractMisfit, written->span, name + " is no relation, and gives none")
            .help("`like` names a definition whose structural type is meant: `like resistor`");
        continue;
      }
      if (!find(type->args[0])->generic && !find(relation->args[0])->generic &&
          !unify(type->args[0], relation->args[0])) {
        diagnostics_.report(Code::ContractMisfit, written->span, name + " has another interface")
            .note(name.substr(1, name.size() - 2) +
                  " :: " + print(globals_[entry->meaning.global.value].scheme));
        continue;
      }
      contract.form = core::Contract::Like;
      contract.like = entry->meaning.global;
    } else if (auto rows = contract_rows(*written, relation, scalars)) {
      contract.form = core::Contract::Rows;
      contract.rows = std::move(*rows);
    }
  }
  waiting_contracts_.clear();
}

std::optional<std::vector<std::vector<std::uint32_t>>> Checker::contract_rows(
    const ast::StructuralAnnotation& written, Type* relation, std::optional<std::uint32_t> scalars) {
  std::vector<std::vector<std::uint32_t>> rows;
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
      auto parts = contract_column(e, relation);
      if (!parts) return std::nullopt;
      for (const ContractPart& part : *parts) {
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

// `e`, a relation or a function that gives one, has to keep the contract of the type it meets.
core::Expr* Checker::claimed(core::Expr* e, Type* expected, bool argument, Span span) {
  Type* type = find(expected);
  std::vector<core::LocalId> parameters;
  std::size_t arity = 0;
  for (; type->kind == TypeKind::Function; type = find(type->args[1])) ++arity;
  if (type->kind != TypeKind::Relation || !type->contract || type == own_result_) return e;
  if (e->kind == core::ExprKind::Sigrel &&
      !argument) {  // a definition: others may refer to it before it is evaluated
    static_cast<core::SigrelExpr*>(e)->relation->contract = type->contract;
    return e;
  }
  auto claim = [&](core::Expr* value) {
    auto* number = arena_.make<core::IntExpr>(
        core::IntExpr{{core::ExprKind::Int, span}, static_cast<std::int64_t>(type->contract->value)});
    return primitive(core::Primitive::Claim, {number, value}, span);
  };
  if (arity == 0) return claim(e);
  auto local = [&](core::LocalId id) -> core::Expr* {
    return arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, id});
  };
  core::LocalId function = new_local(intern("function"));
  std::vector<core::Expr*> arguments;
  for (std::size_t i = 0; i < arity; ++i) {
    parameters.push_back(new_local(intern("argument")));
    arguments.push_back(local(parameters.back()));
  }
  core::Expr* body = claim(make_apply(local(function), arguments, span));
  core::Expr* lambda = arena_.make<core::LambdaExpr>(
      core::LambdaExpr{{core::ExprKind::Lambda, span}, arena_.copy(parameters), body});
  core::Binding binding{function, intern("function"), e};
  return arena_.make<core::LetExpr>(
      core::LetExpr{{core::ExprKind::Let, span}, arena_.copy(std::vector<core::Binding>{binding}), lambda});
}

}  // namespace sigrel::check
