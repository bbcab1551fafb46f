#!/usr/bin/env python3
"""Writes one folder for each construct: program.sdfg, case.json, in/*.npy and expect/*.npy.

The programs are made with DaCe (2.0.0a6), the expected arrays with numpy alone. Run it again after a
change: `make_programs.py [NAME...]`, with the real dace package installed.
"""
import json
import pathlib
import sys

import dace
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
N, M, K = (dace.symbol(s, dace.int64) for s in "NMK")
PROGRAMS = {}


def construct(make):
    """`make` returns the SDFG, the arguments and the expected arrays."""
    PROGRAMS[make.__name__] = make
    return make


def stripped(value):
    """JSON without what only editors and later transformations read."""
    dropped = ("guid", "debuginfo", "transformation_hist", "orig_sdfg", "hash", "source_files")
    if isinstance(value, dict):
        return {k: stripped(v) for k, v in value.items() if k not in dropped}
    if isinstance(value, list):
        return [stripped(v) for v in value]
    return value


def on_device(sdfg):
    """Arguments in device memory, maps as kernels, library nodes as they are."""
    for _, desc in sdfg.arrays.items():
        if not desc.transient and isinstance(desc, dace.data.Array):
            desc.storage = dace.StorageType.GPU_Global
    sdfg.apply_gpu_transformations()
    return sdfg


def write(name, made):
    sdfg, arguments, expected = made
    folder = HERE / name
    for part in ("in", "expect"):
        (folder / part).mkdir(parents=True, exist_ok=True)
        for old in (folder / part).glob("*.npy"):
            old.unlink()
    text = stripped(json.loads(json.dumps(sdfg.to_json())))
    text["dace_version"] = dace.__version__
    (folder / "program.sdfg").write_text(json.dumps(text, indent=1) + "\n")
    case = {"program": sdfg.name, "arguments": {}, "expect": {}, "rtol": 1e-5, "atol": 1e-9}
    for key, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / "in" / f"{key}.npy", value)
            host = sdfg.arrays[key].storage != dace.StorageType.GPU_Global
            case["arguments"][key] = {"file": f"in/{key}.npy", "memory": "host" if host else "device"}
        else:
            case["arguments"][key] = value
    for key, value in expected.items():
        np.save(folder / "expect" / f"{key}.npy", np.ascontiguousarray(value, arguments[key].dtype))
        case["expect"][key] = f"expect/{key}.npy"
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


def numbers(*shape, seed=1):
    return np.random.default_rng(seed).uniform(-2, 2, shape)


@construct
def views():
    @dace.program
    def construct_views(A: dace.float64[N, 6], B: dace.float64[2 * N, 3], C: dace.float64[6]):
        flat = np.reshape(A, [2 * N, 3])
        B[:] = flat + 1.0
        row = A[1]
        C[:] = row * 2.0

    a = numbers(5, 6)
    return (on_device(construct_views.to_sdfg(simplify=False)),
            dict(A=a, B=np.zeros((10, 3)), C=np.zeros(6), N=5),
            dict(B=a.reshape(10, 3) + 1.0, C=a[1] * 2.0))


@construct
def reductions():
    @dace.program
    def construct_reductions(A: dace.float64[N, 7, 3], S: dace.float64[7, 3], T: dace.float64[N, 3],
                             L: dace.float64[1], H: dace.float32[1], F: dace.float32[N]):
        dace.reduce(lambda a, b: a + b, A, S, axis=0, identity=0)
        dace.reduce(lambda a, b: max(a, b), A, T, axis=1, identity=-1e30)
        dace.reduce(lambda a, b: min(a, b), A, L, identity=1e30)
        dace.reduce(lambda a, b: a + b, F, H)  # without identity: added to what is there

    a, f = numbers(9, 7, 3), numbers(9).astype(np.float32)
    return (on_device(construct_reductions.to_sdfg(simplify=True)),
            dict(A=a, S=numbers(7, 3, seed=2), T=numbers(9, 3), L=numbers(1),
                 H=np.full(1, 3, np.float32), F=f, N=9),
            dict(S=a.sum(axis=0), T=a.max(axis=1), L=[a.min()], H=[3 + f.sum()]))


@construct
def dynamic_ranges():
    @dace.program
    def construct_dynamic(rows: dace.int32[N + 1], columns: dace.int32[K], values: dace.float64[K],
                          x: dace.float64[M], b: dace.float64[N]):
        for i in dace.map[0:N]:
            for j in dace.map[rows[i]:rows[i + 1]]:
                b[i] += values[j] * x[columns[j]]

    rng = np.random.default_rng(3)
    counts = rng.integers(0, 5, 11)
    rows = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    k = int(rows[-1])
    columns, values, x = rng.integers(0, 8, k).astype(np.int32), numbers(k), numbers(8)
    expected = np.zeros(11)
    for i in range(11):
        for j in range(rows[i], rows[i + 1]):
            expected[i] += values[j] * x[columns[j]]
    return (on_device(construct_dynamic.to_sdfg(simplify=True)),
            dict(rows=rows, columns=columns, values=values, x=x, b=np.zeros(11), N=11, K=k, M=8),
            dict(b=expected))


def element_kernel(state, source, target, code, size="N"):
    state.add_mapped_tasklet(source + target + "_map", dict(i=f"0:{size}"),
                             dict(a=dace.Memlet(f"{source}[i]")), code,
                             dict(b=dace.Memlet(f"{target}[i]")),
                             schedule=dace.ScheduleType.GPU_Device, external_edges=True)


