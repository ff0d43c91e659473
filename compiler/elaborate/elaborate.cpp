#include "compiler/elaborate/elaborate.h"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "compiler/elaborate/instantiate.h"

namespace sigrel::elaborate {
namespace {

std::vector<std::string> strings(const Value& list) {
  std::vector<std::string> result;
  for (const Object* cell = list.object; cell->size == 2; cell = cell->items[1].object)
    result.emplace_back(text(Name{cell->items[0].index}));
  return result;
}

double number(const Value& v) { return v.tag == Tag::Int ? static_cast<double>(v.integer) : v.real; }

}  // namespace

namespace {

/// One mistake in a loop, or in several bodies of one relation, is one error: of several diagnostics with one
/// code at one place the first remains.
void keep_first_at_each_place(Diagnostics& diagnostics) {
  std::set<std::tuple<Code, std::uint32_t, std::uint32_t, std::uint32_t>> seen;
  diagnostics.erase_if([&](const Diagnostic& d) {
    if (!d.primary) return false;
    const Span at = d.primary->span;
    return !seen.emplace(d.code, at.file.value, at.begin, at.end).second;
  });
}

std::optional<Result> elaborate_main(const core::Program& program, const Options& options,
                                     Diagnostics& diagnostics) {
  if (!program.main) {
    diagnostics.report(Code::NothingToRun, "there is no `main` to run")
        .help("define `main = simulate model with { stop = 1.0 }`, or name a relation: `-e model`");
    return std::nullopt;
  }
  Bytecode code(program);
  Heap heap;
  Layouts layouts(program);
  Machine machine(code, heap, layouts, diagnostics);
  machine.limits = options.limits;
  Relations relations(heap, program);
  Result result;
  if (!options.load_libraries && !options.libraries.empty())
    machine.defer_libraries();
  else if (!machine.open_libraries(options.libraries))
    return std::nullopt;

  const core::Global& main = program.globals[program.main->value];
  const std::string shown =
      text(main.name) == core::kExpression ? "the expression" : fmt::format("`{}`", text(main.name));
  Value value;
  machine.begin_body(0);
  Machine::Status status = machine.global(*program.main, main.span, value);
  if (status == Machine::Status::NotReady)
    diagnostics.report(Code::DefinedByItself, main.span,
                       fmt::format("the value of {} is needed to compute itself", shown));
  if (status != Machine::Status::Done) return std::nullopt;

  if (is_object(value, ObjectKind::Record)) {
    const Object& e = *value.object;
    auto field = [&](core::ExperimentField f) { return e.items[static_cast<std::uint32_t>(f)]; };
    Experiment& x = result.experiment;
    x.start = number(field(core::ExperimentField::Start));
    x.stop = number(field(core::ExperimentField::Stop));
    x.tolerance = number(field(core::ExperimentField::Tolerance));
    x.steps = field(core::ExperimentField::Steps).integer;
    x.outputs = strings(field(core::ExperimentField::Outputs));
    x.plot = strings(field(core::ExperimentField::Plot));
    x.solver = text(Name{field(core::ExperimentField::Solver).index});
    x.events = field(core::ExperimentField::Events).integer != 0;
    x.max_step = number(field(core::ExperimentField::MaxStep));
    x.assert_bounds = field(core::ExperimentField::AssertBounds).integer != 0;
    value = field(core::ExperimentField::Model);
  }
  if (!is_object(value, ObjectKind::Relation)) {
    diagnostics
        .report(Code::NothingToRun, main.span,
                fmt::format("{} is {}; an experiment or a relation without interface is needed", shown,
                            kind_of(value)))
        .help("an experiment is made by `simulate relation`");
    return std::nullopt;
  }
  Instantiator instantiator(machine, relations, result.system, options);
  if (!instantiator.run(*static_cast<RelationObject*>(value.object))) return std::nullopt;
  result.system.exprs.library = machine.used_library();
  result.arguments = instantiator.take_arguments();
  return result;
}

}  // namespace

std::optional<Result> elaborate(const core::Program& program, const Options& options,
                                Diagnostics& diagnostics) {
  Diagnostics found;
  std::optional<Result> result = elaborate_main(program, options, found);
  keep_first_at_each_place(found);
  diagnostics.append(found);
  return result;
}

}  // namespace sigrel::elaborate
