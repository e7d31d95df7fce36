# SPDX-License-Identifier: Apache-2.0
"""Arguments, read strictly: an error names the argument."""

import numbers
import operator
import os

import numpy as np

from ._errors import UsageError

_LIMIT = 2**63


def whole(name, value):
    """`value` as an int."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{name}: must be a whole number but got {value!r}")
    if not -_LIMIT <= number < _LIMIT:
        raise UsageError(f"{name}: must be a number of 64 bits")
    return number


def whole_or_none(name, value):
    """`value` as an int; None stays None."""
    return None if value is None else whole(name, value)


def flag(name, value):
    """`value` as a bool; nothing else is one."""
    if not isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{name}: must be True or False but got {value!r}")
    return bool(value)


def real(name, value):
    """`value` as a float."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise UsageError(f"{name}: must be a number but got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise UsageError(f"{name}: must fit a double") from None


def real_or_none(name, value):
    """`value` as a float; None stays None."""
    return None if value is None else real(name, value)


def text(name, value):
    """`value` as a str that UTF-8 can write, without NUL, which would end it in C; None is ''."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise UsageError(f"{name}: must be a text but got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name}: must be Unicode but got {value!r}") from None
    if "\0" in value:
        raise UsageError(f"{name}: must not contain NUL but got {value!r}")
    return value


def texts(name, value, of):
    """Several as a list of str, none of them empty; `of` says what they are."""
    try:
        several = list(value)
    except TypeError:
        several = [None]
    if not all(isinstance(each, str) and each for each in several):
        raise UsageError(f"{name}: must be {of} but got {value!r}")
    return [text(name, each) for each in several]


def _path(name, value):
    """A path as the bytes that the system has for it: a name need not be UTF-8."""
    try:
        path = os.fsencode(value)
    except UnicodeEncodeError:
        raise UsageError(f"{name}: must be a name that the system can have but got {value!r}") from None
    if b"\0" in path:
        raise UsageError(f"{name}: must not contain NUL but got {value!r}")
    if path == b"-":
        raise UsageError(f"{name}: must be a file; '-' is the standard input on the command line alone")
    return path


def paths(name, value):
    """One path or several as a list of bytes."""
    several = [value] if isinstance(value, (str, os.PathLike)) else value
    try:
        names = [os.fspath(path) for path in several]
    except TypeError:
        raise UsageError(f"{name}: must be a path or a list of paths but got {value!r}") from None
    if not names or not all(isinstance(path, str) and path for path in names):
        raise UsageError(f"{name}: must name at least one file, each by a text that is not empty")
    return [_path(name, path) for path in names]


def array(name, value):
    """Anything that numpy reads, and what has DLPack alone. A mask would be lost without a word."""
    if isinstance(value, np.ma.MaskedArray):
        raise UsageError(f"{name}: must not be a masked array; .filled(VALUE) gives a plain one")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except UsageError:
        raise
    except Exception as error:
        raise UsageError(f"{name}: must be an array of numbers: {error}") from None


def doubles(name, value):
    """Real numbers as a contiguous array of float64; None stays None."""
    if value is None:
        return None
    numbers = array(name, value)
    if numbers.dtype.kind not in "iuf":
        raise UsageError(f"{name}: must be an array of real numbers but is {numbers.dtype}")
    return np.ascontiguousarray(numbers, np.float64)


def whole_positions(value):
    """Positions of tokens as a contiguous array of int64."""
    numbers = array("positions", value)
    if numbers.size == 0:
        return np.zeros(numbers.shape, np.int64)
    if numbers.dtype.kind not in "iu":
        raise UsageError(f"positions: must be whole numbers but are {numbers.dtype}")
    if numbers.dtype == np.uint64 and numbers.max() >= _LIMIT:
        raise UsageError(f"positions: must be below 2^31 but one is {numbers.max()}")
    return np.ascontiguousarray(numbers, np.int64)
