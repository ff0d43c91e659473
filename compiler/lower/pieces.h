// Pieces: the cut of a large kernel into functions of bounded size. Node numbers ascend from operands to users, so a piece
// is a range of them; a value that a later piece needs goes through a cell of a frame. Leaves are loaded again instead.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/code.h"

namespace sigrel::lower {

struct Piece {
  struct Cell {
    std::uint32_t node = 0, cell = 0;
  };
  struct Output {
    std::uint32_t number = 0, node = 0;
  };
  std::uint32_t first = 0, last = 0;  // nodes [first, last)
  std::vector<Cell> in, out;          // ascending by node
  std::vector<Output> outputs;        // of the kernel
};

struct Pieces {
  std::vector<Piece> pieces;
  std::uint32_t cells = 0;  // of the frame
};

/// At most `size` operations a piece; one piece when they fit.
Pieces cut(const plan::Body& body, std::uint32_t size);

}  // namespace sigrel::lower
