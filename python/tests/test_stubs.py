import subprocess
import sys

import gxe
import pytest


def test_stubs_and_module_agree():
    pytest.importorskip("mypy")
    import os
    import pathlib

    folder = str(pathlib.Path(gxe.__file__).parent.parent)
    command = [sys.executable, "-m", "mypy.stubtest", "gxe._gxe", "--ignore-missing-stub"]
    # Where packages are installed, mypy looks by itself.
    environment = {**os.environ, "MYPYPATH": "" if folder.endswith("site-packages") else folder}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert ended.returncode == 0, ended.stdout + ended.stderr
