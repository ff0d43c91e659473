// Columns and grids of data files as lists.
#include <fmt/format.h>

#include "compiler/data/files.h"
#include "compiler/evaluate/machine.h"

namespace sigrel::evaluate {
namespace {

constexpr std::uintptr_t kOneColumn = 0, kGrid = 1;  // beside numbers of columns + 2

std::uintptr_t key(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

}  // namespace

void Machine::fail_data(const data::Problem& problem, Span span) {
  fail(problem.code, span, problem.message);
  if (!last_) return;
  for (const std::string& note : problem.notes) last_->note(note);
  if (!problem.meant.empty()) last_->help(fmt::format("did you mean \"{}\"?", problem.meant));
  for (const std::string& help : problem.helps) last_->help(help);
}

data::DataFile* Machine::data_file(const Value& name, Span span) {
  data::Files* files = code_.program().data.get();
  if (!files) {
    fail(Code::DataUnreadable, span, "no data files can be read here");
    return nullptr;
  }
  const FileId named_in = name.integer > 0 ? FileId(static_cast<std::uint32_t>(name.integer - 1)) : span.file;
  auto file = files->open(text(Name{name.index}), named_in);
  if (file) return *file;
  fail_data(file.error(), span);
  return nullptr;
}

/// Whether numbers with the unit of a header fit the type of the list, which `unit` is the unit of.
bool Machine::unit_agrees(const data::Unit* stated, const Value& unit, const std::string& what, Span span) {
  const std::string_view wanted = text(Name{unit.index});
  if (!stated || wanted.empty()) return true;
  const std::string has = fmt::format("{} has the unit {}", what, stated->text);
  if (wanted == "?") {
    fail(Code::DataUnit, span, fmt::format("{}, and the type here leaves the unit open", has));
    if (last_)
      last_->help(
          fmt::format("state it in a signature, as `[Real<{0}>]`; or name file and column by literals: then "
                      "the header decides",
                      dimension_text(stated->scale.dimension)));
    return false;
  }
  const auto expected = read_unit(wanted);
  // What cannot be read back has a fractional power: no header has one.
  if (expected && expected->dimension == stated->scale.dimension) return true;
  const std::string quantity = quantity_name(stated->scale.dimension);
  fail(Code::DataUnit, span, fmt::format("{}, and a Real<{}> is wanted here", has, wanted));
  if (last_ && !quantity.empty()) last_->note(fmt::format("{} is the unit of {}", stated->text, quantity));
  return false;
}

std::optional<std::uint32_t> Machine::column_number(const data::DataFile& file, const Value& name,
                                                    const Value& unit, Span span) {
  const auto column = file.find(text(Name{name.index}));
  const auto stated = column ? file.unit(*column) : tl::unexpected(column.error());
  if (!stated) {
    fail_data(stated.error(), span);
    return std::nullopt;
  }
  if (!unit_agrees(*stated, unit, fmt::format("column `{}`", text(Name{name.index})), span))
    return std::nullopt;
  return *column;
}

Value Machine::number_list(std::span<const double> numbers) {
  Value rest = Value::of(data_heap_.object(ObjectKind::Construct, 0));
  for (std::size_t k = numbers.size(); k-- > 0;) {
    Object* cell = data_heap_.object(ObjectKind::Construct, 2);
    cell->a = 1;
    cell->items[0] = Value::of_real(numbers[k]);
    cell->items[1] = rest;
    rest = Value::of(cell);
  }
  return rest;
}

// column file name unit
std::optional<Value> Machine::data_column(std::span<const Value> args, Span span) {
  data::DataFile* file = data_file(args[0], span);
  const auto column = file ? column_number(*file, args[1], args[2], span) : std::nullopt;
  if (!column) return std::nullopt;
  const std::array<std::uintptr_t, 3> use{key(file), *column + 2, kOneColumn};
  if (const auto known = data_.find(use); known != data_.end()) return known->second;
  const auto& numbers = file->numbers(*column);
  if (!numbers) {
    fail_data(numbers.error(), span);
    return std::nullopt;
  }
  data_heap_.limit(limits.memory);
  const Value list = number_list(*numbers);
  return data_[use] = list;
}

// table file x y unit unit
std::optional<Value> Machine::data_table(std::span<const Value> args, Span span) {
  data::DataFile* file = data_file(args[0], span);
  const auto x = file ? column_number(*file, args[1], args[3], span) : std::nullopt;
  const auto y = x ? column_number(*file, args[2], args[4], span) : std::nullopt;
  if (!y) return std::nullopt;
  const std::array<std::uintptr_t, 3> use{key(file), *x + 2, *y + 2};
  if (const auto known = data_.find(use); known != data_.end()) return known->second;
  auto problem = file->order_problem(*x);
  if (!problem) problem = file->number_problem(*y);
  if (problem) {
    fail_data(*problem, span);
    return std::nullopt;
  }
  data_heap_.limit(limits.memory);
  const std::vector<double>&arguments = *file->numbers(*x), &values = *file->numbers(*y);
  Value rest = Value::of(data_heap_.object(ObjectKind::Construct, 0));
  for (std::size_t k = arguments.size(); k-- > 0;) {
    Object* point = data_heap_.object(ObjectKind::Tuple, 2);
    point->items[0] = Value::of_real(arguments[k]);
    point->items[1] = Value::of_real(values[k]);
    Object* cell = data_heap_.object(ObjectKind::Construct, 2);
    cell->a = 1;
    cell->items[0] = Value::of(point);
    cell->items[1] = rest;
    rest = Value::of(cell);
  }
  return data_[use] = rest;
}

// grid file unit unit unit
std::optional<Value> Machine::data_grid(std::span<const Value> args, Span span) {
  data::DataFile* file = data_file(args[0], span);
  if (!file) return std::nullopt;
  const auto& grid = file->grid();
  if (!grid) {
    fail_data(grid.error(), span);
    return std::nullopt;
  }
  auto stated = [](const std::optional<data::Unit>& unit) { return unit ? &*unit : nullptr; };
  if (!unit_agrees(stated(grid->x_unit), args[1], "the first column", span) ||
      !unit_agrees(stated(grid->y_unit), args[2], "the first row", span) ||
      !unit_agrees(stated(grid->unit), args[3], "each value", span))
    return std::nullopt;
  const std::array<std::uintptr_t, 3> use{key(file), kGrid, kGrid};
  if (const auto known = data_.find(use); known != data_.end()) return known->second;
  data_heap_.limit(limits.memory);
  const std::size_t width = grid->y.size();
  Value rows = Value::of(data_heap_.object(ObjectKind::Construct, 0));
  for (std::size_t i = grid->x.size(); i-- > 0;) {
    Object* cell = data_heap_.object(ObjectKind::Construct, 2);
    cell->a = 1;
    cell->items[0] = number_list(std::span(grid->values).subspan(i * width, width));
    cell->items[1] = rows;
    rows = Value::of(cell);
  }
  Object* result = data_heap_.object(ObjectKind::Tuple, 3);
  result->items[0] = number_list(grid->x);
  result->items[1] = number_list(grid->y);
  result->items[2] = rows;
  return data_[use] = Value::of(result);
}

}  // namespace sigrel::evaluate
