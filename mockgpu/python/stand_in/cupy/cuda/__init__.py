"""Streams, devices and memory pointers."""
from assay.device_array import Memory, MemoryPointer, UnownedMemory
from assay.streams import Device, ExternalStream, Stream, current_stream as get_current_stream

from . import runtime


def alloc(size: int) -> MemoryPointer:
    """Device memory that lives as long as its pointers."""
    return MemoryPointer(Memory(size), 0)


def is_available() -> bool:
    """Whether there is a device."""
    return runtime.getDeviceCount() > 0
