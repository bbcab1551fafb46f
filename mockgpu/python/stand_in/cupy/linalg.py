"""numpy's linear algebra, on copies."""
import numpy.linalg as _module

from assay.delegation import attribute_of as _attribute_of

__all__ = [name for name in dir(_module) if not name.startswith("_")]
__getattr__ = _attribute_of(_module)
