"""Functions of numpy for device arrays: computed on the host, with copies there and back."""
import functools

from .device_array import to_device, to_host


def on_copies(function):
    """`function` of numpy, for device arrays."""
    @functools.wraps(function)
    def delegated(*arguments, **options):
        return to_device(function(*to_host(arguments), **{name: to_host(value) for name, value in options.items()}))
    return delegated


def attribute_of(module):
    """A module's `__getattr__` that gives the functions of `module` on copies, and its types and constants as they
    are."""
    def find(name: str):
        found = getattr(module, name)
        return found if isinstance(found, type) or not callable(found) else on_copies(found)
    return find
