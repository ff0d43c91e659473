// Definitions: clauses, signatures, groups of mutually recursive ones, lets.
#include <algorithm>
#include <functional>

#include "compiler/check/checker.h"

namespace sigrel::check {

namespace {

void names_in(const ast::Pattern* p, std::vector<ast::Ident>& out) {
  using ast::PatternKind;
  switch (p->kind) {
    case PatternKind::Variable: out.push_back(static_cast<const ast::VariablePattern*>(p)->name); return;
    case PatternKind::Typed: out.push_back(static_cast<const ast::TypedPattern*>(p)->name); return;
    case PatternKind::Tuple:
      for (auto* e : static_cast<const ast::TuplePattern*>(p)->elements) names_in(e, out);
      return;
    case PatternKind::List:
      for (auto* e : static_cast<const ast::ListPattern*>(p)->elements) names_in(e, out);
      return;
    case PatternKind::Constructor:
      for (auto* e : static_cast<const ast::ConstructorPattern*>(p)->args) names_in(e, out);
      return;
    case PatternKind::Record:
      for (auto& f : static_cast<const ast::RecordPattern*>(p)->fields) names_in(f.pattern, out);
      return;
    case PatternKind::Cons:
      names_in(static_cast<const ast::ConsPattern*>(p)->head, out);
      return names_in(static_cast<const ast::ConsPattern*>(p)->tail, out);
    case PatternKind::Wildcard:
    case PatternKind::Int:
    case PatternKind::Real:
    case PatternKind::String: return;
  }
}

}  // namespace

std::vector<Definition> Checker::group_definitions(std::span<ast::Decl* const> decls) {
  without_definition_.clear();
  std::vector<Definition> definitions;
  std::unordered_map<Name, std::size_t> by_name;
  std::unordered_map<Name, std::pair<const ast::SignatureDecl*, Span>> signatures;
  std::vector<std::pair<Name, Span>> signature_order;
  const ast::ClauseDecl* previous = nullptr;
  for (const ast::Decl* decl : decls) {
    if (decl->kind == ast::DeclKind::Signature) {
      auto* s = static_cast<const ast::SignatureDecl*>(decl);
      for (const ast::Ident& name : s->names) {
        if (auto [at, fresh] = signatures.emplace(name.name, std::pair{s, name.span}); !fresh)
          duplicate(name, at->second.second, "the type of");
        else
          signature_order.emplace_back(name.name, name.span);
      }
      previous = nullptr;
      continue;
    }
    if (decl->kind == ast::DeclKind::Binding) {
      auto* binding = static_cast<const ast::BindingDecl*>(decl);
      std::vector<ast::Ident> names;
      names_in(binding->pattern, names);
      for (const ast::Ident& name : names)
        if (auto [at, fresh] = by_name.emplace(name.name, definitions.size()); !fresh) {
          const Definition* other = at->second < definitions.size() ? &definitions[at->second] : nullptr;
          duplicate(name, other ? other->span : binding->pattern->span, "the name");
        }
      definitions.push_back({Name{}, binding->pattern->span, {}, nullptr, false, binding});
      previous = nullptr;
      continue;
    }
    if (decl->kind != ast::DeclKind::Clause) {
      previous = nullptr;
      continue;
    }
    auto* clause = static_cast<const ast::ClauseDecl*>(decl);
    auto [at, fresh] = by_name.emplace(clause->name.name, definitions.size());
    if (fresh) {
      definitions.push_back({clause->name.name, clause->name.span, {clause}, nullptr, false, nullptr});
    } else {
      Definition& definition = definitions[at->second];
      bool follows = previous && previous->name.name == clause->name.name;
      if (!follows || clause->parameters.empty()) {
        duplicate(clause->name, definition.span, "the name");
        definition.broken = true;
      } else if (clause->parameters.size() != definition.clauses[0]->parameters.size()) {
        std::size_t here = clause->parameters.size(), first = definition.clauses[0]->parameters.size();
        diagnostics_
            .report(Code::ClauseArity, clause->name.span,
                    "this clause of `" + std::string(text(clause->name.name)) + "` has " +
                        std::to_string(here) + (here == 1 ? " parameter" : " parameters") +
                        ", the first has " + std::to_string(first))
            .also(definition.span, "the first clause");
        definition.broken = true;
      } else {
        definition.clauses.push_back(clause);
      }
    }
    previous = clause;
  }
  for (auto& [name, span] : signature_order) {
    auto at = by_name.find(name);
    if (at == by_name.end()) {
      without_definition_.emplace_back(ast::Ident{name, span}, signatures.at(name).first);
      if (scope_->incomplete) continue;
      auto& d = diagnostics_.report(Code::SignatureWithoutDefinition, span,
                                    "`" + std::string(text(name)) + "` has a type but no definition");
      std::vector<std::string_view> candidates;
      for (auto& definition : definitions)
        if (!definition.binding) candidates.push_back(text(definition.name));
      if (auto near = did_you_mean(text(name), candidates))
        d.help("did you mean `" + std::string(*near) + "`?");
    } else if (definitions[at->second].binding) {
      diagnostics_
          .report(Code::SignatureWithoutDefinition, span,
                  "`" + std::string(text(name)) + "` is bound by a pattern, which says its type")
          .also(definitions[at->second].span, "the pattern")
          .help("write the type in the pattern: `(" + std::string(text(name)) + " :: …)`");
    } else {
      definitions[at->second].signature = signatures.at(name).first;
    }
  }
  return definitions;
}

Type* Checker::signature_type(const ast::SignatureDecl& signature,
                              std::vector<std::pair<Name, Type*>>& variables) {
  TypeScope scope;
  scope.mode = TypeScope::Signature;
  // In a let, a type variable of the enclosing signature is that one.
  for (auto& known : scoped_type_variables_) scope.variables.push_back(known);
  Type* type = convert(signature.type, scope);
  variables = std::move(scope.variables);
  return type;
}

void Checker::read_signature(GlobalState& state) {
  if (!state.definition.signature || state.scheme) return;
  scoped_type_variables_.clear();
  state.scheme = signature_type(*state.definition.signature, state.type_variables);
  Type* type = find(state.scheme);
  state.polymorphic = type->generic || (type->kind == TypeKind::Variable && type->level == kGeneric);
  state.assumed = true;
  state.has_units = has_units(state.scheme);
  if (state.polymorphic) collect_layout_variables(state.scheme, false, state.layout_variables);
}

void Checker::refuse_evaluation_cycles(const DependencyGraph& immediate,
                                       const std::vector<const Definition*>& definitions) {
  for (auto& component : components(immediate)) {
    if (component.size() == 1 && !immediate.has_edge(component[0], component[0])) continue;
    std::string names;
    for (std::uint32_t v : component)
      names +=
          (names.empty() ? "" : ", ") +
          (definitions[v]->binding ? "this pattern" : "`" + std::string(text(definitions[v]->name)) + "`");
    diagnostics_
        .report(Code::EvaluationCycle, definitions[component[0]]->span,
                component.size() == 1 ? names + " is defined by its own value"
                                      : names + " are defined by each other's values")
        .help("a definition may refer to itself only in the body of a function or a relation");
  }
}

void Checker::check_group(const std::vector<core::GlobalId>& group) {
  contradicted_ = false;
  std::size_t errors = diagnostics_.error_count();
  if (!infer_group(group)) {
    // A relation over signals of any type was found to have no signature. Its layout parameters are known
    // only now: check it again with the inferred type as its signature.
    for (core::GlobalId id : group) {
      core::Global& global = program_.globals[id.value];
      global.local_count = 0;
      global.local_names.clear();
      globals_[id.value].inside.clear();
    }
    infer_group(group);
  }
  bool failed = diagnostics_.error_count() != errors;
  for (core::GlobalId id : group) failed |= globals_[id.value].definition.broken;
  for (core::GlobalId id : group) {
    GlobalState& state = globals_[id.value];
    core::Global& global = program_.globals[id.value];
    state.checked = true;
    if (failed) {
      global.body = nullptr;
      if (contradicted_ || (!state.definition.signature && !state.default_value)) {
        state.scheme = types_.error();
        state.polymorphic = false;
        state.layout_variables.clear();
      }
    }
    global.layout_parameters = static_cast<std::uint32_t>(state.layout_variables.size());
    global.type = print(state.scheme);
    describe_feed_through(id);
  }
}

void Checker::describe_feed_through(core::GlobalId id) {
  const GlobalState& state = globals_[id.value];
  if (!state.feed_through) return;
  Type* type = find(state.scheme);
  while (type->kind == TypeKind::Function) type = find(type->args[1]);
  if (type->kind != TypeKind::Relation) return;
  std::vector<std::string> inputs, outputs;
  for (std::size_t i = 0; i < type->interface.size(); ++i) {
    const InterfaceName& n = type->interface[i];
    auto& list = n.causality == core::Causality::Out ? outputs : inputs;
    list.push_back(n.named ? std::string(text(n.name)) : std::to_string(i + 1));
  }
  if (outputs.size() != state.feed_through->size()) return;
  std::string& out = program_.globals[id.value].feed_through;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    out += (o ? "; " : "") + outputs[o];
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if ((*state.feed_through)[o][i]) out += (std::exchange(any, true) ? ", " : " <- ") + inputs[i];
  }
}

