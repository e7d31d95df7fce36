#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails if a file includes, prints or throws what its layer may not.

usage: check_layers.py ROOT

The tables are the architecture; docs/architecture.md explains them.
"""

import pathlib
import re
import sys

from cpp_text import code_only

BASIC = {"base", "io", "math", "encoding"}
MAY_INCLUDE = {
    "base": set(),
    "io": {"base"},
    "math": {"base", "io"},
    "encoding": {"base", "io", "math"},
    "encodings": BASIC,
    "kernels": BASIC,
    "groups": BASIC,
    "theory": BASIC | {"groups"},
    "theorems": BASIC | {"groups", "theory"},
    "corpus": {"base", "io", "math"},
    "geometry": BASIC | {"corpus"},
    "model": BASIC | {"kernels", "groups", "theory", "corpus", "geometry"},
    "lint_rules": BASIC | {"kernels", "corpus", "model"},
    "training": BASIC | {"groups", "theory", "corpus", "geometry"},
    "tasks": BASIC | {"corpus", "training"},
    "studies": BASIC | {"theory", "corpus", "geometry", "training"},
    "reproductions": BASIC | {"groups", "theory", "corpus", "geometry", "training"},
    "lab": BASIC | {"groups", "theory", "corpus", "geometry", "training"},
    "measure": BASIC | {"corpus"},
    "bench_cases": BASIC | {"kernels", "corpus", "geometry", "model", "measure"},
    "report": {"base", "io"},
    "run": BASIC | {"kernels", "groups", "theory", "corpus", "geometry", "training", "model",
                    "measure", "report"},
    "c_api": BASIC | {"kernels"},
    "cli": BASIC | {"kernels", "groups", "theory", "corpus", "geometry", "training", "model",
                    "measure", "report", "run"},
    "python": BASIC | {"kernels", "groups", "theory", "corpus", "geometry", "training", "model",
                       "report", "run"},
}
PUBLIC_HEADER = {  # include/sextant/<name>.h speaks for this layer
    "double_double": "base", "error": "base", "matrix": "base",
    "positions": "encoding", "group": "encoding", "encoding": "encoding", "registry": "encoding",
    "table": "kernels", "rotary": "kernels", "classify": "groups", "theorem": "theory",
    "transformer": "theory", "profile": "theory", "task": "training", "trial": "training",
    "model": "model", "corpus": "corpus", "geometry": "math",
    "bias": "kernels", "sextant_c": "c_api",
}
UMBRELLA = "sextant"  # for users; our own files name what they need

# Reached through their registries, never by name.
CATALOGUES = ("encodings/", "theorems/", "tasks/", "studies/", "reproductions/", "lint_rules/",
              "bench_cases/", "lab/learned/", "verbs/", "cli/verbs/")

# Where a third-party header may appear: prefixes of paths below the root.
THIRD_PARTY = {
    "hwy/": ("src/kernels/",),
    "CLI/": ("src/cli/",),
    "nlohmann/": ("src/io/json.",),
    "Eigen/": ("src/",),
    "unsupported/Eigen/": ("src/",),
    "fmt/": ("src/", "python/src/"),
    "pybind11/": ("python/src/",),
    "cblas.h": ("src/math/",),
    "simdjson.h": ("src/corpus/", "src/io/"),
    "zlib.h": ("src/io/",),
    "zstd.h": ("src/io/",),
    "utf8proc.h": ("src/corpus/",),
    "pcre2.h": ("src/corpus/",),
    "torch/": ("src/lab/torch.h",),
    "mpi.h": ("src/run/mpi_",),
    "sentencepiece_processor.h": ("src/corpus/",),
    "slepc": ("src/run/slepc_spectrum.cpp",),
    "petsc": ("src/run/slepc_spectrum.cpp",),
}
MAY_PRINT = ("src/cli/", "src/report/", "src/lab/main.cpp")
MAY_THROW = ("src/base/check.h", "python/src/interruptible.h")  # the latter what Python raised

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)')
PRINTS = re.compile(r"\bstd\s*::\s*(cout|cerr|clog)\b|\bfmt\s*::\s*print\b"
                    r"|(?<![\w.>])(?:std\s*::\s*)?(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar)\s*\(")
THROWS = re.compile(r"\bthrow\b(?!\s*;)")


def layer_of(path: str) -> str | None:
    """The layer of a file below src/, python/ or include/sextant/; None for tests and benchmarks."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] == "src":
        return parts[1]
    if parts[0] == "python":
        return "python"
    if parts[0] == "include":
        return PUBLIC_HEADER.get(pathlib.PurePosixPath(path).stem)
    return None


def include_faults(path: str, name: str, ours: bool):
    """What is wrong with an #include of `name` in the file `path`."""
    layer = layer_of(path)
    is_public = path.startswith("include/")
    if not ours:
        for prefix, homes in THIRD_PARTY.items():
            if layer and name.startswith(prefix) and not path.startswith(homes):
                yield f"<{name}> belongs in {' or '.join(homes)} only"
        if name == "iostream" and layer and not path.startswith(MAY_PRINT):
            yield "<iostream> is for cli/ and report/ only"
        return
    if name.startswith(CATALOGUES):
        yield f"'{name}' is reached through its registry, never included"
        return
    if layer is None:
        return
    if name.startswith("sextant/"):
        stem = pathlib.PurePosixPath(name).stem
        used = PUBLIC_HEADER.get(stem)
        if stem == UMBRELLA:
            yield "the umbrella header is for users of the library"
        elif used is None:
            yield f"'{name}' has no layer in tools/check_layers.py"
    else:
        used = name.split("/")[0] if "/" in name else None
        if is_public:
            yield f"a public header may not include the private '{name}'"
    if used and used != layer and used not in MAY_INCLUDE[layer]:
        yield f"'{layer}' may not include '{used}'"


def faults(root: pathlib.Path, file: pathlib.Path):
    """(line, message) of everything wrong with one file."""
    path = file.relative_to(root).as_posix()
    layer = layer_of(path)
    text = file.read_text()
    if path.startswith("src/") and layer not in MAY_INCLUDE:
        yield 1, f"'{layer}' is no layer"
        return
    if path.startswith("include/") and layer is None and file.stem != UMBRELLA:
        yield 1, "this header has no layer in tools/check_layers.py"
        return
    code = code_only(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match:
            for fault in include_faults(path, match[1] or match[2], match[1] is not None):
                yield number, fault
        if layer is None:
            continue
        if PRINTS.search(code[number - 1]) and not path.startswith(MAY_PRINT):
            yield number, "only cli/ and report/ write to a stream"
        if THROWS.search(code[number - 1]) and path not in MAY_THROW:
            yield number, "only src/base/check.h throws; call fail() or require()"


def main(root: pathlib.Path) -> int:
    files = sorted(file for top in ("include", "src", "python/src", "tests", "bench")
                   for pattern in ("*.h", "*.cpp") for file in (root / top).rglob(pattern))
    if not files:
        print(f"{root}: no source file")
        return 1
    bad = 0
    for file in files:
        for number, fault in faults(root, file):
            print(f"{file.relative_to(root)}:{number}: {fault}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
