// Families of samples, for definitions whose parameters steer their structure. A family varies one size: an
// Int, the length of a list, the size of vectors. The other choices are fixed within a family: the values of
// Bool and of data without numbers in it, and for a second size each of kOtherSizes. The machine records
// how a sample depends on its sizes (evaluate/size_dependence.h).
#include <algorithm>
#include <string>

#include "compiler/check/samples/samples.h"
#include "compiler/check/types/parameter_names.h"

namespace sigrel::check {
namespace {

constexpr std::int64_t kLargestSize = 8;        // of a family
constexpr std::int64_t kOtherSizes[] = {2, 3};  // of a size while another one varies
constexpr std::size_t kMaxAlternatives = 16;    // of a parameter
constexpr std::size_t kMaxFamilies = 16;        // of a definition
constexpr int kMaxDepth = 3;                    // of data in data

// In messages.
Name shown_parameter(const Definition& definition, std::size_t index) {
  return parameter_name(definition, index).value_or(intern("argument " + std::to_string(index + 1)));
}

// Adds the size variables of the vectors in `type`.
void collect_sizes(Type* type, std::vector<Type*>& atoms) {
  type = find(type);
  if (type->kind == TypeKind::Tuple)
    for (Type* part : type->args) collect_sizes(part, atoms);
  if (type->kind != TypeKind::Vector) return;
  collect_sizes(type->args[0], atoms);
  Linear size;
  size.add(type->args[1], {1, 1});
  for (auto& term : size.terms)
    if (std::ranges::find(atoms, find(term.atom)) == atoms.end()) atoms.push_back(find(term.atom));
}

}  // namespace

// Every value of a type with finitely many; one unknown number for a numeric type. Empty where there are
// other values.
std::vector<Samples::Alternative> Samples::alternatives(Type* type, Span span, int depth) {
  type = find(type);
  if (type->kind != TypeKind::Constructor || type->constructor->constructors.empty() ||
      type->constructor->kind == NominalKind::Record || type->constructor == &types_.list_constructor) {
    core::Expr* any = value(type, span);
    return any ? std::vector<Alternative>{{any, ""}} : std::vector<Alternative>{};
  }
  std::vector<Alternative> result;
  if (depth > kMaxDepth) return result;
  bool boolean = type->constructor == &types_.boolean_constructor;
  for (const Constructor* c : type->constructor->constructors) {
    std::vector<std::vector<core::Expr*>> tuples{{}};
    std::vector<std::string> texts{std::string(text(c->name))};
    for (Type* arg : c->args) {
      std::vector<Alternative> parts =
          alternatives(unifier_.substitute(arg, type->constructor->parameters, type->args), span, depth + 1);
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
          boolean ? core_.boolean(c == &types_.true_constructor, span) : core_.construct(*c, tuples[t], span);
      result.push_back({value, texts[t]});
    }
  }
  if (result.size() > kMaxAlternatives) result.clear();
  return result;
}

struct Samples::Parameter {
  Type* type;
  Name name;
  enum { Fixed, Size, Length } kind = Fixed;
  Type* atom = nullptr;  // of a size that types refer to
  std::vector<Alternative> values{};
};

struct Samples::Size {
  std::string name;
  std::optional<std::size_t> parameter;
  Type* atom;
};

/// The families of one definition.
class Samples::Families {
 public:
  Families(Samples& samples, core::GlobalId id)
      : samples_(samples), id_(id), definition_(samples.globals_[id].definition) {}

  void add() {
    if (!collect()) return;
    std::vector<std::int64_t> at(sizes_.size(), kOtherSizes[0]);
    std::vector<std::size_t> chosen(parameters_.size(), 0);
    std::size_t combinations = count_combinations();
    std::uint32_t family = 0;
    for (std::size_t c = 0; c < combinations; ++c) {
      choose(c, chosen);
      if (sizes_.empty()) {
        if (!emit(family++, {}, at, chosen)) return;
        continue;
      }
      for (std::size_t varies = 0; varies < sizes_.size(); ++varies)
        for (std::int64_t other : kOtherSizes) {
          std::ranges::fill(at, other);
          for (std::int64_t n = 0; n <= kLargestSize; ++n) {
            at[varies] = n;
            if (!emit(family, varies, at, chosen)) return;
          }
          ++family;
          if (sizes_.size() == 1) break;
        }
    }
  }

