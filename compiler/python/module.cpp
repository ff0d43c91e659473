// sigrel._sigrel: the session as a Python extension. The classes that users see are those of
// sigrel/__init__.py; this file only turns values of one language into values of the other.
//
// Compilation is serialised by one lock, because interned names are global; runs of compiled models are
// independent of each other. Everything that takes time releases the GIL.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "compiler/explain/event_log.h"
#include "compiler/explain/why_report.h"
#include "compiler/pipeline/files.h"
#include "compiler/session/interactive.h"
#include "compiler/session/plots.h"
#include "compiler/session/result_table.h"
#include "runtime/results/output_file.h"
#include "runtime/results/result_file.h"

namespace py = pybind11;

namespace sigrel::python {
namespace {

using Released = py::gil_scoped_release;

std::mutex& compilation() {
  static std::mutex mutex;
  return mutex;
}

/// A NumPy array that owns the numbers; they are not copied.
py::array_t<double> array(std::vector<double> values, std::vector<py::ssize_t> shape = {}) {
  auto* kept = new std::vector<double>(std::move(values));
  if (shape.empty()) shape = {static_cast<py::ssize_t>(kept->size())};
  const py::capsule owner(kept, [](void* numbers) { delete static_cast<std::vector<double>*>(numbers); });
  return py::array_t<double>(std::move(shape), kept->data(), owner);
}

struct Place {
  std::string file;
  std::uint32_t line = 0, column = 0, end_line = 0, end_column = 0;
};

/// A diagnostic that does not need its sources any more.
struct Message {
  std::string code, severity, text, rendered, label;
  std::optional<Place> place;
  std::vector<std::string> notes, helps;
};

std::vector<Message> messages(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::vector<Message> found;
  for (const Diagnostic& d : diagnostics.all()) {
    Message& m = found.emplace_back();
    m.code = info(d.code).id;
    m.severity = d.severity == Severity::Error     ? "error"
                 : d.severity == Severity::Warning ? "warning"
                                                   : "note";
    m.text = d.message;
    m.rendered = render_text(d, sources, false);
    m.notes = d.notes;
    for (const Help& help : d.helps) m.helps.push_back(help.text);
    if (!d.primary) continue;
    m.label = d.primary->text;
    const SourceFile& file = sources.file(d.primary->span.file);
    const Position from = file.position(d.primary->span.begin), to = file.position(d.primary->span.end);
    m.place = Place{file.path, from.line, from.column, to.line, to.column};
  }
  return found;
}

/// What every call of the compiler returns beside its result.
struct Messages {
  std::vector<Message> all;
  bool failed = false;
};

Messages take(Diagnostics& diagnostics, const SourceMap& sources) {
  Messages taken{messages(diagnostics, sources), diagnostics.has_errors()};
  diagnostics.clear();
  return taken;
}

/// Stops a run when the main thread of Python has a signal, such as Ctrl-C.
class Interrupt {
 public:
  const std::atomic<bool>* flag() const { return &stopped_; }
  void poll() {
    const auto now = std::chrono::steady_clock::now();
    if (stopped_ || now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) {
      raised_ = std::make_unique<py::error_already_set>();
      stopped_ = true;
    }
  }
  /// With the GIL.
  void rethrow() {
    if (raised_) throw py::error_already_set(*raised_);
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopped_ = false;
  std::unique_ptr<py::error_already_set> raised_;
};

struct Model {
  std::shared_ptr<Compiled> compiled;
  std::shared_ptr<session::Interactive> module;  // owns the sources
  SessionOptions options;

  std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    for (const system::NamedParameter& p : compiled->system.named_parameters)
      if (!p.structural) names.push_back(p.name);
    return names;
  }
};

struct Result {
  std::shared_ptr<const Run> run;
  Messages messages;
  std::string events;

