#include "compiler/structural_types/rules.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "compiler/structural_types/bits.h"

namespace sigrel::structural_types::rules {
namespace {

using Rows = std::vector<Columns>;

Columns bit(unsigned i) { return Columns{1} << i; }
unsigned size(Columns set) { return static_cast<unsigned>(std::popcount(set)); }
/// The members of a set, ascending.
std::vector<unsigned> members(Columns set) {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < 64; ++i)
    if (set & bit(i)) result.push_back(i);
  return result;
}

/// Finds a place for a row among `columns` that were not tried, moving other rows if necessary.
bool place(const Rows& rows, unsigned row, Columns columns, Columns& tried, std::vector<int>& row_of) {
  for (unsigned c : members(rows[row] & columns)) {
    if (tried & bit(c)) continue;
    tried |= bit(c);
    if (row_of[c] < 0 || place(rows, static_cast<unsigned>(row_of[c]), columns, tried, row_of)) {
      row_of[c] = static_cast<int>(row);
      return true;
    }
  }
  return false;
}

/// The size of a maximum matching of the rows with `columns`.
unsigned rank(const Rows& rows, Columns columns) {
  std::vector<int> row_of(64, -1);
  unsigned result = 0;
  for (unsigned r = 0; r < rows.size(); ++r) {
    Columns tried = 0;
    result += place(rows, r, columns, tried, row_of);
  }
  return result;
}

Columns all_columns(const Matrix& m) { return m.interface | m.hidden; }

/// Whether one matching covers all rows and all hidden columns (Mendelsohn and Dulmage: if one covers the
/// rows and one the hidden columns, then one covers both).
bool coverable(const Rows& rows, Columns hidden, Columns columns) {
  return rank(rows, hidden) == size(hidden) && rank(rows, columns) == rows.size();
}

std::vector<std::size_t> rows_with(const Matrix& m, Columns columns) {
  std::vector<std::size_t> result;
  for (std::size_t r = 0; r < m.rows.size(); ++r)
    if (m.rows[r] & columns) result.push_back(r);
  return result;
}

/// Takes rows away and returns their union. `which` is ascending.
Columns take_rows(Matrix& m, const std::vector<std::size_t>& which) {
  Columns together = 0;
  for (std::size_t k = which.size(); k-- > 0;) {
    together |= m.rows[which[k]];
    m.rows.erase(m.rows.begin() + static_cast<std::ptrdiff_t>(which[k]));
  }
  return together;
}

/// Takes columns away, with their edges.
void take_columns(Matrix& m, Columns columns) {
  m.interface &= ~columns;
  m.hidden &= ~columns;
  for (Columns& row : m.rows) row &= ~columns;
}

/// Whether every set of columns of full rank within `within` contains `column`.
bool is_coloop(const Rows& rows, unsigned column, Columns within) {
  return rank(rows, within) > rank(rows, within & ~bit(column));
}

/// Bondy and Welsh: an edge (e, x) can be added iff x is a coloop of the matroid restricted to the columns
/// outside row e; so it can be deleted iff it can be added again.
bool can_be_added(const Matrix& m, std::size_t e, unsigned x) {
  return is_coloop(m.rows, x, all_columns(m) & ~m.rows[e]);
}
bool can_be_deleted(Matrix m, std::size_t e, unsigned x) {
  m.rows[e] &= ~bit(x);
  return can_be_added(m, e, x);
}

bool shown_first(Columns a, Columns b) { return shown_before(Bits<1>{{a}}, Bits<1>{{b}}); }

}  // namespace

Matrix matrix_of(const Incidence& incidence) {
  assert(incidence.columns() <= 64);
  Matrix m;
  for (std::uint32_t c = 0; c < incidence.columns(); ++c)
    (c < incidence.interface ? m.interface : m.hidden) |= bit(c);
  for (std::uint32_t r = 0; r < incidence.rows.rows(); ++r) {
    m.rows.push_back(0);
    for (std::uint32_t c : incidence.rows.row(r)) m.rows.back() |= bit(c);
  }
  return m;
}

