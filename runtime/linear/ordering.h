// Elimination orders of sparse matrices, which determine the fill-in of their factors.
//
//   tree, such as a chain      all leaves, then the leaves of the rest, …: no fill-in
//   chain of groups            breadth-first levels, alternately from both ends (masses with position and
//                              velocity)
//   else                       approximate minimum degree (AMD): fast, good for networks and chains
//   where that leaves much     nested dissection (METIS): slower itself, but on grids half the work for a
//   work                       million entries of the factors, and less for more
//
// The first two eliminate a chain from both ends at once, so the processor has two independent operations
// where either alone would wait for its last result.
//
// Amestoy, Davis, Duff, Algorithm 837: AMD, ACM TOMS 30 (2004). Karypis, Kumar, A fast and high quality
// multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20 (1998): METIS, whose library
// is loaded on demand.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace runtime {

enum class Ordering : std::uint8_t {
  Auto,    // the table above
  Amd,     // approximate minimum degree
  Metis,   // nested dissection; AMD if the library is missing
  Leaves,  // leaves first; a result only
  Ends,    // both ends first; a result only
};
std::optional<Ordering> ordering_named(std::string_view name);  // auto, amd, metis

struct EliminationOrder {
  std::vector<std::int64_t> order;  // unknown order[k] is eliminated in step k
  Ordering by = Ordering::Amd;      // the method
  std::int64_t entries = 0;         // of a factor, diagonal included
  double multiplications = 0;       // of a factorisation
};

/// The order for a matrix with this pattern by columns, symmetrised.
EliminationOrder elimination_order(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                   Ordering wanted);

/// Whether a permutation of 0, 1, … is odd.
bool is_odd(std::span<const std::uint32_t> permutation);

/// The cost of factors in a given order: `entries` and `multiplications`.
EliminationOrder elimination_cost(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                  std::vector<std::int64_t> order);

}  // namespace runtime