  std::vector<double> column(const std::string& name) const { return run->column(name); }
  py::array_t<double> times() const { return array(run->trajectory.times()); }
  /// Rows of all columns, as one matrix.
  py::array_t<double> matrix() const {
    const runtime::Trajectory& t = run->trajectory;
    std::vector<double> values(t.rows() * t.columns());
    {
      const Released released;
      for (std::size_t row = 0; row < t.rows(); ++row)
        std::ranges::copy(t.values(row), values.begin() + static_cast<std::ptrdiff_t>(row * t.columns()));
    }
    return array(std::move(values),
                 {static_cast<py::ssize_t>(t.rows()), static_cast<py::ssize_t>(t.columns())});
  }
  /// What the trajectory has, as an output of its own.
  runtime::Output recorded() const {
    runtime::Output output;
    output.names = run->trajectory.names();
    for (std::uint32_t c = 0; c < output.names.size(); ++c) {
      output.columns.push_back({c, false});
      output.descriptions.emplace_back(run->description(output.names[c]));
    }
    return output;
  }
  std::string svg(const std::string& title, const std::vector<std::vector<std::string>>& panes) const {
    const Released released;
    if (panes.empty()) return plot_svg(*run, title);
    Run shown;
    shown.columns = run->columns;
    shown.descriptions = run->descriptions;
    shown.panes = panes;
    runtime::Output output = recorded();
    shown.trajectory.begin(output);
    for (std::size_t row = 0; row < run->trajectory.rows(); ++row)
      shown.trajectory.row(run->trajectory.time(row), run->trajectory.values(row));
    return plot_svg(shown, title);
  }
  /// Writes the trajectory as a result file; the reason of a failure, or empty.
  std::string write(const std::string& path) const {
    const Released released;
    if (std::string reason = runtime::no_result_file(path); !reason.empty()) return reason;
    const std::unique_ptr<runtime::Sink> file = runtime::make_result_file(path);
    runtime::Output output = recorded();
    runtime::Sink::Error error = file->begin(output);
    for (std::size_t row = 0; !error && row < run->trajectory.rows(); ++row)
      error = file->row(run->trajectory.time(row), run->trajectory.values(row));
    if (const runtime::Sink::Error last = file->finish(); !error) error = last;
    return error.reason;
  }
};

py::dict statistics(const Run& run) {
  const runtime::Statistics& s = run.outcome.statistics;
  py::dict d;
  d["solver"] = std::string(s.solver);
  d["states"] = s.states;
  d["steps"] = s.steps;
  d["evaluations"] = s.evaluations;
  d["jacobians"] = s.jacobians;
  d["events"] = s.events;
  d["newton_iterations"] = s.newton_iterations;
  d["error_test_failures"] = s.error_test_failures;
  d["structure_changes"] = s.structure_changes;
  d["rows"] = s.rows;
  d["seconds"] = s.seconds_initialise + s.seconds_integrate + s.seconds_write;
  return d;
}

/// Settings of a run by name, from keyword arguments that Python has checked.
RunOptions run_options(const py::dict& given, const Settings& set) {
  RunOptions o;
  o.set = set;
  const auto number = [&](const char* name, std::optional<double>& to) {
    if (given.contains(name)) to = given[name].cast<double>();
  };
  number("start", o.start);
  number("stop", o.stop);
  number("tolerance", o.tolerance);
  number("max_step", o.max_step);
  if (given.contains("steps")) o.steps = given["steps"].cast<std::uint32_t>();
  if (given.contains("solver")) o.solver = given["solver"].cast<std::string>();
  if (given.contains("event_rows")) o.events = given["event_rows"].cast<bool>();
  if (given.contains("assert_bounds")) o.assert_bounds = given["assert_bounds"].cast<bool>();
  if (given.contains("threads")) o.threads = given["threads"].cast<unsigned>();
  if (given.contains("variables")) o.outputs = given["variables"].cast<std::vector<std::string>>();
  if (given.contains("init_from")) o.init_from = given["init_from"].cast<std::string>();
  o.plot_something = true;
  return o;
}

Result run(const Model& model, const py::dict& given, const Settings& set, const Result* after, bool ends,
           bool log_events) {
  RunOptions options = run_options(given, set);
  Interrupt interrupt;
  options.cancel = interrupt.flag();
  options.progress = [&](double) { interrupt.poll(); };
  options.ends = ends;
  if (after) options.after = after->run.get();
  Result result;
  {
    const Released released;
    explain::EventLog events(
        *model.compiled, model.module->sources(), [&](std::string_view text) { result.events += text; }, set);
    if (log_events) {
      options.event_observer = &events;
      options.structure_changed = [&](const Compiled& next) { events.follow(next); };
      options.change_observer = [&](const explain::StructureChange& change) { events.change(change); };
    }
    std::unique_lock lock(compilation(), std::defer_lock);
    if (log_events) lock.lock();  // texts of events read the sources
    Session session(model.options);
    result.run = std::make_shared<const Run>(session.run(*model.compiled, options));
    if (!lock.owns_lock()) lock.lock();
    result.messages = take(session.diagnostics(), model.module->sources());
  }
  interrupt.rethrow();
  return result;
}

struct Module {
  SessionOptions options;
  std::shared_ptr<session::Interactive> interactive;

