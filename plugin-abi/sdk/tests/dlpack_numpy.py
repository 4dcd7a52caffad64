"""Tensors of gxf in NumPy and back, through DLPack. Argument: the library to test."""

import gc
import weakref

import numpy

from dlpack_library import PLAIN, VERSIONED, Exporter, library, take, types, values

# Every element type NumPy has arrives as the same type, with its values, and goes back.
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
