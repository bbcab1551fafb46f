"""numpy's generators, uploaded."""
import numpy.random as _module

from assay.delegation import attribute_of as _attribute_of

__getattr__ = _attribute_of(_module)
