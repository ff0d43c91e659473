// Columns and grids of data files. Where the names are literals, the file is read here: an error is reported
// whether the value is needed or not, and the types of the numbers have the units of the header.
#include <fmt/format.h>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/builtins.h"
#include "compiler/data/files.h"

namespace sigrel::check {
namespace {

/// The units of the numbers that a builtin of this type reads, in the order of their columns.
std::vector<Type*> units_of(const Builtin& builtin, Type* type) {
  Type* result = find(type);
  for (std::uint32_t k = 0; k < builtin.arity; ++k) result = find(result->args[1]);
  auto element = [](Type* list) { return find(find(list)->args[0]); };
  auto unit = [](Type* real) { return find(find(real)->args[0]); };
  if (builtin.shape == BuiltinShape::Column) return {unit(element(result))};
  if (builtin.shape == BuiltinShape::DataTable)
    return {unit(element(result)->args[0]), unit(element(result)->args[1])};
  return {unit(element(result->args[0])), unit(element(result->args[1])),
          unit(element(element(result->args[2])))};
}

const core::StringExpr* literal(const core::Expr* e) {
  return e->kind == core::ExprKind::String ? static_cast<const core::StringExpr*>(e) : nullptr;
}

}  // namespace

void ExpressionChecker::report_data(const data::Problem& problem, Span span) {
  const bool in_file = problem.code == Code::DataUnreadable || problem.code == Code::DataValue;
  if (in_file && !told_of_files_.insert(problem.message).second) return;
  Diagnostic& d = diagnostics_.report(problem.code, span, problem.message);
  for (const std::string& note : problem.notes) d.note(note);
  if (!problem.meant.empty())
    d.fix("did you mean \"" + problem.meant + "\"?", span, "\"" + problem.meant + "\"");
  for (const std::string& help : problem.helps) d.help(help);
}

/// `type` is that of the builtin in this use; null between backticks, where units stay open.
core::Expr* ExpressionChecker::read_data(const Builtin& builtin, std::vector<core::Expr*> args, Type* type,
                                         Span span) {
  const std::vector<Type*> units = type && !is_error(type) ? units_of(builtin, type) : std::vector<Type*>{};
  std::vector<const data::Unit*> stated;
  const core::StringExpr* file_name = literal(args[0]);
  data::DataFile* file = nullptr;
  if (file_name && parts_.data) {
    auto opened = parts_.data->open(file_name->value, file_name->span.file);
    if (opened)
      file = *opened;
    else
      report_data(opened.error(), file_name->span);
  }
  if (file && builtin.shape == BuiltinShape::Grid) {
    if (const auto& grid = file->grid())
      for (const auto* unit : {&grid->x_unit, &grid->y_unit, &grid->unit})
        stated.push_back(*unit ? &**unit : nullptr);
    else
      report_data(grid.error(), file_name->span);
  }
  for (std::size_t k = 1; file && k < args.size(); ++k) {
    stated.push_back(nullptr);
    const core::StringExpr* name = literal(args[k]);
    if (!name) continue;
    const auto column = file->find(name->value);
    const auto unit = column ? file->unit(*column) : tl::unexpected(column.error());
    if (!unit) {
      report_data(unit.error(), name->span);
      continue;
    }
    stated.back() = *unit;
    const bool ascends = builtin.shape == BuiltinShape::DataTable && k == 1;
    if (auto problem = ascends ? file->order_problem(*column) : file->number_problem(*column))
      report_data(*problem, name->span);
  }
  for (std::size_t k = 0; k < stated.size() && k < units.size(); ++k) {
    if (!stated[k]) continue;
    Linear form;
    form.constant = stated[k]->scale.dimension;
    unifier_.agree(units[k], types_.form(form, Sort::Unit));
    units_.note(true);
  }
  const std::size_t count = builtin.shape == BuiltinShape::Grid ? 3 : builtin.arity - 1;
  for (std::size_t k = 0; k < count; ++k) {
    auto* text = core_.make(core::StringExpr{{core::ExprKind::String, span}, "?"});
    if (k < units.size()) data_units_.request(text, units[k]);
    args.push_back(text);
  }
  return core_.primitive(builtin.op, args, span);
}

}  // namespace sigrel::check
