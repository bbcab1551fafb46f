"""Programs in DaCe's Python, written for these tests, with arguments and what numpy makes of them.

`PROGRAMS[name]` gives a `Program`; its function `expected` computes from copies of the arguments what must come out.
Arguments lie on the device unless a program says otherwise.
"""
import dataclasses
from typing import Callable

import dace
import numpy as np

N, M, K, L = (dace.symbol(name, dtype=dace.int32) for name in "NMKL")
DEVICE = dace.StorageType.GPU_Global


@dataclasses.dataclass
class Program:
    function: Callable
    arguments: Callable[[np.random.Generator], dict]
    expected: Callable[[dict], dict]
    on_host: tuple[str, ...] = ()


PROGRAMS: dict[str, Program] = {}


def program(arguments, expected, on_host=()):
    def register(function):
        PROGRAMS[function.f.__name__] = Program(function, arguments, expected, on_host)
        return function
    return register




# ---- stencils ----

def _laplacian(a):
    b = np.zeros_like(a)
    b[1:-1, 1:-1] = a[2:, 1:-1] + a[:-2, 1:-1] + a[1:-1, 2:] + a[1:-1, :-2] - 4 * a[1:-1, 1:-1]
    return b


def _stencil_expected(v):
    inner = np.zeros_like(v["out"])
    inner[2:-2, 2:-2] = _laplacian(_laplacian(v["inp"]))[2:-2, 2:-2]
    return {"out": inner}


@program(lambda random: {"N": 17, "M": 13, "inp": random.random((17, 13)), "out": np.zeros((17, 13))},
         _stencil_expected)
@dace.program
def stencil(inp: dace.float64[N, M], out: dace.float64[N, M]):
    first = np.zeros_like(inp)
    for i, j in dace.map[1:N - 1, 1:M - 1]:
        first[i, j] = inp[i + 1, j] + inp[i - 1, j] + inp[i, j + 1] + inp[i, j - 1] - 4 * inp[i, j]
    for i, j in dace.map[2:N - 2, 2:M - 2]:
        out[i, j] = first[i + 1, j] + first[i - 1, j] + first[i, j + 1] + first[i, j - 1] - 4 * first[i, j]


@program(lambda random: {"N": 9, "K": 12, "a": random.random((9, 12)), "out": np.zeros((9, 12))},
         lambda v: {"out": 2 * np.cumsum(v["a"], axis=1)})
@dace.program
def scan(a: dace.float64[N, K], out: dace.float64[N, K]):
    twice = np.empty_like(a)
    for i, k in dace.map[0:N, 0:K]:
        twice[i, k] = 2 * a[i, k]
    for i in dace.map[0:N]:
        total = 0.0
        for k in range(K):
            total = total + twice[i, k]
            out[i, k] = total


@program(lambda random: {"N": 11, "M": 7, "table": random.integers(0, 7, (11, 4)).astype(np.int32),
                         "v": random.random(7), "out": np.zeros(11)},
         lambda v: {"out": 3 * v["v"][v["table"]].sum(axis=1)})
@dace.program
def neighbour_sum(table: dace.int32[N, 4], v: dace.float64[M], out: dace.float64[N]):
    weighted = np.empty_like(v)
    for j in dace.map[0:M]:
        weighted[j] = 3 * v[j]
    for i in dace.map[0:N]:
        total = 0.0
        for e in range(4):
            total = total + weighted[table[i, e]]
        out[i] = total


@program(lambda random: {"N": 15, "K": 6, "a": random.random(15), "b": random.random(15), "out": np.zeros(15)},
         lambda v: {"out": np.concatenate([v["a"][:6] + 1, v["b"][6:] * 2])})
@dace.program
def concat_where(a: dace.float64[N], b: dace.float64[N], out: dace.float64[N]):
    shifted = np.empty_like(a)
    scaled = np.empty_like(b)
    for i in dace.map[0:N]:
        shifted[i] = a[i] + 1
    for i in dace.map[0:N]:
        scaled[i] = b[i] * 2
    for i in dace.map[0:K]:
        out[i] = shifted[i]
    for i in dace.map[K:N]:
        out[i] = scaled[i]


# ---- control flow ----

@program(lambda random: {"N": 10, "flag": 1, "a": random.random(10), "out": np.zeros(10)},
         lambda v: {"out": v["a"] * 3})
@dace.program
def branch(a: dace.float64[N], flag: dace.int32, out: dace.float64[N]):
    work = np.empty_like(a)
    if flag > 0:
        for i in dace.map[0:N]:
            work[i] = a[i] * 2
    else:
        for i in dace.map[0:N]:
            work[i] = a[i] - 2
    for i in dace.map[0:N]:
        out[i] = work[i] + a[i]


def _time_loop_expected(v):
    a, b = v["a"].copy(), v["a"].copy()
    for _ in range(v["K"]):
        b[1:-1] = (a[2:] + a[1:-1] + a[:-2]) / 3
        a[1:-1] = b[1:-1]
    return {"a": a}


@program(lambda random: {"N": 16, "K": 5, "a": random.random(16)}, _time_loop_expected)
@dace.program
def time_loop(a: dace.float64[N]):
    b = np.empty_like(a)
    for t in range(K):
        for i in dace.map[1:N - 1]:
            b[i] = (a[i + 1] + a[i] + a[i - 1]) / 3
        for i in dace.map[1:N - 1]:
            a[i] = b[i]


