# SPDX-License-Identifier: Apache-2.0
# tests/python/stubs_test.py compares it with the package, name by name and parameter by parameter.
import os
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__: list[str]

_Path = str | os.PathLike[str]
_Paths = _Path | Sequence[_Path]
_Heads = TypeVar("_Heads")  # an array of numpy, or anything with __dlpack__
_Document = dict[str, Any]
_Dtype = Literal["f32", "f16", "bf16"]
_Layout = Literal["thd", "htd"]

class Error(Exception):
    code: str

class UsageError(Error, ValueError): ...
class MalformedError(Error, ValueError): ...
class UnreadableError(Error, OSError): ...
class RefusedError(Error, MemoryError): ...
class UnwritableError(Error, OSError): ...
class NumericError(Error, ArithmeticError): ...
class CheckpointError(Error, RuntimeError): ...
class InternalError(Error, RuntimeError): ...

def encodings() -> list[_Document]: ...
def table(
    spec: str,
    positions: int | ArrayLike | None = None,
    dim: int | None = None,
    offset: float | None = None,
    what: Literal["rows", "cos", "sin", "inv_freq", "bias", "matrix"] | None = "rows",
    dtype: Literal["f32", "f64", "f16", "bf16"] = "f32",
    heads: int | None = None,
    length: int | None = None,
    threads: int = 1,
) -> NDArray[Any]: ...
def bias(
    spec: str,
    heads: int,
    queries: int,
    keys: int,
    first_query: int = 0,
    first_key: int = 0,
    threads: int = 1,
) -> NDArray[np.float32]: ...
def slopes(spec: str, heads: int, length: int = 4096) -> NDArray[np.float32]: ...

class HeadsBuffer:
    def __init__(self, buffer: Any) -> None: ...
    @property
    def shape(self) -> tuple[int, int, int]: ...
    @property
    def dtype(self) -> _Dtype: ...
    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class Turns:
    def __init__(self, turns: Any) -> None: ...
    @property
    def tokens(self) -> int: ...
    @property
    def dim(self) -> int: ...
    def apply(
        self,
        q: _Heads,
        k: _Heads,
        out: tuple[_Heads, _Heads] | None = None,
        *,
        dtype: _Dtype | None = None,
        layout: _Layout = "thd",
        backward: bool = False,
        threads: int = 1,
    ) -> tuple[_Heads, _Heads]: ...
    def apply_to_queries(
        self,
        q: _Heads,
        out: _Heads | None = None,
        *,
        dtype: _Dtype | None = None,
        layout: _Layout = "thd",
        backward: bool = False,
        threads: int = 1,
    ) -> _Heads: ...
    def apply_to_keys(
        self,
        k: _Heads,
        out: _Heads | None = None,
        *,
        dtype: _Dtype | None = None,
        layout: _Layout = "thd",
        backward: bool = False,
        threads: int = 1,
    ) -> _Heads: ...

class Rotary:
    def __init__(self, spec: str, dim: int) -> None: ...
    @staticmethod
    def between(a: Rotary, b: Rotary) -> Rotary: ...
    @property
    def dim(self) -> int: ...
    @property
    def axes(self) -> int: ...
    def at(self, positions: ArrayLike, origin: int = 0) -> Turns: ...
    def range(self, first: int, count: int, origin: int = 0) -> Turns: ...
    def apply(
        self,
        q: _Heads,
        k: _Heads,
        positions: ArrayLike,
        out: tuple[_Heads, _Heads] | None = None,
        *,
        dtype: _Dtype | None = None,
        layout: _Layout = "thd",
        backward: bool = False,
        threads: int = 1,
    ) -> tuple[_Heads, _Heads]: ...

def rotate(
    q: _Heads,
    k: _Heads,
    positions: ArrayLike,
    spec: str,
    out: tuple[_Heads, _Heads] | None = None,
    *,
    dtype: _Dtype | None = None,
    layout: _Layout = "thd",
    backward: bool = False,
    threads: int = 1,
    origin: int = 0,
) -> tuple[_Heads, _Heads]: ...
def score(
    corpus: _Paths,
    encodings: str | Sequence[str] | None = None,
    positions: int | None = None,
    *,
    tokens: str | None = None,
    format: str | None = None,
    text_column: str | None = None,
    text_field: str | None = None,
    group_column: str | None = None,
    invalid: str | None = None,
    limit: int | None = None,
    skip_bad: int | None = None,
    length: str | None = None,
    specials: str | None = None,
    windows: bool = False,
    shuffles: int | None = None,
    splits: int | None = None,
    metric: str | None = None,
    intervals: bool = True,
    dim: int | None = None,
    heads: int | None = None,
    train: int | None = None,
    mem: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> _Document: ...
def geometry(
    corpus: _Paths,
    positions: int | None = None,
    *,
    against: _Paths | None = None,
    tokens: str | None = None,
    format: str | None = None,
    text_column: str | None = None,
    text_field: str | None = None,
    group_column: str | None = None,
    invalid: str | None = None,
    limit: int | None = None,
    skip_bad: int | None = None,
    length: str | None = None,
    specials: str | None = None,
    windows: bool = False,
    shuffles: int | None = None,
    splits: int | None = None,
    metric: str | None = None,
    intervals: bool = True,
    dim: int | None = None,
    mem: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> _Document: ...

class PositionalMDS:
    embedding_: NDArray[np.float64]
    eigenvalues_: NDArray[np.float64]
    stress_: float
    converged_: bool
    rank_: int
    def __init__(
        self,
        rank: int | None = None,
        *,
        positions: int | None = None,
        tokens: str | None = None,
        corrected: bool = False,
        method: Literal["classical", "smacof"] = "classical",
        format: str | None = None,
        text_column: str | None = None,
        text_field: str | None = None,
        group_column: str | None = None,
        invalid: str | None = None,
        limit: int | None = None,
        skip_bad: int | None = None,
        length: str | None = None,
        specials: str | None = None,
        windows: bool = False,
        shuffles: int | None = None,
        splits: int | None = None,
        metric: str | None = None,
        mem: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> None: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> PositionalMDS: ...
    def fit(self, corpus: _Paths, y: Any = None) -> PositionalMDS: ...
    def fit_transform(self, corpus: _Paths, y: Any = None) -> NDArray[np.float64]: ...

def classify(
    X: str | ArrayLike | None = None,
    *,
    maps: tuple[ArrayLike, ArrayLike] | None = None,
    at: ArrayLike | None = None,
    kernel: ArrayLike | None = None,
    two_sided: bool = False,
    nearest: str | None = None,
    dim: int | None = None,
    heads: int | None = None,
    noise: float = 1e-12,
) -> _Document: ...
def lint(path: _Paths, rules: str | Sequence[str] = (), ignore: str | Sequence[str] = ()) -> _Document: ...
def inspect(path: _Path, engine: str | None = None, length: int | None = None) -> _Document: ...
