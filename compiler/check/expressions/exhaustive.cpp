#include "compiler/check/expressions/exhaustive.h"

// A matrix has one row per arm and one column per value still to be examined. `missing` finds a vector of
// values that no row matches; `useful` decides whether a row matches a value that no earlier row matches.
// Both examine the first column: they split by constructor if all constructors occur in it, else keep the
// rows with a wildcard.
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace sigrel::check {
namespace {

using core::Pattern;
using core::PatternKind;
using Row = std::vector<const Pattern*>;

const Pattern kWildcard{};

bool is_wild(const Pattern* p) {
  return p->kind == PatternKind::Wildcard || p->kind == PatternKind::Variable;
}

std::uint32_t tag_of(const Pattern* p) {
  return p->kind == PatternKind::Bool ? static_cast<std::uint32_t>(p->integer) : p->tag;
}

bool same_literal(const Pattern* a, const Pattern* b) {
  if (a->kind != b->kind) return false;
  if (a->kind == PatternKind::Int) return a->integer == b->integer;
  if (a->kind == PatternKind::Real) return a->real == b->real;
  return a->string == b->string;
}

// The rows that match constructor `tag` (or the tuple) with `arity` arguments, these in front.
Row specialise(const Row& row, std::size_t arity) {
  Row result;
  result.reserve(row.size() + arity);
  for (std::size_t i = 0; i < arity; ++i)
    result.push_back(!is_wild(row[0]) && i < row[0]->elements.size() ? row[0]->elements[i] : &kWildcard);
  result.insert(result.end(), row.begin() + 1, row.end());
  return result;
}

class Matches {
 public:
  using ArgumentTypes = std::function<std::vector<Type*>(const Constructor&, Type*)>;
  using FieldTypes = std::function<std::vector<Type*>(Type*)>;
  Matches(const Types& types, ArgumentTypes argument_types, FieldTypes field_types)
      : types_(types), argument_types_(std::move(argument_types)), field_types_(std::move(field_types)) {}

  std::optional<std::vector<std::string>> missing(const std::vector<Row>& rows,
                                                  const std::vector<Type*>& types) {
    if (types.empty()) return rows.empty() ? std::optional(std::vector<std::string>{}) : std::nullopt;
    if (++steps_ > kLimit) return std::nullopt;
    Type* type = find(types[0]);
    if (type->kind == TypeKind::Error) return std::nullopt;  // an error was reported
    std::vector<Type*> rest(types.begin() + 1, types.end());
    if (is_product(type)) {
      std::vector<Type*> parts = product_parts(type);
      auto found = missing(rows_with(rows, std::nullopt, parts.size()), joined(parts, rest));
      if (!found) return std::nullopt;
      return prepend(shown_product(type, *found), *found, parts.size());
    }
    std::set<std::uint32_t> used;
    if (has_constructors(type))
      for (auto& row : rows)
        if (!is_wild(row[0])) used.insert(tag_of(row[0]));
    if (!used.empty()) {
      auto& all = type->constructor->constructors;
      for (const Constructor* c : all) {
        if (!used.contains(c->tag)) continue;
        auto found =
            missing(rows_with(rows, c->tag, c->args.size()), joined(argument_types_(*c, type), rest));
        if (found) return prepend(shown(*c, *found), *found, c->args.size());
      }
      if (used.size() == all.size()) return std::nullopt;
      auto found = missing(defaults(rows), rest);
      if (!found) return std::nullopt;
      for (const Constructor* c : all)
        if (!used.contains(c->tag))
          return prepend(shown(*c, std::vector<std::string>(c->args.size(), "_")), *found, 0);
    }
    auto found = missing(defaults(rows), rest);
    if (!found) return std::nullopt;
    return prepend("_", *found, 0);
  }

  bool useful(const std::vector<Row>& rows, const Row& row, const std::vector<Type*>& types) {
    if (types.empty()) return rows.empty();
    if (++steps_ > kLimit) return true;
    Type* type = find(types[0]);
    if (type->kind == TypeKind::Error) return true;
    std::vector<Type*> rest(types.begin() + 1, types.end());
    if (is_product(type)) {
      std::vector<Type*> parts = product_parts(type);
      return useful(rows_with(rows, std::nullopt, parts.size()), specialise(row, parts.size()),
                    joined(parts, rest));
    }
    Row tail(row.begin() + 1, row.end());
    if (!is_wild(row[0])) {
      if (has_constructors(type)) {
        for (const Constructor* c : type->constructor->constructors)
          if (c->tag == tag_of(row[0]))
            return useful(rows_with(rows, c->tag, c->args.size()), specialise(row, c->args.size()),
                          joined(argument_types_(*c, type), rest));
        return true;
      }
      std::vector<Row> same;
      for (auto& other : rows)
        if (is_wild(other[0]) || same_literal(other[0], row[0]))
          same.emplace_back(other.begin() + 1, other.end());
      return useful(same, tail, rest);
    }
    if (has_constructors(type)) {
      std::set<std::uint32_t> used;
      for (auto& other : rows)
        if (!is_wild(other[0])) used.insert(tag_of(other[0]));
      if (!used.empty() && used.size() == type->constructor->constructors.size()) {
        for (const Constructor* c : type->constructor->constructors)
          if (useful(rows_with(rows, c->tag, c->args.size()), specialise(row, c->args.size()),
                     joined(argument_types_(*c, type), rest)))
            return true;
        return false;
      }
    }
    return useful(defaults(rows), tail, rest);
  }

 private:
  static constexpr std::size_t kLimit = 100'000;  // the problem is NP-complete; beyond it, no message

  static bool has_constructors(Type* type) {
    return type->kind == TypeKind::Constructor && !type->constructor->constructors.empty();
  }
  // Tuples and records: one way to be built.
  static bool is_product(Type* type) {
    return type->kind == TypeKind::Tuple ||
           (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record);
  }
  std::vector<Type*> product_parts(Type* type) const {
    return type->kind == TypeKind::Tuple ? std::vector<Type*>(type->args.begin(), type->args.end())
                                         : field_types_(type);
  }
  static std::string shown_product(Type* type, const std::vector<std::string>& parts) {
    std::string s;
    if (type->kind == TypeKind::Tuple) {
      for (std::size_t i = 0; i < type->args.size(); ++i) s += (i ? ", " : "") + parts[i];
      return "(" + s + ")";
    }
    for (std::size_t i = 0; i < type->constructor->fields.size(); ++i)
      if (parts[i] != "_")
        s +=
            (s.empty() ? "" : ", ") + std::string(text(type->constructor->fields[i].name)) + " = " + parts[i];
    return std::string(text(type->constructor->name)) + (s.empty() ? " {}" : " { " + s + " }");
  }
  static std::vector<Row> rows_with(const std::vector<Row>& rows, std::optional<std::uint32_t> tag,
                                    std::size_t arity) {
    std::vector<Row> result;
    for (auto& row : rows)
      if (is_wild(row[0]) || !tag || tag_of(row[0]) == *tag) result.push_back(specialise(row, arity));
    return result;
  }
  static std::vector<Row> defaults(const std::vector<Row>& rows) {
    std::vector<Row> result;
    for (auto& row : rows)
      if (is_wild(row[0])) result.emplace_back(row.begin() + 1, row.end());
    return result;
  }
  template <class Range>
  static std::vector<Type*> joined(const Range& first, const std::vector<Type*>& rest) {
    std::vector<Type*> result(first.begin(), first.end());
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
  }
  static std::vector<std::string> prepend(std::string head, const std::vector<std::string>& found,
                                          std::size_t used) {
    std::vector<std::string> result{std::move(head)};
    result.insert(result.end(), found.begin() + static_cast<std::ptrdiff_t>(used), found.end());
    return result;
  }
  std::string shown(const Constructor& c, const std::vector<std::string>& args) const {
    if (c.owner == &types_.list_constructor) return c.tag == 0 ? "[]" : "(" + args[0] + " : " + args[1] + ")";
    std::string s(text(c.name));
    for (std::size_t i = 0; i < c.args.size(); ++i) s += " " + args[i];
    return c.args.empty() ? s : "(" + s + ")";
  }

  const Types& types_;
  ArgumentTypes argument_types_;
  FieldTypes field_types_;
  std::size_t steps_ = 0;
};

}  // namespace

void MatchChecks::finish() {
  for (auto& match : matches_) check(match);
  discard();
}

void MatchChecks::check(const Match& match) {
  if (match.rows.size() == 1 && is_wild(match.rows[0])) return;
  auto argument_types = [this](const Constructor& c, Type* type) {
    std::vector<Type*> result;
    for (Type* arg : c.args)
      result.push_back(unifier_.substitute(arg, c.owner->parameters, find(type)->args));
    return result;
  };
  auto field_types = [this](Type* type) {
    std::vector<Type*> result;
    for (std::uint32_t i = 0; i < type->constructor->fields.size(); ++i)
      result.push_back(unifier_.field_type(*type->constructor, i, type));
    return result;
  };
  std::vector<Row> rows;
  for (const Pattern* p : match.rows) {
    Row row{p};
    Matches matches(types_, argument_types, field_types);
    if (!rows.empty() && !matches.useful(rows, row, {match.type}))
      diagnostics_.report(Code::UnreachableCase, p->span,
                          "this case is never reached: the ones before it match everything that it does");
    rows.push_back(std::move(row));
  }
  Matches matches(types_, argument_types, field_types);
  auto missing = matches.missing(rows, {match.type});
  if (!missing) return;
  std::string example = missing->front();
  // The arguments of a function are matched as a tuple, but are written without it.
  if (example.size() > 2 && example.front() == '(' && example.find(" : ") != std::string::npos &&
      find(match.type)->kind != TypeKind::Tuple)
    example = example.substr(1, example.size() - 2);
  diagnostics_
      .report(Code::MissingCase, match.span,
              match.binding ? "this pattern does not match every value: `" + example + "` is missing"
                            : "the case `" + example + "` is missing")
      .help(match.binding ? "use `case` with one alternative for each" : "add it, or a last case with `_`");
}

}  // namespace sigrel::check