// False if the group must be checked again with its inferred schemes.
bool Checker::infer_group(const std::vector<core::GlobalId>& group) {
  level_ = 1;
  std::size_t errors = diagnostics_.error_count();
  units_seen_ = false;
  for (core::GlobalId id : group) {
    GlobalState& state = globals_[id.value];
    if (!state.assumed) state.scheme = fresh();
    units_seen_ |= state.has_units;
    for (auto& [name, variable] : state.type_variables) units_seen_ |= find(variable)->sort == Sort::Unit;
  }
  std::vector<std::vector<std::pair<Type*, Type*>>> skolems(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    GlobalState& state = globals_[group[i].value];
    current_ = group[i];
    scoped_type_variables_.clear();
    layout_locals_.clear();
    Type* type = state.scheme;
    signature_sizes_.clear();
    if (state.assumed && state.polymorphic) {
      type = skolemise(state.scheme, skolems[i]);
      for (Type* variable : state.layout_variables)
        for (auto& [from, skolem] : skolems[i])
          if (from == variable) layout_locals_.emplace_back(skolem, new_local(intern("layout")));
      for (auto& [name, variable] : state.type_variables)
        for (auto& [from, skolem] : skolems[i])
          if (from == find(variable)) scoped_type_variables_.emplace_back(name, skolem);
    }
    size_atoms_.clear();
    own_result_ = find(type);
    while (own_result_->kind == TypeKind::Function) own_result_ = find(own_result_->args[1]);
    program_.globals[group[i].value].body = infer_definition(state.definition, type, state.assumed);
    layout_locals_of_[group[i]] = layout_locals_;
  }
  own_result_ = nullptr;
  settle_group();
  level_ = 0;
  bool again = false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    GlobalState& state = globals_[group[i].value];
    for (auto& [variable, skolem] : skolems[i])  // what the body asked of its type variables
      if (skolem->kind == TypeKind::Skolem) variable->needs |= skolem->needs & (kEquality | kOrder | kSignal);
    if (state.assumed) {
      share_inside(state, skolems[i]);
      continue;
    }
    default_numbers(state.scheme);
    if (units_forgotten_) forget_units(state.scheme);
    state.has_units = has_units(state.scheme, false);
    state.polymorphic = quantify(state.scheme, 0);
    if (state.polymorphic) collect_layout_variables(state.scheme, false, state.layout_variables);
    again |= !state.layout_variables.empty();
  }
  if (again && diagnostics_.error_count() == errors) {
    for (core::GlobalId id : group) globals_[id.value].assumed = true;
    uses_.clear();
    layouts_.clear();
    matches_.clear();
    literals_.clear();
    literal_patterns_.clear();
    equations_.clear();
    layout_locals_of_.clear();
    blocks_.clear();
    block_uses_.clear();
    return false;
  }
  bool sound = diagnostics_.error_count() == errors;
  for (core::GlobalId id : group) sound &= !globals_[id.value].definition.broken;
  finish_layouts(sound);
  if (sound) check_blocks();
  blocks_.clear();
  block_uses_.clear();
  layout_locals_of_.clear();
  return true;
}

