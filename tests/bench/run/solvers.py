#!/usr/bin/env python3
"""Compares the solvers: runs models by each of them and shows steps, work, time, and error.

    solvers.py SIGREL [--tolerance X] [--limit SECONDS] [--ratio R] [--runs N] [--instructions] [FILE...]

Without files: the examples, the models of this folder and those of tests/numeric/models that have a `main`. The error is the largest difference of a final value from a run of CVODE, or else IDA, at 1e-3 of the
tolerance, relative to the value or to 1e-3 of the largest final value of the model, whichever is larger. A line
`auto` with a star takes more than R times the time, and the steps, of the best solver that completes
with at most ten times the error of `auto`. Times are the least of N runs, and noisy: compare those of one model
only. `--instructions` counts, for the models that would get a star, the instructions of integration by callgrind
(valgrind must be installed), which are the same on a busy machine, and compares these instead. The last line is
how many models were compared, and how many have a star.
"""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Each of their runs takes minutes with some solver, and shows the cost of events only.
LARGE = {"airconds.sr", "airconds_noise.sr", "many_events.sr", "many_events_counted.sr", "converters.sr",
         "converters_parts.sr", "thermostats.sr"}
SOLVERS = ("auto", "cvode", "adams", "ida", "qss")


def number(pattern, text):
    found = re.search(pattern, text, re.M)
    return float(found[1]) if found else None


def final_values(path):
    with open(path, encoding="utf-8") as rows:
        last = None
        for last in csv.reader(rows):
            pass
    return [float(x) for x in last[1:] if x]  # none of a mode that is not active


def run(arguments, model, solver, tolerance):
    """One run: its figures, or the code of its error."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.csv")
        command = [arguments.sigrel, "run", model, "--solver", solver, "--stats", "--steps", "10",
                   "--no-event-rows", "-o", out, "--tolerance", repr(tolerance)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=arguments.limit)
        except subprocess.TimeoutExpired:
            return {"failure": "time"}
        text = done.stdout + done.stderr
        if done.returncode != 0:
            code = re.search(r"error\[(SR\d+)\]", text)
            return {"failure": code[1] if code else f"exit {done.returncode}"}
        used = re.search(r"^  solver +([^,\n]+)", text, re.M)
        return {
            "used": used[1] if used else "none",
            "steps": number(r"^  steps +(\d+)", text),
            "rejected": number(r"(\d+) rejected", text),
            "evaluations": number(r"evaluations +(\d+)", text),
            # Of the integrator; those of algebraic loops are counted apart.
            "factorisations": number(r"Jacobians \d+, factorisations (\d+)", text),
            "ms": number(r"([\d.]+) ms to integrate", text),
            "values": final_values(out),
        }


def instructions(arguments, model, solver):
    """Of integration; None if the run fails or takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", arguments.sigrel, "run", model,
                   "--solver", solver, "--steps", "10", "--no-event-rows", "--threads", "1", "-o",
                   os.path.join(folder, "out.csv"), "--tolerance", repr(arguments.tolerance)]
        try:
            if subprocess.run(command, capture_output=True, timeout=20 * arguments.limit).returncode:
                return None
        except subprocess.TimeoutExpired:
            return None
        text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", profile],
                              capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        if "runtime::TimeLoop::run(" in line:
            return float(line.split()[0].replace(",", ""))
    sys.exit("the profile has no TimeLoop: is the program stripped?")


def error(values, reference):
    floor = 1e-3 * max(map(abs, reference), default=0) or 1.0
    return max((abs(a - b) / max(abs(b), floor) for a, b in zip(values, reference)), default=0.0)


def survey(arguments, model):
    tolerance = arguments.tolerance
    precise = tolerance * 1e-3
    reference = run(arguments, model, "cvode", precise)
    if "failure" in reference:
        reference = run(arguments, model, "ida", precise)
    results = {solver: run(arguments, model, solver, tolerance) for solver in SOLVERS}
    for _ in range(1, arguments.runs):
        for solver, r in results.items():
            if r.get("ms") is not None:
                r["ms"] = min(r["ms"], run(arguments, model, solver, tolerance).get("ms") or r["ms"])
    for r in results.values():
        if "values" in r and "values" in reference:
            r["error"] = error(r["values"], reference["values"])
    return results


def rivals(results):
    """The solvers that complete, and are not much less accurate than `auto`."""
    auto = results["auto"]
    completed = {s: r for s, r in results.items() if s != "auto" and "failure" not in r}
    if "failure" in auto or "error" not in auto:
        return completed
    return {s: r for s, r in completed.items() if r.get("error", 0) <= 10 * auto["error"] + 1e-12}


def slow(results, measures, ratio):
    """Whether `auto` fails where another solver completes, or costs more than `ratio` times as much."""
    auto, others = results["auto"], rivals(results).values()
    if "failure" in auto:
        return bool(others)
    best = {k: min((r[k] for r in others if r.get(k) is not None), default=None) for k in measures}
    return all(best[k] is not None and auto.get(k) is not None and auto[k] > ratio * best[k] for k in measures)


def marked(arguments, model, results):
    if not slow(results, ("steps", "ms"), arguments.ratio) and not slow(results, ("ms",), arguments.ratio):
        return False
    if not arguments.instructions or "failure" in results["auto"]:
        return slow(results, ("steps", "ms"), arguments.ratio) or "failure" in results["auto"]
    for solver in ["auto", *rivals(results)]:
        results[solver]["instructions"] = instructions(arguments, model, solver)
    return slow(results, ("instructions",), arguments.ratio)


def models_with_main():
    found = []
    for folder in ("examples", "tests/bench/run", "tests/numeric/models"):
        for path in sorted((ROOT / folder).glob("*.sr")):
            if path.name not in LARGE and re.search(r"^main\b", path.read_text(encoding="utf-8"), re.M):
                found.append(str(path))
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("sigrel")
    options.add_argument("models", nargs="*")
    options.add_argument("--tolerance", type=float, default=1e-6, help="of all runs, instead of the models' own")
    options.add_argument("--limit", type=float, default=60, help="seconds for one run")
    options.add_argument("--ratio", type=float, default=1.5)
    options.add_argument("--runs", type=int, default=1)
    options.add_argument("--instructions", action="store_true", help="count them for the slow models")
    arguments = options.parse_intermixed_args()
    print("| model | asked | used | steps | rejected | evaluations | factorisations | ms | instructions / 1e6 | error |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    models = arguments.models or models_with_main()
    stars = 0
    for model in models:
        results = survey(arguments, model)
        star = "*" if marked(arguments, model, results) else ""
        stars += star == "*"
        for solver, r in results.items():
            name = solver + (star if solver == "auto" else "")
            if "failure" in r:
                print(f"| {os.path.basename(model)} | {name} | {r['failure']} | | | | | | | |", flush=True)
                continue
            counts = ("steps", "rejected", "evaluations", "factorisations")
            shown = [f"{r[k]:.0f}" if r[k] is not None else "" for k in counts]
            millions = f"{r['instructions'] / 1e6:.1f}" if r.get("instructions") else ""
            ms = "" if r["ms"] is None else f"{r['ms']:.1f}"
            deviation = f"{r['error']:.1e}" if "error" in r else ""
            print(f"| {os.path.basename(model)} | {name} | {r['used']} | {' | '.join(shown)} | {ms} | "
                  f"{millions} | {deviation} |", flush=True)
    print(f"{len(models)} models, {stars} with a star")


if __name__ == "__main__":
    main()
