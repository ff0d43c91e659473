// Random networks of ideal contacts and diodes, capacitors, inductors, resistors and a source: each jump
// conserves the charge of what is not connected with the source, and the flux of each loop; and the results
// are the limit of contacts and diodes with small losses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "numeric.h"

using namespace sigrel;

namespace {

constexpr double kStop = 0.01;
constexpr double kSmallest = 1e-7;   // smaller jumps, relative, are errors of the instant (jumps.h)
constexpr double kRounding = 1e-12;  // of the largest value, in each jump
constexpr double kVoltage = 100, kCurrent = 100;  // no capacitor and no inductor has more

struct Part {
  char kind = 'R';  // V, R, C, L, S (contact), D (diode)
  std::string name;
  double value = 0, period = 0, phase = 0;
  int p = 0, n = 0;
};

class Forest {
 public:
  explicit Forest(int count) : parent_(static_cast<std::size_t>(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int k) const {
    while (at(k) != k) k = at(k);
    return k;
  }
  bool join(int a, int b) {
    a = root(a);
    b = root(b);
    parent_[static_cast<std::size_t>(a)] = b;
    return a != b;
  }

 private:
  int at(int k) const { return parent_[static_cast<std::size_t>(k)]; }
  std::vector<int> parent_;
};

/// Contacts, diodes and the source make no loop: their currents are determined in every mode.
struct Network {
  int nodes = 0;
  std::vector<Part> parts;

  explicit Network(unsigned seed) {
    std::mt19937 random(seed);
    const auto pick = [&](int from, int to) {
      return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1));
    };
    const auto power = [&](double low, double high) {
      return std::pow(10.0, low + (high - low) * pick(0, 1000) / 1000.0);
    };
    nodes = pick(3, 6);
    const auto add = [&](char kind, int number, double value) {
      Part part{.kind = kind,
                .name = fmt::format("{}{}",
                                    kind == 'C'   ? "c"
                                    : kind == 'L' ? "l"
                                                  : "r",
                                    number)};
      part.value = value;
      part.p = pick(0, nodes - 1);
      part.n = (part.p + pick(1, nodes - 1)) % nodes;
      parts.push_back(part);
    };
    parts.push_back({.kind = 'V', .name = "v0", .value = 5.0 * pick(1, 4), .p = 1, .n = 0});
    for (int k = 2; k < nodes; ++k)
      parts.push_back(
          {.kind = 'R', .name = fmt::format("r{}", k), .value = power(0, 2), .p = k, .n = pick(0, k - 1)});
    parts.push_back({.kind = 'R', .name = "r1", .value = power(1, 3), .p = nodes - 1, .n = 0});
    for (int k = 0, count = pick(2, 5); k < count; ++k) add('C', k, power(-6, -4));
    for (int k = 0, count = pick(1, 3); k < count; ++k) add('L', k, power(-3, -1));
    Forest forest(nodes);
    forest.join(1, 0);
    for (int k = 0, count = pick(2, 5); k < count; ++k) {
      const int p = pick(0, nodes - 1), n = (p + pick(1, nodes - 1)) % nodes;
      if (!forest.join(p, n)) continue;
      const bool contact = pick(0, 9) < 6;
      parts.push_back({.kind = contact ? 'S' : 'D',
                       .name = fmt::format("{}{}", contact ? "s" : "d", k),
                       .period = power(-3.5, -2.3),
                       .phase = 0.5 + pick(0, 500) / 100.0,
                       .p = p,
                       .n = n});
    }
  }

