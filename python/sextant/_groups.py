# SPDX-License-Identifier: Apache-2.0
"""Which one-parameter group something is, or that it is none."""

import json

from . import _core
from ._errors import UsageError
from ._values import doubles, flag, real, text, whole_or_none


def classify(X=None, *, maps=None, at=None, kernel=None, two_sided=False, nearest=None, dim=None, heads=None,
             noise=1e-12):
    """Which one-parameter group: the document of ``sextant classify --json`` (docs/groups.md).

    One of these is given:
    X: a generator [d, d], or one per axis [axes, d, d]; or the spec of an encoding, with dim and heads.
    maps: (F, G), sampled maps [n, d, d] or [contents, n, d, d] of queries and keys, at positions ``at``.
    kernel: a kernel by lag, [n]; two_sided: [2n-1] with lag 0 in the middle.
    nearest: the nearest member of a family, for X none, decay, growth, rotation or spiral; for a kernel a sum
    such as spiral+jordan(2).
    noise: the relative noise of the numbers; about 1e-7 for float32.

    >>> import sextant
    >>> found = sextant.classify([[0, 1], [-1, 0]])
    >>> found["verdict"], found["families"][0]["kind"], found["families"][0]["frequency"]
    ('group', 'rotation', 1.0)
    >>> sextant.classify("xpos", dim=8)["verdict"]
    'group'
    """
    given = [name for name, value in (("X", X), ("maps", maps), ("kernel", kernel)) if value is not None]
    if len(given) != 1:
        raise UsageError(f"classify: one of X, maps and kernel must be given but got {given or 'none'}")
    is_spec = isinstance(X, str)
    for name, there, fits, of in (("at", at is not None, maps is not None, "maps"),
                                  ("two_sided", flag("two_sided", two_sided), kernel is not None, "kernel"),
                                  ("nearest", nearest is not None, maps is None and not is_spec,
                                   "a generator or a kernel"),
                                  ("dim", dim is not None, is_spec, "a spec"),
                                  ("heads", heads is not None, is_spec, "a spec")):
        if there and not fits:
            raise UsageError(f"{name}: goes with {of}")
    noise, near = real("noise", noise), text("nearest", nearest)
    if is_spec:
        return json.loads(_core.classify_encoding(text("X", X), whole_or_none("dim", dim),
                                                   whole_or_none("heads", heads), noise))
    if X is not None:
        return json.loads(_core.classify_generators(doubles("X", X), near, noise))
    if kernel is not None:
        return json.loads(_core.classify_kernel(doubles("kernel", kernel), two_sided, near, noise))
    if not isinstance(maps, (tuple, list)) or len(maps) != 2:
        raise UsageError("maps: must be a pair of arrays (F, G)")
    f, g = (doubles(f"maps[{i}]", each) for i, each in enumerate(maps))
    return json.loads(_core.classify_maps(f, g, doubles("at", at), noise))
