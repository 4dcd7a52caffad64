"""Runs the examples of Holoscan's SDK that need one process and no GPU, unchanged, and compares their output
with what the SDK's own tests expect of them::

    python holoscan_examples.py path/to/holoscan-sdk/examples [PART-OF-A-NAME ...]

Each folder's CMakeLists.txt says how its examples are started and which regular expressions their output has
to match. Prints a table, and exits with 1 if a test fails. Needs the package `gxe` and NumPy.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

EXAMPLES = """
conditions/asynchronous/python/ping_async.py
conditions/expiring_message/python/ping_expiring_message.py
conditions/multi_message/python/multi_message_per_receiver.py
conditions/multi_message/python/multi_message_sum_of_all.py
conditions/multi_message/python/single_message_timeout.py
conditions/native/python/message_available_native.py
conditions/native/python/ping_periodic_native.py
conditions/or_combiner/python/multi_port_or_combiner.py
conditions/periodic/python/ping_periodic.py
execution_control/async_operator_execution_control/python/async_operator_execution_control.py
execution_control/operator_status_tracking/python/operator_status_tracking.py
flow_control/conditional/python/conditional_execution.py
flow_control/conditional_routing/python/conditional_routing_execution.py
flow_control/for_loop/python/for_loop_execution.py
flow_control/fork_join/python/fork_join_execution.py
flow_control/mixed_flows/python/mixed_flows_execution.py
flow_control/sequential/python/sequential_execution.py
flow_control/sequential_with_subgraph/python/sequential_with_subgraph.py
flow_control/state_based_monitoring/python/state_based_monitoring.py
flow_control/streaming/python/streaming_execution.py
flow_control/streaming_with_monitor/python/streaming_with_monitor.py
flow_tracker/python/flow_tracker.py
fragment_service/fragment_service_basic/python/fragment_service_basic.py
fragment_service/fragment_service_with_resource/python/fragment_service_with_resource.py
hello_world/python/hello_world.py
multi_branch_pipeline/python/multi_branch_pipeline.py
multithread/python/multithread.py
numpy_native/convolve.py
ping_custom_op/python/ping_custom_op.py
ping_multi_port/python/ping_multi_port.py
ping_periodic_async_buffer/python/ping_periodic_async_buffer.py
ping_simple/python/ping_simple.py
ping_simple_async_buffer/python/ping_simple_async_buffer.py
ping_simple_run_async/python/ping_simple_run_async.py
ping_vector/python/ping_vector.py
pose_tree/pose_tree_basic/python/pose_tree_basic.py
resources/clock/python/ping_clock.py
resources/native/python/native_resource.py
resources/thread_pool/python/ping_simple_thread_pool.py
round_robin_parallel/python/round_robin.py
subgraph/ping_multi_receiver/python/subgraph_ping.py
""".split()

# The script of the SDK that looks for patterns in what it reads; `validate` stands in for it.
_VALIDATOR = "test_pattern_validation.py"

# A quoted argument, a bare one, or a comment of CMake's language.
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|\#[^\n]*|([()])|([^\s()"\#]+)', re.DOTALL)


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a file in CMake's language, with their arguments."""
    name, arguments, depth = "", [], 0
    for token in _TOKEN.finditer(text):
        quoted, bracket, bare = token.groups()
        if bracket == "(":
            depth += 1
        elif bracket == ")":
            depth -= 1
            if depth == 0:
                yield name, arguments
                name, arguments = "", []
        elif depth == 0:
            name = bare or name
        elif quoted is not None:
            # A backslash before the end of a line joins the lines; before others it quotes.
            arguments.append(re.sub(r"\\(.)", lambda m: "" if m[1] == "\n" else m[1], quoted, flags=re.DOTALL))
        elif bare is not None:
            arguments.append(bare)


def sections(arguments: list[str], keys: set[str]) -> dict[str, list[str]]:
    """The arguments after each keyword."""
    found: dict[str, list[str]] = {}
    key = ""
    for argument in arguments:
        if argument in keys:
            key = argument
            found[key] = []
        else:
            found.setdefault(key, []).append(argument)
    return found


def tests_of(cmake: pathlib.Path) -> list[dict[str, list[str]]]:
    """The tests of a CMakeLists.txt, each with NAME, COMMAND and its properties."""
    tests: dict[str, dict[str, list[str]]] = {}
    for name, arguments in commands(cmake.read_text()):
        if name == "add_test":
            test = sections(arguments, {"NAME", "COMMAND", "WORKING_DIRECTORY"})
            tests[test["NAME"][0]] = test
        elif name == "set_tests_properties":
            keys = {"PROPERTIES", "PASS_REGULAR_EXPRESSION", "FAIL_REGULAR_EXPRESSION", "ENVIRONMENT", "DEPENDS"}
            properties = sections(arguments, keys)
            for test_name in properties.pop(""):
                tests[test_name].update(properties)
    return list(tests.values())


