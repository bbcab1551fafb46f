"""Address ranges."""
from assay.device_array import _bounds


def byte_bounds(a) -> tuple[int, int]:
    """The first address of an array, and the one past its last."""
    low, high = _bounds(a.shape, a.strides, a.itemsize)
    return a.data.ptr + low, a.data.ptr + high