  explicit Module(SessionOptions given) : options(std::move(given)) {
    const Released released;
    const std::lock_guard lock(compilation());
    interactive = std::make_shared<session::Interactive>(options);
  }

  template <class Work>
  auto locked(Work work) {
    const Released released;
    const std::lock_guard lock(compilation());
    interactive->diagnostics().clear();
    auto result = work(*interactive);
    return std::pair(std::move(result), take(interactive->diagnostics(), interactive->sources()));
  }
};

using Session_ = session::Interactive;

/// A Session with the messages of the work that it did.
template <class Work>
auto with_session(const Model& model, Work work) {
  const Released released;
  Session session(model.options);
  auto result = work(session);
  const std::lock_guard lock(compilation());
  return std::pair(std::move(result), take(session.diagnostics(), model.module->sources()));
}

py::array_t<double> matrix_of(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  return array(values, {static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)});
}

py::object linearize(const Model& model, const py::dict& given, const Settings& set,
                     const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  LinearizeOptions options{run_options(given, set), inputs, outputs};
  options.run.plot_something = false;
  Interrupt interrupt;
  options.run.cancel = interrupt.flag();
  options.run.progress = [&](double) { interrupt.poll(); };
  auto [found, said] = with_session(model, [&](Session& s) { return s.linearize(*model.compiled, options); });
  interrupt.rethrow();
  if (!found) return py::make_tuple(py::none(), said);
  py::dict d;
  d["time"] = found->time;
  d["states"] = found->states;
  d["inputs"] = found->inputs;
  d["outputs"] = found->outputs;
  const std::size_t n = found->states.size(), m = found->inputs.size(), p = found->outputs.size();
  d["A"] = matrix_of(found->model.a, n, n);
  d["B"] = matrix_of(found->model.b, n, m);
  d["C"] = matrix_of(found->model.c, p, n);
  d["D"] = matrix_of(found->model.d, p, m);
  return py::make_tuple(d, said);
}

py::object steady(const Model& model, const py::dict& given, const Settings& set, const Settings& fix,
                  const std::vector<std::tuple<std::string, double, double>>& vary,
                  const std::vector<std::string>& exclude, const std::string& minimise,
                  const std::string& maximise) {
  SteadyOptions options;
  options.run = run_options(given, set);
  options.run.plot_something = false;
  options.fix = fix;
  for (const auto& [name, lower, upper] : vary) options.vary.push_back({name, lower, upper});
  options.exclude = exclude;
  options.minimise = minimise;
  options.maximise = maximise;
  auto [found, said] = with_session(model, [&](Session& s) { return s.steady(*model.compiled, options); });
  if (!found) return py::make_tuple(py::none(), said);
  py::dict values, all;
  for (const SteadyRow& row : found->rows) values[py::str(row.name)] = row.value;
  for (std::size_t k = 0; k < found->all.size(); ++k) all[py::str(found->all.names[k])] = found->values[k];
  py::list at_bound;
  for (const SteadyRow& row : found->rows)
    if (row.at_bound) at_bound.append(row.name);
  py::dict d;
  d["time"] = found->time;
  d["values"] = values;
  d["all"] = all;
  d["at_bound"] = at_bound;
  d["iterations"] = found->iterations;
  return py::make_tuple(d, said);
}

py::object sweep(const Model& model, const py::dict& given, const Settings& set,
                 const std::vector<std::pair<std::string, std::vector<double>>>& axes, unsigned threads,
                 const std::vector<std::uint64_t>& trajectories) {
  RunOptions options = run_options(given, set);
  std::vector<session::SweepAxis> named;
  for (const auto& [name, values] : axes) named.push_back({name, values});
  const session::SweepGrid grid(std::move(named));
  if (grid.size() == 0) throw py::value_error("the grid has no points, or more than 2^53");
  Interrupt interrupt;
  std::vector<double> last, least, greatest;
  std::vector<std::string> errors;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<runtime::Trajectory>>> kept;
  pipeline::Columns columns;
  auto [completed, said] = with_session(model, [&](Session& s) -> std::optional<bool> {
    columns = s.sweep_columns(*model.compiled, options);
    if (s.diagnostics().has_errors()) return std::nullopt;
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    session::SweepOptions how;
    how.grid = &grid;
    how.threads = threads;
    how.cancel = interrupt.flag();
    how.trajectories = trajectories;
    how.row = [&](session::SweepRow& row) {
      const auto add = [&](std::vector<double>& to, const std::vector<double>& values) {
        for (std::size_t k = 0; k < columns.size(); ++k)
          to.push_back(row.error.empty() && k < values.size() ? values[k] : nothing);
      };
      add(last, row.last);
      add(least, row.least);
      add(greatest, row.greatest);
      errors.push_back(row.error);
      if (row.trajectory.columns() > 0)
        kept.emplace_back(row.point, std::make_shared<runtime::Trajectory>(std::move(row.trajectory)));
      interrupt.poll();
      return true;
    };
    return s.sweep(*model.compiled, options, columns, how);
  });
  interrupt.rethrow();
  if (!completed) return py::make_tuple(py::none(), said);
  py::dict d;
  const std::size_t points = errors.size(), width = columns.size();
  d["names"] = columns.names;
  d["last"] = matrix_of(last, points, width);
  d["least"] = matrix_of(least, points, width);
  d["greatest"] = matrix_of(greatest, points, width);
  d["errors"] = errors;
  py::dict runs;
  for (const auto& [point, trajectory] : kept) {
    py::dict one;
    one["time"] = array(trajectory->times());
    for (std::size_t c = 0; c < trajectory->columns(); ++c)
      one[py::str(trajectory->names()[c])] = array(trajectory->column(c));
    runs[py::int_(point)] = one;
  }
  d["runs"] = runs;
  return py::make_tuple(d, said);
}

py::object read_results(const std::string& path) {
  Diagnostics diagnostics;
  std::optional<session::ResultTable> table;
  {
    const Released released;
    table = session::read_results(path, [](std::string_view) { return true; }, diagnostics);
  }
  const Messages said = take(diagnostics, SourceMap{});
  if (!table) return py::make_tuple(py::none(), said);
  py::dict columns, descriptions;
  for (std::size_t c = 0; c < table->names.size(); ++c) {
    columns[py::str(table->names[c])] = array(std::move(table->columns[c]));
    if (c < table->descriptions.size()) descriptions[py::str(table->names[c])] = table->descriptions[c];
  }
  return py::make_tuple(py::make_tuple(array(std::move(table->times)), columns, descriptions), said);
}

/// The messages of `sigrel check FILE`, structural types included.
Messages check_file(SessionOptions options, const std::string& path) {
  const Released released;
  const std::lock_guard lock(compilation());
  Session session(std::move(options));
  session.load(path) && session.check() && session.check_structure() && session.check_main();
  return take(session.diagnostics(), session.sources());
}

SessionOptions session_options(const std::string& library, const std::vector<std::string>& path,
                               const std::vector<std::string>& libraries, bool cache) {
  return {.path = {path, library.empty() ? pipeline::library_folder() : library},
          .keep_equations = true,
          .libraries = libraries,
          .code = {.wait_until_hot = true, .cache_folder = cache ? pipeline::cache_folder() : std::string()}};
}

}  // namespace
}  // namespace sigrel::python

