"""What users of GT4Py's field view write: a scan, a reduction over neighbours, `concat_where`, a conditional and a time
loop, on fields of a backend that calls DaCe's code. Nothing in it knows of the mock."""
import gt4py.next as gtx
import numpy as np
import pytest
from gt4py.next import Field, broadcast, float64, int32, neighbor_sum, where
from gt4py.next.experimental import concat_where
from gt4py.next.program_processors.runners.dace import make_dace_backend

I = gtx.Dimension("I")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
Vertex = gtx.Dimension("Vertex")
Edge = gtx.Dimension("Edge")
V2EDim = gtx.Dimension("V2E", kind=gtx.DimensionKind.LOCAL)
V2E = gtx.FieldOffset("V2E", source=Edge, target=(Vertex, V2EDim))

BACKEND = make_dace_backend(gpu=True)
RANDOM = np.random.default_rng(3)


def field(dimensions, values):
    return gtx.as_field(dimensions, values, allocator=BACKEND)


@gtx.scan_operator(axis=K, forward=True, init=0.0)
def running_sum(state: float, a: float) -> float:
    return state * 0.5 + a


@gtx.field_operator
def twice_running(a: Field[[I, K], float64]) -> Field[[I, K], float64]:
    return running_sum(2.0 * a)


@gtx.program(backend=BACKEND)
def scan_program(a: Field[[I, K], float64], out: Field[[I, K], float64]):
    twice_running(a, out=out)


def test_scan_correct():
    values = RANDOM.random((7, 6))
    out = field([I, K], np.zeros((7, 6)))
    scan_program(field([I, K], values), out, offset_provider={})
    expected = np.zeros((7, 6))
    state = np.zeros(7)
    for k in range(6):
        state = state * 0.5 + 2.0 * values[:, k]
        expected[:, k] = state
    assert np.allclose(out.asnumpy(), expected)


@gtx.field_operator
def edges_around(e: Field[[Edge], float64]) -> Field[[Vertex], float64]:
    return neighbor_sum(e(V2E), axis=V2EDim)


@gtx.program(backend=BACKEND)
def neighbours_program(e: Field[[Edge], float64], out: Field[[Vertex], float64]):
    edges_around(e, out=out)


def test_neighbours_correct():
    table = RANDOM.integers(0, 12, (5, 3)).astype(np.int32)
    values = RANDOM.random(12)
    out = field([Vertex], np.zeros(5))
    neighbours_program(field([Edge], values), out, offset_provider={
        "V2E": gtx.as_connectivity([Vertex, V2EDim], codomain=Edge, data=table, allocator=BACKEND)})
    assert np.allclose(out.asnumpy(), values[table].sum(axis=1))


@gtx.field_operator
def upper_and_lower(a: Field[[I, K], float64], b: Field[[I, K], float64]) -> Field[[I, K], float64]:
    return concat_where(K < 3, a + 1.0, b * 2.0)


@gtx.program(backend=BACKEND)
def concat_program(a: Field[[I, K], float64], b: Field[[I, K], float64], out: Field[[I, K], float64]):
    upper_and_lower(a, b, out=out)


def test_concat_correct():
    a, b = RANDOM.random((4, 8)), RANDOM.random((4, 8))
    out = field([I, K], np.zeros((4, 8)))
    concat_program(field([I, K], a), field([I, K], b), out, offset_provider={})
    assert np.allclose(out.asnumpy(), np.concatenate([a[:, :3] + 1, b[:, 3:] * 2], axis=1))


@gtx.field_operator
def limited(a: Field[[I], float64], flag: bool, top: float64) -> Field[[I], float64]:
    b = a * 2.0 if flag else a - 1.0
    return where(b > top, broadcast(top, (I,)), b)


@gtx.program(backend=BACKEND)
def conditional_program(a: Field[[I], float64], flag: bool, top: float64, out: Field[[I], float64]):
    limited(a, flag, top, out=out)


@pytest.mark.parametrize("flag", [True, False])
def test_conditional_correct(flag):
    values = RANDOM.random(20)
    out = field([I], np.zeros(20))
    conditional_program(field([I], values), flag, 0.9, out, offset_provider={})
    assert np.allclose(out.asnumpy(), np.minimum(values * 2 if flag else values - 1, 0.9))


@gtx.field_operator
def smoothed(a: Field[[I], float64]) -> Field[[I], float64]:
    return (a(I + 1) + a + a(I - 1)) / 3.0


@gtx.program(backend=BACKEND)
def step_program(a: Field[[I], float64], out: Field[[I], float64], n: int32):
    smoothed(a, out=out, domain={I: (1, n)})


def test_time_loop_correct():
    values = RANDOM.random(16)
    a, b = field([I], values), field([I], values.copy())
    expected = values.copy()
    for _ in range(4):
        step_program(a, b, 15, offset_provider={})
        a, b = b, a
        expected[1:-1] = (expected[2:] + expected[1:-1] + expected[:-2]) / 3
    assert np.allclose(a.asnumpy(), expected)
