"""What `dlpack_numpy.py` and `dlpack_torch.py` share. Argument of both: the library to test."""

import ctypes
import sys

library = ctypes.CDLL(sys.argv[1])
for name in ("export_numbers", "export_view", "import_tensor", "import_versioned"):
    getattr(library, name).restype = ctypes.c_void_p
library.import_tensor.argtypes = library.import_versioned.argtypes = [ctypes.c_void_p]
library.tensor_values.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_double), ctypes.c_int]
library.tensor_writable.argtypes = library.tensor_free.argtypes = [ctypes.c_void_p]
library.tensor_writable.restype = ctypes.c_bool

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

# Names of capsules are not copied.
PLAIN, PLAIN_USED = b"dltensor", b"used_dltensor"
VERSIONED, VERSIONED_USED = b"dltensor_versioned", b"used_dltensor_versioned"


class Exporter:
    """What `from_dlpack` of NumPy and PyTorch expect of a producer."""

    def __init__(self, pointer, name):
        assert pointer
        self.pointer, self.name = pointer, name

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, self.name, None)

    def __dlpack_device__(self):
        return (1, 0)


def take(array, versioned):
    """Imports an array or a tensor; None when it is refused."""
    if versioned:
        capsule = array.__dlpack__(max_version=(1, 0))
        names, imported = (VERSIONED, VERSIONED_USED), library.import_versioned
    else:
        capsule, names, imported = array.__dlpack__(), (PLAIN, PLAIN_USED), library.import_tensor
    pointer = python.PyCapsule_GetPointer(capsule, names[0])
    python.PyCapsule_SetName(capsule, names[1])
    return imported(pointer)


def values(tensor, count):
    room = (ctypes.c_double * count)()
    assert library.tensor_values(tensor, room, count) == count
    return list(room)



# GXF's numbers of the element types that both have.
types = {
    1: "int8", 2: "uint8", 3: "int16", 4: "uint16", 5: "int32", 6: "uint32", 7: "int64",
    8: "uint64", 9: "float32", 10: "float64", 11: "complex64", 12: "complex128", 13: "float16",
}
