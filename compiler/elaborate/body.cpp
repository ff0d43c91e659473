#include "compiler/elaborate/body.h"

#include <algorithm>
#include <bit>

#include "compiler/elaborate/items.h"

namespace sigrel::elaborate {

std::optional<BodyBuilder::Output> BodyBuilder::build(RelationObject& relation, LayoutId interface,
                                                      std::span<const double> reals) {
  const RelationCode& code = relation.relation();
  machine_.begin_body(code.slots);
  BodyParts parts(machine_, relations_, shapes_, scalars_, code, relations_.next_body());
  Items items(parts, one_by_one_);
  bind_captures(relation, parts, reals);
  create_interface(interface, parts);
  if (!items.build(code.relation->body)) return std::nullopt;
  const std::size_t errors = machine_.diagnostics().error_count();
  parts.rows.check_equalities(parts.columns);
  if (!parts.nodes.resolve() || machine_.diagnostics().error_count() != errors) return std::nullopt;
  return Output{finish(relation, parts), std::move(parts.structural.reals)};
}

void BodyBuilder::bind_captures(RelationObject& relation, BodyParts& parts, std::span<const double> reals) {
  std::vector<Value> values;
  for (std::uint32_t k = 0; k < reals.size(); ++k)
    values.push_back(Value::of_real(reals[k], machine_.parameters.param(k).value));
  const std::vector<Value> captures = relations_.body_captures(relation, values);
  const std::size_t own = parts.code.captured.size();
  for (std::size_t i = 0; i < own; ++i) parts.local(parts.code.captured[i]) = captures[i];
  for (std::size_t i = own; i < captures.size(); ++i)
    if (is_object(captures[i], ObjectKind::Tuple)) parts.switches.give(captures[i]);
}

void BodyBuilder::create_interface(LayoutId interface, BodyParts& parts) {
  const LayoutNode tuple = machine_.layouts()[interface];
  const auto& formals = parts.code.relation->formals;
  for (std::size_t i = 0; i < formals.size(); ++i) {
    const core::Formal& f = formals[i];
    const ColumnId first = parts.columns.next();
    parts.local(f.local) = parts.variables.create(tuple.elements[i], local_name(f.name), f.span, true);
    parts.variables.set_units(tuple.elements[i], f.layout, first);
  }
  parts.columns.end_interface();
}

namespace {

/// In the numbers of the finished blueprint.
template <class FinalColumn>
std::vector<system::LoneNode> lone_nodes(const Nodes& nodes, const Blueprint& blueprint,
                                         FinalColumn final_column) {
  std::vector<system::LoneNode> result;
  for (const NodeId n : nodes.lone()) {
    const Nodes::NodeInfo& node = nodes[n];
    const auto scalars = static_cast<std::uint32_t>(nodes.scalars(node.layout).size());
    std::uint32_t first_flow = 0;
    while (first_flow < scalars && !nodes.scalars(node.layout)[first_flow].is_flow) ++first_flow;
    if (first_flow == scalars) continue;
    result.push_back({node.name, nodes.connector(n), node.span, 0,
                      final_column(node.first).value - blueprint.interface, scalars, first_flow});
  }
  if (result.empty()) return result;
  std::ranges::sort(result, {}, &system::LoneNode::local);
  // All of its unknowns are arguments of its only part.
  std::uint32_t part = 0;
  for (std::uint32_t a = 0; a < blueprint.arguments.size(); ++a) {
    while (part + 1 < blueprint.children.size() && blueprint.children[part + 1].first_argument <= a) ++part;
    const ColumnRef argument = blueprint.arguments[a];
    if (argument.is_member() || argument.column().value < blueprint.interface) continue;
    const std::uint32_t local = argument.column().value - blueprint.interface;
    const auto at = std::ranges::lower_bound(result, local, {}, &system::LoneNode::local);
    if (at != result.end() && at->local == local) at->part = part;
  }
  return result;
}

/// Whether the potentials of a node say where something is, and how it is turned: a rotation in space, two
/// lengths and an angle in the plane.
bool is_frame(const Nodes& nodes, const Columns& columns, const Nodes::NodeInfo& node) {
  if (nodes.has_rotation(node.layout)) return true;
  std::size_t lengths = 0, angles = 0;
  for (const auto& [offset, is_flow] : nodes.scalars(node.layout)) {
    const std::string unit = is_flow ? "" : std::string(text(columns[node.first + offset].unit));
    lengths += unit == "m";
    angles += unit == "rad";
  }
  return lengths >= 2 && angles >= 1;
}

/// The flows and poses of the template, in the numbers of the finished blueprint.
template <class FinalColumn>
void list_frames(const Nodes& nodes, const Columns& columns, FinalColumn final_column,
                 system::Template& names) {
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const Nodes::NodeInfo& node = nodes[NodeId{n}];
    if (!is_frame(nodes, columns, node)) continue;
    for (const auto& [offset, is_flow] : nodes.scalars(node.layout))
      if (!is_flow) names.poses.push_back(final_column(node.first + offset).value);
  }
  if (names.poses.empty()) return;
  for (std::uint32_t n = 0; n < nodes.size(); ++n)
    for (const auto& [offset, is_flow] : nodes.scalars(nodes[NodeId{n}].layout))
      if (is_flow) names.flows.push_back(final_column(nodes[NodeId{n}].first + offset).value);
  for (std::vector<std::uint32_t>* list : {&names.flows, &names.poses}) {
    std::ranges::sort(*list);
    list->erase(std::ranges::unique(*list).begin(), list->end());
    // Those that the body does not contain after nodes were merged.
    std::erase_if(*list, [&](std::uint32_t c) { return c >= names.interface.size() + names.locals.size(); });
  }
}

}  // namespace

