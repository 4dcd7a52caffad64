"""GXF's Python API on gxe."""
