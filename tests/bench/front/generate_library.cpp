// Writes a library of about LINES lines into FOLDER, for measuring the front end: modules L0, L1, … of MODULE
// lines that import each other, and Library.sr, which imports the last ones. With MODULE = 0 everything is in
// Library.sr.
//
// A module is a list of chapters of some 80 lines: types, records, functions by cases and over lists,
// relations that use those of the chapter before, of the module before and of a module far back. Everything
// is used with its units.
#include <fmt/format.h>
#include <fmt/os.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

constexpr long kChapterLines = 78;

/// The text of chapter `k`; `near` and `far` are chapters before it that are in scope.
std::string chapter(long k, long near, long far) {
  return fmt::format(R"(
-- | Data of part {k}: what its makers say of it.
record Data{k} = {{
  r, s :: Resistance = {n}.5,
  c :: Capacitance = {n}.0e-6,
  count, size{k} :: Int = {n},
  label{k} :: String = "part {k}",
}}

-- | How part {k} ends: one of three shapes.
data Shape{k} a = Round{k} | Flat{k} a Int | Joined{k} (Shape{k} a) (Shape{k} a)

type Flow{k} = Real<m^3/s>

-- | A port of the thermal side.
record Port{k} = {{ t{k} :: Temperature, flow q{k} :: HeatFlow }}

-- | The parts of a shape, counted with a weight.
weight{k} :: Shape{k} Real -> Int
weight{k} Round{k} = 1
weight{k} (Flat{k} _ n) = if n > {n} then n - {n} else n + 1
weight{k} (Joined{k} a b) =
  let left = weight{k} a
      right = weight{k} b
  in left * 2 + right

-- | The mean of the values that are greater than a limit.
mean{k} :: Real -> [Real] -> Real
mean{k} limit xs =
  let kept = filter (\x -> x > limit) xs
      total = sum kept
      squares = [x^2 + {n}.0 * y for x in kept, y in map (* 2.0) xs]
  in if null kept then {n}.25 else total / real (length kept) + sum squares

step{k} :: Int -> Maybe Int -> [(Int, Bool)] -> Int
step{k} n given pairs = case given of
  Nothing -> foldl (\s p -> if snd p && not (fst p == n) then s + fst p else s) {n} pairs
  Just m -> case pairs of
    [] -> m + n * {n}
    (a, True) : rest -> step{k} (n - 1) (Just (a + m)) rest
    (_, False) : rest -> step{near} n Nothing rest

-- | A loaded two-terminal part after the one of chapter {near}.
part{k} :: Data{k} -> Resistance -> SR (p :: Pin, n :: Pin)
part{k} d load = sigrel (p, n) where
  local u :: Voltage with {{ guess = {n}.0, nominal = 10.0 }}
  local a, b :: Pin
  let total = d.r + load
  twoPin           <> (p, a, u)
  r1: resistor d.s <> (a, b)
  r2: resistor load
  c1: capacitor d.c <> (b, n)
  connect r2.p b
  connect r2.n a
  total * p.i = u - {n}.0<mV>
  initially c1.u = 0.0<V>

-- | `n` parts in a row, a part of chapter {far} between them.
chain{k} :: Int -> Data{k} -> SR (Pin, Pin)
chain{k} n d = if n == 1 then part{k} d {n}.0 else sigrel (p, q) where
  part{k} (d with {{ r = 2.5 }}) 47.0<kOhm> <> (p, m)
  part{far} (Data{far} {{ r = {n}.0, count = n }}) 12.0 <> (m, o)
  chain{k} (n - 1) d <> (o, q)

-- | A nonlinear body with two states that heats a port.
body{k} :: Int -> Real -> SR (port :: Port{k}, x :: Real)
body{k} n gain = sigrel (port, x) where
  local v, w :: Real
  local y :: Real^n
  der x = v * gain
  der v = -{n}.5 * sin x - 0.1 * v * abs v + (if x > 1.0 then w else -w) / ({n}.0 + x^2)
  w = exp (-x^2) * cos (3.0 * v) + mean{near} {n}.5 [1.0, 2.0, 3.5]
  for i in 1 .. n do
    der y[i] = real i * (x - y[i])
  port.q{k} = -{n}.0<W> * v
  initially
    x = 0.5
    v = 0.0
)",
                     fmt::arg("k", k), fmt::arg("near", near), fmt::arg("far", far),
                     fmt::arg("n", 1 + k % 97));
}

/// The first of all refers to definitions that have the shape of a chapter's: these.
constexpr const char* kGround = R"(
record Data0 = { r, s :: Resistance = 1.0, count :: Int = 1 }

mean0 :: Real -> [Real] -> Real
mean0 limit xs = limit + sum xs

step0 :: Int -> Maybe Int -> [(Int, Bool)] -> Int
step0 n given pairs = fromMaybe n given + length pairs

part0 :: Data0 -> Resistance -> SR (p :: Pin, n :: Pin)
part0 d load = resistor (d.r + load)
)";

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: generate_library FOLDER LINES MODULE\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  const long chapters = std::max(1l, std::atol(arguments[2]) / kChapterLines);
  const long module_lines = std::atol(arguments[3]);
  const long per_module = module_lines > 0 ? std::max(1l, module_lines / kChapterLines) : chapters;
  const long modules = (chapters + per_module - 1) / per_module;
  std::filesystem::create_directories(folder);

  for (long m = 0; m < modules; ++m) {
    const bool last = m + 1 == modules;
    const std::string name = last ? "Library" : fmt::format("L{}", m);
    auto file = fmt::output_file((folder / (name + ".sr")).string());
    file.print("module {} where\n\nimport Electrical\n", name);
    // From the module before what is nearest, and one from far back by name.
    const long first = m * per_module + 1;
    const long far_module = m / 2;
    const long far = m == 0 ? 0 : std::max(1l, far_module * per_module + 1);
    if (m > 0) file.print("import L{} hiding (Shape{})\n", m - 1, first - 1);
    if (m > 1) file.print("import L{} (Data{}, part{})\n", far_module, far, far);
    if (m == 0) file.print("{}", kGround);
    for (long k = first; k < first + per_module && k <= chapters; ++k)
      file.print("{}", chapter(k, k - 1, far));
  }
  return 0;
}