Body BodyBuilder::finish(RelationObject& relation, BodyParts& parts) {
  auto blueprint = std::make_shared<Blueprint>();
  Body body;
  const std::span<const Child> children = parts.applications.children();
  // The captured parameters of the children add parameter expressions.
  blueprint->children.reserve(children.size());
  for (const Child& c : children)
    blueprint->children.push_back({c.first_argument, parts.captured.of(*c.relation)});

  system::Template names;
  names.relation = parts.code.relation->name;
  names.span = parts.code.relation->span;
  const Columns::Numbering columns = parts.columns.number(names, blueprint->places);
  blueprint->interface = parts.columns.interface();
  blueprint->locals = columns.count - blueprint->interface;
  const std::vector<RealId> reals = parts.reals.arrange(machine_.parameters, shapes_, blueprint->reals);
  auto final_column = [&](ColumnId c) { return columns.number[parts.columns.find(c).value]; };
  auto final_ref = [&](ColumnRef c) { return c.is_member() ? c : ColumnRef(final_column(c.column())); };
  auto final_real = [&](RealId r) { return reals[r.value]; };

  parts.rows.move_to(*blueprint, final_column, final_ref, final_real);
  parts.captured.move_to(*blueprint, reals);
  parts.events.move_to(*blueprint, final_column, final_ref, final_real);
  blueprint->members = parts.members.take();
  blueprint->arguments = parts.applications.take_arguments();
  for (ColumnRef& a : blueprint->arguments) a = final_ref(a);

  names.children.reserve(children.size());
  body.relations.reserve(children.size());
  body.interfaces.reserve(children.size());
  for (const Child& c : children) {
    names.children.push_back({c.name, static_cast<bool>(c.label), c.span, c.owner});
    body.relations.push_back(c.relation);
    body.interfaces.push_back(c.interface);
  }
  for (const Rows::Rotation& r : parts.rows.rotations) {
    system::RotationEquation& equation = names.rotations.emplace_back();
    equation.sources = r.sources;
    std::ranges::transform(r.columns, equation.columns.begin(),
                           [&](ColumnId c) { return final_column(c).value; });
  }
  list_frames(parts.nodes, parts.columns, final_column, names);
  names.lone_nodes = lone_nodes(parts.nodes, *blueprint, final_column);
  for (const LocalName node : parts.nodes.unused())
    if (text(node).find('[') == std::string::npos) names.unused_nodes.push_back(node);
  names.parameters = relations_.real_names(relation);
  body.switches = parts.switches.take_switches();
  body.transitions = parts.switches.take_transitions();
  auto final_number = [&](ModeNumberPlan& n) {
    if (n.kind == ModeNumberPlan::Column) n.index = final_column(ColumnId{n.index}).value;
    if (n.kind == ModeNumberPlan::Real) n.index = final_real(RealId{n.index}).value;
  };
  for (SwitchPlan& s : body.switches) std::ranges::for_each(s.numbers, final_number);
  for (TransitionPlan& t : body.transitions) std::ranges::for_each(t.numbers, final_number);
  body.blueprint = shared(parts.code, std::move(blueprint), std::move(names));
  return body;
}

