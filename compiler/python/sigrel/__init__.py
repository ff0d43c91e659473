"""Sigrel from Python: parse once, run many.

    import sigrel

    module = sigrel.load("low_pass.sr")
    experiment = module.experiment()             # compiles `main`
    result = experiment.run(set={"r.r": 470.0})  # other parameters, no compilation
    result["c.u"]                                # a NumPy array over result.time

Values are in SI units. What the compiler refuses raises `sigrel.Error`, which has the diagnostics with their
places; its warnings are Python warnings of the category `sigrel.Warning`. Nothing is without effect: an unknown
parameter, setting or variable is an error.
"""

from __future__ import annotations

import builtins
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from . import _sigrel
from ._sigrel import Diagnostic, Place

__all__ = [
    "Diagnostic", "Error", "Experiment", "Linearization", "Module", "Note", "Place", "Relation", "Result", "RunError",
    "Steady", "Stepper", "Sweep", "Warning", "check", "load", "loads", "read_results",
]


class Error(Exception):
    """Sigrel refuses a model, a setting or a file. `str()` is the message with its source, as `sigrel` prints it."""

    def __init__(self, diagnostics: Sequence[Diagnostic], what: str = ""):
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        super().__init__(what or "\n".join(str(d).rstrip() for d in self.diagnostics if d.severity == "error"))


class RunError(Error):
    """A run ended early. `result` has the rows up to there."""

    def __init__(self, diagnostics: Sequence[Diagnostic], result: "Result"):
        self.result = result
        super().__init__(diagnostics)


class Warning(UserWarning):
    """The category of the compiler's warnings: `warnings.simplefilter("error", sigrel.Warning)` makes them errors."""


class Note(Warning):
    """The category of the compiler's notes, for example on a start value that was a guess. They are not shown unless
    they are asked for: `warnings.simplefilter("default", sigrel.Note)`; `Result.messages` has them in any case."""


warnings.simplefilter("ignore", Note, append=False)


def _tell(messages: Sequence[Diagnostic]) -> None:
    """Warns at the line of the user that has called this package."""
    level, frame = 1, sys._getframe()
    while frame and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    for d in messages:
        if d.severity != "error":
            warnings.warn(str(d).rstrip(), Warning if d.severity == "warning" else Note, stacklevel=level)


def _taken(pair):
    """The result of a call, if it has no errors."""
    result, messages = pair
    if messages.failed:
        raise Error(messages.all)
    _tell(messages.all)
    return result


_RUN_SETTINGS = {
    "start": float, "stop": float, "tolerance": float, "max_step": float, "steps": int, "solver": str,
    "event_rows": bool, "assert_bounds": bool, "threads": int, "variables": list, "init_from": str,
}


def _run_settings(given: Mapping) -> dict:
    settings = {}
    for name, value in given.items():
        if value is None:
            continue
        if name not in _RUN_SETTINGS:
            known = ", ".join(_RUN_SETTINGS)
            raise TypeError(f"a run has no setting `{name}`; the settings are {known}, and `set` changes parameters")
        if name == "variables":
            value = [value] if isinstance(value, str) else list(value)
        elif name == "init_from":
            value = os.fspath(value)
        elif name in ("steps", "threads"):
            if not 1 <= value < 2**31 or value != int(value):
                raise ValueError(f"`{name}` is {value}: it must be a whole number from 1 to 2147483647")
            value = int(value)
        settings[name] = _RUN_SETTINGS[name](value)
    return settings


def _parameters(given: Mapping | None) -> list[tuple[str, float]]:
    return [(str(name), float(value)) for name, value in (given or {}).items()]


def _literal(value) -> str:
    """A Python value in the notation of Sigrel."""
    if isinstance(value, Relation):
        return value.text if re.fullmatch(r"[A-Za-z_][\w.]*", value.text) else f"({value.text})"
    if isinstance(value, (bool, np.bool_)):
        return "True" if value else "False"
    if isinstance(value, (int, np.integer)):
        return str(value) if value >= 0 else f"({value})"
    if isinstance(value, (float, np.floating)):
        if not np.isfinite(value):
            raise ValueError(f"{value} is no number that a model can have")
        text = repr(float(value))
        if "e" in text and "." not in text:
            text = text.replace("e", ".0e")
        return text if value >= 0 and not text.startswith("-") else f"({text})"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{escaped}"'
    if isinstance(value, tuple):
        return "(" + ", ".join(_literal(v).strip() for v in value) + ")"
    if isinstance(value, (list, np.ndarray)):
        return "[" + ", ".join(_literal(v).strip() for v in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_literal(v)}" for k, v in value.items()) + " }"
    raise TypeError(f"a {type(value).__name__} has no counterpart in Sigrel: pass a number, bool, str, list, tuple, "
                    "dict or relation")


