# SPDX-License-Identifier: Apache-2.0
"""The positional geometry of a corpus, and what matches it. Ctrl-C ends the reading of a corpus."""

import inspect
import json

from . import _core
from ._errors import UsageError
from ._values import paths, text, texts


def _specs(encodings):
    if encodings is None:
        return []
    specs = texts("encodings", [encodings] if isinstance(encodings, str) else encodings, "specs")
    if not specs:
        raise UsageError("encodings: must name at least one encoding; None is the whole catalogue")
    return specs


def _options(given, **read):
    """Arguments of a call for ``_core``, which reads numbers and flags; `read` are ready for it."""
    return {name: text(name, value) if isinstance(value, str) else value
            for name, value in {**given, **read}.items()}


def score(corpus, encodings=None, positions=None, *, tokens=None, format=None, text_column=None,
          text_field=None, group_column=None, invalid=None, limit=None, skip_bad=None, length=None,
          specials=None, windows=False, shuffles=None, splits=None, metric=None, intervals=True, dim=None,
          heads=None, train=None, mem=None, seed=None, threads=None):
    """How well encodings match the geometry of a corpus: the document of ``sextant score --json``.

    corpus: a path, a list of them (texts, or the .counts files of one corpus), or a built-in corpus such as
        "synthetic:drift".
    encodings: specs, as a list or a text with commas; None: the whole catalogue.
    All other arguments are options of the command line by the same names (``sextant score --help``), with
    their defaults where they are None. docs/geometry.md says what the numbers mean.

    >>> import sextant
    >>> result = sextant.score("synthetic:drift", ["rope", "alibi"], positions=8, threads=1)
    >>> result["verb"], {"rope", "alibi"} <= {row["encoding"] for row in result["rows"]}
    ('score', True)
    """
    return json.loads(_core.score(_options(locals(), corpus=paths("corpus", corpus), encodings=_specs(encodings))))


def geometry(corpus, positions=None, *, against=None, tokens=None, format=None, text_column=None,
             text_field=None, group_column=None, invalid=None, limit=None, skip_bad=None, length=None,
             specials=None, windows=False, shuffles=None, splits=None, metric=None, intervals=True, dim=None,
             mem=None, seed=None, threads=None):
    """The positional geometry of a corpus: the document of ``sextant geometry --json``.

    against: another corpus: how far its geometry is from this one, beside the noise. Other arguments as in
    ``score``.

    >>> import sextant
    >>> sextant.geometry("synthetic:drift", positions=8, threads=1)["positions"]
    8
    """
    options = _options(locals(), corpus=paths("corpus", corpus),
                       against=None if against is None else paths("against", against))
    return json.loads(_core.geometry(options))


class PositionalMDS:
    """Coordinates of the positions of a corpus, by multidimensional scaling: ``sextant fit``.

    An estimator in the manner of scikit-learn, which it does not need. rank None: as many dimensions as the
    data support. corrected: fit the distances without the noise of sampling. method: classical or smacof.
    Other arguments as in ``score``. Distributions in a file are for the command line alone.

    After ``fit``: embedding_ [positions, rank], eigenvalues_, stress_ (raw, against the distances that were
    fitted), converged_, rank_.

    >>> import sextant
    >>> mds = sextant.PositionalMDS(rank=2, positions=8, threads=1).fit("synthetic:drift")
    >>> mds.embedding_.shape, mds.rank_
    ((8, 2), 2)
    """

    def __init__(self, rank=None, *, positions=None, tokens=None, corrected=False, method="classical",
                 format=None, text_column=None, text_field=None, group_column=None, invalid=None, limit=None,
                 skip_bad=None, length=None, specials=None, windows=False, shuffles=None, splits=None,
                 metric=None, mem=None, seed=None, threads=None):
        self.rank = rank
        self.positions = positions
        self.tokens = tokens
        self.corrected = corrected
        self.method = method
        self.format = format
        self.text_column = text_column
        self.text_field = text_field
        self.group_column = group_column
        self.invalid = invalid
        self.limit = limit
        self.skip_bad = skip_bad
        self.length = length
        self.specials = specials
        self.windows = windows
        self.shuffles = shuffles
        self.splits = splits
        self.metric = metric
        self.mem = mem
        self.seed = seed
        self.threads = threads

    def get_params(self, deep=True):
        """The arguments of the constructor by name; nothing is nested, so ``deep`` changes nothing."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params):
        """Sets arguments of the constructor; returns self."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise UsageError(f"{name}: is no parameter; they are {', '.join(known)}")
            setattr(self, name, value)
        return self

    def fit(self, corpus, y=None):
        """Reads the corpus and places its positions; returns self. ``y`` is there for pipelines."""
        found = _core.fit(_options(self.get_params(), corpus=paths("corpus", corpus)))
        self.embedding_ = found["embedding"]
        self.eigenvalues_ = found["eigenvalues"]
        self.stress_ = found["stress"]
        self.converged_ = found["converged"]
        self.rank_ = self.embedding_.shape[1]
        return self

    def fit_transform(self, corpus, y=None):
        """``fit(corpus).embedding_``."""
        return self.fit(corpus, y).embedding_
