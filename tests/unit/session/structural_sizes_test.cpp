// Structural types of definitions whose parameters steer structure: what a few sizes show of all.
#include <functional>
#include <random>

#include "tests/unit/session/structure.h"

using namespace structure;

namespace {

void refused(const char* source, const char* part) { structure::refused(source, "SR0307", part); }

}  // namespace

TEST_CASE("a chain by recursion has the type of one part, a ladder that of two stages, for all n") {
  has_types(
      "import Electrical\n"
      "row :: Int -> SR (p :: Pin, n :: Pin)\nrow n = if n == 1 then resistor 1.0 else series (row (n - 1)) "
      "(resistor 1.0)\n"
      "pipe :: Int -> Real -> SR (x :: Real, y :: Real)\npipe 1 k = sigrel (x, y) where\n  y = k * x\n"
      "pipe n k = sigrel (x, y) where\n  y = k / real n * between\n  pipe (n - 1) k <> (x, between)\n"
      "tree :: Int -> SR (p :: Pin)\ntree n = if n == 0 then ground else sigrel (p) where\n  resistor 1.0 <> "
      "(p, a)\n  resistor 1.0 <> (p, b)\n"
      "  tree (n - 1) <> a\n  tree (n - 1) <> b\n",
      {{"row", "{p.v p.i n.v; p.i n.i} for all n >= 1"},
       {"pipe", "{x y} for all n >= 1"},
       {"tree", "{p.v} for n = 0; {p.v p.i} for all n >= 1"}});
}

TEST_CASE("the same by `for`, over vectors of numbers and of connectors") {
  has_types(
      "import Electrical\n"
      "row :: Int -> SR (p :: Pin, q :: Pin)\nrow n = sigrel (p, q) where\n  local x :: Pin^(n + 1)\n  "
      "connect p x[1]\n  connect q x[n + 1]\n"
      "  for i in 1 .. n do\n    r: resistor 1.0 <> (x[i], x[i + 1])\n"
      "rod :: Int -> SR (left :: Real, right :: Real)\nrod n = sigrel (left, right) where\n  local x :: "
      "Real^n\n"
      "  der x[1] = left - x[1]\n  for i in 2 .. n do\n    der x[i] = x[i - 1] - x[i]\n  right = 2.0 * "
      "x[n]\n",
      {{"row", "{p.v q.v; p.i q.i} for n = 0; {p.v p.i q.v; p.i q.i} for all n >= 1"},
       {"rod", "{left right} for all n >= 1"}});
}

TEST_CASE("an equation too few or too many is an error in the definition, from the first size on") {
  // By recursion: each stage but the last has a local that nothing determines.
  refused(
      "pipe :: Int -> SR (x :: Real, y :: Real)\npipe 1 = sigrel (x, y) where\n  y = 2.0 * x\n"
      "pipe n = sigrel (x, y) where\n  local between, loss :: Real\n  between = 2.0 * x\n  pipe (n - 1) <> "
      "(between, y)\n"
      "user :: Int -> SR (x :: Real, y :: Real)\nuser n = sigrel (x, y) where\n  pipe (n + 2) <> (x, z)\n  "
      "pipe n <> (z, y)\n",
      "for every n from 2 on, nothing determines `loss` in `pipe`");
  refused(
      "import Electrical\nladder :: Int -> SR (p :: Pin, g :: Pin)\nladder n = sigrel (p, g) where\n  r: "
      "resistor 1.0 <> (p, m)\n"
      "  c: capacitor 1.0 <> (m, g)\n  m.v = 1.0\n  m.v = 2.0 + p.v - p.v\n  if n > 1 then\n    rest: ladder "
      "(n - 1) <> (m, g)\n",
      "for every n from ");
  // By `for`.
  refused(
      "rod :: Int -> SR (left :: Real, right :: Real)\nrod n = sigrel (left, right) where\n  local x, y :: "
      "Real^n\n"
      "  x[1] = left\n  y[1] = 0.0\n  for i in 2 .. n do\n    x[i] = x[i - 1] + y[1]\n  right = 2.0 * x[n]\n",
      "for every n from 2 on, nothing determines `y[2]` in `rod`");
  refused(
      "rod :: Int -> SR (left :: Real, right :: Real)\nrod n = sigrel (left, right) where\n  local x :: "
      "Real^n\n"
      "  x[1] = left\n  for i in 2 .. n do\n    x[i] = x[i - 1]\n  for i in 3 .. n do\n    sin x[i] = x[i - "
      "1]\n  right = 2.0 * x[n]\n",
      "for every n from ");
}

