"""What the package needs of `typing`, which takes longer to import than the rest of it."""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import overload as overload
else:
    # For programs that evaluate annotations.
    Any = object

    def overload(function):
        """For type checkers."""
        return function
