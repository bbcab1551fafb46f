"""Stands in for cupy where Assay runs DaCe and GT4Py: arrays lie in the mock's device memory.

What is not written out here is numpy's function of that name, applied to copies on the host (see
assay.delegation). Kernels of the user's own (RawKernel, ElementwiseKernel) are not there.
"""
import numpy as _numpy

from assay.delegation import attribute_of as _attribute_of
from assay.device_array import array, asarray, ndarray, to_host as _to_host
from assay.streams import current_stream as _current_stream
from assay import runtime as _runtime

from . import cuda, fft, lib, linalg, random

__version__ = "13.6.0"
__all__ = [name for name in dir(_numpy) if not name.startswith("_")]

newaxis, inf, nan, pi, e = None, _numpy.inf, _numpy.nan, _numpy.pi, _numpy.e
dtype = _numpy.dtype


def empty(shape, dtype=float, order="C"):
    """Undefined elements."""
    return ndarray(shape, dtype, order=order)


def zeros(shape, dtype=float, order="C"):
    """Zeros, by a fill on the current stream."""
    made = ndarray(shape, dtype, order=order)
    if made.nbytes:
        _runtime.fill_async(made.data.ptr, 0, made.nbytes, _current_stream().ptr)
    return made


def full(shape, fill_value, dtype=None, order="C"):
    """One value everywhere."""
    return array(_numpy.full(shape, _to_host(fill_value), dtype, order), order=order)


def ones(shape, dtype=float, order="C"):
    """Ones everywhere."""
    return full(shape, 1, dtype, order)


def empty_like(prototype, dtype=None, order="C", subok=None, shape=None):
    """Undefined elements, the prototype's shape and type."""
    return empty(prototype.shape if shape is None else shape, dtype or prototype.dtype, order)


def zeros_like(prototype, dtype=None, order="C", subok=None, shape=None):
    """Zeros, the prototype's shape and type."""
    return zeros(prototype.shape if shape is None else shape, dtype or prototype.dtype, order)


def ones_like(prototype, dtype=None, order="C", subok=None, shape=None):
    """Ones, the prototype's shape and type."""
    return ones(prototype.shape if shape is None else shape, dtype or prototype.dtype, order)


def full_like(prototype, fill_value, dtype=None, order="C", subok=None, shape=None):
    """One value everywhere, the prototype's shape and type."""
    return full(prototype.shape if shape is None else shape, fill_value, dtype or prototype.dtype, order)


def ascontiguousarray(values, dtype=None):
    """The array itself where it is packed in C order."""
    values = asarray(values, dtype)
    return values if values.flags.c_contiguous else array(values)


def asnumpy(values, stream=None, order="C", out=None, *, blocking=True):
    """The elements on the host, copied by a stream that the host then waits for."""
    return values.get(stream, order, out) if isinstance(values, ndarray) else _numpy.asarray(values)


def get_array_module(*arrays):
    """This module if any argument is a device array, else numpy."""
    import cupy
    return cupy if any(isinstance(one, ndarray) for one in arrays) else _numpy


def shares_memory(first, second, max_work=None):
    """Whether the address ranges of the arrays meet."""
    (a, b), (c, d) = lib.array_utils.byte_bounds(first), lib.array_utils.byte_bounds(second)
    return a < d and c < b


may_share_memory = shares_memory


__getattr__ = _attribute_of(_numpy)