TEST_CASE("a size that is wrong by itself is no error") {
  has_types(
      "f :: Int -> SR (x :: Real)\nf 0 = sigrel (x) where\n  local z :: Real\n  x = 1.0\nf n = sigrel (x) "
      "where\n  x = real n\n",
      {{"f", "none for n = 0; {x} for all n >= 1"}});
}

TEST_CASE("nothing is claimed beyond the samples where other sizes may be otherwise") {
  has_types(
      "import Electrical\n"
      "late :: Int -> SR (p :: Pin, n :: Pin)\n"
      "late n = if n == 100 then constantVoltage 1.0 else if n == 1 then resistor 1.0 else series (late (n - "
      "1)) (resistor 1.0)\n"
      "halves :: Int -> SR (p :: Pin, n :: Pin)\nhalves n = if n < 2 then resistor 1.0 else series (halves "
      "(n `div` 2)) (resistor 1.0)\n"
      "odd :: Int -> SR (x :: Real, y :: Real)\nodd n = sigrel (x, y) where\n  local z :: Real^n\n  for i in "
      "1 .. n do\n    z[i] = x\n"
      "    if i == 50 then\n      y = x\n  if n < 50 then\n    y = x\n",
      {{"late", "{p.v p.i n.v; p.i n.i} for n = 1 .. 8"},
       {"halves", "{p.v p.i n.v; p.i n.i} for n = 0 .. 8"},
       {"odd", "{x y} for n = 0 .. 8"}});
}

TEST_CASE("Bool and data: each alternative, or one where they agree") {
  has_types(
      "import Electrical\n"
      "mode :: Bool -> SR (p :: Pin, n :: Pin)\nmode True = resistor 1.0\nmode False = constantVoltage 1.0\n"
      "data Kind = Open | Load Real\n"
      "kind :: Kind -> SR (p :: Pin, n :: Pin)\nkind Open = inductor 1.0\nkind (Load r) = resistor r\n",
      {{"mode", "argument 1 = False: {p.v n.v; p.i n.i}; argument 1 = True: {p.v p.i n.v; p.i n.i}"},
       {"kind", "{p.v p.i n.v; p.i n.i}"}});
  refused(
      "f :: Bool -> SR (x :: Real)\nf b = sigrel (x) where\n  x = 1.0\n  if b then\n    sin x = 0.0\n  "
      "else\n    cos x = 0.0\n",
      "whatever its arguments are, 2 equations of `f` determine only 1 unknown");
}

TEST_CASE("lists: the length is the size") {
  has_types(
      "import Electrical\n"
      "wire :: SR (p :: Pin, n :: Pin)\nwire = constantVoltage 0.0\n"
      "all :: [Resistance] -> SR (p :: Pin, n :: Pin)\nall [] = wire\nall (r : rs) = series (resistor r) "
      "(all rs)\n"
      "sum :: [Real] -> SR (x :: Real)\nsum xs = sigrel (x) where\n  x = total xs\n"
      "total :: [Real] -> Real\ntotal [] = 0.0\ntotal (x : xs) = x + total xs\n",
      {{"all",
        "{p.v n.v; p.i n.i} for the length of argument 1 = 0; {p.v p.i n.v; p.i n.i} for all the length of "
        "argument 1 >= 1"},
       {"sum", "{x} for the length of xs = 0 .. 8"}});
}

TEST_CASE("two sizes and one type: it is said once") {
  has_types(
      "ends :: (m :: Int) -> (n :: Int) -> SR (x :: Real, y :: Real)\n"
      "ends m n = sigrel (x, y) where\n  local a :: Real^(m + 1)\n  local b :: Real^(n + 1)\n  a[1] = x\n  "
      "b[1] = y\n"
      "  for i in 1 .. m do\n    a[i + 1] = sin a[i]\n  for i in 1 .. n do\n    b[i + 1] = cos b[i]\n  a[m + "
      "1] = b[n + 1]\n",
      {{"ends", "{x y} for all sizes that were tried"}});
}

// ---- random definitions, against a matching of the flat system at each size
// ------------------------------------------------

