#include "compiler/structural_types/picture.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/singularity/structural_causes.h"
#include "compiler/structural_types/components.h"
#include "compiler/structural_types/cover.h"
#include "compiler/structural_types/degrees_of_freedom.h"
#include "compiler/structural_types/family.h"

namespace sigrel::structural_types {
namespace {

using graph::kNone;

/// A component with its applications replaced by rows. Columns: interface, locals, then what the applications
/// add.
struct Written {
  Incidence incidence;
  struct Origin {
    std::uint32_t application, equation;  // one of them is kNone
  };
  std::vector<Origin> rows;
  std::vector<std::uint32_t>
      definition;                  // of each column that is auxiliary the row that defines it, else kNone
  std::vector<std::string> added;  // the names of the columns after the locals
};

class Composer {
 public:
  Composer(const components::Library& library, const std::vector<std::optional<StructuralType>>& types)
      : library_(library), types_(types) {}

  /// `as_written`: with the equations of the applied relations where they have no locals. What these apply
  /// comes first.
  std::optional<Written> component(std::uint32_t c, bool as_written) {
    if (as_written)
      for (std::uint32_t child : reachable(c))
        if (!known_.contains(child)) known_[child] = local_free(child) ? compose(child, true) : std::nullopt;
    return compose(c, as_written);
  }

 private:
  static constexpr std::uint32_t kRows = 64;  // more of one application are shown as its type

  std::vector<std::uint32_t> reachable(std::uint32_t c) const {
    std::vector<bool> seen(c + 1, false);
    std::vector<std::uint32_t> found, todo{c};
    while (!todo.empty()) {
      std::uint32_t next = todo.back();
      todo.pop_back();
      for (auto& a : library_.components[next].applications)
        if (!seen[a.component]) {
          seen[a.component] = true;
          found.push_back(a.component);
          todo.push_back(a.component);
        }
    }
    std::ranges::sort(found);  // children come first
    return found;
  }

  const system::Template& body(std::uint32_t c) const {
    return library_.system.templates[library_.components[c].body];
  }
  bool is_auxiliary(std::uint32_t c, std::uint32_t variable) const {
    const components::Component& component = library_.components[c];
    if (variable < component.interface || variable - component.interface >= body(c).locals.size())
      return false;
    return body(c).locals[variable - component.interface].kind == system::UnknownKind::Auxiliary;
  }
  bool local_free(std::uint32_t c) const {
    const components::Component& component = library_.components[c];
    if (!types_[c] || !component.holes.empty() || !component.exposed.empty() ||
        !component.combinations.empty() || component.sources.size() > kRows)
      return false;
    for (std::uint32_t v = component.interface; v < component.interface + component.locals; ++v)
      if (!is_auxiliary(c, v)) return false;
    return std::ranges::all_of(component.applications, [&](auto& a) {
      auto at = known_.find(a.component);
      return at != known_.end() && at->second && at->second->incidence.rows.rows() <= kRows;
    });
  }

  std::optional<Written> compose(std::uint32_t c, bool as_written) const {
    const components::Component& component = library_.components[c];
    Written result;
    result.definition.assign(component.interface + component.locals, kNone);
    std::vector<std::uint32_t> row;
    auto end = [&](Written::Origin origin) {
      std::ranges::sort(row);
      row.erase(std::ranges::unique(row).begin(), row.end());
      graph::Bipartite& rows = result.incidence.rows;
      rows.targets.insert(rows.targets.end(), row.begin(), row.end());
      rows.end_row();
      result.rows.push_back(origin);
      row.clear();
    };
    for (std::uint32_t a = 0; a < component.applications.size(); ++a) {
      const auto& application = component.applications[a];
      if (!types_[application.component]) return std::nullopt;
      const Written* child = nullptr;
      if (auto at = known_.find(application.component); as_written && at != known_.end() && at->second)
        child = &*at->second;
      const Incidence& incidence = child ? child->incidence : types_[application.component]->incidence();
      std::vector<std::uint32_t> actual;
      for (std::uint32_t i = 0; i < incidence.interface; ++i)
        actual.push_back(component.arguments[application.first_argument + i]);
      const auto first_row = static_cast<std::uint32_t>(result.rows.size());
      for (std::uint32_t h = 0; h < incidence.hidden; ++h) {
        actual.push_back(static_cast<std::uint32_t>(result.definition.size()));
        std::uint32_t definition = child ? child->definition[incidence.interface + h] : kNone;
        result.definition.push_back(definition == kNone ? kNone : first_row + definition);
        result.added.push_back(text(body(c).children[a].name) + "~" + std::to_string(h + 1));
      }
      for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r) {
        for (std::uint32_t v : incidence.rows.row(r)) row.push_back(actual[v]);
        end({a, kNone});
      }
    }
    for (std::uint32_t e = 0; e < component.sources.size(); ++e) {
      row.assign(component.variables.begin() + component.offsets[e],
                 component.variables.begin() + component.offsets[e + 1]);
      if (library_.system.sources[component.sources[e]].kind == system::EquationKind::Argument) {
        // Its auxiliary unknown was made together with it: of those that have no definition yet, the first
        // one.
        std::uint32_t first = kNone;
        for (std::uint32_t v : row)
          if (is_auxiliary(c, v) && result.definition[v] == kNone) first = std::min(first, v);
        if (first != kNone) result.definition[first] = static_cast<std::uint32_t>(result.rows.size());
      }
      end({kNone, e});
    }
    result.incidence.interface = component.interface;
    result.incidence.rows.columns = static_cast<std::uint32_t>(result.definition.size());
    result.incidence.hidden = result.incidence.rows.columns - component.interface;
    return result;
  }

