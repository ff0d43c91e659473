// Samples of definitions whose parameters steer structure. A family varies one size: an Int, the length of a
// list, the size of vectors. What else there is to choose is the same in all of a family: the values of Bool
// and of data without numbers in it, and for a second size each of kOthers. The machine records what a sample
// says about the sizes beyond (evaluate/size_dependence.h).
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {
namespace {

constexpr std::int64_t kSizes = 8;            // the largest size of a family
constexpr std::int64_t kOthers[] = {2, 3};    // what a size is while another one varies
constexpr std::size_t kMaxAlternatives = 16;  // of a parameter
constexpr std::size_t kMaxFamilies = 16;      // of a definition
constexpr int kMaxDepth = 3;                  // of data in data

}  // namespace

// Every value of a type of finitely many; of numbers one, of which nothing is known. Empty where there are
// other values.
std::vector<Checker::Alternative> Checker::alternatives(Type* type, Span span, int depth) {
  type = find(type);
  if (type->kind != TypeKind::Constructor || type->constructor->constructors.empty() ||
      type->constructor->kind == NominalKind::Record || type->constructor == &types_.list_constructor) {
    core::Expr* value = sample(type, span);
    return value ? std::vector<Alternative>{{value, ""}} : std::vector<Alternative>{};
  }
  std::vector<Alternative> result;
  if (depth > kMaxDepth) return result;
  bool boolean = type->constructor == &types_.boolean_constructor;
  for (const Constructor* c : type->constructor->constructors) {
    std::vector<std::vector<core::Expr*>> tuples{{}};
    std::vector<std::string> texts{std::string(text(c->name))};
    for (Type* arg : c->args) {
      std::vector<Alternative> parts =
          alternatives(substitute(arg, type->constructor->parameters, type->args), span, depth + 1);
      std::vector<std::vector<core::Expr*>> more;
      std::vector<std::string> more_texts;
      for (std::size_t t = 0; t < tuples.size(); ++t)
        for (const Alternative& part : parts) {
          more.push_back(tuples[t]);
          more.back().push_back(part.value);
          more_texts.push_back(texts[t] + " " +
                               (part.text.empty()                       ? "_"
                                : part.text.find(' ') == part.text.npos ? part.text
                                                                        : "(" + part.text + ")"));
        }
      if (more.empty() || more.size() > kMaxAlternatives) return {};
      tuples = std::move(more);
      texts = std::move(more_texts);
    }
    for (std::size_t t = 0; t < tuples.size(); ++t) {
      core::Expr* value =
          boolean ? static_cast<core::Expr*>(arena_.make<core::BoolExpr>(
                        core::BoolExpr{{core::ExprKind::Bool, span}, c == &types_.true_constructor}))
                  : arena_.make<core::ConstructExpr>(core::ConstructExpr{
                        {core::ExprKind::Construct, span}, c->name, c->tag, arena_.copy(tuples[t])});
      result.push_back({value, texts[t]});
    }
  }
  if (result.size() > kMaxAlternatives) result.clear();
  return result;
}

namespace {

// The parameter number `index` of a definition, as it is written there.
const ast::Pattern* parameter_pattern(const Definition& definition, std::size_t index) {
  if (definition.clauses.empty()) return nullptr;
  const ast::ClauseDecl& clause = *definition.clauses[0];
  if (index < clause.parameters.size()) return clause.parameters[index];
  index -= clause.parameters.size();
  for (const ast::Expr* e = clause.body; e->kind == ast::ExprKind::Lambda;
       e = static_cast<const ast::LambdaExpr*>(e)->body) {
    auto& lambda = *static_cast<const ast::LambdaExpr*>(e);
    if (index < lambda.parameters.size()) return lambda.parameters[index];
    index -= lambda.parameters.size();
  }
  return nullptr;
}

std::optional<Name> name_of(const ast::Pattern* p) {
  if (p && p->kind == ast::PatternKind::Variable)
    return static_cast<const ast::VariablePattern*>(p)->name.name;
  if (p && p->kind == ast::PatternKind::Typed) return static_cast<const ast::TypedPattern*>(p)->name.name;
  return std::nullopt;
}

// The first name that a clause gives to a parameter.
Name parameter_name(const Definition& definition, std::size_t index) {
  if (auto name = name_of(parameter_pattern(definition, index))) return *name;
  for (const ast::ClauseDecl* clause : definition.clauses)
    if (index < clause->parameters.size())
      if (auto name = name_of(clause->parameters[index])) return *name;
  return intern("argument " + std::to_string(index + 1));
}

// The size variables of the vectors in a type of numbers.
void collect_sizes(Type* type, std::vector<Type*>& atoms) {
  type = find(type);
  if (type->kind != TypeKind::Vector && type->kind != TypeKind::Tuple) return;
  collect_sizes(type->args[0], atoms);
  if (type->kind == TypeKind::Tuple) {
    for (Type* part : type->args.subspan(1)) collect_sizes(part, atoms);
    return;
  }
  Linear size;
  size.add(type->args[1], {1, 1});
  for (auto& term : size.terms)
    if (std::ranges::find(atoms, find(term.atom)) == atoms.end()) atoms.push_back(find(term.atom));
}

}  // namespace

void Checker::add_samples(core::GlobalId id) {
  const GlobalState& state = globals_[id.value];
  Span span = program_.globals[id.value].span;
  current_ = id;
  sampling_ = {};
  sampling_.has_signature = state.definition.signature != nullptr;
  auto look_at = [&](Name name, std::size_t index) {  // a hole is called after its parameter
    const ast::Pattern* pattern = parameter_pattern(state.definition, index);
    sampling_.parameter = name;
    sampling_.parameter_span = pattern ? pattern->span : span;
  };
  struct Parameter {
    Type* type;
    Name name;
    enum { Fixed, Size, Length } kind = Fixed;
    Type* atom = nullptr;  // of a size that types speak of
    std::vector<Alternative> values{};
  };
  std::vector<Parameter> parameters;
  std::vector<Type*> atoms;
  Type* type = find(state.scheme);
  for (; type->kind == TypeKind::Function; type = find(type->args[1])) {
    Parameter p{find(type->args[0]),
                type->has_parameter ? type->parameter : parameter_name(state.definition, parameters.size())};
    if (is_constructor(p.type, types_.integer_constructor)) {
      p.kind = Parameter::Size;
      if (type->args.size() > 2) p.atom = find(type->args[2]);
    } else if (is_constructor(p.type, types_.list_constructor)) {
      p.kind = Parameter::Length;
    } else {
      collect_sizes(p.type, atoms);
    }
    parameters.push_back(std::move(p));
  }
  if (type->kind != TypeKind::Relation) return;
  for (const Parameter& p : parameters) std::erase(atoms, p.atom);

  // The sizes: of parameters, then the others.
  struct Size {
    std::string name;
    std::vector<std::size_t> parameters;
    Type* atom;
  };
  std::vector<Size> sizes;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Parameter& p = parameters[i];
    if (p.kind == Parameter::Size) sizes.push_back({std::string(text(p.name)), {i}, p.atom});
    if (p.kind == Parameter::Length)
      sizes.push_back({"the length of " + std::string(text(p.name)), {i}, nullptr});
  }
  for (Type* atom : atoms)
    sizes.push_back({atom->name == Name{} ? std::string("n") : std::string(text(atom->name)), {}, atom});

  auto emit = [&](std::uint32_t family, std::optional<std::size_t> varies,
                  const std::vector<std::int64_t>& at, const std::vector<std::size_t>& chosen) {
    sample_sizes_.clear();
    for (std::size_t s = 0; s < sizes.size(); ++s)
      if (sizes[s].atom) sample_sizes_.emplace_back(sizes[s].atom, at[s]);
    core::Sample result{
        id, nullptr, {}, {}, family, {}, sampling_.has_signature ? type->contract : std::nullopt};
    std::vector<core::Expr*> args;
    auto size_of = [&](std::size_t parameter) {
      std::size_t s = 0;
      while (sizes[s].parameters.empty() || sizes[s].parameters[0] != parameter) ++s;
      auto* number = arena_.make<core::IntExpr>(core::IntExpr{{core::ExprKind::Int, span}, at[s]});
      return varies && *varies == s ? primitive(core::Primitive::AnySize, {number}, span) : number;
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      Parameter& p = parameters[i];
      look_at(p.name, i);
      if (p.kind == Parameter::Size) {
        args.push_back(size_of(i));
      } else if (p.kind == Parameter::Length) {
        core::Expr* element = sample(p.type->args[0], span);
        if (!element) return false;
        args.push_back(primitive(core::Primitive::AnyList, {size_of(i), element}, span));
      } else {
        std::vector<Alternative> values = alternatives(p.type, span, 0);
        if (values.empty()) return false;
        p.values = std::move(values);
        args.push_back(p.values[chosen[i]].value);
        if (!p.values[chosen[i]].text.empty())
          result.choices.push_back({std::string(text(p.name)), p.values[chosen[i]].text, false});
      }
    }
    for (std::size_t s = 0; s < sizes.size(); ++s)
      result.choices.push_back({sizes[s].name, std::to_string(at[s]), varies && *varies == s});
    if (varies) result.size = at[*varies];
    auto* use = arena_.make<core::GlobalExpr>(core::GlobalExpr{{core::ExprKind::Global, span}, id, {}});
    result.local_names = sampling_.local_names;
    result.expression = make_apply(use, std::move(args), span);
    program_.samples.push_back(std::move(result));
    return true;
  };

  std::vector<std::int64_t> at(sizes.size(), kOthers[0]);
  std::vector<std::size_t> chosen(parameters.size(), 0);
  // How many values each parameter has.
  sample_sizes_.clear();
  for (const Size& s : sizes)
    if (s.atom) sample_sizes_.emplace_back(s.atom, kOthers[0]);
  std::size_t combinations = 1;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Parameter& p = parameters[i];
    look_at(p.name, i);
    if (p.kind == Parameter::Fixed) p.values = alternatives(p.type, span, 0);
    if (p.kind == Parameter::Fixed && p.values.empty()) return;
    if (p.kind == Parameter::Fixed) combinations *= p.values.size();
    if (combinations > kMaxFamilies) return;
  }
  std::uint32_t family = 0;
  for (std::size_t c = 0; c < combinations; ++c) {
    std::size_t rest = c;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].kind != Parameter::Fixed) continue;
      chosen[i] = rest % parameters[i].values.size();
      rest /= parameters[i].values.size();
    }
    if (sizes.empty()) {
      if (!emit(family++, {}, at, chosen)) return;
      continue;
    }
    for (std::size_t varies = 0; varies < sizes.size(); ++varies)
      for (std::int64_t other : kOthers) {
        std::ranges::fill(at, other);
        for (std::int64_t n = 0; n <= kSizes; ++n) {
          at[varies] = n;
          if (!emit(family, varies, at, chosen)) return;
        }
        ++family;
        if (sizes.size() == 1) break;
      }
  }
}

}  // namespace sigrel::check
