#include "compiler/session/start_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <unordered_map>

#include "compiler/session/results.h"

namespace sigrel::session {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::optional<double> number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The fields of one line as runtime/csv.h writes them; a quoted field of a header may hold line breaks.
std::vector<std::string> fields(std::istream& in) {
  std::vector<std::string> result(1);
  bool quoted = false;
  for (int c; (c = in.get()) != EOF;) {
    if (quoted) {
      if (c == '"' && in.peek() == '"') result.back() += static_cast<char>(in.get());
      else if (c == '"') quoted = false;
      else result.back() += static_cast<char>(c);
    } else if (c == '"') quoted = true;
    else if (c == ',') result.emplace_back();
    else if (c == '\n') break;
    else if (c != '\r') result.back() += static_cast<char>(c);
  }
  return result;
}

struct Row {
  std::size_t line = 0;
  std::vector<double> values;  // the first is the time
};

class Reader {
 public:
  Reader(std::string path, std::optional<double> at, Diagnostics& diagnostics) : path_(std::move(path)), at_(at), diagnostics_(diagnostics) {}

  std::vector<std::string> names;  // of the columns, without the time
  Row row;

  bool read() {
    std::ifstream in(path_, std::ios::binary);
    if (!in) return refuse("cannot be read").help("give a file that `sigrel run -o` wrote"), false;
    names = fields(in);
    if (names.size() < 2 || names[0] != "time")
      return refuse("is no table of results: its first line is not `time` and names of variables").help("give a file that `sigrel run -o` wrote"), false;
    names.erase(names.begin());
    Row before;
    std::string text, last;
    std::size_t line = 1;
    while (std::getline(in, text)) {
      ++line;
      if (text.empty() || text == "\r") continue;
      last_line_ = line;
      if (!at_) {
        last = std::move(text);
        continue;
      }
      Row here;
      if (!parse(text, line, here)) return false;
      if (here.values[0] > *at_ && before.values.empty()) return outside(here.values[0], true);
      if (here.values[0] > *at_) return interpolate(before, here), true;
      before = std::move(here);
    }
    if (last_line_ == 0) return refuse("has no rows of results").help("run the model once more with `-o`"), false;
    if (!at_) return parse(last, last_line_, row);
    if (before.values[0] < *at_) return outside(before.values[0], false);
    row = std::move(before);
    return true;
  }

 private:
  Diagnostic& refuse(const std::string& why) { return diagnostics_.report(Code::StartFileUnusable, fmt::format("`{}` {}", path_, why)); }
  bool outside(double end, bool begins) {
    refuse(fmt::format("has no results at t = {:.9g} s", *at_)).note(fmt::format("they {} at t = {:.9g} s", begins ? "begin" : "end", end));
    return false;
  }
  bool parse(std::string_view text, std::size_t line, Row& out) {
    out.line = line;
    if (text.ends_with('\r')) text.remove_suffix(1);
    while (true) {
      const std::size_t comma = text.find(',');
      auto value = number(text.substr(0, comma));
      if (!value) {
        refuse(fmt::format("has no number in line {}, column {}", line, out.values.size() + 1)).note(fmt::format("it says `{}` there", text.substr(0, std::min<std::size_t>(comma, 40))));
        return false;
      }
      out.values.push_back(*value);
      if (comma == std::string_view::npos) break;
      text.remove_prefix(comma + 1);
    }
    if (out.values.size() == names.size() + 1) return true;
    refuse(fmt::format("has {} numbers in line {}, for {} names", out.values.size(), line, names.size() + 1))
        .note("the file may have been cut off");
    return false;
  }
  void interpolate(const Row& before, const Row& after) {
    const double part = (*at_ - before.values[0]) / (after.values[0] - before.values[0]);
    row = before;
    for (std::size_t k = 0; k < row.values.size(); ++k)
      row.values[k] = part == 0 ? before.values[k] : before.values[k] + part * (after.values[k] - before.values[k]);
    row.values[0] = *at_;
  }

  std::string path_;
  std::optional<double> at_;
  Diagnostics& diagnostics_;
  std::size_t last_line_ = 0;
};

}  // namespace

