"""Devices."""
from assay.streams import Device
