// A relation definition in numbers, and its structural type from the types of the relations it applies.
//
// Variables of a definition: its interface 0 … interface-1, then its locals. An equation is the variables
// that occur in it, with any derivative. An application gives an argument for each interface column of the
// applied relation: a variable, or the variables of an expression. An expression becomes an auxiliary unknown
// with an equation of its own (a = u + x): a Boolean product would let two equations of the child determine
// both u and x from the one number u + x.
//
// Example: foo(x1, x2, x3) has {0 1 2} {1 2}. In a definition with interface u v w x y, foo <> (w, u + x, v +
// y) is application(foo); variable(2); expression({0, 3}); expression({1, 4}).
#pragma once
#include <functional>
#include <vector>

#include "compiler/singularity/structural_causes.h"
#include "compiler/structural_types/cover.h"
#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

class Definition {
 public:
  Definition(std::uint32_t interface, std::uint32_t locals) : interface_(interface), locals_(locals) {
    equations_.columns = arguments_.columns = interface + locals;
  }

  void equation(std::span<const std::uint32_t> variables) { append(equations_, variables); }
  /// Puts `variable = 0` in the place of an equation.
  void take_as_zero(std::uint32_t equation, std::uint32_t variable) {
    graph::Bipartite& e = equations_;
    const std::uint32_t first = e.offsets[equation], last = e.offsets[equation + 1];
    e.targets.erase(e.targets.begin() + first, e.targets.begin() + last);
    e.targets.insert(e.targets.begin() + first, variable);
    for (std::uint32_t k = equation + 1; k < e.offsets.size(); ++k) e.offsets[k] -= last - first - 1;
  }
  /// Starts an application; as many arguments follow as the relation has interface columns. `relation` is a
  /// number of the caller's, below that of this definition in a library.
  void application(std::uint32_t relation) { applications_.push_back({relation, arguments_.rows()}); }
  void variable(std::uint32_t v) {
    append(arguments_, {&v, 1});
    is_expression_.push_back(false);
  }
  void expression(std::span<const std::uint32_t> variables) {
    append(arguments_, variables);
    is_expression_.push_back(true);
  }

  std::uint32_t interface() const { return interface_; }
  std::uint32_t locals() const { return locals_; }
  const graph::Bipartite& equations() const { return equations_; }
  std::uint32_t applications() const { return static_cast<std::uint32_t>(applications_.size()); }
  std::uint32_t relation(std::uint32_t application) const { return applications_[application].relation; }
  /// Arguments are numbered through all applications; these are the numbers of one.
  std::uint32_t first_argument(std::uint32_t application) const { return applications_[application].first; }
  std::uint32_t argument_count(std::uint32_t application) const {
    return (application + 1 < applications_.size() ? applications_[application + 1].first
                                                   : arguments_.rows()) -
           first_argument(application);
  }
  bool is_expression(std::uint32_t argument) const { return is_expression_[argument]; }
  std::span<const std::uint32_t> argument(std::uint32_t argument) const { return arguments_.row(argument); }

 private:
  static void append(graph::Bipartite& list, std::span<const std::uint32_t> variables) {
    list.targets.insert(list.targets.end(), variables.begin(), variables.end());
    list.end_row();
  }
  struct Application {
    std::uint32_t relation, first;
  };
  std::uint32_t interface_, locals_;
  graph::Bipartite equations_, arguments_;
  std::vector<Application> applications_;
  std::vector<bool> is_expression_;
};

/// Where a row of a composition comes from.
struct RowOrigin {
  enum class Kind : std::uint8_t {
    Child,     // row `index` of the type of the applied relation
    Argument,  // the auxiliary equation of argument `index`
    Own        // equation `index` of the definition
  } kind;
  std::uint32_t application;  // of Child and Argument
  std::uint32_t index;
};

/// A definition with the types of its children in place of the applications. Columns: interface, locals,
/// then what the applications add. Rows: those of the applications first, in their order, then the
/// definition's own equations, so that cover() blames the equation that was written last.
struct Composition {
  Incidence incidence;
  std::vector<RowOrigin> rows;
};
/// `child_type(relation)` is the type of a child.
using ChildType = std::function<const StructuralType&(std::uint32_t relation)>;
Composition compose(const Definition& definition, const ChildType& child_type);

struct Typing {
  std::optional<StructuralType> type;                      // absent: no context can complete the definition
  bool over_determined = false, under_determined = false;  // why
  Composition composition;                                 // empty when there is a type
  /// In rows and columns of the composition.
  singularity::StructuralCauses causes() const {
    return singularity::structural_causes(composition.incidence.rows, composition.incidence.interface);
  }
};
Typing type_of(const Definition& definition, const ChildType& child_type, const Limits& limits = {});
Typing type_of(Composition composition, const Limits& limits = {});

/// Types of a library in which a definition applies earlier ones only. A definition that applies one without
/// a type has none either, and no cause of its own.
std::vector<Typing> types_of(std::span<const Definition> library, const Limits& limits = {});

}  // namespace sigrel::structural_types
