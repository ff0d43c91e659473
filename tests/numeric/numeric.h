// A model of tests/numeric/models, compiled; a fault in it fails the test with its diagnostics.
#pragma once
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/session/session.h"

namespace numeric {

/// What a variable is to be at the end of a run.
struct Value {
  const char* name;
  double expected;
  double relative = 1e-6;
};

class Model {
 public:
  explicit Model(const std::string& file, const char* expression = nullptr, const sigrel::Settings& set = {},
                 sigrel::Backend backend = sigrel::Backend::Jit)
      : session_({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true}) {
    session_.load(SIGREL_SOURCE_DIR "/tests/numeric/models/" + file);
    session_.check(expression ? std::optional<std::string>(expression) : std::nullopt);
    if (!session_.diagnostics().has_errors()) compiled_ = session_.compile(set, backend);
    require_no_errors();
  }

  const sigrel::pipeline::Compiled& compiled() const { return *compiled_; }

  /// With the rows of the output grid alone, unless the options say otherwise.
  sigrel::Run run(sigrel::RunOptions options) {
    if (!options.events) options.events = false;
    sigrel::Run run = session_.run(*compiled_, options);
    require_no_errors();
    REQUIRE(run.completed());
    return run;
  }

  /// The messages of a run that does not complete.
  std::string refusal(const sigrel::RunOptions& options) {
    const std::size_t before = session_.diagnostics().all().size();
    CHECK_FALSE(session_.run(*compiled_, options).completed());
    return errors(before);
  }

 private:
  std::string errors(std::size_t from = 0) {
    std::string text;
    for (std::size_t k = from; k < session_.diagnostics().all().size(); ++k)
      if (const sigrel::Diagnostic& d = session_.diagnostics().all()[k];
          d.severity == sigrel::Severity::Error)
        text += render_text(d, session_.sources(), false);
    return text;
  }
  void require_no_errors() {
    INFO(errors());
    REQUIRE(!session_.diagnostics().has_errors());
  }

  sigrel::Session session_;
  std::shared_ptr<sigrel::pipeline::Compiled> compiled_;
};

/// The value at the end of a run of a variable that has to be there.
inline double value(const sigrel::Run& run, const std::string& name) {
  auto found = run.value(name);
  INFO(name);
  REQUIRE(found);
  return *found;
}

/// The values at every output point of a variable that has to be there.
inline std::vector<double> column(const sigrel::Run& run, const std::string& name) {
  std::vector<double> values = run.column(name);
  INFO(name);
  REQUIRE(!values.empty());
  REQUIRE(values.size() == run.trajectory.times().size());
  return values;
}

inline void check_values(const sigrel::Run& run, const std::vector<Value>& values) {
  for (const Value& v : values) {
    INFO(v.name);
    CHECK(value(run, v.name) ==
          Approx(v.expected).epsilon(v.relative).margin(v.expected == 0 ? v.relative : 1e-12));
  }
}

/// `check` of the run by each solver and each backend.
template <class Check>
void each_way(const std::string& file, const char* expression, sigrel::RunOptions options, const Check& check,
              const std::vector<std::string>& solvers = {"auto", "cvode", "ida"},
              const sigrel::Settings& set = {}) {
  for (const std::string& solver : solvers)
    for (sigrel::Backend backend : {sigrel::Backend::Jit, sigrel::Backend::Interpreter}) {
      INFO(file << ", " << (expression ? expression : "main") << ", " << solver
                << (backend == sigrel::Backend::Jit ? ", JIT" : ", interpreter"));
      Model model(file, expression, set, backend);
      options.solver = solver;
      check(model.run(options));
    }
}

/// What a variable is to be at a stop time.
struct ValueAt {
  const char* name;
  double stop, expected;
};

/// A run to each of these, by each solver and each backend.
inline void check_values_at(const std::string& file, const char* expression,
                            const std::vector<ValueAt>& expected, double accuracy, double tolerance = 1e-9) {
  for (const sigrel::Backend backend : {sigrel::Backend::Jit, sigrel::Backend::Interpreter})
    for (const char* solver : {"auto", "cvode", "ida"}) {
      Model model(file, expression, {}, backend);
      for (const ValueAt& e : expected) {
        INFO(expression << ", " << solver << ", " << e.name << " at " << e.stop);
        const sigrel::Run run = model.run({.stop = e.stop, .tolerance = tolerance, .solver = solver});
        CHECK(value(run, e.name) == Approx(e.expected).epsilon(accuracy).margin(accuracy));
      }
    }
}

}  // namespace numeric
