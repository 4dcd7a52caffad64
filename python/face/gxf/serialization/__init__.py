"""Components of the serialization extension."""

from gxf.serialization.Components import *  # noqa: F403
