#!/usr/bin/env python3
"""From a key to its diagnostics: 1 000 edits in files of 100, 1 000 and 10 000 lines, and the memory of the server.

    tests/bench/lsp_latency.py [SIGREL] [EDITS]

The 3 ms for which the server waits for what belongs together are in all figures."""
import json
import random
import subprocess
import sys
import time

program = sys.argv[1] if len(sys.argv) > 1 else "build/release/bin/sigrel"
edits = int(sys.argv[2]) if len(sys.argv) > 2 else 1000


def model(lines):
    """Definitions of ten lines each, as in a library, and a model that uses one of them."""
    text = ["import Electrical", ""]
    for k in range(max(1, (lines - 10) // 10)):
        text += [f"-- | Section {k}.", f"section{k} :: Resistance -> SR (p :: Pin, n :: Pin)", f"section{k} r = sigrel (p, n) where",
                 f"  local u :: Voltage", "  r1: resistor r         <> (p, m)", "  r2: resistor (2.0 * r) <> (m, n)",
                 f"  c1: capacitor 1.0e-6   <> (m, n)", f"  u = p.v - n.v", "  assert \"small\" u < 1.0e6<V>", ""]
    text += ["main = sigrel () where", "  sineVoltage 1.0 50.0 <> (a, g)", "  section0 10.0 <> (a, g)", "  ground <> g", ""]
    return text


class Server:
    def __init__(self):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.send({"id": 1, "method": "initialize", "params": {"capabilities": {}}})
        self.read()
        self.send({"method": "initialized", "params": {}})

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def memory(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024


for lines in (100, 1000, 10000):
    server, text = Server(), model(lines)
    uri = "file:///nowhere/m.sr"
    server.send({"method": "textDocument/didOpen",
                 "params": {"textDocument": {"uri": uri, "languageId": "sigrel", "version": 0, "text": "\n".join(text)}}})
    server.read()
    random.seed(1)
    times, first = [], None
    for version in range(1, edits + 1):
        line = random.choice([k for k, l in enumerate(text) if "resistor" in l])
        at = text[line].index("<>")
        # A blank comes or goes: what a user types is mostly right in the end.
        grows = len(text[line]) < 60
        change = {"range": {"start": {"line": line, "character": at}, "end": {"line": line, "character": at + (0 if grows else 1)}},
                  "text": " " if grows else ""}
        text[line] = text[line][:at] + (" " if grows else "") + text[line][at + (0 if grows else 1):] if grows else \
            text[line][:at - 1] + text[line][at:]
        if not grows:
            change["range"]["start"]["character"], change["range"]["end"]["character"] = at - 1, at
        began = time.perf_counter()
        server.send({"method": "textDocument/didChange",
                     "params": {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}})
        while server.read().get("method") != "textDocument/publishDiagnostics":
            pass
        times.append(1e3 * (time.perf_counter() - began))
        if version == max(1, edits // 10):
            first = server.memory()
    times.sort()
    print(f"{lines:6} lines, {edits} edits: median {times[len(times) // 2]:.0f} ms, 95 % {times[int(0.95 * len(times))]:.0f} ms, "
          f"worst {times[-1]:.0f} ms; memory {first:.0f} MB after a tenth, {server.memory():.0f} MB at the end", flush=True)
    server.process.kill()
