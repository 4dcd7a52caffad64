"""Tensors of gxf in PyTorch and back, through DLPack. Argument: the library to test."""

import array
import gc
import weakref

import torch

from dlpack_library import PLAIN, Exporter, library, take, types, values

# Every element type PyTorch has arrives as the same type, with its values, and goes back.
for number, name in types.items():
    if not hasattr(torch, name):  # Unsigned numbers came with PyTorch 2.3.
        continue
    tensor = torch.from_dlpack(Exporter(library.export_numbers(number), PLAIN))
    assert tensor.dtype == getattr(torch, name), (tensor.dtype, name)
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]], tensor
    assert library.exported() == 1
    # PyTorch works on the memory of gxf.
    if name == "float32":
        tensor += 1
        assert tensor.sum() == 21
    del tensor
    gc.collect()
    assert library.exported() == 0, name

# Tensors of PyTorch in any order of dimensions and with gaps are read where they are, and let go.
whole = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4)
for tensor in (whole, whole.permute(2, 0, 1), whole[:, 1:, ::2], whole[1, 2, 3:4], whole[0, 0, 0]):
    expected = tensor.flatten().tolist()
    taken = take(tensor, False)
    assert taken, tensor
    assert values(taken, len(expected)) == expected
    # What PyTorch changes is seen: the memory is the same.
    tensor += 1
    assert values(taken, len(expected)) == [value + 1 for value in expected]
    tensor -= 1
    library.tensor_free(taken)

# The memory lives as long as gxf has it, and not longer.
memory = array.array("d", [0, 1, 2])
alive = weakref.ref(memory)
tensor = torch.frombuffer(memory, dtype=torch.float64)
taken = take(tensor, False)
del memory, tensor
gc.collect()
assert alive() is not None and values(taken, 3) == [0, 1, 2]
library.tensor_free(taken)
gc.collect()
assert alive() is None

# One number for all: strides of 0 are read as they are.
spread = torch.tensor([7.0], dtype=torch.float64).expand(4)
taken = take(spread, False)
assert values(taken, 4) == [7] * 4
library.tensor_free(taken)

print("torch", torch.__version__, "agrees")
