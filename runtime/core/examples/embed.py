"""A program in Python that runs a graph: embed.py libgxf_core.so manifest.yaml app.yaml"""

import ctypes
import sys

gxf = ctypes.CDLL(sys.argv[1])
gxf.GxfLatestErrorText.restype = ctypes.c_char_p


def check(code):
    if code != 0:
        raise RuntimeError(gxf.GxfLatestErrorText().decode())


context = ctypes.c_void_p()
check(gxf.GxfContextCreate(ctypes.byref(context)))
check(gxf.GxfGraphSetRootPath(context, b"."))


class LoadExtensionsInfo(ctypes.Structure):
    _fields_ = [
        ("extension_filenames", ctypes.POINTER(ctypes.c_char_p)),
        ("extension_filenames_count", ctypes.c_uint32),
        ("manifest_filenames", ctypes.POINTER(ctypes.c_char_p)),
        ("manifest_filenames_count", ctypes.c_uint32),
        ("base_directory", ctypes.c_char_p),
    ]


manifests = (ctypes.c_char_p * 1)(sys.argv[2].encode())
info = LoadExtensionsInfo(None, 0, manifests, 1, None)
check(gxf.GxfLoadExtensions(context, ctypes.byref(info)))
check(gxf.GxfGraphLoadFile(context, sys.argv[3].encode(), None, 0))
check(gxf.GxfGraphActivate(context))
check(gxf.GxfGraphRun(context))
check(gxf.GxfContextDestroy(context))
print("done")
