"""Prints what Perfetto's own trace processor finds in a trace: slices by name, flows with the
tracks they join, samples of counters. Ends with status 77 when the trace processor cannot be had.

usage: counts.py TRACE
"""

import json
import sys

UNAVAILABLE = 77


def unavailable(reason):
    print(f"Perfetto's trace processor cannot be had: {reason}", file=sys.stderr)
    sys.exit(UNAVAILABLE)


def main():
    try:
        from perfetto.trace_processor import TraceProcessor
    except ImportError as error:
        unavailable(f"{error}; pip install perfetto")
    try:
        processor = TraceProcessor(trace=sys.argv[1])
    except Exception as error:  # It downloads its program, and says in many ways that it cannot.
        unavailable(error)
    slices = processor.query("select name, count(*) as n from slice group by name")
    flows = processor.query(
        """
        select source_thread.name as source, target_thread.name as target, count(*) as n
        from flow
        join slice as source on source.id = flow.slice_out
        join slice as target on target.id = flow.slice_in
        join thread_track as source_track on source_track.id = source.track_id
        join thread_track as target_track on target_track.id = target.track_id
        join thread as source_thread on source_thread.utid = source_track.utid
        join thread as target_thread on target_thread.utid = target_track.utid
        group by source, target
        """
    )
    counters = processor.query(
        """
        select counter_track.name as name, count(*) as n, max(counter.value) as most
        from counter join counter_track on counter_track.id = counter.track_id
        group by counter_track.name
        """
    )
    print(
        json.dumps(
            {
                "slices": {row.name: row.n for row in slices},
                "flows": {f"{row.source} -> {row.target}": row.n for row in flows},
                "counters": {row.name: [row.n, row.most] for row in counters},
            }
        )
    )


main()