namespace {

/// Rows over columns; the first `interface` may be left without a row.
struct Flat {
  std::size_t interface = 0, columns = 0;
  std::vector<std::vector<std::size_t>> rows;

  // Every row matched, and every column that is not of the interface.
  bool complete() const {
    std::vector<std::vector<std::size_t>> of_column(columns);
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c : rows[r]) of_column[c].push_back(r);
    std::vector<std::size_t> all, hidden;
    for (std::size_t r = 0; r < rows.size(); ++r) all.push_back(r);
    for (std::size_t c = interface; c < columns; ++c) hidden.push_back(c);
    return matched(all, rows, columns) && matched(hidden, of_column, rows.size());
  }

 private:
  static bool matched(const std::vector<std::size_t>& from,
                      const std::vector<std::vector<std::size_t>>& edges, std::size_t to) {
    std::vector<std::optional<std::size_t>> mate(to);
    for (std::size_t v : from) {
      std::vector<bool> seen(to);
      std::function<bool(std::size_t)> augment = [&](std::size_t u) {
        for (std::size_t w : edges[u]) {
          if (seen[w]) continue;
          seen[w] = true;
          if (!mate[w] || augment(*mate[w])) {
            mate[w] = u;
            return true;
          }
        }
        return false;
      };
      if (!augment(v)) return false;
    }
    return true;
  }
};

struct RandomDefinition {
  std::string source;
  int smallest;
  std::function<Flat(int)> flat;
};

std::string equation(const std::vector<std::string>& names) {
  std::string text = "1.0 = 0.0";
  for (const std::string& n : names) text += " + exp " + n;
  return text;
}

using Random = std::mt19937;
std::size_t below(Random& random, std::size_t n) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}
// A subset, most often small, never empty.
template <class T>
std::vector<T> some(Random& random, const std::vector<T>& of) {
  std::vector<T> result;
  while (result.empty())
    for (const T& t : of)
      if (below(random, of.size()) < 2) result.push_back(t);
  return result;
}

// Bands over two vectors x, y and an interface p, q; columns: p q x1 y1 x2 y2 …
RandomDefinition looped(Random& random) {
  struct Term {
    int vector, offset;  // 0, 1: x, y at i + offset; 2, 3: p, q
  };
  using Rows = std::vector<std::vector<Term>>;
  auto rows = [&](std::size_t count, std::vector<Term> of) {
    Rows result;
    for (std::size_t k = 0; k < count; ++k) result.push_back(some(random, of));
    return result;
  };
  Rows start = rows(below(random, 4), {{2, 0}, {3, 0}, {0, 0}, {1, 0}, {0, 1}});
  Rows middle = rows(1 + below(random, 3), {{0, -1}, {0, 0}, {0, 1}, {1, -1}, {1, 0}, {1, 1}});
  if (below(random, 6) == 0) middle[0].push_back({2, 0});
  Rows end = rows(below(random, 4), {{2, 0}, {3, 0}, {0, 0}, {1, 0}, {1, -1}});
  auto written = [](const Rows& all, const std::string& index, const std::string& indent) {
    std::string text;
    for (auto& row : all) {
      std::vector<std::string> names;
      for (auto [v, o] : row) {
        std::string at = index.find_first_not_of("0123456789") == std::string::npos
                             ? std::to_string(std::stoi(index) + o)
                         : o == 0 ? index
                                  : index + (o > 0 ? " + 1" : " - 1");
        names.push_back(v == 2 ? "p" : v == 3 ? "q" : (v == 0 ? "x[" : "y[") + at + "]");
      }
      text += indent + equation(names) + "\n";
    }
    return text;
  };
  RandomDefinition d;
  d.source = "f :: Int -> SR (p :: Real, q :: Real)\nf n = sigrel (p, q) where\n  local x, y :: Real^n\n" +
             written(start, "1", "  ") + "  for i in 2 .. n - 1 do\n" + written(middle, "i", "    ") +
             written(end, "n", "  ");
  d.smallest = 3;
  d.flat = [=](int n) {
    Flat flat;
    flat.interface = 2;
    flat.columns = 2 + 2 * static_cast<std::size_t>(n);
    auto add = [&](const Rows& all, int i) {
      for (auto& row : all) {
        flat.rows.emplace_back();
        for (auto [v, o] : row)
          flat.rows.back().push_back(v >= 2 ? static_cast<std::size_t>(v - 2)
                                            : static_cast<std::size_t>(2 * (i + o - 1) + v + 2));
      }
    };
    add(start, 1);
    for (int i = 2; i < n; ++i) add(middle, i);
    add(end, n);
    return flat;
  };
  return d;
}

