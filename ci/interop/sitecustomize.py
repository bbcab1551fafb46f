"""Copied into the environment of the interop tests: what GT4Py imports from `typing` of Python 3.12."""
import sys
import typing

if sys.version_info < (3, 12):

    def _newer_name(name: str):
        # typing_extensions itself tells versions apart by these names.
        if name in ("TypeAliasType", "override") and sys._getframe(1).f_globals["__name__"] != "typing_extensions":
            import typing_extensions

            return getattr(typing_extensions, name)
        raise AttributeError(f"module 'typing' has no attribute '{name}'")

    typing.__getattr__ = _newer_name
