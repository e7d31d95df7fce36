# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: one class per code of the library, docs/errors.md."""

import re


class Error(Exception):
    """Any error of the library; ``code`` is its name in docs/errors.md.

    >>> import sextant
    >>> try:
    ...     sextant.table("roppe")
    ... except sextant.Error as error:
    ...     print(error.code, isinstance(error, ValueError))
    usage True
    """

    code = "error"


class UsageError(Error, ValueError):
    """The call itself is wrong: a name, a parameter, a size."""

    code = "usage"


class MalformedError(Error, ValueError):
    """An input was read but breaks the rules of its format."""

    code = "malformed"


class UnreadableError(Error, OSError):
    """An input is missing, forbidden, or changed while it was read."""

    code = "unreadable"


class RefusedError(Error, MemoryError):
    """The work does not fit the memory."""

    code = "refused"


class UnwritableError(Error, OSError):
    """An output cannot be written."""

    code = "unwritable"


class NumericError(Error, ArithmeticError):
    """A result is not finite, or a self-check failed."""

    code = "numeric"


class CheckpointError(Error, RuntimeError):
    """No usable checkpoint."""

    code = "checkpoint"


class InternalError(Error, RuntimeError):
    """A defect of the library."""

    code = "internal"


_BY_STATUS = {2: UsageError, 3: MalformedError, 4: UnreadableError, 5: RefusedError,
              6: UnwritableError, 7: NumericError, 9: CheckpointError}

# The library names options as the command line writes them: --text-column is text_column here, and
# --no-intervals is intervals=False.
_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


def _argument(match):
    words = match[1].replace("-", "_")
    return f"{words[3:]}=False" if words.startswith("no_") else words


def made(status, message):
    """The exception for an error of the library, by its exit status. Called by ``_core``."""
    return _BY_STATUS.get(status, InternalError)(_OPTION.sub(_argument, message))