class Relation:
    """An expression of a module: a relation, a function that returns one, an experiment or a value.

    It is applied like a function, to Python values and to other expressions: `m.resistor(10.0)`,
    `m.series(m.resistor(10.0), m.inductor(0.1))`, `m.limitedPid(k=0.2, ti=0.1)`. An int fits where an
    Int or a Real is expected, a float where a Real is."""

    def __init__(self, module: "Module", text: str):
        self.module = module
        self.text = text

    def __call__(self, *arguments, **named) -> "Relation":
        parts = [self.text if re.fullmatch(r"[A-Za-z_][\w.]*", self.text) else f"({self.text})"]
        if named:
            parts.append("{ " + ", ".join(f"{k} = {_literal(v)}" for k, v in named.items()) + " }")
        parts += [_literal(a) for a in arguments]
        return Relation(self.module, " ".join(parts))

    @property
    def type(self) -> str:
        """The type, as `:type` shows it. Raises Error if the expression has none."""
        return _taken(self.module._module.type_of(self.text))

    @property
    def structural_type(self) -> str:
        """Which unknowns the relation can determine: "{p.v n.v; p.i n.i}". Empty if that depends on the use."""
        return _taken(self.module._module.structural_type_of(self.text))

    def experiment(self, **how) -> "Experiment":
        """Compiles the expression; see Module.experiment."""
        return self.module.experiment(self.text, **how)

    def run(self, set: Mapping | None = None, **settings) -> "Result":
        """Compiles and runs the expression; see Experiment.run."""
        return self.module.experiment(self.text, set=set).run(set=set, **settings)

    def __repr__(self) -> str:
        return f"<sigrel {self.text}>"


class Module:
    """Definitions: those of a file, and those that `enter` has added. Its names are attributes: `module.resistor`."""

    def __init__(self, *, path: Iterable[str] = (), libraries: Iterable[str] = (), cache: bool = True):
        """`path`: folders in which imports are sought. `libraries`: shared libraries with foreign functions. `cache`:
        keep machine code on disk."""
        library = Path(__file__).parent / "stdlib"
        self._module = _sigrel.Module(_sigrel.Options(
            library=str(library) if library.is_dir() else "", path=[os.fspath(p) for p in path],
            libraries=[os.fspath(p) for p in libraries], cache=cache))
        self.file: str | None = None

    def load(self, file) -> "Module":
        """Replaces all definitions by those of a file. Raises Error, and then changes nothing."""
        _taken(self._module.load(os.fspath(file)))
        self.file = os.fspath(file)
        return self

    def enter(self, text: str) -> str | None:
        """Adds or replaces definitions, or evaluates an expression, as the REPL does. Returns the value as text."""
        answer = _taken(self._module.enter(text))
        if answer.kind == "definitions":
            return None
        return answer.value if answer.kind == "value" else f"<{answer.kind} :: {answer.type}>"

    def names(self) -> list[str]:
        """All names in scope, sorted."""
        return self._module.names()

    def type_of(self, expression: str) -> str:
        return _taken(self._module.type_of(expression))

    def documentation(self, name: str) -> str:
        """The comment above a definition; empty if there is none."""
        return self._module.documentation(name)

    def __getitem__(self, expression: str) -> Relation:
        """An expression of this module, by its text: `module["resistor 10.0"]`. It is checked when it is used."""
        return Relation(self, expression)

    def __getattr__(self, name: str) -> Relation:
        if name.startswith("_") or name not in self._module.names():
            raise AttributeError(f"the module defines no `{name}`")
        return Relation(self, name)

    def __dir__(self):
        return [*super().__dir__(), *(n for n in self.names() if n.isidentifier())]

    def experiment(self, expression: str | Relation | None = None, *, set: Mapping | None = None,
                   inputs: Iterable[str] = (), backend: str = "jit", strict_initial: bool = False) -> "Experiment":
        """Compiles `main`, or an expression.

        `set`: parameters by name ("r1.r"), with their values; runs can change those that do not determine the
        equations. `inputs`: variables that `linearize` and `steady` free from their equations. `backend`: "jit" or
        "interpreter". `strict_initial`: missing initial equations are an error instead of a guess. Raises Error."""
        text = expression.text if isinstance(expression, Relation) else expression
        if backend not in ("jit", "interpreter"):
            raise ValueError(f"there is no backend `{backend}`: it is \"jit\" or \"interpreter\"")
        return Experiment(self, text, dict(_parameters(set)), tuple(inputs), backend, strict_initial)


