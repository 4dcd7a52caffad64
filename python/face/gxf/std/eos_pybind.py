"""The end of a stream."""

__all__ = ["EndOfStream"]


class EndOfStream:
    """Says that no more messages follow on a stream; -1 means all."""

    stream_id: int = -1

    def __init__(self, stream_id: int = -1) -> None:
        self.stream_id = stream_id
