// The modes that transitions may lead to, before a run: which names begin in them.
//
// Each system that is elaborated has as many switches as possible in modes that have not been seen, so a
// thousand diodes need one system. Numbers in the arguments of modes are not known and are zero. A model that
// grows without end has always more: the walk ends after so many systems, or when they have become large.
//
//   diodes in Open, their transitions lead to Closed     1st system: all in Closed
//   Flying 1, which leads to Flying 2                    Flying 2, Flying 3, … Flying 64
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "compiler/pipeline/mode_search.h"

namespace sigrel::pipeline {

class LaterModes {
 public:
  /// The modes of the next system to elaborate; nullopt: all are known, or too many.
  std::optional<Modes> next();
  /// The system in these modes: those of its switches are known, and what its transitions lead to is not.
  /// That at the start of a run comes first.
  void add(const system::System& system, const elaborate::Structure& structure);
  /// There is no system in these modes.
  void refuse();

 private:
  /// A mode, with those of the switches around it.
  struct Unseen {
    Modes modes;
    bool alone = false;  // it does not share a system with others: one of them has been refused
  };
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;  // switch and mode
  std::deque<Unseen> unseen_, taken_;                       // `taken_`: of the last `next`
  std::size_t systems_ = 0, size_at_start_ = 0, size_ = 0;
};

}  // namespace sigrel::pipeline
