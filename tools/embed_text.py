#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C++ file that holds a text as a constant.

usage: embed_text.py HEADER NAME OUTPUT TEXT

HEADER declares `extern const std::string_view NAME` in namespace sextant.
"""

import pathlib
import sys

CHUNK = 80  # bytes per literal; neighbours join


def literal(chunk: bytes) -> str:
    # Octal escapes end after three digits, whatever follows; "?" could begin a trigraph.
    plain = set(range(32, 127)) - set(b'"\\?')
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in chunk) + '"'


def main(header: str, name: str, output: str, text: str) -> int:
    data = pathlib.Path(text).read_bytes()
    chunks = [literal(data[at:at + CHUNK]) for at in range(0, len(data), CHUNK)]
    pathlib.Path(output).write_text(
        f'#include "{header}"\n\n'
        # g++ and clang take literals of any length; the standard asks for 65536 bytes.
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
        "namespace sextant {\n\n"
        f"const std::string_view {name}(\n    " + "\n    ".join(chunks) + f",\n    {len(data)});\n\n"
        "}  // namespace sextant\n")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
