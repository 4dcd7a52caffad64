import json
import pathlib
import runpy
import shutil
import subprocess

import gxe
import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_three_languages(tmp_path, capsys):
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no compiler of C++")
    library = tmp_path / "libgxe_squares.so"
    folder = ROOT / "apps/three_languages"
    include = ROOT / "plugin-abi/include"
    command = [compiler, "-std=c++17", "-shared", "-fPIC", "-I", str(include)]
    subprocess.run([*command, str(folder / "squares.cpp"), "-o", str(library)], check=True)
    runpy.run_path(str(folder / "three_languages.py"))["main"](library)
    assert capsys.readouterr().out.splitlines()[-1] == "sum of squares: 30"


def test_the_notebook_runs():
    pytest.importorskip("numpy")
    notebook = json.loads((ROOT / "docs/book/src/gxe.ipynb").read_text())
    names = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert cells
    for cell in cells:
        exec(compile("".join(cell["source"]), "gxe.ipynb", "exec"), names)
    assert names["found"] == [0.0, 1.0, 4.0]
    if (pathlib.Path(gxe.__file__).parent / "bin/gxe").exists():
        assert "<svg" in names["graph"]._repr_svg_()