 private:
  /// The parameters, and the sizes: those of parameters, then the others. False if the definition does not
  /// give a relation.
  bool collect() {
    Types& types = samples_.types_;
    std::vector<Type*> atoms;
    Type* type = find(samples_.globals_[id_].scheme);
    for (; type->kind == TypeKind::Function; type = find(type->args[1])) {
      Parameter p{find(type->args[0]), type->parameter != Name{}
                                           ? type->parameter
                                           : shown_parameter(definition_, parameters_.size())};
      if (is_constructor(p.type, types.integer_constructor)) {
        p.kind = Parameter::Size;
        if (type->args.size() > 2) p.atom = find(type->args[2]);
      } else if (is_constructor(p.type, types.list_constructor)) {
        p.kind = Parameter::Length;
      } else {
        collect_sizes(p.type, atoms);
      }
      parameters_.push_back(std::move(p));
    }
    relation_ = type;
    if (type->kind != TypeKind::Relation) return false;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Parameter& p = parameters_[i];
      std::erase(atoms, p.atom);
      if (p.kind == Parameter::Size) sizes_.push_back({std::string(text(p.name)), i, p.atom});
      if (p.kind == Parameter::Length)
        sizes_.push_back({"the length of " + std::string(text(p.name)), i, nullptr});
    }
    for (Type* atom : atoms)
      sizes_.push_back({atom->name == Name{} ? "n" : std::string(text(atom->name)), {}, atom});
    return true;
  }

  void set_sizes(const std::vector<std::int64_t>& at) {
    samples_.sizes_.clear();
    for (std::size_t s = 0; s < sizes_.size(); ++s)
      if (sizes_[s].atom) samples_.sizes_.emplace_back(sizes_[s].atom, at[s]);
  }

  void name_holes(std::size_t parameter) {
    const ast::Pattern* pattern = parameter_pattern(definition_, parameter);
    samples_.parameter_ = parameters_[parameter].name;
    samples_.parameter_span_ = pattern ? pattern->span : span_;
  }

  /// Of the alternatives of the fixed parameters; 0 if a parameter has none, or there are too many.
  std::size_t count_combinations() {
    set_sizes(std::vector<std::int64_t>(sizes_.size(), kOtherSizes[0]));
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Parameter& p = parameters_[i];
      if (p.kind != Parameter::Fixed) continue;
      name_holes(i);
      p.values = samples_.alternatives(p.type, span_, 0);
      combinations *= p.values.size();
      if (combinations == 0 || combinations > kMaxFamilies) return 0;
    }
    return combinations;
  }

  /// Combination number `index`.
  void choose(std::size_t index, std::vector<std::size_t>& chosen) const {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].kind != Parameter::Fixed) continue;
      chosen[i] = index % parameters_[i].values.size();
      index /= parameters_[i].values.size();
    }
  }

  core::Expr* size_argument(std::size_t parameter, std::optional<std::size_t> varies,
                            const std::vector<std::int64_t>& at) {
    std::size_t s = 0;
    while (sizes_[s].parameter != parameter) ++s;
    core::Expr* number = samples_.core_.integer(at[s], span_);
    return varies == s ? samples_.core_.primitive(core::Primitive::AnySize, {number}, span_) : number;
  }

  /// False if a parameter has no value.
  bool emit(std::uint32_t family, std::optional<std::size_t> varies, const std::vector<std::int64_t>& at,
            const std::vector<std::size_t>& chosen) {
    set_sizes(at);
    core::Sample result{
        id_, nullptr, {}, {}, family, {}, samples_.has_signature_ ? relation_->contract : std::nullopt};
    std::vector<core::Expr*> args;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      Parameter& p = parameters_[i];
      name_holes(i);
      if (p.kind == Parameter::Size) {
        args.push_back(size_argument(i, varies, at));
      } else if (p.kind == Parameter::Length) {
        core::Expr* element = samples_.value(p.type->args[0], span_);
        if (!element) return false;
        args.push_back(samples_.core_.primitive(core::Primitive::AnyList,
                                                {size_argument(i, varies, at), element}, span_));
      } else {
        std::vector<Alternative> values = samples_.alternatives(p.type, span_, 0);
        if (values.empty()) return false;
        p.values = std::move(values);
        const Alternative& value = p.values[chosen[i]];
        args.push_back(value.value);
        if (!value.text.empty()) result.choices.push_back({std::string(text(p.name)), value.text, false});
      }
    }
    for (std::size_t s = 0; s < sizes_.size(); ++s)
      result.choices.push_back({sizes_[s].name, std::to_string(at[s]), varies == s});
    if (varies) result.size = at[*varies];
    core::Expr* use = samples_.core_.make(core::GlobalExpr{{core::ExprKind::Global, span_}, id_, {}});
    result.local_names = samples_.local_names_;
    result.expression = samples_.core_.apply(use, args, span_);
    samples_.program_.samples.push_back(std::move(result));
    return true;
  }

  Samples& samples_;
  core::GlobalId id_;
  const Definition& definition_;
  Span span_ = samples_.globals_.span(id_);
  Type* relation_ = nullptr;  // that the definition gives
  std::vector<Parameter> parameters_;
  std::vector<Size> sizes_;
};

void Samples::add(core::GlobalId id) {
  core_.enter(id);
  has_signature_ = globals_[id].definition.signature != nullptr;
  local_names_.clear();
  inside_function_ = false;
  Families(*this, id).add();
}

}  // namespace sigrel::check