  /// With ideal switches, or with small losses and these initial values.
  std::string text(bool ideal, const std::string& initial = {}) const {
    std::string out = ideal ? "import Electrical\n\n"
                              "diode :: SR (p :: Pin, n :: Pin)\n"
                              "diode = sigrel (p, n) where\n"
                              "  twoPin <> (p, n, u)\n"
                              "  switch Open where\n"
                              "    mode Open where\n"
                              "      p.i = 0.0\n"
                              "      until u > 0.0 -> Closed\n"
                              "    mode Closed where\n"
                              "      u = 0.0\n"
                              "      until p.i < 0.0 -> Open\n\n"
                              "contact :: Time -> Real -> SR (p :: Pin, n :: Pin)\n"
                              "contact period phase = sigrel (p, n) where\n"
                              "  local wave :: Real\n"
                              "  twoPin <> (p, n, u)\n"
                              "  wave = sin (6.283185307179586 * time / period + phase)\n"
                              "  switch if sin phase > 0.0 then Closed else Open where\n"
                              "    mode Closed where\n"
                              "      u = 0.0\n"
                              "      until wave < 0.0 -> Open\n"
                              "    mode Open where\n"
                              "      p.i = 0.0\n"
                              "      until wave > 0.0 -> Closed\n\n"
                            : "import Electrical\n\n"
                              "diode :: SR (p :: Pin, n :: Pin)\n"
                              "diode = switchingDiode 1.0e-5 1.0e-7\n\n"
                              "contact :: Time -> Real -> SR (p :: Pin, n :: Pin)\n"
                              "contact period phase = sigrel (p, n) where\n"
                              "  local wave :: Real\n"
                              "  twoPin <> (p, n, u)\n"
                              "  wave = sin (6.283185307179586 * time / period + phase)\n"
                              "  p.i = u * (if wave > 0.0 then 1.0e5 else 1.0e-7)\n\n";
    out += "main = simulate (sigrel () where\n";
    for (int k = 0; k < nodes; ++k) out += fmt::format("  local n{} :: Pin\n", k);
    out += "  ground <> n0\n";
    for (const Part& part : parts) {
      const char* what = part.kind == 'V'   ? "constantVoltage"
                         : part.kind == 'R' ? "resistor"
                         : part.kind == 'C' ? "capacitor"
                         : part.kind == 'L' ? "inductor"
                                            : "";
      const std::string relation = part.kind == 'D' ? "diode"
                                   : part.kind == 'S'
                                       ? fmt::format("contact {:.17e} {:.17e}", part.period, part.phase)
                                       : fmt::format("{} {:.17e}", what, part.value);
      out += fmt::format("  {}: {} <> (n{}, n{})\n", part.name, relation, part.p, part.n);
    }
    return out + (initial.empty() ? "" : "  initially\n" + initial) + "  )\n";
  }
};

/// Where the jumps of a change do not conserve charge or flux, in words; empty: they do.
class Conservation {
 public:
  explicit Conservation(const Network& network) : network_(network) {
    for (const Part& part : network.parts)
      if (part.kind == 'S') closed_[part.name] = std::sin(part.phase) > 0;
  }

  void check(const explain::StructureChange& change) {
    for (const auto& mode : change.modes) closed_[mode.of] = mode.after == "Closed";
    if (change.jumps.empty()) return;
    std::map<std::string, double> jumps;
    for (const auto& jump : change.jumps) jumps[jump.name] = jump.after - jump.before;
    charge(jumps, change.time);
    flux(jumps, change.time);
    ++changes;
  }

  int changes = 0, balances = 0;
  std::string wrong;

 private:
  bool is_closed(const Part& part) const {
    const auto found = closed_.find(part.name);
    return found != closed_.end() && found->second;
  }

  /// Of nodes that contacts connect: only capacitors bring charge in an instant.
  void charge(const std::map<std::string, double>& jumps, double time) {
    Forest forest(network_.nodes);
    for (const Part& part : network_.parts)
      if (part.kind == 'V' || is_closed(part)) forest.join(part.p, part.n);
    struct Sum {
      double total = 0, largest = 0, open = 0;
    };
    std::map<int, Sum> sums;
    for (const Part& part : network_.parts) {
      const int p = forest.root(part.p), n = forest.root(part.n);
      if (part.kind != 'C' || p == n) continue;
      add(sums[p], sums[n], part.value, jumps, part.name + ".u", kVoltage);
    }
    for (const auto& [node, sum] : sums)
      if (node != forest.root(0)) compare("charge", time, sum.total, sum.largest, sum.open);
  }

  /// Of loops through everything but open contacts: only inductors take a voltage in an instant.
  void flux(const std::map<std::string, double>& jumps, double time) {
    // The voltages of a spanning tree, inductors last, are potentials; each other inductor closes a loop.
    std::vector<const Part*> order;
    for (const Part& part : network_.parts)
      if ((part.kind != 'S' && part.kind != 'D') || is_closed(part)) order.push_back(&part);
    std::ranges::stable_partition(order, [](const Part* part) { return part->kind != 'L'; });
    Forest forest(network_.nodes);
    std::vector<const Part*> tree, chords;
    for (const Part* part : order) (forest.join(part->p, part->n) ? tree : chords).push_back(part);
    for (const Part* chord : chords) {
      // The sum along the path in the tree from one end of the chord to the other.
      struct Sum {
        double total = 0, largest = 0, open = 0;
        bool known = false;
      };
      std::vector<Sum> at(static_cast<std::size_t>(network_.nodes));
      at[static_cast<std::size_t>(chord->n)].known = true;
      for (std::size_t round = 0; round < tree.size(); ++round)
        for (const Part* part : tree) {
          Sum &p = at[static_cast<std::size_t>(part->p)], &n = at[static_cast<std::size_t>(part->n)];
          if (p.known == n.known) continue;
          Sum step;
          if (part->kind == 'L') add(step, part->value, jumps, part->name + ".p.i", kCurrent);
          const Sum& from = p.known ? p : n;
          Sum& to = p.known ? n : p;
          to = {from.total + (p.known ? step.total : -step.total), std::max(from.largest, step.largest),
                from.open + step.open, true};
        }
      Sum sum = at[static_cast<std::size_t>(chord->p)];
      Sum own;
      if (chord->kind == 'L') add(own, chord->value, jumps, chord->name + ".p.i", kCurrent);
      compare("flux", time, sum.total + own.total, std::max(sum.largest, own.largest), sum.open + own.open);
    }
  }