class Experiment:
    """A compiled model. Runs of one experiment may go on in several threads at a time."""

    def __init__(self, module, text, values, inputs, backend, strict_initial):
        self._module, self._text, self._inputs = module, text, inputs
        self._backend, self._strict = backend, strict_initial
        self._given = values  # by the experiment
        self._models = {}
        self._compile(values)

    def _compile(self, values: Mapping[str, float] | None = None, start_given: bool = False):
        """The model in which these parameters are settable. Its own value of each is what it was compiled with."""
        values = self._given if values is None else values
        # Where a parameter determines the equations, each of its values has a model.
        key = start_given, frozenset(values)
        known = self._models.get(key)
        if known and any(values[n] != v for n, v in known[1].items()):
            key = start_given, frozenset(values.items())
            known = self._models.get(key)
        if not known:
            model = _taken(self._module._module.compile(self._text, list(values.items()), self._backend, self._strict,
                                                        start_given, list(self._inputs)))
            settable = builtins.set(model.parameters)
            known = self._models[key] = model, {n: v for n, v in values.items() if n not in settable}
        return known[0]

    def _model(self, set: Mapping | None, start_given: bool = False):
        """The model whose runs can change these parameters. Those of parts are compiled in when they are set."""
        always = builtins.set(self._compile().parameters)
        changed = dict(_parameters(set))
        values = {n: changed.get(n, v) for n, v in self._given.items()}
        values |= {n: v for n, v in changed.items() if n not in always}
        return self._compile(values, start_given)

    def _set(self, model, set: Mapping | None):
        known = builtins.set(model.parameters)
        merged = {**self._given, **dict(_parameters(set))}
        return [(n, v) for n, v in merged.items() if n in known]

    @property
    def parameters(self) -> list[str]:
        """The names that `set` can change without compilation; other parameters of parts it compiles once."""
        return self._compile().parameters

    @property
    def variables(self) -> list[str]:
        """The names of all variables."""
        return self._compile().variables

    def why(self, variable: str) -> str:
        """Where a variable is declared, and what determines it."""
        text = self._compile().why(variable)
        if text is None:
            raise KeyError(variable)
        return text

    def run(self, set: Mapping | None = None, *, events: bool = False, **settings) -> "Result":
        """Runs the model.

        `set`: values of parameters by name, in SI units; those of parts ("r1.r"), too. Settings, which replace those of the experiment: `start`,
        `stop` (seconds), `tolerance`, `max_step`, `steps`, `solver` ("auto", "cvode", "adams", "ida", "qss"),
        `event_rows`, `assert_bounds`, `threads`, `variables` (patterns to record), `init_from` ("FILE" or "FILE@t").
        `events`: keep a log of all events.

        Raises RunError, which has the result so far, and KeyboardInterrupt."""
        given = _run_settings(settings)
        model = self._model(set, "init_from" in given)
        return Result(model.run(given, self._set(model, set), None, True, events), self._text or "main")

    def sweep(self, axes: Mapping[str, Sequence[float]], set: Mapping | None = None, *, threads: int = 0,
              runs: bool = False, **settings) -> "Sweep":
        """Runs the model at all points of a grid, on all cores. `axes`: the values of each parameter; the last one
        changes fastest. `runs`: keep the trajectories. Points that fail are NaN, and in `Sweep.errors`."""
        grid = [(str(n), [float(v) for v in np.asarray(vs, dtype=float).ravel()]) for n, vs in axes.items()]
        if not grid or any(not vs for _, vs in grid):
            raise ValueError("a sweep needs values for at least one parameter")
        model = self._model({**(set or {}), **{n: vs[0] for n, vs in grid}})
        axis_names = {n for n, _ in grid}
        if fixed_axes := axis_names - builtins.set(model.parameters):
            raise Error([], f"`{min(fixed_axes)}` determines the equations: run an experiment for each of its values")
        fixed = [(n, v) for n, v in self._set(model, set) if n not in axis_names]
        points = int(np.prod([len(vs) for _, vs in grid]))
        found = _taken(model.sweep(_run_settings(settings), fixed, grid, threads,
                                   list(range(points)) if runs else []))
        return Sweep(grid, found)

    def linearize(self, at: float | None = None, *, inputs: Iterable[str] | None = None, outputs: Iterable[str] = (),
                  set: Mapping | None = None, **settings) -> "Linearization":
        """The linear model dx' = A dx + B du, dy = C dx + D du at a time of the run, by default its start.
        `inputs` are freed from their equations."""
        given = _run_settings({**settings, "stop": at})
        wanted = tuple(inputs) if inputs is not None else self._inputs
        experiment = self if wanted == self._inputs else Experiment(
            self._module, self._text, dict(self._given), wanted, self._backend, self._strict)
        model = experiment._model(set, "init_from" in given)
        return Linearization(_taken(model.linearize(given, self._set(model, set), list(wanted), list(outputs))))

    def steady(self, *, fix: Mapping | None = None, vary: Iterable | Mapping = (), exclude: Iterable[str] = (),
               minimise: str = "", maximise: str = "", set: Mapping | None = None, **settings) -> "Steady":
        """A steady state. `fix`: values of variables. `vary`: names, or a dict from names to (lower, upper) or None,
        of parameters and variables that are free instead. `exclude`: states that keep their initial values."""
        given = _run_settings(settings)
        bounds = vary if isinstance(vary, Mapping) else {name: None for name in vary}
        free = [(str(n), *(map(float, b) if b is not None else (-np.inf, np.inf))) for n, b in bounds.items()]
        fixed = _parameters(fix)
        freed = tuple(n for n, *_ in free)
        initial = self._compile()
        inputs = tuple(n for n in freed if n not in initial.parameters)
        experiment = self if inputs == self._inputs else Experiment(
            self._module, self._text, dict(self._given), inputs, self._backend, self._strict)
        model = experiment._model(set)
        return Steady(_taken(model.steady(given, self._set(model, set), fixed, free, list(exclude), minimise,
                                          maximise)))

    def stepper(self, set: Mapping | None = None, **settings) -> "Stepper":
        """Runs the model in steps, with parameters that may change between them: a loop with Python."""
        return Stepper(self, set, settings)

    def __repr__(self) -> str:
        return f"<sigrel experiment {self._text or 'main'}: {self._compile().equations} equations>"


