"""Components of the multimedia extension, and video frames."""

from gxf.multimedia.Components import *  # noqa: F403
from gxf.multimedia.video_buffer import VideoBuffer  # noqa: F401
