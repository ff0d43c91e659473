#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

void RelationChecker::check_every(const ast::EveryItem* item, std::vector<core::Item*>& out) {
  core::EveryItem node{{core::ItemKind::Every, item->span}, nullptr, {}, {}};
  node.period = expressions_.check_expr(
      item->period, types_.seconds(), {ReasonKind::Argument, item->span, intern("every"), 0, nullptr, false});
  node.settings = clock_settings(item->settings);
  node.body = check_block(item->body);
  out.push_back(core_.make(node));
}

/// The settings of `every` beside its period.
std::span<core::Attribute> RelationChecker::clock_settings(std::span<ast::Setting> settings) {
  std::vector<core::Attribute> result;
  check_repeated(settings, "the setting");
  for (auto& s : settings) {
    const std::string_view n = text(s.name.name);
    if (n == "offset" || n == "start" || n == "stop" || n == "jitter") {
      Type* type = n == "jitter" ? types_.list(types_.seconds()) : types_.seconds();
      result.push_back(
          {s.name.name,
           expressions_.check_expr(s.value, type,
                                   {ReasonKind::Attribute, s.name.span, s.name.name, 0, nullptr, false}),
           s.name.span});
      continue;
    }
    auto& d = diagnostics_.report(Code::UnknownField, s.name.span,
                                  "a clock has no setting `" + std::string(n) + "`");
    if (auto near = did_you_mean(n, {"offset", "start", "stop", "jitter"}))
      d.fix("did you mean `" + std::string(*near) + "`?", s.name.span, std::string(*near));
    else
      d.help("the settings are `offset`, `start`, `stop` and `jitter`");
    expressions_.infer(s.value);
  }
  return core_.copy(result);
}

}  // namespace sigrel::check
