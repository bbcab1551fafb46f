"""Stands in for cupyx, as far as GT4Py imports it."""
