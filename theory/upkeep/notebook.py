"""Run the cells of a notebook and keep what they show: `python -m theory.upkeep.notebook docs/notebook.ipynb`.

Main definitions: `executed`, a notebook with the outputs of a run; `main`, which writes them into the file.

By hand: what runs notebooks elsewhere brings a server and a kernel, and here the cells are a few lines of this suite.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import copy
import io
import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from theory.core.values import Json, JsonDict

# What an object says of itself, by the form that a notebook shows first.
_FORMS = (("image/png", "_repr_png_"), ("text/html", "_repr_html_"))


def executed(notebook: Json) -> JsonDict:
    """The notebook with the outputs of its cells, run one after the other in a module of their own.

    What a cell raises is raised.
    """
    found: JsonDict = copy.deepcopy(dict(notebook))
    module = types.ModuleType("__main__")
    for number, cell in enumerate((c for c in found["cells"] if c["cell_type"] == "code"), start=1):
        cell["execution_count"] = number
        cell["outputs"] = _outputs("".join(cell["source"]), f"<ipython-input-{number}>", module, number)
    return found


def _outputs(source: str, name: str, module: types.ModuleType, number: int) -> list[JsonDict]:
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    values: list[object] = []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), _shown_by(values):
        exec(compile(tree, name, "exec"), module.__dict__)
        if last is not None:
            exec(compile(ast.Interactive([last]), name, "single"), module.__dict__)
    text = printed.getvalue()
    said: list[JsonDict] = [{"output_type": "stream", "name": "stdout", "text": _lines(text)}] if text else []
    for value in values:
        data = {"text/plain": _lines(repr(value))}
        for form, method in _FORMS:
            if hasattr(value, method):
                made = getattr(value, method)()
                data[form] = base64.b64encode(made).decode() if isinstance(made, bytes) else _lines(made)
        said.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": data})
    return said


@contextlib.contextmanager
def _shown_by(values: list[object]) -> Iterator[None]:
    """While the last expression of a cell is run: what it gives is kept."""
    before = sys.displayhook
    sys.displayhook = lambda value: values.append(value) if value is not None else None
    try:
        yield
    finally:
        sys.displayhook = before


def _lines(text: str) -> Any:
    return text.splitlines(keepends=True)


def main(arguments: list[str]) -> int:
    """Run the notebooks that are named and write their outputs."""
    for name in arguments:
        file = Path(name)
        found = executed(json.loads(file.read_text(encoding="utf-8")))
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
