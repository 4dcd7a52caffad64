"""Metadata of messages."""

from __future__ import annotations

from typing import Any

from ._types import MetadataPolicy


class MetadataDictionary(dict):
    """Metadata that travels with messages."""

    def __init__(self, *args: Any, policy: MetadataPolicy = MetadataPolicy.RAISE) -> None:
        super().__init__(*args)
        self.policy = policy

    def set(self, key: str, value: Any, dtype: Any = None, cast_to_cpp: bool = False) -> None:
        """Sets a value. It stays the object that it is: nothing but Python reads it."""
        self[key] = value

    def type(self, key: str) -> type:
        """Type of a value."""
        return type(self[key])

    def has_key(self, key: str) -> bool:
        """Whether there is a value."""
        return key in self

    def erase(self, key: str) -> None:
        """Removes a value."""
        self.pop(key, None)

    def size(self) -> int:
        """Number of values."""
        return len(self)

    def insert(self, other: dict) -> None:
        """Adds the values of another dictionary whose keys are new."""
        for key, value in other.items():
            self.setdefault(key, value)

    def swap(self, other: MetadataDictionary) -> None:
        """Exchanges values and policies with another dictionary."""
        mine = dict(self)
        self.clear()
        self.update(other)
        other.clear()
        other.update(mine)
        self.policy, other.policy = other.policy, self.policy

    def merge(self, other: dict, policy: MetadataPolicy | None = None) -> None:
        """Adds the values of another message by the policy."""
        policy = policy or self.policy
        for key, value in other.items():
            if key not in self or policy in (MetadataPolicy.UPDATE, MetadataPolicy.INPLACE_UPDATE):
                self[key] = value
            elif policy is MetadataPolicy.RAISE:
                raise RuntimeError(f"Key '{key}' already exists. The metadata policy is set to RAISE.")
