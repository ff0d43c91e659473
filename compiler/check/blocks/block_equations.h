// The equations of one relation body, for the analysis of blocks: which signals each equation and each
// applied block reads. A signal is a leaf: a scalar, or a vector as a whole.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/check/blocks/block.h"

namespace sigrel::check {

struct Leaf {
  /// Outside: an unmarked formal; Own: a local; Part: of an instance.
  enum Role : std::uint8_t { Input, Output, Outside, Own, Part } role;
  bool vector = false, state = false;
  std::string name;
  Span span;
  bool mentioned = false;     // other than as an input of a block
  std::vector<Span> sources;  // the applied blocks of which it is an output
  std::vector<Span> inputs;   // the applied blocks that have it in an input
};

using LeafRange = std::pair<std::uint32_t, std::uint32_t>;  // first, count

struct Read {
  std::uint32_t leaf;
  bool derivative;
};

/// An equation, or one output of an applied block.
struct Row {
  std::vector<Read> reads;
  Span span;
  std::optional<std::uint32_t> output;  // of an applied block: the only leaf that it determines
};

struct BlockEquations {
  std::vector<Leaf> leaves;
  std::vector<Row> rows;
  std::vector<LeafRange> formals;  // by formal of the relation
  bool is_block = false;           // every formal is marked
  bool exact = true;               // every equation is a row, every unknown a leaf
};

BlockEquations read_equations(const core::Relation& relation, const BlockContext& context);

}  // namespace sigrel::check
