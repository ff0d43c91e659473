// Where the time of a run went, in terms of the source: for `sigrel run --profile` and the report.
//
// The costs of a batch of equations are divided evenly among its rows: they are the same code. Times are
// those of the clock, so those of lines that take nanoseconds contain the measurement itself.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/ir/origins.h"
#include "compiler/pipeline/pipeline.h"
#include "runtime/integrate/experiment.h"
#include "runtime/solve/profile.h"

namespace sigrel::explain {

class RunProfile final : public runtime::Profile {
 public:
  /// The model and the sources outlive the profile.
  RunProfile(const pipeline::Compiled& model, const SourceMap& sources) : model_(&model), sources_(sources) {}

  void begin(const runtime::Model& model) override;
  /// The next model that begins is this one: the structure changes.
  void follow(const pipeline::Compiled& next) { next_ = &next; }

  struct Line {
    std::string place, text;  // "circuit.sr:12:3", the equation as written
    std::uint64_t rows = 0;   // of the model that it stands for
    double seconds = 0;
  };
  struct Part {
    std::string name;  // of a labelled part of the main relation; empty: of the main relation itself
    double seconds = 0;
  };
  struct Loop {
    std::string name;  // "a, b and 3 more": tearing variables
    std::size_t equations = 0;
    std::uint64_t solutions = 0, iterations = 0;
    double seconds = 0;
  };
  struct Limit {
    std::string variable;
    std::uint64_t steps = 0;
  };
  struct Summary {
    double equations = 0;  // seconds, the sum of all lines and loops
    // Most expensive first.
    std::vector<Line> lines;
    std::vector<Part> parts;
    std::vector<Loop> loops;
    std::vector<Limit> limits;
    std::uint64_t steps = 0, unlimited = 0;
    Cost rates, jacobians;
  };
  /// After the run.
  Summary summary();
  /// Several lines.
  std::string text(const runtime::Statistics& statistics);

 private:
  void add();
  void add_rows(const pipeline::Compiled& model, const runtime::KernelBatch& batch, double seconds);

  const pipeline::Compiled* model_;
  const pipeline::Compiled* next_ = nullptr;
  const SourceMap& sources_;
  bool begun_ = false;
  Summary total_;
  std::vector<std::uint32_t> part_;             // of the present model, by instance
  std::map<std::uint32_t, double> seconds_of_;  // its parts
  std::map<std::pair<std::string, std::string>, Line> lines_;
  std::map<std::string, double> parts_;
  std::map<std::string, Loop> loops_;
  std::map<std::string, std::uint64_t> limits_;
};

}  // namespace sigrel::explain