std::optional<std::vector<double>> start_from_file(const Compiled& model, const std::string& request, Diagnostics& diagnostics) {
  std::string path = request;
  std::optional<double> at;
  if (std::size_t mark = request.rfind('@'); mark != std::string::npos && mark + 1 < request.size())
    if ((at = number(std::string_view(request).substr(mark + 1)))) path.resize(mark);
  Reader reader(path, at, diagnostics);
  if (!reader.read()) return std::nullopt;

  std::unordered_map<std::string_view, double> given;
  for (std::size_t k = 0; k < reader.names.size(); ++k) given.emplace(reader.names[k], reader.row.values[k + 1]);
  std::vector<double> from(model.plan.model.variables, kMissing);
  std::size_t found = 0;
  auto take = [&](const std::string& name, runtime::Column column) {
    auto it = given.find(name);
    if (it == given.end()) return;
    ++found;
    if (column.variable != runtime::kNone && std::isfinite(it->second)) from[column.variable] = column.negated ? -it->second : it->second;
  };
  const Results results(model.system, model.dae);
  results.each([&](std::string name, runtime::Column column) {
    take(name, column);
    return true;
  });
  const Columns states = results.states();
  for (std::size_t k = 0; k < states.size(); ++k) take(states.names[k], states.columns[k]);
  if (found == 0) {
    diagnostics.report(Code::StartFileUnusable, fmt::format("`{}` has no variable of this model", path))
        .note(fmt::format("its columns are {}{}", reader.names[0], reader.names.size() > 1 ? fmt::format(", {}{}", reader.names[1], reader.names.size() > 2 ? ", …" : "") : ""))
        .help("the names must be those of the model: give results of this model, or of one that is like it");
    return std::nullopt;
  }

  // The states, the candidates of sets, and what keeps its value.
  std::vector<std::uint32_t> needed = model.plan.model.constants;
  for (const runtime::State& s : model.plan.model.states)
    if (model.dae.variables[s.variable].set == dae::kNone) needed.push_back(s.variable);
  for (const dae::StateSet& set : model.dae.sets)
    for (std::uint32_t rate : set.candidates) needed.push_back(model.dae.variables[rate].integral);
  std::vector<std::string> missing;
  for (std::uint32_t v : needed)
    if (std::isnan(from[v])) missing.push_back("`" + dae::variable_name(model.system, model.dae, v) + "`");
  if (!missing.empty()) {
    std::ranges::sort(missing);
    std::string names;
    for (std::size_t k = 0; k < missing.size() && k < 5; ++k) names += (k ? ", " : "") + missing[k];
    if (missing.size() > 5) names += fmt::format(" and {} more", missing.size() - 5);
    diagnostics.report(Code::StartFileUnusable, fmt::format("`{}` does not say where {} {}", path, names, missing.size() == 1 ? "is" : "are"))
        .note(missing.size() == 1 ? "this is a state of the model, and the file has no number for it" : "these are states of the model, and the file has no numbers for them")
        .help("record them: `outputs` of the experiment that wrote the file chooses its columns");
    return std::nullopt;
  }
  Diagnostic& note = diagnostics.report(Code::StartFromFile, fmt::format("the start is taken from `{}`, at t = {:.9g} s there", path, reader.row.values[0]));
  if (std::size_t n = model.dae.initial.count(); n > 0) note.note(n == 1 ? "the initial equation of the model is not used" : fmt::format("the {} initial equations of the model are not used", n));
  return from;
}

void note_continuation(const Compiled& model, const runtime::Continued& block, Diagnostics& diagnostics) {
  const std::string name = dae::variable_name(model.system, model.dae, block.variable);
  const std::string message = block.unknowns == 1 ? fmt::format("the start of `{}` was found by continuation", name)
                                                  : fmt::format("the start of `{}` and {} other unknown{} was found by continuation", name, block.unknowns - 1, block.unknowns == 2 ? "" : "s");
  std::optional<Span> span;
  const auto dynamic = static_cast<std::uint32_t>(model.dae.equations.count());
  if (block.equation < dynamic) span = model.system.sources[dae::origin(model.dae.equations, block.equation).source].span;
  else if (block.equation < dynamic + model.dae.initial.count()) span = model.system.sources[dae::origin(model.dae.initial, block.equation - dynamic).source].span;
  Diagnostic& note = span ? diagnostics.report(Code::StartByContinuation, *span, message) : diagnostics.report(Code::StartByContinuation, message);
  note.note("Newton's method did not find it from the guesses").help("look whether this is the solution that is meant; a guess near it makes the start certain and fast");
}

}  // namespace sigrel::session
