"""The Python package against closed forms, and against what users do wrong."""
import math
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import sigrel

EXAMPLES = Path(__file__).parents[2] / "examples"

DECAY = """
decay :: Real -> SR (x :: Real)
decay k = sigrel (x) where
  der x = -k * x
  initially x = 1.0

model :: Real -> SR ()
model k = sigrel () where
  d: decay k <> x

main = simulate (model 2.0) with { stop = 1.0, plot = ["x"] }
"""

DRIVEN = """
driven :: Real -> SR ()
driven u = sigrel () where
  local x
  der x = u - x
  discrete n :: Int = 0
  every 1.0 do n := pre n + 1
  initially x = 0.0

main = simulate (driven 0.0)
"""

BUSY = """
busy :: SR ()
busy = sigrel () where
  local x
  der x = cos (1000.0 * time)
  initially x = 0.0
"""

CIRCUIT = """import Electrical

series :: SR (Pin, Pin) -> SR (Pin, Pin) -> SR (p :: Pin, n :: Pin)
series a b = sigrel (p, n) where
  a <> (p, m)
  b <> (m, n)

circuit :: SR (Pin, Pin) -> SR ()
circuit load = sigrel () where
  source: constantVoltage 10.0 <> (a, g)
  l:      load                 <> (a, g)
  ground                       <> g
"""


def test_a_run_has_arrays_over_time():
    result = sigrel.loads(DECAY).experiment().run()
    assert result.time[0] == 0.0 and result.time[-1] == 1.0
    assert result["x"].shape == result.time.shape
    np.testing.assert_allclose(result["x"], np.exp(-2.0 * result.time), rtol=1e-5)
    assert result.final["x"] == result["x"][-1] and result.reached == 1.0 and not result.terminated


def test_parameters_change_without_compilation():
    experiment = sigrel.loads(DECAY).experiment()
    assert experiment.parameters == ["k"]
    for k in (0.5, 3.0):
        assert experiment.run(set={"k": k}).final["x"] == pytest.approx(math.exp(-k), rel=1e-5)
    assert len(experiment._models) == 1


def test_a_parameter_of_a_part_is_compiled_in_once():
    experiment = sigrel.loads(DECAY).experiment()
    for k in (0.5, 3.0):
        assert experiment.run(set={"d.k": k}).final["x"] == pytest.approx(math.exp(-k), rel=1e-5)
    assert len(experiment._models) == 2
    assert experiment.run().final["x"] == pytest.approx(math.exp(-2.0), rel=1e-5)


@pytest.mark.parametrize("wrong", [
    lambda e: e.run(set={"kk": 1.0}), lambda e: e.run(set={"d.kk": 1.0}), lambda e: e.run(stop=-1.0),
    lambda e: e.run(solver="rk4"), lambda e: e.run(tolerance=0.0), lambda e: e.run(variables=["nothing"]),
    lambda e: e.run(init_from="/no/such/file.csv"), lambda e: e.linearize(inputs=["nothing"]),
    lambda e: e.steady(vary=["nothing"]), lambda e: e.sweep({"nothing": [1.0]}),
    lambda e: e.sweep({"k": [1.0]}, variables=["nothing"]), lambda e: e.linearize(outputs=["nothing"]),
])
def test_nothing_is_silently_without_effect(wrong):
    experiment = sigrel.loads(DECAY).experiment()
    with pytest.raises(sigrel.Error) as caught:
        wrong(experiment)
    assert str(caught.value)
    assert experiment.run().final["x"] == pytest.approx(math.exp(-2.0), rel=1e-5)  # it goes on working


@pytest.mark.parametrize("wrong", [
    lambda e: e.run(stopp=1.0), lambda e: e.run({"k": "three"}), lambda e: e.run(steps=0), lambda e: e.run(steps=1.5), lambda e: e.run(steps=2**31),
    lambda e: e.sweep({}), lambda e: e.sweep({"k": []}), lambda e: e.stepper(stop=1.0), lambda e: e.stepper().step(0.0),
])
def test_wrong_arguments_are_errors_of_python(wrong):
    with pytest.raises((TypeError, ValueError)):
        wrong(sigrel.loads(DECAY).experiment())


