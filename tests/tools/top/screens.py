"""Runs `gxe top` in a pseudo-terminal of 120 columns and types keys: screens.py GXE SOCKET

Prints each screen that it waited for before it typed the next key.
"""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

ROWS, COLUMNS = 24, 120
# Two texts that the screen shows before the keys are typed.
STEPS = [
    ("2 entities", "in 0/3", "/"),
    ("show ", "Esc show all", "B"),
    ("1 of 2 entities", "show B", "\r"),
    ("1 of 2 entities", "q quit", "\x1b"),
    ("  2 entities", "q quit", "o"),
    ("ordered by ticks", "q quit", "oooo"),
    ("ordered by ticks/s", "q quit", "?"),
    ("quit; the graph goes on", "order by the next column", "\x1b"),
    ("waits", "q quit", "q"),
]


class Screen:
    """As much of a terminal as the view uses: it moves the cursor, writes text, and clears."""

    def __init__(self):
        self.cells = [[" "] * COLUMNS for _ in range(ROWS)]
        self.row = self.column = 0
        self.rest = ""

    def write(self, text):
        text, self.rest = self.rest + text, ""
        while text:
            code = re.match(r"\x1b\[([?0-9;]*)([A-Za-z])", text)
            length = code.end() if code else 1
            if code:
                self.control(*code.groups())
            elif text[0] == "\x1b" and len(text) < 12:
                self.rest = text
                return
            elif text[0] >= " ":
                if self.row < ROWS and self.column < COLUMNS:
                    self.cells[self.row][self.column] = text[0]
                self.column += 1
            text = text[length:]

    def control(self, numbers, letter):
        if letter == "H":
            place = [int(word or 1) for word in (numbers or "1;1").split(";")]
            self.row, self.column = place[0] - 1, place[-1] - 1
        elif letter == "J":
            self.cells = [[" "] * COLUMNS for _ in range(ROWS)]

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.argv[1], [sys.argv[1], "top", sys.argv[2], "--interval", "50"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen, decoder, steps = Screen(), codecs.getincrementaldecoder("utf-8")(), STEPS[:]
    end = time.monotonic() + 100
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        screen.write(decoder.decode(data))
        text = screen.text()
        if steps and steps[0][0] in text and steps[0][1] in text:
            print(text, "====", sep="\n")
            os.write(terminal, steps.pop(0)[2].encode())
    if time.monotonic() >= end:
        print("waits for", steps[:1], "and sees", screen.text(), sep="\n")
        os.kill(child, 9)
    ended = os.waitpid(child, 0)[1]
    sys.exit(0 if ended == 0 and not steps else 1)


main()
