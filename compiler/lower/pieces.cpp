#include "compiler/lower/pieces.h"

#include <algorithm>

namespace sigrel::lower {
namespace {

constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;

template <class F>
void each_operand(const Node& node, F f) {
  int operands = arity(node.op);
  if (operands > 0) f(node.a);
  if (operands > 1) f(node.b);
  if (operands > 2) f(node.c);
}

// Ranges with at most `size` operations each.
std::vector<Piece> ranges(const plan::Body& body, std::uint32_t size) {
  std::vector<Piece> result(1);
  std::uint32_t operations = 0;
  for (std::uint32_t i = 0; i < body.nodes.size(); ++i) {
    bool leaf = arity(body.nodes[i].op) == 0;
    if (!leaf && operations == size) {
      result.back().last = i;
      result.emplace_back().first = i;
      operations = 0;
    }
    operations += !leaf;
  }
  result.back().last = static_cast<std::uint32_t>(body.nodes.size());
  return result;
}

}  // namespace

Pieces cut(const plan::Body& body, std::uint32_t size) {
  Pieces result{ranges(body, std::max(1u, size)), 0};
  std::vector<Piece>& pieces = result.pieces;

  std::vector<std::uint32_t> home(body.nodes.size());
  for (std::uint32_t p = 0; p < pieces.size(); ++p)
    for (std::uint32_t i = pieces[p].first; i < pieces[p].last; ++i) home[i] = p;
  for (std::uint32_t k = 0; k < body.outputs.size(); ++k) pieces[home[body.outputs[k]]].outputs.push_back({k, body.outputs[k]});
  if (pieces.size() == 1) return result;

  // The last piece that uses a value; its own when none after it does.
  std::vector<std::uint32_t> last_use = home;
  for (std::uint32_t i = 0; i < body.nodes.size(); ++i)
    each_operand(body.nodes[i], [&](std::uint32_t operand) { last_use[operand] = std::max(last_use[operand], home[i]); });

  // Cells in the order of the pieces; the cells whose values end in a piece are free after it.
  std::vector<std::uint32_t> cell(body.nodes.size(), kNowhere);
  std::vector<std::uint32_t> free;
  std::vector<std::vector<std::uint32_t>> ends(pieces.size());
  for (std::uint32_t p = 0; p < pieces.size(); ++p) {
    Piece& piece = pieces[p];
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      each_operand(body.nodes[i], [&](std::uint32_t operand) {
        if (home[operand] != p && cell[operand] != kNowhere) piece.in.push_back({operand, cell[operand]});
      });
    }
    std::ranges::sort(piece.in, {}, &Piece::Cell::node);
    auto twice = std::ranges::unique(piece.in, {}, &Piece::Cell::node);
    piece.in.erase(twice.begin(), twice.end());
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      if (last_use[i] == p || arity(body.nodes[i].op) == 0) continue;
      if (free.empty()) {
        cell[i] = result.cells++;
      } else {
        cell[i] = free.back();
        free.pop_back();
      }
      piece.out.push_back({i, cell[i]});
      ends[last_use[i]].push_back(cell[i]);
    }
    free.insert(free.end(), ends[p].begin(), ends[p].end());
  }
  return result;
}

}  // namespace sigrel::lower