def test_diagnostics_have_places():
    with pytest.raises(sigrel.Error) as caught:
        sigrel.loads("f :: Real -> Real\nf x = y\n")
    [diagnostic] = caught.value.diagnostics
    assert diagnostic.code == "SR0105" and diagnostic.severity == "error"
    assert (diagnostic.place.line, diagnostic.place.column, diagnostic.place.end_column) == (2, 7, 8)
    assert "`y` is not defined" in str(caught.value)


def test_a_missing_file():
    with pytest.raises(sigrel.Error) as caught:
        sigrel.load("/no/such/model.sr")
    assert "/no/such/model.sr" in str(caught.value)


def test_a_failed_run_keeps_its_rows():
    module = sigrel.loads("blow :: SR ()\nblow = sigrel () where\n  local x\n  der x = x * x\n  initially x = 1.0\n")
    with pytest.raises(sigrel.RunError) as caught:
        module.blow.run(stop=2.0)
    partial = caught.value.result
    assert 0.9 < partial.reached <= 1.0
    inner = partial.time < 0.9
    np.testing.assert_allclose(partial["x"][inner], 1.0 / (1.0 - partial.time[inner]), rtol=1e-3)


def test_warnings_are_those_of_python():
    with pytest.warns(sigrel.Warning, match="SR0122"):
        module = sigrel.loads("""
low :: SR ()
low = sigrel () where
  local x, y
  der x = -x
  terminate when x < 0.5
  initially x = 1.0
""")
    experiment = module.low.experiment()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", sigrel.Note)
        result = experiment.run()
    assert result.terminated and result.reached == pytest.approx(math.log(2.0), rel=1e-5)
    assert "note" in [d.severity for d in result.messages]
    assert {w.category for w in told} == {sigrel.Note} and told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error", sigrel.Note)
        with pytest.raises(sigrel.Note):
            experiment.run()


def test_relations_are_applied_and_composed():
    module = sigrel.loads(CIRCUIT)
    load = module.series(module.resistor(10.0), module.inductor(0.1))
    assert load.type == "SR (p :: Pin, n :: Pin)" and "p.i" in load.structural_type
    result = module.circuit(load).run(stop=0.05)
    current = 1.0 - np.exp(-result.time * 100.0)
    np.testing.assert_allclose(-result["source.p.i"], current, atol=1e-5)
    assert result.unit("source.u") == "V"


def test_literals():
    module = sigrel.loads("""
total :: [Real] -> Real
total xs = sum xs

pick :: Bool -> (Int, Real) -> Real
pick b (n, x) = if b && n < 0 then -x else x

name :: String -> String
name s = s ++ "!"

named :: (gain :: Real) -> (offset :: Real) -> Real
named g o = g - o
""")
    assert module.enter(module.total([1.0, 2.5, -1e-20, 1e300]).text).startswith("1")
    assert module.enter(module.pick(True, (-3, 1.0)).text) == "-1.0"
    assert module.enter(module.pick(np.bool_(False), (3, np.float64(1.5))).text) == "1.5"
    assert module.enter(module.name('a "b" \\ c').text) == r'"a \"b\" \\ c!"'
    assert module.enter(module.named(offset=1.0, gain=3.0).text) == "2.0"
    for wrong in (float("nan"), float("inf"), object(), None, 1j):
        with pytest.raises((TypeError, ValueError)):
            module.total([wrong])


def test_names_are_attributes():
    module = sigrel.loads(DECAY)
    assert "decay" in dir(module) and module.decay.type.endswith("SR (x :: Real)")
    with pytest.raises(AttributeError):
        module.nothing
    assert "resistor" in sigrel.loads("import Electrical").documentation("resistor") or \
        sigrel.loads("import Electrical").documentation("resistor")


