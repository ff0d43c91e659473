#include "compiler/check/types/types.h"

#include <algorithm>

#include "compiler/check/types/units.h"

namespace sigrel::check {

bool TypeConstructor::is_enumeration() const {
  return kind == NominalKind::Data && parameters.empty() && !constructors.empty() &&
         std::ranges::all_of(constructors, [](const Constructor* c) { return c->args.empty(); });
}
namespace {

constexpr std::size_t kMaxPrintedParts = 60;

void builtin(TypeConstructor& constructor, std::string_view name) {
  constructor.name = intern(name);
  constructor.module = intern("Prelude");
}

}  // namespace

Types::Types(Arena& arena) : arena_(arena) {
  builtin(real_constructor, "Real");
  builtin(integer_constructor, "Int");
  builtin(boolean_constructor, "Bool");
  builtin(string_constructor, "String");
  builtin(list_constructor, "List");
  builtin(experiment_constructor, "Experiment");
  error_ = make({});
  real_ = real(error_);
  number_ = real(form({}, Sort::Unit));
  Linear second;
  second.constant[2] = {1, 1};
  seconds_ = real(form(second, Sort::Unit));
  integer_ = apply(&integer_constructor, {});
  boolean_ = apply(&boolean_constructor, {});
  string_ = apply(&string_constructor, {});
  experiment_ = apply(&experiment_constructor, {});
  unit_ = tuple({});

  Type* element = variable(kGeneric);
  list_constructor.parameters = {element};
  list_constructor.kind = NominalKind::Data;
  Type* self = list(element);
  self->generic = true;
  nil = {intern("[]"), {}, &list_constructor, 0, {}};
  cons = {intern(":"), {}, &list_constructor, 1, copy({element, self})};
  list_constructor.constructors = {&nil, &cons};
  boolean_constructor.kind = NominalKind::Data;
  false_constructor = {intern("False"), {}, &boolean_constructor, 0, {}};
  true_constructor = {intern("True"), {}, &boolean_constructor, 1, {}};
  boolean_constructor.constructors = {&false_constructor, &true_constructor};
  auto choice = [](TypeConstructor& type, std::string_view name, Constructor& first,
                   std::string_view first_name, Constructor& second, std::string_view second_name) {
    builtin(type, name);
    type.kind = NominalKind::Data;
    first = {intern(first_name), {}, &type, 0, {}};
    second = {intern(second_name), {}, &type, 1, {}};
    type.constructors = {&first, &second};
  };
  choice(interpolation_constructor, "Interpolation", linear, "Linear", spline, "Spline");
  choice(outside_constructor, "Outside", hold, "Hold", extend, "Extend");
}

Type* Types::variable(std::uint32_t level, Needs needs, Sort sort) {
  Type t;
  t.kind = TypeKind::Variable;
  t.sort = sort;
  t.level = level;
  t.needs = needs;
  return make(t);
}

Type* Types::skolem(Name name, std::uint32_t level, Needs needs) {
  Type t;
  t.kind = TypeKind::Skolem;
  t.name = name;
  t.level = level;
  t.needs = needs;
  return make(t);
}

Type* Types::apply(const TypeConstructor* constructor, const std::vector<Type*>& args) {
  Type t;
  t.kind = TypeKind::Constructor;
  t.constructor = constructor;
  t.args = copy(args);
  return make(t);
}

Type* Types::list(Type* element) { return apply(&list_constructor, {element}); }

Type* Types::tuple(const std::vector<Type*>& elements) {
  Type t;
  t.kind = TypeKind::Tuple;
  t.args = copy(elements);
  return make(t);
}

Type* Types::function(Type* from, Type* to) {
  Type t;
  t.kind = TypeKind::Function;
  t.args = copy({from, to});
  return make(t);
}

Type* Types::relation(Type* interface, const std::vector<InterfaceName>& names) {
  Type t;
  t.kind = TypeKind::Relation;
  t.args = copy({interface});
  t.interface = arena_.copy(names);
  return make(t);
}

Type* Types::vector(Type* element, Type* size) {
  Type t;
  t.kind = TypeKind::Vector;
  t.args = copy({element, size});
  return make(t);
}

Type* Types::real(Type* unit) {
  Type* type = apply(&real_constructor, {unit});
  Type* u = find(unit);
  type->generic = u->generic || (u->kind == TypeKind::Variable && u->level == kGeneric);
  return type;
}

Type* Types::form(const Linear& linear, Sort sort) {
  if (linear.unknown) return error_;
  if (linear.terms.size() == 1 && zero(linear.constant) && linear.terms[0].weight == Ratio{1, 1})
    return linear.terms[0].atom;
  std::vector<Type*> atoms;
  std::vector<Ratio> weights;
  for (auto& term : linear.terms) {
    atoms.push_back(term.atom);
    weights.push_back(term.weight);
  }
  Type t;
  t.kind = TypeKind::Form;
  t.sort = sort;
  t.args = copy(atoms);
  t.form = arena_.make<Form>(Form{linear.constant, arena_.copy(weights)});
  for (Type* atom : atoms)
    t.generic |= atom->generic || (atom->kind == TypeKind::Variable && atom->level == kGeneric);
  return make(t);
}

Type* Types::size_literal(std::int64_t size) {
  Linear linear;
  linear.constant[0] = Ratio::of(size);
  return form(linear, Sort::Size);
}

Type* Types::with_result(Type* function, Type* result) {
  Type copy = *function;
  std::vector<Type*> args(function->args.begin(), function->args.end());
  args[1] = result;
  copy.args = arena_.copy(args);
  copy.named = false;
  return arena_.make<Type>(copy);
}

Type* Types::named(Type* type, Name name) {
  Type t = *find(type);
  if (t.kind == TypeKind::Variable || t.kind == TypeKind::Skolem || t.kind == TypeKind::Error) return type;
  t.named = true;
  t.name = name;
  return make(t);
}

bool is_record(Type* type) {
  type = find(type);
  return type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record;
}

std::optional<std::uint32_t> field_index(const TypeConstructor& record, Name name) {
  const auto at = record.field_numbers.find(name);
  return at == record.field_numbers.end() ? std::nullopt : std::optional(at->second);
}

bool is_constructor(Type* type, const TypeConstructor& constructor) {
  type = find(type);
  return type->kind == TypeKind::Constructor && type->constructor == &constructor;
}

bool has_units(Type* type, bool count_time) {
  type = find(type);
  if (type->kind != TypeKind::Form)
    return std::ranges::any_of(type->args, [&](Type* arg) { return has_units(arg, count_time); });
  if (type->sort != Sort::Unit) return false;
  Dimension d = type->form->constant;
  if (!count_time) d[2] = {};
  return !zero(d);
}

std::string TypePrinter::variable(Type* type) {
  if (type->named) return std::string(text(type->name));
  bool is_unit = type->sort == Sort::Unit;  // u, v, …, t: `Real<u>`
  auto& known = is_unit ? units_ : variables_;
  auto at = std::ranges::find(known, type);
  if (at == known.end()) {
    known.push_back(type);
    at = known.end() - 1;
  }
  std::size_t index = static_cast<std::size_t>(at - known.begin());
  std::string name(1, static_cast<char>('a' + (index + (is_unit ? 20 : 0)) % 26));
  if (index >= 26) name += std::to_string(index / 26);
  return name;
}

std::string TypePrinter::size(Type* type) {
  Linear linear;
  linear.add(type, {1, 1});
  if (linear.unknown) return "_";
  std::string s;
  for (auto& term : linear.terms) {
    Ratio w = term.weight;
    s += w.num < 0 ? "-" : s.empty() ? "" : "+";
    if (std::abs(w.num) != 1) s += std::to_string(std::abs(w.num)) + "*";
    if (term.atom->kind == TypeKind::Variable)
      s += variable(term.atom);
    else
      s += term.atom->named || !term.atom->opaque ? std::string(text(term.atom->name)) : "_";
    if (w.den != 1) s += "/" + std::to_string(w.den);
  }
  std::int32_t c = linear.constant[0].num;
  if (c != 0 || s.empty()) s += (c < 0 || s.empty() ? "" : "+") + std::to_string(c);
  return s;
}

// Without the brackets; empty for a unit that is not stated.
std::string TypePrinter::unit(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Form && type->named) return std::string(text(type->name));
  Linear linear;
  linear.add(type, {1, 1});
  if (linear.unknown) return {};
  std::string over, under;
  for (auto& term : linear.terms) {
    std::string& side = term.weight.num < 0 ? under : over;
    if (term.weight.num < 0)
      side += "/";
    else if (!side.empty())
      side += "*";
    side += term.atom->kind == TypeKind::Skolem ? std::string(text(term.atom->name)) : variable(term.atom);
    side += exponent_text(term.weight);
  }
  if (!zero(linear.constant) || (over.empty() && under.empty())) {
    std::string dimension = dimension_text(linear.constant);
    if (over.empty())
      over = dimension;
    else
      over += dimension.starts_with("1/") ? dimension.substr(1) : "*" + dimension;
  }
  return (over.empty() ? "1" : over) + under;
}