class Result(Mapping):
    """The results of a run: arrays by name over `time`, in SI units. At an event there are two rows of one time."""

    def __init__(self, result, title: str):
        self._result, self._title, self._columns = result, title, {}
        messages = result.messages
        #: What the compiler said of this run, notes included.
        self.messages: list[Diagnostic] = messages.all
        if messages.failed or result.failed:
            if not result.valid:
                raise Error(messages.all)
            raise RunError(messages.all, self)
        _tell(messages.all)

    @property
    def time(self) -> np.ndarray:
        """Seconds, ascending; shape (rows,)."""
        if None not in self._columns:
            self._columns[None] = self._result.times
        return self._columns[None]

    @property
    def names(self) -> list[str]:
        return self._result.names

    def __getitem__(self, name: str) -> np.ndarray:
        """A variable over time; shape (rows,). Bools and data types are numbers: see `states_of`."""
        if name not in self._columns:
            if name not in self._result.names:
                import difflib
                near = difflib.get_close_matches(name, self._result.names, 1)
                raise KeyError(name + (f" (did you mean {near[0]}?)" if near else " (it was not recorded)"))
            self._columns[name] = self._result.column(name)
        return self._columns[name]

    def __iter__(self):
        return iter(self._result.names)

    def __len__(self) -> int:
        return len(self._result.names)

    @property
    def final(self) -> dict[str, float]:
        """The values at the end."""
        return {name: self._result.value(name) for name in self._result.names}

    @property
    def reached(self) -> float:
        """The time of the end: that of `terminate`, for example."""
        return self._result.reached

    @property
    def terminated(self) -> bool:
        """Whether the model ended the run itself, by `terminate`."""
        return self._result.terminated

    @property
    def events(self) -> str:
        """The log of events, if `run(events=True)` asked for it."""
        return self._result.events

    @property
    def statistics(self) -> dict:
        return self._result.statistics()

    def unit(self, name: str) -> str:
        """The SI unit of a variable, empty if it has none."""
        found = re.search(r"\[([^|\]]*)[^\]]*\]$", self._result.description(name))
        return found.group(1) if found else ""

    def states_of(self, name: str) -> list[str]:
        """The names of the values 0, 1, … of a variable of a data type, or of a Bool; else empty."""
        text = self._result.description(name)
        return ["False", "True"] if text == "Bool" else text.split(" | ") if " | " in text else []

    def to_pandas(self):
        """A DataFrame with the time as its index. All columns are one block of memory."""
        import pandas
        return pandas.DataFrame(self._result.matrix(), columns=self.names, copy=False,
                                index=pandas.Index(self.time, name="time"))

    def svg(self, *panes) -> str:
        """A plot as SVG: the `plot` of the experiment, or panes, each a name or a list of names."""
        chosen = [[p] if isinstance(p, str) else list(p) for p in panes]
        for name in (n for pane in chosen for n in pane):
            self[name]
        return self._result.svg(self._title, chosen)

    def _repr_svg_(self) -> str:
        return self.svg()

    def plot(self, *names: str, ax=None):
        """Draws variables with matplotlib, by default those of the experiment's `plot`; returns the axes."""
        import matplotlib.pyplot as plt
        ax = ax or plt.gca()
        for name in names or [n for pane in self._result.panes for n in pane]:
            unit = self.unit(name)
            steps = "steps-post" if self.states_of(name) or self._result.description(name) == "Int" else "default"
            ax.plot(self.time, self[name], label=f"{name} [{unit}]" if unit else name, drawstyle=steps)
        ax.set_xlabel("time [s]")
        ax.legend()
        return ax

    def save(self, file) -> None:
        """Writes the results: .csv, or .mat for MATLAB v4."""
        reason = self._result.write(os.fspath(file))
        if reason:
            raise OSError(f"{os.fspath(file)}: {reason}")

    def __repr__(self) -> str:
        return f"<sigrel result of {self._title}: {len(self)} variables, {len(self.time)} rows to {self.reached:g} s>"


