#include "compiler/evaluate/show.h"

#include <fmt/format.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "compiler/evaluate/machine.h"

namespace sigrel::evaluate {
namespace {

constexpr std::size_t kLongest = 20'000;  // bytes of the whole text
constexpr std::size_t kElements = 1'000;  // of one list or vector
constexpr int kDeepest = 100;

/// The parameters of a declaration: each a type and what the variables in it stand for.
struct Bound;
using Bindings = std::shared_ptr<const std::unordered_map<Name, Bound>>;
struct Bound {
  const ast::Type* type = nullptr;
  Bindings bindings;
};

std::string real(double x) {
  std::string text = fmt::format("{}", x);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      default: result += c;
    }
  return result + '"';
}

/// Walks a value together with its type. A type that is unknown (null) stays unknown below.
class Shower {
 public:
  Shower(const core::Program& program, std::span<const ast::Module> modules)
      : program_(program), modules_(modules) {}

  /// `argument`: parentheses around what would not be one argument of a function.
  void show(const Value& v, const ast::Type* type, const Bindings& bindings, bool argument, int depth) {
    if (out.size() > kLongest || depth > kDeepest) {
      out += "…";
      return;
    }
    switch (v.tag) {
      case Tag::Undefined: out += "…"; return;
      case Tag::Int: number(std::to_string(v.integer), argument); return;
      case Tag::Bool: out += v.integer ? "True" : "False"; return;
      case Tag::Real: number(real(v.real), argument); return;
      case Tag::String: out += quoted(text(Name{v.index})); return;
      case Tag::Signal: out += "<signal>"; return;
      case Tag::Object: break;
    }
    Resolved at = resolve(type, bindings);
    const Object& o = *v.object;
    switch (o.kind) {
      case ObjectKind::Tuple: tuple(o, at, depth); return;
      case ObjectKind::Construct: construct(o, at, argument, depth); return;
      case ObjectKind::Record: record(o, at, depth); return;
      case ObjectKind::Vector: vector(o, at, depth); return;
      case ObjectKind::Closure:
      case ObjectKind::Partial: out += "<function>"; return;
      case ObjectKind::Relation: {
        std::string_view name = text(static_cast<const RelationObject&>(o).relation().relation->name);
        out += name == "sigrel" ? "<relation>" : fmt::format("<relation {}>", name);
        return;
      }
      case ObjectKind::Layout:
      case ObjectKind::Node:
      case ObjectKind::Member:
      case ObjectKind::Label:
      case ObjectKind::Unbound: out += "<signal>"; return;
    }
  }

  std::string out;

 private:
  using Resolved = Bound;

  void number(const std::string& text, bool argument) {
    out += argument && text.starts_with('-') ? "(" + text + ")" : text;
  }

  const ast::Decl* declaration(Name name) const {
    for (auto module = modules_.rbegin(); module != modules_.rend(); ++module)
      for (const ast::Decl* decl : module->decls) {
        if (decl->kind == ast::DeclKind::Data && static_cast<const ast::DataDecl*>(decl)->name.name == name)
          return decl;
        if (decl->kind == ast::DeclKind::Record &&
            static_cast<const ast::RecordDecl*>(decl)->name.name == name)
          return decl;
        if (decl->kind == ast::DeclKind::TypeSynonym &&
            static_cast<const ast::TypeSynonymDecl*>(decl)->name.name == name)
          return decl;
      }
    return nullptr;
  }

  /// What a type is after its variables and synonyms are replaced.
  Resolved resolve(const ast::Type* type, Bindings bindings) const {
    for (int steps = 0; type && steps < kDeepest; ++steps) {
      if (type->kind == ast::TypeKind::Variable) {
        if (!bindings) return {};
        auto it = bindings->find(static_cast<const ast::TypeVariable*>(type)->name.name);
        if (it == bindings->end()) return {};
        Bound bound = it->second;
        type = bound.type;
        bindings = std::move(bound.bindings);
        continue;
      }
      if (type->kind != ast::TypeKind::Named) break;
      const auto& named = *static_cast<const ast::NamedType*>(type);
      const ast::Decl* decl = declaration(named.name.ident.name);
      if (!decl || decl->kind != ast::DeclKind::TypeSynonym) break;
      const auto& synonym = *static_cast<const ast::TypeSynonymDecl*>(decl);
      bindings = bind(synonym.parameters, named, bindings);
      type = synonym.type;
    }
    return {type, std::move(bindings)};
  }

  Bindings bind(std::span<const ast::Ident> parameters, const ast::NamedType& type,
                const Bindings& outer) const {
    auto inner = std::make_shared<std::unordered_map<Name, Bound>>();
    for (std::size_t i = 0; i < parameters.size() && i < type.args.size(); ++i)
      inner->emplace(parameters[i].name, Bound{type.args[i], outer});
    return inner;
  }