void Checker::mark_tail_sigrels(const ast::Expr* e, Name name, Span span, bool inside) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: {
        auto* s = static_cast<const ast::SigrelExpr*>(e);
        sigrel_names_[s] = {name, span};
        if (inside) inside_sigrels_.insert(s);
        return;
      }
      case ast::ExprKind::If:
        mark_tail_sigrels(static_cast<const ast::IfExpr*>(e)->then_branch, name, {}, inside);
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        span = {};
        continue;
      case ast::ExprKind::Let:
        e = static_cast<const ast::LetExpr*>(e)->body;
        span = {};
        continue;
      case ast::ExprKind::Lambda: e = static_cast<const ast::LambdaExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        for (auto& a : static_cast<const ast::CaseExpr*>(e)->alternatives)
          mark_tail_sigrels(a.body, name, {}, inside);
        return;
      default: return;
    }
  }
}

namespace {

/// Whether `e` gives a relation, whatever it refers to.
bool makes_relation(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: return true;
      case ast::ExprKind::If:
        if (makes_relation(static_cast<const ast::IfExpr*>(e)->then_branch)) return true;
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        continue;
      case ast::ExprKind::Let: e = static_cast<const ast::LetExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        return std::ranges::any_of(static_cast<const ast::CaseExpr*>(e)->alternatives,
                                   [](auto& a) { return makes_relation(a.body); });
      default: return false;
    }
  }
}

}  // namespace

