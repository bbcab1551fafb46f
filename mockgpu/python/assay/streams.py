"""Streams and devices as cupy has them: a stream is current inside `with`."""
import threading

from . import runtime

_current = threading.local()


class Stream:
    """A stream of its own; destroyed with the object."""

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False):
        self._owned = not (null or ptds)
        self.ptr = 2 if ptds else 0 if null else runtime.create_stream(non_blocking)

    def __del__(self):
        if getattr(self, "_owned", False):
            try:
                runtime.destroy_stream(self.ptr)
            except Exception:
                pass

    def __enter__(self) -> "Stream":
        self._outer = getattr(_current, "stream", None)
        _current.stream = self
        return self

    def __exit__(self, *_) -> None:
        _current.stream = self._outer

    def use(self) -> "Stream":
        _current.stream = self
        return self

    def synchronize(self) -> None:
        runtime.synchronise(self.ptr)


class ExternalStream(Stream):
    """Somebody else's handle."""

    def __init__(self, ptr: int, device_id: int = -1):
        self._owned = False
        self.ptr = ptr


Stream.null = ExternalStream(0)


def current_stream() -> Stream:
    """The stream of this host thread; the default stream outside every `with`."""
    return getattr(_current, "stream", None) or Stream.null


class Device:
    """A device by number, or the current one; current inside `with`."""

    compute_capability = "90"

    def __init__(self, device: int | None = None):
        self.id = runtime.current_device() if device is None else int(device)

    def __enter__(self) -> "Device":
        self._outer = runtime.current_device()
        self.use()
        return self

    def __exit__(self, *_) -> None:
        runtime.set_device(self._outer)

    def __eq__(self, other) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __int__(self) -> int:
        return self.id

    def use(self) -> None:
        runtime.set_device(self.id)

    def synchronize(self) -> None:
        runtime.synchronise_device()
