"""Tensors of gxf in NumPy and back, through DLPack. Argument: the library to test."""

import ctypes
import gc
import sys
import weakref

import numpy

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
    """What `numpy.from_dlpack` expects of a producer."""

    def __init__(self, pointer, name):
        assert pointer
        self.pointer, self.name = pointer, name

    def __dlpack__(self, **_):
        return python.PyCapsule_New(self.pointer, self.name, None)

    def __dlpack_device__(self):
        return (1, 0)


def take(array, versioned):
    """Imports an array; None when it is refused."""
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


# Every element type NumPy has arrives as the same type, with its values, and goes back.
types = {
    1: "int8", 2: "uint8", 3: "int16", 4: "uint16", 5: "int32", 6: "uint32", 7: "int64",
    8: "uint64", 9: "float32", 10: "float64", 11: "complex64", 12: "complex128", 13: "float16",
}
for number, name in types.items():
    array = numpy.from_dlpack(Exporter(library.export_numbers(number), PLAIN))
    assert array.dtype == name, (array.dtype, name)
    assert array.shape == (2, 3)
    assert (array == numpy.arange(6).reshape(2, 3)).all(), array
    assert library.exported() == 1
    del array
    gc.collect()
    assert library.exported() == 0, name

# A view keeps its strides, and cannot be written to.
view = numpy.from_dlpack(Exporter(library.export_view(), VERSIONED))
assert (view == [[1, 4], [2, 5]]).all(), view
assert view.strides == (4, 12) and not view.flags.writeable
del view
gc.collect()
assert library.exported() == 0

# Arrays of NumPy in any order of dimensions and with gaps are read where they are, and let go.
whole = numpy.arange(24, dtype="float64").reshape(2, 3, 4)
for versioned in (False, True):
    for array in (whole, whole.transpose(2, 0, 1), whole[:, 1:, ::2], whole[1, 2, 3:4]):
        array = array[:]  # An object of its own, to see it die.
        expected, alive = list(array.flatten()), weakref.ref(array)
        tensor = take(array, versioned)
        assert tensor, array
        del array
        gc.collect()
        assert alive() is not None, "the memory belongs to an array that is gone"
        assert values(tensor, len(expected)) == expected
        assert library.tensor_writable(tensor)
        library.tensor_free(tensor)
        gc.collect()
        assert alive() is None

# What cannot be read only is refused by one form and marked by the other.
locked = numpy.arange(3, dtype="float64")
locked.flags.writeable = False
tensor = take(locked, True)
assert not library.tensor_writable(tensor) and values(tensor, 3) == [0, 1, 2]
library.tensor_free(tensor)

# Elements that lie backwards are refused, and the array is let go all the same.
backwards = whole[::-1]
alive = weakref.ref(backwards)
assert not take(backwards, False)
del backwards
gc.collect()
assert alive() is None

print("numpy", numpy.__version__, "agrees")
