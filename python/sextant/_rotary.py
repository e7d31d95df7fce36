# SPDX-License-Identifier: Apache-2.0
"""Rotation of queries and keys: numpy, and anything with DLPack, without copies."""

import sys

import numpy as np

from . import _core
from ._errors import UsageError
from ._values import flag, text, whole, whole_positions


# Packages whose arrays these are, and where their from_dlpack is.
_LIBRARIES = {"torch": "torch", "jax": "jax.numpy", "jaxlib": "jax.numpy"}


class HeadsBuffer:
    """Turned heads for a library that is neither numpy nor torch nor jax.

    Its ``from_dlpack`` takes them without a copy.

    >>> import numpy as np, sextant
    >>> class Tensor:                           # of some library
    ...     def __init__(self, values):
    ...         self.values = values
    ...     def __dlpack__(self, **asked):
    ...         return self.values.__dlpack__()
    ...     def __dlpack_device__(self):
    ...         return self.values.__dlpack_device__()
    >>> q = Tensor(np.ones((1, 1, 4), np.float32))
    >>> made = sextant.Rotary("rope", 4).range(0, 1).apply_to_queries(q)
    >>> isinstance(made, sextant.HeadsBuffer), made.shape, made.dtype
    (True, (1, 1, 4), 'f32')
    >>> np.from_dlpack(made)
    array([[[1., 1., 1., 1.]]], dtype=float32)
    """

    def __init__(self, buffer):
        if not isinstance(buffer, _core.HeadsBuffer):
            raise UsageError("buffer: comes from a rotation")
        self._buffer = buffer

    @property
    def shape(self):
        """Sizes of the axes, as those of the argument."""
        return self._buffer.shape

    @property
    def dtype(self):
        """f32, f16 or bf16."""
        return self._buffer.dtype

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self._buffer.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self):
        return self._buffer.__dlpack_device__()


def _like(source, result):
    """A buffer of ours as an array of the library that `source` comes from."""
    if isinstance(result, np.ndarray):
        return result
    buffer = HeadsBuffer(result)
    for base in type(source).__mro__:
        library = sys.modules.get(_LIBRARIES.get(base.__module__.partition(".")[0]))
        if library is not None:
            return library.from_dlpack(buffer)
    return buffer


def _pair(out):
    """out=(q_out, k_out)."""
    if out is None:
        return None, None
    if not isinstance(out, (tuple, list)) or len(out) != 2 or any(each is None for each in out):
        raise UsageError("out: must be a pair of arrays (q_out, k_out)")
    return out


class Turns:
    """What the tokens of one batch receive: made by a ``Rotary``, used by all heads and layers.

    >>> import numpy as np, sextant
    >>> turns = sextant.Rotary("rope", 4).range(0, 3)
    >>> turns.tokens, turns.dim
    (3, 4)
    >>> q = np.ones((3, 2, 4), np.float32)
    >>> turns.apply_to_queries(q, out=q) is q
    True
    """

    def __init__(self, turns):
        if not isinstance(turns, _core.Turns):
            raise UsageError("turns: come from Rotary.at and Rotary.range")
        self._turns = turns

    @property
    def tokens(self):
        """Tokens of the batch."""
        return self._turns.tokens

    @property
    def dim(self):
        """Values per head."""
        return self._turns.dim

    def apply(self, q, k, out=None, *, dtype=None, layout="thd", backward=False, threads=1):
        """Queries and keys turned; arguments as in ``rotate``."""
        q_out, k_out = _pair(out)
        made = self._turns.apply(q, k, q_out, k_out, text("dtype", dtype), text("layout", layout),
                                 flag("backward", backward), whole("threads", threads))
        return tuple(out) if out is not None else (_like(q, made[0]), _like(k, made[1]))

    def apply_to_queries(self, q, out=None, *, dtype=None, layout="thd", backward=False, threads=1):
        """Queries alone."""
        return self._one(q, out, False, dtype, layout, backward, threads)

    def apply_to_keys(self, k, out=None, *, dtype=None, layout="thd", backward=False, threads=1):
        """Keys alone. They differ from queries where a rule grows or shrinks, as xPos does."""
        return self._one(k, out, True, dtype, layout, backward, threads)

    def _one(self, x, out, keys, dtype, layout, backward, threads):
        made = self._turns.apply_one(x, out, keys, text("dtype", dtype), text("layout", layout),
                                     flag("backward", backward), whole("threads", threads))
        return out if out is not None else _like(x, made)