class Sweep(Mapping):
    """The results of a sweep: by name the final values, an array in the shape of the grid; NaN where a run failed."""

    def __init__(self, grid, found):
        self.axes: dict[str, np.ndarray] = {n: np.array(vs) for n, vs in grid}
        self.names: list[str] = found["names"]
        shape = tuple(len(vs) for _, vs in grid)
        split = lambda m: {n: m[:, k].reshape(shape) for k, n in enumerate(self.names)}
        self.last, self.least, self.greatest = (split(found[k]) for k in ("last", "least", "greatest"))
        #: The message of each point, empty where the run was fine; in the shape of the grid.
        self.errors = np.array(found["errors"], dtype=object).reshape(shape)
        #: With `runs=True`: the arrays of each point, by its number in the flattened grid.
        self.runs: dict[int, dict[str, np.ndarray]] = found["runs"]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.last[name]

    def __iter__(self):
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_pandas(self):
        """A DataFrame with a row for each point: parameters, then `x`, `min(x)` and `max(x)` of each variable."""
        import pandas
        mesh = np.meshgrid(*self.axes.values(), indexing="ij")
        columns = {n: m.ravel() for n, m in zip(self.axes, mesh)}
        for n in self.names:
            columns[n] = self.last[n].ravel()
            columns[f"min({n})"] = self.least[n].ravel()
            columns[f"max({n})"] = self.greatest[n].ravel()
        columns["error"] = self.errors.ravel()
        return pandas.DataFrame(columns)