StructuralType canonical_type(Matrix m, std::uint32_t interface) {
  assert(m.hidden == 0);
  maximise(m);
  std::ranges::sort(m.rows, shown_first);
  for (std::size_t e = 0; e < m.rows.size(); ++e) {
    std::vector<unsigned> columns = members(m.rows[e]);
    for (std::size_t k = columns.size(); k-- > 0;)
      if (can_be_deleted(m, e, columns[k])) m.rows[e] &= ~bit(columns[k]);
  }
  for (unsigned x : members(m.coloops)) m.rows.push_back(bit(x));
  std::ranges::sort(m.rows, shown_first);
  Incidence incidence{interface, 0, {}};
  incidence.rows.columns = interface;
  for (Columns row : m.rows) {
    for (unsigned c : members(row)) incidence.rows.targets.push_back(c);
    incidence.rows.end_row();
  }
  return StructuralType(incidence);
}

std::vector<Columns> family(const Matrix& m) {
  std::vector<Columns> result;
  const std::size_t rank_of_type = m.rows.size() - size(m.hidden);
  for (Columns set = m.interface;; set = (set - 1) & m.interface) {
    if (size(set) == rank_of_type && rank(m.rows, m.hidden | set) == m.rows.size())
      result.push_back(set | m.coloops);
    if (set == 0) break;
  }
  std::ranges::sort(result);
  return result;
}

bool k1(Matrix& m) {
  const Matrix before = m;
  for (std::size_t r = 0; r < m.rows.size(); ++r)
    for (unsigned c : members(before.rows[r])) {
      Rows others = before.rows;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(r));
      if (!coverable(others, before.hidden & ~bit(c), all_columns(before) & ~bit(c))) m.rows[r] &= ~bit(c);
    }
  Rows todo = m.rows;
  while (!todo.empty()) {
    Columns component = todo.back();
    for (bool grown = true; grown;) {
      grown = false;
      for (Columns row : todo)
        if ((row & component) && (row & ~component)) {
          component |= row;
          grown = true;
        }
    }
    std::erase_if(todo, [&](Columns row) { return (row & component) != 0; });
    const std::vector<std::size_t> rows = rows_with(m, component);
    if (rows.size() != size(component)) continue;
    m.coloops |= component & m.interface;
    take_rows(m, rows);
    take_columns(m, component);
  }
  Columns occurring = 0;
  for (Columns row : m.rows) occurring |= row;
  m.interface &= occurring;
  return m != before;
}

bool k2(Matrix& m) {
  for (unsigned z : members(m.hidden)) {
    const auto rows = rows_with(m, bit(z));
    if (rows.size() != 1) continue;
    take_rows(m, rows);
    take_columns(m, bit(z));
    return true;
  }
  for (std::size_t r = 0; r < m.rows.size(); ++r) {
    const Columns row = m.rows[r];
    if (size(row) != 1 || !(row & m.hidden)) continue;
    take_rows(m, {r});
    take_columns(m, row);
    return true;
  }
  return false;
}

bool k3(Matrix& m) {
  for (unsigned z : members(m.hidden)) {
    const auto rows = rows_with(m, bit(z));
    if (rows.size() != 2) continue;
    m.rows.push_back(take_rows(m, rows));
    take_columns(m, bit(z));
    return true;
  }
  return false;
}

bool k4(Matrix& m) {
  for (std::size_t r = 0; r < m.rows.size(); ++r) {
    const Columns row = m.rows[r];
    if (size(row) != 2 || !(row & m.hidden)) continue;
    const unsigned y = members(row)[0], z = members(row)[1];  // z is hidden: interface columns come first
    take_rows(m, {r});
    for (std::size_t other : rows_with(m, bit(z))) m.rows[other] |= bit(y);
    take_columns(m, bit(z));
    return true;
  }
  return false;
}

