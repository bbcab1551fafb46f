"""Streams."""
from assay.streams import ExternalStream, Stream, current_stream as get_current_stream