  const components::Library& library_;
  const std::vector<std::optional<StructuralType>>& types_;
  std::unordered_map<std::uint32_t, std::optional<Written>> known_;
};

/// The columns of a row with auxiliary ones replaced by what defines them.
std::vector<std::uint32_t> folded(const Written& w, std::uint32_t r) {
  std::vector<std::uint32_t> result, todo(w.incidence.rows.row(r).begin(), w.incidence.rows.row(r).end());
  std::vector<bool> seen(w.incidence.columns(), false);
  while (!todo.empty()) {
    std::uint32_t c = todo.back();
    todo.pop_back();
    if (seen[c]) continue;
    seen[c] = true;
    if (w.definition[c] == kNone)
      result.push_back(c);
    else
      todo.insert(todo.end(), w.incidence.rows.row(w.definition[c]).begin(),
                  w.incidence.rows.row(w.definition[c]).end());
  }
  std::ranges::sort(result);
  return result;
}

std::string first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (auto comment = text.find(" --"); comment != std::string_view::npos) text = text.substr(0, comment);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
    text.remove_suffix(1);
  std::string result;
  for (char c : text)
    if (c != ' ' || !result.ends_with(' ')) result += c;
  return result;
}

/// Sizes of relation parameters with which a component can be completed.
struct Assumed {
  Sizes sizes;
  Fit fit;
};
/// Also puts what has parameters into `types`, with these sizes.
std::optional<Assumed> assume(const components::Library& library,
                              std::vector<std::optional<StructuralType>>& types, std::uint32_t component) {
  const std::vector<std::optional<StructuralType>> closed = types;
  Holes holes(library, closed);
  Assumed result;
  for (std::uint32_t c = 0; c <= component; ++c)
    if (!library.components[c].holes.empty()) result.fit = holes.fit(c);
  if (result.fit.kind != Fit::Some) return std::nullopt;
  const std::vector<std::uint32_t>& mine = library.components[component].holes;
  // What a relation over connectors has as a rule, half as many as unknowns, or what is nearest to it.
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const std::uint32_t half = library.components[library.holes[mine[i]].component].interface / 2;
    result.sizes.push_back(std::clamp(half, result.fit.sizes[i].first, result.fit.sizes[i].last));
  }
  if (result.fit.only) result.sizes = *result.fit.only;
  auto with = [&](std::uint32_t c) {
    Sizes sizes;
    for (std::uint32_t hole : library.components[c].holes)
      sizes.push_back(result.sizes[static_cast<std::size_t>(std::ranges::find(mine, hole) - mine.begin())]);
    types[c] = holes.type_at(c, sizes);
  };
  for (auto& application : library.components[component].applications)
    if (!library.components[application.component].holes.empty()) with(application.component);
  with(component);
  if (!types[component]) return std::nullopt;  // each size occurs in some combination, these together do not
  return result;
}

