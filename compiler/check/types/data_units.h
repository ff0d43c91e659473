// The units of columns that the evaluation reads from data files: known when the types of a group are.
#pragma once
#include <utility>
#include <vector>

#include "compiler/check/types/types.h"

namespace sigrel::check {

class DataUnits {
 public:
  /// `node` gets the text of `unit` at the end of the group: "m/s", "1"; empty where no unit is stated, and
  /// "?" where the type leaves it open.
  void request(core::StringExpr* node, Type* unit) { requests_.emplace_back(node, unit); }
  void finish() {
    for (auto& [node, unit] : requests_) node->value = text_of(find(unit));
    requests_.clear();
  }
  /// Drops the requests of a group that is inferred again.
  void discard() { requests_.clear(); }

 private:
  static std::string_view text_of(const Type* unit) {
    if (unit->kind == TypeKind::Error) return "";
    if (unit->kind != TypeKind::Form || !unit->args.empty()) return "?";
    return text(intern(dimension_text(unit->form->constant)));
  }

  std::vector<std::pair<core::StringExpr*, Type*>> requests_;
};

}  // namespace sigrel::check
