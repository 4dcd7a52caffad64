"""Numbers from a codelet in Rust, squared by one in C++, added up by one in Python.

    g++ -std=c++17 -shared -fPIC squares.cpp -o libgxe_squares.so -I "$(gxe sdk headers)"
    python3 three_languages.py ./libgxe_squares.so
"""

import sys

import gxe


@gxe.codelet(inputs="square", outputs="sum")
def add_up():
    total = 0
    square = yield
    while True:
        total += square
        square = yield total


@gxe.codelet
def show(total) -> None:
    print("sum of squares:", total)


def main(library):
    graph = gxe.Graph("three_languages")
    graph.load_extension("libgxf_sample.so")
    graph.load_extension(library)
    numbers = graph.add("nvidia::gxf::PingTx", gxe.Count(5), name="numbers")
    squares = graph.add("three_languages::Squares", name="squares")
    graph.connect(numbers, squares, graph.add(add_up), graph.add(show))
    graph.run()
    return graph


if __name__ == "__main__":
    main(sys.argv[1])
