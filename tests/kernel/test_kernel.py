"""sigrel-kernel with real clients: jupyter_client, and a notebook that nbclient executes.

JUPYTER_PATH names the folder with kernels/sigrel/kernel.json."""
import base64
import time

import nbclient
import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

MODEL = """decay :: Real -> SR ()
decay k = sigrel () where
  local x
  der x = -k * x
  initially x = 1.0

main = simulate (decay 2.0) with { stop = 1.0, plot = ["x"] }
"""

BUSY = """busy :: SR ()
busy = sigrel () where
  local x
  der x = cos (1000.0 * time)
  initially x = 0.0
"""


@pytest.fixture(scope="module")
def kernel():
    manager, client = start_new_kernel(kernel_name="sigrel")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def outputs_of(client, code, before_reply=lambda: None):
    """The reply, and the outputs of a cell."""
    outputs = []
    sent = client.execute(code)
    before_reply()
    reply = client.get_shell_msg(timeout=60)
    while reply["parent_header"]["msg_id"] != sent:
        reply = client.get_shell_msg(timeout=60)
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != sent:
            continue
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return reply["content"], outputs
        if message["msg_type"] not in ("status", "execute_input"):
            outputs.append((message["msg_type"], message["content"]))


def text_of(outputs):
    return "".join(c["text"] for kind, c in outputs if kind == "stream")


def test_a_value(kernel):
    reply, outputs = outputs_of(kernel[1], "1.0 + 2.0")
    assert reply["status"] == "ok" and text_of(outputs) == "3.0\n"


def test_a_cell_defines_runs_and_plots(kernel):
    reply, outputs = outputs_of(kernel[1], MODEL + "\n:run\n")
    assert reply["status"] == "ok"
    assert "decay :: Real -> SR ()" in text_of(outputs) and "x = 0.135335" in text_of(outputs)
    [plot] = [c["data"] for kind, c in outputs if kind == "display_data"]
    if "image/png" in plot:  # where librsvg is installed
        assert base64.b64decode(plot["image/png"], validate=True)[:4] == b"\x89PNG"
    assert plot["image/svg+xml"].startswith("<svg") and "x" in plot["text/plain"]
    reply, outputs = outputs_of(kernel[1], ":set k=1.0")
    assert "x = 0.36787" in text_of(outputs)


def test_definitions_of_one_cell_use_each_other(kernel):
    reply, outputs = outputs_of(kernel[1], "even :: Int -> Bool\neven n = n == 0 || odd (n - 1)\n\n\n"
                                           "odd :: Int -> Bool\nodd n = not (n == 0) && even (n - 1)\n\neven 10")
    assert reply["status"] == "ok" and text_of(outputs).endswith("True\n")


def test_an_error_has_its_line_in_the_cell(kernel):
    reply, outputs = outputs_of(kernel[1], "a :: Real\na = 1.0\n\na\n\n  \nb + 1.0\n\n2.0")
    assert reply["status"] == "error" and reply["ename"] == "SR0105"
    assert "`b` is not defined" in reply["evalue"]
    [error] = [c for kind, c in outputs if kind == "error"]
    assert ":7:1" in "".join(error["traceback"]) and "SR0105" in "".join(error["traceback"])
    assert "2.0" not in text_of(outputs)  # what follows an error is not executed


def test_warnings_do_not_end_a_cell(kernel):
    reply, outputs = outputs_of(kernel[1], "low :: SR ()\nlow = sigrel () where\n  local x, y\n  der x = -x\n"
                                           "  initially x = 1.0\n\n4.0")
    assert reply["status"] == "ok" and "SR0122" in text_of(outputs) and text_of(outputs).endswith("4.0\n")


def test_completion(kernel):
    client = kernel[1]
    outputs_of(client, MODEL)
    for code, expected, start in ((":ru", ":run", 0), ("dec", "decay", 0), ("-- π\ndec", "decay", 5),
                                  ("x = cosh 1.0 + dec", "decay", 15)):
        client.complete(code, len(code))
        reply = client.get_shell_msg(timeout=60)["content"]
        assert reply["cursor_end"] == len(code)
        assert expected in [code[start:reply["cursor_start"]] + m for m in reply["matches"]], (code, reply)


def test_inspection(kernel):
    client = kernel[1]
    outputs_of(client, "-- Twice a number.\ntwice :: Real -> Real\ntwice x = 2.0 * x\n")
    client.inspect("1.0 + twice 3.0", 9)
    reply = client.get_shell_msg(timeout=60)["content"]
    assert reply["found"] and "twice :: Real -> Real" in reply["data"]["text/plain"]
    client.inspect("nothing at all", 3)
    assert not client.get_shell_msg(timeout=60)["content"]["found"]


def test_whether_an_input_is_complete(kernel):
    client = kernel[1]
    for code, status in (("1.0 +", "complete"), ("f x = (1.0", "incomplete"), ("a = sigrel () where", "incomplete"),
                         (":run", "complete"), ("f :: Real -> Real", "incomplete")):
        client.is_complete(code)
        assert client.get_shell_msg(timeout=60)["content"]["status"] == status, code


def test_interruption_keeps_the_results(kernel):
    manager, client = kernel
    outputs_of(client, BUSY)

    def interrupt():
        time.sleep(1.5)
        manager.interrupt_kernel()

    started = time.monotonic()
    reply, outputs = outputs_of(client, ":run busy stop=1.0e9 steps=100000000", interrupt)
    assert time.monotonic() - started < 30
    assert "interrupted at t =" in text_of(outputs)
    assert any("%" in c["data"]["text/plain"] for kind, c in outputs if kind == "display_data"), outputs  # progress
    reply, outputs = outputs_of(client, "1.0 + 1.0")
    assert text_of(outputs) == "2.0\n"


def test_an_idle_kernel_survives_an_interrupt(kernel):
    manager, client = kernel
    manager.interrupt_kernel()
    time.sleep(0.2)
    assert text_of(outputs_of(client, "2.0")[1]) == "2.0\n"


@pytest.mark.parametrize("code", ["", "   \n\n", ":", ":quit", ":load", ":nonsense", "\x00", ":}", ":{", "((((", "é = ü",
                                  ":plot x", ":why", "-- a comment", "\"open", ":run 1.0", "import Nothing"])
def test_bad_cells_do_no_harm(kernel, code):
    outputs_of(kernel[1], code)
    assert text_of(outputs_of(kernel[1], "2.0")[1]) == "2.0\n"


def test_a_notebook_is_executed():
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(MODEL), nbformat.v4.new_code_cell(":run"),
                                           nbformat.v4.new_code_cell("main")])
    nbclient.NotebookClient(book, kernel_name="sigrel", timeout=60).execute()
    assert any("image/svg+xml" in o.get("data", {}) for o in book.cells[1].outputs)
