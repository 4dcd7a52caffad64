"""Functions with some of their arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable

from ._typing import Any


def bound(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    names: tuple[str, ...] | None,
) -> Callable[..., Any]:
    """A function of values for the arguments `names`, or for those after `arguments`; it has the others."""
    if names is not None:
        by_name = names
        return lambda *values: function(*arguments, **dict(zip(by_name, values)), **keywords)
    return functools.partial(function, *arguments, **keywords) if arguments or keywords else function
