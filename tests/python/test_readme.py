"""Every Python snippet of compiler/python/README.md, in order, in one scope."""
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_snippets_of_the_readme(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "compiler/python/README.md").read_text(), re.S)
    assert len(snippets) > 5
    scope = {}
    for snippet in snippets:
        exec(compile(snippet, "README.md", "exec"), scope)
    said = capsys.readouterr().out.splitlines()
    for expected in ("SR0601", "2 7", "SR (p :: Pin, n :: Pin)"):
        assert expected in said
    assert abs(scope["tank"]["h"] - 1.0) < 0.05
    assert abs(scope["current"][-1] - 1.0) < 0.01
    assert abs(scope["plant"].steady(fix={"p": 1.5}, vary=["u"])["u"] - 2.0) < 1e-9
