"""Arrays of the cupy stand-in against numpy's: views, assignments and arithmetic."""
import cupy
import numpy as np

values = np.arange(24.0).reshape(2, 3, 4)
for device in (cupy.asarray(values), cupy.array(values, order="F")):
    for view, expected in ((device, values), (device[:, 1:, ::2], values[:, 1:, ::2]), (device[::-1], values[::-1]),
                           (device.T, values.T), (device[1], values[1]), (device[..., 0], values[..., 0]),
                           (device[:, ::-1, ::-2], values[:, ::-1, ::-2])):
        assert np.array_equal(view.get(), expected)

array, expected = cupy.zeros((5, 6)), np.zeros((5, 6))
array[1:-1, ::2] = expected[1:-1, ::2] = 7
assert np.array_equal(array.get(), expected)
array[array > 3] = expected[expected > 3] = 1
assert np.array_equal(cupy.asnumpy(array), expected)
array += 2
assert float((array * 2).sum()) == float(((expected + 2) * 2).sum())
assert float((2 - array).get()[0, 0]) == 0 and len(array) == 5
assert cupy.allclose(array, cupy.asarray(expected + 2)) and isinstance(cupy.sin(array), cupy.ndarray)

strided = cupy.lib.stride_tricks.as_strided(cupy.arange(10.0), (3, 2), (16, 8))
assert np.array_equal(strided.get(), [[0, 1], [2, 3], [4, 5]])
low, high = cupy.lib.array_utils.byte_bounds(strided)
assert (low, high) == (strided.data.ptr, strided.data.ptr + 48)
assert cupy.empty((0, 3)).get().shape == (0, 3) and cupy.asarray(3.0).get() == 3
assert cupy.zeros(4, dtype="i4").view("f4").dtype == np.float32
try:
    np.asarray(array)
    raise SystemExit("a device array became a numpy array without being asked to")
except TypeError as problem:
    assert "use .get()" in str(problem)
# Functions of numpy are cupy's on device arrays.
assert np.allclose(array, cupy.asarray(expected + 2)) and not np.allclose(array, array + 1)
assert isinstance(np.concatenate([array, array]), cupy.ndarray) and np.shape(array) == (5, 6)
assert abs(float(np.linalg.norm(array)) - np.linalg.norm(expected + 2)) < 1e-12
assert np.allclose(array, expected + 2) and not np.allclose(expected, array)
print("compared")
