#!/usr/bin/env python3
"""Writes the access log of an invented web shop to standard output.

Twenty minutes of one morning: traffic grows slowly. From 09:11 to 09:13 the database is slow, so
requests take long and many fail. A few lines are damaged, as in real life. The numbers come from the
small generator below and not from the module `random`, so every machine and every version of Python
produces the same ones.
"""

BEGIN_HOUR, MINUTES = 9, 20
INCIDENT = range(11, 14)
PATHS = ["/", "/", "/search?q=lamp", "/item/1042", "/item/877", "/cart", "/checkout", "/img/logo.png"]
AGENTS = ["Firefox", "Chrome", "Safari", "curl", "Bot"]
# Lines to damage, and how.
DAMAGE = {
    157: lambda line: line[:31],
    640: lambda line: "",
    1003: lambda line: line.replace('" 200 ', '" - '),
    1291: lambda line: line.rsplit(" ", 1)[0],
    1544: lambda line: "kernel: [81234.5] Out of memory: Killed process 4711",
}

state = 20261102


def draw():
    """The next number of a linear congruential generator, from 0 up to but not including 1."""
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 11) / 2**53


def pick(choices):
    return choices[int(draw() * len(choices))]


def request(minute, second):
    slow = minute in INCIDENT
    failed = draw() < (0.22 if slow else 0.006)
    # Most requests are fast and a few are slow: the cube of a uniform number has such a tail.
    seconds = (0.012 + 0.16 * draw() ** 3) * (9 if slow else 1)
    status = pick([500, 502, 503]) if failed else pick([200] * 18 + [304, 404])
    return (
        f"203.0.113.{int(draw() * 250) + 1} - - "
        f"[02/Nov/2026:{BEGIN_HOUR:02}:{minute:02}:{second:02} +0000] "
        f'"GET {pick(PATHS)} HTTP/1.1" {status} {int(draw() * 20000)} "-" "{pick(AGENTS)}" '
        f"{seconds:.3f}"
    )


number = 0
for minute in range(MINUTES):
    count = int(58 + 3 * minute + 20 * draw())
    for second in sorted(int(draw() * 60) for _ in range(count)):
        number += 1
        line = request(minute, second)
        print(DAMAGE.get(number, lambda line: line)(line))
