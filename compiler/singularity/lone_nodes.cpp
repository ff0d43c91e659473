#include "compiler/singularity/lone_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compiler/singularity/wording.h"

namespace sigrel::singularity {
namespace {

using system::LoneNode;
using system::Template;

/// The names of the fields of a node with this name, ".v" and ".i"; empty if there is none.
std::vector<std::string> fields_of(const Template& body, const std::string& node) {
  std::vector<std::string> result;
  auto add = [&](const std::string& name) {
    if (name.size() > node.size() && name.starts_with(node) && name[node.size()] == '.')
      result.push_back(name.substr(node.size()));
  };
  for (const std::string& name : body.interface) add(name);
  for (const system::LocalInfo& local : body.locals)
    if (local.kind == system::UnknownKind::Source) add(text(local.name));
  return result;
}

/// Other nodes of the body that may have the same connector: they have its potential.
std::vector<std::string> other_nodes(const Template& body, const LoneNode& lone) {
  const std::string potential = text(body.locals[lone.local].name).substr(text(lone.name).size());
  std::vector<std::string> result;
  auto add = [&](const std::string& name) {
    if (!name.ends_with(potential)) return;
    std::string node = name.substr(0, name.size() - potential.size());
    if (node.find('.') == std::string::npos && node != text(lone.name)) result.push_back(std::move(node));
  };
  for (const std::string& name : body.interface) add(name);
  for (const system::LocalInfo& local : body.locals)
    if (local.kind == system::UnknownKind::Source) add(text(local.name));
  return result;
}

/// The only other lone node of the body with this connector.
const LoneNode* counterpart(const Template& body, const LoneNode& lone) {
  const LoneNode* found = nullptr;
  for (const LoneNode& other : body.lone_nodes) {
    if (other.local == lone.local || other.connector != lone.connector) continue;
    if (found) return nullptr;
    found = &other;
  }
  return found;
}

/// A name of the body that the node was perhaps meant to have. A node that nothing uses is likely, however it
/// is spelt.
std::optional<std::string> meant(const Template& body, const LoneNode& lone) {
  const std::string name = text(lone.name);
  std::vector<std::string> unused;
  for (const LocalName other : body.unused_nodes)
    if (fields_of(body, text(other)) == fields_of(body, name)) unused.push_back(text(other));
  if (unused.size() == 1) return unused.front();
  // Those of parts without arguments are not named in the source; elements differ on purpose.
  if (name.find_first_of(".[") != std::string::npos) return std::nullopt;
  const std::vector<std::string> others = unused.empty() ? other_nodes(body, lone) : unused;
  return near_name(name, others);
}

/// How a node is terminated; connectors of the library have a part for it, whose name parts of several
/// modules have.
std::string terminated(const Template& body, const LoneNode& lone) {
  struct Part {
    std::string_view connector, name, module;  // module: if the name is not the only one
  };
  static constexpr std::array<Part, 6> parts{{{"Pin", "open", ""},
                                              {"Flange", "free", "Rotational"},
                                              {"Rod", "loose", ""},
                                              {"Frame", "free", ""},
                                              {"Port", "closed", ""},
                                              {"HeatPort", "insulated", ""}}};
  const auto part = std::ranges::find(parts, text(lone.connector), &Part::connector);
  if (part == parts.end())
    return fmt::format("let an equation set its flow, `{}`, to 0",
                       text(body.locals[lone.local + lone.first_flow].name));
  return fmt::format(
      "`{} <> {}`{}", part->name, text(lone.name),
      part->module.empty() ? "" : fmt::format(", with `{}` of `{}`", part->name, part->module));
}

}  // namespace

std::vector<LoneNodes> lone_nodes(const SourceView& view, std::span<const UnderDetermined> under) {
  std::vector<LoneNodes> result;
  std::map<const Template*, std::size_t> of_body;
  for (const UnderDetermined& part : under)
    for (const std::uint32_t u : part.undetermined) {
      const auto local = view.local(u);
      const LoneNode* node = local ? system::lone_node(*local->body, local->index) : nullptr;
      if (!node) continue;
      const auto [at, fresh] = of_body.try_emplace(local->body, result.size());
      if (fresh) result.push_back({local->body, view.scope_of_unknowns(std::array{u}), {}});
      std::vector<LoneNodes::Node>& nodes = result[at->second].nodes;
      auto same = std::ranges::find(nodes, node, &LoneNodes::Node::node);
      if (same == nodes.end()) same = nodes.insert(nodes.end(), {node, false});
      same->flow_undetermined |= local->index - node->local >= node->first_flow;
    }
  for (LoneNodes& lone : result)
    std::ranges::stable_sort(lone.nodes, {}, [](const LoneNodes::Node& n) { return n.node->span; });
  return result;
}

Diagnostic& report_lone_nodes(const LoneNodes& lone, Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 6;
  const Template& body = *lone.body;
  std::vector<std::string> names;
  for (const LoneNodes::Node& n : lone.nodes) names.push_back(text(n.node->name));
  const bool one = names.size() == 1;
  auto only_part = [&](const LoneNode& node) {
    return fmt::format("only `{}` is connected to `{}`", text(body.children[node.part].name),
                       text(node.name));
  };
  const LoneNode& first = *lone.nodes.front().node;
  Diagnostic& d = diagnostics.report(Code::LoneNode, first.span,
                                     fmt::format("node{} {} join{} only one part{}", one ? "" : "s",
                                                 listed(names), one ? "s" : "", one ? "" : " each"));
  d.label(only_part(first));
  for (std::size_t k = 1; k < std::min(lone.nodes.size(), kShown); ++k)
    d.also(lone.nodes[k].node->span, only_part(*lone.nodes[k].node));
  // Elsewhere in the body another node may be determined by what is connected to its interface, and yet be
  // the counterpart of a misspelt one.
  const LoneNode* other = one                      ? counterpart(body, first)
                          : lone.nodes.size() == 2 ? lone.nodes[1].node
                                                   : nullptr;
  const auto name = meant(body, first);
  const bool unused = name && std::ranges::find(body.unused_nodes, *name, [](LocalName n) {
                                return text(n);
                              }) != body.unused_nodes.end();
  if (name && (one || unused || !other)) {
    d.help(fmt::format("did you mean `{}`{}?", *name, unused ? ", which nothing is connected to" : ""));
  } else if (other && other->connector == first.connector) {
    if (one) d.also(other->span, only_part(*other));
    d.help("if both are the same node, give them the same name");
  } else {
    d.help(fmt::format("connect {} to another part", one ? "it" : "them"));
  }
  const auto open = std::ranges::find(lone.nodes, true, &LoneNodes::Node::flow_undetermined);
  if (open != lone.nodes.end())
    d.help(fmt::format("if nothing is meant to be connected there: {}", terminated(body, *open->node)));
  return d;
}

}  // namespace sigrel::singularity
