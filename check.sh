#!/bin/bash
# check.sh FILE [OUT]: compile with both compilers
I=/tmp/wt/cpp2/plugin-abi/include
for c in ${COMPILERS:-g++ clang++}; do echo "== $c"; $c -std=${STD:-c++17} -Wall -Wextra $EXTRA -I $I "$1" ${2:--fsyntax-only} 2>&1 | grep -E "error|warning|required from here" | head -${N:-40}; done