# ---- reductions ----

@program(lambda random: {"N": 40, "x": random.random(40), "s": np.zeros(1)},
         lambda v: {"s": np.array([(v["x"] ** 2).sum()])})
@dace.program
def reduction(x: dace.float64[N], s: dace.float64[1]):
    square = np.empty_like(x)
    for i in dace.map[0:N]:
        square[i] = x[i] * x[i]
    for i in dace.map[0:N]:
        s[0] += square[i]


@program(lambda random: {"N": 12, "x": random.random(12), "least": np.array([9.0]), "most": np.array([-9.0])},
         lambda v: {"least": np.array([v["x"].min() + 1]), "most": np.array([v["x"].max() + 1])})
@dace.program
def extremes(x: dace.float64[N], least: dace.float64[1], most: dace.float64[1]):
    shifted = np.empty_like(x)
    for i in dace.map[0:N]:
        shifted[i] = x[i] + 1
    for i in dace.map[0:N]:
        with dace.tasklet:
            value << shifted[i]
            low >> least(1, lambda a, b: min(a, b))[0]
            high >> most(1, lambda a, b: max(a, b))[0]
            low = value
            high = value


# ---- copies and types ----

@program(lambda random: {"N": 14, "a": random.random(14), "b": np.zeros(14), "c": np.zeros(14)},
         lambda v: {"b": v["a"], "c": np.concatenate([[0], v["a"][2:], [0]])})
@dace.program
def copies(a: dace.float64[N], b: dace.float64[N], c: dace.float64[N]):
    middle = np.empty_like(a)
    middle[:] = a
    b[:] = middle
    c[1:N - 1] = middle[2:N]


@program(lambda random: {"N": 14, "a": random.random(14), "b": np.zeros(14)}, lambda v: {"b": v["a"] * 4 + 1},
         on_host=("a", "b"))
@dace.program
def host_arguments(a: dace.float64[N], b: dace.float64[N]):
    work = np.empty_like(a)
    for i in dace.map[0:N]:
        work[i] = a[i] * 4
    for i in dace.map[0:N]:
        b[i] = work[i] + 1


@program(lambda random: {"N": 13, "a": random.random(13) - 0.5, "out": np.zeros(13)},
         lambda v: {"out": np.where(v["a"] > 0, v["a"] * 2, v["a"] - 1)})
@dace.program
def mixed_types(a: dace.float64[N], out: dace.float64[N]):
    mask = np.empty([N], dtype=np.bool_)
    values = np.empty_like(a)
    for i in dace.map[0:N]:
        mask[i] = a[i] > 0
    for i in dace.map[0:N]:
        values[i] = a[i] * 2
    for i in dace.map[0:N]:
        if mask[i]:
            out[i] = values[i]
        else:
            out[i] = a[i] - 1


@program(lambda random: {"N": 10, "a": random.random(10).astype(np.float32), "n": np.arange(10, dtype=np.int64),
                         "out": np.zeros(10)},
         lambda v: {"out": v["a"].astype(np.float64) * 2 + v["n"]})
@dace.program
def casts(a: dace.float32[N], n: dace.int64[N], out: dace.float64[N]):
    wide = np.empty([N], dtype=np.float64)
    for i in dace.map[0:N]:
        wide[i] = dace.float64(a[i]) * 2
    for i in dace.map[0:N]:
        out[i] = wide[i] + dace.float64(n[i])


@dace.program
def _scale(x: dace.float64[N], y: dace.float64[N]):
    half = np.empty_like(x)
    for i in dace.map[0:N]:
        half[i] = x[i] / 2
    for i in dace.map[0:N]:
        y[i] = half[i] + 1


@program(lambda random: {"N": 12, "a": random.random(12), "b": np.zeros(12)},
         lambda v: {"b": (v["a"] / 2 + 1) / 2 + 1})
@dace.program
def nested(a: dace.float64[N], b: dace.float64[N]):
    middle = np.empty_like(a)
    _scale(a, middle)
    _scale(middle, b)


# ---- where the host needs what the device computed ----

@program(lambda random: {"N": 20, "x": random.random(20), "y": np.zeros(20)},
         lambda v: {"y": v["x"] * 2 if v["x"].sum() > 1 else v["x"] - 1})
@dace.program
def device_decides(x: dace.float64[N], y: dace.float64[N]):
    total = np.zeros([1], dtype=np.float64)
    for i in dace.map[0:N]:
        total[0] += x[i]
    if total[0] > 1:
        for i in dace.map[0:N]:
            y[i] = x[i] * 2
    else:
        for i in dace.map[0:N]:
            y[i] = x[i] - 1


@program(lambda random: {"N": 8, "L": 64, "a": random.random(8), "out": np.zeros(8)},
         lambda v: {"out": v["a"] + 2})
@dace.program
def large_transient(a: dace.float64[N], out: dace.float64[N]):
    work = np.empty([L], dtype=np.float64)
    for i in dace.map[0:N]:
        work[i] = a[i] + 1
    for i in dace.map[0:N]:
        out[i] = work[i] + 1