@construct
def state_machine():
    """Loops and branches of interstate edges alone, as files before regions have them."""
    sdfg = dace.SDFG("construct_state_machine")
    for name in "AB":
        sdfg.add_array(name, [N], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_symbol("M", dace.int64)
    init, guard, body = (sdfg.add_state(s) for s in ("init", "guard", "body"))
    odd, even, latch, done = (sdfg.add_state(s) for s in ("odd", "even", "latch", "done"))
    element_kernel(init, "A", "B", "b = a")
    element_kernel(odd, "B", "A", "b = a + 1.0")
    element_kernel(even, "B", "A", "b = a * 0.5")
    element_kernel(latch, "A", "B", "b = a - 0.25")
    edge = dace.InterstateEdge
    sdfg.add_edge(init, guard, edge(assignments=dict(k=0)))
    sdfg.add_edge(guard, body, edge("k < M"))
    sdfg.add_edge(guard, done, edge("k >= M"))
    sdfg.add_edge(body, odd, edge("k % 2 == 1"))
    sdfg.add_edge(body, even, edge("not (k % 2 == 1)"))
    sdfg.add_edge(odd, latch, edge())
    sdfg.add_edge(even, latch, edge())
    sdfg.add_edge(latch, guard, edge(assignments=dict(k="k + 1")))
    element_kernel(done, "B", "A", "b = 2.0 * a")
    a = numbers(20)
    b = a.copy()
    for k in range(5):
        b = (b + 1.0 if k % 2 == 1 else b * 0.5) - 0.25
    return sdfg, dict(A=a, B=np.zeros(20), N=20, M=5), dict(A=2.0 * b, B=b)


@construct
def state_jumps():
    """A loop that is left in its middle and entered in two places: no nested form."""
    sdfg = dace.SDFG("construct_state_jumps")
    for name in "AB":
        sdfg.add_array(name, [N], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_symbol("M", dace.int64)
    start, one, two, out = (sdfg.add_state(s, is_start_block=s == "start")
                            for s in ("start", "one", "two", "out"))
    element_kernel(one, "A", "B", "b = a + 1.0")
    element_kernel(two, "B", "A", "b = a * 2.0")
    edge = dace.InterstateEdge
    sdfg.add_edge(start, one, edge("M < 3", assignments=dict(k="M")))
    sdfg.add_edge(start, two, edge("M >= 3", assignments=dict(k="M")))
    sdfg.add_edge(one, two, edge("k > 0", assignments=dict(k="k - 1")))
    sdfg.add_edge(one, out, edge("k <= 0"))
    sdfg.add_edge(two, one, edge("k > 0", assignments=dict(k="k - 1")))
    sdfg.add_edge(two, out, edge("k <= 0"))
    a, b = numbers(20), numbers(20, seed=5)
    x, y, k, at = a.copy(), b.copy(), 4, "two"
    while True:
        if at == "one":
            y = x + 1.0
        else:
            x = y * 2.0
        if k <= 0:
            break
        k, at = k - 1, "two" if at == "one" else "one"
    return sdfg, dict(A=a, B=b, N=20, M=4), dict(A=x, B=y)


@construct
def thread_blocks():
    sdfg = dace.SDFG("construct_thread_blocks")
    for name in "AB":
        sdfg.add_array(name, [N], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_array("tile", [32], dace.float64, transient=True, storage=dace.StorageType.GPU_Shared)
    state = sdfg.add_state()
    a, b, t = state.add_read("A"), state.add_write("B"), state.add_access("tile")
    grid = state.add_map("grid", dict(i="0:N:32"), schedule=dace.ScheduleType.GPU_Device)
    block = state.add_map("block", dict(j="0:Min(32, N - i)"),
                          schedule=dace.ScheduleType.GPU_ThreadBlock)
    work = state.add_tasklet("work", {"x"}, {"y"}, "y = x * 3.0 + j")
    state.add_memlet_path(a, grid[0], t, memlet=dace.Memlet("A[i:Min(i + 32, N)]"))
    state.add_memlet_path(t, block[0], work, dst_conn="x", memlet=dace.Memlet("tile[j]"))
    state.add_memlet_path(work, block[1], grid[1], b, src_conn="y", memlet=dace.Memlet("B[i + j]"))
    a = numbers(70)
    return (sdfg, dict(A=a, B=np.zeros(70), N=70),
            dict(B=a * 3.0 + np.arange(70) % 32))


@construct
def shared_tiles():
    """A product of matrices, tile by tile: shared tiles, filled again in each step of a block's loop."""
    sdfg = dace.SDFG("construct_shared_tiles")
    gpu = dict(storage=dace.StorageType.GPU_Global)
    sdfg.add_array("A", [N, K], dace.float64, **gpu)
    sdfg.add_array("B", [K, M], dace.float64, **gpu)
    sdfg.add_array("C", [N, M], dace.float64, **gpu)
    for name in ("left", "right"):
        sdfg.add_array(name, [4, 4], dace.float64, transient=True, storage=dace.StorageType.GPU_Shared)
    sdfg.add_array("sum", [1], dace.float64, transient=True, storage=dace.StorageType.Register)
    state = sdfg.add_state()
    threads = dict(schedule=dace.ScheduleType.GPU_ThreadBlock)
    rows = dict(i="0:Min(4, N - bi)", j="0:Min(4, M - bj)")
    grid = state.add_map("grid", dict(bi="0:N:4", bj="0:M:4"), schedule=dace.ScheduleType.GPU_Device)
    first = state.add_map("first", rows, **threads)
    zero = state.add_tasklet("zero", {}, {"s"}, "s = 0.0")
    zeroed, summed = state.add_access("sum"), state.add_access("sum")
    steps = state.add_map("steps", dict(k="0:K:4"), schedule=dace.ScheduleType.Sequential)
    block = state.add_map("block", rows, **threads)
    work = state.add_tasklet("work", {"l", "r"}, {"s"}, """s = 0.0
for q in range(4):
    if k + q < K:
        s += l[q] * r[q]""")
    last = state.add_map("last", rows, **threads)
    store = state.add_tasklet("store", {"s"}, {"c"}, "c = s")
    left, right = state.add_access("left"), state.add_access("right")
    a, b, c = state.add_read("A"), state.add_read("B"), state.add_write("C")
    state.add_nedge(grid[0], first[0], dace.Memlet())
    state.add_nedge(first[0], zero, dace.Memlet())
    state.add_memlet_path(zero, first[1], zeroed, src_conn="s", memlet=dace.Memlet("sum[0]"))
    state.add_nedge(zeroed, steps[0], dace.Memlet())
    tile = "{0}[{1}:Min({1} + 4, {2}), {3}:Min({3} + 4, {4})]"
    state.add_memlet_path(a, grid[0], steps[0], left,
                          memlet=dace.Memlet(tile.format("A", "bi", "N", "k", "K")))
    state.add_memlet_path(b, grid[0], steps[0], right,
                          memlet=dace.Memlet(tile.format("B", "k", "K", "bj", "M")))
    state.add_memlet_path(left, block[0], work, dst_conn="l", memlet=dace.Memlet("left[i, 0:4]"))
    state.add_memlet_path(right, block[0], work, dst_conn="r", memlet=dace.Memlet("right[0:4, j]"))
    state.add_memlet_path(work, block[1], steps[1], summed, src_conn="s",
                          memlet=dace.Memlet("sum[0]", wcr="lambda x, y: x + y"))
    state.add_memlet_path(summed, last[0], store, dst_conn="s", memlet=dace.Memlet("sum[0]"))
    state.add_memlet_path(store, last[1], grid[1], c, src_conn="c", memlet=dace.Memlet("C[bi + i, bj + j]"))
    a, b = numbers(9, 6), numbers(6, 7, seed=2)
    return sdfg, dict(A=a, B=b, C=np.zeros((9, 7)), N=9, M=7, K=6), dict(C=a @ b)


@construct
def block_sums():
    """Halving sums in shared memory: a loop of a nested SDFG with a map over the threads in each step."""
    inner = dace.SDFG("halving")
    inner.add_array("line", [8], dace.float64, storage=dace.StorageType.GPU_Shared)
    inner.add_symbol("s", dace.int64)
    loop = dace.sdfg.state.LoopRegion("halves", "s >= 1", "s", "s = 4", "s = s // 2")
    inner.add_node(loop, is_start_block=True)
    half = loop.add_state("half", is_start_block=True)
    half.add_mapped_tasklet("add", dict(j="0:s"), dict(x=dace.Memlet("line[j]"), y=dace.Memlet("line[j + s]")),
                            "z = x + y", dict(z=dace.Memlet("line[j]")),
                            schedule=dace.ScheduleType.GPU_ThreadBlock, external_edges=True)
    sdfg = dace.SDFG("construct_block_sums")
    sdfg.add_array("A", [N, 8], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_array("S", [N], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_array("tile", [8], dace.float64, transient=True, storage=dace.StorageType.GPU_Shared)
    state = sdfg.add_state()
    grid = state.add_map("grid", dict(i="0:N"), schedule=dace.ScheduleType.GPU_Device)
    block = state.add_map("block", dict(j="0:8"), schedule=dace.ScheduleType.GPU_ThreadBlock)
    square = state.add_tasklet("square", {"x"}, {"y"}, "y = x * x")
    filled, halved = state.add_access("tile"), state.add_access("tile")
    nested = state.add_nested_sdfg(inner, {"line"}, {"line"})
    root = state.add_tasklet("root", {"x"}, {"y"}, "y = math.sqrt(x)")
    a, out = state.add_read("A"), state.add_write("S")
    state.add_memlet_path(a, grid[0], block[0], square, dst_conn="x", memlet=dace.Memlet("A[i, j]"))
    state.add_memlet_path(square, block[1], filled, src_conn="y", memlet=dace.Memlet("tile[j]"))
    state.add_edge(filled, None, nested, "line", dace.Memlet("tile[0:8]"))
    state.add_edge(nested, "line", halved, None, dace.Memlet("tile[0:8]"))
    state.add_edge(halved, None, root, "x", dace.Memlet("tile[0]"))
    state.add_memlet_path(root, grid[1], out, src_conn="y", memlet=dace.Memlet("S[i]"))
    a = numbers(5, 8)
    return sdfg, dict(A=a, S=np.zeros(5), N=5), dict(S=np.sqrt((a * a).sum(axis=1)))


@construct
def number_types():
    sdfg = dace.SDFG("construct_number_types")
    gpu = dict(storage=dace.StorageType.GPU_Global)
    sdfg.add_array("h", [N], dace.float16, **gpu)
    sdfg.add_array("hs", [1], dace.float16, **gpu)
    sdfg.add_array("least", [1], dace.float16, **gpu)
    sdfg.add_array("c", [N], dace.complex64, **gpu)
    sdfg.add_array("z", [N], dace.complex128, **gpu)
    sdfg.add_array("zs", [1], dace.complex128, **gpu)
    sdfg.add_array("r", [N], dace.float64, **gpu)
    device = dict(schedule=dace.ScheduleType.GPU_Device, external_edges=True)
    s = sdfg.add_state("first")
    s.add_mapped_tasklet("halves", dict(i="0:N"), dict(x=dace.Memlet("h[i]")), "y = x * x + 0.1",
                         dict(y=dace.Memlet("h[i]")), **device)
    s.add_mapped_tasklet("product", dict(i="0:N"),
                         dict(x=dace.Memlet("c[i]"), w=dace.Memlet("z[i]")),
                         "y = x * w + 2j * w - 1.0",
                         dict(y=dace.Memlet("z[i]")), **device)
    t = sdfg.add_state_after(s, "second")
    t.add_mapped_tasklet("sizes", dict(i="0:N"), dict(w=dace.Memlet("z[i]")),
                         "y = abs(w) + w.real if i % 2 == 0 else w.imag",
                         dict(y=dace.Memlet("r[i]")), **device)
    t.add_mapped_tasklet("sum", dict(i="0:N"), dict(w=dace.Memlet("z[i]")), "y = w",
                         dict(y=dace.Memlet("zs[0]", wcr="lambda a, b: a + b")), **device)
    t.add_mapped_tasklet("largest", dict(i="0:N"), dict(x=dace.Memlet("h[i]")), "y = x",
                         dict(y=dace.Memlet("hs[0]", wcr="lambda a, b: max(a, b)")), **device)
    # In the names of DaCe's runtime, as its library nodes write it.
    code = """
dace::half least = std::numeric_limits<dace::half>::max();
for (int i = 0; i < 33; ++i)
  dace::wcr_fixed<dace::ReductionType::Min, dace::half>::reduce_atomic(&least, x[i]);
y = least;
"""
    u = sdfg.add_state_after(t, "third")
    u.add_mapped_tasklet("smallest", dict(i="0:1"), dict(x=dace.Memlet("h[0:N]")), code, dict(y=dace.Memlet("least[0]")),
                         language=dace.Language.CPP, **device)
    h = numbers(33).astype(np.float16)
    c = (numbers(33, seed=2) + 1j * numbers(33, seed=3)).astype(np.complex64)
    z = numbers(33, seed=4) + 1j * numbers(33, seed=5)
    h2 = (h.astype(np.float32) * h.astype(np.float32) + 0.1).astype(np.float16)
    z2 = c.astype(np.complex128) * z + 2j * z - 1.0
    r = np.where(np.arange(33) % 2 == 0, np.abs(z2) + z2.real, z2.imag)
    return (sdfg, dict(h=h, hs=np.zeros(1, np.float16), least=np.zeros(1, np.float16), c=c, z=z,
                       zs=np.ones(1, complex), r=np.zeros(33), N=33),
            dict(h=h2, hs=[h2.max()], least=[h2.min()], z=z2, zs=[1 + z2.sum()], r=r))


@construct
def returns():
    """A return inside a branch inside a loop: nothing that follows runs."""
    @dace.program
    def construct_returns(A: dace.float64[N], k: dace.int64):
        for i in range(4):
            if i == k:
                return
            A[:] = A + 1.0
        A[:] = A * 2.0

    sdfg = construct_returns.to_sdfg(simplify=True)
    a = numbers(12)
    return on_device(sdfg), dict(A=a, N=12, k=2), dict(A=a + 2.0)


@construct
def strided_copies():
    """Between device, host and pinned memory, each to each: one, two and three dimensions, with gaps also in the
    innermost one; and lengths that are symbols."""
    sdfg = dace.SDFG("construct_strided_copies")
    storages = dict(d=dace.StorageType.GPU_Global, h=dace.StorageType.CPU_Heap, p=dace.StorageType.CPU_Pinned)
    box = (6, 5, 10)
    shapes = {1: (2 * N,), 2: box[1:], 3: box}
    subsets = {1: ("0:2*N:4", "1:N:2"), 2: ("1:5:2, 0:9:4", "2:4, 1:10:3"), 3: ("1:6:2, 0:5:4, 1:10:4", "0:3, 1:3, 0:6:2")}
    slices = {1: (np.s_[0:16:4], np.s_[1:8:2]), 2: (np.s_[1:5:2, 0:9:4], np.s_[2:4, 1:10:3]),
              3: (np.s_[1:6:2, 0:5:4, 1:10:4], np.s_[0:3, 1:3, 0:6:2])}
    arguments, expected = dict(N=8), {}
    states = {}
    for rank, shape in shapes.items():
        state = sdfg.add_state(f"rank{rank}", is_start_block=rank == 1)
        if rank > 1:
            sdfg.add_edge(states[rank - 1], state, dace.InterstateEdge())
        states[rank] = state
        numeric = shape if rank > 1 else (16,)
        for source, storage in storages.items():
            # Pinned memory cannot be an argument of the harness's: it is filled from the host's.
            name = f"{source}{rank}"
            sdfg.add_array(name, shape, dace.float64, storage=storages["h" if source == "p" else source])
            arguments[name] = numbers(*numeric, seed=rank + 7 * ord(source))
            read = state.add_read(name)
            if source == "p":
                sdfg.add_transient(f"pinned{rank}", shape, dace.float64, storage=storage)
                pinned = state.add_access(f"pinned{rank}")
                whole = ", ".join(f"0:{size}" for size in shape)
                state.add_nedge(read, pinned, dace.Memlet(f"{name}[{whole}]"))
                name, read = f"pinned{rank}", pinned
            for target, kind in storages.items():
                result = f"{source}{target}{rank}"
                sdfg.add_array(result, shape, dace.float64, storage=storages["h" if target == "p" else target])
                arguments[result] = numbers(*numeric, seed=rank + 31 * ord(source) + ord(target))
                expected[result] = arguments[result].copy()
                expected[result][slices[rank][1]] = arguments[f"{source}{rank}"][slices[rank][0]]
                write, into = state.add_access(result), result
                from_subset, to_subset = subsets[rank]
                if target == "p":
                    into = f"to_{result}"
                    sdfg.add_transient(into, shape, dace.float64, storage=kind)
                    middle = state.add_access(into)
                    state.add_nedge(middle, write, dace.Memlet(f"{into}[{to_subset}] -> [{to_subset}]"))
                    write = middle
                state.add_nedge(read, write, dace.Memlet(f"{name}[{from_subset}] -> [{to_subset}]"))
    return sdfg, arguments, expected


@construct
def python_tasklets():
    sdfg = dace.SDFG("construct_python_tasklets")
    for name, dtype in dict(A=dace.float64, I=dace.int32, B=dace.float64, J=dace.int64).items():
        sdfg.add_array(name, [N], dtype, storage=dace.StorageType.GPU_Global)
    code = """
t = x
s = 0
for k in range(n % 5):
    s += k * 2
    t = t * 0.5 + k
if -1 < x <= 1 and not n == 3:
    y = t if n > 2 else min(t, x, 0.25)
elif n % 2 == 0:
    y = abs(t) ** 2 - (n // -3)
else:
    y = math.sqrt(dace.float64(s + 1))
while s > 10:
    s -= 3
m = dace.int64(s) << 2 | (n & 1)
"""
    state = sdfg.add_state()
    state.add_mapped_tasklet("work", dict(i="0:N"), dict(x=dace.Memlet("A[i]"), n=dace.Memlet("I[i]")), code,
                             dict(y=dace.Memlet("B[i]"), m=dace.Memlet("J[i]")),
                             schedule=dace.ScheduleType.GPU_Device, external_edges=True)
    a, n = numbers(40), np.random.default_rng(9).integers(0, 9, 40).astype(np.int32)
    b, j = np.zeros(40), np.zeros(40, np.int64)
    for i in range(40):
        x, m = a[i], int(n[i])
        t, s = x, 0
        for k in range(m % 5):
            s += k * 2
            t = t * 0.5 + k
        if -1 < x <= 1 and not m == 3:
            b[i] = t if m > 2 else min(t, x, 0.25)
        elif m % 2 == 0:
            b[i] = abs(t)**2 - (m // -3)
        else:
            b[i] = np.sqrt(s + 1.0)
        while s > 10:
            s -= 3
        j[i] = s << 2 | (m & 1)
    return sdfg, dict(A=a, I=n, B=np.zeros(40), J=np.zeros(40, np.int64), N=40), dict(B=b, J=j)


@construct
def function_results():
    """Functions of numpy that leave two results, and those that ask about complex numbers."""
    sdfg = dace.SDFG("construct_function_results")
    gpu = dict(storage=dace.StorageType.GPU_Global)
    for name in ("A", "B", "whole", "part", "mantissa", "quotient", "rest"):
        sdfg.add_array(name, [N], dace.float64, **gpu)
    sdfg.add_array("exponent", [N], dace.int32, **gpu)
    sdfg.add_array("Z", [N], dace.complex128, **gpu)
    sdfg.add_array("R", [N], dace.complex128, **gpu)
    sdfg.add_array("infinite", [N], dace.bool, **gpu)
    state = sdfg.add_state()
    device = dict(schedule=dace.ScheduleType.GPU_Device, external_edges=True)

    def mapped(name, inputs, code, outputs):
        memlets = lambda names: {key: dace.Memlet(f"{data}[i]") for key, data in names.items()}
        state.add_mapped_tasklet(name, dict(i="0:N"), memlets(inputs), code, memlets(outputs), **device)

    mapped("modf", dict(x="A"), "np_modf(x, w, p)", dict(w="whole", p="part"))
    mapped("frexp", dict(x="A"), "np_frexp(x, m, e)", dict(m="mantissa", e="exponent"))
    mapped("divmod", dict(x="A", y="B"), "py_divmod(x, y, q, r)", dict(q="quotient", r="rest"))
    mapped("complex", dict(z="Z"), "r = round(z)\nb = isinf(z) or isnan(z)", dict(r="R", b="infinite"))
    a, b = numbers(30) * 9, numbers(30, seed=2)
    z = numbers(30, seed=3) * 5 + 5j * numbers(30, seed=4)
    z[3], z[7] = complex(1, -np.inf), complex(np.nan, 2)
    part, whole = np.modf(a)
    mantissa, exponent = np.frexp(a)
    quotient, rest = np.divmod(a, b)
    rounded = np.round(z.real) + 1j * np.round(z.imag)
    rounded[3], rounded[7] = complex(1, -np.inf), complex(np.nan, 2)
    zeros = np.zeros(30)
    return (sdfg, dict(A=a, B=b, Z=z, R=np.zeros(30, np.complex128), whole=zeros, part=zeros, mantissa=zeros,
                       exponent=np.zeros(30, np.int32), quotient=zeros, rest=zeros,
                       infinite=np.zeros(30, np.bool_), N=30),
            dict(whole=whole, part=part, mantissa=mantissa, exponent=exponent, quotient=quotient, rest=rest,
                 R=rounded, infinite=~np.isfinite(z)))


@construct
def values_through_maps():
    """A value that a map copies into a register and out again, in whatever order the file has the two edges."""
    sdfg = dace.SDFG("construct_values_through_maps")
    for name in ("A", "B", "C"):
        sdfg.add_array(name, [N], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_scalar("first", dace.float64, transient=True, storage=dace.StorageType.Register)
    sdfg.add_scalar("second", dace.float64, transient=True, storage=dace.StorageType.Register)
    state = sdfg.add_state()
    nodes = {name: state.add_access(name) for name in ("first", "second", "B", "C", "A")}
    entry, leave = state.add_map("move", dict(i="0:N"), schedule=dace.ScheduleType.GPU_Device)
    state.add_memlet_path(nodes["A"], entry, nodes["second"], memlet=dace.Memlet("A[i]"))
    state.add_memlet_path(nodes["A"], entry, nodes["first"], memlet=dace.Memlet("A[i]"))
    state.add_memlet_path(nodes["first"], leave, nodes["B"], memlet=dace.Memlet("B[i]"))
    state.add_memlet_path(nodes["second"], leave, nodes["C"], memlet=dace.Memlet("C[N - 1 - i]"))
    a = numbers(9)
    return sdfg, dict(A=a, B=np.zeros(9), C=np.zeros(9), N=9), dict(B=a, C=a[::-1])


@construct
def matrix_products():
    @dace.program
    def construct_products(A: dace.float64[N, M], B: dace.float64[M, K], x: dace.float64[M], C: dace.float64[N, K],
                           y: dace.float64[N], T: dace.float64[M, N]):
        C[:] = A @ B
        y[:] = A @ x
        T[:] = np.transpose(A)

    a, b, x = numbers(6, 5), numbers(5, 7, seed=2), numbers(5, seed=3)
    return (on_device(construct_products.to_sdfg(simplify=True)),
            dict(A=a, B=b, x=x, C=np.zeros((6, 7)), y=np.zeros(6), T=np.zeros((5, 6)), N=6, M=5, K=7),
            dict(C=a @ b, y=a @ x, T=a.T))


@construct
def tensor_products():
    """Products with batches, one operand of which may have none, and a transposed tensor."""
    @dace.program
    def construct_tensors(A: dace.float64[3, N, M], B: dace.float64[3, M, K], D: dace.float64[M, K],
                          C: dace.float64[3, N, K], E: dace.float64[3, N, K],
                          T: dace.float64[M, 3, N]):
        C[:] = A @ B
        E[:] = A @ D
        T[:] = np.transpose(A, axes=(2, 0, 1))

    a, b, d = numbers(3, 6, 5), numbers(3, 5, 4, seed=2), numbers(5, 4, seed=3)
    return (on_device(construct_tensors.to_sdfg(simplify=True)),
            dict(A=a, B=b, D=d, C=np.zeros((3, 6, 4)), E=np.zeros((3, 6, 4)),
                 T=np.zeros((5, 3, 6)), N=6, M=5, K=4),
            dict(C=a @ b, E=a @ d, T=np.transpose(a, (2, 0, 1))))


@construct
def product_nodes():
    """The nodes that transformations make of products: formulas, tensors, factors and addends."""
    from dace.libraries.blas.nodes import Einsum, Gemm, Gemv
    from dace.libraries.linalg.nodes import TensorDot
    sdfg = dace.SDFG("construct_product_nodes")
    shapes = dict(A=[3, N, M], D=[M, K], F=[K, 3], S=[3], X=[K, N], Y=[K, N], U=[N, M, 3], W=[M, 3, 3, M],
                  v=[M], w=[K])
    for name, shape in shapes.items():
        sdfg.add_array(name, shape, dace.float64, storage=dace.StorageType.GPU_Global)
    state = sdfg.add_state()

    def product(node, inputs, out, connector):
        state.add_node(node)
        node.schedule = dace.ScheduleType.GPU_Device
        for name, data in inputs.items():
            node.add_in_connector(name, force=True)
            subset = data if "[" in data else f"{data}[{', '.join(f'0:{s}' for s in shapes[data])}]"
            state.add_edge(state.add_read(data.split("[")[0]), None, node, name, dace.Memlet(subset))
        node.add_out_connector(connector, force=True)
        subset = f"{out}[{', '.join(f'0:{s}' for s in shapes[out])}]"
        state.add_edge(node, connector, state.add_write(out), None, dace.Memlet(subset))

    formula = Einsum("formula")
    formula.einsum_str, formula.alpha = "bij,jk->kb", 2
    product(formula, dict(a="A", b="D"), "F", "c")
    squares = Einsum("squares")
    squares.einsum_str, squares.beta = "bij,bij->b", 1
    product(squares, dict(a="A", b="A"), "S", "c")
    product(Gemm("sum", transA=True, transB=True, alpha=0.5, beta=2), dict(_a="D", _b="A[1, 0:N, 0:M]", _cin="X"),
            "Y", "_c")
    product(TensorDot("tensors", [1], [0], [1, 3, 0, 2]), dict(_left_tensor="A", _right_tensor="U"), "W",
            "_out_tensor")
    product(Gemv("transposed", transA=True), dict(_A="D", _x="v"), "w", "_y")
    a, d, s, x, u, v = (numbers(*shape, seed=k) for k, shape in
                        enumerate([(3, 6, 5), (5, 4), (3,), (4, 6), (6, 5, 3), (5,)]))
    return (sdfg, dict(A=a, D=d, F=np.zeros((4, 3)), S=s, X=x, Y=np.zeros((4, 6)), U=u, W=np.zeros((5, 3, 3, 5)), v=v,
                       w=np.zeros(4), N=6, M=5, K=4),
            dict(F=2 * np.einsum("bij,jk->kb", a, d), S=s + np.einsum("bij,bij->b", a, a),
                 Y=0.5 * d.T @ a[1].T + 2 * x,
                 W=np.transpose(np.tensordot(a, u, ([1], [0])), [1, 3, 0, 2]), w=d.T @ v))


@construct
def loop_after_copies():
    """DaCe's GPU transformation puts the copies in front of the loop, and leaves the start index at the loop."""
    @dace.program
    def construct_loop_after_copies(A: dace.float64[N], B: dace.float64[N]):
        for k in range(3):
            B[:] = B * 0.5 + A

    sdfg = construct_loop_after_copies.to_sdfg(simplify=True)
    sdfg.apply_gpu_transformations()
    a, b = numbers(11), numbers(11, seed=2)
    expected = b.copy()
    for _ in range(3):
        expected = expected * 0.5 + a
    return sdfg, dict(A=a, B=b, N=11), dict(B=expected)


@construct
def long_maps():
    """More rows than a grid has along y. Both results of a row leave through one connector, and are scaled by a
    symbol of a nested SDFG that nothing declares."""
    rows = 70000
    inner = dace.SDFG("scaled")
    inner.add_array("values", [4], dace.float64)
    inner.add_array("first", [1], dace.uint8)
    inner.add_array("last", [1], dace.uint8)
    before, between, after = inner.add_state(is_start_block=True), inner.add_state(), inner.add_state()
    inner.add_edge(before, between, dace.InterstateEdge(assignments={"scale": "values[2]"}))
    inner.add_edge(between, after, dace.InterstateEdge(assignments={"twice": "scale + scale"}))
    for name, code in dict(first="out = scale * 4", last="out = twice * 5").items():
        tasklet = after.add_tasklet(name, {}, {"out"}, code)
        after.add_edge(tasklet, "out", after.add_write(name), None, dace.Memlet(f"{name}[0]"))

    sdfg = dace.SDFG("construct_long_maps")
    sdfg.add_array("A", [4], dace.float64, storage=dace.StorageType.GPU_Global)
    sdfg.add_array("B", [N, 2], dace.uint8, storage=dace.StorageType.GPU_Global)
    state = sdfg.add_state()
    entry, exit = state.add_map("rows", dict(i="0:N", j="0:1"), schedule=dace.ScheduleType.GPU_Device)
    entry.map.gpu_block_size = [1, 1, 1]
    node = state.add_nested_sdfg(inner, {"values"}, {"first", "last"})
    state.add_memlet_path(state.add_read("A"), entry, node, dst_conn="values", memlet=dace.Memlet("A[0:4]"))
    entry.add_in_connector("IN_A"), exit.add_in_connector("IN_B"), exit.add_out_connector("OUT_B")
    state.add_edge(node, "first", exit, "IN_B", dace.Memlet("B[i, 0]"))
    state.add_edge(node, "last", exit, "IN_B", dace.Memlet("B[i, 1]"))
    state.add_edge(exit, "OUT_B", state.add_write("B"), None, dace.Memlet("B[0:N, 0:2]"))
    sdfg.validate()
    a = np.array([9, 9, 1.5, 9])
    return sdfg, dict(A=a, B=np.zeros((rows, 2), np.uint8), N=rows), dict(B=np.tile([6, 15], (rows, 1)))


@construct
def pairs_and_constants():
    """Pairs of a value and its index, of eight bytes and of sixteen, which no atomic combines; a constant array that
    is copied."""
    @dace.program
    def construct_pairs_and_constants(A: dace.float64[N, 2], B: dace.float32[4, M], first: dace.int32[2], last: dace.int32[M],
                                      C: dace.float64[3]):
        first[:] = np.argmin(A, axis=0)
        last[:] = np.argmax(B, axis=0)
        C[:] = np.array([1.5, 2.5, -3.5])

    sdfg = on_device(construct_pairs_and_constants.to_sdfg(simplify=True))
    a, b = numbers(50, 2), numbers(4, 9, seed=2).astype(np.float32)
    return (sdfg, dict(A=a, B=b, first=np.zeros(2, np.int32), last=np.zeros(9, np.int32), C=np.zeros(3), N=50, M=9),
            dict(first=a.argmin(0), last=b.argmax(0), C=[1.5, 2.5, -3.5]))


@construct
def sized_arrays():
    """A thread's own array, as long as a symbol says."""
    @dace.program
    def construct_sized_arrays(A: dace.float64[N, M], B: dace.float64[N, M]):
        for i in dace.map[0:N]:
            row = np.ndarray([M], dace.float64)
            for j in range(M):
                row[j] = 2 * A[i, j]
            for j in range(M):
                B[i, j] = row[j] + row[M - 1]

    sdfg = on_device(construct_sized_arrays.to_sdfg(simplify=True))
    for _, name, descriptor in sdfg.arrays_recursive():
        if name == "row":
            descriptor.storage = dace.StorageType.Register
    a = numbers(7, 5)
    return sdfg, dict(A=a, B=np.zeros((7, 5)), N=7, M=5), dict(B=2 * a + 2 * a[:, 4:])


@construct
def references():
    """References to one of two arrays, by a branch; to a column that a loop's counter chose, used after the loop; and
    inside a kernel, in a map and between the states of a nested SDFG."""
    sdfg = dace.SDFG("construct_references")
    device = dict(storage=dace.StorageType.GPU_Global)
    for name in ("A", "B"):
        sdfg.add_array(name, [N, M], dace.float64, **device)
    for name in ("first", "second", "chosen", "last"):
        sdfg.add_array(name, [N], dace.float64, **device)
    sdfg.add_symbol("K", dace.int64)
    sdfg.add_reference("either", [N], dace.float64, **device)
    sdfg.add_reference("column", [N], dace.float64, strides=[M], **device)
    sdfg.add_reference("row", [M], dace.float64, **device)
    edge, memlet = dace.InterstateEdge, dace.Memlet

    def setting(state, source, reference, subset):
        state.add_edge(state.add_read(source), None, state.add_write(reference), "set", memlet(f"{source}[{subset}]"))

    start, left, right, use = (sdfg.add_state(s, is_start_block=s == "start") for s in ("start", "left", "right", "use"))
    sdfg.add_edge(start, left, edge("K > 2"))
    sdfg.add_edge(start, right, edge("K <= 2"))
    sdfg.add_edge(left, use, edge())
    sdfg.add_edge(right, use, edge())
    setting(left, "first", "either", "0:N")
    setting(right, "second", "either", "0:N")
    element_kernel(use, "either", "chosen", "b = a * 2.0")

    loop = dace.sdfg.state.LoopRegion("columns", "k < M", "k", "k = 0", "k = k + 1")
    sdfg.add_node(loop)
    sdfg.add_edge(use, loop, edge())
    choose = loop.add_state("choose", is_start_block=True)
    setting(choose, "A", "column", "0:N, k")
    change = loop.add_state_after(choose, "change")
    element_kernel(change, "column", "column", "b = a + k")
    after = sdfg.add_state("after")
    sdfg.add_edge(loop, after, edge(assignments=dict(k="0")))
    element_kernel(after, "column", "last", "b = a")

    inner = dace.SDFG("rows")
    inner.add_array("numbers", [M], dace.float64)
    inner.add_array("result", [M], dace.float64)
    inner.add_reference("part", [M - 1], dace.float64)
    chosen = inner.add_state("chosen", is_start_block=True)
    setting(chosen, "numbers", "part", "1:M")
    summed = inner.add_state_after(chosen, "summed")
    summed.add_mapped_tasklet("shift", dict(j="0:M - 1"), dict(a=memlet("part[j]")), "b = a - 1.0",
                              dict(b=memlet("result[j]")), schedule=dace.ScheduleType.Sequential, external_edges=True)
    rows = sdfg.add_state_after(after, "rows")
    entry, exit = rows.add_map("rows", dict(i="0:N"), schedule=dace.ScheduleType.GPU_Device)
    row, node = rows.add_access("row"), rows.add_nested_sdfg(inner, {"numbers"}, {"result"}, {"M": "M"})
    rows.add_memlet_path(rows.add_read("A"), entry, row, memlet=memlet("A[i, 0:M]"), dst_conn="set")
    rows.add_edge(row, None, node, "numbers", memlet("row[0:M]"))
    rows.add_memlet_path(node, exit, rows.add_write("B"), src_conn="result", memlet=memlet("B[i, 0:M]"))
    sdfg.validate()
    a, b = numbers(6, 5), numbers(6, 5, seed=2)
    first, second = numbers(6, seed=3), numbers(6, seed=4)
    new, moved = a + np.arange(5), b.copy()
    moved[:, :4] = new[:, 1:] - 1.0
    return (sdfg, dict(A=a, B=b, first=first, second=second, chosen=np.zeros(6), last=np.zeros(6), N=6, M=5, K=1),
            dict(A=new, B=moved, chosen=2 * second, last=new[:, 4]))


@construct
def reference_writes():
    """A kernel that writes an array through a reference only, which no edge says, beside others that may run at the
    same time."""
    sdfg = dace.SDFG("construct_reference_writes")
    device = dict(storage=dace.StorageType.GPU_Global)
    sdfg.add_array("A", [N, M], dace.float64, **device)
    for name in ("B", "first", "old", "column", "last"):
        sdfg.add_array(name, [N], dace.float64, **device)
    sdfg.add_reference("row", [M], dace.float64, **device)
    memlet = dace.Memlet
    write_row = sdfg.add_state("write_row", is_start_block=True)
    element_kernel(write_row, "B", "first", "b = a + 1.0")
    entry, exit = write_row.add_map("rows", dict(i="0:N"), schedule=dace.ScheduleType.GPU_Device)
    row, task = write_row.add_access("row"), write_row.add_tasklet("change", {"a": None}, {"b": None, "c": None}, "b = a + 1.0\nc = a")
    write_row.add_memlet_path(write_row.add_read("A"), entry, row, memlet=memlet("A[i, 0:M]"), dst_conn="set")
    write_row.add_edge(row, None, task, "a", memlet("row[0]"))
    write_row.add_edge(task, "b", write_row.add_access("row"), None, memlet("row[1]"))
    write_row.add_memlet_path(task, exit, write_row.add_write("old"), src_conn="c", memlet=memlet("old[i]"))
    read = sdfg.add_state_after(write_row, "read")
    read.add_mapped_tasklet("copy_column", dict(i="0:N"), dict(a=memlet("A[i, 1]")), "b = a", dict(b=memlet("column[i]")),
                            schedule=dace.ScheduleType.GPU_Device, external_edges=True)
    element_kernel(read, "B", "last", "b = a")
    sdfg.validate()
    a, b = numbers(6, 5), numbers(6, seed=3)
    changed = a.copy()
    changed[:, 1] = a[:, 0] + 1.0
    zeroes = [np.zeros(6) for _ in range(4)]
    return (sdfg, dict(A=a, B=b, first=zeroes[0], old=zeroes[1], column=zeroes[2], last=zeroes[3], N=6, M=5),
            dict(A=changed, first=b + 1.0, old=a[:, 0], column=changed[:, 1], last=b))


def main(names):
    for name in names or PROGRAMS:
        write(name, PROGRAMS[name]())
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