namespace {

/// Whether every way through `e` ends at a relation that is written there.
bool only_literals(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: return true;
      case ast::ExprKind::If:
        if (!only_literals(static_cast<const ast::IfExpr*>(e)->then_branch)) return false;
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        continue;
      case ast::ExprKind::Let: e = static_cast<const ast::LetExpr*>(e)->body; continue;
      case ast::ExprKind::Lambda: e = static_cast<const ast::LambdaExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        return std::ranges::all_of(static_cast<const ast::CaseExpr*>(e)->alternatives,
                                   [](auto& a) { return only_literals(a.body); });
      default: return false;
    }
  }
}

}  // namespace

// Blocks are looked at when all types of the group are known, in the order in which they are applied as far
// as there is one.
void Checker::check_blocks() {
  BlockContext context{[this](const void* application) {
                         auto at = block_uses_.find(application);
                         return at == block_uses_.end() ? nullptr : &at->second;
                       },
                       [this](core::GlobalId global) {
                         auto& found = globals_[global.value].feed_through;
                         return found ? &*found : nullptr;
                       },
                       diagnostics_};
  std::unordered_map<std::uint32_t, std::optional<FeedThrough>> found;
  for (const WaitingBlock& block : blocks_) {
    std::optional<FeedThrough> through = check_block(*block.relation, context);
    if (!block.owner) continue;
    auto [at, first] = found.try_emplace(block.owner->value, through);
    if (first) continue;
    auto& all = at->second;
    if (!all || !through || all->size() != through->size()) {
      all.reset();
      continue;
    }
    for (std::size_t o = 0; o < all->size(); ++o)
      for (std::size_t i = 0; i < (*all)[o].size() && i < (*through)[o].size(); ++i)
        if ((*through)[o][i]) (*all)[o][i] = true;
  }
  for (auto& [global, through] : found) {
    GlobalState& state = globals_[global];
    if (std::ranges::all_of(state.definition.clauses, [](auto* c) { return only_literals(c->body); }))
      state.feed_through = through;
  }
}

// A clause that makes a relation but has fewer parameters than its type is not looked at further: the names
// of the ones that are missing would be unknown.
bool Checker::lacks_parameters(const Definition& definition, Type* type) {
  std::size_t has = definition.clauses[0]->parameters.size(), takes = 0;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1])) ++takes;
  if (has >= takes || !makes_relation(definition.clauses[0]->body)) return false;
  diagnostics_
      .report(Code::ClauseArity, definition.span,
              "`" + std::string(text(definition.name)) + "` has " + std::to_string(has) +
                  (has == 1 ? " parameter" : " parameters") + ", but its type takes " + std::to_string(takes))
      .also(definition.signature->type->span, "the type");
  return true;
}

core::Expr* Checker::infer_definition(const Definition& definition, Type* type, bool from_signature) {
  const GlobalState& state = globals_[current_.value];
  bool top = &definition == &state.definition;
  Reason reason;
  if (from_signature && definition.signature)
    reason = {ReasonKind::Signature, definition.signature->type->span, definition.name, 0, nullptr, true};
  if (top && state.default_value) {
    reason = {ReasonKind::FieldValue, definition.span, definition.name, 0, nullptr, true};
    return check_expr(state.default_value, type, reason);
  }
  if (reason.has_span && lacks_parameters(definition, type)) return nothing(definition.span);
  for (auto* clause : definition.clauses) {
    Span head = clause->name.span;
    mark_tail_sigrels(clause->body, definition.name, head, top);
  }
  if (definition.clauses[0]->parameters.empty()) {
    lower_signature_sizes({});
    return check_expr(definition.clauses[0]->body, type, reason);
  }
  return infer_clauses(definition, type, reason);
}

