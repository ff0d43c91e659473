#include "compiler/structural_types/mixed.h"

#include <algorithm>
#include <set>

#include "compiler/exact/null_space.h"

namespace sigrel::structural_types {
namespace {

constexpr std::size_t kMostWork = 20'000'000;
constexpr std::size_t kMostRows = 50'000;      // expanded
constexpr std::uint64_t kRates = 0x5DEECE66D;  // seed of s
constexpr std::size_t kVectors = 256;

/// Numbers that depend on the seed alone (Steele, Lea, Flood 2014).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed * 0xD1342543DE82EF95u) {}
  exact::Field next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return exact::Field::from_bits(z ^ z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Columns for elimination: hidden ones first, then the interface.
std::uint32_t place(std::uint32_t variable, std::uint32_t interface, std::uint32_t hidden) {
  return variable < interface ? hidden + variable : variable - interface;
}

/// The values of slopes, equation by equation.
class Coefficients {
 public:
  Coefficients(exact::Field s, Draw& draw) : s_(s), draw_(draw) {}
  void next_equation() { generic_.clear(); }
  exact::Field of(const components::Coefficient& coefficient) {
    exact::Field value(coefficient.factor);
    while (generic_.size() < coefficient.generic) generic_.push_back(draw_.next());
    if (coefficient.generic > 0) value = value * generic_[coefficient.generic - 1];
    for (std::uint32_t k = 0; k < coefficient.order; ++k) value = value * s_;
    return value;
  }

 private:
  exact::Field s_;
  Draw& draw_;
  std::vector<exact::Field> generic_;
};

/// The equations as rows for elimination; the coefficients of equation e are those from offsets[e] on.
std::vector<exact::SparseRow> drawn(const graph::Bipartite& equations,
                                    std::span<const components::Coefficient> coefficients,
                                    std::uint32_t interface, exact::Field s, Draw& draw) {
  Coefficients values(s, draw);
  std::vector<exact::SparseRow> rows(equations.rows());
  for (std::uint32_t r = 0; r < rows.size(); ++r) {
    values.next_equation();
    rows[r].reserve(equations.row(r).size());
    for (std::uint32_t k = equations.offsets[r]; k < equations.offsets[r + 1]; ++k)
      rows[r].push_back({place(equations.targets[k], interface, equations.columns - interface),
                         values.of(coefficients[k])});
    exact::tidy(rows[r]);
  }
  return rows;
}

std::vector<exact::SparseRow> rows_of(const Flat& flat, exact::Field s, Draw& draw) {
  return drawn(flat.expansion.incidence.rows, flat.coefficients, flat.expansion.incidence.interface, s, draw);
}

struct Reduced {
  bool regular = false;
  std::vector<exact::SparseRow> rows;  // over the interface, numbered from 0
};

/// Nothing beyond the budget.
std::optional<Reduced> reduced(std::vector<exact::SparseRow> rows, std::uint32_t interface,
                               std::uint32_t hidden) {
  Reduced result;
  auto inner = exact::eliminate(std::move(rows), hidden, kMostWork);
  if (!inner) return std::nullopt;
  if (inner->pivots.size() < hidden) return result;
  std::vector<bool> used(inner->rows.size(), false);
  for (auto& pivot : inner->pivots) used[pivot.row] = true;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (used[r]) continue;
    if (inner->rows[r].empty()) return result;
    for (exact::Entry& e : inner->rows[r]) e.column -= hidden;
    result.rows.push_back(std::move(inner->rows[r]));
  }
  auto outer = exact::eliminate(result.rows, interface, kMostWork);
  if (!outer) return std::nullopt;
  result.regular = outer->pivots.size() == result.rows.size();
  return result;
}

/// Null vectors over the hidden columns.
std::vector<NullVector> free_columns(const Flat& flat, const exact::Echelon<exact::Field>& echelon,
                                     std::uint32_t hidden) {
  std::vector<NullVector> result;
  for (const exact::SparseRow& entries : exact::null_space(echelon, hidden, kVectors)) {
    NullVector& vector = result.emplace_back();
    vector.floating = entries.size() > 1;
    for (const exact::Entry& e : entries) {
      vector.support.push_back(flat.expansion.incidence.interface + e.column);
      vector.floating = vector.floating && e.value == exact::Field(1);
    }
  }
  return result;
}

/// Every row gets a column of its own, which says in the end what the rows that vanish are made of.
std::vector<NullVector> redundant_rows(std::vector<exact::SparseRow> rows, std::uint32_t columns) {
  for (std::uint32_t r = 0; r < rows.size(); ++r) rows[r].push_back({columns + r, exact::Field(1)});
  auto e = exact::eliminate(std::move(rows), columns, kMostWork);
  std::vector<NullVector> result;
  if (!e) return result;
  std::vector<bool> used(e->rows.size(), false);
  for (auto& pivot : e->pivots) used[pivot.row] = true;
  for (std::size_t r = 0; r < used.size(); ++r) {
    if (used[r]) continue;
    NullVector vector;
    for (const exact::Entry& entry : e->rows[r]) vector.support.push_back(entry.column - columns);
    vector.floating = vector.support.size() > 1 && std::ranges::all_of(e->rows[r], [&](auto& x) {
                        return x.value == e->rows[r][0].value;
                      });
    result.push_back(std::move(vector));
  }
  std::ranges::stable_sort(result, {}, [](const NullVector& v) { return v.support.size(); });
  if (result.size() > kVectors) result.resize(kVectors);
  return result;
}

/// An equation and a variable of the definition itself for each floating potential that is not inside a part
/// (the definition of the part has it), such that no potential or redundancy counted before has them.
std::vector<Singularity::Reference> references(const Singularity& s, const components::Library& library) {
  const Expansion& e = s.flat.expansion;
  const std::vector<std::uint32_t> renamed =
      renamed_variables(library.components[s.flat.components[e.instances[0].definition]]);
  std::set<std::uint32_t> rows_before, columns_before;
  std::vector<Singularity::Reference> result;
  auto own_row = [&](std::uint32_t r) { return e.rows[r].instance == 0; };
  auto own_column = [&](std::uint32_t c) { return e.columns[c].instance == 0; };
  std::vector<const NullVector*> free, redundant;
  for (const NullVector& v : s.free)
    if (std::ranges::any_of(v.support, own_column)) free.push_back(&v);
  for (const NullVector& v : s.redundant)
    if (std::ranges::any_of(v.support, own_row)) redundant.push_back(&v);
  if (free.size() != redundant.size()) return {};
  for (std::size_t k = 0; k < free.size(); ++k) {
    const auto& rows = redundant[k]->support;
    const auto& columns = free[k]->support;
    auto row =
        std::ranges::find_if(rows, [&](std::uint32_t r) { return own_row(r) && !rows_before.contains(r); });
    auto column = std::ranges::find_if(
        columns, [&](std::uint32_t c) { return own_column(c) && !columns_before.contains(c); });
    if (row == rows.end() || column == columns.end()) return {};
    result.push_back({e.rows[*row].index, renamed[e.columns[*column].index]});
    rows_before.insert(rows.begin(), rows.end());
    columns_before.insert(columns.begin(), columns.end());
  }
  return result;
}

/// Fills in the verdict on floating potentials, and their references where it is that they are harmless.
void judge(Singularity& s, const components::Library& library) {
  if (s.free.empty() || !std::ranges::all_of(s.free, &NullVector::floating)) return;
  const Incidence& whole = s.flat.expansion.incidence;
  std::vector<bool> floating(whole.columns(), false), redundant(whole.rows.rows(), false);
  for (const NullVector& v : s.free)
    for (std::uint32_t c : v.support) floating[c] = true;
  for (const NullVector& v : s.redundant)
    for (std::uint32_t r : v.support) redundant[r] = true;
  singularity::FloatingVerdict<std::uint32_t> verdict;
  verdict.floats = true;
  verdict.potentials = s.free.size();
  verdict.redundant = s.redundant.size();
  for (std::uint32_t r = 0; r < whole.rows.rows(); ++r) {
    const FlatRow& row = s.flat.expansion.rows[r];
    const std::vector<bool>& homogeneous =
        library.components[s.flat.components[s.flat.expansion.instances[row.instance].definition]]
            .homogeneous;
    bool exact = row.index < homogeneous.size() && homogeneous[row.index];
    bool contains_floating = false, condition = false;
    for (std::uint32_t k = whole.rows.offsets[r]; k < whole.rows.offsets[r + 1]; ++k) {
      const components::Coefficient& coefficient = s.flat.coefficients[k];
      exact = exact && coefficient.generic == 0;
      contains_floating = contains_floating || floating[whole.rows.targets[k]];
      condition = condition || (coefficient.decides && floating[whole.rows.targets[k]]);
    }
    if (redundant[r] && contains_floating) return;
    if (redundant[r] && !exact && !verdict.numbers) verdict.numbers = r;
    if (condition && !verdict.condition) verdict.condition = r;
  }
  s.verdict = verdict;
  if (verdict.harmless()) s.references = references(s, library);
}

}  // namespace

std::optional<std::vector<exact::SparseRow>> MixedLayer::composed(std::uint32_t component,
                                                                  const Definition& d) const {
  const components::Component& c = library_.components[component];
  const exact::Field s = Draw(kRates).next();
  Draw draw(component + 1);
  std::vector<exact::SparseRow> rows = drawn(d.equations(), c.coefficients, d.interface(), s, draw);
  for (std::uint32_t a = 0; a < d.applications(); ++a) {
    const auto& child = rows_[d.relation(a)];
    if (!child) return std::nullopt;
    for (exact::SparseRow row : *child) {
      for (exact::Entry& e : row)
        e.column = place(d.argument(d.first_argument(a) + e.column)[0], d.interface(), d.locals());
      exact::tidy(row);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::optional<Singularity> MixedLayer::check(std::uint32_t component, const Definition& definition) {
  auto composed = this->composed(component, definition);
  if (!composed) return std::nullopt;
  auto once = reduced(std::move(*composed), definition.interface(), definition.locals());
  if (!once) return std::nullopt;
  if (once->regular) {
    rows_[component] = std::move(once->rows);
    return std::nullopt;
  }
  auto flat = flatten(library_, component, kMostRows);
  if (!flat) return std::nullopt;
  const std::uint32_t interface = flat->expansion.incidence.interface,
                      hidden = flat->expansion.incidence.hidden;
  std::vector<exact::SparseRow> rows;
  for (std::uint64_t attempt = 1; attempt <= 2; ++attempt) {
    Draw draw(~(std::uint64_t{component} << 2 | attempt));
    exact::Field s = draw.next();
    rows = rows_of(*flat, s, draw);
    auto again = reduced(rows, interface, hidden);
    if (!again) return std::nullopt;
    if (again->regular) {
      // With the s that all components share.
      Draw shared(~(std::uint64_t{component} << 2 | 3));
      auto handed_up = reduced(rows_of(*flat, Draw(kRates).next(), shared), interface, hidden);
      if (handed_up && handed_up->regular) rows_[component] = std::move(handed_up->rows);
      return std::nullopt;
    }
  }
  Singularity result;
  auto inner = exact::eliminate(rows, hidden, kMostWork);
  if (inner) result.free = free_columns(*flat, *inner, hidden);
  result.redundant = redundant_rows(std::move(rows), hidden + interface);
  result.flat = std::move(*flat);
  if (result.free.empty() && result.redundant.empty()) return std::nullopt;  // too large to find the cause
  judge(result, library_);
  if (!result.harmless()) return result;
  auto with_zeros = this->composed(component, definition);
  for (auto [equation, variable] : result.references)
    (*with_zeros)[equation] = {
        {place(variable, definition.interface(), definition.locals()), exact::Field(1)}};
  auto handed_up = reduced(std::move(*with_zeros), definition.interface(), definition.locals());
  if (handed_up && handed_up->regular)
    rows_[component] = std::move(handed_up->rows);
  else
    result.references.clear();
  return result;
}

}  // namespace sigrel::structural_types