class Rotary:
    """A rule for heads of one width: RoPE with all its scalings, xPos, damped rotations.

    Made once per model.

    >>> import numpy as np, sextant
    >>> rotary = sextant.Rotary("rope(base=500000)", 64)
    >>> q, k = np.ones((2, 8, 64), np.float32), np.ones((2, 2, 64), np.float32)
    >>> turns = rotary.at([131070, 131071])     # once per batch
    >>> q2, k2 = turns.apply(q, k)              # once per layer
    >>> float(abs((q2**2).sum(-1) - 64).max()) < 1e-4
    True
    """

    def __init__(self, spec, dim):
        self._rotary = _core.Rotary(text("spec", spec), whole("dim", dim))
        self._made_by = type(self), (spec, self.dim)

    def __repr__(self):
        make, arguments = self._made_by
        return f"{make.__qualname__}({', '.join(map(repr, arguments))})"

    def __reduce__(self):
        return self._made_by

    @staticmethod
    def between(a, b):
        """The rule that takes keys turned by ``a`` to keys turned by ``b``, for caches.

        >>> import numpy as np, sextant
        >>> old, new = sextant.Rotary("rope", 8), sextant.Rotary("rope(base=500000)", 8)
        >>> k = np.ones((4, 1, 8), np.float32)
        >>> moved = sextant.Rotary.between(old, new).range(0, 4).apply_to_keys(old.range(0, 4).apply_to_keys(k))
        >>> bool(np.allclose(moved, new.range(0, 4).apply_to_keys(k), atol=1e-6))
        True
        """
        for name, rule in (("a", a), ("b", b)):
            if not isinstance(rule, Rotary):
                raise UsageError(f"{name}: must be a Rotary but got {rule!r}")
        made = Rotary.__new__(Rotary)
        made._rotary = _core.Rotary.between(a._rotary, b._rotary)
        made._made_by = Rotary.between, (a, b)
        return made

    @property
    def dim(self):
        """Values per head."""
        return self._rotary.dim

    @property
    def axes(self):
        """Coordinates of a position: 1, or those of a rule with sections."""
        return self._rotary.axes

    def at(self, positions, origin=0):
        """Turns of tokens at any positions, whole numbers [tokens] or [tokens, axes], in any order.

        ``origin`` is what positions count from; growing and shrinking rules need one near them.
        """
        return Turns(self._rotary.at(whole_positions(positions), whole("origin", origin)))

    def range(self, first, count, origin=0):
        """Turns of ``count`` tokens at first, first + 1, ..."""
        return Turns(self._rotary.range(whole("first", first), whole("count", count), whole("origin", origin)))

    def apply(self, q, k, positions, out=None, *, dtype=None, layout="thd", backward=False, threads=1):
        """``at(positions).apply(q, k, ...)``: for turns that are used once."""
        return self.at(positions).apply(q, k, out, dtype=dtype, layout=layout, backward=backward,
                                        threads=threads)


def rotate(q, k, positions, spec, out=None, *, dtype=None, layout="thd", backward=False, threads=1, origin=0):
    """Queries and keys at their positions, turned as published: (x cos - y sin, x sin + y cos).

    q, k: [tokens, heads, dim] (layout "thd") or [heads, tokens, dim] ("htd"), of float32, float16 or
    bfloat16; keys may have fewer heads. Arrays of numpy, or anything with DLPack (torch and others) in the
    memory of the CPU. The last axis must be contiguous, the others step forwards and do not repeat. bfloat16 in
    numpy is uint16 with dtype="bf16".
    positions: whole numbers from 0 to 2^31 - 1, [tokens] or, for rules with sections, [tokens, axes].
    out: (q_out, k_out), which may be (q, k): in place. Without it the results are new arrays of the kind of q
    and k: of numpy, torch or jax; for other libraries they are ``HeadsBuffer``, for their ``from_dlpack``.
    backward: the transposed map, for gradients.
    origin: what positions count from; growing and shrinking rules need one near them.

    >>> import numpy as np, sextant
    >>> q = np.array([[[1, 0, 0, 0]]] * 2, np.float32)
    >>> q2, k2 = sextant.rotate(q, q, [0, 1], "rope")
    >>> q2[:, 0].round(4)
    array([[1.    , 0.    , 0.    , 0.    ],
           [0.5403, 0.    , 0.8415, 0.    ]], dtype=float32)
    """
    dim = _core.dim_of(q, "q", text("dtype", dtype), text("layout", layout))
    turns = Rotary(spec, dim).at(positions, origin)
    return turns.apply(q, k, out, dtype=dtype, layout=layout, backward=backward, threads=threads)
