# SPDX-License-Identifier: Apache-2.0
"""Files of models: what they describe, and what is wrong with them."""

import json
import os

from . import _core
from ._errors import UsageError
from ._values import paths, text, texts, whole_or_none


def _rules(name, value):
    return texts(name, value.split(",") if isinstance(value, str) else value, "ids or names of rules")


def lint(path, rules=(), ignore=()):
    """Positional mistakes in the files of models: the document of ``sextant lint --json``.

    path: a config.json, a folder with one, or a GGUF file, or a list of them. One that cannot be read is an
    error; of several, it is an entry of ``models`` with ``error``.
    rules: only these; ignore: all but these; ids or names, docs/lint.md.

    >>> import json, pathlib, sextant, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     config = pathlib.Path(folder, "config.json")
    ...     _ = config.write_text(json.dumps({"model_type": "llama", "hidden_size": 4096,
    ...         "num_attention_heads": 32, "max_position_embeddings": 4096, "rope_theta": 10000.0}))
    ...     sextant.lint(config)["summary"]["errors"]
    0
    """
    names = paths("path", path)
    chosen = _rules("rules", rules), _rules("ignore", ignore)
    if isinstance(path, (str, os.PathLike)):
        return json.loads(_core.lint_one(names[0], *chosen))
    return json.loads(_core.lint(names, *chosen))


def inspect(path, engine=None, length=None):
    """Which encoding a model uses and what an engine does: the document of ``sextant inspect --json``.

    path: a config.json, a folder with one, a GGUF file, or a learned table such as FILE.npy or
    FILE.safetensors#tensor. engine: hf, llama.cpp or vllm (default: the one that reads this kind of file).
    length: tokens of the sequence, for rules that depend on it.

    >>> import json, pathlib, sextant, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     config = pathlib.Path(folder, "config.json")
    ...     _ = config.write_text(json.dumps({"model_type": "llama", "hidden_size": 4096,
    ...         "num_attention_heads": 32, "max_position_embeddings": 4096, "rope_theta": 500000.0}))
    ...     sextant.inspect(config)["encoding"]
    'rope(base=500000)'
    """
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"path: must be a path but got {path!r}")
    return json.loads(_core.inspect(paths("path", path)[0], text("engine", engine), whole_or_none("length", length)))
