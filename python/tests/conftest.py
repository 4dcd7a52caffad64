"""Tests run against the installed package, or against `PYTHONPATH=python` after `make python-dev`."""

import pathlib
import subprocess
import sys

import pytest


@pytest.fixture
def run_python(tmp_path):
    """Runs a program in a Python of its own."""

    def run(text, *arguments, environment=None, timeout=120):
        import os

        path = tmp_path / "program.py"
        path.write_text(text)
        variables = {**os.environ, **(environment or {})}
        return subprocess.run(
            [sys.executable, str(path), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            env=variables,
        )

    return run


@pytest.fixture
def test_extension():
    """The name of the extension with components for tests, which wheels have not."""
    import gxe

    name = "libgxf_test.so"
    if not (pathlib.Path(gxe.__file__).parent / "lib" / name).exists():
        pytest.skip(f"wheels have no {name}")
    return name


@pytest.fixture
def program():
    """The program `gxe` of the package."""
    import gxe

    return pathlib.Path(gxe.__file__).parent / "bin" / "gxe"
