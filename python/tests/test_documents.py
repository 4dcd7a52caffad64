"""The examples of the documents print what the documents say."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
BLOCKS = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["docs/book/src/howto/python.md", "python/README.md", "README.md"])
def test_the_page_runs(page):
    pytest.importorskip("numpy")
    names = {"__name__": "__main__"}
    blocks = BLOCKS.findall((ROOT / page).read_text())
    assert blocks
    for program, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, page, "exec"), names)
        if expected:
            assert printed.getvalue() == expected
