#!/usr/bin/env python3
"""Prints what the check of steps (runtime/integrate/step_check.h) costs.

    step_check.py SIGREL [MODEL:N]...

Instructions of integration with it over those without, by callgrind (valgrind must be installed): all that TimeLoop
does, with and without what StepCheck does. Instructions are the same on a busy machine. A step that is repeated
because of the check is not in it; the last column is how many there were, and ought to be 0 for these models.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MODELS = pathlib.Path(__file__).resolve().parent
CASES = [f"{model}:{n}" for model in ("ladder", "diodes", "springs", "pendulums") for n in (1000, 10000)]
CASES += ["advection:32", "advection:100"]


def inclusive(profile, function):
    """Instructions of a function, and of all that it calls."""
    for line in profile.splitlines():
        if f"runtime::{function}(" in line:
            return int(line.split()[0].replace(",", ""))
    return 0


def measure(sigrel, model, n, solver):
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/profile"
        run = [sigrel, "run", MODELS / f"{model}.sr", "--set", f"n={n}", "--tolerance", "1e-6", "--solver", solver,
               "--no-cache", "--threads", "1", "--stats", "-o", f"{folder}/results.csv"]
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *run],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        profile = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", out],
                                 capture_output=True, text=True, check=True).stdout
    whole = inclusive(profile, "TimeLoop::run")
    check = inclusive(profile, "StepCheck::accepts") + inclusive(profile, "StepCheck::StepCheck")
    if whole == 0 or check == 0:
        sys.exit("the profile has no TimeLoop or no StepCheck: is the program stripped?")
    repeated = re.search(r"revised steps +(\d+)", done.stdout)
    return whole / (whole - check), int(repeated[1]) if repeated else 0


def main():
    sigrel, cases = sys.argv[1], sys.argv[2:] or CASES
    print("| model | n | auto | CVODE | IDA | repeated |\n|---|---|---|---|---|---|")
    for case in cases:
        model, n = case.split(":")
        results = [measure(sigrel, model, n, solver) for solver in ("auto", "cvode", "ida")]
        ratios = " | ".join(f"{ratio:.3f}" for ratio, _ in results)
        print(f"| {model} | {n} | {ratios} | {sum(r for _, r in results)} |", flush=True)


main()
