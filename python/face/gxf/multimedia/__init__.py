"""Components of the multimedia extension."""

from gxf.multimedia.Components import *  # noqa: F403