class Linearization:
    """dx' = A dx + B du, dy = C dx + D du at `time`; `states`, `inputs` and `outputs` name rows and columns."""

    def __init__(self, found):
        self.time: float = found["time"]
        self.states: list[str] = found["states"]
        self.inputs: list[str] = found["inputs"]
        self.outputs: list[str] = found["outputs"]
        self.A, self.B, self.C, self.D = (found[k] for k in "ABCD")

    @property
    def poles(self) -> np.ndarray:
        """The eigenvalues of A, in 1/s."""
        return np.linalg.eigvals(self.A) if len(self.states) else np.array([])

    def __iter__(self):
        """So that `A, B, C, D = linearization`."""
        return iter((self.A, self.B, self.C, self.D))


class Steady(Mapping):
    """A steady state: the value of every variable. `values` are those that were sought or given."""

    def __init__(self, found):
        self.time: float = found["time"]
        self.values_found: dict[str, float] = found["values"]
        self.at_bound: list[str] = found["at_bound"]
        self.iterations: int = found["iterations"]
        self._all = {**found["all"], **found["values"]}

    def __getitem__(self, name: str) -> float:
        return self._all[name]

    def __iter__(self):
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


class Stepper:
    """A run in steps: `step(dt, u=1.0)` advances the time, with parameters that are changed before.

    Between the steps states and discrete variables keep their values, and the integrator starts anew, as at an event.
    Models with `delay` or `switch` cannot be run in parts: that raises Error."""

    def __init__(self, experiment: Experiment, set: Mapping | None, settings: Mapping):
        given = _run_settings(settings)
        if "stop" in given:
            raise TypeError("a stepper has no `stop`: each step says how far it goes")
        self._experiment, self._settings = experiment, given
        self._set = dict(set or {})
        self._model = None
        self.result: Result | None = None
        self.time: float = given.pop("start", 0.0)

    def step(self, dt: float, **changes: float) -> Result:
        """Advances by `dt` seconds and returns the results of this step. Parameters of parts have dots in their
        names: `step(0.1, **{"motor.r": 2.0})`. Raises RunError."""
        if not dt > 0:
            raise ValueError(f"a step of {dt} s does not advance")
        self._set.update(changes)
        model = self._experiment._model(self._set)
        if self._model is not None and model is not self._model:
            raise Error([], "a step changes a parameter of a part for the first time: pass all of them to `stepper`, "
                            f"for example stepper(set={self._set})")
        self._model = model
        given = {**self._settings, "start": self.time, "stop": self.time + dt}
        given.setdefault("steps", 1)
        before = self.result._result if self.result is not None else None
        found = model.run(given, self._experiment._set(model, self._set), before, False, False)
        self.result = Result(found, "step")
        self.time = found.reached
        return self.result

    def __getitem__(self, name: str) -> float:
        """The present value of a variable."""
        if self.result is None:
            raise RuntimeError("there was no step yet")
        value = self.result._result.value(name)
        if value is None:
            raise KeyError(name)
        return value


def load(file, *, path: Iterable[str] = (), libraries: Iterable[str] = (), cache: bool = True) -> Module:
    """Reads, parses and checks a file; see Module for the settings. Raises Error."""
    return Module(path=path, libraries=libraries, cache=cache).load(file)


def loads(text: str, *, path: Iterable[str] = (), libraries: Iterable[str] = (), cache: bool = True) -> Module:
    """A module with the definitions of a text. Raises Error."""
    module = Module(path=path, libraries=libraries, cache=cache)
    module.enter(text)
    return module


def check(file, *, path: Iterable[str] = ()) -> list[Diagnostic]:
    """What `sigrel check FILE` says: types, structural types, and `main`. An empty list is a clean file."""
    library = Path(__file__).parent / "stdlib"
    options = _sigrel.Options(library=str(library) if library.is_dir() else "", path=[os.fspath(p) for p in path],
                              libraries=[], cache=False)
    return _sigrel.check_file(options, os.fspath(file)).all


def read_results(file):
    """Reads a file of results: the time, and arrays by name. Raises Error."""
    time, columns, _ = _taken(_sigrel.read_results(os.fspath(file)))
    return time, columns
