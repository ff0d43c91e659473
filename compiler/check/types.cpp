#include "compiler/check/types.h"

#include <algorithm>

#include "compiler/check/units.h"

namespace sigrel::check {
namespace {

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
  real_ = apply(&real_constructor, {});
  integer_ = apply(&integer_constructor, {});
  boolean_ = apply(&boolean_constructor, {});
  string_ = apply(&string_constructor, {});
  experiment_ = apply(&experiment_constructor, {});
  unit_ = tuple({});
  error_ = make({});

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
}

Type* Types::variable(std::uint32_t level, Needs needs) {
  Type t;
  t.kind = TypeKind::Variable;
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

Type* Types::apply(const TypeConstructor* constructor, std::vector<Type*> args) {
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

Type* Types::relation(Type* interface, std::vector<InterfaceName> names) {
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

Type* Types::size_literal(std::int64_t size) {
  Type t;
  t.kind = TypeKind::Size;
  t.size = size;
  return make(t);
}

Type* Types::size_expression(core::Expr* expr, std::uint32_t owner) {
  Type t;
  t.kind = TypeKind::Size;
  t.size_expr = expr;
  t.size_owner = owner;
  return make(t);
}

Type* Types::real_with_unit(const UnitValue* unit) {
  Type t = *real_;
  t.unit = unit;
  return make(t);
}

Type* Types::named(Type* type, Name name) {
  Type t = *find(type);
  if (t.kind == TypeKind::Variable || t.kind == TypeKind::Skolem || t.kind == TypeKind::Error) return type;
  t.named = true;
  t.name = name;
  return make(t);
}

bool is_constructor(Type* type, const TypeConstructor& constructor) {
  type = find(type);
  return type->kind == TypeKind::Constructor && type->constructor == &constructor;
}

std::string TypePrinter::variable(Type* type) {
  auto at = std::ranges::find(variables_, type);
  if (at == variables_.end()) {
    variables_.push_back(type);
    at = variables_.end() - 1;
  }
  std::size_t index = static_cast<std::size_t>(at - variables_.begin());
  std::string name(1, static_cast<char>('a' + index % 26));
  if (index >= 26) name += std::to_string(index / 26);
  return name;
}

std::string TypePrinter::size(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable) return variable(type);
  if (type->kind == TypeKind::Skolem || type->named) return std::string(text(type->name));
  if (type->kind == TypeKind::Size && type->size >= 0) return std::to_string(type->size);
  return "_";
}

// Precedence 0: anything; 1: left of an arrow; 2: an argument.
std::string TypePrinter::print(Type* type, int precedence) {
  type = find(type);
  auto parenthesise = [](bool needed, std::string s) { return needed ? "(" + s + ")" : s; };
  if (type->named && type->kind != TypeKind::Skolem && type->kind != TypeKind::Size) return std::string(text(type->name));
  switch (type->kind) {
    case TypeKind::Variable: return variable(type);
    case TypeKind::Skolem: return std::string(text(type->name));
    case TypeKind::Error: return "_";
    case TypeKind::Size: return size(type);
    case TypeKind::Constructor: {
      if (type->constructor == &types_.list_constructor) return "[" + print(type->args[0], 0) + "]";
      std::string s(text(type->constructor->name));
      if (type->unit) s += "<" + unit_text(*type->unit) + ">";
      for (Type* arg : type->args) s += " " + print(arg, 2);
      return parenthesise(precedence >= 2 && !type->args.empty(), s);
    }
    case TypeKind::Tuple: {
      std::string s = "(";
      for (std::size_t i = 0; i < type->args.size(); ++i) s += (i ? ", " : "") + print(type->args[i], 0);
      return s + ")";
    }
    case TypeKind::Function: {
      std::string s;
      Type* t = type;
      for (;;) {  // a loop: the arrow is right-associative and may be long
        if (t->has_parameter)
          s += "(" + std::string(text(t->parameter)) + " :: " + print(t->args[0], 0) + ") -> ";
        else
          s += print(t->args[0], 1) + " -> ";
        Type* to = find(t->args[1]);
        if (to->kind != TypeKind::Function || to->named) {
          s += print(to, 0);
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
      return parenthesise(precedence >= 2, print(element, 2) + "^" + (count > 1 ? "(" + sizes + ")" : sizes));
    }
  }
  return "_";
}

}  // namespace sigrel::check
