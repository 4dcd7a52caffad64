"""Components of the sample extension."""

from gxf.sample.Components import *  # noqa: F403
