// The order in which the unknowns of a sparse matrix are eliminated decides how full its factors are.
// Approximate minimum degree (AMD) is quick and good for networks and chains. On grids nested dissection does
// less work, the less the larger they are: half of it for a million entries in the factors. It takes longer
// itself, so it is asked only where AMD's order leaves much to do. Where the unknowns make a tree, such as a
// chain, its leaves go first, all of them, then those of what is left, and so on: nothing is filled, and a
// chain is eliminated from both ends at once, so that the processor has two things to do where each alone
// would wait for its last result. The same for chains of several unknowns to a link, as masses with positions
// and velocities.
//
// Amestoy, Davis, Duff, Algorithm 837: AMD, ACM TOMS 30 (2004). Karypis, Kumar, A fast and high quality
// multilevel scheme for partitioning irregular graphs, SIAM J. Sci. Comput. 20 (1998): METIS, whose library
// is looked for when it is needed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace runtime {

enum class Ordering : std::uint8_t {
  Auto,  // leaves first in a tree, from both ends in a chain; else AMD, or METIS where that leaves less to do
  Amd,
  Metis,  // AMD where there is no METIS
  Leaves,
  Ends,
};
std::optional<Ordering> ordering_named(std::string_view name);  // auto, amd, metis

struct EliminationOrder {
  std::vector<std::int64_t> order;  // order[k] is eliminated as number k
  Ordering by = Ordering::Amd;      // what gave it
  std::int64_t entries = 0;         // of a factor, with its diagonal
  double multiplications = 0;       // of a factorisation
};

/// The order for a matrix with a pattern by columns, as if it were symmetric.
EliminationOrder elimination_order(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                   Ordering wanted);

/// What factors in a given order take: `entries` and `multiplications`.
EliminationOrder elimination_cost(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                  std::vector<std::int64_t> order);

}  // namespace runtime