  void tuple(const Object& o, const Resolved& at, int depth) {
    std::span<ast::Type*> types;
    if (at.type && at.type->kind == ast::TypeKind::Tuple)
      types = static_cast<const ast::TupleType*>(at.type)->elements;
    out += '(';
    for (std::uint32_t i = 0; i < o.size; ++i) {
      if (i) out += ", ";
      show(o.items[i], i < types.size() ? types[i] : nullptr, at.bindings, false, depth + 1);
    }
    out += ')';
  }

  void construct(const Object& o, const Resolved& at, bool argument, int depth) {
    if (at.type && at.type->kind == ast::TypeKind::Named) {
      const auto& named = *static_cast<const ast::NamedType*>(at.type);
      const ast::Decl* decl = declaration(named.name.ident.name);
      if (decl && decl->kind == ast::DeclKind::Data &&
          o.a < static_cast<const ast::DataDecl*>(decl)->constructors.size()) {
        const auto& data = *static_cast<const ast::DataDecl*>(decl);
        const ast::DataConstructor& constructor = data.constructors[o.a];
        Bindings bindings = bind(data.parameters, named, at.bindings);
        bool parentheses = argument && o.size > 0;
        if (parentheses) out += '(';
        out += text(constructor.name.name);
        for (std::uint32_t i = 0; i < o.size; ++i) {
          out += ' ';
          show(o.items[i], i < constructor.args.size() ? constructor.args[i] : nullptr, bindings, true,
               depth + 1);
        }
        if (parentheses) out += ')';
        return;
      }
    }
    if (at.type && at.type->kind == ast::TypeKind::List) {
      const ast::Type* element = static_cast<const ast::ListType*>(at.type)->element;
      out += '[';
      std::size_t n = 0;
      for (const Object* cell = &o; cell->size == 2; cell = cell->items[1].object, ++n) {
        if (n) out += ", ";
        if (n == kElements || out.size() > kLongest) {
          out += "…";
          break;
        }
        show(cell->items[0], element, at.bindings, false, depth + 1);
      }
      out += ']';
      return;
    }
    out += "<data>";
  }

  void record(const Object& o, const Resolved& at, int depth) {
    const core::RecordInfo& info = program_.records[o.a];
    const ast::RecordDecl* decl = nullptr;
    Bindings bindings;
    if (at.type && at.type->kind == ast::TypeKind::Named) {
      const auto& named = *static_cast<const ast::NamedType*>(at.type);
      if (const ast::Decl* found = declaration(named.name.ident.name);
          found && found->kind == ast::DeclKind::Record) {
        decl = static_cast<const ast::RecordDecl*>(found);
        bindings = bind(decl->parameters, named, at.bindings);
      }
    }
    out += fmt::format("{} {{ ", text(info.name));
    for (std::uint32_t i = 0; i < o.size; ++i) {
      out += fmt::format("{}{} = ", i ? ", " : "", text(info.fields[i].name));
      show(o.items[i], decl && i < decl->fields.size() ? decl->fields[i].type : nullptr, bindings, false,
           depth + 1);
    }
    out += " }";
  }

  void vector(const Object& o, const Resolved& at, int depth) {
    const ast::Type* element = nullptr;
    if (at.type && at.type->kind == ast::TypeKind::Power &&
        static_cast<const ast::PowerType*>(at.type)->sizes.size() == 1)
      element = static_cast<const ast::PowerType*>(at.type)->element;
    out += '[';
    for (std::uint32_t i = 0; i < o.size; ++i) {
      if (i) out += ", ";
      if (i == kElements || out.size() > kLongest) {
        out += "…";
        break;
      }
      show(o.items[i], element, at.bindings, false, depth + 1);
    }
    out += ']';
  }

  const core::Program& program_;
  std::span<const ast::Module> modules_;
};

}  // namespace

std::optional<std::string> show_value(const core::Program& program, core::GlobalId global,
                                      const ast::Type* type, std::span<const ast::Module> modules,
                                      Diagnostics& diagnostics) {
  Bytecode code(program);
  Heap heap;
  Layouts layouts(program);
  Machine machine(code, heap, layouts, diagnostics);
  const core::Global& wanted = program.globals[global.value];
  Value value;
  machine.begin_body(0);
  Machine::Status status = machine.global(global, wanted.span, value);
  if (status == Machine::Status::NotReady)
    diagnostics.report(Code::DefinedByItself, wanted.span, "the value is needed to compute itself");
  if (status != Machine::Status::Done) return std::nullopt;
  Shower shower(program, modules);
  shower.show(value, type, nullptr, false, 0);
  return std::move(shower.out);
}

}  // namespace sigrel::evaluate