  template <class Sum>
  static void add(Sum& sum, double value, const std::map<std::string, double>& jumps, const std::string& name,
                  double most) {
    const auto jump = jumps.find(name);
    if (jump == jumps.end()) {
      sum.open += kSmallest * value * most;
    } else {
      sum.open += kRounding * value * most;
      sum.total += value * jump->second;
      sum.largest = std::max(sum.largest, std::abs(value * jump->second));
    }
  }
  template <class Sum>
  static void add(Sum& p, Sum& n, double value, const std::map<std::string, double>& jumps,
                  const std::string& name, double most) {
    Sum one;
    add(one, value, jumps, name, most);
    p.total += one.total;
    n.total -= one.total;
    for (Sum* sum : {&p, &n}) {
      sum->largest = std::max(sum->largest, one.largest);
      sum->open += one.open;
    }
  }

  /// `open`: what may have changed by less than a jump.
  void compare(const char* what, double time, double total, double largest, double open) {
    if (largest == 0) return;
    ++balances;
    if (std::abs(total) > 1e-9 * largest + open)
      wrong += fmt::format("{} of {} instead of 0 at {}, jumps up to {}\n", what, total, time, largest);
  }

  const Network& network_;
  std::map<std::string, bool> closed_;
};

struct TextModel {
  Session session{{.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}}};
  std::shared_ptr<pipeline::Compiled> compiled;

  explicit TextModel(const std::string& text) {
    if (session.load_text("network.sr", text) && session.check())
      compiled = session.compile({}, Backend::Interpreter);
  }
  Run run(RunOptions options) {
    Run result = session.run(*compiled, options);
    std::string errors;
    for (const Diagnostic& d : session.diagnostics().all())
      if (d.severity == Severity::Error) errors += render_text(d, session.sources(), false);
    INFO(errors);
    REQUIRE(result.completed());
    return result;
  }
};

}  // namespace

TEST_CASE("random networks of ideal contacts and diodes conserve charge and flux") {
  int networks = 0, changes = 0, balances = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Network network(seed);
    const std::string text = network.text(true);
    INFO(seed << "\n" << text);
    TextModel ideal(text);
    if (!ideal.compiled) continue;  // a node of one part alone
    Conservation conservation(network);
    ideal.run({.stop = kStop, .tolerance = 1e-8, .change_observer = [&](const auto& change) {
                 conservation.check(change);
               }});
    CHECK(conservation.wrong == "");
    ++networks;
    changes += conservation.changes;
    balances += conservation.balances;
  }
  CHECK(networks > 40);
  CHECK(changes > 100);
  CHECK(balances > 100);
}

TEST_CASE("random networks of ideal contacts and diodes are the limit of small losses") {
  int compared = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Network network(seed);
    TextModel ideal(network.text(true));
    if (!ideal.compiled) continue;
    std::vector<std::string> names;
    for (const Part& part : network.parts)
      if (part.kind == 'C' || part.kind == 'L')
        names.push_back(part.name + (part.kind == 'C' ? ".u" : ".p.i"));
    const Run run = ideal.run({.stop = kStop, .tolerance = 1e-8, .steps = 20, .outputs = names});
    std::string initial;
    for (const std::string& name : names)
      initial += fmt::format("    {} = {:.17e}\n", name, run.column(name).front());
    const std::string text = network.text(false, initial);
    INFO(seed << "\n" << text);
    TextModel leaky(text);
    REQUIRE(leaky.compiled);
    const Run with_losses = leaky.run({.stop = kStop, .tolerance = 1e-6, .steps = 20, .outputs = names});
    for (const std::string& name : names) {
      INFO(name);
      // Leaks are a part of what the source drives, at least through 100 ohms.
      double largest = network.parts.front().value / (name.ends_with(".u") ? 1 : 100);
      for (const double value : run.column(name)) largest = std::max(largest, std::abs(value));
      CHECK(numeric::value(run, name) ==
            Approx(numeric::value(with_losses, name)).epsilon(0).margin(2e-3 * largest));
    }
    ++compared;
  }
  CHECK(compared > 25);
}
