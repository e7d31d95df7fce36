# SPDX-License-Identifier: Apache-2.0
"""Encodings as facts and as arrays of numbers."""

import json

import numpy as np

from . import _core
from ._errors import UsageError
from ._values import array, doubles, real_or_none, text, whole, whole_or_none


def encodings():
    """The catalogue: one dict per encoding, as ``sextant encodings --json`` prints it.

    Keys: name, title, formula, reference, notes, sites, params, claims, examples, needs_values.

    >>> import sextant
    >>> rope = next(e for e in sextant.encodings() if e["name"] == "rope")
    >>> rope["sites"], rope["claims"]["norm_preserving"]
    (['query_key'], 'yes')
    """
    return json.loads(_core.encodings())


def table(spec, positions=None, dim=None, offset=None, what="rows", dtype="f32", heads=None, length=None,
          threads=1):
    """An encoding as an array of numpy, each value correctly rounded (docs/numerics.md).

    positions: how many from ``offset`` on (64 where none is given), or an array of positions,
    [n] or [n, axes]; any real numbers.
    what: rows, cos, sin, inv_freq, bias or matrix; None: the one that shows most of the encoding.
    dtype: f32, f64, f16, or bf16, which is an array of uint16 with the bit patterns.
    length: the current sequence length for rules that depend on it (default: up to the last position).

    >>> import sextant
    >>> sextant.table("rope(base=100)", positions=2, dim=4, what="cos")
    array([[1.       , 1.       ],
           [0.5403023, 0.9950042]], dtype=float32)
    >>> sextant.table("alibi", positions=2, heads=1, what="bias")[0]
    array([[ 0.        , -0.00390625],
           [-0.00390625,  0.        ]], dtype=float32)
    >>> sextant.table("rope")
    Traceback (most recent call last):
    ...
    sextant._errors.UsageError: rope: has no rows; it acts on query and key and has cos, sin, inv_freq, matrix
    """
    options = {"spec": text("spec", spec), "dim": whole_or_none("dim", dim), "offset": real_or_none("offset", offset),
               "what": text("what", what), "dtype": text("dtype", dtype), "heads": whole_or_none("heads", heads),
               "length": whole_or_none("length", length), "threads": whole("threads", threads)}
    if positions is None or array("positions", positions).ndim == 0:
        return _core.table({**options, "positions": whole_or_none("positions", positions)}, None)
    if offset is not None:
        raise UsageError("offset: goes with a number of positions, not with an array of them")
    return _core.table(options, doubles("positions", positions))


def bias(spec, heads, queries, keys, first_query=0, first_key=0, threads=1):
    """The logit bias of an encoding, float32 [heads, queries, keys].

    Queries are at positions first_query, first_query + 1, ..., keys at first_key, ...: for a
    decoder with a cache, ``first_query=keys - queries``. -inf masks a pair. For a bias that depends on
    more than the lag, use ``table(spec, what="bias")``.

    >>> import sextant
    >>> sextant.bias("alibi", heads=2, queries=1, keys=3, first_query=2)
    array([[[-0.125     , -0.0625    ,  0.        ]],
    <BLANKLINE>
           [[-0.0078125 , -0.00390625,  0.        ]]], dtype=float32)
    """
    return _core.bias(text("spec", spec), whole("heads", heads), whole("queries", queries),
                      whole("keys", keys), whole("first_query", first_query),
                      whole("first_key", first_key), whole("threads", threads))


def slopes(spec, heads, length=4096):
    """Slopes m of a bias that is a line in the lag, b(s, t) = -m |s - t|, float32 [heads].

    For engines that have ALiBi built in. A bias is a line when it is one at every lag below ``length``.

    >>> import sextant
    >>> sextant.slopes("alibi", heads=8)[:3]
    array([0.5  , 0.25 , 0.125], dtype=float32)
    """
    return np.asarray(_core.slopes(text("spec", spec), whole("heads", heads), whole("length", length)))