// f n over p, q has locals u, v, equations over the four, and one or two of f (n - 1).
RandomDefinition recursive(Random& random) {
  using Rows = std::vector<std::vector<std::size_t>>;
  auto rows = [&](std::size_t count, const std::vector<std::size_t>& of) {
    Rows result;
    for (std::size_t k = 0; k < count; ++k) result.push_back(some(random, of));
    return result;
  };
  Rows base = rows(below(random, 3), {0, 1}), step = rows(below(random, 4), {0, 1, 2, 3}), parts;
  for (std::size_t k = 0; k <= below(random, 4) / 3; ++k)
    parts.push_back({below(random, 4), below(random, 4)});
  static const std::vector<std::string> kNames{"p", "q", "u", "v"};
  auto written = [](const Rows& all) {
    std::string text;
    for (auto& row : all) {
      std::vector<std::string> names;
      for (std::size_t c : row) names.push_back(kNames[c]);
      text += "  " + equation(names) + "\n";
    }
    return text;
  };
  RandomDefinition d;
  d.source =
      "f :: Int -> SR (p :: Real, q :: Real)\nf n = if n == 0 then leaf else sigrel (p, q) where\n  local u, "
      "v :: Real\n" +
      written(step);
  for (auto& p : parts) d.source += "  f (n - 1) <> (" + kNames[p[0]] + ", " + kNames[p[1]] + ")\n";
  d.source +=
      "leaf :: SR (p :: Real, q :: Real)\nleaf = sigrel (p, q) where\n  let one = 1.0\n" + written(base);
  d.smallest = 0;
  d.flat = [=](int n) {
    Flat flat;
    flat.interface = flat.columns = 2;
    std::function<void(int, std::vector<std::size_t>)> add = [&](int m, std::vector<std::size_t> at) {
      if (m > 0) {
        at.push_back(flat.columns++);
        at.push_back(flat.columns++);
      }
      for (auto& row : m > 0 ? step : base) {
        flat.rows.emplace_back();
        for (std::size_t c : row) flat.rows.back().push_back(at[c]);
      }
      if (m > 0)
        for (auto& p : parts) add(m - 1, {at[p[0]], at[p[1]]});
    };
    add(n, {0, 1});
    return flat;
  };
  return d;
}

}  // namespace

TEST_CASE("random definitions: what is said of all sizes is so for each, by a matching of the flat system") {
  Random random(20260727);
  int refused = 0, proved = 0, open = 0;
  for (int k = 0; k < 160; ++k) {
    bool loop = k % 2 == 0;
    RandomDefinition d = loop ? looped(random) : recursive(random);
    Structure s(d.source);
    INFO(d.source << s.messages << s.types["f"]);
    std::vector<std::string> codes = s.codes();
    if (!loop && !d.flat(0).complete()) continue;  // the leaf is reported by itself
    std::optional<int> from;                       // where the claim begins
    bool singular = !codes.empty();
    if (singular) {
      REQUIRE(codes == std::vector<std::string>{"SR0307"});
      std::size_t at = s.messages.find("for every n from ");
      REQUIRE(at != std::string::npos);
      if (s.messages.find(" on, ", at) < s.messages.find('\n', at))
        from = std::stoi(s.messages.substr(at + 17));
    } else if (std::size_t at = s.types["f"].find("for all n >= "); at != std::string::npos) {
      from = std::stoi(s.types["f"].substr(at + 13));
    }
    if (!from) {
      ++open;
      continue;
    }
    ++(singular ? refused : proved);
    for (int n = *from; n <= (loop                                                                    ? 40
                              : d.source.find("f (n", d.source.find("f (n") + 1) == std::string::npos ? 40
                                                                                                      : 9);
         ++n) {
      INFO("n = " << n);
      REQUIRE(d.flat(n).complete() != singular);
    }
    // The last size that is said to be fine by itself is.
    if (singular && *from > d.smallest) REQUIRE(d.flat(*from - 1).complete());
  }
  CHECK(refused > 20);
  CHECK(proved > 5);
  INFO(refused << " refused, " << proved << " fine, " << open << " open");
  CHECK(open < 40);
}
