"""From a DaCe program to an SDFG for the GPU in one of four memory modes, as GT4Py makes it."""
import warnings

import dace

MODES = ("scoped", "pool", "persistent", "external")


def gpu_sdfg(function, on_host=(), mode: str = "scoped") -> dace.SDFG:
    """The program on the GPU; arguments lie there but for those named in `on_host`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sdfg = function.to_sdfg(simplify=True)
        for name, descriptor in sdfg.arrays.items():
            if not descriptor.transient and isinstance(descriptor, dace.data.Array) and name not in on_host:
                descriptor.storage = dace.StorageType.GPU_Global
        sdfg.apply_gpu_transformations(validate=False)
        sdfg.expand_library_nodes()
        apply_mode(sdfg, mode)
        sdfg.validate()
    return sdfg


def apply_mode(sdfg: dace.SDFG, mode: str) -> None:
    """Puts the transient arrays of the device that lie outside of maps into a memory mode."""
    for graph in sdfg.all_sdfgs_recursive():
        for name, descriptor in graph.arrays.items():
            if (type(descriptor) is not dace.data.Array or not descriptor.transient
                    or descriptor.storage != dace.StorageType.GPU_Global):
                continue
            if mode == "pool":
                descriptor.pool = True
            elif mode in ("persistent", "external") and _is_eligible(graph, name, descriptor):
                descriptor.lifetime = (dace.AllocationLifetime.Persistent
                                       if mode == "persistent" else dace.AllocationLifetime.External)


def _is_eligible(graph: dace.SDFG, name: str, descriptor) -> bool:
    """Used outside of maps only, with a size in symbols that the caller gives."""
    uses = [(state, node) for state in graph.states() for node in state.data_nodes() if node.data == name]
    return (bool(uses) and all(state.entry_node(node) is None for state, node in uses)
            and {str(one) for one in descriptor.free_symbols} <= {str(one) for one in graph.free_symbols})
