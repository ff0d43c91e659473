#!/usr/bin/env python3
"""Writes a model of N different parts, ten equations each, of which no two have the same form: the worst case for
generating code. distinct_parts.py N > FILE.sr"""
import random
import sys

OPERATIONS = ["{a} * {b}", "{a} + {b}", "{a} - {b}", "sin ({a}) * {b}", "{a} / (1.0 + ({b})^2)", "cos ({a} - {b})", "exp (-({a})^2) + {b}",
              "abs ({a}) - {b}"]


def term(names, depth):
    if depth == 0:
        return f"{random.uniform(0.1, 2.0):.3f} * {random.choice(names)}"
    return "(" + random.choice(OPERATIONS).format(a=term(names, depth - 1), b=term(names, depth - 1)) + ")"


def part(k):
    states, auxiliary = [f"x{i}" for i in range(1, 5)], [f"a{i}" for i in range(1, 6)]
    lines = [f"part{k} :: SR (u :: Real, y :: Real)", f"part{k} = sigrel (u, y) where",
             f"  local {', '.join(states + auxiliary)} :: Real"]
    lines += [f"  {a} = sin ({term(states + auxiliary[:i], 1)})" for i, a in enumerate(auxiliary)]
    lines += [f"  der {x} = cos ({term(['u'] + auxiliary, 1)}) - {random.uniform(0.5, 2.0):.3f} * {x}" for x in states]
    lines += [f"  y = 0.1 * ({term(states, 1)})", "  initially"]
    return lines + [f"    {x} = {random.uniform(-1, 1):.3f}" for x in states] + [""]


def main():
    n = int(sys.argv[1])
    random.seed(1)
    lines = ["module Distinct where", ""]
    for k in range(n):
        lines += part(k)
    lines += ["all :: SR ()", "all = sigrel () where", f"  local u :: Real^{n + 1}", "  u[1] = sin time"]
    lines += [f"  p{k}: part{k} <> (u[{k + 1}], u[{k + 2}])" for k in range(n)]
    print("\n".join(lines + ["", 'main = simulate all with { stop = 1.0, plot = ["u[2]"] }']))


main()