std::optional<Picture> picture(const components::Library& library,
                               std::vector<std::optional<StructuralType>> types, std::uint32_t component,
                               const SourceMap& sources) {
  const components::Component& c = library.components[component];
  const system::Template& body = library.system.templates[c.body];
  Picture result;
  result.relation = text(body.relation);
  result.modes = modes(c);
  result.interface = c.interface;
  std::optional<Assumed> assumed;
  if (!c.holes.empty()) {
    assumed = assume(library, types, component);
    if (!assumed) return std::nullopt;
    for (std::size_t i = 0; i < c.holes.size(); ++i)
      result.assumed += (i > 0 ? ", " : "") +
                        std::string(text(library.holes[c.holes[i]].parameter.parameter)) + " {#" +
                        std::to_string(assumed->sizes[i]) + "}";
  }
  // A singular one as check() saw it, so that the same set is blamed.
  std::optional<Written> written =
      Composer(library, types).component(component, types[component].has_value());
  if (!written) return std::nullopt;
  const Written& w = *written;
  const Cover covering = cover(w.incidence);
  const std::uint32_t rows = w.incidence.rows.rows();

  std::vector<bool> defines(rows, false), blamed_row(rows, false),
      blamed_column(w.incidence.columns(), false);
  for (std::uint32_t d : w.definition)
    if (d != kNone) defines[d] = true;
  if (!covering.complete()) {
    const singularity::StructuralCauses causes =
        singularity::structural_causes(w.incidence.rows, w.incidence.interface);
    const graph::HallSet& set = causes.over ? causes.over->set : causes.under.front().set;
    for (std::uint32_t r : set.rows) blamed_row[r] = true;
    for (std::uint32_t v : set.columns) blamed_column[v] = true;
  }

  std::vector<std::uint32_t> shown(w.incidence.columns(), kNone);
  for (std::uint32_t v = 0; v < w.incidence.columns(); ++v) {
    if (w.definition[v] != kNone) continue;
    shown[v] = static_cast<std::uint32_t>(result.columns.size());
    const std::uint32_t local = v - c.interface;
    std::string name;
    if (v < c.interface)
      name = body.interface[v];
    else if (local < body.locals.size())
      name = text(body.locals[local].name);
    else if (local < c.locals)
      name = text(c.reads[local - body.locals.size()].name);
    else
      name = w.added[local - c.locals];
    result.columns.push_back({std::move(name), blamed_column[v]});
  }
  std::vector<std::uint32_t> order;
  std::vector<Span> spans;
  for (std::uint32_t r = 0; r < rows; ++r) {
    const Written::Origin& origin = w.rows[r];
    spans.push_back(origin.application != kNone ? body.children[origin.application].span
                                                : library.system.sources[c.sources[origin.equation]].span);
    if (!defines[r]) order.push_back(r);
  }
  std::ranges::stable_sort(order, {},
                           [&](std::uint32_t r) { return std::pair(spans[r].file, spans[r].begin); });
  for (std::uint32_t r : order) {
    Picture::Row row;
    const SourceFile& file = sources.file(spans[r].file);
    row.line = file.position(spans[r].begin).line;
    row.text = first_line(sources.text(spans[r]));
    if (const std::uint32_t e = w.rows[r].equation; e != kNone) {
      const system::SourceEquation& source = library.system.sources[c.sources[e]];
      if (source.kind == system::EquationKind::NodeSum) row.text = "flows at " + text(source.component);
      if (source.kind == system::EquationKind::Potential) row.text = "potential of " + text(source.component);
    }
    const Picture::Row* above = result.rows.empty() ? nullptr : &result.rows.back();
    row.continued = above && above->line == row.line && above->text == row.text;
    row.blamed = blamed_row[r];
    for (std::uint32_t v : folded(w, r)) row.columns.push_back(shown[v]);
    // From an auxiliary unknown on to what its own equation determines: ends, since no two rows are matched
    // with one column.
    std::uint32_t v = covering.matching.column_of_row[r];
    while (v != kNone && w.definition[v] != kNone) v = covering.matching.column_of_row[w.definition[v]];
    if (v != kNone) row.matched = shown[v];
    result.rows.push_back(std::move(row));
  }

  result.type = types[component];
  if (result.type && c.holes.empty()) result.freedom = degrees_of_freedom(library, component);
  if (assumed)
    if (std::string needs = to_text(std::nullopt, assumed->fit, library, component); !needs.empty())
      result.assumed += " (what fits: " + needs + ")";
  if (result.type && result.type->hidden() == 0 && result.type->columns() <= 512)
    if (StructuralType maximal = maximal_presentation(*result.type); maximal != *result.type)
      result.maximal = std::move(maximal);
  return result;
}

}  // namespace

std::vector<Picture> pictures(const components::Library& library,
                              const std::vector<std::optional<StructuralType>>& types,
                              std::uint32_t component, const SourceMap& sources) {
  std::vector<Picture> result;
  auto add = [&](std::uint32_t c) {
    if (std::optional<Picture> one = picture(library, types, c, sources)) result.push_back(std::move(*one));
  };
  const auto& combinations = library.components[component].combinations;
  if (combinations.empty()) add(component);
  for (const components::Component::Combination& c : combinations)
    if (c.component) add(*c.component);
  return result;
}

}  // namespace sigrel::structural_types