namespace {

bool same(const std::vector<system::Parameter>& a, const std::vector<system::Parameter>& b) {
  return std::ranges::equal(a, b, [](const system::Parameter& x, const system::Parameter& y) {
    return x.op == y.op && x.a == y.a && x.b == y.b && x.c == y.c &&
           std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
  });
}

bool same(const system::Template& a, const system::Template& b) {
  return a.interface == b.interface && a.locals == b.locals && a.synonyms == b.synonyms &&
         a.children == b.children && a.lone_nodes == b.lone_nodes && a.rotations == b.rotations &&
         a.flows == b.flows && a.poses == b.poses && a.unused_nodes == b.unused_nodes &&
         a.parameters == b.parameters;
}

}  // namespace

bool same_content(const Blueprint& a, const Blueprint& b) {
  return a.interface == b.interface && a.locals == b.locals && std::ranges::equal(a.rows, b.rows) &&
         a.steady == b.steady && a.triggers == b.triggers && a.clocks == b.clocks &&
         a.assignments == b.assignments && a.previous == b.previous && a.delays == b.delays &&
         a.slots == b.slots && a.row_reals == b.row_reals && a.sum_offsets == b.sum_offsets &&
         a.sum_terms == b.sum_terms && a.sum_sources == b.sum_sources && same(a.reals, b.reals) &&
         a.captured == b.captured && a.captured_items == b.captured_items && a.children == b.children &&
         a.arguments == b.arguments && a.attributes == b.attributes && a.members == b.members &&
         a.places == b.places;
}

// The levels of a recursion have different children and perhaps other constants, but often the same template
// and blueprint.
std::shared_ptr<const Blueprint> BodyBuilder::shared(const RelationCode& code,
                                                     std::shared_ptr<Blueprint> blueprint,
                                                     system::Template names) {
  constexpr std::size_t kRecent = 4;
  Recent& recent = recent_[&code];
  auto known = std::ranges::find_if(recent.templates,
                                    [&](std::uint32_t t) { return same(system_.templates[t], names); });
  if (known != recent.templates.end()) {
    blueprint->body = *known;
    for (const auto& candidate : recent.blueprints)
      if (candidate->body == blueprint->body && same_content(*candidate, *blueprint)) return candidate;
  } else {
    blueprint->body = static_cast<std::uint32_t>(system_.templates.size());
    system_.templates.push_back(std::move(names));
    recent.templates.push_front(blueprint->body);
    if (recent.templates.size() > kRecent) recent.templates.pop_back();
  }
  recent.blueprints.push_front(blueprint);
  if (recent.blueprints.size() > kRecent) recent.blueprints.pop_back();
  return blueprint;
}

}  // namespace sigrel::elaborate
