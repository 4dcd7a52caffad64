#!/usr/bin/env python3
"""Prints the licences of all crates that are linked into what `make install` installs.

Reads `cargo metadata` and the licence files of each crate. Fails if a crate has neither a licence
nor a file with one, or a licence that packages must not contain.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unlicense", "Zlib",
}


def installed():
    """The crates of the Makefile's goal `install`."""
    made = subprocess.run(["make", "--no-print-directory", "installed-crates"],
                          capture_output=True, text=True, check=True)
    return made.stdout.split()


def linked(metadata, names):
    """Ids of the packages that the named ones depend on, without those that only build them."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    ids = {package["name"]: package["id"] for package in metadata["packages"]
           if package["source"] is None}
    found, wanted = set(), [ids[name] for name in names]
    while wanted:
        current = wanted.pop()
        if current in found:
            continue
        found.add(current)
        for dependency in nodes[current]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                wanted.append(dependency["pkg"])
    return found


def is_allowed(expression):
    """Whether one way of reading an SPDX expression needs allowed licences only."""
    words = re.sub(r"\bAND\b", "and", re.sub(r"\bOR\b|/", " or ", expression))
    terms = re.split(r"\s+(?:and|or)\s+|[()]", words)
    for term in sorted({term.strip() for term in terms if term.strip()}, key=len, reverse=True):
        words = words.replace(term, str(term in ALLOWED))
    return eval(words, {"__builtins__": {}})  # Only True, False, and, or, parentheses are left.


def main():
    host = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=True).stdout
    host = re.search("host: (.*)", host).group(1)
    said = subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked",
                           "--filter-platform", host], capture_output=True, text=True, check=True)
    metadata = json.loads(said.stdout)
    ids = linked(metadata, installed())
    packages = [package for package in metadata["packages"]
                if package["id"] in ids and package["source"] is not None]
    packages.sort(key=lambda package: (package["name"], package["version"]))
    refused, texts = [], {}
    print("# Third-party code\n\nThe programs and libraries of gxe contain these crates.\n")
    print("| crate | version | licence |\n|---|---|---|")
    for package in packages:
        name, licence = f"{package['name']} {package['version']}", package["license"]
        if not licence or not is_allowed(licence):
            refused.append(f"{name}: {licence or 'no licence'}")
        print(f"| {package['name']} | {package['version']} | {licence} |")
        folder = Path(package["manifest_path"]).parent
        for file in sorted(os.listdir(folder)):
            if re.match(r"(?i)(licen[cs]e|copying|notice|unlicense)", file):
                path = folder / file
                if path.is_file():
                    text = path.read_text(errors="replace").strip()
                    texts.setdefault(text, []).append(name)
    for text, names in sorted(texts.items(), key=lambda item: item[1]):
        print(f"\n## {', '.join(dict.fromkeys(names))}\n\n```text\n{text}\n```")
    if refused:
        sys.exit("licences that packages must not contain:\n" + "\n".join(refused))


main()