PYBIND11_MODULE(_sigrel, m) {
  using namespace sigrel;
  using namespace sigrel::python;

  py::class_<Place>(m, "Place")
      .def_readonly("file", &Place::file)
      .def_readonly("line", &Place::line)
      .def_readonly("column", &Place::column)
      .def_readonly("end_line", &Place::end_line)
      .def_readonly("end_column", &Place::end_column)
      .def("__repr__", [](const Place& p) {
        return p.file + ":" + std::to_string(p.line) + ":" + std::to_string(p.column);
      });
  py::class_<Message>(m, "Diagnostic")
      .def_readonly("code", &Message::code)
      .def_readonly("severity", &Message::severity)
      .def_readonly("message", &Message::text)
      .def_readonly("label", &Message::label)
      .def_readonly("place", &Message::place)
      .def_readonly("notes", &Message::notes)
      .def_readonly("helps", &Message::helps)
      .def("__str__", [](const Message& d) { return d.rendered; })
      .def("__repr__", [](const Message& d) {
        return "<" + d.severity + " " + d.code +
               (d.place ? " at " + d.place->file + ":" + std::to_string(d.place->line) : "") + ": " + d.text +
               ">";
      });
  py::class_<Messages>(m, "Messages")
      .def_readonly("all", &Messages::all)
      .def_readonly("failed", &Messages::failed);
  py::class_<SessionOptions>(m, "Options")
      .def(py::init(&session_options), py::arg("library"), py::arg("path"), py::arg("libraries"),
           py::arg("cache"));
  py::class_<session::Interactive::Answer>(m, "Answer")
      .def_property_readonly("kind",
                             [](const session::Interactive::Answer& a) {
                               constexpr const char* kNames[] = {"failed", "definitions", "value", "relation",
                                                                 "experiment"};
                               return kNames[a.kind];
                             })
      .def_property_readonly("defined",
                             [](const session::Interactive::Answer& a) {
                               std::vector<std::pair<std::string, std::string>> found;
                               for (const auto& d : a.defined) found.emplace_back(d.name, d.type);
                               return found;
                             })
      .def_readonly("type", &session::Interactive::Answer::type)
      .def_readonly("value", &session::Interactive::Answer::value);

  py::class_<Model>(m, "Model")
      .def_property_readonly("parameters", &Model::parameters)
      .def_property_readonly(
          "variables",
          [](const Model& model) {
            std::vector<std::string> names;
            pipeline::Results(*model.compiled).each([&](std::string name, runtime::Column) {
              names.push_back(std::move(name));
              return true;
            });
            return names;
          })
      .def_property_readonly("equations",
                             [](const Model& model) { return model.compiled->dae.equations.count(); })
      .def("why",
           [](const Model& model, const std::string& name) {
             const Released released;
             return explain::why_text(*model.compiled, name, model.module->sources());
           })
      .def("run", &run, py::arg("given"), py::arg("set"), py::arg("after"), py::arg("ends"),
           py::arg("events"))
      .def("linearize", &linearize)
      .def("steady", &steady)
      .def("sweep", &sweep);

  py::class_<Result>(m, "Result")
      .def_readonly("messages", &Result::messages)
      .def_readonly("events", &Result::events)
      .def_property_readonly("valid", [](const Result& r) { return r.run->valid; })
      .def_property_readonly(
          "failed",
          [](const Result& r) { return !r.run->valid || r.run->outcome.status == runtime::Outcome::Failed; })
      .def_property_readonly("terminated",
                             [](const Result& r) { return r.run->outcome.terminated.has_value(); })
      .def_property_readonly("reached", [](const Result& r) { return r.run->outcome.reached; })
      .def_property_readonly("names", [](const Result& r) { return r.run->trajectory.names(); })
      .def_property_readonly("panes", [](const Result& r) { return r.run->panes; })
      .def_property_readonly("times", &Result::times)
      .def("column", [](const Result& r, const std::string& name) { return array(r.column(name)); })
      .def("description",
           [](const Result& r, const std::string& name) { return std::string(r.run->description(name)); })
      .def("value", [](const Result& r, const std::string& name) { return r.run->value(name); })
      .def("matrix", &Result::matrix)
      .def("svg", &Result::svg)
      .def("write", &Result::write)
      .def("statistics", [](const Result& r) { return statistics(*r.run); });

  py::class_<Module>(m, "Module")
      .def(py::init<SessionOptions>())
      .def("load",
           [](Module& self, const std::string& path) {
             return self.locked([&](Session_& s) { return s.load(path); });
           })
      .def("enter",
           [](Module& self, const std::string& text) {
             return self.locked([&](Session_& s) { return s.enter(text); });
           })
      .def("type_of",
           [](Module& self, const std::string& text) {
             return self.locked([&](Session_& s) { return s.type_of(text); });
           })
      .def("structural_type_of",
           [](Module& self, const std::string& text) {
             return self.locked([&](Session_& s) { return s.structural_type_of(text); });
           })
      .def("names", [](Module& self) { return self.locked([&](Session_& s) { return s.names(); }).first; })
      .def("documentation",
           [](Module& self, const std::string& name) {
             return self
                 .locked([&](Session_& s) {
                   for (const ast::Decl* decl : s.declarations(name))
                     if (!decl->doc.empty()) return std::string(decl->doc);
                   return std::string();
                 })
                 .first;
           })
      .def("compile", [](Module& self, const std::optional<std::string>& expression, const Settings& set,
                         const std::string& backend, bool strict, bool given,
                         const std::vector<std::string>& inputs) {
        session::Interactive::CompileOptions how;
        how.backend = backend == "interpreter" ? Backend::Interpreter : Backend::Jit;
        how.start = given ? StartPolicy::Given : strict ? StartPolicy::Strict : StartPolicy::Guesses;
        how.inputs = inputs;
        auto [compiled, said] = self.locked([&](Session_& s) { return s.compile(expression, set, how); });
        std::optional<Model> model;
        if (compiled) model = Model{std::move(compiled), self.interactive, self.options};
        return std::pair(std::move(model), std::move(said));
      });

  m.def("read_results", &read_results);
  m.def("check_file", &check_file);
}
