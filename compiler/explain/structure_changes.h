// Changes of structure during a run, in words: the modes that switches left and entered, the jumps and
// impulses of the instant; and the mode vectors that a run visited, for `sigrel explain --modes`.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline/pipeline.h"

namespace sigrel::explain {

struct StructureChange {
  struct Mode {
    std::string of;             // the instance with the switch; empty: the model itself
    std::string before, after;  // empty: the switch did not exist, or does not exist any more
  };
  struct Jump {
    std::string name;
    double before = 0, after = 0;
  };
  struct Impulse {
    std::string name;
    double value = 0;  // integral over the instant
  };
  double time = 0;
  const pipeline::Compiled* model = nullptr;  // that begins
  std::vector<Mode> modes;
  std::vector<Jump> jumps;
  std::vector<Impulse> impulses;
};

/// The modes of all switches: what they are of (with a number where an instance has several), and their
/// names.
std::vector<std::pair<std::string, std::string>> modes_of(const pipeline::Compiled& model);

/// The lines of a log, without the time:
///
///   `clutch`: Slipping -> Sticking
///   `w1` jumps from 21.4 to 2.175
///   `tau` has an impulse of -19.225
std::string text(const StructureChange& change);

/// The mode vectors of a run, in the order of their first visit.
class ModeVisits {
 public:
  /// The run begins.
  void begin(const pipeline::Compiled& model, double time) { enter(model, time); }
  void change(const StructureChange& change);
  void end(double time);
  /// A table of the mode vectors, and one of the changes between them.
  std::string text() const;
  /// The same as a graph for Graphviz.
  std::string dot() const;

 private:
  struct Vector {
    std::vector<std::pair<std::string, std::string>> modes;
    std::size_t states = 0, equations = 0, visits = 0;
    double seconds = 0;
  };
  void enter(const pipeline::Compiled& model, double time);
  std::string label(const Vector& vector, const char* separator) const;

  std::vector<Vector> vectors_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> changes_;  // how often, from and to
  std::size_t present_ = 0;
  double since_ = 0;
};

}  // namespace sigrel::explain
