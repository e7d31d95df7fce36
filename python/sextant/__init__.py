# SPDX-License-Identifier: Apache-2.0
"""Positional encodings of transformers: exact tables, fast rotations, and measurements.

An encoding is named by a text: ``rope``, ``rope(base=500000)``, ``rope+alibi``.

>>> import sextant
>>> sextant.table("rope", dim=8, what="inv_freq", dtype="f64")
array([1.   , 0.1  , 0.01 , 0.001])

Errors are subclasses of ``sextant.Error`` and of the exception of Python that fits: ``ValueError`` for a wrong
call, ``OSError`` for a file that cannot be read, ``MemoryError`` for work that does not fit.
"""

from ._core import version as __version__
from ._errors import (CheckpointError, Error, InternalError, MalformedError, NumericError, RefusedError,
                      UnreadableError, UnwritableError, UsageError)
from ._groups import classify
from ._models import inspect, lint
from ._rotary import HeadsBuffer, Rotary, Turns, rotate
from ._studies import PositionalMDS, geometry, score
from ._tables import bias, encodings, slopes, table

__all__ = [
    "CheckpointError", "Error", "HeadsBuffer", "InternalError", "MalformedError", "NumericError", "PositionalMDS",
    "RefusedError", "Rotary", "Turns", "UnreadableError", "UnwritableError", "UsageError", "bias", "classify",
    "encodings", "geometry", "inspect", "lint", "rotate", "score", "slopes", "table",
]