def test_a_sweep_is_an_array_in_the_shape_of_the_grid():
    experiment = sigrel.loads(DECAY).experiment()
    ks, stops = [0.5, 1.0, 2.0], 1.0
    sweep = experiment.sweep({"k": ks}, runs=True, stop=stops)
    np.testing.assert_allclose(sweep["x"], np.exp(-np.array(ks)), rtol=1e-5)
    np.testing.assert_allclose(sweep.greatest["x"], 1.0)
    assert (sweep.errors == "").all()
    assert sweep.runs[2]["x"][-1] == sweep["x"][2]
    for k, value in zip(ks, sweep["x"]):
        assert experiment.run(set={"k": k}).final["x"] == value  # bitwise


def test_a_sweep_over_parts_has_two_dimensions_and_its_errors():
    module = sigrel.loads("""
two :: Real -> Real -> SR ()
two a b = sigrel () where
  local x, y
  der x = -a * x
  y = sqrt b * x
  initially x = 1.0

main = simulate (two 1.0 1.0) with { stop = 1.0, plot = ["x", "y"] }
""")
    sweep = module.experiment().sweep({"a": [0.0, 1.0], "b": [1.0, 4.0, -1.0]})
    assert sweep["y"].shape == (2, 3)
    np.testing.assert_allclose(sweep["y"][:, :2], [[1.0, 2.0], [math.exp(-1), 2 * math.exp(-1)]], rtol=1e-5)
    assert np.isnan(sweep["y"][:, 2]).all() and sweep.errors[0, 2].startswith("SR") and sweep.errors[0, 0] == ""
    frame = sweep.to_pandas()
    assert list(frame["a"]) == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0] and len(frame) == 6


def test_linearize():
    module = sigrel.loads("""
plant :: SR ()
plant = sigrel () where
  local p, v, u
  der p = v
  der v = -4.0 * p - 0.5 * v + 3.0 * u
  u = 0.0
  initially
    p = 1.0
    v = 0.0
""")
    linear = module.plant.experiment().linearize(inputs=["u"], outputs=["p"])
    order = [linear.states.index(n) for n in ("p", "v")]
    np.testing.assert_allclose(linear.A[np.ix_(order, order)], [[0, 1], [-4, -0.5]])
    np.testing.assert_allclose(linear.B[order, 0], [0, 3])
    A, B, C, D = linear
    assert D == 0 and C.shape == (1, 2)
    np.testing.assert_allclose(sorted(linear.poles.imag), np.array([-1, 1]) * math.sqrt(4 - 0.0625), rtol=1e-9)


def test_steady():
    module = sigrel.loads("""
tank :: Real -> SR ()
tank q = sigrel () where
  local h
  der h = q - 0.5 * sqrt h
  initially h = 1.0
""")
    experiment = module.tank(0.7).experiment()
    assert experiment.steady()["h"] == pytest.approx(1.96)
    found = experiment.steady(fix={"h": 4.0}, vary={"q": (0.0, 10.0)})
    assert found["q"] == pytest.approx(1.0) and found["h"] == pytest.approx(4.0)


def test_a_stepper_is_a_loop_with_python():
    stepper = sigrel.loads(DRIVEN).experiment().stepper(tolerance=1e-9)
    x, u = 0.0, 0.0
    for k in range(40):
        u = math.sin(0.3 * k)
        stepper.step(0.25, u=u)
        x = u + (x - u) * math.exp(-0.25)
        assert stepper["x"] == pytest.approx(x, abs=1e-7)
        assert stepper.time == pytest.approx(0.25 * (k + 1))
    assert stepper["n"] == 10 + 1 or stepper["n"] == 10  # ticks at 0 .. 10: each once


def test_ticks_at_the_seam_of_two_steps_happen_once():
    module = sigrel.loads(DRIVEN)
    whole = module.experiment().run(stop=10.0).final["n"]
    for parts in (4, 10, 40):
        stepper = module.experiment().stepper()
        for _ in range(parts):
            stepper.step(10.0 / parts)
        assert stepper["n"] == whole, parts


