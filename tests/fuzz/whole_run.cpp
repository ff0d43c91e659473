#include "tests/fuzz/whole_run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "compiler/session/session.h"
#include "runtime/results/result_file.h"

namespace sigrel::fuzz {
namespace {

constexpr int kSteps = 2'000;
constexpr double kStop = 1;  // seconds

/// Far below those of the compiler: with sanitizers, an evaluation without end takes minutes to reach those.
constexpr Limits kFuzzLimits = [] {
  Limits limits;
  limits.memory = std::uint64_t{256} << 20;
  limits.steps = 2'000'000;
  limits.nesting = 20'000;
  limits.calls = 100'000;
  limits.unknowns = limits.instances = limits.iterations = 500'000;
  return limits;
}();

std::string errors_of(const Session& session) {
  std::string text;
  for (const Diagnostic& d : const_cast<Session&>(session).diagnostics().all())
    if (d.severity == Severity::Error) text += render_text(d, session.sources(), false);
  return text;
}

/// Whether the model has the unknown of this column of results; that of a mode exists only as long as the
/// mode.
bool exists(const Compiled& model, std::string_view column) {
  while (column.starts_with("der(") && column.ends_with(")")) column = column.substr(4, column.size() - 5);
  return system::find_unknown(model.system, column).has_value();
}

[[noreturn]] void abort_with(const std::string& fault, std::string_view input) {
  std::fprintf(stderr, "%s\n---\n%s\n", fault.c_str(), std::string(input).c_str());
  std::abort();
}

}  // namespace

WholeRun whole_run(std::string_view text) {
  WholeRun result;
  if (text.find("foreign") != std::string_view::npos) return result;
  SessionOptions options{.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .verify = true};
  options.limits = kFuzzLimits;
  Session session(std::move(options));
  std::shared_ptr<Compiled> compiled;
  if (session.load_text("input.sr", std::string(text), SIGREL_SOURCE_DIR "/examples") && session.check())
    compiled = session.compile({}, Backend::Interpreter);
  result.compiled = compiled != nullptr;
  std::atomic<bool> cancel = false;
  if (compiled && !session.diagnostics().has_errors()) {
    int steps = 0;
    RunOptions experiment{.steps = 20, .threads = 1, .cancel = &cancel};
    experiment.stop = kStop;
    experiment.progress = [&](double) { cancel = ++steps > kSteps; };
    const Run run = session.run(*compiled, experiment);
    result.completed = run.completed();
    if (!run.completed() && !cancel && !session.diagnostics().has_errors())
      result.fault = "a run ends without a reason";
    for (std::size_t k = 0; result.completed && k < run.final_values.size(); ++k)
      if (std::isnan(run.final_values[k]) &&
          (!compiled->structures || exists(*run.last, run.columns.names[k])))
        result.fault = "a value is no number, and no error says so";
  } else if (!compiled && !session.diagnostics().has_errors()) {
    result.fault = "a program is refused without a reason";
  }
  result.errors = errors_of(session);
  return result;
}

std::string read_results(std::span<const char> bytes) {
  const int file = memfd_create("results", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return "the file cannot be made";
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  std::string fault;
  auto check = [&](const runtime::ResultReader& reader, const runtime::ResultReader::Row& row) {
    if (row.values.size() != reader.names().size()) fault = "a row has another width than its header";
  };
  auto explained = [&](const runtime::ResultReader& reader) {
    if (reader.failure() && reader.failure()->what.empty()) fault = "a failure without a reason";
    if (!reader.descriptions().empty() && reader.descriptions().size() != reader.names().size())
      fault = "descriptions of some columns only";
  };
  runtime::ResultReader::Row row;
  {
    const auto reader = runtime::open_results(path);
    while (!reader->failure() && reader->next(row)) check(*reader, row);
    explained(*reader);
  }
  const auto reader = runtime::open_results(path);
  if (!reader->failure() && reader->last(row)) check(*reader, row);
  explained(*reader);
  close(file);
  return fault;
}

void run_whole(std::string_view text) {
  const WholeRun result = whole_run(text);
  if (!result.fault.empty()) abort_with(result.fault + "\n" + result.errors, text);
}

void run_results(std::span<const char> bytes) {
  const std::string fault = read_results(bytes);
  if (!fault.empty()) abort_with(fault, {});
}

}  // namespace sigrel::fuzz
