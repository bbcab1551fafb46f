"""Views by strides, and address ranges."""
from . import array_utils, stride_tricks