def test_a_stepper_refuses_what_it_would_get_wrong():
    module = sigrel.loads("""
delayed :: SR ()
delayed = sigrel () where
  local x
  der x = -delay x 1.0
  initially x = 1.0
""")
    stepper = module.delayed.experiment().stepper()
    stepper.step(0.5)
    with pytest.raises(sigrel.Error, match="delay"):
        stepper.step(0.5)
    stepper = sigrel.loads(DECAY).experiment().stepper()
    stepper.step(0.5)
    with pytest.raises(sigrel.Error, match="stepper"):
        stepper.step(0.5, **{"d.k": 1.0})


def test_a_frame_has_the_columns():
    result = sigrel.loads(DECAY).experiment().run(steps=10)
    frame = result.to_pandas()
    assert list(frame.columns) == result.names and frame.index.name == "time" and len(frame) == len(result.time)
    np.testing.assert_array_equal(frame["x"].to_numpy(), result["x"])


def test_results_are_written_and_read(tmp_path):
    result = sigrel.loads(DECAY).experiment().run(steps=10)
    for name in ("out.csv", "out.mat"):
        result.save(tmp_path / name)
        times, columns = sigrel.read_results(tmp_path / name)
        np.testing.assert_allclose(times, result.time)
        np.testing.assert_allclose(columns["x"], result["x"])
    with pytest.raises(OSError):
        result.save(tmp_path / "out.parquet")
    with pytest.raises(OSError):
        result.save("/no/such/folder/out.csv")
    with pytest.raises(sigrel.Error):
        sigrel.read_results(tmp_path / "none.csv")


def test_a_plot_is_svg():
    result = sigrel.loads(DECAY).experiment().run()
    assert result.svg().startswith("<svg") and result._repr_svg_().count("<svg") == 1
    assert "d.x" in result.svg(["x", "d.x"])
    with pytest.raises(KeyError):
        result.svg("nothing")
    with pytest.raises(KeyError, match="did you mean"):
        result["d.xx"]


def test_runs_in_threads_are_independent():
    experiment = sigrel.loads(DECAY).experiment()
    experiment.run(set={"k": 1.0})
    found = {}

    def work(k):
        for _ in range(20):
            found[k] = experiment.run(set={"k": k}, stop=1.0).final["x"]

    threads = [threading.Thread(target=work, args=(0.25 * k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k, value in found.items():
        assert value == pytest.approx(math.exp(-k), rel=1e-5)


def test_other_threads_go_on_during_a_run():
    module = sigrel.loads(BUSY)
    experiment = module.busy.experiment()
    ticks = []
    thread = threading.Thread(target=lambda: experiment.run(stop=30.0, steps=1))
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    assert len(ticks) > 5


def test_control_c_ends_a_run():
    script = f"""
import os, signal, sys, threading, time
import sigrel
module = sigrel.loads('''{BUSY}''')
experiment = module.busy.experiment()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    experiment.run(stop=1.0e9, steps=1)
except KeyboardInterrupt:
    print("interrupted", experiment.run(stop=0.001).reached)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted 0.001\n", done.stderr


def test_check_says_what_the_command_says(tmp_path):
    assert sigrel.check(EXAMPLES / "01_low_pass.sr") == []
    bad = tmp_path / "bad.sr"
    bad.write_text("part :: SR (x :: Real, y :: Real)\npart = sigrel (x, y) where\n  x = 1.0\n  x = 2.0\n  y = x\n")
    said = sigrel.check(bad)
    assert said and said[0].severity == "error" and said[0].place.file == str(bad)


@pytest.mark.parametrize("name", sorted(p.name for p in EXAMPLES.glob("0*.sr")))
def test_examples_run(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = sigrel.load(EXAMPLES / name).experiment().run()
    assert result.reached > 0 and len(result.names) > 0


def test_definitions_that_are_entered_join_the_file():
    module = sigrel.load(EXAMPLES / "01_low_pass.sr")
    assert module.enter("twice :: Real -> Real\ntwice x = 2.0 * x") is None
    assert module.enter("twice 21.0") == "42.0"
    assert module.lowPass(200.0).run(stop=0.01).reached == 0.01


def test_why():
    experiment = sigrel.load(EXAMPLES / "01_low_pass.sr").experiment()
    assert "c1.u" in experiment.why("c1.u")
    with pytest.raises(KeyError):
        experiment.why("nothing")
