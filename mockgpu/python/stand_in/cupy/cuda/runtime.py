"""Calls of the CUDA runtime."""
from assay.runtime import CudaError as CUDARuntimeError
from assay.runtime import current_device as getDevice, device_count as getDeviceCount, set_device as setDevice
from assay.runtime import synchronise as streamSynchronize, synchronise_device as deviceSynchronize
from assay.runtime import is_hip as _is_hip

is_hip = _is_hip()

