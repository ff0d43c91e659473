#!/usr/bin/env python3
"""Compares the solvers: runs models by each of them and shows steps, work, time, and error.

    solvers.py SIGREL [--tolerance X] [--limit SECONDS] [--ratio R] [--runs N] FILE...

The error is the largest difference of a final value from a run of CVODE, or else IDA, at 1e-3 of the
tolerance, relative to the value or to 1e-3 of the largest final value of the model, whichever is larger. A line
`auto` with a star takes more than R times the time, and the steps, of the best solver that completes
with at most ten times the error of `auto`. Times are the least of N runs, and noisy: compare those of one model
only.
"""
import argparse
import csv
import os
import re
import subprocess
import tempfile

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
            "ms": number(r"([\d.]+) ms to integrate", text),
            "values": final_values(out),
        }


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


def slow(results, ratio):
    """Whether `auto` fails where another solver completes, or costs more than `ratio` times as much."""
    auto = results["auto"]
    others = [r for s, r in results.items() if s != "auto" and "failure" not in r]
    if "failure" in auto:
        return bool(others)
    if "error" in auto:
        others = [r for r in others if r.get("error", 0) <= 10 * auto["error"] + 1e-12]
    best = {k: min((r[k] for r in others if r[k] is not None), default=None) for k in ("steps", "ms")}
    return all(best[k] is not None and auto[k] is not None and auto[k] > ratio * best[k] for k in best)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("sigrel")
    options.add_argument("models", nargs="+")
    options.add_argument("--tolerance", type=float, default=1e-6, help="of all runs, instead of the models' own")
    options.add_argument("--limit", type=float, default=60, help="seconds for one run")
    options.add_argument("--ratio", type=float, default=1.5)
    options.add_argument("--runs", type=int, default=1)
    arguments = options.parse_args()
    print("| model | asked | used | steps | rejected | evaluations | ms | error |")
    print("|---|---|---|---|---|---|---|---|")
    for model in arguments.models:
        results = survey(arguments, model)
        star = "*" if slow(results, arguments.ratio) else ""
        for solver, r in results.items():
            name = solver + (star if solver == "auto" else "")
            if "failure" in r:
                print(f"| {os.path.basename(model)} | {name} | {r['failure']} | | | | | |", flush=True)
                continue
            shown = [f"{r[k]:.0f}" if r[k] is not None else "" for k in ("steps", "rejected", "evaluations")]
            ms = "" if r["ms"] is None else f"{r['ms']:.1f}"
            deviation = f"{r['error']:.1e}" if "error" in r else ""
            print(f"| {os.path.basename(model)} | {name} | {r['used']} | {' | '.join(shown)} | {ms} | "
                  f"{deviation} |", flush=True)


if __name__ == "__main__":
    main()