// The sizes of a signature are expressions over its named parameters: `Real^(n+1)`.
void Checker::lower_signature_sizes(const std::vector<std::pair<Name, core::LocalId>>& parameters) {
  std::vector<Type*> sizes = std::move(signature_sizes_);
  signature_sizes_.clear();
  if (sizes.empty()) return;
  std::size_t m = mark();
  for (auto& [name, id] : parameters) bind_as(Local::Value, name, types_.integer(), {}, id);
  struct Names : UseWalker {
    Checker& checker;
    bool known = true;
    std::function<bool(const ast::QualifiedIdent&)> bound_name;
    explicit Names(Checker& c) : checker(c) {}
    void use(const ast::QualifiedIdent& name, bool) override { known &= bound_name(name); }
  };
  for (Type* size : sizes) {
    Names names(*this);
    names.bound_name = [this](const ast::QualifiedIdent& n) {
      return lookup_local(n.ident.name) || lookup_value(n, false);
    };
    names.expr(size->size_ast);
    if (!names.known) continue;  // over a quantified size: follows from the arguments
    size->size_expr = check_expr(size->size_ast, types_.integer(), {ReasonKind::IndexValue});
    size->size_owner = current_.value;
  }
  release(m);
}

core::Expr* Checker::infer_clauses(const Definition& definition, Type* type, const Reason& reason) {
  auto& clauses = definition.clauses;
  std::size_t count = clauses[0]->parameters.size();
  auto simple = [](const ast::Pattern* p) {
    return p->kind == ast::PatternKind::Variable || p->kind == ast::PatternKind::Typed;
  };
  auto name_of = [](const ast::Pattern* p) {
    return p->kind == ast::PatternKind::Variable ? static_cast<const ast::VariablePattern*>(p)->name
                                                 : static_cast<const ast::TypedPattern*>(p)->name;
  };
  std::size_t errors = diagnostics_.error_count();
  bool direct = clauses.size() == 1 && std::ranges::all_of(clauses[0]->parameters, simple);
  std::vector<core::LocalId> ids;
  std::vector<Type*> types;
  std::vector<std::pair<Name, core::LocalId>> sizes;
  for (std::size_t i = 0; i < count; ++i) {
    const ast::Pattern* first = clauses[0]->parameters[i];
    Name name = clauses.size() == 1 && simple(first) ? name_of(first).name : intern("argument");
    core::LocalId id = new_local(name);
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* f = types_.function(fresh(), fresh());
      unify(type, f);
      type = find(f);
    }
    if (type->kind == TypeKind::Error) {
      types.push_back(types_.error());
    } else if (type->kind != TypeKind::Function) {
      auto& d = diagnostics_.report(Code::ClauseArity, first->span,
                                    "`" + std::string(text(definition.name)) + "` has " +
                                        std::to_string(count) + (count == 1 ? " parameter" : " parameters") +
                                        ", but its type takes " + std::to_string(i));
      if (reason.has_span) d.also(reason.span, "the type");
      types.push_back(types_.error());
      type = types_.error();
    } else {
      types.push_back(type->args[0]);
      if (type->has_parameter && type->args.size() == 3) {
        Type* size = find(type->args[2]);
        if (size->kind == TypeKind::Skolem && !size->size_expr) {
          core::LocalExpr e{{core::ExprKind::Local, first->span}, id};
          size->size_expr = arena_.make<core::LocalExpr>(e);
          size->size_owner = current_.value;
          size_atoms_[id] = size;
        }
        sizes.emplace_back(type->parameter, id);
      }
      type = type->args[1];
    }
    ids.push_back(id);
  }
  lower_signature_sizes(sizes);
  for (std::size_t i = 0; i < count;
       ++i) {  // a size that the types of vectors alone name is the number of elements of one
    core::LocalExpr parameter{{core::ExprKind::Local, clauses[0]->parameters[i]->span}, ids[i]};
    core::Expr* value = arena_.make<core::LocalExpr>(parameter);
    for (Type* vector = find(types[i]); vector->kind == TypeKind::Vector; vector = find(vector->args[0])) {
      Type* size = find(vector->args[1]);
      if (size->kind == TypeKind::Skolem && !size->size_expr && !size->size_ast) {
        size->size_expr = primitive(core::Primitive::Size, {value}, value->span);
        size->size_owner = current_.value;
      }
      core::Expr* first = arena_.make<core::IntExpr>(core::IntExpr{{core::ExprKind::Int, value->span}, 1});
      value = arena_.make<core::IndexExpr>(core::IndexExpr{
          {core::ExprKind::Index, value->span}, value, arena_.copy(std::vector<core::IndexPart>{{first}})});
    }
  }
  Span span = join(clauses.front()->span, clauses.back()->span);
  auto local = [&](std::size_t i) -> core::Expr* {
    core::LocalExpr e{{core::ExprKind::Local, clauses[0]->parameters[i]->span}, ids[i]};
    return arena_.make<core::LocalExpr>(e);
  };
  core::Expr* body;
  if (direct) {
    std::size_t m = mark();
    for (std::size_t i = 0; i < count; ++i) {
      const ast::Pattern* p = clauses[0]->parameters[i];
      if (p->kind == ast::PatternKind::Typed) {
        auto* t = static_cast<const ast::TypedPattern*>(p)->type;
        Type* written = annotation(t, 0);
        if (!agree(types[i], written)) mismatch_at(p->span, written, types[i], reason, {}, {});
      }
      for (std::size_t j = 0; j < i; ++j)
        if (name_of(clauses[0]->parameters[j]).name == name_of(p).name &&
            diagnostics_.error_count() == errors)
          duplicate(name_of(p), name_of(clauses[0]->parameters[j]).span, "the parameter");
      bind_as(Local::Value, name_of(p).name, types[i], name_of(p).span, ids[i]);
    }
    body = check_expr(clauses[0]->body, type, reason);
    release(m);
  } else {
    std::vector<core::Arm> arms;
    std::vector<const core::Pattern*> rows;
    auto outer_refined = refined_sizes_;
    for (core::LocalId id : ids)
      if (auto at = size_atoms_.find(id); at != size_atoms_.end())
        refined_sizes_.insert(at->second);  // a pattern says more
    for (auto* clause : clauses) {
      std::size_t m = mark();
      core::Pattern* pattern;
      if (count == 1) {
        pattern = infer_pattern(clause->parameters[0], types[0], reason);
      } else {
        std::vector<core::Pattern*> elements;
        for (std::size_t i = 0; i < count; ++i)
          elements.push_back(infer_pattern(clause->parameters[i], types[i], reason));
        pattern = make_pattern(core::PatternKind::Tuple,
                               join(clause->parameters.front()->span, clause->parameters.back()->span));
        pattern->elements = arena_.copy(elements);
      }
      rows.push_back(pattern);
      arms.push_back({pattern, check_expr(clause->body, type, reason)});
      release(m);
    }
    refined_sizes_ = std::move(outer_refined);
    core::Expr* scrutinee;
    Type* matched;
    if (count == 1) {
      scrutinee = local(0);
      matched = types[0];
    } else {
      std::vector<core::Expr*> elements;
      for (std::size_t i = 0; i < count; ++i) elements.push_back(local(i));
      core::TupleExpr tuple{{core::ExprKind::Tuple, definition.span}, arena_.copy(elements)};
      scrutinee = arena_.make<core::TupleExpr>(tuple);
      matched = types_.tuple(types);
    }
    add_match_check(rows, matched, definition.span, false);
    core::CaseExpr match{{core::ExprKind::Case, span}, scrutinee, arena_.copy(arms)};
    body = arena_.make<core::CaseExpr>(match);
  }
  core::LambdaExpr lambda{{core::ExprKind::Lambda, span}, arena_.copy(ids), body};
  return arena_.make<core::LambdaExpr>(lambda);
}

