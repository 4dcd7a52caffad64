import os
import pathlib
import subprocess
import sys

import gxe
import pytest


def environment_of_mypy():
    folder = str(pathlib.Path(gxe.__file__).parent.parent)
    # Where packages are installed, mypy looks by itself.
    return {**os.environ, "MYPYPATH": "" if folder.endswith("site-packages") else folder}


def test_stubs_and_module_agree():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy.stubtest", "gxe._gxe", "--ignore-missing-stub"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment_of_mypy(), timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_programs_name_the_type_of_a_context(tmp_path):
    pytest.importorskip("mypy")
    file = tmp_path / "program.py"
    file.write_text("import gxe\n\n@gxe.codelet\ndef count(context: gxe.CodeletContext) -> int:\n    return context.count\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment_of_mypy(), timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_import_is_light(run_python):
    heavy = {"asyncio", "html", "inspect", "logging", "subprocess", "tempfile", "typing"}
    program = "import sys, pathlib, threading, weakref\nbefore = set(sys.modules)\nimport gxe\n"
    ended = run_python(f"{program}print(sorted({heavy!r} & set(sys.modules) - before))")
    assert (ended.returncode, ended.stdout) == (0, "[]\n"), ended.stderr