def validate(arguments: list[str]) -> int:
    """Reads a text from standard input and looks for patterns: all of the ones, none of the others."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pass-pattern", action="append", default=[])
    parser.add_argument("--fail-pattern", action="append", default=[])
    parser.add_argument("--strip-quotes", action="store_true")
    options = parser.parse_args(arguments)
    text = sys.stdin.read()
    sys.stdout.write(text)
    if options.strip_quotes:
        text = text.replace("'", "").replace('"', "")
    missing = [pattern for pattern in options.pass_pattern if not re.search(pattern, text)]
    unwanted = [pattern for pattern in options.fail_pattern if re.search(pattern, text)]
    for pattern in missing:
        print(f"the output does not have: {pattern}")
    for pattern in unwanted:
        print(f"the output has: {pattern}")
    return 1 if missing or unwanted else 0


def run(test: dict[str, list[str]], folder: pathlib.Path, timeout: float) -> tuple[list[str], str]:
    """Runs a test in a folder that has the example. Answers what went wrong and the output."""
    variables = {
        "Python3_EXECUTABLE": sys.executable,
        "CMAKE_CURRENT_BINARY_DIR": str(folder),
        "CMAKE_CURRENT_SOURCE_DIR": str(folder),
        "Holoscan-examples_SOURCE_DIR": str(folder),
    }

    def expand(argument: str) -> str:
        argument = re.sub(r"\$\{([\w-]+)\}", lambda m: variables.get(m[1], ""), argument)
        return re.sub(r"\S*" + _VALIDATOR, f"{pathlib.Path(__file__).resolve()} --validate", argument)

    # Found by the interpreter when it starts: what the wheel does with GXE_HOLOSCAN=1, without a wheel.
    start = folder / ".start"
    start.mkdir(exist_ok=True)
    (start / "sitecustomize.py").write_text("import gxe.as_holoscan\n")
    environment = dict(os.environ)
    known = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    # The test runs in another folder.
    environment["PYTHONPATH"] = os.pathsep.join([str(start), *map(os.path.abspath, known)])
    environment.update(pair.split("=", 1) for pair in test.get("ENVIRONMENT", []))
    command = [expand(argument) for argument in test["COMMAND"]]
    if command[:2] == ["bash", "-c"]:
        command = ["bash", "-o", "pipefail", *command[1:]]
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
        return [f"no end after {timeout:g} s"], output if isinstance(output, str) else output.decode()
    wrong = [f"exit status {ran.returncode}"] if ran.returncode else []
    # In CMake's expressions a dot is any character, the end of a line too.
    expected = test.get("PASS_REGULAR_EXPRESSION", [])
    if expected and not any(re.search(pattern, ran.stdout, re.DOTALL) for pattern in expected):
        wrong.append(f"the output does not match: {' or '.join(expected)}")
    for pattern in test.get("FAIL_REGULAR_EXPRESSION", []):
        if re.search(pattern, ran.stdout, re.DOTALL):
            wrong.append(f"the output matches: {pattern}")
    return wrong, ran.stdout


def main() -> int:
    if sys.argv[1:2] == ["--validate"]:
        return validate(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, help="the folder `examples` of a checkout of the SDK")
    parser.add_argument("names", nargs="*", help="run only examples with one of these in their path")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds that a test may take (120)")
    options = parser.parse_args()
    failed = 0
    print("| example | tests | result |\n|---|---|---|")
    for example in EXAMPLES:
        if options.names and not any(name in example for name in options.names):
            continue
        path = options.folder / example
        if not path.is_file():
            failed += 1
            print(f"| `{example}` | | there is no such file in {options.folder} |")
            continue
        # A test belongs to the example that its command names.
        tests = [
            test
            for test in tests_of(path.parent / "CMakeLists.txt")
            if re.search(rf"\b{path.name}\b", " ".join(test["COMMAND"]))
        ]
        problems = [] if tests else ["the SDK has no test of it"]
        for test in tests:
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                for file in (path, *path.parent.glob("*.yaml")):
                    shutil.copy(file, folder)
                wrong, output = run(test, folder, options.timeout)
            if wrong:
                problems += [f"{test['NAME'][0]}: {text}" for text in wrong]
                print(f"--- {test['NAME'][0]}\n{output}", file=sys.stderr)
        failed += bool(problems)
        print(f"| `{example}` | {len(tests)} | {'; '.join(problems) or 'as expected'} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
