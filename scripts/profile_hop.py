#!/usr/bin/env python3
"""Shows which parts of a hop use how many instructions: `make profile`.

Runs `hop` twice under callgrind, with N and 2 N messages, so that start and end cancel out. Divides the
remaining instructions among the parts of a hop, including inlined functions.
"""

import collections
import re
import shutil
import subprocess
import sys
import tempfile

STAGES = 10
MESSAGES = 20_000

# Parts of a hop, and the functions where they start.
PARTS = [
    ("asking the terms", r"^look$|^begin<|look_before_tick$|^is_plainly_ready$|^condition$|Iterator>::all$|^all<gxf_engine::entity::term|::Term::ask$|vtables::SchedulingTerm"),
    ("taking the mail in", r"^sync$|^sync_if<|^advance_locked_if<"),
    ("calling the codelet", r"^tick_codelets$|CodeletRef::tick$|^tick$|^(expect|collect)$"),
    ("the codelet: receive and publish", r"::CodeletTable<T>::tick$|^gxf::message::"),
    ("the receiver's queue: receive", r"vtables::Queue<T>::pop$"),
    ("the transmitter's queue: publish", r"vtables::Queue<T>::push$|::DoubleBuffer::push$|^push<.*Transmitter>"),
    ("stamping the message", r"::message_stamp$|::stamp_into$"),
    ("making, filling, freeing a message, a tenth of it a hop", r"::message_\w+$|::message::(pool|content|payload_type)::"),
    ("looking for who waits for room", r"^made_room$|^ticked<"),
    ("moving the message to the receiver's queue", r"^send<|^hand$"),
    ("waking entities", r"^wake$|^try_insert$"),
    ("the entity's lock", r"^own<|^try_own"),
    ("finding the next entity", r"^next_from$|::first_after$"),
    ("the rest of an execution", r"^execute(_\w+)?<|Runner>?::execute"),
    ("reading the clock", r"[cC]lock|Timespec"),
    ("the rest of the scheduler", r"::Greedy::|^sweep$|^run_worker$|::pool::"),
]


def callgrind(program, messages, mode, scheduler):
    """Instructions by object file and address."""
    with tempfile.NamedTemporaryFile() as output:
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-instr=yes"]
            + [f"--callgrind-out-file={output.name}", program]
            + [str(STAGES), str(messages), mode, scheduler],
            check=True, capture_output=True,
        )
        return read(output.name)


def read(path):
    counts = collections.Counter()
    objects, current, address, of_a_call = {}, None, 0, False
    for line in open(path):
        if name := re.match(r"ob=\((\d+)\)(?: (.*))?", line):
            objects.setdefault(name[1], name[2])
            current = objects[name[1]]
        elif name := re.match(r"cob=\((\d+)\)(?: (.*))?", line):
            objects.setdefault(name[1], name[2])
        elif line.startswith("calls="):
            of_a_call = True
        elif cost := re.match(r"(0x[0-9a-f]+|[+-]\d+|\*) \S+ (\d+)", line):
            step = cost[1]
            if step.startswith("0x"):
                address = int(step, 16)
            elif step != "*":
                address += int(step)
            if of_a_call:
                of_a_call = False
            else:
                counts[current, address] += int(cost[2])
    return counts


def frames(program, addresses):
    """The functions each address belongs to, innermost first."""
    text = "\n".join(hex(address) for address in addresses)
    answer = subprocess.run(
        ["addr2line", "-a", "-i", "-f", "-C", "-e", program],
        check=True, input=text, capture_output=True, text=True,
    ).stdout
    for block in re.split(r"^0x", answer, flags=re.M)[1:]:
        address, *lines = block.splitlines()
        names = lines[::2]
        # Without a name for an inlined function, addr2line repeats the outermost one.
        yield int(address, 16), [name for name in names if name != names[-1]] + names[-1:]


def main():
    for needed, package in [("valgrind", "valgrind"), ("addr2line", "binutils")]:
        if shutil.which(needed) is None:
            sys.exit(f"profile_hop: {needed} is missing; on Debian and Ubuntu: apt-get install {package}")
    program = sys.argv[1]
    mode, scheduler = (sys.argv[2:] + ["back_pressure", "greedy"])[:2]
    once = callgrind(program, MESSAGES, mode, scheduler)
    twice = callgrind(program, 2 * MESSAGES, mode, scheduler)
    twice.subtract(once)
    hops = STAGES * MESSAGES
    shares = collections.Counter()
    for file in {file for file, _ in twice}:
        costs = {address: count for (of, address), count in twice.items() if of == file and count}
        if sum(costs.values()) < hops / 10:
            continue
        for address, names in frames(file, costs):
            found = (
                title for name in names for title, pattern in PARTS if re.search(pattern, name)
            )
            shares[next(found, f"other: {names[-1]}")] += costs[address]
    print(f"{sum(shares.values()) / hops:6.1f}  instructions a hop, {mode}, {scheduler}")
    for title, count in shares.most_common():
        if count >= 2 * hops:
            print(f"{count / hops:6.1f}  {title}")


main()
