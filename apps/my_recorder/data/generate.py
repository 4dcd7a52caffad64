#!/usr/bin/env python3
"""Draws the pictures of turning_disc, raw RGB on standard output, for `gxe recording import`:

    ./generate.py | gxe recording import --width 64 --height 48 --framerate 30 \
        --start-time 0 --basename turning_disc --overwrite
"""

import math
import sys

WIDTH, HEIGHT, FRAMES = 64, 48, 24


def pixel(x, y, turn):
    """A disc of six colours that turns before a gray ramp."""
    dx, dy = x - WIDTH / 2 + 0.5, y - HEIGHT / 2 + 0.5
    if dx * dx + dy * dy > (HEIGHT / 2 - 3) ** 2:
        return (4 * x, 4 * x, 4 * x)
    sector = int((math.atan2(dy, dx) / (2 * math.pi) + turn) * 6) % 6 + 1
    return (255 * (sector & 1), 255 * (sector >> 1 & 1), 255 * (sector >> 2 & 1))


for frame in range(FRAMES):
    turn = frame / FRAMES + 1
    for y in range(HEIGHT):
        for x in range(WIDTH):
            sys.stdout.buffer.write(bytes(pixel(x, y, turn)))