namespace {

class LetDependencies : public UseWalker {
 public:
  std::unordered_map<Name, std::uint32_t> index;
  DependencyGraph all, immediate;

  void all_immediate(const ast::Expr* e) {
    now_ = true;
    expr(e);
    now_ = false;
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool delayed) override {
    if (name.qualified) return;
    auto at = index.find(name.ident.name);
    if (at == index.end()) return;
    all.add(at->second);
    if (!delayed || now_) immediate.add(at->second);
  }

 private:
  bool now_ = false;
};

}  // namespace

// A definition that is used with signals of several types becomes a function of their layouts. `stand_for`
// are the types of its body that have these layouts.
core::Binding Checker::with_layouts(core::Binding binding, std::span<Type* const> variables,
                                    std::span<Type* const> stand_for) {
  if (variables.empty()) return binding;
  std::vector<core::LocalId> parameters;
  for (Type* type : stand_for) {
    parameters.push_back(new_local(intern("layout")));
    layout_locals_.emplace_back(type, parameters.back());
  }
  core::LambdaExpr lambda{
      {core::ExprKind::Lambda, binding.value->span}, arena_.copy(parameters), binding.value};
  binding.value = arena_.make<core::LambdaExpr>(lambda);
  return binding;
}

// Makes `place` the application of a local definition to the layouts of `types`.
core::ApplyExpr* Checker::layout_application(core::ApplyExpr* place, core::Expr* function,
                                             std::span<Type* const> types, Span span) {
  std::vector<core::Expr*> args;
  for (Type* type : types) {
    auto* layout = arena_.make<core::LayoutExpr>(core::LayoutExpr{{core::ExprKind::Layout, span}, nullptr});
    layouts_.push_back({&layout->layout, type, current_});
    args.push_back(layout);
  }
  *place = {{core::ExprKind::Apply, span}, function, arena_.copy(args)};
  return place;
}

