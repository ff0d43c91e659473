// Attributes of variables: `local x { guess = 1.0 }`.
#include <algorithm>
#include <iterator>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

std::optional<core::Attribute> RelationChecker::state_choice(const ast::Setting& setting) {
  static constexpr std::string_view kChoices[] = {"Default", "Prefer", "Avoid", "Always", "Never"};
  std::string choice = setting.value->kind == ast::ExprKind::Constructor ? head_text(setting.value) : "";
  auto at = std::ranges::find(kChoices, choice);
  if (at == std::end(kChoices)) {
    diagnostics_.report(Code::UnknownField, setting.value->span,
                        "`state` is one of `Default`, `Prefer`, `Avoid`, `Always`, `Never`");
    return std::nullopt;
  }
  core::ConstructExpr value{{core::ExprKind::Construct, setting.value->span},
                            intern(choice),
                            static_cast<std::uint32_t>(at - std::begin(kChoices)),
                            {}};
  return core::Attribute{setting.name.name, core_.make(value), setting.name.span};
}

/// Reports settings of one name.
void RelationChecker::check_repeated(std::span<const ast::Setting> settings, std::string_view what) {
  for (std::size_t k = 1; k < settings.size(); ++k) {
    const auto before = settings.first(k);
    const auto same =
        std::ranges::find(before, settings[k].name.name, [](const ast::Setting& s) { return s.name.name; });
    if (same != before.end()) scopes_.duplicate(settings[k].name, same->name.span, what);
  }
}

std::optional<Layouts::Display> RelationChecker::display_of(std::span<const ast::Setting> settings) {
  for (const ast::Setting& s : settings)
    if (text(s.name.name) == "display" && s.value->kind == ast::ExprKind::String)
      return Layouts::Display{std::string(static_cast<const ast::StringExpr*>(s.value)->value),
                              s.value->span};
  return std::nullopt;
}

std::span<core::Attribute> RelationChecker::attributes(std::span<ast::Setting> settings, Type* type) {
  std::vector<core::Attribute> result;
  check_repeated(settings, "the attribute");
  for (auto& s : settings) {
    std::string_view n = text(s.name.name);
    if (n == "guess" || n == "nominal" || n == "min" || n == "max") {
      result.push_back(
          {s.name.name,
           expressions_.check_expr(s.value, type,
                                   {ReasonKind::Attribute, s.name.span, s.name.name, 0, nullptr, false}),
           s.name.span});
    } else if (n == "display") {  // display_of
      if (s.value->kind != ast::ExprKind::String)
        diagnostics_.report(Code::DisplayUnit, s.value->span, "`display` is a unit between quotes")
            .help("for example `display = \"degC\"`");
    } else if (n == "state") {
      if (auto choice = state_choice(s)) result.push_back(*choice);
    } else {
      auto& d = diagnostics_.report(Code::UnknownField, s.name.span,
                                    "a variable has no attribute `" + std::string(n) + "`");
      if (n == "start" || n == "fixed")
        d.help("`guess` starts the search for initial values; `initially` fixes them");
      else if (auto near = did_you_mean(n, {"guess", "nominal", "min", "max", "state", "display"}))
        d.fix("did you mean `" + std::string(*near) + "`?", s.name.span, std::string(*near));
      else
        d.help("the attributes are `guess`, `nominal`, `min`, `max`, `state` and `display`");
      expressions_.infer(s.value);
    }
  }
  return core_.copy(result);
}

}  // namespace sigrel::check
