// MD-23: a model in another size runs the kernels that are there.
#include <cmath>

#include "compiler/session/interactive.h"

using namespace sigrel;

namespace {

struct Models {
  session::Interactive session{SessionOptions{{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}};
  Models() { REQUIRE(session.load(SIGREL_SOURCE_DIR "/tests/numeric/models/md23_sizes.sr")); }

  std::shared_ptr<Compiled> compile(const char* relation,
                                    const char* end = " with { stop = 2.0, tolerance = 1.0e-10 }",
                                    const Settings& set = {}) {
    std::string expression = "simulate (";
    expression.append(relation).append(")").append(end);
    std::shared_ptr<Compiled> model = session.compile(expression, set);
    INFO(expression);
    REQUIRE(model);
    REQUIRE(model->executable.backend == Backend::Jit);
    return model;
  }
  void finds(const Compiled& model, const std::vector<std::pair<std::string, double>>& expected,
             const RunOptions& options = {}) {
    Run run = session.run(model, options);
    REQUIRE(run.completed());
    for (const auto& [name, value] : expected) {
      INFO(name);
      REQUIRE(run.value(name));
      CHECK(*run.value(name) == Approx(value).epsilon(1e-6));
    }
  }
};

bool nothing_new(const Compiled& model) {
  return model.executable.statistics().functions == 0 &&
         model.executable.statistics().reused == model.plan.kernels.size();
}

}  // namespace

TEST_CASE("MD-23 a: a parameter and a start value change on one compiled model") {
  Models models;
  auto model = models.compile("firstOrder (-1.0) 0.0", " with { stop = 1.0, tolerance = 1.0e-10 }");
  CHECK(model->executable.statistics().functions > 0);
  models.finds(*model, {{"x", 1 - std::exp(-1.0)}});
  models.finds(*model, {{"x", 0.5 + 1.5 * std::exp(-2.0)}}, {.set = {{"p", -2.0}, {"x0", 2.0}}});
}

TEST_CASE("MD-23 b: another size, no code") {
  Models models;
  auto two = models.compile("uncoupled 2 [-1.0, -2.0] [1.0, 2.0]");
  models.finds(*two, {{"x[1]", std::exp(-2.0)}, {"x[2]", 2 * std::exp(-4.0)}});
  auto three = models.compile("uncoupled 3 [-1.0, -2.0, -3.0] [1.1, 2.1, 3.1]");
  CHECK(nothing_new(*three));
  models.finds(
      *three,
      {{"x[1]", 1.1 * std::exp(-2.0)}, {"x[2]", 2.1 * std::exp(-4.0)}, {"x[3]", 3.1 * std::exp(-6.0)}});
  two.reset();  // its code is that of the other
  models.finds(*three, {{"x[3]", 3.1 * std::exp(-6.0)}});
}

TEST_CASE("MD-23 b with a matrix: equal sizes are equal code, another size has rows of another length") {
  Models models;
  auto two = models.compile("matrix 2 (diagonal [-1.0, -2.0]) [1.0, 2.0]");
  models.finds(*two, {{"x[1]", std::exp(-2.0)}, {"x[2]", 2 * std::exp(-4.0)}});
  auto three = models.compile("matrix 3 (diagonal [-1.0, -2.0, -3.0]) [1.1, 2.1, 3.1]");
  models.finds(
      *three,
      {{"x[1]", 1.1 * std::exp(-2.0)}, {"x[2]", 2.1 * std::exp(-4.0)}, {"x[3]", 3.1 * std::exp(-6.0)}});
  // The rows of a product differ in the order of their terms only: one shape, solved, with its slopes, and
  // the start.
  CHECK(two->plan.kernels.size() == 4);
  CHECK(three->plan.kernels.size() == 4);
  auto larger = models.compile("matrix 30 (identity 30) (vector [real i for i in 1 .. 30])");
  CHECK(larger->plan.kernels.size() == 4);
  models.finds(*larger, {{"x[1]", std::exp(2.0)}, {"x[30]", 30 * std::exp(2.0)}});
  CHECK(nothing_new(*models.compile("matrix 2 (diagonal [-3.0, -4.0]) [5.0, 2.0]")));
  CHECK(nothing_new(*models.compile("matrix 3 (diagonal [-3.0, -4.0, 1.0]) [5.0, 2.0, 1.0]")));
}

TEST_CASE("an Int of the model is set as a parameter is: another size, no code") {
  Models models;
  auto five = models.compile("rod 5 1.0");
  auto set = models.compile("rod 5 1.0", " with { stop = 2.0 }", {{"n", 40}, {"k", 3}});
  CHECK(set->plan.model.states.size() == 40);
  CHECK(nothing_new(*set));
  auto written = models.compile("rod 40 3.0", " with { stop = 2.0 }");
  CHECK(*models.session.run(*set, {}).value("x[3]") == *models.session.run(*written, {}).value("x[3]"));
  models.session.diagnostics().clear();
  CHECK_FALSE(models.session.compile("rod 5 1.0", {{"n", 2.5}}));
  REQUIRE(models.session.diagnostics().all().size() == 1);
  CHECK(models.session.diagnostics().all().front().message == "`n` cannot be set to 2.5");
  models.session.diagnostics().clear();
  CHECK_FALSE(models.session.compile("rod 5 1.0", {{"m", 2}}));
  REQUIRE(models.session.diagnostics().all().size() == 1);
}

TEST_CASE("coupled equations of another size, an equal model again, a different one") {
  Models models;
  auto small = models.compile("rod 5 1.0");
  CHECK(small->executable.statistics().functions > 0);
  auto larger = models.compile("rod 40 1.0");
  CHECK(nothing_new(*larger));
  // What is heated stays in the rod: the sum is the time. And far from the ends nothing has arrived.
  Run run = models.session.run(*larger, {});
  REQUIRE(run.completed());
  double sum = 0;
  for (int i = 1; i <= 40; ++i) sum += *run.value("x[" + std::to_string(i) + "]");
  CHECK(sum == Approx(2.0).epsilon(1e-6));
  CHECK(std::fabs(*run.value("x[40]")) < 1e-9);
  CHECK(nothing_new(*models.compile("rod 5 7.0")));
  // Many rows: vector code is generated once, and serves few rows as well.
  CHECK(models.compile("rod 500 1.0")->executable.statistics().functions > 0);
  CHECK(nothing_new(*models.compile("rod 400 1.0")));
  CHECK(nothing_new(*models.compile("rod 7 1.0")));
  CHECK(models.compile("firstOrder 1.0 1.0")->executable.statistics().functions > 0);
}
