#!/usr/bin/env python3
"""Kills runs at random times, and lets their disk fill at random bytes; then continues them.

  tests/driver/interruptions.py [SIGREL] [--times N] [--seed S] [--only TEXT …]

What was written must be readable each time, and what is continued must be, byte by byte, what one uninterrupted
run or sweep writes. Not a part of ctest: it takes minutes.
"""
import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

MODEL = """
relay :: Real -> SR ()
relay k = sigrel () where
  local x, v, y, late :: Real
  discrete n :: Int = 0
  discrete push :: Real = 0.0
  der x = v
  der v = -k * x - 0.02 * v + push
  late = delay x 0.3
  der y = late - y * abs y
  initially
    x = 1.0
    v = 0.0
    y = 0.0
  every 7.0 do push := 0.3 - pre push
  when x > 0.4 do n := pre n + 1
main = simulate (relay 1.0) with { stop = STOP, steps = ROWS, plot = ["x"] }
"""

SWITCHES = """
import Electrical (sineVoltage, resistor, inductor, capacitor, ground)
import Switching (commutatingDiode)

-- A ball that begins anew at each bounce, with a history, and others whose number grows.
ball :: Real -> Real -> SR (y :: Real, v :: Real)
ball y0 v0 = sigrel (y, v) where
  der y = v
  der v = -9.81
  initially
    y = y0
    v = v0

balls :: Int -> Real -> Real -> SR (y :: Real, v :: Real)
balls n y0 v0 = sigrel (y, v) where
  local ys, vs :: Real^n
  y = ys[1]
  v = vs[n]
  for i in 1 .. n do
    ball y0 v0 <> (ys[i], vs[i])

splitting :: SR ()
splitting = sigrel () where
  local y, v, late :: Real
  discrete n :: Int = 0
  late = delay y 0.3
  switch Flying 1 5.0 0.0 where
    mode Flying (k :: Int) (y0 :: Real) (v0 :: Real) where
      balls k y0 v0 <> (y, v)
      until y < 0.0 -> Flying (if k < 40 then k + 1 else 1) 0.0 (-v)
  when y < 0.0 do n := pre n + 1

rectifier :: SR ()
rectifier = sigrel () where
  source: sineVoltage 10.0 50.0 <> (a, g)
  r: resistor 0.5 <> (a, b)
  l: inductor 5.0e-3 <> (b, c)
  d1: commutatingDiode <> (c, p)
  d2: commutatingDiode <> (g, p)
  d3: commutatingDiode <> (n, c)
  d4: commutatingDiode <> (n, g)
  store: capacitor 1.0e-3 <> (p, n)
  load: resistor 50.0 <> (p, n)
  ground <> g
  initially
    store.u = 0.0
    l.p.i = 0.0

clutch :: SR ()
clutch = sigrel () where
  local w1, w2, torque, tau1, tau2 :: Real
  tau1 = 10.0 * cos time + 5.0 * sin (2.0 * time)
  tau2 = 4.0 * cos time + 6.0 * sin (3.0 * time)
  der w1 = tau1 - torque
  2.0 * der w2 = torque - tau2
  switch Forward where
    mode Forward where
      torque = 3.0
      until w1 < w2 -> Sticking
    mode Backward where
      torque = -3.0
      until w1 > w2 -> Sticking
    mode Sticking where
      w1 = w2
      until torque > 3.0 -> Forward
      until torque < -3.0 -> Backward
  initially
    w1 = 10.0
    w2 = 0.0

main = simulate clutch with { stop = 1.0 }
"""


class Failed(Exception):
    pass


def check(condition, text):
    if not condition:
        raise Failed(text)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def whole_lines(data):
    return data[: data.rfind(b"\n") + 1]


def limited(size):
    """In the child: files grow to `size` bytes, then writes fail, as they do where a disk is full."""

    def set_limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return set_limit


def start(arguments, folder, limit=None):
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            preexec_fn=limited(limit) if limit is not None else None)