// `pattern` with `local`, which is bound as `as`, and wildcards for its other variables.
core::Pattern* Checker::only_binding(const core::Pattern* pattern, core::LocalId local, core::LocalId as) {
  core::Pattern* copy = arena_.make<core::Pattern>(*pattern);
  if (pattern->kind == core::PatternKind::Variable) {
    if (pattern->local == local)
      copy->local = as;
    else
      copy->kind = core::PatternKind::Wildcard;
  }
  std::vector<core::Pattern*> elements;
  for (core::Pattern* e : pattern->elements) elements.push_back(only_binding(e, local, as));
  copy->elements = arena_.copy(elements);
  return copy;
}

// (a, b) = e  is  t = e; a = case t of (x, _) -> x; b = case t of (_, x) -> x.
std::vector<core::Binding> Checker::infer_binding(const ast::BindingDecl& binding) {
  std::vector<core::Binding> result;
  Typed value = infer(binding.value);
  Name name = intern("pattern");
  core::LocalId whole = new_local(name);
  result.push_back({whole, name, value.expr});
  std::size_t first = mark();
  core::Pattern* pattern = infer_pattern(
      binding.pattern, value.type, {ReasonKind::Bound, binding.value->span, {}, 0, binding.value, true});
  add_match_check({pattern}, value.type, binding.pattern->span, true);
  for (std::size_t i = first; i < trail_.size(); ++i) {
    Span span = trail_[i]->span;
    core::LocalId part = new_local(trail_[i]->name);
    core::Expr* scrutinee =
        arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, whole});
    core::Expr* body = arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, span}, part});
    std::vector<core::Arm> arms{{only_binding(pattern, trail_[i]->id, part), body}};
    core::CaseExpr match{{core::ExprKind::Case, span}, scrutinee, arena_.copy(arms)};
    result.push_back({trail_[i]->id, trail_[i]->name, arena_.make<core::CaseExpr>(match)});
  }
  return result;
}

