// The meaning of names: the scopes of modules with their imports, and the local scope of the definition being
// checked. Looking a name up reports an unknown or ambiguous one.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/check/expressions/core_builder.h"
#include "compiler/check/names/module_scope.h"
#include "compiler/check/names/undefined_names.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::check {

struct RelationContext;

/// A name inside a definition.
struct Local {
  enum Kind : std::uint8_t { Value, Signal } kind = Value;
  Name name;
  core::LocalId id;
  Type* type = nullptr;
  bool polymorphic = false;
  bool is_named_node = false;           // a signal without a declaration, which parts connect
  std::span<Type*> layout_variables{};  // of a polymorphic definition: each use passes a layout for each
  /// While the definition is inferred: its uses in itself, which may have to pass layouts too.
  std::vector<core::ApplyExpr*>* own_uses = nullptr;
  const ast::Expr* brackets = nullptr;  // the `[…]` that defines it, without a signature
  Span span;
  RelationContext* relation = nullptr;  // where it was bound; null outside every sigrel
  Local* shadowed = nullptr;
};

/// The Sigrel word for a word of another language.
std::optional<std::string_view> our_word(std::string_view word);

class Scopes {
 public:
  Scopes(Diagnostics& diagnostics, Types& types, CoreBuilder& core);

  /// CheckOptions::modules_with.
  void set_modules_with(std::vector<std::string_view> (*modules_with)(std::string_view)) {
    undefined_.set_modules_with(modules_with);
  }

  // imports.cpp
  /// Opens the scope of `module` with everything that it imports. With `sees_previous`, also with everything
  /// that the module before it sees.
  ModuleScope& open_module(const ast::Module& module, bool sees_previous);
  ModuleScope& module() { return *module_; }
  const ModuleScope& module() const { return *module_; }
  const std::deque<ModuleScope>& modules() const { return modules_; }

  // Records by the names of their fields.
  void add_field(Name field, TypeConstructor& record);
  std::span<TypeConstructor* const> records_with(Name field) const;
  /// The only record in scope with this field; null if there is none, or several (`ambiguous`).
  TypeConstructor* unique_record_with(Name field, bool& ambiguous) const;
  void suggest_field(Diagnostic& diagnostic, const ast::Ident& field);

  // The local scope: an innermost meaning by name, and a trail to undo bindings.
  Local* lookup_local(Name name) const { return name.value < locals_.size() ? locals_[name.value] : nullptr; }
  Local* bind(Local::Kind kind, Name name, Type* type, Span span);
  Local* bind_as(Local::Kind kind, Name name, Type* type, Span span, core::LocalId id);
  std::size_t mark() const { return trail_.size(); }
  std::span<Local* const> bound_since(std::size_t mark) const { return std::span(trail_).subspan(mark); }
  void release(std::size_t mark);
  /// The innermost relation body; null outside every sigrel.
  RelationContext* relation() const { return relation_; }
  void set_relation(RelationContext* relation) { relation_ = relation; }

  // Whether an expression must be known before the simulation, so that it cannot use a signal: the relation
  // of `<>`, ranges, sizes.
  bool is_static() const { return static_depth_ > 0; }
  int static_depth() const { return static_depth_; }
  void set_static_depth(int depth) { static_depth_ = depth; }
  class StaticRegion {
   public:
    explicit StaticRegion(Scopes& scopes) : scopes_(scopes) { ++scopes_.static_depth_; }
    ~StaticRegion() { --scopes_.static_depth_; }
    StaticRegion(const StaticRegion&) = delete;

   private:
    Scopes& scopes_;
  };

  // lookup.cpp
  const Entry<Value>* lookup_value(const ast::QualifiedIdent& name, bool report);
  /// A constructor, mode or record; null after a report, and for the names that a declaration with a syntax
  /// error would have defined.
  const Entry<Value>* lookup_constructor(const ast::QualifiedIdent& name);
  const Entry<TypeName>* lookup_type(const ast::QualifiedIdent& name);
  /// The nearest of `candidates`; ties go to the first by text, so that the order of tables does not show.
  void suggest(Diagnostic& diagnostic, Name name, Span span, const std::vector<Name>& candidates);
  /// Whether an error says that this name is not defined.
  bool is_reported(Name name) const { return undefined_.was_reported(Code::UnknownName, name); }
  /// An error says that this name does not mean here what it seems to mean: its other uses in the current
  /// definition agree with everything.
  void misuse(Name name);
  bool is_misused(Name name) const;
  /// One error for all places of a module at which it is the same; null for the further ones.
  Diagnostic* report_once(Code code, Span span, std::string message);
  /// Whether a type that this module names does not exist: it may have had any field.
  bool lacks_type() const { return undefined_.lacks_type(); }
  void duplicate(const ast::Ident& name, Span first, std::string_view what);
  /// One error for those that follow each other, such as those of a declaration that was copied.
  void duplicate_variable(const ast::Ident& name, Span first);

 private:
  void open_builtin_scope();
  void import_names(const ast::Module& module, ModuleScope& scope, const ModuleScope* previous);
  void import_list(const ast::ImportDecl& import, ModuleScope& scope, const ModuleScope& from);
  void import_open(const ast::ImportDecl& import, ModuleScope& scope, const ModuleScope& from);
  void unknown_value(const ast::QualifiedIdent& name);
  void unknown_type(const ast::QualifiedIdent& name, const ModuleScope& searched);
  bool is_signal(std::string_view name) const;
  bool explain_library_name(Diagnostic& d, std::string_view name, Span span) const;
  void unknown_qualifier(const ast::QualifiedIdent& name);
  std::vector<Name> names_in_scope(bool upper) const;

  Diagnostics& diagnostics_;
  Types& types_;
  CoreBuilder& core_;
  std::deque<ModuleScope> modules_;
  std::unordered_map<Name, ModuleScope*> modules_by_name_;
  ModuleScope builtin_scope_;
  ModuleScope* module_ = nullptr;  // the one being checked
  std::unordered_map<Name, std::vector<TypeConstructor*>> records_by_field_;
  std::vector<Local*> locals_;  // by Name: the innermost meaning
  std::vector<Local*> trail_;
  RelationContext* relation_ = nullptr;
  int static_depth_ = 0;
  /// The last error about variables of a definition that are defined twice.
  struct Duplicates {
    Diagnostic* diagnostic = nullptr;
    core::GlobalId definition;
    std::size_t errors = 0;  // with it
    std::vector<std::string> names{};
  } duplicates_;
  UndefinedNames undefined_;
  std::unordered_set<Name> misused_;  // in the definition `misused_in_`
  core::GlobalId misused_in_;
  std::uint32_t suggestions_ = 0;
};

}  // namespace sigrel::check