def to_end(arguments, folder):
    done = subprocess.run(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    check(done.returncode == 0, " ".join(arguments) + "\n" + done.stderr.decode())


class Job:
    """A command that writes `files`; `more` continues it."""

    def __init__(self, name, command, files, more):
        self.name, self.command, self.files, self.more = name, command, files, more

    def reference(self, folder):
        begun = time.monotonic()
        to_end(self.command, folder)
        self.seconds = time.monotonic() - begun
        self.expected = {file: content(os.path.join(folder, file)) for file in self.files}

    def check_readable(self, folder):
        """Whole rows of the file are those of the uninterrupted one."""
        path = os.path.join(folder, self.files[0])
        if self.files[0].endswith(".csv") and os.path.exists(path):
            rows = whole_lines(content(path))
            check(self.expected[self.files[0]].startswith(rows), "rows before the end differ")

    def finish(self, folder):
        if self.more is None:
            return
        done = subprocess.run(self.command + self.more, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if done.returncode == 1 and b"there is no checkpoint" in done.stderr:  # killed before the first one
            os.remove(os.path.join(folder, self.files[0]))
            done = subprocess.run(self.command + self.more, cwd=folder, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)
        check(done.returncode == 0, "does not continue:\n" + done.stderr.decode())
        for file in self.files:
            check(content(os.path.join(folder, file)) == self.expected[file], file + " differs")


def attack(job, times, random_source, sources):
    def fill(folder):
        for source in sources:
            shutil.copy(source, folder)

    with tempfile.TemporaryDirectory() as folder:
        fill(folder)
        job.reference(folder)
    largest = max(len(data) for data in job.expected.values())
    for kind in ("kill", "full"):
        for k in range(times):
            with tempfile.TemporaryDirectory() as folder:
                fill(folder)
                for _ in range(random_source.choice((1, 1, 2, 3))):  # interrupted again while it continues
                    command = job.command
                    if job.more and any(os.path.exists(os.path.join(folder, f)) for f in job.files):
                        command = command + job.more
                    if kind == "kill":
                        process = start(command, folder)
                        try:
                            process.wait(random_source.uniform(0, job.seconds))
                        except subprocess.TimeoutExpired:
                            process.kill()
                        process.communicate()
                    else:
                        process = start(command, folder, random_source.randrange(largest))
                        error = process.communicate()[1]
                        check(process.returncode in (0, 1), "exit code %d\n%s" % (process.returncode, error.decode()))
                    job.check_readable(folder)
                job.finish(folder)
        print("%-28s %s: %d times" % (job.name, {"kill": "kill -9", "full": "full disk"}[kind], times), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sigrel", nargs="?", default="build/release/bin/sigrel")
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[""], help="jobs whose names contain one of these texts")
    options = parser.parse_args()
    sigrel = os.path.abspath(options.sigrel)
    random_source = random.Random(options.seed)
    folder = tempfile.mkdtemp()
    source = os.path.join(folder, "model.sr")
    with open(source, "w") as file:
        file.write(MODEL.replace("STOP", "20000.0").replace("ROWS", "10000"))
    switches = os.path.join(folder, "switches.sr")
    with open(switches, "w") as file:
        file.write(SWITCHES)
    run = [sigrel, "run", "model.sr"]
    jobs = [Job("run", run + ["-o", "r.csv"], ["r.csv"], None),
            Job("sweep", [sigrel, "sweep", "model.sr", "--vary", "k=0.5..2:40", "--stop", "200", "-o", "t.csv"],
                ["t.csv"], ["--resume"])]
    for solver in ("auto", "cvode", "ida", "adams"):
        for extension in ("csv", "mat"):
            results = "r." + extension
            jobs.append(Job("checkpoints, %s, %s" % (solver, extension),
                            run + ["--solver", solver, "-o", results, "--log-events=e.log", "--checkpoint", "c.ckpt",
                                   "--every", "200rows"], [results, "e.log"], ["--continue"]))
    for name, stop, rows in (("splitting", 4000, 4000), ("rectifier", 8, 8000), ("clutch", 5000, 10000)):
        command = [sigrel, "run", "switches.sr", "-e", name, "--stop", str(stop), "--steps", str(rows)]
        jobs.append(Job("switches, " + name, command + ["-o", "r.csv", "--log-events=e.log", "--checkpoint", "c.ckpt",
                                                       "--every", "200rows"], ["r.csv", "e.log"], ["--continue"]))
    failures = 0
    for job in jobs:
        if not any(text in job.name for text in options.only):
            continue
        try:
            attack(job, options.times, random_source, (source, switches))
        except Failed as failure:
            failures += 1
            print("%s: FAILED: %s" % (job.name, failure), flush=True)
    shutil.rmtree(folder)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