std::vector<std::vector<core::Binding>> Checker::infer_let(std::span<ast::Decl* const> decls) {
  std::vector<Definition> definitions = group_definitions(decls);
  LetDependencies dependencies;
  for (std::uint32_t i = 0; i < definitions.size(); ++i) {
    std::vector<ast::Ident> names;
    if (definitions[i].binding)
      names_in(definitions[i].binding->pattern, names);
    else
      names.push_back({definitions[i].name, definitions[i].span});
    for (auto& name : names) dependencies.index.emplace(name.name, i);
  }
  std::vector<const Definition*> pointers;
  for (auto& definition : definitions) {
    for (auto* clause : definition.clauses) dependencies.clause(*clause);
    // All parts of a pattern are known together, when its value is.
    if (definition.binding) dependencies.all_immediate(definition.binding->value);
    dependencies.all.finish_vertex();
    dependencies.immediate.finish_vertex();
    pointers.push_back(&definition);
  }
  refuse_evaluation_cycles(dependencies.immediate, pointers);
  std::vector<std::vector<core::Binding>> result;
  for (auto& component : components(dependencies.all)) {
    if (component.size() == 1 && definitions[component[0]].binding) {
      const ast::BindingDecl& binding = *definitions[component[0]].binding;
      if (dependencies.all.has_edge(component[0], component[0]))
        infer_pattern(binding.pattern, types_.error(), {});
      for (core::Binding& b : infer_binding(binding)) result.push_back({b});
      continue;
    }
    std::vector<Local*> locals;
    std::vector<Type*> schemes;
    std::vector<std::vector<core::ApplyExpr*>> own_uses(component.size());
    ++level_;
    for (std::size_t i = 0; i < component.size(); ++i) {
      Definition& d = definitions[component[i]];
      if (d.binding) {  // of a circle that is reported
        infer_pattern(d.binding->pattern, types_.error(), {});
        locals.push_back(nullptr);
        schemes.push_back(nullptr);
        continue;
      }
      std::vector<std::pair<Name, Type*>> variables;
      Type* type = d.signature ? signature_type(*d.signature, variables) : fresh();
      schemes.push_back(type);
      Local* local = bind(Local::Value, d.name, type, d.span);
      local->polymorphic = d.signature && (find(type)->generic || find(type)->kind == TypeKind::Variable);
      if (local->polymorphic) {
        std::vector<Type*> layouts;
        collect_layout_variables(type, false, layouts);
        local->layout_variables = type_arena_.copy(layouts);
      } else if (!d.signature) {
        local->own_uses = &own_uses[i];
      }
      locals.push_back(local);
    }
    std::vector<core::Binding> bindings;
    for (std::size_t i = 0; i < component.size(); ++i) {
      Definition& d = definitions[component[i]];
      if (d.binding) continue;
      std::vector<std::pair<Type*, Type*>> skolems;
      Type* type = schemes[i];
      auto outer_sizes = std::move(signature_sizes_);
      signature_sizes_.clear();
      if (locals[i]->polymorphic) type = skolemise(type, skolems);
      std::vector<Type*> rigid;
      for (Type* variable : locals[i]->layout_variables)
        for (auto& [from, skolem] : skolems)
          if (from == variable) rigid.push_back(skolem);
      core::Expr* value = infer_definition(d, type, d.signature != nullptr);
      signature_sizes_ = std::move(outer_sizes);
      for (auto& [variable, skolem] : skolems)  // what the body asked of its type variables
        if (skolem->kind == TypeKind::Skolem)
          variable->needs |= skolem->needs & (kEquality | kOrder | kSignal);
      bindings.push_back(with_layouts({locals[i]->id, d.name, value}, locals[i]->layout_variables, rigid));
    }
    --level_;
    for (std::size_t i = 0; i < component.size(); ++i) {
      if (definitions[component[i]].binding) continue;
      locals[i]->own_uses = nullptr;
      if (definitions[component[i]].signature) continue;
      // Definitions that call each other in a circle have the signals of the first use, as parameters do.
      if (component.size() > 1) keep_monomorphic(schemes[i], false);
      locals[i]->polymorphic = quantify(schemes[i], level_);
      std::vector<Type*> layouts;
      if (locals[i]->polymorphic) collect_layout_variables(schemes[i], false, layouts);
      if (layouts.empty()) continue;
      locals[i]->layout_variables = type_arena_.copy(layouts);
      bindings[i] = with_layouts(bindings[i], layouts, layouts);
      for (core::ApplyExpr* use : own_uses[i]) {
        auto* function =
            arena_.make<core::LocalExpr>(core::LocalExpr{{core::ExprKind::Local, use->span}, locals[i]->id});
        layout_application(use, function, layouts, use->span);
      }
    }
    result.push_back(std::move(bindings));
  }
  return result;
}

// Nothing in `type` that is a signal of a relation is quantified at this level.
void Checker::keep_monomorphic(Type* type, bool in_relation) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (in_relation && type->level != kGeneric && type->level > level_) type->level = level_;
    return;
  }
  bool inside = in_relation || type->kind == TypeKind::Relation ||
                (type->kind == TypeKind::Constructor && type->constructor->holds_relation);
  for (Type* arg : type->args) keep_monomorphic(arg, inside);
}

}  // namespace sigrel::check
