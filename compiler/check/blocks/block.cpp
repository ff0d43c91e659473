// The verdicts on blocks stand here, and not among those of structural types, because they need the direction
// of each interface variable, which a structural type does not have: `y = 2 * u; y = u + 1` is a sound
// relation between u and y, and no block; two blocks with the output z, and none with the output x, are
// balanced. A local in no equation is an error of both; here it follows from the matching that feed-through
// needs.
#include "compiler/check/blocks/block.h"

#include <string>

#include "compiler/check/blocks/block_equations.h"
#include "compiler/check/blocks/feed_through.h"
#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"

namespace sigrel::check {
namespace {

/// A signal with two sources, and an input without any.
void check_sources(const BlockEquations& equations, const core::Relation& relation,
                   Diagnostics& diagnostics) {
  for (const Leaf& leaf : equations.leaves) {
    std::string name = "`" + leaf.name + "`";
    if (leaf.sources.size() > 1) {
      diagnostics
          .report(Code::TwoSources, leaf.sources[1], name + " has two sources: it is an output of two blocks")
          .label("the second")
          .also(leaf.sources[0], "the first")
          .help("give each output its own name, and combine them in an equation");
    } else if (leaf.sources.size() == 1 && leaf.role == Leaf::Input) {
      diagnostics
          .report(Code::TwoSources, leaf.sources[0],
                  name + " has two sources: it is an input of `" + std::string(text(relation.name)) +
                      "`, and an output of this block")
          .also(leaf.span, "it is determined where `" + std::string(text(relation.name)) + "` is applied");
    } else if (!leaf.inputs.empty() && !leaf.mentioned &&
               (leaf.role == Leaf::Own || leaf.role == Leaf::Part)) {
      auto& d = diagnostics.report(Code::UnconnectedInput, leaf.inputs[0],
                                   "nothing determines " + name + ", an input of this block");
      if (leaf.role == Leaf::Part)
        d.label(name + " occurs nowhere else");
      else
        d.also(leaf.span, name + " occurs only as an input");
      d.help("connect it to an output, or give it a value: `" + leaf.name + " = 0.0`");
    }
  }
}

/// Each unknown of the block has an equation, and each equation an unknown; false after a report.
bool check_determination(const BlockEquations& equations, const BlockIncidence& incidence,
                         const core::Relation& relation, Diagnostics& diagnostics) {
  graph::Bipartite g = incidence.graph(false);
  graph::Matching m = graph::maximum_matching(g);
  std::string self = "`" + std::string(text(relation.name)) + "`";
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    if (m.column_of_row[r] != graph::kNone) continue;
    graph::HallSet set = graph::too_many_rows(g, m, r);
    std::string names;
    for (std::uint32_t c : set.columns) names += (names.empty() ? "`" : ", `") + incidence.leaf(c).name + "`";
    auto& d = diagnostics.report(
        Code::BlockDetermination, equations.rows[set.rows.back()].span,
        "the block " + self +
            (names.empty() ? " constrains only its inputs" : " determines " + names + " more than once"));
    for (std::uint32_t other : set.rows)
      if (other != set.rows.back()) d.also(equations.rows[other].span, "together with this");
    d.note("a block has one equation for each of its outputs and locals; its inputs are given");
    return false;
  }
  for (std::uint32_t c = 0; c < g.columns; ++c) {
    if (m.row_of_column[c] != graph::kNone) continue;
    const Leaf& leaf = incidence.leaf(c);
    bool alone = !leaf.mentioned;
    auto& d =
        diagnostics.report(Code::BlockDetermination, leaf.span,
                           "nothing in the block " + self + " determines " +
                               (leaf.role == Leaf::Output ? "its output " : "") + "`" + leaf.name + "`");
    if (alone)
      d.label("no equation contains it");
    else
      d.note("the equations that contain it are needed for other variables");
    d.help("an equation is missing; if the other side of the interface determines it, it is an input: `in " +
           leaf.name + "`");
    return false;
  }
  return true;
}

}  // namespace

std::optional<FeedThrough> check_block(const core::Relation& relation, const BlockContext& context) {
  BlockEquations equations = read_equations(relation, context);
  std::size_t errors = context.diagnostics.error_count();
  check_sources(equations, relation, context.diagnostics);
  if (!equations.is_block || !equations.exact || context.diagnostics.error_count() != errors)
    return std::nullopt;
  BlockIncidence incidence(equations);
  if (!check_determination(equations, incidence, relation, context.diagnostics)) return std::nullopt;
  return feed_through(equations, incidence, relation);
}

}  // namespace sigrel::check