bool k5(Matrix& m) {
  for (Columns z = m.hidden; z != 0; z = (z - 1) & m.hidden) {
    const auto rows = rows_with(m, z);
    if (rows.size() != size(z) + 1) continue;
    m.rows.push_back(take_rows(m, rows));
    take_columns(m, z);
    return true;
  }
  return false;
}

bool k5_dual(Matrix& m) {
  for (Columns x = 1; x < bit(static_cast<unsigned>(m.rows.size())); ++x) {
    std::vector<std::size_t> rows;
    Columns columns = 0;
    for (unsigned r : members(x)) {
      rows.push_back(r);
      columns |= m.rows[r];
    }
    if (size(columns) != rows.size() + 1 || size(columns & m.interface) > 1) continue;
    const unsigned kept = members(columns)[0];  // the interface column, if there is one
    take_rows(m, rows);
    for (std::size_t other : rows_with(m, columns)) m.rows[other] |= bit(kept);
    take_columns(m, columns & ~bit(kept));
    return true;
  }
  return false;
}

bool k6(Matrix& m) {
  for (std::size_t e = 0; e < m.rows.size(); ++e) {
    if (!(m.rows[e] & m.hidden)) continue;
    for (Columns first : {m.hidden, m.interface})
      for (unsigned x : members(m.rows[e] & first))
        if (can_be_deleted(m, e, x)) {
          m.rows[e] &= ~bit(x);
          return true;
        }
  }
  return false;
}

bool k8(Matrix& m) {
  if (m.hidden == 0) return false;
  const unsigned full = static_cast<unsigned>(m.rows.size()) - size(m.hidden);
  auto rank_of = [&](Columns set) { return rank(m.rows, m.hidden | set) - size(m.hidden); };
  std::vector<Columns> cyclic_flats;
  for (Columns set = m.interface;; set = (set - 1) & m.interface) {
    bool cyclic_flat = true;
    for (unsigned x : members(m.interface))
      cyclic_flat = cyclic_flat && (set & bit(x) ? rank_of(set & ~bit(x)) == rank_of(set)
                                                 : rank_of(set | bit(x)) > rank_of(set));
    if (cyclic_flat) cyclic_flats.push_back(set);
    if (set == 0) break;
  }
  std::ranges::stable_sort(cyclic_flats, [](Columns a, Columns b) { return size(a) > size(b); });
  std::vector<int> beta;
  Matrix presented{m.interface, 0, {}, m.coloops};
  for (Columns flat : cyclic_flats) {
    int b = static_cast<int>(full) - static_cast<int>(rank_of(flat));
    for (std::size_t g = 0; g < beta.size(); ++g)
      if ((cyclic_flats[g] & flat) == flat) b -= beta[g];
    beta.push_back(b);
    for (int k = 0; k < b; ++k) presented.rows.push_back(m.interface & ~flat);
  }
  if (std::ranges::any_of(beta, [](int b) { return b < 0; }) || presented.rows.size() != full ||
      family(presented) != family(m))
    return false;
  m = presented;
  return true;
}

bool k9(Matrix& m) {
  for (unsigned h : members(m.hidden)) {
    Columns common = all_columns(m);
    const auto rows = rows_with(m, bit(h));
    for (std::size_t r : rows) common &= m.rows[r];
    for (std::size_t r : rows) {
      if (m.rows[r] & ~common) continue;
      take_rows(m, {r});
      take_columns(m, bit(h));
      return true;
    }
  }
  return false;
}

void maximise(Matrix& m) {
  for (std::size_t e = 0; e < m.rows.size(); ++e)
    for (unsigned x : members(all_columns(m) & ~m.rows[e]))
      if (can_be_added(m, e, x)) m.rows[e] |= bit(x);
}

Matrix reduce(Matrix m) {
  auto any = [&] {
    return k1(m) || k2(m) || k3(m) || k4(m) || k8(m) || k9(m) || k5(m) || k5_dual(m) || k6(m);
  };
  while (any()) {}
  return m;
}

}  // namespace sigrel::structural_types::rules
