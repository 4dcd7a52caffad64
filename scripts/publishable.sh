#!/usr/bin/env bash
# Prints `-p NAME` for each crate of the workspace that may be published.
set -euo pipefail

cd "$(dirname "$0")/.."
cargo metadata --format-version 1 --no-deps --offline |
    python3 -c 'import json, sys
for package in json.load(sys.stdin)["packages"]:
    if package["publish"] is None:
        print("-p", package["name"])'
