// What structural types cost: 10 000 different definitions, and a model of 10^6 equations by its definitions
// and flat.
//
//   bench_types [DEFINITIONS] [LEVELS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <ctime>
#include <functional>

#include "../../unit/structural_types/networks.h"
#include "../../unit/structural_types/written.h"
#include "compiler/explain/structural_types.h"
#include "compiler/session/session.h"

using namespace sigrel;
using namespace sigrel::structural_types;
using random_definitions::Dice;
using random_definitions::Variables;

namespace {

double milliseconds(const std::function<void()>& work) {
  auto now = [] {  // of the processor: other processes do not count
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  };
  double start = now();
  work();
  return now() - start;
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Well-formed, of 10 to 40 equations.
std::vector<Definition> definitions(std::size_t count) {
  Dice dice(1);
  std::vector<Definition> library;
  while (library.size() < count) {
    std::uint32_t equations = dice.number(10, 40), interface = dice.number(2, 10),
                  rank = dice.number(1, interface - 1);
    Definition d(interface, equations - rank);
    for (std::uint32_t e = 0; e < equations; ++e)
      d.equation(dice.sample(interface + d.locals(), dice.number(2, 4)));
    if (type_of(d, nullptr).type) library.push_back(std::move(d));
  }
  return library;
}

void many_definitions(std::size_t count) {
  std::vector<Definition> library = definitions(count);
  std::vector<double> times;
  for (const Definition& d : library) times.push_back(1e3 * milliseconds([&] { type_of(d, nullptr); }));
  std::ranges::sort(times);
  fmt::print("{} definitions of 10 to 40 equations\n", count);
  fmt::print("  type: median {:.1f} us, 90% {:.1f} us, 99% {:.1f} us, longest {:.0f} us\n", times[count / 2],
             times[count * 9 / 10], times[count * 99 / 100], times.back());
  written::Text text;
  for (std::uint32_t d = 0; d < library.size(); ++d)
    text.add(
        fmt::format("d{}", d), library[d], [](std::uint32_t v) { return fmt::format("v{}", v); },
        [](std::uint32_t) { return std::string(); });
  std::string source = text.text();
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, false});
  const double before = peak_megabytes();
  double front = milliseconds([&] {
    session.load_text("types.sr", std::move(source));
    session.check();
  });
  const double checked = peak_megabytes();
  double types = milliseconds([&] { session.check_structure(); });
  fmt::print(
      "  as text: read and checked in {:.0f} ms ({:.0f} MB), structural types with the elaboration of each "
      "body in {:.0f} ms, {:.1f} us each\n",
      front, checked - before, types, 1e3 * types / static_cast<double>(count));
  fmt::print("  memory of the structural types: {:.1f} kB each\n",
             1024 * (peak_megabytes() - checked) / static_cast<double>(count));
}

/// A chain of twelve resistors; a chain of twelve such chains; and so on: twoPin, then LEVELS levels, then
/// source and ground.
void one_model(std::uint32_t levels) {
  std::vector<Definition> library{networks::two_pin()};
  for (std::uint32_t level = 0; level < levels; ++level) {
    Definition chain = networks::chain(12), of(4, chain.locals());
    for (std::uint32_t a = 0; a < chain.applications(); ++a) {
      of.application(level);
      for (std::uint32_t i = 0; i < 4; ++i) of.variable(chain.argument(chain.first_argument(a) + i)[0]);
    }
    for (std::uint32_t e = 0; e < chain.equations().rows(); ++e) of.equation(chain.equations().row(e));
    library.push_back(std::move(of));
  }
  Definition top(0, 4);  // the chain between a source and ground
  top.application(levels);
  for (std::uint32_t i = 0; i < 4; ++i) top.variable(i);
  top.equation(Variables{0, 2});
  top.equation(Variables{2});
  library.push_back(std::move(top));

  bool by_definition = false, flat = false;
  double modular = 1e9;
  for (int run = 0; run < 5; ++run)
    modular =
        std::min(modular, milliseconds([&] { by_definition = types_of(library).back().type.has_value(); }));
  Incidence whole;
  double expanded = milliseconds([&] { whole = expand(library, levels + 1).incidence; });
  double matched = milliseconds([&] { flat = cover(whole).complete(); });
  fmt::print("a model of {} equations, {} definitions\n", whole.rows.rows(), library.size());
  fmt::print("  by definitions: {:.3f} ms, {}\n", modular, by_definition ? "well formed" : "singular");
  fmt::print(
      "  flat: {:.0f} ms to write it out, {:.0f} ms to match it, {}; the matching alone takes {:.0f} times "
      "as long\n",
      expanded, matched, flat ? "well formed" : "singular", matched / modular);
}

void mesh() {
  std::vector<Definition> library{networks::two_pin(), networks::network(25, networks::mesh_edges(5)),
                                  networks::flat_network(25, networks::mesh_edges(5))};
  std::vector<Typing> types = types_of(library);
  for (std::uint32_t d : {1u, 2u}) {
    std::vector<double> times;
    for (int run = 0; run < 200; ++run)
      times.push_back(1e3 * milliseconds([&] {
                        type_of(library[d],
                                [&](std::uint32_t r) -> const StructuralType& { return *types[r].type; });
                      }));
    std::ranges::sort(times);
    fmt::print("a mesh of 5 by 5 nodes{}, {} locals: {:.0f} us, {}\n", d == 2 ? " written out" : "",
               library[d].locals(), times[100],
               to_text(*types[d].type, std::vector<std::string>{"p.v", "p.i", "n.v", "n.i"}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  many_definitions(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000);
  one_model(argc > 2 ? static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)) : 5);
  mesh();
}