std::string stated_unit(Type* type) {
  type = find(type);
  if (type->kind != TypeKind::Form) return {};
  Linear linear;
  linear.add(type, {1, 1});
  if (linear.unknown || !linear.terms.empty()) return {};
  if (type->named) return std::string(text(type->name));
  return zero(linear.constant) ? std::string() : dimension_text(linear.constant);
}

// Of a parameter.
std::string TypePrinter::contract(Type* type) {
  type = find(type);
  return type->kind == TypeKind::Relation && type->contract ? " " + std::string(text(type->contract_text))
                                                            : "";
}

// Precedence 0: anything; 1: left of an arrow; 2: an argument.
std::string TypePrinter::print(Type* type, int precedence) {
  if (++parts_ > kMaxPrintedParts) return "…";
  type = find(type);
  auto parenthesise = [](bool needed, const std::string& s) { return needed ? "(" + s + ")" : s; };
  if (type->named && type->kind != TypeKind::Skolem) return std::string(text(type->name));
  switch (type->kind) {
    case TypeKind::Variable: return variable(type);
    case TypeKind::Skolem: return std::string(text(type->name));
    case TypeKind::Error: return "_";
    case TypeKind::Form: return type->sort == Sort::Unit ? unit(type) : size(type);
    case TypeKind::Constructor: {
      if (type->constructor == &types_.list_constructor) return "[" + print(type->args[0], 0) + "]";
      std::string s(text(type->constructor->name));
      if (type->constructor == &types_.real_constructor) {
        std::string u = unit(type->args[0]);
        return u.empty() ? s : s + "<" + u + ">";
      }
      for (Type* arg : type->args) s += " " + print(arg, 2);
      return parenthesise(precedence >= 2 && !type->args.empty(), s);
    }
    case TypeKind::Tuple: {
      std::string s = "(";
      for (std::size_t i = 0; i < type->args.size(); ++i) {
        s += (i ? ", " : "") + print(type->args[i], 0);
        if (parts_ > kMaxPrintedParts) break;  // one "…" stands for all others
      }
      return s + ")";
    }
    case TypeKind::Function: {
      std::string s;
      Type* t = type;
      for (;;) {  // a loop: the arrow is right-associative and may be long
        if (t->has_parameter)
          s += "(" + std::string(text(t->parameter)) + " :: " + print(t->args[0], 0) + contract(t->args[0]) +
               (t->default_value ? " = " + std::string(text(t->default_text)) : "") + ") -> ";
        else
          s += print(t->args[0], 1) + contract(t->args[0]) + " -> ";
        Type* to = find(t->args[1]);
        if (to->kind != TypeKind::Function || to->named) {
          s += print(to, 0) +
               (precedence >= 1 ? contract(to) : "");  // that of a definition is shown by what it is
          break;
        }
        t = to;
      }
      return parenthesise(precedence >= 1, s);
    }
    case TypeKind::Relation: {
      Type* inner = find(type->args[0]);
      auto names = type->interface;
      bool tuple = inner->kind == TypeKind::Tuple && names.size() != 1 && !inner->named;
      if (!tuple && names.empty()) return parenthesise(precedence >= 2, "SR " + print(inner, 2));
      std::size_t count = tuple ? inner->args.size() : 1;
      std::string s = "SR (";
      bool bare = true;
      for (std::size_t i = 0; i < count; ++i) {
        if (i) s += ", ";
        if (i < names.size()) {
          if (names[i].causality == core::Causality::In) s += "in ", bare = false;
          if (names[i].causality == core::Causality::Out) s += "out ", bare = false;
          if (names[i].named) s += std::string(text(names[i].name)) + " :: ", bare = false;
        }
        s += print(tuple ? inner->args[i] : inner, 0);
      }
      if (!tuple && bare) return parenthesise(precedence >= 2, "SR " + print(inner, 2));
      return parenthesise(precedence >= 2, s + ")");
    }
    case TypeKind::Vector: {
      std::string sizes = size(type->args[1]);
      Type* element = find(type->args[0]);
      int count = 1;
      while (element->kind == TypeKind::Vector && !element->named) {
        sizes += "," + size(element->args[1]);
        element = find(element->args[0]);
        ++count;
      }
      bool plain = count == 1 && sizes.find_first_of("+-*/") == std::string::npos;
      return parenthesise(precedence >= 2, print(element, 2) + "^" + (plain ? sizes : "(" + sizes + ")"));
    }
  }
  return "_";
}

}  // namespace sigrel::check
